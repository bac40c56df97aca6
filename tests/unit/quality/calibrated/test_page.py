"""The page about the calibrated policy against what the product computes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from annotator.cli.calibration_report import write_decisions
from annotator.quality.blind import decide_all, report_on
from annotator.quality.calibrated.false_removals import (
    PLANNED_CONFIDENCE,
    false_removal_bound,
    most_passing,
)
from annotator.quality.policy import DEFAULT_POLICY
from tests.bench.model_evidence import asked
from tests.bench.shortcut_sets import generated_set

PAGE = Path(__file__).parents[4] / "docs" / "guide" / "calibrated-policy.md"
LINES_OF_CHECK = 10


def _section(title: str) -> str:
    return PAGE.read_text(encoding="utf-8").split(f"## {title}\n")[1].split("\n## ")[0].replace("\n", " ")


def test_worked_example_when_computed_then_has_the_numbers_of_the_page() -> None:
    text = _section("Worked example")
    items, options, share = 1_000, 4, DEFAULT_POLICY.alpha
    wrong = items * (options - 1)
    passing = most_passing(wrong=wrong, items=items, share=share)
    planned = [
        false_removal_bound(one, wrong=wrong, items=items, confidence=PLANNED_CONFIDENCE)
        for one in (passing, passing + 1)
    ]
    expected = items * (passing + 1) / (wrong + 1)
    assert f"*m* = {passing} may lie above" in text
    assert f"1,000 · {passing + 1}/{wrong + 1:,} = {expected:.1f}" in text
    assert f"the {PLANNED_CONFIDENCE:.0%} quantile".replace("%", " %") in text
    assert f"is {planned[0]}; for *m* = {passing + 1} it is {planned[1]}" in text
    found = 240
    kept, left = items - found, wrong - found * (options - 1)
    passing = most_passing(wrong=left, items=kept, share=share)
    bound = false_removal_bound(passing, wrong=left, items=kept)
    assert f"now *m* = {passing}" in text
    assert f"{kept} · {passing + 1}/{left + 1:,} = {kept * (passing + 1) / (left + 1):.1f}" in text
    assert f"at most {bound}, so that at least {found} − {bound} = {found - bound} items" in text


def test_check_of_the_page_when_run_then_counts_what_the_report_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    assert sum(bool(line) for line in code[1].splitlines()) == LINES_OF_CHECK
    entries = asked(generated_set(items=300, planted=0.3, seed=5), "answers", seed=5)
    decided = decide_all(entries, DEFAULT_POLICY)
    with (tmp_path / "decisions.jsonl").open("wb") as file:
        write_decisions(decided, DEFAULT_POLICY, run="r", file=file)
    name = next(one.item_predictions.item.name for one in decided if one.decision == "guessed")
    monkeypatch.chdir(tmp_path)
    exec(code[1].replace("Real2_OR_1_UAV1", name), {})
    counted, rebuttal = capsys.readouterr().out.splitlines()
    report = report_on(decided, DEFAULT_POLICY)
    assert report.calibration is not None
    assert counted == (
        f"{report.guessed} of 300 removed; good ones expected: {report.calibration.point.expected:.1f}"
    )
    assert rebuttal.startswith("guessed {'A': ")
