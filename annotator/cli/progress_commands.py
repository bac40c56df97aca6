"""The command ``progress``: what people have done, how long it took, and what is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import json_option, project_argument, read_session
from annotator.cli.review_commands import print_outcomes
from annotator.domain.actor import Actor
from annotator.quality.workload import TimeEstimate, Workload
from annotator.queries.reader import Reader

HEAD = ("person", "role", "assigned", "done", "left", "active", "per record", "left, estimated")
COLUMNS = (
    "person", "role", "task", "assigned", "done", "left", "timed_records", "active_s", "median_s",
    "left_s", "left_low_s", "left_high_s",
)  # fmt: skip
"""Columns of the CSV file."""


@click.command()
@project_argument
@click.option("--by-task", is_flag=True, help="Print a row for each task or dataset.")
@click.option(
    "--csv", "target", type=click.Path(path_type=Path, dir_okay=False), help="Write the rows to a CSV file."
)
@click.option(
    "--honeypots", "has_honeypots", is_flag=True, help="Print how many honeypots each person answers right."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the intervals.")
@json_option
def progress(
    project: Path, *, by_task: bool, target: Path | None, has_honeypots: bool, seed: int, console: Console
) -> None:
    """Print what is assigned to each person of PROJECT, what is done and left, and the active time.

    Active time is the time with input, up to 60 seconds after each (a setting), while the window is active.
    The median is of one record. What is left is estimated from the times of the same task, with a 95 %
    interval. Persons are sorted by name. Items that people accepted, sent back and rejected are counted per
    task.
    """
    with read_session(project) as session:
        reader = session.reader
        names = {actor.id: actor.name for actor in reader.records(Actor)}
        result: dict[str, Any] = {
            "persons": _as_json(_workloads(reader, seed=seed, is_by_task=by_task), names)
        }
        result["decisions"] = msgspec.to_builtins(reader.reviews.outcomes())
        if has_honeypots:
            result["honeypots"] = _honeypot_rows(reader, names)
        if target is not None:
            _write_csv(target, _as_json(_workloads(reader, seed=seed, is_by_task=True), names))
            result["csv"] = str(target)
    console.result(result, print_text=lambda: _print(result, is_by_task=by_task, console=console))


def _workloads(reader: Reader, *, seed: int, is_by_task: bool) -> list[Workload]:
    from annotator.quality.workload import measure_workloads

    with reader.snapshot():
        return measure_workloads(
            reader.workload.assigned_rows(), reader.workload.time_rows(), seed=seed, is_by_task=is_by_task
        )


def _as_json(workloads: Sequence[Workload], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the rows with names in place of ids, sorted by name."""
    found = [msgspec.to_builtins(one) | {"person": names.get(one.person, one.person)} for one in workloads]
    full = [dict.fromkeys(Workload.__struct_fields__) | one for one in found]
    return sorted(full, key=lambda one: (one["person"].casefold(), one["role"], one["task"]))


def _honeypot_rows(reader: Reader, names: Mapping[str, str]) -> list[dict[str, Any]]:
    from annotator.quality.honeypots import score_honeypots

    rows = (
        {
            "person": names.get(one.person, one.person),
            "honeypots": one.honeypots,
            "answered": one.answered,
            "correct": one.correct,
        }
        for one in score_honeypots(reader)
    )
    return sorted(rows, key=lambda row: str(row["person"]).casefold())


def _print(result: dict[str, Any], *, is_by_task: bool, console: Console) -> None:
    rows = [
        (
            one["person"],
            f"{one['role']} {one['task']}".rstrip(),
            *(f"{one[name]:,}" for name in ("assigned", "done", "left")),
            _time_text(one["active_s"]),
            "" if one["median_s"] is None else _time_text(one["median_s"]),
            _estimate_text(one["estimate"]),
        )
        for one in result["persons"]
    ]
    head = HEAD if not is_by_task else (HEAD[0], "role, task", *HEAD[2:])
    console.table("Progress", head=head, rows=rows)
    if result["decisions"]:
        print_outcomes(result["decisions"], console=console)
    if "honeypots" in result:
        cells = [
            (one["person"], *(f"{one[name]:,}" for name in ("honeypots", "answered", "correct")))
            for one in result["honeypots"]
        ]
        console.table("Honeypots", head=("person", "honeypots", "answered", "correct"), rows=cells)
    if "csv" in result:
        console.print(f"Written: {result['csv']}")


def _time_text(seconds: float) -> str:
    """Return ``1:02:45`` or ``2:45``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _estimate_text(estimate: dict[str, float] | None) -> str:
    if estimate is None:
        return "unknown"
    found = msgspec.convert(estimate, TimeEstimate)
    return f"{_time_text(found.seconds)} ({_time_text(found.low)} to {_time_text(found.high)})"


def _write_csv(target: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    from annotator.release.cells import csv_line

    lines = [csv_line(COLUMNS)]
    for row in rows:
        estimate = row["estimate"] or {}
        values = (
            *(row[name] for name in ("person", "role", "task", "assigned", "done", "left", "timed")),
            row["active_s"],
            row["median_s"],
            *(estimate.get(name) for name in ("seconds", "low", "high")),
        )
        lines.append(csv_line(["" if value is None else str(value) for value in values]))
    # In one piece: a file that cannot be written keeps what it had.
    target.write_bytes(b"".join(lines))


VERBS = (progress,)
