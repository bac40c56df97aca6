"""Reads SpatialUAV's annotations: JSON lines, one question each."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from annotator.domain import answers, task_set_files
from annotator.domain.item import Item, Option, Provenance
from annotator.domain.task_set import Task
from annotator.importers.aircop_names import view_name
from annotator.importers.answer_keys import parse_key
from annotator.importers.imported_record import (
    ImportedMedium,
    ImportedRecord,
    ImportedScene,
    ImportIssue,
    ImportKeys,
)
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.item_parts import ItemNames, medium_of, task_flags
from annotator.importers.json_text import JsonElement, JsonText
from annotator.importers.record_fields import RecordError, RecordFields, wrong_type
from annotator.importers.shown_media import missing_media

TASK_SET = "spatialuav"
DATASET = "SpatialUAV"

_MARKS = (re.compile(r'"conversations"\s*:'), re.compile(r'"GT"\s*:'))
_PAIRS = frozenset({"detected_pair", "clean_pair", "annotated_pair", "annotated_path_pair"})
# Source: file names of the published folders: "66-00000700-UAV1", "…_drone_…", "…groundView…", "aerial/…".
_UAV = re.compile(r"(?<![A-Za-z])UAV[-_]?([0-9]+)", re.IGNORECASE)
# Case counts only behind a word: "groundView" is the ground's, "grounds" is not.
_AERIAL = re.compile(r"(?<![A-Za-z])(?i:drone|aerial)(?![a-z])")
_GROUND = re.compile(r"(?<![A-Za-z])(?i:ground)(?![a-z])")
_SIDE = re.compile(
    r"[-_/]?(?<![A-Za-z])(?:(?i:UAV)[-_]?[0-9]+|(?i:drone|aerial|ground)(?:(?i:View))?(?![a-z]))"
)


class SpatialUav(FileImporter):
    """Takes SpatialUAV's questions in as items."""

    id = "spatialuav"
    title = "SpatialUAV items (JSON lines)"
    files = "SpatialUAV annotations: JSON lines (a JSON array too)"
    gives = "items"
    fields = ("id", "image", "conversations", "GT", "source")

    def recognizes(self, file: InputFile) -> bool:
        """Look for a conversation and its ground truth."""
        return all(mark.search(file.head) for mark in _MARKS)

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the items in the file's order."""
        json, rows = JsonText(file.text), _Rows(file, context=context)
        context.progress.begin(f"Importing {file.name}", total=json.text.count('"GT"'))
        for element in json.top_elements():
            context.progress.step()
            line = json.line_of(element.start)
            try:
                yield rows.found(element, line=line)
            except RecordError as fault:
                at = element.fault.at if element.fault else json.offset_of(fault.field, element)
                yield fault.issue(line=json.line_of(at), locator=f"line {line}")


class _Rows:
    """The rows of one file."""

    def __init__(self, file: InputFile, *, context: ImportContext) -> None:
        self._stem = file.stem
        self._dataset = context.dataset or DATASET
        self._mapping = context.mapping
        self._task_set = task_set_files.builtin(TASK_SET)
        self._names = ItemNames()
        self._keys = ImportKeys(format_id=SpatialUav.id, dataset=self._dataset)

    def found(self, element: JsonElement, *, line: int) -> ImportedRecord:
        if element.fault is not None:
            raise element.fault.error()
        fields = RecordFields(element.value, mapping=self._mapping)
        locator = f"line {line}"
        made_up = f"{self._stem} line {line}"
        name, flags = self._names.name_of(
            fields.text_or_number("id"), made_up=made_up, locator=locator, fields=fields
        )
        task = self._task_set.find_by_item_name(name)
        flags += task_flags(task, text=name.rsplit("_", 1)[0], task_set=self._task_set)
        media = _media(fields)
        question, more = _question(fields)
        key_text = fields.text_or_number("GT")
        answer_format = _answer_format(task, key_text or "")
        options = _candidates(media) if answer_format == "option_letter" else ()
        key = parse_key(key_text, answer_format=answer_format, options=options, fields=fields)
        item = Item(
            name=name,
            task_set=TASK_SET,
            task=task.id if task else "",
            question=question,
            options=options,
            answer_format=answer_format,
            answer_key=key.text,
            provenance=Provenance(made_by="import", maker=SpatialUav.id, locator=locator),
            original=msgspec.Raw(element.original),
            corrections=tuple(fields.corrections),
            extras={**fields.rest(), **more},
            import_key=self._keys.key_of(element.original),
        )
        return ImportedRecord(
            record=item,
            line=line,
            dataset=self._dataset,
            media=media,
            scene=_scene(media, task),
            flags=(*flags, *missing_media(media), *key.flags),
        )


def _question(fields: RecordFields) -> tuple[str, dict[str, object]]:
    """Return the prompt, and under their own name the turns that do not fit in."""
    turns = fields.listing("conversations") or []
    for number, turn in enumerate(turns):
        turn_fields = RecordFields(turn, where=f"conversations[{number}]")
        if turn_fields.text("from") == "human":
            is_alone = len(turns) == 1 and not turn_fields.rest().keys() - {"value"}
            return turn_fields.required_text("value"), {} if is_alone else {"conversations": turns}
    raise RecordError("conversations", "It contains no turn of a human.")


def _media(fields: RecordFields) -> tuple[ImportedMedium, ...]:
    value = fields.get("image")
    paths = [value] if isinstance(value, str) else value or []
    if not isinstance(paths, list):
        raise wrong_type("image", value, expected="a list of paths")
    for number, path in enumerate(paths):
        if not isinstance(path, str) or not path.strip():
            raise wrong_type(f"image[{number}]", path, expected="a path")
    found = (medium_of(path, field=f"image[{n}]", fields=fields) for n, path in enumerate(paths))
    return tuple(
        # Some files name the folder of the dataset before the path, others do not.
        msgspec.structs.replace(medium, name=medium.name.removeprefix(f"{DATASET}/"))
        for medium in found
    )


def _answer_format(task: Task | None, key: str) -> str:
    return answers.format_of_key(task.answer_format, key=key) if task else "free_text"


def _candidates(media: tuple[ImportedMedium, ...]) -> tuple[Option, ...]:
    """Return the pictures after the first as options: that is how the tasks with letters are built."""
    return tuple(
        Option(letter=letter, text=medium.name)
        for letter, medium in zip("ABCDEFGHI", media[1:], strict=False)
    )


def _scene(media: tuple[ImportedMedium, ...], task: Task | None) -> ImportedScene | None:
    """Return the scene of two views for pairs, else that of the first picture alone."""
    if not media:
        return None
    is_pair = task.visual_input in _PAIRS if task else len(media) == 2
    # Candidates and frames are other moments: they are shown, but belong to no common scene.
    shown = media[:2] if is_pair else media[:1]
    views = zip(_view_names(shown, task), shown, strict=True)
    return ImportedScene(
        name=_scene_name(shown),
        views=tuple(msgspec.structs.replace(medium, view=view) for view, medium in views),
    )


def _view_names(media: tuple[ImportedMedium, ...], task: Task | None) -> list[str]:
    names = [view_in_name(medium.name) for medium in media]
    if all(names) and len(set(names)) == len(names):
        return names
    is_aerial_ground = task is not None and task.group == "aerial_ground"
    if len(media) == 1:
        return ["ground" if is_aerial_ground else "UAV1"]
    return ["aerial", "ground"] if is_aerial_ground else ["UAV1", "UAV2"]


def view_in_name(name: str) -> str:
    """Return the view that a picture's name tells: ``UAV2``, ``ground``, ``aerial``, or ""."""
    if number := _UAV.search(name):
        return view_name(number[1])
    if _GROUND.search(name):
        return "ground"
    return "aerial" if _AERIAL.search(name) else ""


def _scene_name(media: tuple[ImportedMedium, ...]) -> str:
    stems = [medium.stem for medium in media]
    if len(stems) == 1:
        return stems[0]
    # A2A pairs are named alike but for the UAV, A2G pairs but for drone and ground.
    keys = {_SIDE.sub("", stem) for stem in stems}
    return keys.pop() if len(keys) == 1 else " + ".join(stems)
