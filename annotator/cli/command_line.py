"""The command line: one group, a function per verb, one place where errors become exit statuses."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

import click

from annotator import __version__
from annotator.cli import VERBS
from annotator.cli.console import Console
from annotator.cli.exit_status import CANCELLED, DONE, ENVIRONMENT_FAILURE, WRONG_USE
from annotator.cli.verb_group import LazyVerbGroup
from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.model_api import ModelCatalog

EPILOG = (
    "Exit status: 0 success, 1 problems found, 2 usage error, 3 disk, network or driver failure, "
    "4 internal error, 130 cancelled."
)


@click.group(
    cls=LazyVerbGroup,
    modules={verb: f"annotator.cli.{module}" for verb, module in VERBS.items()},
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="vantage")
def vantage() -> None:
    """Build question-answering benchmarks from drone images and videos, and check their quality.

    Without a command, or with only the path of a project, the window opens.
    """


def run(arguments: Sequence[str], *, catalogue: Callable[[], ModelCatalog] | None = None) -> int:
    """Run one verb and return its exit status.

    Args:
        arguments: The arguments after ``main.py``.
        catalogue: Makes what opens models, for the verbs that ask some.
    """
    try:
        outcome = vantage.main(
            args=list(arguments), prog_name="vantage", standalone_mode=False, obj=catalogue
        )
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return WRONG_USE
    except (click.Abort, KeyboardInterrupt, Cancelled) as error:
        _print_error(str(error) or "Cancelled.")
        return CANCELLED
    except UserError as error:
        _print_error(str(error))
        return WRONG_USE
    except EnvironmentFailure as error:
        _print_error(str(error))
        return ENVIRONMENT_FAILURE
    except OSError as error:
        _discard_output()
        _print_error(f"Cannot read or write a file: {error}.")
        return ENVIRONMENT_FAILURE
    return outcome if isinstance(outcome, int) else DONE


def _discard_output() -> None:
    """Discard the remaining output; otherwise Python reports the closed pipe again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_error(text: str) -> None:
    Console(as_json=False).warn(text)
