"""Reads UrbanVideo-Bench's tables: MCQ files, result files and the drafts of its scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import msgspec

from annotator.domain import tasksets
from annotator.domain.item import LETTERS, Item, Option, Provenance
from annotator.domain.task_set import Task
from annotator.errors import UserError
from annotator.sources.answer_keys import options_missing, read_key
from annotator.sources.csv_text import CsvRow, CsvText, header_of
from annotator.sources.fields import Fields, RecordFault
from annotator.sources.found import Found, FoundFlag, FoundMedium, FoundScene, ImportKeys, Rejected
from annotator.sources.input_file import InputFile
from annotator.sources.item_parts import ItemNames, medium_of, task_flags
from annotator.sources.registry import ReadContext, Reader

TASK_SET = "urbanvideo"
DATASET = "UrbanVideo-Bench"
VIEW = "UAV1"

# Published column, and its name in the drafts of the Basic and the Goal and Route scripts.
_COLUMNS = {
    "question_id": "id",
    "video_id": "video",
    "video_name": "video",
    "question_category": "category",
    "question": "question",
    "answer": "answer",
    "extracted_answer": "answer",
}
_NEEDED = {"video": "video_id", "category": "question_category", "question": "question", "answer": "answer"}
_PREFIX = re.compile(r"\s*Question\s*[:：]\s*", re.IGNORECASE)
# The published files write Choices, Choice, choose, Options, Option and Choose.
_SEPARATOR = re.compile(
    r"^[ \t]*(?:choices?|choose|options?)[ \t]*[:：][ \t]*$", re.IGNORECASE | re.MULTILINE
)
_OPTION = re.compile(r"[ \t]*([A-I])[ \t]*[.)．、:：][ \t]*(.*)")
_NOT_FOUND = "not found"


class UrbanVideo(Reader):
    """Takes UrbanVideo-Bench's questions in as items, one scene per video."""

    id = "urbanvideo"
    title = "UrbanVideo-Bench questions, CSV"

    def recognises(self, file: InputFile) -> bool:
        """Look for the columns of a question."""
        return not _missing_columns(header_of(file.head))

    def read(self, file: InputFile, *, context: ReadContext) -> Iterator[Found | Rejected]:
        """Yield the items in the file's order."""
        header = header_of(file.text)
        if missing := _missing_columns(header):
            raise UserError(f"{file.name} has no column {', '.join(missing)}.", hint="See docs/formats.md.")
        columns = _columns(header)
        needed = [columns[role] for role in _NEEDED]
        table = CsvText(file.text, needed=needed, begins_row=partial(_begins_row, columns=columns))
        rows = _Rows(file, columns=columns, table=table, dataset=context.dataset or DATASET)
        context.progress.begin(f"Importing {file.name}")
        for row in table.rows():
            context.progress.step()
            locator = f"row {row.number}"
            try:
                yield rows.found(row, locator=locator)
            except RecordFault as fault:
                yield Rejected(line=row.line, locator=locator, field=fault.field, message=fault.message)


class _Rows:
    """The rows of one file."""

    def __init__(self, file: InputFile, *, columns: dict[str, str], table: CsvText, dataset: str) -> None:
        self._file = file
        self._columns = columns
        self._table = table
        self._dataset = dataset
        self._task_set = tasksets.builtin(TASK_SET)
        self._names = ItemNames()
        self._keys = ImportKeys(format_id=UrbanVideo.id, dataset=dataset)

    def found(self, row: CsvRow, *, locator: str) -> Found:
        """Return one row as an item.

        Raises:
            RecordFault: It is none.
        """
        if row.fault:
            raise RecordFault(row.field, row.fault)
        fields = Fields(dict(row.cells))
        self._note_spelling(row, fields=fields)
        medium = self._medium(fields)
        stem = medium.name.rpartition(".")[0] or medium.name
        # The scripts' drafts have no column of ids.
        text = fields.text(self._columns["id"]) if "id" in self._columns else None
        name, flags = self._names.name_of(text, made_up=f"{stem} {locator}", locator=locator, fields=fields)
        category = fields.text(self._columns["category"]) or ""
        task = self._task(category, fields=fields)
        flags += task_flags(task, text=category, task_set=self._task_set)
        asked = _question(fields.required_text(self._columns["question"]), fields=fields)
        answer = _answer(fields.text(self._columns["answer"]))
        key = read_key(answer, answer_format="option_letter", options=asked.options, fields=fields)
        original = msgspec.json.encode(row.original)
        item = Item(
            name=name,
            task_set=TASK_SET,
            task=task.id if task else "",
            question=asked.stem,
            options=asked.options,
            answer_format="option_letter",
            key=key.text,
            provenance=Provenance(made_by="import", maker=UrbanVideo.id, locator=locator),
            original=msgspec.Raw(original),
            normalised=tuple(fields.normalised),
            extras=fields.rest() if task else {**fields.rest(), "question_category": category},
            import_key=self._keys.key_of(original),
        )
        return Found(
            record=item,
            line=row.line,
            dataset=self._dataset,
            media=(medium,),
            scene=FoundScene(name=stem, views=(medium,)),
            flags=(*flags, *asked.flags, *key.flags),
        )

    def _task(self, category: str, *, fields: Fields) -> Task | None:
        task = self._task_set.find(category)
        if task is not None and category != task.title.en:
            fields.note("task", original=category, value=task.id, reason="another name of the task")
        return task

    def _note_spelling(self, row: CsvRow, *, fields: Fields) -> None:
        if self._table.is_chinese_legacy:
            reason = "the file is in a Chinese legacy encoding"
            fields.note("", original="GB 2312", value="UTF-8", reason=reason)
        for name, cell in row.cells.items():
            if cell != row.original[name]:
                reason = "an apostrophe that keeps spreadsheet programs from running the cell"
                fields.note(name, original=row.original[name], value=cell, reason=reason)

    def _medium(self, fields: Fields) -> FoundMedium:
        column = self._columns["video"]
        video = fields.required_text(column).strip()
        return medium_of(video, field=column, view=VIEW, kind="video", fields=fields)


@dataclass(frozen=True, slots=True)
class SplitQuestion:
    """The text of one cell, taken apart.

    Attributes:
        stem: The question alone.
        options: Its choices.
        flags: What is wrong with it.
    """

    stem: str
    options: tuple[Option, ...]
    flags: tuple[FoundFlag, ...] = ()

    def as_published(self) -> str:
        """Return the cell in its clean form."""
        choices = "".join(f"{option.letter}. {option.text}  \n" for option in self.options)
        return f"Question: {self.stem}  \nchoose:  \n{choices}"


def split_question(text: str) -> SplitQuestion:
    """Return stem and options of a question that holds both, blanks at the ends of lines left out."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    plain = _PREFIX.sub("", "\n".join(lines).strip(), count=1)
    # Stems may hold such words on a line of their own; the options come after the last one.
    separators = list(_SEPARATOR.finditer(plain))
    start = separators[-1] if separators else _first_option(plain)
    if start is None:
        return SplitQuestion(plain, (), (options_missing(),))
    stem, tail = plain[: start.start()].rstrip(), plain[start.end() if separators else start.start() :]
    options = _options(tail)
    return SplitQuestion(stem, options, tuple(_option_flags(options)))


def _first_option(plain: str) -> re.Match[str] | None:
    """Return where options begin that no separator announces: at an A with a B on the next line."""
    return re.search(r"^[ \t]*A[.)．、:：].*\n(?=[ \t]*B[.)．、:：])", plain, re.MULTILINE)


def _options(tail: str) -> tuple[Option, ...]:
    options: list[Option] = []
    for line in tail.strip().split("\n"):
        found = _OPTION.fullmatch(line)
        if found is not None:
            options.append(Option(letter=found[1], text=found[2].strip()))
        elif options and line.strip():
            # A line without a letter goes on with the option above.
            last = options.pop()
            options.append(Option(letter=last.letter, text=f"{last.text}\n{line.strip()}".strip()))
    return tuple(options)


def _option_flags(options: tuple[Option, ...]) -> Iterator[FoundFlag]:
    letters = "".join(option.letter for option in options)
    if not options:
        yield options_missing()
    elif letters != LETTERS[: len(letters)]:
        message = f"The options have the letters {', '.join(letters)}."
        yield FoundFlag(kind="option_letters_odd", field="options", message=message)
    if empty := [option.letter for option in options if not option.text]:
        message = f"The options {', '.join(empty)} have no text."
        yield FoundFlag(kind="option_empty", field="options", message=message, severity="error")


def _question(text: str, *, fields: Fields) -> SplitQuestion:
    asked = split_question(text)
    if asked.as_published().rstrip("\n") != text.rstrip("\n"):
        reason = "separator word, blanks and line ends in the clean form"
        fields.note("question", original=text, value=asked.stem, reason=reason)
    return asked


def _answer(text: str | None) -> str | None:
    # The scripts write this where they found no letter in a draft.
    return None if text is None or text.strip().casefold() == _NOT_FOUND else text


def _columns(header: list[str]) -> dict[str, str]:
    """Return the name of the column that plays each role; the first one counts."""
    columns: dict[str, str] = {}
    for name in header:
        if role := _COLUMNS.get(name.strip().casefold()):
            columns.setdefault(role, name.strip())
    return columns


def _missing_columns(header: list[str]) -> list[str]:
    columns = _columns(header)
    return [name for role, name in _NEEDED.items() if role not in columns]


def _begins_row(cells: dict[str, str], *, columns: dict[str, str]) -> bool:
    """Tell whether a line can begin a row: it reaches the question and has an id or a known task."""
    # A question's cell goes on below, so that its line ends before the answer.
    if columns["question"] not in cells or not cells.get(columns["video"], "").strip():
        return False
    if cells.get(columns.get("id", ""), "").strip().isdecimal():
        return True
    return tasksets.builtin(TASK_SET).find(cells.get(columns["category"], "")) is not None


READER = UrbanVideo()
