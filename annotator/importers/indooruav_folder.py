"""Reads folders of IndoorUAV's dataset: flights with their postures, actions, instructions and segments.

Source: the folders that the evaluation scripts read, ``<group>/<scene>/traj_<n>/``. Postures and instructions
lie below one root, segments below another, the test lists anywhere.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import msgspec

from annotator.domain.item import Item
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Trajectory
from annotator.importers import indooruav
from annotator.importers.imported_record import ImportedRecord, ImportIssue
from annotator.importers.importer import FolderImporter, ImportContext
from annotator.importers.indooruav_records import WRITING, IndoorUavRecords
from annotator.importers.indooruav_text import Episode, is_segment, read_episode
from annotator.importers.indooruav_values import LocatedValue, whole_value
from annotator.importers.input_folder import InputFolder
from annotator.importers.poses import read_actions, read_key_frames
from annotator.importers.record_fields import RecordFields

_PART = re.compile(
    r"(?:.*/)?(?:posture|real_action|key_frames|instruction|instruction_pro|vla_ins_[0-9]+)\.json", re.DOTALL
)
_FLIGHT_FOLDER = re.compile(r"(?:^|/)traj_-?[0-9]+/")
_NUMBER = re.compile(r"[0-9]+")


class _ReadPart(Protocol):
    def __call__(self, value: object, *, poses: int) -> dict[str, Any]: ...


def _actions(value: object, *, poses: int) -> dict[str, Any]:
    return {"actions": read_actions(value, poses=poses)}


def _key_frames(value: object, *, poses: int) -> dict[str, Any]:
    return {"key_frames": read_key_frames(value, poses=poses)}


_PARTS: Mapping[str, _ReadPart] = {"real_action": _actions, "key_frames": _key_frames}


class IndoorUavFolder(FolderImporter):
    """Takes whole folders of flights in: a trajectory each, one more per segment, and items."""

    id = "indooruav-folder"
    title = "IndoorUAV dataset (folder)"
    files = "IndoorUAV's folders `<group>/<scene>/traj_<n>/`"
    gives = "the same, combined"
    fields = ("instruction", "source")

    def recognizes(self, folder: InputFolder) -> bool:
        """Look for the files of a flight."""
        return any(_part_of(folder, name) for name in folder.names)

    def read(self, folder: InputFolder, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the test lists first, since they tell facts of the segments; then flight after flight."""
        flights: defaultdict[str, dict[str, str]] = defaultdict(dict)
        lists = []
        for name in folder.names:
            if part := _part_of(folder, name):
                # The first of several files of the same part counts; names are sorted.
                flights[part.trajectory].setdefault(part.file, name)
            elif name.endswith(".json") and not _FLIGHT_FOLDER.search(name):
                lists.append(name)
        facts: dict[str, Any] = {}
        for name in lists:
            yield from _listed(folder, name, facts=facts, context=context)
        context.progress.begin(f"Importing {folder.name}", total=len(flights))
        records = IndoorUavRecords(dataset=context.dataset, mapping=context.mapping)
        # By name, so that two imports of one folder bring the same order.
        for trajectory in sorted(flights):
            context.progress.step()
            yield from _Flight(trajectory, flights[trajectory], folder, records, facts).found()


def _part_of(folder: InputFolder, name: str) -> Episode | None:
    """Return flight and part that a file of a folder holds, or None where it holds none."""
    if _PART.fullmatch(name) is None:
        return None
    # Where one flight alone was given, only the folders above tell which it is.
    return read_episode(name) or read_episode(f"{folder.path.absolute().with_suffix('').as_posix()}/{name}")


def _listed(
    folder: InputFolder, name: str, *, facts: dict[str, Any], context: ImportContext
) -> Iterator[ImportedRecord | ImportIssue]:
    """Yield what a test list holds, and remember its facts by the episode's key."""
    file = folder.file(name)
    if not indooruav.IndoorUav().recognizes(file):
        return
    for entry in indooruav.IndoorUav().read(file, context=context):
        if isinstance(entry, ImportedRecord) and isinstance(entry.record, Scene):
            for part, value in entry.record.metadata.items():
                facts[Episode(entry.record.name, part).key] = value
        yield entry


@dataclass(slots=True)
class _Flight:
    """One flight and its files.

    Attributes:
        name: Its name.
        files: Name of the file that holds each part: ``posture``, ``vla_ins_3``.
        folder: What they lie in.
        records: Makes the records.
        facts: What test lists say, by the episode's key.
    """

    name: str
    files: Mapping[str, str]
    folder: InputFolder
    records: IndoorUavRecords
    facts: Mapping[str, Any]

    def found(self) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the flight, its instructions and its segments."""
        flight = None
        written = {part: self._instruction(part) for part in WRITING if part in self.files}
        for entry in self._whole():
            told = _with_instructions(entry, written) if isinstance(entry, ImportedRecord) else entry
            yield told
            flight = told.record if isinstance(told, ImportedRecord) else flight
        yield from written.values()
        for part in sorted(filter(is_segment, self.files), key=_number_of):
            yield from self._segment(part, flight if isinstance(flight, Trajectory) else None)

    def _instruction(self, part: str) -> ImportedRecord | ImportIssue:
        make = partial(self.records.instruction, Episode(self.name, part), name=part)
        return self._value(part).taken(make)

    def _value(self, part: str) -> LocatedValue:
        return whole_value(self.folder.file(self.files[part]), locator=self.files[part])

    def _whole(self) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield what is wrong with the flight's parts, and at last the flight."""
        if "posture" not in self.files:
            return
        make = partial(self.records.flight, Episode(self.name, "posture"), name=self.name)
        found = self._value("posture").taken(make)
        for part, read in _PARTS.items():
            if isinstance(found, ImportedRecord) and part in self.files:
                entry = self._value(part).taken(partial(_with_part, flight=found, read=read))
                if isinstance(entry, ImportedRecord):
                    found = entry
                else:
                    yield entry
        yield found

    def _segment(self, part: str, flight: Trajectory | None) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield a segment as an item, and as a trajectory of its own where the flight is known."""
        episode, value = Episode(self.name, part), self._value(part)
        poses = len(flight.poses) if flight else None
        entry = value.taken(partial(self.records.segment, episode, name=part, poses=poses))
        yield entry
        if flight is None or not isinstance(entry, ImportedRecord) or not isinstance(entry.record, Item):
            return
        first, last = entry.record.extras["source"]
        # Poses count from 1, both ends included; between n poses there are n - 1 actions.
        cut = Trajectory(
            scene="",
            name=episode.key,
            poses=flight.poses[first - 1 : last],
            actions=flight.actions[first - 1 : last - 1],
            metadata={**self.facts.get(episode.key, {}), "source": [first, last]},
        )
        yield self.records.trajectory(episode, cut, value, fields=RecordFields({}))


def _with_part(value: LocatedValue, *, flight: ImportedRecord, read: _ReadPart) -> ImportedRecord:
    """Return a flight with what another file says of it.

    Raises:
        RecordError: It does not fit the flight.
    """
    if not isinstance(flight.record, Trajectory):
        raise TypeError("Only a trajectory has actions.")
    more = read(value.content, poses=len(flight.record.poses))
    return msgspec.structs.replace(flight, record=msgspec.structs.replace(flight.record, **more))


def _with_instructions(
    flight: ImportedRecord, written: Mapping[str, ImportedRecord | ImportIssue]
) -> ImportedRecord:
    """Return a flight with the instructions of its files, which are items of their own as well."""
    texts = {
        WRITING[part]: entry.record.answer_key
        for part, entry in written.items()
        if isinstance(entry, ImportedRecord) and isinstance(entry.record, Item)
    }
    return msgspec.structs.replace(flight, record=msgspec.structs.replace(flight.record, **texts))


def _number_of(part: str) -> int:
    # Beyond nine digits it is no number of anything; Python would refuse to read thousands of them.
    return int(_NUMBER.findall(part)[0][:9])
