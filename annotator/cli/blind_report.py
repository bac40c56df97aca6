"""Apply a policy to the answers of a blind run, update its items, and print the report."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Literal

import click
import msgspec

from annotator.cli.calibration_report import print_calibration
from annotator.cli.console import Console
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.options import execute
from annotator.cli.run_status import SHOWN, RunStatus, basis_texts
from annotator.commands.apply_blind import ApplyBlind, ItemOutcome
from annotator.domain.run import Run
from annotator.model_api import ProbeReport
from annotator.quality.blind import BlindReport, PolicyFigures, compare_policies, decide_all, report_on
from annotator.quality.policy import POLICY_HELP, USUAL_POLICIES, Policy, read_policy
from annotator.quality.predictions import collect_predictions, probe_reports
from annotator.session import Session

BlindEnd = Literal["author", "filtered", "none"]
Verb = Callable[..., int]


def ending_options(*, policy: str | None, outcome: BlindEnd) -> Callable[[Verb], Verb]:
    """Add the options of a policy and its outcome to a command, passed as ``ending``.

    Args:
        policy: The default policy; None if one is required.
        outcome: The default outcome.
    """

    def decorate(function: Verb) -> Verb:
        @wraps(function)
        def ended(
            *arguments: Any,  # noqa: ANN401 - what click hands over
            policy: str,
            unread_as_miss: bool,
            outcome: BlindEnd,
            include_settled: bool,
            **others: Any,  # noqa: ANN401 - the same
        ) -> int:
            rule = read_policy(policy, counts_unread=unread_as_miss)
            ending = BlindPolicyOptions(policy=rule, outcome=outcome, include_settled=include_settled)
            return function(*arguments, ending=ending, **others)

        verb: Verb = ended
        for option in reversed(_options(policy=policy, outcome=outcome)):
            verb = option(verb)
        return verb

    return decorate


def _options(*, policy: str | None, outcome: BlindEnd) -> tuple[Callable[[Verb], Verb], ...]:
    # click treats even None as a default, and then does not require the option.
    usual: dict[str, Any] = {"required": True} if policy is None else {"default": policy}
    return (
        click.option(
            "--policy",
            show_default=True,
            help=f"When an item counts as guessed: {POLICY_HELP}.",
            **usual,
        ),
        click.option(
            "--unread-as-miss",
            is_flag=True,
            help="Count a reply that cannot be parsed as wrong instead of unknown.",
        ),
        click.option(
            "--outcome",
            type=click.Choice(BlindEnd.__args__),  # type: ignore[attr-defined]
            default=outcome,
            show_default=True,
            help="What happens to guessed items: return to the author, filter, or no change.",
        ),
        click.option(
            "--include-settled",
            is_flag=True,
            help="Also change items that are accepted, flagged or released.",
        ),
    )


class BlindPolicyOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The policy and outcome of a blind run.

    Attributes:
        policy: When an item counts as guessed.
        outcome: The change of guessed items; ``none``: nothing is written.
        include_settled: Change accepted and flagged items too.
    """

    policy: Policy
    outcome: BlindEnd
    include_settled: bool = False

    def apply(self, session: Session, run: Run, *, console: Console) -> BlindResult:
        """Apply the policy to the stored answers of a run.

        Raises:
            Cancelled: Ctrl+C was pressed; the project is unchanged.
        """
        with console.progress() as progress:
            item_predictions = collect_predictions(session.reader, run, progress=progress)
            decided = decide_all(item_predictions, self.policy, progress=progress)
            policies = compare_policies(item_predictions, _beside(self.policy), progress=progress)
        outcomes: list[ItemOutcome] = []
        if self.outcome != "none":
            command = ApplyBlind(
                run=run.id,
                decided=decided,
                policy=self.policy,
                outcome=self.outcome,
                include_settled=self.include_settled,
            )
            execute(session, command, console=console)
            outcomes = command.outcomes
        return BlindResult(
            run_status=RunStatus.of(session, run.id),
            report=report_on(decided, self.policy),
            policies=tuple(policies),
            outcomes=tuple(outcomes),
            probes=probe_reports(session.reader, run),
        )


class BlindResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a blind run to which a policy was applied.

    Attributes:
        run_status: The status of the run.
        report: The decisions of the policy.
        policies: The results of this and the usual policies.
        outcomes: The outcomes of items.
        probes: The results of probes on the whole set, by model.
    """

    run_status: RunStatus
    report: BlindReport
    policies: tuple[PolicyFigures, ...]
    outcomes: tuple[ItemOutcome, ...]
    probes: dict[str, ProbeReport]

    @property
    def title(self) -> str:
        """The policy in words."""
        return read_policy(self.report.policy).title

    def print_summary(self, console: Console) -> int:
        """Print it as ``console`` was asked for, and return the exit status."""
        console.result(self.to_json(), print_text=lambda: self.print(console))
        return FOUND_PROBLEMS if self.report.guessed else self.run_status.status

    def to_json(self) -> dict[str, Any]:
        """Return it as the object that ``blind --json`` prints."""
        return {
            **self.run_status.failures_json(),
            "report": msgspec.to_builtins(self.report),
            "policies": msgspec.to_builtins(self.policies),
            "items": msgspec.to_builtins(self.outcomes),
            "probes": msgspec.to_builtins(self.probes),
        }

    def print(self, console: Console) -> None:
        """Print it as tables."""
        self.run_status.print(console)
        report = self.report
        console.print(
            f"{report.items:,} items, policy '{self.title}': {report.guessed:,} guessed, "
            f"{report.kept:,} kept, {report.undecided:,} undecided."
        )
        for text in basis_texts(report.accuracy, report.bases):
            console.print(text)
        if report.calibration is not None:
            print_calibration(report.calibration, console)
        self._print_models(console)
        self._print_policies(console)
        self._print_giveaways(console)
        head = ("task", "items", "guessed", "expected by chance", "undecided", "correct", "by chance", "p")
        rows = [
            (f"{t.task_set}/{t.task}", f"{t.items:,}", f"{t.guessed:,}", f"{t.expected:.1f}",
             f"{t.undecided:,}", _share(t.right, t.known), _share(t.by_chance, t.known), _p(t.p))
            for t in report.tasks
        ]  # fmt: skip
        console.table("Tasks", head=head, rows=rows)
        if self.outcomes:
            shown = self.outcomes[:SHOWN]
            title = f"Results for items (first {len(shown)} of {len(self.outcomes):,}; all with --json)"
            console.table(
                title,
                head=("item", "task", "result", "reason"),
                rows=[(one.name, one.task, one.done, one.reason) for one in shown],
            )

    def _print_models(self, console: Console) -> None:
        head = ("model", "asked", "correct", "by chance", "p", "unparsed", "errors", "not asked", "outdated")
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
                (giveaway.text, giveaway.task or "all", f"{giveaway.strength:.3f}")
                for giveaway in probe.giveaways
            ]
            title = f"Giveaways of the answer key, found by {model}"
            console.table(title, head=("feature of the correct option", "task", "strength"), rows=rows)

    def _print_policies(self, console: Console) -> None:
        rows = list(map(_policy_row, self.policies))
        # A model that repeats its first guess is not detected by any number of rotations: the two columns are
        # the minimum and maximum loss of a policy.
        head = (
            "policy", "guessed", "kept", "undecided",
            "good items lost (at best)", "good items lost (at worst)",
        )  # fmt: skip
        console.table("Comparison of policies", head=head, rows=rows)


def _policy_row(one: PolicyFigures) -> tuple[str, ...]:
    counts = (one.guessed, one.kept, one.undecided)
    return (one.policy, *(f"{count:,}" for count in counts), f"{one.loss:.1%}", f"{one.stuck_loss:.1%}")


def _beside(policy: Policy) -> list[Policy]:
    usual = [msgspec.structs.replace(one, counts_unread=policy.counts_unread) for one in USUAL_POLICIES]
    return [policy, *(one for one in usual if one != policy)]


def _share(count: float, total: int) -> str:
    return f"{count / total:.1%}" if total else "n/a"


def _p(p: float | None) -> str:
    return "" if p is None else f"{p:.2g}"
