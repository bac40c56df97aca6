"""The page about the calibrated policy against what the product computes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from annotator.cli.calibration_report import write_decisions
from annotator.quality.blind import decide_all, report_on
from annotator.quality.calibrated.false_removals import PLANNED_CONFIDENCE, false_removal_bound
from annotator.quality.calibrated.wrong_options import WrongOptions
from annotator.quality.policy import DEFAULT_POLICY
from annotator.quality.predictions import ItemPredictions
from tests.bench.model_evidence import asked
from tests.bench.shortcut_sets import generated_set

PAGE = Path(__file__).parents[4] / "docs" / "guide" / "calibrated-policy.md"
LINES_OF_CHECK = 10


def _section(title: str) -> str:
    return PAGE.read_text(encoding="utf-8").split(f"## {title}\n")[1].split("\n## ")[0].replace("\n", " ")


def _most_passing(wrong: int, *, options: int, share: float) -> int:
    own = WrongOptions.of(np.arange(float(wrong)), sizes=np.full(wrong, options - 1))
    return own.most_passing(share)


def test_worked_example_when_computed_then_has_the_numbers_of_the_page() -> None:
    text = _section("Worked example")
    items, options, share = 1_000, 4, DEFAULT_POLICY.alpha
    wrong = items * (options - 1)
    passing = _most_passing(wrong, options=options, share=share)
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
    passing = _most_passing(left, options=options, share=share)
    bound = false_removal_bound(passing, wrong=left, items=kept)
    assert f"now *m* = {passing}" in text
    assert f"{kept} · {passing + 1}/{left + 1:,} = {kept * (passing + 1) / (left + 1):.1f}" in text
    assert f"at most {bound}, so that at least {found} − {bound} = {found - bound} items" in text


def _answered(*, items: int, planted: float) -> list[ItemPredictions]:
    return asked(generated_set(items=items, planted=planted, seed=5), "answers", seed=5)


def _half_asked() -> list[ItemPredictions]:
    entries = _answered(items=300, planted=0.3)
    return [
        msgspec.structs.replace(entry, predictions=()) if number % 2 else entry
        for number, entry in enumerate(entries)
    ]


def _two_task_sets() -> list[ItemPredictions]:
    """Return items of two task sets with the same public ids."""
    return [
        msgspec.structs.replace(
            entry,
            item=msgspec.structs.replace(
                entry.item, name=f"N{number % 150}", task_set="s1" if number < 150 else "s2"
            ),
        )
        for number, entry in enumerate(_answered(items=300, planted=0.3))
    ]


@pytest.mark.parametrize(
    "made",
    [
        lambda: _answered(items=300, planted=0.3),
        lambda: _answered(items=60, planted=0.5),
        lambda: _answered(items=10, planted=0.5),
        _half_asked,
        _two_task_sets,
    ],
    ids=["learnt", "fixed_weights", "no_threshold", "half_asked", "equal_public_ids"],
)
def test_check_of_the_page_when_run_then_counts_what_the_report_states(
    made: Callable[[], list[ItemPredictions]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    assert sum(bool(line) for line in code[1].splitlines()) == LINES_OF_CHECK
    decided = decide_all(made(), DEFAULT_POLICY)
    with (tmp_path / "decisions.jsonl").open("wb") as file:
        write_decisions(decided, DEFAULT_POLICY, run="r", file=file)
    one = decided[0]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["check.py", one.item_predictions.item.id])
    exec(code[1], {})
    counted, rebuttal = capsys.readouterr().out.splitlines()
    report = report_on(decided, DEFAULT_POLICY)
    assert report.calibration is not None
    point = report.calibration.point
    assert point.found == report.guessed
    assert report.calibration.items == report.guessed + report.kept
    assert counted == (
        f"{report.guessed} of {report.calibration.items} removed; good ones expected: {point.expected:.1f}"
    )
    assert rebuttal.startswith(f"{one.decision} {{'A': ")
