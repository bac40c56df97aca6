"""Flag the items that the models of a consensus run doubt, and print the report."""

from __future__ import annotations

from typing import Any

import msgspec

from annotator.cli.console import Console
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.options import execute
from annotator.cli.run_status import SHOWN, RunStatus, basis_texts
from annotator.commands.consensus_flags import FlagDisagreements, disagreement_text
from annotator.domain.run import Run
from annotator.quality.consensus import (
    FEWEST_MODELS,
    ConsensusReport,
    Disagreement,
    find_disagreements,
    report_on,
)
from annotator.quality.predictions import collect_predictions
from annotator.session import Session


class ConsensusResult(msgspec.Struct, frozen=True, kw_only=True):
    """The report of a consensus run.

    Attributes:
        run_status: The status of the run.
        report: The agreement of the models.
        disagreements: The disagreements.
        flags: Numbers of flags that were added and closed, and of items that went to the reviewer.
        released: Names of the releases that contain such an item in its present form, by its id.
    """

    run_status: RunStatus
    report: ConsensusReport
    disagreements: tuple[Disagreement, ...]
    flags: dict[str, int]
    released: dict[str, tuple[str, ...]]

    def print_summary(self, console: Console) -> int:
        """Print it as ``console`` was asked for, and return the exit status."""
        console.result(self.to_json(), print_text=lambda: self.print(console))
        return FOUND_PROBLEMS if self.disagreements else self.run_status.status

    def to_json(self) -> dict[str, Any]:
        """Return it as the object that ``consensus --json`` prints."""
        return {
            **self.run_status.failures_json(),
            "report": msgspec.to_builtins(self.report),
            "flags": self.flags,
            "items": list(map(self._item_json, self.disagreements)),
        }

    def _item_json(self, disagreement: Disagreement) -> dict[str, Any]:
        item = disagreement.item_predictions.item
        return {
            "item": item.id,
            "name": item.name,
            "task": item.task,
            "kind": disagreement.kind,
            "message": disagreement_text(disagreement),
            "releases": self.released.get(item.id, ()),
        }

    def print(self, console: Console) -> None:
        """Print it as tables."""
        self.run_status.print(console)
        report = self.report
        console.print(
            f"{report.items:,} items; at least two models answered {report.judged:,} of them; "
            f"for {report.confirmed:,} all models agree with the answer key."
        )
        for text in basis_texts(report.accuracy, report.bases, fewest=FEWEST_MODELS):
            console.print(text)
        console.print(
            "  ".join(f"{name} {count:,}" for name, count in (report.disagreements | self.flags).items())
        )
        if self.released:
            names = ", ".join(sorted({name for held in self.released.values() for name in held}))
            console.print(
                f"{len(self.released):,} of the flagged items are in a release ({names}). Releases do not "
                "change; the flags apply to the next release."
            )
        rows = [self._row(disagreement) for disagreement in self.disagreements[:SHOWN]]
        title = f"Flagged (first {len(rows)} of {len(self.disagreements):,}; all with --json)"
        console.table_if_any(title, head=("item", "task", "kind", "released in", "why"), rows=rows)

    def _row(self, disagreement: Disagreement) -> tuple[str, str, str, str, str]:
        item = disagreement.item_predictions.item
        releases = self._releases_of(disagreement)
        return item.name, item.task, disagreement.kind, releases, disagreement_text(disagreement)

    def _releases_of(self, disagreement: Disagreement) -> str:
        return ", ".join(self.released.get(disagreement.item_predictions.item.id, ()))


def flag_disagreements(
    session: Session, run: Run, *, agreeing: int | None, console: Console
) -> ConsensusResult:
    """Evaluate the stored answers of a consensus run and flag disagreements.

    Raises:
        Cancelled: Ctrl+C was pressed; the project is unchanged.
    """
    with console.progress() as progress:
        item_predictions = collect_predictions(session.reader, run, progress=progress)
    disagreements = tuple(
        disagreement
        for entry in item_predictions
        for disagreement in find_disagreements(entry, agreeing=agreeing)
    )
    command = FlagDisagreements(
        run=run.id, items=[entry.item.id for entry in item_predictions], disagreements=disagreements
    )
    execute(session, command, console=console)
    return ConsensusResult(
        run_status=RunStatus.of(session, run.id),
        report=report_on(item_predictions, disagreements),
        disagreements=disagreements,
        flags={
            "flags added": command.added,
            "flags closed": command.closed,
            "items to review": command.moved,
        },
        released=command.released,
    )
