from __future__ import annotations

from annotator.quality.finding import Finding
from annotator.quality.report import CheckReport


def _finding(check: str, severity: str) -> Finding:
    return Finding(
        check=check, severity=severity, entity="item", target="i", field="", message="m", advice="a"
    )  # type: ignore[arg-type]


def test_report_when_findings_pass_then_the_object_of_the_command_line_adds_up() -> None:
    report = CheckReport(items=5, flags_added=3, flags_resolved=1)
    report.checks.update({"option_keys": 0, "missing_media": 0})
    for check, severity in (
        ("missing_media", "warning"),
        ("missing_media", "warning"),
        ("duplicate_id", "error"),
    ):
        report.add(_finding(check, severity))
    assert report.to_json() == {
        "items": 5,
        "findings": 3,
        "errors": 1,
        "warnings": 2,
        "checks": {"option_keys": 0, "missing_media": 2, "duplicate_id": 1},
        "flags_added": 3,
        "flags_updated": 0,
        "flags_resolved": 1,
        "own_faults": [],
    }
