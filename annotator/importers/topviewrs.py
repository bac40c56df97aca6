"""Reads TopViewRS: questions about top-view maps, whose right answers are texts of options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from annotator.domain import answers, task_set_files
from annotator.domain.item import Item, Option, Provenance
from annotator.domain.task_set import Task
from annotator.importers.answer_keys import ParsedKey, options_missing, parse_key
from annotator.importers.imported_record import (
    ImportedFlag,
    ImportedMedium,
    ImportedRecord,
    ImportedScene,
    ImportIssue,
    ImportKeys,
)
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.item_parts import ItemNames, medium_of, task_flags
from annotator.importers.json_records import read_records
from annotator.importers.json_text import JsonElement, JsonSpan, JsonText
from annotator.importers.option_parts import empty_options, options_in
from annotator.importers.record_fields import RecordFields, wrong_type
from annotator.importers.shown_media import missing_media

TASK_SET = "topviewrs"
DATASET = "TopViewRS"

# Source: the data card; the first spelling is the documented one, the others are accepted too.
_NAMES = {
    "index": ("index", "id", "question_id", "idx"),
    "scene_id": ("scene_id", "scene", "scan_id"),
    "question": ("question",),
    "choices": ("choices", "options"),
    "labels": ("labels", "label", "answers", "answer"),
    "map_path": ("map_path", "image_path", "image", "map"),
    "question_ability": ("question_ability", "ability", "sub_task", "subtask", "task"),
}
_MARKS = (
    re.compile(r'"(?:choice_type|question_ability)"\s*:'),
    re.compile(r'"(?:map_path|labels|choices)"\s*:'),
)
_SETS_OF_RECORDS = re.compile(r'\s*\{\s*"([^"]{0,100})"\s*:\s*[\[{]')
_MAP_TYPE = re.compile(r"realistic|semantic", re.IGNORECASE)
MOST_SHAPES = 1000
MOST_VIEWS = 64
"""Maps that a scene shows as its views; a building has some dozens of rooms."""
_WORD = re.compile(r"\w+")
_LETTER = re.compile(r"\s*[(]?([A-I])[).]?\s*")


class TopViewRs(FileImporter):
    """Takes TopViewRS's questions in as items, one scene a building."""

    id = "topviewrs"
    title = "TopViewRS questions (JSON)"
    files = "TopViewRS `released_*_datasets.json`"
    gives = "items"
    fields = tuple(_NAMES)

    def recognizes(self, file: InputFile) -> bool:
        """Look for what only these questions have."""
        return all(mark.search(file.head) for mark in _MARKS)

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the items in the file's order."""
        json, questions = JsonText(file.text), _Questions(file, context=context)
        context.progress.begin(f"Importing {file.name}", total=json.text.count('"question"'))
        yield from read_records(json, elements=_elements(json), take=questions.found, context=context)


def _elements(json: JsonText) -> Iterator[JsonElement]:
    """Yield the records of a list, of JSON lines, or of an object of records or of lists of them."""
    known = {name for names in _NAMES.values() for name in names}
    first = _SETS_OF_RECORDS.match(json.text)
    if first is None or first[1] in known:
        yield from json.top_elements()
        return
    whole = JsonSpan(json.skip_blanks(0), len(json.text))
    for _, member in json.members(whole, undecoded=lambda _: True):
        if json.text.startswith("[", member.start) and member.fault is None:
            yield from json.elements(member.start, limit=member.end)
        elif member.fault is None:
            yield json.element(member.start, limit=member.end)
        else:
            yield member


class _Questions:
    """The questions of one file."""

    def __init__(self, file: InputFile, *, context: ImportContext) -> None:
        self._stem = file.stem
        self._mapping = context.mapping
        self._dataset = context.dataset or DATASET
        self._task_set = task_set_files.builtin(TASK_SET)
        self._map_type = _map_type(file.name)
        self._file_mark = self._map_type or self._stem
        self._names = ItemNames()
        self._keys = ImportKeys(format_id=TopViewRs.id, dataset=self._dataset)
        self._maps: dict[str, ImportedMedium] = {}
        self._scenes: dict[str, ImportedScene] = {}
        self._views: dict[tuple[str, str], ImportedMedium] = {}
        self._tasks: dict[str, Task | None] = {}
        self._called: dict[tuple[str, ...], dict[str, str]] = {}

    def found(self, element: JsonElement, line: int, locator: str) -> ImportedRecord:
        """Return one question as an item.

        Raises:
            RecordError: It is none.
        """
        fields = RecordFields(element.value)
        called = self._called_in(fields)
        medium = self._map(fields, called["map_path"])
        name, flags = self._name(fields, called["index"], locator=locator)
        ability = fields.text(called["question_ability"]) or ""
        task = self._task(ability, fields=fields)
        flags += task_flags(task, text=ability, task_set=self._task_set)
        options = options_in(fields.get(called["choices"]), field="choices", fields=fields)
        flags += empty_options(options) if options else [options_missing()]
        answer = _read_labels(fields, called["labels"], options=options)
        scene = self._scene(fields.text_or_number(called["scene_id"]) or "", medium)
        media = self._shown(medium, scene)
        item = Item(
            name=name,
            task_set=TASK_SET,
            task=task.id if task else "",
            question=fields.required_text(called["question"]),
            options=options,
            answer_format=answer.answer_format,
            answer_key=answer.key.text,
            view=media[0].view if media else "",
            provenance=Provenance(made_by="import", maker=TopViewRs.id, locator=locator),
            original=msgspec.Raw(element.original),
            corrections=tuple(fields.corrections),
            extras=fields.rest()
            if task or not ability
            else {**fields.rest(), called["question_ability"]: ability},
            import_key=self._keys.key_of(element.original, context=self._map_type),
        )
        return ImportedRecord(
            record=item,
            line=line,
            dataset=self._dataset,
            media=media,
            scene=scene,
            flags=(*flags, *missing_media(media), *answer.key.flags),
        )

    def _called_in(self, fields: RecordFields) -> dict[str, str]:
        """Return how a record calls each field; records with the same members call them the same."""
        members = tuple(fields.members)
        if members not in self._called:
            if len(self._called) > MOST_SHAPES:
                self._called.clear()
            self._called[members] = _field_names(fields, self._mapping)
        return self._called[members]

    def _name(self, fields: RecordFields, member: str, *, locator: str) -> tuple[str, list[ImportedFlag]]:
        """Return the public id: an index is unique only within its file, and both files begin at one."""
        value = fields.get(member)
        if type(value) is int:
            # A realistic and a semantic map of one building have files of their own that count alike.
            text: str | None = f"{self._file_mark}_{value}"
            fields.note("name", original=value, value=text, reason="an index is unique only within its file")
        else:
            text = fields.text_or_number(member)
        made_up = f"{self._stem} {locator}"
        return self._names.name_of(text, made_up=made_up, locator=locator, fields=fields)

    def _task(self, ability: str, *, fields: RecordFields) -> Task | None:
        if ability not in self._tasks:
            self._tasks[ability] = self._task_set.find(ability)
        task = self._tasks[ability]
        if task is not None and ability != task.title.en:
            fields.note("task", original=ability, value=task.id, reason="another name of the task")
        return task

    def _map(self, fields: RecordFields, member: str) -> ImportedMedium | None:
        text = fields.text(member)
        medium = self._maps.get(text) if text is not None else None
        if medium is None:
            if text is None or not text.strip():
                return None
            medium = medium_of(text, field=member, kind="map", fields=fields)
            # A refused path is noted on each record that has it.
            if medium.path:
                self._maps[text] = medium
        return medium

    def _scene(self, scene_id: str, medium: ImportedMedium | None) -> ImportedScene | None:
        """Return the scene, the same object for all records until a new map of it appears.

        Views are the maps of a scene: realistic, semantic, and with a number those after the first.
        """
        name = scene_id.strip() or (medium.stem if medium else "")
        if not name:
            return None
        scene = self._scenes.get(name)
        if scene is not None and (medium is None or (name, medium.name) in self._views):
            return scene
        scene = scene or ImportedScene(name=name)
        if medium is not None and len(scene.views) < MOST_VIEWS:
            scene = self._with_map(scene, medium)
        self._scenes[name] = scene
        return scene

    def _with_map(self, scene: ImportedScene, medium: ImportedMedium) -> ImportedScene:
        # 'realistic', then 'realistic 2': the first map of a kind needs no number.
        kind = _map_type(medium.path) or self._map_type or "map"
        same = sum(view.view.partition(" ")[0] == kind for view in scene.views)
        named = msgspec.structs.replace(medium, view=f"{kind} {same + 1}" if same else kind)
        self._views[scene.name, medium.name] = named
        return ImportedScene(name=scene.name, views=(*scene.views, named))

    def _shown(
        self, medium: ImportedMedium | None, scene: ImportedScene | None
    ) -> tuple[ImportedMedium, ...]:
        """Return the map that a question is about, under the name of its view where it has one."""
        if medium is None or scene is None:
            return (medium,) if medium else ()
        return (self._views.get((scene.name, medium.name), medium),)


class _Labels(msgspec.Struct, frozen=True, gc=False):
    answer_format: str
    key: ParsedKey


def _field_names(fields: RecordFields, mapping: Mapping[str, str]) -> dict[str, str]:
    """Return how this record calls each field: as a person said, else by the first name that it has."""
    members = fields.members
    return {
        field: mapping.get(field) or next((name for name in names if name in members), field)
        for field, names in _NAMES.items()
    }


def _read_labels(fields: RecordFields, member: str, *, options: tuple[Option, ...]) -> _Labels:
    """Return the key that texts of right options stand for: a letter, or several texts as a set."""
    texts = _label_texts(fields.get(member), member)
    # Nearly all records have one, and it is the text of one option alone.
    alike = _of_text(texts[0], options) if len(texts) == 1 else []
    if len(alike) == 1:
        return _letter_of(alike[0], texts[0], fields=fields)
    return _read_one_by_one(texts, options, fields=fields)


def _read_one_by_one(texts: Sequence[str], options: tuple[Option, ...], *, fields: RecordFields) -> _Labels:
    chosen = [_option_of(text, options) for text in texts]
    if not texts or not options or None in chosen:
        return _as_they_came(texts, options, fields=fields)
    right = {option.letter: option for option in filter(None, chosen)}
    if len(right) > 1:
        form = answers.get("span_set")
        text = form.render(frozenset(option.text for option in right.values()))
        return _Labels("span_set", ParsedKey(text))
    (letter,) = right
    twins = [option.letter for option in _of_text(right[letter].text, options)]
    if len(twins) > 1:
        return _Labels("option_letter", _unread(texts, twins=twins))
    return _letter_of(right[letter], texts[0], fields=fields)


def _as_they_came(texts: Sequence[str], options: tuple[Option, ...], *, fields: RecordFields) -> _Labels:
    """Return the key of labels of which one is the text of no option."""
    given = ", ".join(texts) if texts else None
    answer_format = "span_set" if len(texts) > 1 else "option_letter"
    key = parse_key(given, answer_format=answer_format, options=options, fields=fields)
    return _Labels(answer_format, key if key.flags else _unread(texts))


def _letter_of(option: Option, text: str, *, fields: RecordFields) -> _Labels:
    reason = "the letter of the option with this text"
    fields.note("answer_key", original=text, value=option.letter, reason=reason)
    return _Labels("option_letter", ParsedKey(option.letter))


def _label_texts(value: object, member: str) -> list[str]:
    """Return the labels as texts, each once."""
    if value is None:
        return []
    labels: list[Any] = value if isinstance(value, list) else [value]
    if len(labels) == 1 and type(labels[0]) is str:
        return [labels[0]] if labels[0].strip() else []
    for number, label in enumerate(labels):
        if isinstance(label, bool) or not isinstance(label, str | int | float):
            raise wrong_type(f"{member}[{number}]", label, expected="the text of an option")
    return list(dict.fromkeys(str(label) for label in labels if str(label).strip()))


def _option_of(text: str, options: Sequence[Option]) -> Option | None:
    """Return the option of a label: by its exact text, otherwise by its words, otherwise by its letter."""
    same = _of_text(text, options)
    if len(same) == 1:
        return same[0]
    alike = same or _of_same_words(text, options) or _of_letter(text, options)
    # Options that differ in signs alone would both be meant.
    return alike[0] if alike and len({option.text for option in alike}) == 1 else None


def _of_text(text: str, options: Sequence[Option]) -> list[Option]:
    return [option for option in options if option.text == text]


def _of_letter(text: str, options: Sequence[Option]) -> list[Option]:
    letter = _LETTER.fullmatch(text)
    return [option for option in options if letter and option.letter == letter[1]]


def _of_same_words(text: str, options: Sequence[Option]) -> list[Option]:
    """Return the options that differ from a label in case and signs alone; none for a label of signs."""
    words = _WORD.findall(text.casefold())
    return [option for option in options if words and _WORD.findall(option.text.casefold()) == words]


def _unread(texts: Sequence[str], *, twins: Sequence[str] = ()) -> ParsedKey:
    answer_text = ", ".join(texts)
    why = f"The options {', '.join(twins)} have the same text." if twins else "No option has this text."
    message = f"The right answer '{answer_text}' cannot be read: {why}"
    return ParsedKey(
        answer_text,
        (ImportedFlag(kind="key_unreadable", field="answer_key", message=message, severity="error"),),
    )


def _map_type(text: str) -> str:
    found = _MAP_TYPE.search(text)
    return found[0].lower() if found else ""
