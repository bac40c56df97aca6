"""The command that flags items whose answer key is probably wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.event import CREATED, Edit, edit_fields
from annotator.domain.flag import Flag, Severity
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.edits.check_flags import flags_by_target
from annotator.progress import Progress
from annotator.quality.key_errors.report import KeyErrorFinding
from annotator.queries.reader import Reader

RAISED_BY = "key_errors"
KIND = "key_probably_wrong"
GONE = "By the answers that there are now, the answer key is probably right."
WARNED_FROM = 0.5
"""Probability from which on the flag is a warning, which a person has to decide on; a note below."""


@dataclass(kw_only=True)
class FlagKeyErrors(Command):
    """Raise a flag for each probably wrong answer key, and close earlier ones that are no longer found.

    A refined item that gets a warning goes to the reviewer: its state is ``flagged``. A flag that a user
    dismissed stays dismissed as long as the same answer is proposed. Repeating the command changes nothing.

    Attributes:
        findings: The probably wrong keys.
        added: Flags created or reopened; set by ``plan``.
        closed: Flags closed; set by ``plan``.
        moved: Items that became ``flagged``; set by ``plan``.
    """

    findings: Sequence[KeyErrorFinding]
    added: int = field(default=0)
    closed: int = field(default=0)
    moved: int = field(default=0)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("flag_key_errors", count=len(self.findings))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield flags and states; items that no longer exist are skipped.

        Raises:
            Cancelled: The user cancelled the operation.
        """
        self.added = self.closed = self.moved = 0
        known = flags_by_target(reader, kind=KIND, raised_by=RAISED_BY)
        found = {finding.item: finding for finding in self.findings}
        progress.begin(self.summary, total=len(found))
        for finding in found.values():
            progress.step()
            item = reader.get(Item, finding.item)
            if item is not None:
                yield from self._raised(item, finding, known.get(item.id))
        for target, flag in known.items():
            if target not in found and flag.state == "open":
                self.closed += 1
                yield from edit_fields(flag, state="resolved", resolution=GONE)
        progress.end()

    def _raised(self, item: Item, finding: KeyErrorFinding, flag: Flag | None) -> Iterator[Edit]:
        severity: Severity = "warning" if finding.probability >= WARNED_FROM else "note"
        evidence: Mapping[str, Any] = {
            "answer": finding.answer,
            "probability": round(finding.probability, 4),
            "answers": finding.answers,
            "about": [name for name, answer in finding.answers.items() if answer == finding.answer],
            "answer_key": item.answer_key,
            "shown": prompt_digest(item),
        }
        if flag is None:
            made = Flag(
                id=new_id(),
                entity="item",
                target=item.id,
                kind=KIND,
                message=finding.text,
                field="answer_key",
                severity=severity,
                raised_by=RAISED_BY,
                evidence=dict(evidence),
            )
            self.added += 1
            yield Edit(entity="flag", entity_id=made.id, field=CREATED, value=made)
        elif flag.state == "dismissed" and flag.evidence.get("answer") == finding.answer:
            return
        else:
            is_new = flag.state != "open"
            wanted = {"message": finding.text, "severity": severity, "evidence": dict(evidence)}
            edits = list(edit_fields(flag, **wanted, state="open", resolution=""))
            self.added += is_new
            yield from edits
            if not is_new:
                return
        if severity == "warning" and item.state == "refined":
            self.moved += 1
            yield Edit(entity="item", entity_id=item.id, field="state", value="flagged")
