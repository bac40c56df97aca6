"""Verbs that put items to models: the blind filter, and the consensus of sighted models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import do, json_option, opened, project_argument
from annotator.cli.working import begin, existing, limit_micro, standing_words, work_on
from annotator.commands.blind_outcome import ApplyBlind, ItemOutcome
from annotator.commands.consensus_flags import FlagDoubts, doubt_words
from annotator.domain.asking import AskSettings, Drawn
from annotator.domain.run import Run
from annotator.domain.work import RunOrder
from annotator.jobs.kinds.ask_prompt import read_prompt
from annotator.predictor import ProbeReport
from annotator.quality.blind import BlindReport, PolicyFigures, compare_policies, decide_all, report_on
from annotator.quality.consensus import ConsensusReport, Doubt, doubts_about
from annotator.quality.consensus import report_on as consensus_report
from annotator.quality.hearing import existing_run, hear, probe_reports
from annotator.quality.policy import POLICY_HELP, USUAL_POLICIES, Policy, read_policy
from annotator.session import Session

FOUND_PROBLEMS = 1
SHOWN = 50
C = TypeVar("C", bound=Callable[..., Any])
BlindEnd = Literal["author", "filtered", "none"]


def item_options(function: C) -> C:
    """Give a verb the choice of items and models, handed over by name."""
    options = (
        click.option("--models", required=True, metavar="A,B", help="Names of model profiles."),
        click.option("--task-set", "task_sets", multiple=True, help="Only items of this task set."),
        click.option("--tasks", "--task", "tasks", multiple=True, metavar="ID,…", help="Only these tasks."),
        click.option("--state", "states", multiple=True, help="Only items in this state."),
        click.option("--rotations", default="1", metavar="N|all", help="Rotations of the options asked."),
        click.option("--samples", type=int, default=1, show_default=True, help="Shuffles of the options."),
        click.option("--seed", type=int, default=0, show_default=True, help="Of the shuffles."),
        click.option("--prompt", type=click.Path(path_type=Path), help="A file of own words around items."),
        click.option("--limit-cost", type=float, metavar="X", help="The run may cost so much."),
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.command()
@project_argument
@item_options
@click.option(
    "--policy", default="all", show_default=True, help=f"When an item counts as guessed: {POLICY_HELP}."
)
@click.option(
    "--unread-as-miss", is_flag=True, help="A reply that cannot be read counts as not right, not as unknown."
)
@click.option(
    "--outcome",
    type=click.Choice(["author", "filtered", "none"]),
    default="author",
    show_default=True,
    help="What becomes of a guessed item.",
)
@click.option("--include-settled", is_flag=True, help="Touch items that people accepted or flagged too.")
@json_option
def blind(
    project: Path,
    *,
    policy: str,
    unread_as_miss: bool,
    outcome: BlindEnd,
    include_settled: bool,
    console: Console,
    **chosen: Any,  # noqa: ANN401 - the options of item_options, as click hands them over
) -> int:
    """Ask models about PROJECT's items without the pictures, and take out what they know all the same."""
    rule = read_policy(policy, counts_unread=unread_as_miss)
    settings = msgspec.structs.replace(_settings("blind", chosen), policy=rule.words, outcome=outcome)
    with opened(project) as session:
        run = _asked(session, "blind", settings, chosen, console=console)
        ended = BlindEnding(policy=rule, outcome=outcome, include_settled=include_settled)
        told = ended.apply(session, run, console=console)
    console.result(told.to_json(), words=lambda: told.print(console))
    return FOUND_PROBLEMS if told.report.guessed or told.run.state == "stopped" else 0


@click.command()
@project_argument
@item_options
@click.option("--agree", type=int, metavar="K", help="So many models have to say the same; all by default.")
@click.option(
    "--rendering",
    type=click.Choice(["clean", "detected", "annotated"]),
    help="What is drawn into the pictures; by default what the task is about.",
)
@json_option
def consensus(
    project: Path,
    *,
    agree: int | None,
    rendering: Drawn | None,
    console: Console,
    **chosen: Any,  # noqa: ANN401 - the options of item_options, as click hands them over
) -> int:
    """Ask sighted models about PROJECT's items, and flag those whose key they doubt."""
    settings = msgspec.structs.replace(_settings("sighted", chosen), rendering=rendering or "")
    with opened(project) as session:
        run = _asked(session, "consensus", settings, chosen, console=console)
        told = flag_doubts(session, run, agreeing=agree, console=console)
    console.result(told.to_json(), words=lambda: told.print(console))
    return FOUND_PROBLEMS if told.doubts or told.run.state == "stopped" else 0


class BlindEnding(msgspec.Struct, frozen=True, kw_only=True):
    """How a blind run is to end.

    Attributes:
        policy: When an item counts as guessed.
        outcome: What becomes of it; ``none``: nothing is written.
        include_settled: Touch accepted and flagged items too.
    """

    policy: Policy
    outcome: BlindEnd
    include_settled: bool = False

    def apply(self, session: Session, run: Run, *, console: Console) -> BlindTold:
        """Decide on the stored answers of a run, and do what follows.

        Raises:
            Cancelled: Ctrl+C was pressed; the project is as it was.
        """
        with console.progress() as progress:
            heard = hear(session.reader, run, progress=progress)
            decided = decide_all(heard, self.policy, progress=progress)
            policies = compare_policies(heard, _beside(self.policy), progress=progress)
        outcomes: list[ItemOutcome] = []
        if self.outcome != "none":
            command = ApplyBlind(
                run=run.id,
                decided=decided,
                policy=self.policy,
                outcome=self.outcome,
                include_settled=self.include_settled,
            )
            do(session, command, console=console)
            outcomes = command.outcomes
        return BlindTold(
            run=run,
            standing=standing_words(run, session.reader.run_progress(run.id)),
            report=report_on(decided, self.policy),
            policies=tuple(policies),
            outcomes=tuple(outcomes),
            probes=probe_reports(session.reader, run),
        )


class BlindTold(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of a blind run that was decided.

    Attributes:
        run: The run.
        standing: How it stands, in words.
        report: What the policy made of it.
        policies: What this and the usual policies would do.
        outcomes: What became of items.
        probes: What probes say of the whole set, by model.
    """

    run: Run
    standing: str
    report: BlindReport
    policies: tuple[PolicyFigures, ...]
    outcomes: tuple[ItemOutcome, ...]
    probes: dict[str, ProbeReport]

    def to_json(self) -> dict[str, Any]:
        """Return it as the object that ``blind --json`` prints."""
        return {
            "run": self.run.id,
            "state": self.run.state,
            "report": msgspec.to_builtins(self.report),
            "policies": msgspec.to_builtins(self.policies),
            "items": msgspec.to_builtins(self.outcomes),
            "probes": msgspec.to_builtins(self.probes),
        }

    def print(self, console: Console) -> None:
        """Print it as tables."""
        console.say(self.standing)
        report = self.report
        console.say(
            f"{report.items:,} items by the policy '{report.policy}': {report.guessed:,} guessed, "
            f"{report.kept:,} kept, {report.undecided:,} undecided."
        )
        self._print_models(console)
        self._print_policies(console)
        self._print_giveaways(console)
        head = ("task", "items", "guessed", "by guessing", "undecided", "right", "by chance", "p")
        rows = [
            (f"{t.task_set}/{t.task}", f"{t.items:,}", f"{t.guessed:,}", f"{t.expected:.1f}",
             f"{t.undecided:,}", _share(t.right, t.known), _share(t.by_chance, t.known), _p(t.p))
            for t in report.tasks
        ]  # fmt: skip
        console.table("Tasks", head=head, rows=rows)
        if self.outcomes:
            shown = self.outcomes[:SHOWN]
            title = f"What was done (first {len(shown)} of {len(self.outcomes):,}; all with --json)"
            console.table(
                title,
                head=("item", "task", "done", "why"),
                rows=[(one.name, one.task, one.done, one.words) for one in shown],
            )

    def _print_models(self, console: Console) -> None:
        head = ("model", "asked", "right", "by chance", "p", "not read", "errors", "not asked", "outdated")
        rows = [
            (m.model, f"{m.asked:,}", _share(m.right, m.known), _share(m.by_chance, m.known), _p(m.p),
             f"{m.kinds.get('unparsed', 0) + m.kinds.get('empty', 0):,}", f"{m.kinds.get('error', 0):,}",
             f"{m.kinds.get('unasked', 0):,}", f"{m.kinds.get('outdated', 0):,}")
            for m in self.report.models
        ]  # fmt: skip
        console.table("Models", head=head, rows=rows)

    def _print_giveaways(self, console: Console) -> None:
        for model, probe in self.probes.items():
            rows = [
                (giveaway.words, giveaway.task or "all", f"{giveaway.strength:.3f}")
                for giveaway in probe.giveaways
            ]
            title = f"What gives keys away, by {model}"
            console.table(title, head=("the key is more often what", "task", "strength"), rows=rows)

    def _print_policies(self, console: Console) -> None:
        rows = [
            (p.policy, f"{p.guessed:,}", f"{p.kept:,}", f"{p.undecided:,}", f"{p.loss:.1%}")
            for p in self.policies
        ]
        head = ("policy", "guessed", "kept", "undecided", "good items lost to guessing")
        console.table("What policies make of these answers", head=head, rows=rows)


class ConsensusTold(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of a consensus run.

    Attributes:
        run: The run.
        standing: How it stands, in words.
        report: What the models agree on.
        doubts: Reasons to look at items.
        flags: Numbers of flags that were added and closed, and of items that went to the reviewer.
    """

    run: Run
    standing: str
    report: ConsensusReport
    doubts: tuple[Doubt, ...]
    flags: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """Return it as the object that ``consensus --json`` prints."""
        items = [
            {
                "item": doubt.heard.item.id,
                "name": doubt.heard.item.name,
                "task": doubt.heard.item.task,
                "kind": doubt.kind,
                "words": doubt_words(doubt),
            }
            for doubt in self.doubts
        ]
        report = msgspec.to_builtins(self.report)
        return {
            "run": self.run.id,
            "state": self.run.state,
            "report": report,
            "flags": self.flags,
            "items": items,
        }

    def print(self, console: Console) -> None:
        """Print it as tables."""
        console.say(self.standing)
        report = self.report
        console.say(
            f"{report.items:,} items, of {report.judged:,} at least two models gave an answer; "
            f"on {report.confirmed:,} all agree with the key."
        )
        console.say("  ".join(f"{name} {count:,}" for name, count in (report.doubts | self.flags).items()))
        rows = [
            (doubt.heard.item.name, doubt.heard.item.task, doubt.kind, doubt_words(doubt))
            for doubt in self.doubts[:SHOWN]
        ]
        if rows:
            title = f"Flagged (first {len(rows)} of {len(self.doubts):,}; all with --json)"
            console.table(title, head=("item", "task", "kind", "why"), rows=rows)


def flag_doubts(session: Session, run: Run, *, agreeing: int | None, console: Console) -> ConsensusTold:
    """Judge the stored answers of a consensus run and flag what models doubt.

    Raises:
        Cancelled: Ctrl+C was pressed; the project is as it was.
    """
    with console.progress() as progress:
        heard = hear(session.reader, run, progress=progress)
    doubts = tuple(doubt for one in heard for doubt in doubts_about(one, agreeing=agreeing))
    command = FlagDoubts(run=run.id, items=[one.item.id for one in heard], doubts=doubts)
    do(session, command, console=console)
    return ConsensusTold(
        run=run,
        standing=standing_words(run, session.reader.run_progress(run.id)),
        report=consensus_report(heard, doubts),
        doubts=doubts,
        flags={
            "flags added": command.added,
            "flags closed": command.closed,
            "items to review": command.moved,
        },
    )


def decided_run(session: Session, run_id: str) -> Run:
    """Return a blind run by its id, its beginning, or ``last``.

    Raises:
        UserError: There is none.
    """
    return existing_run(session.reader, run_id, kinds=("blind",))


def _asked(
    session: Session,
    kind: Literal["blind", "consensus"],
    settings: AskSettings,
    chosen: dict[str, Any],
    *,
    console: Console,
) -> Run:
    models = tuple(name.strip() for name in chosen["models"].split(",") if name.strip())
    order = RunOrder(
        kind=kind, models=models, settings=settings.to_json(), limit_micro=limit_micro(chosen["limit_cost"])
    )
    run = begin(session, order, console=console)
    return work_on(session, run, console=console) if run.state == "running" else existing(session, run.id)


def _settings(sight: Literal["blind", "sighted"], chosen: dict[str, Any]) -> AskSettings:
    rotations = chosen["rotations"].strip().lower()
    if rotations != "all" and not (rotations.isdigit() and int(rotations) > 0):
        raise click.BadParameter("a number from 1 on, or 'all'.", param_hint="--rotations")
    if chosen["samples"] < 1:
        raise click.BadParameter("at least 1.", param_hint="--samples")
    return AskSettings(
        sight=sight,
        task_sets=chosen["task_sets"],
        tasks=tuple(task.strip() for told in chosen["tasks"] for task in told.split(",") if task.strip()),
        states=chosen["states"],
        rotations=0 if rotations == "all" else int(rotations),
        samples=chosen["samples"],
        seed=chosen["seed"],
        prompt=read_prompt(chosen["prompt"]) if chosen["prompt"] else None,
    )


def _beside(policy: Policy) -> list[Policy]:
    usual = [msgspec.structs.replace(one, counts_unread=policy.counts_unread) for one in USUAL_POLICIES]
    return [policy, *(one for one in usual if one != policy)]


def _share(count: float, total: int) -> str:
    return f"{count / total:.1%}" if total else "none known"


def _p(p: float | None) -> str:
    return "" if p is None else f"{p:.2g}"


VERBS = (blind, consensus)
