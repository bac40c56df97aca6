"""The counts that one run of the checks ends with."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from annotator.domain.own_files import OwnFault
from annotator.quality.finding import Finding


@dataclass(kw_only=True)
class CheckReport:
    """Counts of a run of the checks, updated while it runs.

    Attributes:
        items: Number of checked items, without rejected ones.
        severities: Number of findings by severity.
        checks: Number of findings by check, 0 for a check without findings.
        flags_added: Number of flags created or reopened.
        flags_updated: Number of open flags with a changed message.
        flags_resolved: Number of open flags without a finding.
        own_faults: Invalid files of the project's own task sets and checks.
        prompt_faults: Invalid files of its own prompts, which drafting needs and no check.
    """

    items: int = 0
    severities: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)
    flags_added: int = 0
    flags_updated: int = 0
    flags_resolved: int = 0
    own_faults: tuple[OwnFault, ...] = ()
    prompt_faults: tuple[OwnFault, ...] = ()

    @property
    def file_faults(self) -> tuple[OwnFault, ...]:
        """All files beside the project that cannot be used."""
        return (*self.own_faults, *self.prompt_faults)

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
                for fault in self.file_faults
            ],
        }
