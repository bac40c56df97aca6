"""Tables of results as papers print them: models, random answers and people in rows, with the best marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from annotator.domain.answers import Mode
from annotator.quality.agreement.coefficients import mean_score
from annotator.scoring.comparison import Comparison
from annotator.scoring.evaluation import Evaluation
from annotator.scoring.measures import MEASURES, RANK
from annotator.scoring.released_items import ReleasedItem, ReleasedItems
from annotator.scoring.score_tables import PERCENT, ScoreTotal
from annotator.scoring.table_layouts import Division, TableColumn, TableLayout, table_layouts

RowKind = Literal["model", "random", "human"]
RANDOM_ROW = "Random"
HUMAN_ROW = "Human"
Floats = npt.NDArray[np.float64]
Chances = Mapping[int, tuple[float, float]]
"""Mean score and chance to be right of a random answer, 0 to 1, by the place of the item."""


class TableCell(msgspec.Struct, frozen=True, kw_only=True):
    """One value.

    Attributes:
        value: In percent, metres for NE, the place for a rank; None where there is nothing.
        low: Lower end of the 95 % interval, None without one.
        high: Upper end.
        items: Number of items that it is computed from.
        rank: 1 for the best of the models, 2 for the second, otherwise 0.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    items: int = 0
    rank: int = 0


class TableRow(msgspec.Struct, frozen=True, kw_only=True):
    """The values of one model, of random answers, or of people.

    Attributes:
        name: Name of the model, ``RANDOM_ROW`` or ``HUMAN_ROW``.
        kind: Which of these it is.
        cells: One per column.
    """

    name: str
    kind: RowKind
    cells: tuple[TableCell, ...]


class ResultTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table of results about one task set.

    Attributes:
        layout: The columns.
        rows: Models in the order of the comparison, then random answers, then people.
        notes: Sentences to stand below it: over which items it is.
        random_notes: Those among them about columns of which only some items have a random answer.
    """

    layout: TableLayout
    rows: tuple[TableRow, ...]
    notes: tuple[str, ...]
    random_notes: tuple[str, ...] = ()


class ReferenceRows(msgspec.Struct, frozen=True, kw_only=True):
    """What models are compared with.

    Attributes:
        chances: Of random answers; empty for no such row.
        human: Scores of people by task, ``set/task``; empty for no such row.
    """

    chances: Chances = {}
    human: Mapping[str, ScoreTotal] = {}


def result_tables(
    comparison: Comparison,
    released: ReleasedItems,
    references: ReferenceRows | None = None,
    *,
    division: Division = "paper",
    measure: str = "score",
    only_common: bool = False,
    seed: int = 0,
) -> list[ResultTable]:
    """Return the tables of a comparison, one for each task set of the release.

    Args:
        comparison: The models.
        released: The items.
        references: Random answers and people.
        division: What the columns are.
        measure: Id of what they show, where the paper does not decide it.
        only_common: Whether models are shown over their common items alone, not each over its own.
        seed: Of the intervals.
    """
    others = references or ReferenceRows()
    indices = comparison.common_indices if only_common else range(len(released.items))
    shown = np.zeros(len(released.items), dtype=bool)
    shown[list(indices)] = True
    tables = []
    for layout in table_layouts(released.items, division=division, measure=measure):
        masks = [shown & _mask(column, layout, released.items) for column in layout.columns]
        rows = [
            TableRow(
                name=one.model, kind="model", cells=_model_cells(one.evaluation, layout, masks, seed=seed)
            )
            for one in comparison.models
        ]
        rows = with_ranks(rows, layout.columns)
        rows += _reference_rows(others, layout, masks, released.items)
        notes = _notes(comparison, layout, only_common=only_common)
        partly = tuple(_random_notes(others.chances, layout, masks))
        tables.append(
            ResultTable(layout=layout, rows=tuple(rows), notes=(*notes, *partly), random_notes=partly)
        )
    return tables


def _mask(column: TableColumn, layout: TableLayout, items: Sequence[ReleasedItem]) -> npt.NDArray[np.bool_]:
    """Return which items belong to a column."""
    return np.array(
        [one.item.task_set == layout.task_set and column.contains(one) for one in items], dtype=bool
    )


def _model_cells(
    evaluation: Evaluation, layout: TableLayout, masks: Sequence[npt.NDArray[np.bool_]], *, seed: int
) -> tuple[TableCell, ...]:
    values = {
        name: _values(evaluation, name, items=len(masks[0]))
        for name in {column.measure for column in layout.columns} - {RANK}
    }
    return tuple(
        TableCell() if column.measure == RANK else _mean_cell(values[column.measure][mask], seed=seed)
        for column, mask in zip(layout.columns, masks, strict=True)
    )


def _values(evaluation: Evaluation, measure: str, *, items: int) -> Floats:
    """Return a measure of each item, NaN for items without it."""
    value_of = MEASURES[measure].value_of
    values = np.full(items, np.nan)
    for one in evaluation.scored:
        value = value_of(one)
        values[one.position] = np.nan if value is None else value
    return values


def _mean_cell(values: Floats, *, seed: int) -> TableCell:
    known = values[~np.isnan(values)]
    mean = mean_score(known, seed=seed)
    return TableCell(value=mean.value, low=mean.low, high=mean.high, items=len(known))


def with_ranks(rows: Sequence[TableRow], columns: Sequence[TableColumn]) -> list[TableRow]:
    """Return the rows of models with the best and the second marked, and with their ranks.

    Args:
        rows: The rows.
        columns: What their cells show.
    """
    by_column = [[row.cells[number] for row in rows] for number in range(len(columns))]
    marked = [
        _marked(cells, column) if column.measure != RANK else cells
        for cells, column in zip(by_column, columns, strict=True)
    ]
    # The rank is that of the column which follows: the score over all tasks.
    for number, column in enumerate(columns):
        if column.measure == RANK:
            decimals = MEASURES[columns[number + 1].measure].decimals
            marked[number] = _ranked(marked[number + 1], decimals=decimals)
    return [
        msgspec.structs.replace(row, cells=tuple(cells[index] for cells in marked))
        for index, row in enumerate(rows)
    ]


def _marked(cells: Sequence[TableCell], column: TableColumn) -> list[TableCell]:
    """Return cells with places; values that are printed alike have the same, and a single model has none."""
    measure = MEASURES[column.measure]
    printed = [None if cell.value is None else round(cell.value, measure.decimals) for cell in cells]
    distinct = sorted({value for value in printed if value is not None}, reverse=not measure.is_lower_better)
    indices = {value: index for index, value in enumerate(distinct[:2], start=1)} if len(cells) > 1 else {}
    return [
        cell if value is None else msgspec.structs.replace(cell, rank=indices.get(value, 0))
        for cell, value in zip(cells, printed, strict=True)
    ]


def _ranked(cells: Iterable[TableCell], *, decimals: int) -> list[TableCell]:
    """Return the places of models by their score: those that are printed alike share the better one."""
    scores = [None if cell.value is None else round(cell.value, decimals) for cell in cells]
    known = [score for score in scores if score is not None]
    return [
        TableCell(value=None if score is None else 1 + sum(other > score for other in known))
        for score in scores
    ]


def _reference_rows(
    others: ReferenceRows,
    layout: TableLayout,
    masks: Sequence[npt.NDArray[np.bool_]],
    items: Sequence[ReleasedItem],
) -> list[TableRow]:
    columns = layout.columns
    rows = []
    if others.chances:
        cells = [
            _random_cell(others.chances, column, mask) for column, mask in zip(columns, masks, strict=True)
        ]
        rows.append(TableRow(name=RANDOM_ROW, kind="random", cells=tuple(cells)))
    if others.human:
        cells = [_human_cell(others.human, column, layout, items) for column in columns]
        rows.append(TableRow(name=HUMAN_ROW, kind="human", cells=tuple(cells)))
    return rows


def _random_cell(chances: Chances, column: TableColumn, mask: npt.NDArray[np.bool_]) -> TableCell:
    known = _known_chances(chances, column, mask)
    # Of items whose format has no random answer, a mean over the others would say nothing.
    if not known or len(known) < np.count_nonzero(mask):
        return TableCell(items=len(known))
    return TableCell(value=PERCENT * sum(known) / len(known), items=len(known))


def _known_chances(chances: Chances, column: TableColumn, mask: npt.NDArray[np.bool_]) -> list[float]:
    """Return the chances of the items of a column that have a random answer."""
    if column.measure not in ("score", "exact"):
        return []
    index = ("score", "exact").index(column.measure)
    return [chances[position][index] for position in map(int, np.flatnonzero(mask)) if position in chances]


def _random_notes(
    chances: Chances, layout: TableLayout, masks: Sequence[npt.NDArray[np.bool_]]
) -> Iterator[str]:
    """Say what random answers score in columns of which only some items have one."""
    for column, mask in zip(layout.columns, masks, strict=True):
        known, total = _known_chances(chances, column, mask), int(np.count_nonzero(mask))
        if 0 < len(known) < total:
            mean = PERCENT * sum(known) / len(known)
            title = ": ".join(filter(None, (column.heading, column.title)))
            note = (
                f"Random answers in {title}: {mean:.1f} over the {len(known):,} of {total:,} items "
                "whose answer format has a random answer; the others have none."
            )
            yield note


def _human_cell(
    human: Mapping[str, ScoreTotal], column: TableColumn, layout: TableLayout, items: Sequence[ReleasedItem]
) -> TableCell:
    """Return the score of people where they have answered items of every task of the column."""
    # The scores of people are known by whole tasks only.
    if column.part or column.measure not in ("score", "exact"):
        return TableCell()
    tasks = {one.task for one in items if one.item.task_set == layout.task_set and column.contains(one)}
    weighted = _known_values(map(human.get, tasks), measure=column.measure)
    count = sum(total for _, total in weighted)
    if len(weighted) < len(tasks) or not count:
        return TableCell(items=count)
    return TableCell(value=sum(value * total for value, total in weighted) / count, items=count)


def _known_values(totals: Iterable[ScoreTotal | None], *, measure: str) -> list[tuple[float, int]]:
    """Return a measure of scores, and their numbers of items, where both are known."""
    known = [(_value_of(one, measure), one.total) for one in totals if one is not None]
    return [(value, total) for value, total in known if value is not None]


def _value_of(total: ScoreTotal, measure: str) -> float | None:
    return total.score_pct if measure == "score" else total.exact_pct


def _notes(comparison: Comparison, layout: TableLayout, *, only_common: bool) -> tuple[str, ...]:
    coverage = comparison.coverage
    used = {column.measure for column in layout.columns}
    notes = [f"{one.title}: {one.meaning}." for one in MEASURES.values() if one.id in used]
    rules = "strict" if comparison.mode is Mode.STRICT else "published"
    notes.append(f"Scored by the {rules} rules.")
    if len(comparison.models) > 1:
        notes.append("Bold: the best model; underlined: the second.")
    if only_common:
        notes.append(
            f"All models are scored over the same {coverage.scored_by_all:,} of {coverage.items:,} items."
        )
    else:
        notes.append(coverage.statement)
    return tuple(notes)
