"""The form of IndoorUAV: test lists of whole flights and of segments, and a folder per flight.

Source: IndoorUAV, ``test_vln_*.json``, ``test_vla.json`` and the folders ``<group>/<scene>/traj_<n>/`` that
its evaluation scripts read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from annotator.domain import task_set_files
from annotator.domain.item import Item
from annotator.domain.trajectory import Trajectory
from annotator.errors import UserError
from annotator.queries.reader import Reader
from annotator.release.answer_keys import canonical_key
from annotator.release.exporter import ExportInput, ExportResult, ItemExporter, refusal_of
from annotator.release.json_sheet import whole
from annotator.release.media_names import is_safe_path
from annotator.release.release_filter import WithholdReason
from annotator.release.release_folder import ReleaseFile, ReleaseFolder
from annotator.release.release_items import RecordLookup, ReleaseItems

TASK_SET = "indooruav"
INSTRUCTION = "instruction"
VLN_LIST, VLA_LIST = "test_vln.json", "test_vla.json"
INSTRUCTIONS = {"instruction_goal": "instruction", "instruction_detailed": "instruction_pro"}
"""Names of instruction files by task."""
LONGEST_KEY = 500

_PART = r"[^/\\<>:\"|?*\x00-\x1f]*[^/\\<>:\"|?*\x00-\x20.]"
"""A name of a file or folder on every system."""
_FLIGHT = rf"/{_PART}/{_PART}/traj_-?[0-9]+"
_VLN = re.compile(rf"({_FLIGHT})/{_PART}\.json")
_VLA = re.compile(rf"({_FLIGHT})/(vla_ins_[0-9]+)\.json")
_INSTRUCTION = re.compile(rf"({_FLIGHT})/(instruction|instruction_pro)")
_SHAPES = {"vln": _VLN, "vla": _VLA, **dict.fromkeys(INSTRUCTIONS, _INSTRUCTION)}
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


class IndoorUavExporter(ItemExporter):
    """Instructions, segments and flights in IndoorUAV's files and folders."""

    id = "indooruav"
    title = "IndoorUAV dataset (folders)"
    files = (
        "test_vln.json, test_vla.json and GROUP/SCENE/traj_N/ with instructions, vla_ins_N.json, "
        "posture.json, real_action.json and key_frames.json"
    )
    limits = (
        "Contains items of the task set indooruav whose id is that of an episode, such as "
        "/group/scene/traj_1/vla_ins_1.json, and poses, actions and key frames of their flights."
    )

    def write(self, material: ExportInput, *, folder: ReleaseFolder) -> ExportResult:
        """Write the items, then the flights of their scenes.

        Raises:
            UserError: Two items have the same id, which is the name of a file.
        """
        members = self.members(material)
        for scene, name in _write_items(members, folder).items():
            members.totals.count(
                "entity", "trajectory", n=_write_flights(material.reader, scene, name, folder)
            )
        return ExportResult(totals=members.totals, withheld=members.withheld)

    def write_members(self, members: ReleaseItems[Item], *, folder: ReleaseFolder) -> None:
        """Write the items alone."""
        _write_items(members, folder)

    def refusal(self, record: Item, *, lookup: RecordLookup) -> WithholdReason | None:  # noqa: ARG002 - not needed
        """Return why the form cannot represent an item, None if it can."""
        if record.task_set != TASK_SET:
            return refusal_of("task_set", f"The item belongs to the task set {record.task_set}.")
        shape = _SHAPES.get(record.task)
        if shape is None:
            return refusal_of("task", "The format has no files for the task of the item.")
        if not _is_episode(record.name, shape=shape):
            return refusal_of(
                "name",
                f"The id {record.name} is not that of an episode, such as /group/scene/traj_1/file.json.",
            )
        return _text_refusal(record) or (
            _instruction_refusal(record) if record.task in INSTRUCTIONS else _key_refusal(record)
        )


def flight_of(item: Item) -> str:
    """Return the name of the flight that an item is about: ``/group/scene/traj_1``."""
    return item.name.rpartition("/")[0]


def segment_of(item: Item) -> dict[str, Any]:
    """Return the content of ``vla_ins_N.json``; further fields of the source follow the published ones."""
    fields = {INSTRUCTION: _lines(item.question), "source": item.extras["source"]}
    return fields | {name: value for name, value in item.extras.items() if name not in fields}


def actions_of(flight: Trajectory) -> dict[str, Any]:
    """Return the content of ``real_action.json``: a row per pose but the last, which no action follows."""
    rows = [
        {"frame": frame, "actions": dict.fromkeys(filter(None, actions.split("+")), 1)}
        for frame, actions in enumerate(flight.actions, start=1)
    ]
    return {"frame": rows}


def _write_items(members: ReleaseItems[Item], folder: ReleaseFolder) -> Mapping[str, str]:
    """Write the files of the items, and return the names of their flights by the ids of the scenes."""
    dataset = _Dataset(folder)
    for item in members:
        dataset.add(item, lookup=members.lookup)
    dataset.close()
    return dataset.flights


class _Dataset:
    """The files of the items.

    Attributes:
        flights: Names of the flights by the ids of their scenes.
    """

    def __init__(self, folder: ReleaseFolder) -> None:
        self._folder = folder
        self._lists: dict[str, _KeyedList] = {}
        self._names: set[str] = set()
        self.flights: dict[str, str] = {}

    def add(self, item: Item, *, lookup: RecordLookup) -> None:
        """Write an item.

        Raises:
            UserError: Another item has the same id.
        """
        if item.name in self._names:
            raise UserError(
                f"Two items have the id {item.name}, which is the name of a file of the format.",
                hint="Change the id of one of them, or reject it.",
            )
        self._names.add(item.name)
        scene = lookup.scene(item.scene)
        if scene is not None and scene.name == flight_of(item):
            self.flights[scene.id] = scene.name
        if item.task == "vln":
            self._list(VLN_LIST).add(item.name, item.question.split("\n"))
        elif item.task == "vla":
            self._put(item.name, segment_of(item))
            part = item.name.rpartition("/")[2].removesuffix(".json")
            if scene is not None and isinstance(facts := scene.metadata.get(part), dict):
                self._list(VLA_LIST).add(item.name, facts)
        else:
            self._put(f"{item.name}.json", {INSTRUCTION: canonical_key(item)} | item.extras)

    def close(self) -> None:
        for entries in self._lists.values():
            entries.close()

    def _list(self, name: str) -> _KeyedList:
        if name not in self._lists:
            self._lists[name] = _KeyedList(self._folder.file(name))
        return self._lists[name]

    def _put(self, name: str, value: Mapping[str, Any]) -> None:
        self._folder.add(name.removeprefix("/"), _text(value))


class _KeyedList:
    """An object of entries by key, one entry a line."""

    def __init__(self, file: ReleaseFile) -> None:
        self._file, self._before = file, "{\n"

    def add(self, key: str, value: object) -> None:
        entry = f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
        self._file.write((self._before + entry).encode(), records=1)
        self._before = ",\n"

    def close(self) -> None:
        self._file.write(b"\n}\n")


def _flight_of(reader: Reader, scene: str, name: str) -> Trajectory | None:
    flights = reader.find(Trajectory, scene=scene)
    return next((flight for flight in flights if flight.name == name and flight.poses), None)


def _write_flights(reader: Reader, scene: str, name: str, folder: ReleaseFolder) -> int:
    """Write the flight of a scene and return how many there are: one, or none if its poses are unknown."""
    flight = _flight_of(reader, scene, name)
    if flight is None:
        return 0
    location = name.removeprefix("/")
    poses = [[whole(n) for n in (p.x_m, p.y_m, p.z_m, p.yaw_deg)] for p in flight.poses]
    folder.add(f"{location}/posture.json", _text(poses))
    if len(flight.actions) == len(flight.poses) - 1 and flight.actions:
        folder.add(f"{location}/real_action.json", _text(actions_of(flight)))
    if flight.key_frames:
        # Files count frames from 1.
        folder.add(f"{location}/key_frames.json", _text([frame + 1 for frame in flight.key_frames]))
    return 1


def _text(value: object) -> bytes:
    # ASCII alone: the evaluation scripts read these files as GBK, other programs as UTF-8.
    return f"{json.dumps(value)}\n".encode()


def _lines(text: str) -> str | list[str]:
    lines = text.split("\n")
    return lines if len(lines) > 1 else text


def _is_episode(name: str, *, shape: re.Pattern[str]) -> bool:
    found = shape.fullmatch(name) if len(name) <= LONGEST_KEY and name.isprintable() else None
    return found is not None and is_safe_path(found[1].removeprefix("/"))


def _text_refusal(item: Item) -> WithholdReason | None:
    text = item.answer_key if item.task in INSTRUCTIONS else item.question
    if not text.strip():
        return refusal_of("text", "The item has no instruction.")
    # Readers repair published texts in which a backslash and a letter became a control character.
    if _CONTROL.search(text):
        return refusal_of("text", "The instruction contains a control character.")
    if INSTRUCTION in item.extras and item.task != "vln":
        return refusal_of("extras", f"The item has extra fields with names of the format: {INSTRUCTION}.")
    return None


def _instruction_refusal(item: Item) -> WithholdReason | None:
    if not item.name.endswith(f"/{INSTRUCTIONS[item.task]}"):
        return refusal_of("name", f"The id {item.name} does not match the task ({item.task}).")
    question = task_set_files.builtin(TASK_SET).task(item.task).templates[0].text.partition(".")[0] + "."
    if item.question != question:
        return refusal_of(
            "question", "The format has no field for a question other than that of the task set."
        )
    return None


def _key_refusal(item: Item) -> WithholdReason | None:
    flight = flight_of(item)
    if item.answer_key != (item.name if item.task == "vla" else flight):
        return refusal_of(
            "answer_key", f"The answer key {item.answer_key} is not the name of the recorded flight."
        )
    frames = item.extras.get("source")
    if item.task == "vla" and not _is_segment(frames):
        return refusal_of("source", "The first and last frame of the segment are unknown.")
    return None


def _is_segment(frames: object) -> bool:
    if not isinstance(frames, list) or len(frames) != 2 or {type(frame) for frame in frames} != {int}:
        return False
    return bool(1 <= frames[0] <= frames[1])
