"""The verb doctor: what is there, what is missing, what to type."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.options import json_option

if TYPE_CHECKING:
    from annotator.doctor.check_result import CheckResult

LABELS = {"ok": "ok", "info": "-", "warning": "warning", "error": "ERROR"}


@click.command()
@click.argument("project", required=False, type=click.Path(path_type=Path))
@json_option
def doctor(project: Path | None, console: Console) -> int:
    """Check this installation, and PROJECT if given; print missing parts and the commands that install them.

    Nothing is changed. Exit status 1: a required part is missing, or the project is damaged. Optional parts
    and warnings do not change the exit status.
    """
    from annotator.doctor.diagnosis import diagnose

    with console.progress() as progress:
        results = diagnose(project, progress=progress)
    errors = sum(result.status == "error" for result in results)
    value = {"errors": errors, "checks": msgspec.to_builtins(results)}
    console.result(value, print_text=lambda: _print(results, errors=errors, console=console))
    return FOUND_PROBLEMS if errors else 0


def _print(results: Sequence[CheckResult], *, errors: int, console: Console) -> None:
    rows = [(LABELS[result.status], result.name, result.detail) for result in results]
    console.table("Installation", head=("", "check", "result"), rows=rows)
    fixes = [(result.name, result.fix) for result in results if result.fix and result.status != "info"]
    console.table_if_any("What to do", head=("check", "command or action"), rows=fixes)
    optional = [(result.name, result.fix) for result in results if result.fix and result.status == "info"]
    console.table_if_any("Optional", head=("part", "type"), rows=optional)
    console.print(f"{errors} errors." if errors else "Vantage is ready to use.")


VERBS = (doctor,)
