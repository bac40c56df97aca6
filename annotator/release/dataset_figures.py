"""The distributions that papers of benchmarks print, as bars with the items behind each of them.

Source: UrbanVideo-Bench, Table 4 (issue classes) and Figure 2 (frames, path lengths, words); SpatialUAV, its
figures of tasks, answers and regions per image.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import get_args

from annotator.domain.item import IssueClass, Item
from annotator.domain.medium import VIDEO_TYPES, Medium
from annotator.domain.query import ItemQuery, qualified_task
from annotator.domain.record import ValueObject
from annotator.domain.region import Region
from annotator.domain.text_search import count_words, words_of
from annotator.domain.trajectory import Trajectory
from annotator.errors import EnvironmentFailure
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.release.cells import csv_line
from annotator.release.hidden_keys import HiddenItems

MOST_WORDS = 40
"""Words of a figure: those that most items have."""
SHORTEST_WORD = 3
"""Letters of a word that is counted; Chinese characters are counted alone."""
MOST_IDS = 500
"""Items behind a bar that are listed; the bar counts all."""
MOST_ANSWERS = 24
BINS = 12
CLOSED_FORMATS = frozenset({"option_letter", "clock", "direction_label"})
"""Answer formats with few different answers, whose distribution is a figure."""


class FigureBar(ValueObject, frozen=True, kw_only=True):
    """One bar.

    Attributes:
        name: A name, or an interval such as ``10 to 19``.
        count: Items, or records.
        share: Of all that the figure counts, 0 to 1.
        query: The items behind it, None where it counts other records.
    """

    name: str
    count: int
    share: float
    query: ItemQuery | None = None


class DatasetFigure(ValueObject, frozen=True, kw_only=True):
    """One figure.

    Attributes:
        id: Name of its files.
        subject: What is shown: ``items``, ``words`` and so on; the window has a title for each.
        unit: Unit of the intervals, "" for names.
        bars: The bars in their order.
        task: The task that it is about, as ``set/task``; "" for all.
    """

    id: str
    subject: str
    unit: str
    bars: tuple[FigureBar, ...]
    task: str = ""


class _Values:
    """A whole number of each of many items, in memory that does not grow with the items."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._ids: defaultdict[int, list[str]] = defaultdict(list)

    def add(self, value: float, item: str = "") -> None:
        """Count a value, without its part after the point; "" for no item."""
        at = int(value)
        self._counts[at] += 1
        if item and len(self._ids[at]) < MOST_IDS:
            self._ids[at].append(item)

    def bars(self) -> tuple[FigureBar, ...]:
        """Return intervals of equal width, whole numbers wide."""
        if not self._counts:
            return ()
        low, high = min(self._counts), max(self._counts)
        width = max(1, math.ceil((high - low + 1) / BINS))
        return tuple(self._bar(range(start, start + width)) for start in range(low, high + 1, width))

    def _bar(self, values: range) -> FigureBar:
        count = sum(self._counts[value] for value in values)
        ids = tuple(item for value in values for item in self._ids.get(value, ()))[:MOST_IDS]
        name = str(values[0]) if len(values) == 1 else f"{values[0]} to {values[-1]}"
        query = ItemQuery(ids=ids) if ids else None
        return FigureBar(name=name, count=count, share=count / self._counts.total(), query=query)


class _Counts:
    """Numbers of items by name."""

    def __init__(self) -> None:
        self._ids: dict[str, list[str]] = {}
        self._counts: Counter[str] = Counter()
        self.total = 0

    def add(self, name: str, item: str) -> None:
        self._counts[name] += 1
        ids = self._ids.setdefault(name, [])
        if len(ids) < MOST_IDS:
            ids.append(item)

    def bars(self, *, most: int | None = None, names: Iterable[str] = ()) -> tuple[FigureBar, ...]:
        """Return the bars of some names in their order, or the most frequent first."""
        chosen = [(name, self._counts[name]) for name in names] or sorted(
            self._counts.items(), key=lambda pair: (-pair[1], pair[0])
        )
        total = self.total or self._counts.total()
        if not total:
            return ()
        return tuple(
            FigureBar(
                name=name,
                count=count,
                share=count / total,
                query=ItemQuery(ids=tuple(self._ids[name])) if count else None,
            )
            for name, count in chosen[:most]
        )


class _Collector:
    """Everything that one pass over the items counts."""

    def __init__(self, reader: Reader, *, hidden: HiddenItems | None) -> None:
        self._reader = reader
        self.hidden = hidden
        self._frames: dict[str, int] = {}
        self._paths: dict[tuple[str, str], float | None] = {}
        self.classes, self.tasks = _Counts(), _Counts()
        self.frames, self.paths, self.words = _Values(), _Values(), _Values()
        self.words_by_task: defaultdict[str, _Values] = defaultdict(_Values)
        self.answers: defaultdict[str, _Counts] = defaultdict(_Counts)
        self.question_words, self.option_words = _Counts(), _Counts()

    def add(self, item: Item) -> None:
        task, words = qualified_task(item.task_set, item.task), words_of(item.question)
        self.tasks.add(task, item.id)
        self.classes.total += 1
        for name in item.issue_classes:
            self.classes.add(name, item.id)
        count = count_words(item.question)
        self.words.add(count, item.id)
        self.words_by_task[task].add(count, item.id)
        if item.answer_format in CLOSED_FORMATS and item.answer_key:
            self.answers[task].add(item.answer_key, item.id)
        self._add_words(item, words)
        self._add_media(item)

    def _add_words(self, item: Item, words: list[str]) -> None:
        self.question_words.total += 1
        for word in {word for word in words if _is_counted(word)}:
            self.question_words.add(word, item.id)
        # The share of a word is that of the items that have options.
        self.option_words.total += bool(item.options)
        options = {word for option in item.options for word in words_of(option.text) if _is_counted(word)}
        for word in options:
            self.option_words.add(word, item.id)

    def _add_media(self, item: Item) -> None:
        if frames := sum(map(self._frames_of, item.media)):
            self.frames.add(frames, item.id)
        if (length := self._path_of(item)) is not None:
            self.paths.add(length, item.id)

    @property
    def media(self) -> Container[str]:
        """Ids of the media that the items show."""
        return self._frames.keys()

    def _frames_of(self, medium: str) -> int:
        if medium not in self._frames:
            found = self._reader.get(Medium, medium)
            is_video = found is not None and found.media_type in VIDEO_TYPES
            self._frames[medium] = found.frames if found is not None and is_video else 0
        return self._frames[medium]

    def _path_of(self, item: Item) -> float | None:
        key = (item.scene, item.view)
        if self.hidden is not None and item.scene in self.hidden.scenes:
            return None
        if key not in self._paths:
            found = list(self._reader.find(Trajectory, scene=item.scene)) if item.scene else []
            own = [each for each in found if not item.view or each.view in {"", item.view}]
            # Of several flights, nothing says which one the item shows.
            self._paths[key] = path_length_m(own[0]) if len(own) == 1 else None
        return self._paths[key]


def path_length_m(trajectory: Trajectory) -> float:
    """Return the length of the way between the poses of a trajectory, metres."""
    points = [(pose.x_m, pose.y_m, pose.z_m) for pose in trajectory.poses]
    return sum(math.dist(one, other) for one, other in itertools.pairwise(points))


def dataset_figures(
    reader: Reader,
    *,
    items: Iterable[Item] | None = None,
    hidden: HiddenItems | None = None,
    progress: Progress,
) -> list[DatasetFigure]:
    """Return the figures of items; those without any value are left out.

    Args:
        reader: The project.
        items: The items, None for all of the project that are in use.
        hidden: Those whose answer keys are hidden: annotations of what they show are not counted.
        progress: Counts the items; may cancel.

    Raises:
        Cancelled: The user stopped it.
    """
    collector = _Collector(reader, hidden=hidden)
    progress.begin("Counting items", total=reader.counts()["item"])
    for item in reader.find(Item) if items is None else items:
        progress.step()
        if items is not None or item.state != "rejected":
            collector.add(item)
    progress.end()
    shown = None if items is None else collector.media
    return [figure for figure in _figures(reader, collector, shown) if any(bar.count for bar in figure.bars)]


def _figures(reader: Reader, found: _Collector, shown: Container[str] | None) -> Iterator[DatasetFigure]:
    yield _figure("issue_classes", found.classes.bars(names=get_args(IssueClass)))
    yield _figure("items", found.tasks.bars())
    yield _figure("frames", found.frames.bars(), unit="frames")
    yield _figure("path", found.paths.bars(), unit="m")
    yield _figure("words", found.words.bars(), unit="words")
    yield _figure("question_words", found.question_words.bars(most=MOST_WORDS))
    yield _figure("option_words", found.option_words.bars(most=MOST_WORDS))
    yield _figure("regions", _regions_per_image(reader, shown, found.hidden), unit="regions")
    for task, values in sorted(found.words_by_task.items()):
        if len(found.words_by_task) > 1:
            yield _figure("words", values.bars(), unit="words", task=task)
    for task, counts in sorted(found.answers.items()):
        yield _figure("answers", counts.bars(most=MOST_ANSWERS), task=task)


def _regions_per_image(
    reader: Reader, shown: Container[str] | None, hidden: HiddenItems | None
) -> tuple[FigureBar, ...]:
    numbers: defaultdict[str, set[int]] = defaultdict(set)
    for region in reader.find(Region):
        is_hidden = hidden is not None and region.medium in hidden.media
        if not is_hidden and (shown is None or region.medium in shown):
            numbers[region.medium].add(region.number)
    values = _Values()
    for found in numbers.values():
        values.add(len(found))
    return values.bars()


def _figure(subject: str, bars: tuple[FigureBar, ...], *, unit: str = "", task: str = "") -> DatasetFigure:
    name = "-".join(filter(None, (subject, task.replace("/", "-"))))
    return DatasetFigure(id=name, subject=subject, unit=unit, bars=bars, task=task)


def write_figures(figures: Iterable[DatasetFigure], folder: Path) -> list[Path]:
    """Write each figure as a table of comma-separated values, and return the files.

    Raises:
        EnvironmentFailure: A file cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [_write(figure, folder / f"{figure.id}.csv") for figure in figures]
    except OSError as error:
        raise EnvironmentFailure(f"{folder} cannot be written: {error.strerror}.") from error


def _write(figure: DatasetFigure, path: Path) -> Path:
    rows = [(figure.unit or "name", "count", "share")]
    rows += [(bar.name, str(bar.count), f"{bar.share:.4f}") for bar in figure.bars]
    path.write_bytes(b"".join(map(csv_line, rows)))
    return path


def _is_counted(word: str) -> bool:
    return not word.isascii() or (len(word) >= SHORTEST_WORD and not word.isdecimal())
