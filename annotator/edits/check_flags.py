"""The edits that raise the flags of checks, and that change flags."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain.event import CREATED, Edit
from annotator.domain.flag import Flag
from annotator.domain.record import new_id
from annotator.quality.finding import Finding

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


def changed_flag(flag: Flag, **values: object) -> Iterator[Edit]:
    """Yield the edits that give fields of a flag new values; none for those that have them."""
    for name, value in values.items():
        if getattr(flag, name) != value:
            yield Edit(entity="flag", entity_id=flag.id, field=name, value=value)
