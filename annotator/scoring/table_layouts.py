"""The columns of tables of results: tasks in the form of each benchmark's paper, groups, formats or sources.

Sources: the main tables of UrbanVideo-Bench (arXiv 2503.06157), AirCopBench (arXiv 2511.11025), TopViewRS
(arXiv 2406.02537) and IndoorUAV (arXiv 2512.19024); the groups and their order are those of the task sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from annotator.domain.task_set import TaskSet
from annotator.domain.task_set_files import builtin, builtin_ids
from annotator.scoring.measures import MEASURES, RANK
from annotator.scoring.released_items import ReleasedItem
from annotator.scoring.score_tables import NO_VARIANT, UNKNOWN, variant_kind

Division = Literal["paper", "tasks", "groups", "formats", "sources", "variants"]
DIVISIONS: tuple[Division, ...] = ("paper", "tasks", "groups", "formats", "sources", "variants")
ColumnField = Literal["format", "view", "source", "variant", "difficulty"]
OVERALL = "Overall"
_Items = Sequence[ReleasedItem]
_VARIANT_TITLES = {
    NO_VARIANT: "Own items",
    "choice": "Multiple choice",
    "resolution": "Resolution",
    "map": "Map",
}
_FIELDS: Mapping[ColumnField, Callable[[ReleasedItem], str]] = {
    "format": lambda released: released.item.answer_format,
    "view": lambda released: released.item.view,
    "source": lambda released: released.footage or UNKNOWN,
    "variant": variant_kind,
    "difficulty": lambda released: released.difficulty,
}
_SOURCE_TITLES = {"real": "Real", "simulated": "Simulated", UNKNOWN: "Unknown"}


class TableColumn(msgspec.Struct, frozen=True, kw_only=True):
    """One column: which items it is about, and what it shows of them.

    Attributes:
        title: Its heading.
        heading: Heading of the columns that it belongs to, "" for none.
        measure: Id of a measure, or ``RANK``.
        tasks: Tasks of the items, without their task set; empty for all.
        part: Which value of ``field`` the items have, "" for all.
        field: What tells the items of the column apart from others.
    """

    title: str
    heading: str = ""
    measure: str = "score"
    tasks: tuple[str, ...] = ()
    part: str = ""
    field: ColumnField = "format"

    def contains(self, released: ReleasedItem) -> bool:
        """Return whether an item of the task set belongs to the column."""
        item = released.item
        if self.tasks and item.task not in self.tasks:
            return False
        return not self.part or self.part == _FIELDS[self.field](released)


class TableLayout(msgspec.Struct, frozen=True, kw_only=True):
    """The columns of one table.

    Attributes:
        task_set: Id of the task set that it is about.
        title: Title of the task set.
        columns: The columns that the release has items of.
    """

    task_set: str
    title: str
    columns: tuple[TableColumn, ...]


def table_layouts(
    items: Sequence[ReleasedItem], *, division: Division = "paper", measure: str = "score"
) -> list[TableLayout]:
    """Return the layouts of the tables of a release, one for each of its task sets.

    Args:
        items: The items of the release.
        division: What the columns are; ``paper``: as in the paper of the task set, otherwise by task.
        measure: Id of what they show, where the paper does not decide it.
    """
    by_set: dict[str, list[ReleasedItem]] = {}
    for released in items:
        by_set.setdefault(released.item.task_set, []).append(released)
    return [
        TableLayout(
            task_set=task_set,
            title=builtin(task_set).title.en if task_set in builtin_ids() else task_set,
            columns=tuple(
                column
                for column in _columns(task_set, own, division=division, measure=measure)
                if any(map(column.contains, own))
            ),
        )
        for task_set, own in sorted(by_set.items())
    ]


def _columns(
    task_set: str, items: Sequence[ReleasedItem], *, division: Division, measure: str
) -> list[TableColumn]:
    known = builtin(task_set) if task_set in builtin_ids() else None
    if division == "paper" and known is not None and task_set in _PAPER_LAYOUTS:
        return list(_PAPER_LAYOUTS[task_set](known, items, measure))
    overall = TableColumn(title=OVERALL, measure=measure)
    if division == "groups" and known is not None:
        return [overall, *_group_columns(known, measure=measure)]
    if division == "formats":
        return [overall, *_format_columns(items, measure=measure)]
    if division == "sources":
        return [overall, *_source_columns(measure=measure)]
    if division == "variants":
        return [overall, *_variant_columns(measure=measure)]
    return [overall, *_task_columns(known, items, measure=measure)]


def _task_columns(
    known: TaskSet | None, items: Sequence[ReleasedItem], *, measure: str
) -> Iterator[TableColumn]:
    """Yield the tasks under the headings of their groups, then those that the set does not know."""
    groups, tasks = (known.groups, known.tasks) if known is not None else ((), ())
    for group in groups:
        for task in tasks:
            if task.group == group.id:
                title, heading = task.title.en, group.title.en
                yield TableColumn(title=title, heading=heading, measure=measure, tasks=(task.id,))
    for name in sorted({released.item.task for released in items} - {task.id for task in tasks}):
        yield TableColumn(title=name or UNKNOWN, measure=measure, tasks=(name,))


def _group_columns(known: TaskSet, *, measure: str) -> Iterator[TableColumn]:
    for group in known.groups:
        tasks = tuple(task.id for task in known.tasks if task.group == group.id)
        yield TableColumn(title=group.title.en, measure=measure, tasks=tasks)


def _format_columns(items: Sequence[ReleasedItem], *, measure: str) -> Iterator[TableColumn]:
    for name in sorted({released.item.answer_format for released in items}):
        yield TableColumn(title=name, measure=measure, part=name)


def _source_columns(*, measure: str) -> Iterator[TableColumn]:
    for source, title in _SOURCE_TITLES.items():
        yield TableColumn(title=title, measure=measure, part=source, field="source")


def _variant_columns(*, measure: str) -> Iterator[TableColumn]:
    """Yield the items of their own, then each kind of variant."""
    for kind, title in _VARIANT_TITLES.items():
        yield TableColumn(title=title, measure=measure, part=kind, field="variant")


def _urbanvideo(known: TaskSet, items: _Items, measure: str) -> Iterator[TableColumn]:
    yield TableColumn(title="Rank", measure=RANK)
    yield TableColumn(title="Avg.", measure=measure)
    yield from _task_columns(known, items, measure=measure)


def _aircop(known: TaskSet, items: _Items, measure: str) -> Iterator[TableColumn]:
    yield from _task_columns(known, items, measure=measure)
    yield from _source_columns(measure=measure)
    yield TableColumn(title=OVERALL, measure=measure)


def _spatialuav(known: TaskSet, items: _Items, measure: str) -> Iterator[TableColumn]:
    yield from _task_columns(known, items, measure=measure)
    yield TableColumn(title=OVERALL, measure=measure)


def _topviewrs(known: TaskSet, _items: _Items, _measure: str) -> Iterator[TableColumn]:
    for group in known.groups:
        tasks = tuple(task.id for task in known.tasks if task.group == group.id)
        for view, title in (("realistic", "Realistic"), ("semantic", "Semantic")):
            for measure, short in (("exact", "EM"), ("score", "PM")):
                yield TableColumn(
                    title=f"{title} {short}",
                    heading=group.title.en,
                    measure=measure,
                    tasks=tasks,
                    part=view,
                    field="view",
                )
    yield TableColumn(title=f"{OVERALL} EM", measure="exact")
    yield TableColumn(title=f"{OVERALL} PM", measure="score")


def _indooruav(known: TaskSet, items: _Items, measure: str) -> Iterator[TableColumn]:
    levels = [(value.id, value.title.en) for value in known.value_lists["vla_difficulty"]]
    for level, title in (*levels, ("", "All")):
        for name in ("sr", "ndtw"):
            yield TableColumn(
                title=f"{title} {MEASURES[name].title}",
                heading="VLA",
                measure=name,
                tasks=("vla",),
                part=level,
                field="difficulty",
            )
    for name in ("ne", "sr", "osr", "ndtw"):
        yield TableColumn(title=MEASURES[name].title, heading="VLN", measure=name, tasks=("vln",))
    for column in _task_columns(known, items, measure=measure):
        if column.tasks not in (("vla",), ("vln",)):
            yield column


_PAPER_LAYOUTS: Mapping[str, Callable[[TaskSet, _Items, str], Iterator[TableColumn]]] = {
    "aircop": _aircop,
    "indooruav": _indooruav,
    "spatialuav": _spatialuav,
    "topviewrs": _topviewrs,
    "urbanvideo": _urbanvideo,
}
