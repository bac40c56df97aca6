"""Flags: reasons why a record has to be reviewed."""

from __future__ import annotations

from typing import Any, Literal

from annotator.domain.record import Column, Record, Table

Severity = Literal["error", "warning", "note"]
FlagState = Literal["open", "resolved", "dismissed"]
_VOTERS = ("responses", "labels", "about")
"""Where the evidence lists who disagrees: responses or labels of people, names of models."""


def _votes(flag: Flag) -> int:
    """Return how many people or models are behind a flag; 1 for a check."""
    voters = (flag.evidence.get(name) for name in _VOTERS)
    return max((len(found) for found in voters if isinstance(found, list)), default=0) or 1


class Flag(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One contradiction, failed check or disagreement on one record.

    Attributes:
        entity: Type of the flagged record: ``item``, ``event_label``, ``medium``, ``scene``.
        target: Id of that record.
        kind: Id of the reason, for instance ``count_not_integer`` or ``duplicate_options``.
        message: The reason as text, with the values concerned.
        field: Field concerned, "" for the whole record.
        severity: ``error`` (must be decided), ``warning`` (should be reviewed) or ``note``.
        state: ``open``, ``resolved`` (the record was corrected) or ``dismissed`` (the record is correct).
        raised_by: ``import``, ``check``, ``blind``, ``consensus``, ``necessity``, ``response`` or ``hand``.
        evidence: Further values for the decision (JSON).
        resolution: Reason of the decision.
    """

    entity: str
    target: str
    kind: str
    message: str = ""
    field: str = ""
    severity: Severity = "warning"
    state: FlagState = "open"
    raised_by: str = "import"
    evidence: dict[str, Any] = {}
    resolution: str = ""

    table = Table(
        entity="flag",
        columns=(
            Column(name="entity", value=lambda r: r.entity),
            Column(name="target", value=lambda r: r.target),
            Column(name="kind", value=lambda r: r.kind),
            Column(name="state", value=lambda r: r.state),
            Column(name="severity", value=lambda r: r.severity),
            Column(name="raised_by", value=lambda r: r.raised_by),
            Column(name="votes", type=int, value=_votes),
        ),
        indexes=(("target", "state", "kind"), ("state", "kind", "n")),
    )
