"""The command that flags items whose answer does not need a part of their input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.earlier_finding import is_superseded
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.event import CREATED, Edit, edit_fields
from annotator.domain.flag import Flag, Severity
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.edits.check_flags import flags_by_target
from annotator.progress import Progress
from annotator.quality.necessity.answers import evidence_answers
from annotator.quality.necessity.decision import NecessityFinding, NecessityKind, PartDecision
from annotator.quality.necessity.report import NecessityReport
from annotator.queries.reader import Reader

RAISED_BY = "necessity"
GONE = "The models no longer answer it as surely without this part of the input."
SEVERITIES: Mapping[NecessityKind, Severity] = {
    "view_not_needed": "note",
    "frames_not_needed": "note",
    "order_not_needed": "note",
    "regions_not_needed": "note",
    "language_bias": "warning",
}
"""A question about one view is sound in many tasks; one whose answer does not come from the images is not."""
REASONS: Mapping[NecessityKind, str] = {
    "view_not_needed": "Models answer it as surely with one view",
    "frames_not_needed": "Models answer it as surely with one frame",
    "order_not_needed": "Models answer it as surely with the frames in another order",
    "regions_not_needed": "Models answer it as surely without the regions",
    "language_bias": "Models answer it right with the images of another scene",
}


@dataclass(kw_only=True)
class FlagUnneededInput(Command):
    """Raise a flag for each part of the input that an item does not need, and close superseded flags.

    A flag is closed if the study compared the item without the same part, no longer finds it and supersedes
    the earlier finding (``earlier_finding``). A refined item that gets a warning goes to the reviewer: its
    state is ``flagged``. A flag that a user dismissed stays dismissed as long as question, media and answer
    key are the same. Repeating the command changes nothing.

    Attributes:
        report: The result of the study.
        added: Flags created or reopened; set by ``plan``.
        closed: Flags closed; set by ``plan``.
        moved: Items that became ``flagged``; set by ``plan``.
    """

    report: NecessityReport
    added: int = field(default=0)
    closed: int = field(default=0)
    moved: int = field(default=0)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        found = (one.item.id for decision in self.report.decisions for one in decision.findings)
        return CommandSummary.of("flag_unneeded_input", count=len({*found}))

    @property
    def details(self) -> dict[str, Any]:
        """The runs."""
        return {"runs": list(self.report.runs)}

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield flags and states; items that no longer exist are skipped.

        Raises:
            Cancelled: The user cancelled the operation.
        """
        self.added = self.closed = self.moved = 0
        moved: set[str] = set()
        progress.begin(self.summary, total=sum(len(items) for items in self.report.asked.values()))
        for decision in self.report.decisions:
            found = {finding.item.id: finding for finding in decision.findings}
            flags = flags_by_target(reader, kind=decision.kind, raised_by=RAISED_BY)
            for item_id in self.report.asked[decision.part]:
                progress.step()
                finding, flag = found.get(item_id), flags.get(item_id)
                if finding is None and (flag is None or flag.state != "open"):
                    continue
                item = reader.get(Item, item_id)
                if item is not None:
                    yield from self._item(item, finding, flag, decision=decision, moved=moved)
        self.moved = len(moved)
        progress.end()

    def _item(
        self,
        item: Item,
        finding: NecessityFinding | None,
        flag: Flag | None,
        *,
        decision: PartDecision,
        moved: set[str],
    ) -> Iterator[Edit]:
        if finding is None:
            runs, models = self.report.runs, self.report.models
            if flag is not None and is_superseded(flag, item, run=runs[0], models=models):
                self.closed += 1
                yield from edit_fields(flag, state="resolved", resolution=GONE)
            return
        edits = list(self._raised(item, finding, flag, decision=decision))
        yield from edits
        # Only for new findings: if a user has handled the flag and moved the item on, that decision stands.
        if (
            edits
            and SEVERITIES[finding.kind] == "warning"
            and item.state == "refined"
            and item.id not in moved
        ):
            moved.add(item.id)
            yield Edit(entity="item", entity_id=item.id, field="state", value="flagged")

    def _raised(
        self, item: Item, finding: NecessityFinding, flag: Flag | None, *, decision: PartDecision
    ) -> Iterator[Edit]:
        evidence = _evidence(item, finding, decision=decision, report=self.report)
        message = finding_text(finding)
        if flag is None:
            self.added += 1
            made = Flag(
                id=new_id(),
                entity="item",
                target=item.id,
                kind=finding.kind,
                message=message,
                severity=SEVERITIES[finding.kind],
                raised_by=RAISED_BY,
                evidence=evidence,
            )
            yield Edit(entity="flag", entity_id=made.id, field=CREATED, value=made)
        elif flag.state != "dismissed" or any(
            flag.evidence.get(name) != evidence[name] for name in ("shown", "answer_key")
        ):
            self.added += flag.state != "open"
            wanted = {"message": message, "evidence": evidence, "state": "open", "resolution": ""}
            yield from edit_fields(flag, **wanted)


def finding_text(finding: NecessityFinding) -> str:
    """Return a finding as text, with the shares of right answers."""
    best = finding.comparisons[0]
    without, whole = round(100 * best.without.right), round(100 * best.whole.right)
    return f"{REASONS[finding.kind]}: {without} % right, {whole} % with the whole input."


def _evidence(
    item: Item, finding: NecessityFinding, *, decision: PartDecision, report: NecessityReport
) -> dict[str, Any]:
    best = finding.comparisons[0].without
    return {
        "run": report.runs[0],
        "models": {name: best.answers.get(name, {}) for name in report.models},
        "answer_key": item.answer_key,
        "shown": prompt_digest(item),
        "answers": evidence_answers(finding.comparisons),
        "right": {
            "": finding.comparisons[0].whole.right,
            **{one.input: one.without.right for one in finding.comparisons},
        },
        "threshold": decision.threshold,
        "false_share": round(decision.false_share or 0.0, 4),
    }
