"""Reads AirCopBench's question files: results of its generation scripts, and test files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from annotator.domain import tasksets
from annotator.domain.item import LETTERS, Item, Option, Provenance
from annotator.domain.task_set import Task
from annotator.sources.aircop_groups import Asked, Group, view_of_key, walk
from annotator.sources.aircop_names import DATASETS, ImageName, read_image_name, view_name
from annotator.sources.answer_keys import options_missing, read_key
from annotator.sources.fields import Fields, RecordFault, wrong_type
from annotator.sources.found import Found, FoundFlag, FoundMedium, FoundScene, ImportKeys, Rejected
from annotator.sources.input_file import InputFile
from annotator.sources.item_parts import ItemNames, task_flags
from annotator.sources.json_text import JsonText
from annotator.sources.media_paths import LONGEST_PATH
from annotator.sources.registry import ReadContext, Reader

TASK_SET = "aircop"

_MARKS = re.compile(r'"(?:question_type|correct_answer|questions_per_uav)"\s*:')
_QUESTION = re.compile(r'"(?:question_id|error)"\s*:')
_VIEW_IN_TYPE = re.compile(r"[(（]\s*UAV\s*([0-9]+)\s*[)）]", re.IGNORECASE)
_PATH_KEY = re.compile(r"(uav[0-9]+)_(?:path|filename)")


class AircopQuestions(Reader):
    """Takes AirCopBench's questions in as items."""

    id = "aircop-questions"
    title = "AirCopBench questions, JSON"

    def recognises(self, file: InputFile) -> bool:
        """Look for a field that only these questions have."""
        return bool(_MARKS.search(file.head))

    def read(self, file: InputFile, *, context: ReadContext) -> Iterator[Found | Rejected]:
        """Yield the items in the file's order."""
        json, questions = JsonText(file.text), _Questions(file, dataset=context.dataset)
        context.progress.begin(f"Importing {file.name}", total=len(_QUESTION.findall(json.text)))
        for asked in walk(json):
            context.progress.step()
            try:
                yield questions.found(asked, line=json.line_of(asked.element.start))
            except RecordFault as fault:
                element = asked.element
                at = element.fault.at if element.fault else json.offset_of(fault.field, element)
                yield Rejected(
                    line=json.line_of(at), locator=asked.locator, field=fault.field, message=fault.message
                )


class _Questions:
    """The questions of one file."""

    def __init__(self, file: InputFile, *, dataset: str) -> None:
        self._file = file
        self._dataset = dataset
        self._task_set = tasksets.builtin(TASK_SET)
        self._names = ItemNames()
        self._keys = ImportKeys(format_id=AircopQuestions.id, dataset=dataset)

    def found(self, asked: Asked, *, line: int) -> Found:
        """Return one question as an item.

        Raises:
            RecordFault: It is none.
        """
        element, group, locator = asked.element, asked.group, asked.locator
        if element.fault is not None:
            raise RecordFault(element.fault.field, element.fault.message)
        fields = Fields(element.value)
        _refuse_failure(fields)
        kind = fields.text("question_type") or ""
        made_up = f"{self._file.stem} {locator}"
        name, flags = self._names.name_of(
            fields.text_or_number("question_id"), made_up=made_up, locator=locator, fields=fields
        )
        task = self._task(kind, name=name, fields=fields)
        flags += task_flags(task, text=kind, task_set=self._task_set)
        images = _images(fields, group)
        media = tuple(FoundMedium(name=i.name, path=i.path, view=view) for view, i in images.items())
        options = _options(fields)
        key = read_key(_key_text(fields), answer_format="option_letter", options=options, fields=fields)
        view = group.view or _view_in_type(kind)
        dataset = self._dataset or group.dataset or _dataset_of(images)
        item = Item(
            name=name,
            task_set=TASK_SET,
            task=task.id if task else "",
            question=fields.required_text("question"),
            options=options,
            answer_format="option_letter",
            key=key.text,
            view=view,
            provenance=Provenance(made_by="import", maker=AircopQuestions.id, locator=locator),
            original=msgspec.Raw(element.original),
            normalised=tuple(fields.normalised),
            extras=_extras(fields, group, kind="" if task else kind),
            # The same words about other pictures are another question.
            import_key=self._keys.key_of(
                element.original, context="\n".join((dataset, view, *(medium.name for medium in media)))
            ),
        )
        return Found(
            record=item,
            line=line,
            dataset=dataset,
            media=media,
            scene=_scene(images, media, group),
            flags=(*flags, *_gaps(options, media), *key.flags),
        )

    def _task(self, kind: str, *, name: str, fields: Fields) -> Task | None:
        """Return the task that the type names, or else the public id."""
        task = self._task_set.find(kind) or self._task_set.find_by_item_name(name)
        if task is not None and task.title.en not in kind:
            fields.note("task", original=kind, value=task.id, reason="another name of the task")
        return task


def _refuse_failure(fields: Fields) -> None:
    """Refuse what a script wrote where it failed to make a question."""
    # An error beside a whole question is a field like any other.
    if "error" in fields.members and "question" not in fields.members:
        said = fields.members.get("raw_content") or fields.members.get("content") or ""
        more = f" The model had said: {str(said)[:200]}" if said else ""
        raise RecordFault(
            "error", f"It is no question; its script failed: {fields.members['error']!s:.200}.{more}"
        )


def _view_in_type(kind: str) -> str:
    found = _VIEW_IN_TYPE.search(kind)
    return view_name(found[1]) if found else ""


def _key_text(fields: Fields) -> str | None:
    value = fields.get("correct_answer")
    if isinstance(value, list) and value and all(isinstance(letter, str) for letter in value):
        fields.note("key", original=value, value=", ".join(value), reason="a list of letters")
        return ", ".join(value)
    return fields.text_or_number("correct_answer")


def _options(fields: Fields) -> tuple[Option, ...]:
    """Return the options with their letters as they came; those of a plain list get letters."""
    value = fields.get("options")
    if value is None:
        return ()
    if isinstance(value, list) and len(value) <= len(LETTERS):
        pairs = dict(zip(LETTERS, value, strict=False))
        fields.note("options", original=value, value=list(pairs), reason="a list without letters")
    elif isinstance(value, dict):
        pairs = value
    else:
        raise wrong_type("options", value, expected=f"an object, or a list of up to {len(LETTERS)} texts")
    texts = Fields(pairs, where="options")
    options = tuple(Option(letter=letter, text=texts.text_or_number(letter) or "") for letter in pairs)
    fields.normalised += [
        msgspec.structs.replace(note, field=f"options.{note.field}") for note in texts.normalised
    ]
    return options


def _images(fields: Fields, group: Group) -> dict[str, ImageName]:
    """Return the pictures by view, from the question itself or its group."""
    paths = _paths(fields.get("uav_paths"), "uav_paths") or _group_paths(group)
    images = {}
    for key, path in paths.items():
        if len(path) > LONGEST_PATH:
            raise RecordFault(f"uav_paths.{key}", f"It has more than {LONGEST_PATH} characters.")
        image = read_image_name(path)
        if image.changes:
            fields.note("media", original=path, value=image.name, reason="; ".join(image.changes))
        images[view_of_key(key)] = image
    return images


def _paths(value: object, where: str) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise wrong_type(where, value, expected="an object of paths by view")
    for key, path in value.items():
        if not isinstance(path, str):
            raise wrong_type(f"{where}.{key}", path, expected="a path")
    return {key: path for key, path in value.items() if path.strip()}


def _group_paths(group: Group) -> dict[str, str]:
    """Return the paths that a group states for all its questions, else the names of its files."""
    members = group.members
    single = {key[1]: members[name] for name in sorted(members) if (key := _PATH_KEY.fullmatch(name))}
    listed = members.get("uav_paths") or members.get("uav_filenames")
    return _paths(listed, "uav_paths") or _paths(single, "uav_path")


def _gaps(options: tuple[Option, ...], media: tuple[FoundMedium, ...]) -> Iterator[FoundFlag]:
    if not options:
        yield options_missing()
    if not media:
        yield FoundFlag(kind="media_missing", field="media", message="It shows no picture.")


def _dataset_of(images: dict[str, ImageName]) -> str:
    """Return the dataset that the first folder of a path names, else that of the names' shape."""
    for image in images.values():
        first = image.path.partition("/")[0]
        if dataset := first if first in DATASETS else image.dataset:
            return dataset
    return ""


def _scene(images: dict[str, ImageName], media: tuple[FoundMedium, ...], group: Group) -> FoundScene | None:
    scenes = list(dict.fromkeys(image.scene for image in images.values()))
    if not scenes:
        return None
    stated = group.members.get("sequence_frame")
    name = stated if len(scenes) > 1 and isinstance(stated, str) and stated else scenes[0]
    return FoundScene(name=name, views=tuple(sorted(media, key=lambda medium: medium.view)))


def _extras(fields: Fields, group: Group, *, kind: str) -> dict[str, Any]:
    """Return what an item has no place for: of the question, and under ``group`` of its group."""
    shared = {
        name: value
        for name, value in group.members.items()
        if name not in {"uav_paths", "uav_filenames"} and not _PATH_KEY.fullmatch(name)
    }
    more = {"question_type": kind} if kind else {}
    return {**fields.rest(), **more, **({"group": shared} if shared else {})}


READER = AircopQuestions()
