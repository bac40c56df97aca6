"""The counts that one run of the checks ends with."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from annotator.domain.own_files import OwnFault
from annotator.quality.finding import Finding


@dataclass(kw_only=True)
class CheckReport:
    """Counts of a run, filled while it goes on.

    Attributes:
        items: Items looked at; rejected ones are not.
        severities: Findings per severity.
        checks: Findings per check; a check that ran and found nothing stands with 0.
        flags_added: Flags made or opened again.
        flags_updated: Open flags whose message changed.
        flags_resolved: Open flags that no check raises any more.
        own_faults: Files of task sets and checks beside the project that cannot be used.
    """

    items: int = 0
    severities: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)
    flags_added: int = 0
    flags_updated: int = 0
    flags_resolved: int = 0
    own_faults: tuple[OwnFault, ...] = ()

    @property
    def findings(self) -> int:
        """Number of findings of all severities."""
        return self.severities.total()

    def add(self, finding: Finding) -> None:
        """Count one finding."""
        self.severities[finding.severity] += 1
        self.checks[finding.check] += 1

    def to_json(self) -> dict[str, Any]:
        """Return the counts as the object that ``check --json`` prints."""
        return {
            "items": self.items,
            "findings": self.findings,
            "errors": self.severities["error"],
            "warnings": self.severities["warning"],
            "checks": dict(self.checks),
            "flags_added": self.flags_added,
            "flags_updated": self.flags_updated,
            "flags_resolved": self.flags_resolved,
            "own_faults": [
                {"file": fault.file, "line": fault.line, "message": fault.message}
                for fault in self.own_faults
            ],
        }
