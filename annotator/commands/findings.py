"""The command that runs the checks and stores their findings as flags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import Edit, edit_fields
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.draft.llm.prompts import prompt_faults
from annotator.edits.check_flags import RAISED_BY, made_flag
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.finding import Finding
from annotator.quality.report import CheckReport
from annotator.quality.run import run_checks
from annotator.quality.team_checks import ProjectChecks
from annotator.queries.reader import Reader

GONE = "The check no longer reports this problem."


@dataclass(kw_only=True)
class RecordFindings(Command):
    """Run the checks and bring the flags of the project in line with what they find.

    Repeating the command changes nothing. If a finding disappears, its flag is resolved; if it returns, the
    flag is reopened. A dismissed flag stays dismissed as long as the check gives the same message.

    Attributes:
        task_sets: Ids of the sets to check, None for all.
        checks: Ids of the checks to run, None for all.
        report: Set by ``plan``.
    """

    task_sets: tuple[str, ...] | None = None
    checks: tuple[str, ...] | None = None
    report: CheckReport = field(default_factory=CheckReport)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("check_items")

    @property
    def details(self) -> dict[str, Any]:
        """The checks and task sets requested."""
        return {"task_sets": self.task_sets, "checks": self.checks}

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield new flags, and the new states of existing ones.

        Raises:
            UserError: A check id is unknown.
            Cancelled: The user cancelled the operation.
        """
        known = ProjectChecks(reader.path).all
        if unknown := sorted(set(self.checks or ()) - set(known)):
            raise UserError(
                f"There is no check {', '.join(unknown)}.", hint=f"Available checks: {', '.join(known)}."
            )
        self.report = CheckReport(prompt_faults=prompt_faults(reader.path))
        still_found: set[str] = set()
        findings = run_checks(
            reader, task_sets=self.task_sets, checks=self.checks, progress=progress, report=self.report
        )
        for finding in findings:
            flag = _flag_of(finding, reader)
            if flag is None:
                self.report.flags_added += 1
                yield made_flag(finding)
            else:
                still_found.add(flag.id)
                yield from self._repeated(flag, finding)
        # Last: which flags no check raises any more is known only after all checks.
        yield from self._resolved(reader, still_found)

    def _repeated(self, flag: Flag, finding: Finding) -> Iterator[Edit]:
        """Yield the changes of an existing flag: the new message, and the open state if it was closed."""
        is_new = flag.message != finding.message
        if flag.state == "dismissed" and not is_new:
            return
        if is_new:
            yield from edit_fields(flag, message=finding.message)
        if flag.field != finding.field:
            yield from edit_fields(flag, field=finding.field)
        if flag.evidence != finding.evidence:
            yield from edit_fields(flag, evidence=dict(finding.evidence))
        if flag.state != "open":
            self.report.flags_added += 1
            yield from edit_fields(flag, state="open", resolution="")
        elif is_new:
            self.report.flags_updated += 1

    def _resolved(self, reader: Reader, still_found: set[str]) -> Iterator[Edit]:
        for flag in reader.find(Flag, raised_by=RAISED_BY, state="open"):
            if flag.id in still_found:
                continue
            if self._was_checked(flag, reader):
                self.report.flags_resolved += 1
                yield from edit_fields(flag, state="resolved", resolution=GONE)

    def _was_checked(self, flag: Flag, reader: Reader) -> bool:
        """Return whether this run would have found the reason of a flag again, if it still existed."""
        if flag.kind not in self.report.checks:
            return False
        if self.task_sets is None:
            return True
        if flag.entity == "task":
            return flag.target.partition("/")[0] in self.task_sets
        # Checks never read removed items, whatever their task set was.
        item = reader.get(Item, flag.target)
        return item is None or item.task_set in self.task_sets


def _flag_of(finding: Finding, reader: Reader) -> Flag | None:
    """Return the existing flag of a finding, in any state."""
    flags = reader.flags_of(finding.target)
    return next((f for f in flags if f.kind == finding.check and f.raised_by == RAISED_BY), None)
