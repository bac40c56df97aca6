"""The command that runs the checks and keeps what they find as flags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.finding import Finding
from annotator.quality.report import CheckReport
from annotator.quality.run import run_checks
from annotator.quality.team_checks import ProjectChecks
from annotator.store.reader import Reader

RAISED_BY = "check"
GONE = "The check no longer reports this problem."


@dataclass(kw_only=True)
class RecordFindings(Command):
    """Run the checks and bring the flags of the project in line with what they find.

    Doing it twice changes nothing. A finding that is gone resolves its flag, one that comes back opens
    it again. A flag that a person dismissed stays dismissed as long as the check says the same.

    Attributes:
        task_sets: Ids of the sets to check, None for all.
        checks: Ids of the checks to run, None for all.
        report: Filled while the command is done.
    """

    task_sets: tuple[str, ...] | None = None
    checks: tuple[str, ...] | None = None
    report: CheckReport = field(default_factory=CheckReport)

    @property
    def summary(self) -> CommandSummary:
        """What it does, for the undo menu."""
        return CommandSummary.of("check_items")

    @property
    def details(self) -> dict[str, Any]:
        """What was asked for."""
        return {"task_sets": self.task_sets, "checks": self.checks}

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield new flags, and the new states of those that are there.

        Raises:
            UserError: A check is not known.
            Cancelled: The user stopped it.
        """
        known = ProjectChecks(reader.path).all
        if unknown := sorted(set(self.checks or ()) - set(known)):
            raise UserError(
                f"There is no check {', '.join(unknown)}.", hint=f"Available checks: {', '.join(known)}."
            )
        self.report = CheckReport()
        still_found: set[str] = set()
        findings = run_checks(
            reader, task_sets=self.task_sets, checks=self.checks, progress=progress, report=self.report
        )
        for finding in findings:
            flag = _flag_of(finding, reader)
            if flag is None:
                self.report.flags_added += 1
                yield _made(finding)
            else:
                still_found.add(flag.id)
                yield from self._repeated(flag, finding)
        # Last: only now it is known which flags no check raises any more.
        yield from self._resolved(reader, still_found)

    def _repeated(self, flag: Flag, finding: Finding) -> Iterator[Edit]:
        """Yield what a finding changes on the flag that it has: its words, and open where it was closed."""
        is_new = flag.message != finding.message
        if flag.state == "dismissed" and not is_new:
            return
        if is_new:
            yield from _changed(flag, message=finding.message)
        if flag.field != finding.field:
            yield from _changed(flag, field=finding.field)
        if flag.state != "open":
            self.report.flags_added += 1
            yield from _changed(flag, state="open", resolution="")
        elif is_new:
            self.report.flags_updated += 1

    def _resolved(self, reader: Reader, still_found: set[str]) -> Iterator[Edit]:
        for flag in reader.find(Flag, raised_by=RAISED_BY, state="open"):
            if flag.id in still_found:
                continue
            if self._was_checked(flag, reader):
                self.report.flags_resolved += 1
                yield from _changed(flag, state="resolved", resolution=GONE)

    def _was_checked(self, flag: Flag, reader: Reader) -> bool:
        """Tell whether this run would have found the reason of a flag if it still held."""
        if flag.kind not in self.report.checks:
            return False
        if self.task_sets is None:
            return True
        if flag.entity == "task":
            return flag.target.partition("/")[0] in self.task_sets
        # Of an item that was removed nothing is found again, whatever its set was.
        item = reader.get(Item, flag.target)
        return item is None or item.task_set in self.task_sets


def _flag_of(finding: Finding, reader: Reader) -> Flag | None:
    """Return the flag that a finding has already, in whatever state."""
    flags = reader.flags_of(finding.target)
    return next((f for f in flags if f.kind == finding.check and f.raised_by == RAISED_BY), None)


def _made(finding: Finding) -> Edit:
    flag = Flag(
        id=new_id(),
        entity=finding.entity,
        target=finding.target,
        kind=finding.check,
        message=finding.message,
        field=finding.field,
        severity=finding.severity,
        raised_by=RAISED_BY,
    )
    return Edit(entity="flag", entity_id=flag.id, field=CREATED, value=flag)


def _changed(flag: Flag, **values: str) -> Iterator[Edit]:
    for name, value in values.items():
        yield Edit(entity="flag", entity_id=flag.id, field=name, value=value)
