"""Statistics of a project: the output of ``stats`` and of the Release workspace.

One pass over the items in bounded memory: lengths are kept as histograms, never as lists.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import msgspec

from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.domain.text_search import count_words
from annotator.progress import Progress
from annotator.queries.item_queries import ItemGroup
from annotator.queries.reader import Reader
from annotator.release.exporter import EVERYTHING, selected_items

STEP = 500
"""Records counted between two updates of the progress."""


_Counted = tuple[ItemGroup, str, str, int, int]
"""What is counted of an item: task set, task and state; answer format, key letter, words, options."""

_DECODER: msgspec.json.Decoder[Any] = msgspec.json.Decoder(
    msgspec.defstruct(
        "CountedItem",
        [
            (field.name, field.type, field.default)
            for field in msgspec.structs.fields(Item)
            if field.name
            in ("task_set", "task", "state", "question", "answer_format", "answer_key", "options")
        ],
        kw_only=True,
        gc=False,
    )
)


@dataclass
class Lengths:
    """A histogram of whole numbers that provides minimum, median, mean and maximum."""

    counts: Counter[int] = field(default_factory=Counter)

    def add(self, length: int, *, times: int = 1) -> None:
        """Count one more, or several of the same."""
        self.counts[length] += times

    @property
    def mean(self) -> float:
        """The mean, 0.0 without values."""
        total = self.counts.total()
        return sum(length * n for length, n in self.counts.items()) / total if total else 0.0

    @property
    def median(self) -> float:
        """The median: for an even count the mean of the two middle values; 0.0 without values."""
        total = self.counts.total()
        return (self._at((total - 1) // 2) + self._at(total // 2)) / 2 if total else 0.0

    def to_json(self) -> dict[str, float]:
        """Return minimum, median, mean (two decimals) and maximum, zeros without values."""
        lowest, highest = min(self.counts, default=0), max(self.counts, default=0)
        return {"min": lowest, "median": self.median, "mean": round(self.mean, 2), "max": highest}

    def _at(self, rank: int) -> int:
        seen = 0
        for length in sorted(self.counts):
            seen += self.counts[length]
            if seen > rank:
                return length
        raise IndexError(rank)


@dataclass
class TaskStatistics:
    """Statistics of the items of one task.

    Attributes:
        items: Number of items.
        states: Items per state.
        answer_formats: Items per answer format.
        letters: Items per answer key, for items that are answered with one option's letter.
        words: Words per question, options left out; a Chinese character is a word.
        options: Options per item.
    """

    items: int = 0
    states: Counter[str] = field(default_factory=Counter)
    answer_formats: Counter[str] = field(default_factory=Counter)
    letters: Counter[str] = field(default_factory=Counter)
    words: Lengths = field(default_factory=Lengths)
    options: Lengths = field(default_factory=Lengths)

    def add(self, item: Item) -> None:
        """Count one item."""
        self.add_alike(_counted(item), times=1)

    def add_alike(self, counted: _Counted, *, times: int) -> None:
        """Count items of which everything that is counted is the same."""
        (_, _, state), answer_format, letter, words, options = counted
        self.items += times
        self.states[state] += times
        self.answer_formats[answer_format] += times
        if letter:
            self.letters[letter] += times
        self.words.add(words, times=times)
        self.options.add(options, times=times)

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as a JSON object."""
        return {
            "items": self.items,
            "states": _sorted(self.states),
            "answer_formats": _sorted(self.answer_formats),
            "letters": _sorted(self.letters),
            "words": self.words.to_json(),
            "options": {str(n): count for n, count in sorted(self.options.counts.items())},
        }


@dataclass(frozen=True, kw_only=True)
class StatisticsTable:
    """A table ready to print.

    Attributes:
        title: Title of the table.
        head: Names of the columns.
        rows: Cells, one tuple a row.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """Statistics of a project, or of a selection of its items.

    Attributes:
        tasks: Statistics per task set and task, in order of their names.
        records: Records of each kind in the whole project.
        annotation: Scenes of the whole project per state of their annotation.
        views: Views over all scenes.
        media_unseen: Media whose file was never found.
        open_flags: Open flags of the whole project per kind.
    """

    tasks: Mapping[tuple[str, str], TaskStatistics]
    records: Mapping[str, int]
    annotation: Mapping[str, int]
    views: int
    media_unseen: int
    open_flags: Mapping[str, int]

    @property
    def items(self) -> int:
        """Number of items counted."""
        return sum(task.items for task in self.tasks.values())

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as the object that ``stats --json`` prints."""
        sets: dict[str, dict[str, Any]] = {}
        for (task_set, task), numbers in self.tasks.items():
            sets.setdefault(task_set, {})[task] = numbers.to_json()
        states = sum((task.states for task in self.tasks.values()), Counter[str]())
        formats = sum((task.answer_formats for task in self.tasks.values()), Counter[str]())
        return {
            "items": self.items,
            "scenes": self.records["scene"],
            "annotation": dict(self.annotation),
            "views": self.views,
            "event_labels": self.records["event_label"],
            "regions": self.records["region"],
            "sources": self.records["source"],
            "releases": self.records["release"],
            "media": {"known": self.records["medium"], "unseen": self.media_unseen},
            "open_flags": dict(self.open_flags),
            "states": _sorted(states),
            "answer_formats": _sorted(formats),
            "task_sets": sets,
        }

    def tables(self) -> list[StatisticsTable]:
        """Return the statistics as tables; empty tables are omitted."""
        tables = [self._project_table(), self._task_table(), self._flag_table()]
        return [table for table in tables if table.rows]

    def _project_table(self) -> StatisticsTable:
        numbers = {
            "Items": self.items,
            "Scenes": self.records["scene"],
            "Scenes finished": self.annotation.get("finished", 0),
            "Views": self.views,
            "Event labels": self.records["event_label"],
            "Media": self.records["medium"],
            "Media files not in the project": self.media_unseen,
            "Sources": self.records["source"],
            "Releases": self.records["release"],
        }
        rows = tuple((name, str(n)) for name, n in numbers.items())
        return StatisticsTable(title="Project", head=("What", "Number"), rows=rows)

    def _task_table(self) -> StatisticsTable:
        head = ("Task set", "Task", "Items", "States", "Keys", "Words", "Options")
        rows = tuple(_task_row(task_set, task, n) for (task_set, task), n in self.tasks.items())
        return StatisticsTable(title="Items per task", head=head, rows=rows)

    def _flag_table(self) -> StatisticsTable:
        rows = tuple((kind, str(n)) for kind, n in self.open_flags.items())
        return StatisticsTable(title="Open flags", head=("Kind", "Number"), rows=rows)


def statistics(reader: Reader, *, selection: ItemQuery = EVERYTHING, progress: Progress) -> Statistics:
    """Count a project.

    Args:
        reader: The project.
        selection: The filter that chooses the items.
        progress: Advanced once per record.

    Raises:
        Cancelled: The user cancelled the operation.
    """
    progress.begin("Counting items", total=reader.items.count(selection))
    tasks = _tasks(_items(reader, selection), progress=progress)
    progress.end()
    datasets = reader.progress.datasets()
    annotation = sum((Counter(dataset.annotations) for dataset in datasets), Counter[str]())
    return Statistics(
        tasks=dict(sorted(tasks.items())),
        records=reader.counts(),
        annotation=_sorted(annotation),
        views=sum(dataset.views for dataset in datasets),
        media_unseen=reader.media.unseen_count(),
        open_flags=reader.open_flag_counts(),
    )


def _items(reader: Reader, selection: ItemQuery) -> Iterator[_Counted]:
    if selection != EVERYTHING:
        yield from map(_counted, selected_items(reader, selection))
        return
    for group, answer_format, shape, question, record in reader.items.stream_columns():
        if shape is None:
            yield _counted(_DECODER.decode(record or b"{}"))
        else:
            # Letter of the key, number of options, place of the longest one (``domain.item``).
            options = int(shape[1:-1])
            yield group, answer_format, shape[0], count_words(question), options


def _tasks(items: Iterator[_Counted], *, progress: Progress) -> dict[tuple[str, str], TaskStatistics]:
    # Items of which everything is the same are counted at once: of a million there are some thousand kinds.
    alike: Counter[_Counted] = Counter()
    while counted := list(islice(items, STEP)):
        alike.update(counted)
        progress.step(len(counted))
    tasks: defaultdict[tuple[str, str], TaskStatistics] = defaultdict(TaskStatistics)
    for one, times in alike.items():
        task_set, task, _ = one[0]
        tasks[task_set, task].add_alike(one, times=times)
    return tasks


def _counted(item: Item) -> _Counted:
    is_letter = item.answer_format == "option_letter" and len(item.answer_key) == 1
    letter = item.answer_key if is_letter else ""
    words, options = count_words(item.question), len(item.options)
    return (item.task_set, item.task, item.state), item.answer_format, letter, words, options


def _task_row(task_set: str, task: str, numbers: TaskStatistics) -> tuple[str, ...]:
    words = numbers.words.to_json()
    lengths = f"{words['min']:g} to {words['max']:g}, median {words['median']:g}, mean {words['mean']:g}"
    options = ", ".join(f"{n}: {count}" for n, count in sorted(numbers.options.counts.items()))
    return (
        task_set,
        task or "(none)",
        str(numbers.items),
        _listed(numbers.states),
        _listed(numbers.letters),
        lengths,
        options,
    )


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{value} {n}" for value, n in sorted(counts.items()))


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))
