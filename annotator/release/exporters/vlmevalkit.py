"""The form of VLMEvalKit: per task set a table with tabs, one question a row, options in columns.

Source: VLMEvalKit, "Develop new benchmark": columns ``index``, ``question``, ``A`` and so on, ``answer``,
``category``, ``split`` and ``image_path``, in which several paths are a list as Python prints it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count

from annotator.domain import task_set_files
from annotator.domain.item import LETTERS, Item
from annotator.domain.medium import VIDEO_TYPES
from annotator.release.answer_keys import canonical_key
from annotator.release.cells import INDEX_COLUMN, can_head, tsv_line, value_text
from annotator.release.exporter import ItemExporter, refusal_of
from annotator.release.item_refusals import letters_refusal, media_refusal, text_refusal
from annotator.release.json_sheet import file_stem
from annotator.release.media_names import release_paths
from annotator.release.release_filter import WithholdReason
from annotator.release.release_folder import ReleaseFile, ReleaseFolder
from annotator.release.release_items import RecordLookup, ReleaseItems
from annotator.release.variant_fields import extra_names, extras_of

COLUMNS = ("index", "item_id", "task_set", "category", "split")
SPLIT = "split"
USUAL_SPLIT = "test"
PATHS = {"image": "image_path", "video": "video_path"}
"""Column of the paths by kind of media; a table has one of them."""
# Not the split: that of a source is an extra field, and has its column.
RESERVED = frozenset(
    {*COLUMNS, *PATHS, *PATHS.values(), *map(str.casefold, LETTERS), "question", "answer"} - {SPLIT}
)
MISSING = frozenset(
    {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A",
     "NA", "NULL", "NaN", "None", "n/a", "nan", "null"}
)  # fmt: skip
"""Cells that pandas, with which VLMEvalKit reads its tables, takes for missing ones.

Source: pandas, ``read_csv``, ``na_values``.
"""


class VlmEvalKitExporter(ItemExporter):
    """Choices in the shape of VLMEvalKit's tables."""

    id = "vlmevalkit"
    title = "VLMEvalKit table (TSV)"
    files = (
        "per task set SET.tsv, or SET_video.tsv for videos: index, item_id, task_set, category, split, "
        "paths, question, A and so on, answer, extra columns"
    )
    limits = (
        "Contains items with options from A on, one of their letters as answer key, and images only or "
        "videos only. Texts that pandas reads as a missing cell, such as None, are not possible."
    )
    can_hide_keys = True

    def write_members(self, members: ReleaseItems[Item], *, folder: ReleaseFolder) -> None:
        """Write the tables; a first pass collects options and extra columns, since every row has all."""
        tables: dict[str, _Columns] = {}
        for item in members:
            tables.setdefault(_stem(item, lookup=members.lookup), _Columns()).add(item)
        sheets = {stem: _Table(folder.file(f"{stem}.tsv"), stem, tables[stem]) for stem in tables}
        for item in members:
            sheets[_stem(item, lookup=members.lookup)].add(item, lookup=members.lookup)

    def refusal(self, record: Item, *, lookup: RecordLookup) -> WithholdReason | None:
        """Return why the form cannot represent an item, None if it can."""
        if reason := media_refusal(record, lookup=lookup):
            return reason
        if len({medium.media_type in VIDEO_TYPES for medium in lookup.media_of(record) or ()}) > 1:
            return refusal_of("media", "The item shows both images and videos.")
        if reason := text_refusal(record, ids=[record.name, record.task_set]):
            return reason
        names = record.extras.keys() - {INDEX_COLUMN}
        if odd := sorted(name for name in names if not can_head(name, reserved=RESERVED)):
            return refusal_of(
                "extras", f"The item has extra fields whose names cannot be column names: {', '.join(odd)}."
            )
        return letters_refusal(record) or _choice_refusal(record)


class _Columns:
    """Options and extra columns of the items of one table."""

    def __init__(self) -> None:
        self.options = 0
        self._extras: set[str] = set()

    def add(self, item: Item) -> None:
        self.options = max(self.options, len(item.options))
        self._extras |= extra_names(item)

    @property
    def letters(self) -> str:
        return LETTERS[: self.options]

    @property
    def extras(self) -> Sequence[str]:
        return sorted(self._extras - {SPLIT, INDEX_COLUMN})


class _Table:
    """One table while it is written."""

    def __init__(self, file: ReleaseFile, stem: str, columns: _Columns) -> None:
        self._file, self._columns, self._numbers = file, columns, count(1)
        path = PATHS["video" if stem.endswith("_video") else "image"]
        file.write(tsv_line([*COLUMNS, path, "question", *columns.letters, "answer", *columns.extras]))

    def add(self, item: Item, *, lookup: RecordLookup) -> None:
        paths = release_paths(item, lookup=lookup) or ()
        cells = [str(next(self._numbers)), item.name, item.task_set, category_of(item)]
        cells += [value_text(item.extras.get(SPLIT, USUAL_SPLIT)), paths_text(paths), item.question]
        texts = {option.letter: option.text for option in item.options}
        cells += [texts.get(letter, "") for letter in self._columns.letters]
        cells += [canonical_key(item)]
        extras = extras_of(item, lookup=lookup)
        cells += [value_text(extras.get(name, "")) for name in self._columns.extras]
        self._file.write(tsv_line(cells), records=1)


def category_of(item: Item) -> str:
    """Return the title of an item's task, or its id in a task set of the project."""
    is_builtin = item.task_set in task_set_files.builtin_ids()
    task = task_set_files.builtin(item.task_set).find(item.task) if is_builtin else None
    return task.title.en if task else item.task


def paths_text(paths: Iterable[str]) -> str:
    """Return one path as it is, and several as a list as Python prints it."""
    listed = list(paths)
    # A path that begins with a bracket would be read as a list.
    is_plain = len(listed) == 1 and not listed[0].startswith("[")
    return listed[0] if is_plain else str(listed)


def _stem(item: Item, *, lookup: RecordLookup) -> str:
    is_video = any(medium.media_type in VIDEO_TYPES for medium in lookup.media_of(item) or ())
    return f"{file_stem(item.task_set)}{'_video' if is_video else ''}"


def _choice_refusal(item: Item) -> WithholdReason | None:
    # A list and not one text: the keys "" and "AB" are in the text "ABCD".
    letters = [option.letter for option in item.options]
    if item.answer_format != "option_letter" or canonical_key(item) not in letters:
        return refusal_of("answer_key", f"The answer key {item.answer_key!r} is not among the options.")
    texts = [item.question, *(option.text for option in item.options)]
    if lost := [text for text in texts if text in MISSING or not text.strip()]:
        return refusal_of(
            "text", f"Programs that read the table take the text {lost[0]!r} for a missing cell."
        )
    return None
