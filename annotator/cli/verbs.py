"""The command line: one group, a function per verb, one place where errors become exit statuses."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

import click

from annotator import __version__
from annotator.cli import (
    ask_verbs,
    craft_verbs,
    doctor_command,
    look_verbs,
    media_verbs,
    model_verbs,
    picture_verbs,
    project_verbs,
    run_verbs,
    work_verbs,
)
from annotator.cli.console import Console
from annotator.errors import Cancelled, HostError, UserError
from annotator.predictor import Catalogue

DONE, FOUND_PROBLEMS, WRONG_USE, HOST_TROUBLE, CANCELLED = 0, 1, 2, 3, 130
EPILOG = (
    "Exit status: 0 done, 1 found problems, 2 wrong use, 3 failure of disk, network or driver, "
    "4 internal error, 130 cancelled."
)


@click.group(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="vantage")
def vantage() -> None:
    """Build question-answering benchmarks from drone pictures, and prove that they are good.

    Without a verb, or with the path of a project, the window opens.
    """


for verb in (
    *project_verbs.VERBS,
    *media_verbs.VERBS,
    *picture_verbs.VERBS,
    *craft_verbs.VERBS,
    *work_verbs.VERBS,
    *look_verbs.VERBS,
    *ask_verbs.VERBS,
    *model_verbs.VERBS,
    *run_verbs.VERBS,
    *doctor_command.VERBS,
):
    vantage.add_command(verb)


def run(arguments: Sequence[str], *, catalogue: Callable[[], Catalogue] | None = None) -> int:
    """Run one verb and return its exit status.

    Args:
        arguments: What stands behind ``main.py``.
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
        _tell(str(error) or "Cancelled.")
        return CANCELLED
    except UserError as error:
        _tell(str(error))
        return WRONG_USE
    except HostError as error:
        _tell(str(error))
        return HOST_TROUBLE
    except OSError as error:
        _forget_output()
        _tell(f"Trouble with the output or another file: {error}.")
        return HOST_TROUBLE
    return outcome if isinstance(outcome, int) else DONE


def _forget_output() -> None:
    """Let the rest of what was to be printed go nowhere, or Python complains once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(text: str) -> None:
    Console(as_json=False).warn(text)
