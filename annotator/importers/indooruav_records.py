"""IndoorUAV's records as ours: instructions are items, flights trajectories, and facts go to scenes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import msgspec

from annotator.domain import task_set_files
from annotator.domain.item import Item, Provenance
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Trajectory
from annotator.importers.answer_keys import parse_key
from annotator.importers.imported_record import ImportedFlag, ImportedRecord, ImportKeys
from annotator.importers.indooruav_text import (
    DATASET,
    TASK_SET,
    VIEW,
    Episode,
    damage_flags,
    read_steps,
    required_episode,
)
from annotator.importers.indooruav_values import LocatedValue
from annotator.importers.item_parts import ItemNames
from annotator.importers.poses import read_poses, read_segment
from annotator.importers.record_fields import RecordError, RecordFields, wrong_type

FORMAT = "indooruav"
"""Part of the keys, so that a record is known again whether it came alone or in its folder."""

# instruction.json says in short what to reach, instruction_pro.json tells the way in detail.
WRITING = {"instruction": "instruction_goal", "instruction_pro": "instruction_detailed"}
"""Task of the instructions in a file, which is the field of a flight as well, by the name of the file."""
_NO_QUESTION = "the file contains no question; the question of the task set is used"
_NO_KEY = "the file contains no answer key; the recorded flight of this name is used"


class IndoorUavRecords:
    """Makes the records of one file or folder."""

    def __init__(self, *, dataset: str, mapping: Mapping[str, str]) -> None:
        self._dataset = dataset or DATASET
        self._mapping = mapping
        self._task_set = task_set_files.builtin(TASK_SET)
        self._names = ItemNames()
        self._keys = ImportKeys(format_id=FORMAT, dataset=self._dataset)

    def test_case(self, episode: Episode, value: LocatedValue) -> ImportedRecord:
        """Return an entry of ``test_vln_*.json`` as an item: fly as these steps say.

        Raises:
            RecordError: It is no list of steps.
        """
        fields = self._fields({value.key: value.content}, value)
        steps = read_steps(value.content, field=value.key, target="question", fields=fields)
        fields.note("answer_key", original=None, value=episode.trajectory, reason=_NO_KEY)
        item = Item(
            name=episode.key,
            task_set=TASK_SET,
            task="vln",
            question="\n".join(steps),
            answer_key=episode.trajectory,
            extras={"level": WRITING[episode.file]} if episode.file in WRITING else {},
        )
        return self._item(episode, item, value, fields=fields, flags=damage_flags(steps, field="question"))

    def instruction(self, episode: Episode | None, value: LocatedValue, *, name: str) -> ImportedRecord:
        """Return an instruction file of a flight as an item: write this instruction.

        Args:
            episode: What the file's folders tell, None where they tell nothing.
            value: The file's content.
            name: Name of the file without ending, which tells the kind of instruction.

        Raises:
            RecordError: The record contains no instruction.
        """
        fields = self._fields(value.content, value)
        steps = read_steps(fields.get("instruction"), field="instruction", target="answer_key", fields=fields)
        key = parse_key("\n".join(steps), answer_format="instruction_text", fields=fields)
        task = self._task_set.task(WRITING.get(name, "instruction_goal"))
        question = task.templates[0].text.partition(".")[0] + "."
        fields.note("question", original=None, value=question, reason=_NO_QUESTION)
        item = Item(
            name=f"{episode.trajectory}/{name}" if episode else name,
            task_set=TASK_SET,
            task=task.id,
            question=question,
            answer_key=key.text,
            extras=fields.rest(),
        )
        flags = [*damage_flags(steps, field="answer_key"), *key.flags]
        return self._item(episode, item, value, fields=fields, flags=flags)

    def segment(
        self, episode: Episode | None, value: LocatedValue, *, name: str, poses: int | None = None
    ) -> ImportedRecord:
        """Return a file ``vla_ins_N.json`` as an item: fly this part.

        Args:
            episode: What the file's folders tell, None where they tell nothing.
            value: The file's content.
            name: Name of the file without ending.
            poses: Number of poses of the flight, None where it is not known.

        Raises:
            RecordError: It holds no instruction, or frames that the flight does not have.
        """
        fields = self._fields(value.content, value)
        steps = read_steps(fields.get("instruction"), field="instruction", target="question", fields=fields)
        frames = read_segment(fields.get("source"), field="source", poses=poses)
        if episode:
            fields.note("answer_key", original=None, value=episode.key, reason=_NO_KEY)
        item = Item(
            name=episode.key if episode else name,
            task_set=TASK_SET,
            task="vla",
            question="\n".join(steps),
            answer_key=episode.key if episode else "",
            extras={**fields.rest(), "source": list(frames)},
        )
        return self._item(episode, item, value, fields=fields, flags=damage_flags(steps, field="question"))

    def facts(self, episode: Episode, value: LocatedValue) -> ImportedRecord:
        """Return an entry of ``test_vla.json`` as facts of its flight's scene.

        Raises:
            RecordError: It is none.
        """
        fields = self._fields(value.content, value)
        if "success" in fields.members:
            raise RecordError(
                "success", "The record is the result of a model, not an episode of the benchmark."
            )
        actions = _texts(fields, "action_type")
        difficulty = fields.text("difficulty")
        values = {"difficulty": difficulty, "action_type": actions or None}
        facts = {**{name: fact for name, fact in values.items() if fact is not None}, **fields.rest()}
        return ImportedRecord(
            record=Scene(name=episode.trajectory, metadata={episode.file: facts}),
            line=value.line,
            dataset=self._dataset,
            scene=episode.scene,
            flags=_fact_flags(difficulty or "", tuple(actions)),
        )

    def flight(self, episode: Episode | None, value: LocatedValue, *, name: str) -> ImportedRecord:
        """Return a posture file as a trajectory.

        Args:
            episode: What the file's folders tell, None where they tell nothing.
            value: The file's content.
            name: Name of the trajectory where they tell nothing.

        Raises:
            RecordError: It holds no poses.
        """
        poses = read_poses(value.content, field="posture")
        flight = Trajectory(scene="", name=episode.trajectory if episode else name, poses=poses)
        return self.trajectory(episode, flight, value, fields=self._fields({}, value))

    def prediction(self, value: LocatedValue) -> ImportedRecord:
        """Return a result file as a trajectory: the flight of a model.

        Raises:
            RecordError: It is none.
        """
        fields = self._fields(value.content, value)
        episode = required_episode(fields.required_text("episode_key"), field="episode_key")
        poses = read_poses(fields.get("trajectory"), field="trajectory", is_radians=True)
        reason = "result files contain yaw in radians"
        fields.note("poses", original="radians", value="degrees", reason=reason)
        facts = {"made_by": "model", **fields.rest()}
        flight = Trajectory(scene="", name=f"{episode.key} result", poses=poses, metadata=facts)
        return self.trajectory(episode, flight, value, fields=fields)

    def trajectory(
        self, episode: Episode | None, flight: Trajectory, value: LocatedValue, *, fields: RecordFields
    ) -> ImportedRecord:
        """Return a trajectory with its place.

        Args:
            episode: Tells its scene, None where nothing does.
            flight: The trajectory.
            value: What it was read from.
            fields: Holds the notes of what was changed.
        """
        record = msgspec.structs.replace(
            flight,
            view=VIEW,
            locator=value.locator,
            original=msgspec.Raw(value.original),
            corrections=tuple(fields.corrections),
            import_key=self._keys.key_of(value.original, context=f"trajectory {flight.name}"),
        )
        scene = episode.scene if episode else None
        flags = () if episode else (_unknown_episode(),)
        return ImportedRecord(record=record, line=value.line, dataset=self._dataset, scene=scene, flags=flags)

    def _fields(self, members: object, value: LocatedValue) -> RecordFields:
        fields = RecordFields(members, mapping=self._mapping)
        if value.is_gbk:
            reason = "the file is in a Chinese legacy encoding"
            fields.note("", original="GBK", value="UTF-8", reason=reason)
        return fields

    def _item(
        self,
        episode: Episode | None,
        item: Item,
        value: LocatedValue,
        *,
        fields: RecordFields,
        flags: list[ImportedFlag],
    ) -> ImportedRecord:
        """Return an item with its place, notes and flags."""
        at = value.locator
        name, more = self._names.name_of(item.name, made_up=at, locator=at, fields=fields)
        record = msgspec.structs.replace(
            item,
            name=name,
            answer_format=self._task_set.task(item.task).answer_format[0],
            view=VIEW if episode else "",
            provenance=Provenance(made_by="import", maker=FORMAT, locator=at),
            original=msgspec.Raw(value.original),
            corrections=tuple(fields.corrections),
            import_key=self._keys.key_of(value.original, context=f"{item.task} {item.name}"),
        )
        lost = [] if episode else [_unknown_episode()]
        return ImportedRecord(
            record=record,
            line=value.line,
            dataset=self._dataset,
            media=(episode.medium,) if episode else (),
            scene=episode.scene if episode else None,
            flags=(*more, *flags, *lost),
        )


# Thousands of episodes have some twenty combinations.
@lru_cache(maxsize=1024)
def _fact_flags(difficulty: str, actions: tuple[str, ...]) -> tuple[ImportedFlag, ...]:
    """Return what is wrong with the facts of an episode: 1 to 3 kinds of action are easy to hard."""
    task_set = task_set_files.builtin(TASK_SET)
    level = task_set.find_value("vla_difficulty", difficulty)
    unknown = [name for name in actions if task_set.find_value("action", name) is None]
    if level is None and difficulty:
        unknown.append(difficulty)
    if unknown:
        message = f"'{', '.join(unknown)}' is not a value of {task_set.title.en}."
        return (ImportedFlag(kind="value_unknown", field="metadata", message=message),)
    kinds = len(set(actions))
    if level is None or not kinds or level.lowest == kinds:
        return ()
    message = f"It is '{difficulty}' and has {kinds} kinds of action, not {level.lowest}."
    return (ImportedFlag(kind="difficulty_differs", field="metadata", message=message),)


def _texts(fields: RecordFields, name: str) -> list[str]:
    texts = fields.listing(name) or []
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise wrong_type(f"{name}[{number}]", text, expected="text")
    return texts


def _unknown_episode() -> ImportedFlag:
    message = "Neither the file name nor its folders contain the name of the flight."
    return ImportedFlag(kind="episode_unknown", field="scene", message=message)
