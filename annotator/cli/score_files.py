"""Files of the command ``score``: tables for papers, and plots; on standard output only one table."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, cast

import click
import msgspec

from annotator.errors import UserError
from annotator.scoring.comparison import Comparison
from annotator.scoring.comparison_csv import correlation_csv, differences_csv
from annotator.scoring.measures import MEASURES
from annotator.scoring.plot_svg import bars_svg, heat_map_svg, radar_svg
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.result_table import ReferenceRows, result_tables
from annotator.scoring.score_plots import correlation_heat_map, overall_plot, task_plot
from annotator.scoring.table_layouts import DIVISIONS, Division
from annotator.scoring.table_text import (
    BYTE_ORDER_MARK,
    ORIENTATIONS,
    TEXT_FORMS,
    Orientation,
    TextForm,
    table_text,
    write_table,
)
from annotator.scoring.task_correlation import correlate_tasks

LEAST_AXES = 3
"""A radar plot of fewer axes has no area."""
Verb = Callable[..., int]


class ScoreFiles(msgspec.Struct, frozen=True, kw_only=True):
    """What is written besides the result.

    Attributes:
        table: Form of the table, "" for none.
        out: File of the table, None for standard output.
        rows: What the rows of the table are.
        columns: What its columns are; the other way round with tasks in rows.
        measure: Id of what it shows.
        with_intervals: Whether it has the 95 % intervals.
        only_common: Whether models are shown over their common items alone.
        plots: Folder of the plots, None for none.
    """

    table: TextForm | None
    out: Path | None
    rows: Orientation
    columns: Division
    measure: str
    with_intervals: bool
    only_common: bool
    plots: Path | None

    def require_usable(self, *, as_json: bool) -> None:
        """Refuse options that contradict each other.

        Raises:
            UserError: They do.
        """
        if self.out is not None and self.table is None:
            raise UserError(
                "--out needs the form of the table.", hint=f"Add --table {' or --table '.join(TEXT_FORMS)}."
            )
        if as_json and self.table is not None and self.out is None:
            raise UserError(
                "A table and JSON cannot both go to standard output.",
                hint="Name a file for the table with --out.",
            )

    def write(
        self, comparison: Comparison, released: ReleasedItems, references: ReferenceRows, *, seed: int
    ) -> str | None:
        """Write the files, and return a table that belongs on standard output."""
        if self.plots is not None:
            write_plots(comparison, self.plots)
        if self.table is None:
            return None
        tables = result_tables(
            comparison,
            released,
            references,
            division=self.columns,
            measure=self.measure,
            only_common=self.only_common,
            seed=seed,
        )
        text = table_text(tables, self.table, rows=self.rows, with_intervals=self.with_intervals)
        if self.out is None:
            return text
        write_table(self.out, text, self.table)
        return None


def score_file_options(function: Verb) -> Verb:
    """Add the options of tables and plots to a command, passed as ``files``."""

    @wraps(function)
    def with_files(
        *arguments: Any,  # noqa: ANN401 - what click hands over
        table: str | None,
        out: Path | None,
        rows: str,
        columns: str,
        measure: str,
        intervals: bool,
        items: str,
        plots: Path | None,
        **others: Any,  # noqa: ANN401 - the same
    ) -> int:
        files = ScoreFiles(
            table=cast("TextForm | None", table),
            out=out,
            rows=cast("Orientation", rows),
            columns=cast("Division", columns),
            measure=measure,
            with_intervals=intervals,
            only_common=items == "common",
            plots=plots,
        )
        return function(*arguments, files=files, **others)

    verb: Verb = with_files
    for option in reversed(_OPTIONS):
        verb = option(verb)
    return verb


_OPTIONS = (
    click.option("--table", type=click.Choice(TEXT_FORMS), help="Print a table of results in this form."),
    click.option(
        "-o", "--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the table into this file."
    ),
    click.option(
        "--rows",
        type=click.Choice(ORIENTATIONS),
        default="models",
        show_default=True,
        help="Rows of the table: models, or tasks.",
    ),
    click.option(
        "--columns",
        type=click.Choice(DIVISIONS),
        default="paper",
        show_default=True,
        help="What models are shown by; paper: as in the paper of the task set.",
    ),
    click.option(
        "--measure",
        type=click.Choice(list(MEASURES)),
        default="score",
        show_default=True,
        help="What the table shows, where the paper does not decide it.",
    ),
    click.option("--intervals", is_flag=True, help="Add the 95 % intervals to the table."),
    click.option(
        "--items",
        type=click.Choice(["own", "common"]),
        default="own",
        show_default=True,
        help="Items of the table: for each model its own, or for all models the common ones.",
    ),
    click.option(
        "--plots",
        type=click.Path(path_type=Path, file_okay=False),
        help="Write the plots, the correlation of tasks and the differences of models into this folder.",
    ),
)


def write_plots(comparison: Comparison, folder: Path) -> None:
    """Write the plots of a comparison as SVG, and correlation and differences as tables."""
    folder.mkdir(parents=True, exist_ok=True)
    correlation, tasks = correlate_tasks(comparison.tables), task_plot(comparison.tables)
    plots = {
        "overall.svg": bars_svg(overall_plot(comparison.tables)),
        "tasks.svg": bars_svg(tasks),
        "correlation.svg": heat_map_svg(correlation_heat_map(correlation)),
    }
    if len(tasks.labels) >= LEAST_AXES:
        plots["radar.svg"] = radar_svg(tasks)
    for name, text in plots.items():
        (folder / name).write_bytes(text.encode())
    (folder / "correlation.json").write_bytes(msgspec.json.format(msgspec.json.encode(correlation)))
    (folder / "correlation.csv").write_bytes(BYTE_ORDER_MARK + correlation_csv(correlation))
    if comparison.differences:
        (folder / "differences.csv").write_bytes(BYTE_ORDER_MARK + differences_csv(comparison.differences))
