"""The flags that checks and runs raise: the edit that raises one, and those that are there."""

from __future__ import annotations

from annotator.domain.event import CREATED, Edit
from annotator.domain.flag import Flag
from annotator.domain.record import new_id
from annotator.quality.finding import Finding
from annotator.queries.reader import Reader

RAISED_BY = "check"


def made_flag(finding: Finding) -> Edit:
    """Return the edit that raises the flag of a finding."""
    flag = Flag(
        id=new_id(),
        entity=finding.entity,
        target=finding.target,
        kind=finding.check,
        message=finding.message,
        field=finding.field,
        severity=finding.severity,
        raised_by=RAISED_BY,
        evidence=dict(finding.evidence),
    )
    return Edit(entity="flag", entity_id=flag.id, field=CREATED, value=flag)


def flags_by_target(reader: Reader, *, kind: str, raised_by: str) -> dict[str, Flag]:
    """Return the flags of one kind that one origin has raised, by the id of the flagged record."""
    return {flag.target: flag for flag in reader.find(Flag, kind=kind) if flag.raised_by == raised_by}
