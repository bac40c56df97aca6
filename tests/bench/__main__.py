"""``python -m tests.bench [--only PART] [--out FILE] [--json]``: what ``make bench`` runs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from annotator.cli.console import Console
from annotator.cli.options import json_option
from annotator.errors import Cancelled, EnvironmentFailure, UserError
from tests.bench.suite import run
from tests.bench.table import table_rows

WRONG_USE, ENVIRONMENT_FAILURE, CANCELLED = 2, 3, 130


@click.command()
@click.option("--only", default="", help="Part of the names of the figures to measure.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("build/bench.json"), show_default=True)
@json_option
def bench(only: str, out: Path, console: Console) -> int:
    """Measure Vantage on this machine against its targets, print a table and write a JSON file."""
    with console.progress() as progress:
        rows = run(only=only, out=out, progress=progress)

    def print_table() -> None:
        head, lines = table_rows(rows)
        console.table("Figures", head=head, rows=lines)

    console.result(rows, print_text=print_table)
    return 0


def main(arguments: list[str]) -> int:
    """Run the bench and return its exit status, as the command line of the product gives it."""
    try:
        return int(bench.main(args=arguments, prog_name="bench", standalone_mode=False) or 0)
    except click.ClickException as error:
        error.show()
        return WRONG_USE
    except (click.Abort, KeyboardInterrupt, Cancelled):
        return CANCELLED
    except UserError as error:
        Console(as_json=False).warn(str(error))
        return WRONG_USE
    except EnvironmentFailure as error:
        Console(as_json=False).warn(str(error))
        return ENVIRONMENT_FAILURE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
