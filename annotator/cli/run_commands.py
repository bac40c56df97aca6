"""Commands on runs: list, show, control, read the answers, compare, apply another policy."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from datetime import timedelta
from pathlib import Path
from typing import IO, Any, TypeVar

import click
import msgspec

from annotator.cli.blind_report import BlindPolicyOptions, ending_options
from annotator.cli.calibration_report import write_decisions
from annotator.cli.console import Console
from annotator.cli.options import json_option, open_session, project_argument, read_session, workers_option
from annotator.cli.run_execution import limit_micro, process_run, require_run
from annotator.cli.run_status import SHOWN, RunStatus, require_finished
from annotator.cli.verb_group import VerbGroup
from annotator.domain.run import Run
from annotator.domain.run_condition import CONDITION_TITLES, KIND_TITLES, run_title
from annotator.domain.run_connections import connections_of
from annotator.jobs.confirmed_runs import refusal
from annotator.quality.blind import decide_all
from annotator.quality.policy import POLICY_HELP, read_policy
from annotator.quality.predictions import collect_predictions, existing_run
from annotator.quality.run_comparison import Change, RunComparison, compare_runs
from annotator.session import Session
from annotator.store.work.run_repository import received_refusal

ASKED = ("blind", "consensus", "evaluation")
ALL_KINDS = ("blind", "consensus", "evaluation", "draft", "detect", "depth")
C = TypeVar("C", bound=Callable[..., Any])
run_argument = click.argument("run_id", metavar="RUN")


@click.group(cls=VerbGroup)
def runs() -> None:
    """List, show and control runs. RUN is the id of a run, its beginning or end, or 'last'."""


def run_options(function: C) -> C:
    """Give a verb a project, one of its runs, and ``--json``."""
    return project_argument(run_argument(json_option(function)))


@runs.command(name="list")
@project_argument
@json_option
def list_runs(project: Path, console: Console) -> None:
    """List the runs of PROJECT, newest first."""
    with read_session(project) as session:
        statuses = [RunStatus.of(session, run.id).to_json() for run in session.reader.runs.all()]
    rows = [
        (status["id"][-12:], status["title"], KIND_TITLES[status["kind"]], ", ".join(status["models"]),
         CONDITION_TITLES[status["condition"]],
         f"{status['progress']['done']:,}", f"{status['progress']['total']:,}",
         f"{status['progress']['failed']:,}",
         status["created_at"][:16].replace("T", " "), str(timedelta(seconds=round(status["duration_s"]))),
         _cost_text(status))
        for status in statuses
    ]  # fmt: skip
    head = (
        "run",
        "title",
        "kind",
        "models",
        "state",
        "answered",
        "of",
        "failed",
        "started (UTC)",
        "duration",
        "cost",
    )
    console.result({"runs": statuses}, print_text=lambda: _print_runs(head, rows, console=console))


@runs.command()
@run_options
def show(project: Path, run_id: str, console: Console) -> None:
    """Show the state, the cost and the failures of a run of PROJECT."""
    with read_session(project) as session:
        run_status = RunStatus.of(session, found_run(session, run_id).id)
    result = {
        **run_status.to_json(),
        "failures": msgspec.to_builtins(run_status.failures),
        "settings": run_status.run.settings,
    }
    console.result(result, print_text=lambda: _print_run(run_status, console=console))


@runs.command()
@run_options
def pause(project: Path, run_id: str, console: Console) -> None:
    """Pause a run; calls in progress are still recorded."""
    _change_state(project, run_id, lambda session, run: session.runs.pause(run), console=console)


@runs.command()
@run_options
@click.option("--yes", "is_agreed", is_flag=True, help="Confirm the run; without it, only list what it uses.")
def confirm(project: Path, run_id: str, is_agreed: bool, console: Console) -> int:  # noqa: FBT001 - click
    """Confirm a run that was not started on this machine, after a look at what it uses.

    Lists the server addresses, locations of API keys, paths and options of its models. Exit status: 1 if the
    run is not confirmed.
    """
    with open_session(project) as session:
        run = found_run(session, run_id)
        if is_agreed:
            session.runs.confirm(run).result()
        is_confirmed = session.runs.is_confirmed(run)
    uses = [connection._asdict() for connection in connections_of(run)]
    console.result(
        {"run": run.id, "confirmed": is_confirmed, "models": uses},
        print_text=lambda: _print_connections(run, is_confirmed=is_confirmed, console=console),
    )
    return 0 if is_confirmed else 1


@runs.command()
@run_options
def cancel(project: Path, run_id: str, console: Console) -> None:
    """Cancel a run; its answers are kept."""
    _change_state(project, run_id, lambda session, run: session.runs.cancel(run), console=console)


@runs.command()
@run_options
@click.option("--limit-cost", type=float, metavar="X", help="New maximum cost of the run.")
@workers_option
def resume(
    project: Path, run_id: str, limit_cost: float | None, workers: int | None, console: Console
) -> int:
    """Resume a paused or stopped run and process it."""
    with open_session(project) as session:
        run = _confirmed_run(session, run_id)
        if limit_cost is not None:
            session.runs.limit_run(run.id, limit_micro(limit_cost)).result()
        session.runs.resume(run.id).result()
        if run.state in {"done", "cancelled"}:
            console.warn(f"The run is {run.state} and cannot be resumed.")
        return _work_and_report(session, run, workers=workers, console=console)


@runs.command()
@run_options
@workers_option
def retry(project: Path, run_id: str, workers: int | None, console: Console) -> int:
    """Ask the failed questions of a run again."""
    with open_session(project) as session:
        run = _confirmed_run(session, run_id)
        count = session.runs.retry_failed(run.id).result()
        console.warn(f"{count:,} questions are asked again.")
        return _work_and_report(session, run, workers=workers, console=console)


@runs.command()
@run_options
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Output file.")
def predictions(project: Path, run_id: str, out: Path | None, console: Console) -> None:
    """Print the answers of a run as JSON, one per line: model, parameters, question, answer, cost.

    With --json, one object contains the list; with --out, the object contains the number of answers written.
    """
    with read_session(project) as session:
        found = session.reader.runs.predictions(found_run(session, run_id).id)
        if out is not None:
            with out.open("wb") as file:
                count = _write(found, file)
            result = {"file": str(out), "predictions": count}
            console.result(result, print_text=lambda: console.print(f"{count:,} answers written to {out}."))
        elif console.as_json:
            console.result({"predictions": list(found)}, print_text=lambda: None)
        else:
            _write(found, sys.stdout.buffer)


@runs.command()
@run_options
@click.option("--policy", required=True, help=f"When an item counts as guessed: {POLICY_HELP}.")
@click.option("--unread-as-miss", is_flag=True, help="Count a reply that cannot be parsed as wrong.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="Output file.")
def decisions(
    project: Path, run_id: str, *, policy: str, unread_as_miss: bool, out: Path, console: Console
) -> None:
    """Write the decision of a policy about each item as JSON, one per line: public id, evidence, reasons.

    Nothing in the project changes, and no model is asked.
    """
    rule = read_policy(policy, counts_unread=unread_as_miss)
    with read_session(project) as session, console.progress() as progress:
        run = found_run(session, run_id, kinds=("blind",))
        entries = collect_predictions(session.reader, run, progress=progress)
        decided = decide_all(entries, rule, progress=progress)
    with out.open("wb") as file:
        count = write_decisions(decided, rule, run=run.id, file=file)
    result = {"file": str(out), "decisions": count}
    console.result(result, print_text=lambda: console.print(f"{count:,} decisions written to {out}."))


@runs.command()
@project_argument
@click.argument("one", metavar="RUN")
@click.argument("other", metavar="RUN")
@json_option
def compare(project: Path, one: str, other: str, console: Console) -> None:
    """Compare two blind, consensus or evaluation runs item by item."""
    with read_session(project) as session, console.progress() as progress:
        chosen = [found_run(session, name, kinds=ASKED) for name in (one, other)]
        item_predictions = [collect_predictions(session.reader, run, progress=progress) for run in chosen]
    comparison = compare_runs(*item_predictions)
    console.result(comparison.to_json(), print_text=lambda: _print_comparison(comparison, console=console))


@runs.command()
@run_options
@ending_options(policy=None, outcome="none")
def redecide(project: Path, run_id: str, *, ending: BlindPolicyOptions, console: Console) -> int:
    """Apply another policy to the stored answers of a blind run; models are not asked again."""
    with open_session(project) as session:
        run = found_run(session, run_id, kinds=("blind",))
        return ending.apply(session, run, console=console).print_summary(console)


def found_run(session: Session, run_id: str, *, kinds: tuple[str, ...] = ALL_KINDS) -> Run:
    """Return a run by its id, its beginning or end, or ``last``: lists show the ends, which differ most.

    Raises:
        UserError: There is none, several are called so, or it is of another kind.
    """
    ends = [run.id for run in session.reader.runs.all() if run_id and run.id.endswith(run_id)]
    return existing_run(session.reader, ends[0] if len(ends) == 1 else run_id, kinds=kinds)


def _confirmed_run(session: Session, run_id: str) -> Run:
    """Return a run that may be processed here.

    Raises:
        UserError: There is none, or it was started elsewhere and is not confirmed.
    """
    run = found_run(session, run_id)
    if run.state == "received":
        raise received_refusal()
    if not session.runs.is_confirmed(run):
        raise refusal()
    return run


def _change_state(
    project: Path, run_id: str, step: Callable[[Session, str], Future[None]], *, console: Console
) -> None:
    with open_session(project) as session:
        run = found_run(session, run_id)
        step(session, run.id).result()
        if require_run(session, run.id).state == run.state:
            console.warn(f"The run is {run.state}: nothing was changed.")
        _report(session, run.id, console=console)


def _work_and_report(session: Session, run: Run, *, workers: int | None, console: Console) -> int:
    if require_run(session, run.id).state == "running":
        require_finished(session, process_run(session, run, console=console, workers=workers))
    return _report(session, run.id, console=console)


def _report(session: Session, run_id: str, *, console: Console) -> int:
    run_status = RunStatus.of(session, run_id)
    console.result(run_status.to_json(), print_text=lambda: run_status.print(console))
    return run_status.status


def _cost_text(progress: dict[str, Any]) -> str:
    costs = [f"{progress['cost']:,.4f}"] if progress["cost"] or not progress["models_without_price"] else []
    return " + ".join([*costs, *(["unknown price"] if progress["models_without_price"] else [])])


def _print_runs(head: tuple[str, ...], rows: Sequence[Sequence[str]], *, console: Console) -> None:
    if rows:
        console.table("Runs", head=head, rows=rows)
    else:
        console.print(
            "There are no runs. Start one with: blind, consensus, evaluate, detect, depth, draft --by model"
        )


def _print_connections(run: Run, *, is_confirmed: bool, console: Console) -> None:
    rows = [
        (one.model, one.adapter, field, value)
        for one in connections_of(run)
        for field, value in (one.uses or {"": ""}).items()
    ]
    console.table("Used outside the project", head=("model", "adapter", "field", "value"), rows=rows)
    console.print(
        f"{run_title(run)} is confirmed for this machine."
        if is_confirmed
        else f"{refusal()} If you know all of the above, add --yes."
    )


def _print_run(run_status: RunStatus, *, console: Console) -> None:
    console.print(f"{run_title(run_status.run)} ({KIND_TITLES[run_status.run.kind]})")
    run_status.print(console, is_whole=True)


def _write(predictions: Iterable[msgspec.Struct], file: IO[bytes]) -> int:
    count = 0
    for count, prediction in enumerate(predictions, start=1):  # noqa: B007 - counts
        file.write(msgspec.json.encode(prediction) + b"\n")
    return count


def _change_row(change: Change) -> tuple[str, ...]:
    answers = (_answers_text(change.one), _answers_text(change.other))
    return (change.name, change.task, *answers, _share(change.right_one), _share(change.right_other))


def _print_comparison(comparison: RunComparison, *, console: Console) -> None:
    console.print(
        f"{comparison.common:,} items in both runs, {comparison.only_one:,} only in the first, "
        f"{comparison.only_other:,} only in the second."
    )
    console.print(f"Correct: {_share(comparison.right_one)} and {_share(comparison.right_other)}.")
    rows = list(map(_change_row, comparison.changes[:SHOWN]))
    title = f"Different answers (first {len(rows)} of {len(comparison.changes):,}; all with --json)"
    console.table_if_any(title, head=("item", "task", "first", "second", "right", "right"), rows=rows)


def _answers_text(answers: dict[str, str]) -> str:
    return ", ".join(f"{model}: {answer or 'none'}" for model, answer in answers.items())


def _share(share: float | None) -> str:
    return "n/a" if share is None else f"{share:.1%}"


VERBS = (runs,)
