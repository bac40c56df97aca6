"""Verbs on runs of model work: list, show, steer, read the answers, compare, decide anew."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import click
import msgspec

from annotator.cli.ask_verbs import SHOWN, BlindEnd, BlindEnding, decided_run
from annotator.cli.console import Console
from annotator.cli.options import json_option, opened, project_argument
from annotator.cli.working import existing, limit_micro, standing_words, work_on
from annotator.domain.run import MICRO, Run
from annotator.quality.hearing import existing_run, hear
from annotator.quality.policy import POLICY_HELP, read_policy
from annotator.quality.run_comparison import RunComparison, compare_runs
from annotator.session import Session

ASKED = ("blind", "consensus")
ALL_KINDS = ("blind", "consensus", "draft", "detect", "depth")
run_argument = click.argument("run_id", metavar="RUN")


@click.group()
def runs() -> None:
    """Look at runs of model work, and steer them. RUN is an id, its beginning, or 'last'."""


@runs.command(name="list")
@project_argument
@json_option
def list_runs(project: Path, console: Console) -> None:
    """List the runs of PROJECT, the newest first."""
    with opened(project) as session:
        told = [_standing(session, run) for run in session.reader.runs()]
    rows = [
        (one["id"][-12:], one["kind"], one["title"], one["state"], f"{one['progress']['done']:,}",
         f"{one['progress']['total']:,}", f"{one['progress']['failed']:,}", f"{one['cost']:,.4f}")
        for one in told
    ]  # fmt: skip
    head = ("run", "kind", "title", "state", "answered", "of", "failed", "cost")
    console.result({"runs": told}, words=lambda: console.table("Runs", head=head, rows=rows))


@runs.command()
@project_argument
@run_argument
@json_option
def show(project: Path, run_id: str, console: Console) -> None:
    """Show how one run of PROJECT stands, what it cost, and what failed with a sample of the words."""
    with opened(project) as session:
        run = _run(session, run_id)
        told = _standing(session, run)
        told["failures"] = msgspec.to_builtins(session.reader.run_failures(run.id))
        told["settings"] = run.settings
        words = standing_words(run, session.reader.run_progress(run.id))
    console.result(told, words=lambda: _print_run(told, words, console=console))


@runs.command()
@project_argument
@run_argument
@json_option
def pause(project: Path, run_id: str, console: Console) -> None:
    """Hand out no more questions of a run; what is under way is still recorded."""
    _steer(project, run_id, lambda session, run: session.runs.pause(run), console=console)


@runs.command()
@project_argument
@run_argument
@json_option
def cancel(project: Path, run_id: str, console: Console) -> None:
    """Give a run up; its answers stay."""
    _steer(project, run_id, lambda session, run: session.runs.cancel(run), console=console)


@runs.command()
@project_argument
@run_argument
@click.option("--limit-cost", type=float, metavar="X", help="It may cost so much from now on.")
@json_option
def resume(project: Path, run_id: str, limit_cost: float | None, console: Console) -> None:
    """Go on with a run that was paused or stopped, and work on it."""
    with opened(project) as session:
        run = _run(session, run_id)
        if limit_cost is not None:
            session.runs.limit_run(run.id, limit_micro(limit_cost)).result()
        session.runs.resume(run.id).result()
        _work_and_tell(session, run, console=console)


@runs.command()
@project_argument
@run_argument
@json_option
def retry(project: Path, run_id: str, console: Console) -> None:
    """Ask again what failed in a run."""
    with opened(project) as session:
        run = _run(session, run_id)
        count = session.runs.retry_failed(run.id).result()
        console.warn(f"{count:,} questions are asked again.")
        _work_and_tell(session, run, console=console)


@runs.command()
@project_argument
@run_argument
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write them to a file.")
def verdicts(project: Path, run_id: str, out: Path | None) -> None:
    """Print the answers of a run as JSON, one a line: model, parameters, what was asked, answer, cost."""
    with opened(project) as session:
        lines = (
            msgspec.json.encode(verdict) + b"\n"
            for verdict in session.reader.verdicts(_run(session, run_id).id)
        )
        if out is None:
            sys.stdout.buffer.writelines(lines)
        else:
            with out.open("wb") as file:
                file.writelines(lines)


@runs.command()
@project_argument
@click.argument("one", metavar="RUN")
@click.argument("other", metavar="RUN")
@json_option
def compare(project: Path, one: str, other: str, console: Console) -> None:
    """Show on which items two runs of blind filter or consensus differ."""
    with opened(project) as session, console.progress() as progress:
        heard = [
            hear(session.reader, existing_run(session.reader, name, kinds=ASKED), progress=progress)
            for name in (one, other)
        ]
    told = compare_runs(*heard)
    console.result(told.to_json(), words=lambda: _print_comparison(told, console=console))


@runs.command()
@project_argument
@run_argument
@click.option("--policy", required=True, help=f"When an item counts as guessed: {POLICY_HELP}.")
@click.option("--unread-as-miss", is_flag=True, help="A reply that cannot be read counts as not right.")
@click.option(
    "--outcome",
    type=click.Choice(["author", "filtered", "none"]),
    default="none",
    show_default=True,
    help="What becomes of a guessed item; none: only say what would be.",
)
@click.option("--include-settled", is_flag=True, help="Touch items that people accepted or flagged too.")
@json_option
def redecide(
    project: Path,
    run_id: str,
    *,
    policy: str,
    unread_as_miss: bool,
    outcome: BlindEnd,
    include_settled: bool,
    console: Console,
) -> None:
    """Decide a blind run anew by another policy, from its stored answers; nobody is asked again."""
    ending = BlindEnding(
        policy=read_policy(policy, counts_unread=unread_as_miss),
        outcome=outcome,
        include_settled=include_settled,
    )
    with opened(project) as session:
        told = ending.apply(session, decided_run(session, run_id), console=console)
    console.result(told.to_json(), words=lambda: told.print(console))


def _run(session: Session, run_id: str) -> Run:
    return existing_run(session.reader, run_id, kinds=ALL_KINDS)


def _standing(session: Session, run: Run) -> dict[str, Any]:
    progress = session.reader.run_progress(run.id)
    return {
        "id": run.id,
        "kind": run.kind,
        "title": run.title,
        "models": run.models,
        "state": run.state,
        "words": run.words,
        "created_at": run.created_at,
        "ended_at": run.ended_at,
        "cost": progress.spent_micro / MICRO,
        "progress": msgspec.to_builtins(progress),
    }


def _steer(
    project: Path, run_id: str, step: Callable[[Session, str], Future[None]], *, console: Console
) -> None:
    with opened(project) as session:
        run = _run(session, run_id)
        step(session, run.id).result()
        _tell(session, run.id, console=console)


def _work_and_tell(session: Session, run: Run, *, console: Console) -> None:
    if existing(session, run.id).state == "running":
        work_on(session, run, console=console)
    _tell(session, run.id, console=console)


def _tell(session: Session, run_id: str, *, console: Console) -> None:
    run = existing(session, run_id)
    words = standing_words(run, session.reader.run_progress(run_id))
    console.result(_standing(session, run), words=lambda: console.say(words))


def _print_run(told: dict[str, Any], words: str, *, console: Console) -> None:
    console.say(f"{told['title']} ({told['kind']})")
    console.say(words)
    rows = [(one["kind"], f"{one['count']:,}", one["sample"]) for one in told["failures"]]
    if rows:
        console.table("Failures", head=("kind", "calls", "sample"), rows=rows)


def _print_comparison(told: RunComparison, *, console: Console) -> None:
    console.say(
        f"{told.common:,} items in both, {told.only_one:,} in the first alone, "
        f"{told.only_other:,} in the second."
    )
    console.say(f"Right: {_share(told.right_one)} and {_share(told.right_other)}.")
    rows = [
        (one.name, one.task, _said(one.one), _said(one.other), _share(one.right_one), _share(one.right_other))
        for one in told.changes[:SHOWN]
    ]
    if rows:
        title = f"Answered otherwise (first {len(rows)} of {len(told.changes):,}; all with --json)"
        console.table(title, head=("item", "task", "first", "second", "right", "right"), rows=rows)


def _said(answers: dict[str, str]) -> str:
    return ", ".join(f"{model}: {answer or 'none'}" for model, answer in answers.items())


def _share(share: float | None) -> str:
    return "none known" if share is None else f"{share:.1%}"


VERBS = (runs,)
