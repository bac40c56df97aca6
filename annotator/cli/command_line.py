"""The command line: one group, a function per verb, one place where errors become exit statuses."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

import click

from annotator import __version__
from annotator.cli import (
    agreement_commands,
    assignment_commands,
    bundle_commands,
    clip_commands,
    comment_commands,
    decision_commands,
    derive_command,
    doctor_command,
    eval_commands,
    evaluation_commands,
    flight_commands,
    gate_commands,
    image_commands,
    item_commands,
    key_commands,
    key_error_command,
    media_commands,
    model_commands,
    necessity_command,
    people_commands,
    pipeline_commands,
    progress_commands,
    project_commands,
    reference_commands,
    release_difference_command,
    report_command,
    review_commands,
    run_commands,
    score_command,
    variant_commands,
    vision_commands,
    worker_commands,
)
from annotator.cli.console import Console
from annotator.cli.verb_group import VerbGroup
from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.model_api import ModelCatalog

DONE, FOUND_PROBLEMS, WRONG_USE, HOST_TROUBLE, CANCELLED = 0, 1, 2, 3, 130
EPILOG = (
    "Exit status: 0 success, 1 problems found, 2 usage error, 3 disk, network or driver failure, "
    "4 internal error, 130 cancelled."
)


@click.group(cls=VerbGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="vantage")
def vantage() -> None:
    """Build question-answering benchmarks from drone images and videos, and check their quality.

    Without a command, or with only the path of a project, the window opens.
    """


for verb in (
    *project_commands.VERBS,
    *media_commands.VERBS,
    *image_commands.VERBS,
    *clip_commands.VERBS,
    *derive_command.VERBS,
    *flight_commands.VERBS,
    *pipeline_commands.VERBS,
    *gate_commands.VERBS,
    *item_commands.VERBS,
    *variant_commands.VERBS,
    *worker_commands.VERBS,
    *vision_commands.VERBS,
    *eval_commands.VERBS,
    *evaluation_commands.VERBS,
    *necessity_command.VERBS,
    *model_commands.VERBS,
    *run_commands.VERBS,
    *release_difference_command.VERBS,
    *score_command.VERBS,
    *decision_commands.VERBS,
    *report_command.VERBS,
    *people_commands.VERBS,
    *assignment_commands.VERBS,
    *progress_commands.VERBS,
    *agreement_commands.VERBS,
    *reference_commands.VERBS,
    *comment_commands.VERBS,
    *review_commands.VERBS,
    *bundle_commands.VERBS,
    *key_commands.VERBS,
    *key_error_command.VERBS,
    *doctor_command.VERBS,
):
    vantage.add_command(verb)


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
        return HOST_TROUBLE
    except OSError as error:
        _discard_output()
        _print_error(f"Cannot read or write a file: {error}.")
        return HOST_TROUBLE
    return outcome if isinstance(outcome, int) else DONE


def _discard_output() -> None:
    """Discard the remaining output; otherwise Python reports the closed pipe again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_error(text: str) -> None:
    Console(as_json=False).warn(text)
