"""The form of UrbanVideo-Bench: a CSV table with one question a row, its options inside the question's text.

Source: UrbanVideo-Bench, ``MCQ.parquet`` and the CSV files that its scripts write.
"""

from __future__ import annotations

import re

from annotator.domain import task_set_files
from annotator.domain.item import LETTERS, Item
from annotator.release.answer_keys import canonical_key
from annotator.release.cells import INDEX_COLUMN, can_head, csv_line, value_text
from annotator.release.exporter import ItemExporter, refusal_of
from annotator.release.media_names import is_safe_path
from annotator.release.release_filter import WithholdReason
from annotator.release.release_folder import ReleaseFolder
from annotator.release.release_items import RecordLookup, ReleaseItems
from annotator.release.variant_fields import extra_names, extras_of

FILE = "MCQ.csv"
TASK_SET = "urbanvideo"
COLUMNS = ("Question_id", "video_id", "question_category", "question", "answer")
SEPARATOR = "choose:"
"""One of six spellings in the published file; this exporter always writes this one."""
RESERVED = {*map(str.casefold, COLUMNS), "video_name", "extracted_answer"}
"""Names, in any case, of columns that identify a row in published tables and drafts."""
END = "  \n"
"""Lines of the published file end in two spaces."""

_SEPARATOR = re.compile(r"[ \t]*(?:choices?|choose|options?)[ \t]*[:：][ \t]*", re.IGNORECASE)
_OPTION = re.compile(r"[ \t]*[A-I][ \t]*[.)．、:：]")


class UrbanVideoExporter(ItemExporter):
    """Questions in the shape of UrbanVideo-Bench's table."""

    id = "urbanvideo"
    title = "UrbanVideo-Bench questions (CSV)"
    files = (
        "MCQ.csv: Question_id, video_id, question_category, question with its options, answer, extra columns"
    )
    limits = (
        "Contains items of the task set urbanvideo with a known task, exactly one clip, options that can be "
        "separated within one text, and one of their letters as answer key."
    )
    can_hide_keys = True

    def write_members(self, members: ReleaseItems[Item], *, folder: ReleaseFolder) -> None:
        """Write the table; a first pass collects the extra columns, since every row has all of them."""
        extras = sorted({name for item in members for name in extra_names(item)} - {INDEX_COLUMN})
        file = folder.file(FILE)
        file.write(csv_line([*COLUMNS, *extras]))
        for item in members:
            file.write(csv_line(row_of(item, lookup=members.lookup, extras=extras)), records=1)

    def refusal(self, record: Item, *, lookup: RecordLookup) -> WithholdReason | None:
        """Return why the form cannot represent an item, None if it can."""
        if record.task_set != TASK_SET:
            return refusal_of("task_set", f"The item belongs to the task set {record.task_set}.")
        if not record.task:
            return refusal_of("task", "The task is unknown, so the category cannot be written.")
        media = lookup.media_of(record) or ()
        if len(media) != 1 or not is_safe_path(media[0].name):
            return refusal_of("media", "The item does not have exactly one clip with a plain name.")
        return _column_refusal(record) or _option_refusal(record) or _text_refusal(record)


def row_of(item: Item, *, lookup: RecordLookup, extras: list[str]) -> list[str]:
    """Return the cells of an item's row."""
    media = lookup.media_of(item) or ()
    category = task_set_files.builtin(TASK_SET).task(item.task).title.en
    cells = [item.name, media[0].name, category, question_text(item), canonical_key(item)]
    known = extras_of(item, lookup=lookup)
    return cells + [value_text(known.get(name, "")) for name in extras]


def question_text(item: Item) -> str:
    """Return stem and options as the one text that the published table has."""
    lines = [f"Question: {_clean(item.question)}", SEPARATOR]
    lines += [f"{option.letter}. {_clean_option(option.text)}" for option in item.options]
    return "".join(line + END for line in lines)


def _clean(text: str) -> str:
    """Return a text without spaces at line ends and around it."""
    return "\n".join([line.rstrip() for line in text.split("\n")]).strip()


def _clean_option(text: str) -> str:
    """Return an option's text without spaces around its lines and without blank lines."""
    return "\n".join([line.strip() for line in text.split("\n") if line.strip()])


def _column_refusal(item: Item) -> WithholdReason | None:
    if not item.name or item.name != item.name.strip():
        return refusal_of("name", "The public id is empty or has leading or trailing spaces.")
    if odd := [
        name for name in item.extras if name != INDEX_COLUMN and not can_head(name, reserved=RESERVED)
    ]:
        return refusal_of(
            "extras", f"The item has extra fields whose names cannot be column names: {', '.join(odd)}."
        )
    return None


def _option_refusal(item: Item) -> WithholdReason | None:
    letters = [option.letter for option in item.options]
    if len(letters) < 2 or len(set(letters)) < len(letters) or not set(letters) <= set(LETTERS):
        return refusal_of(
            "options", f"The options are {', '.join(letters) or 'none'}; at least two are required."
        )
    if canonical_key(item) not in letters:
        return refusal_of("answer_key", f"The answer key {item.answer_key!r} is not among the options.")
    return None


def _text_refusal(item: Item) -> WithholdReason | None:
    """Return a refusal for a text that could not be split into stem and options again."""
    # A stem may contain a separator too: readers use the last one, which is always the exporter's.
    lines = [line for option in item.options for line in _clean_option(option.text).split("\n")[1:]]
    firsts = [_clean_option(option.text).split("\n")[0] for option in item.options]
    if any(_SEPARATOR.fullmatch(line) or _OPTION.match(line) for line in lines):
        return refusal_of("text", "A line inside an option looks like the start of the options.")
    if not _clean(item.question) or not all(firsts) or "\r" in question_text(item):
        return refusal_of("text", "The question or an option is empty, or contains a carriage return.")
    return None
