"""The page about the calibrated policy against what the product computes."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import BinaryIO

import msgspec
import pytest

from annotator.cli import run_commands
from annotator.cli.calibration_report import write_decisions
from annotator.cli.command_line import run
from annotator.domain.eval_settings import EvalSettings
from annotator.domain.profile import ModelProfile
from annotator.domain.record import new_id
from annotator.domain.run import Prediction
from annotator.domain.work import JobOutcome, RunOrder
from annotator.quality.blind import ItemDecision, report_on
from annotator.quality.calibrated.false_removals import PLANNED_CONFIDENCE, false_removal_bound
from annotator.quality.policy import DEFAULT_POLICY, Policy
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from tests.bench.shortcut_sets import generated_set
from tests.windows import make_project

PAGE = Path(__file__).parents[4] / "docs" / "guide" / "calibrated-policy.md"
LINES_OF_CHECK = 10


def _section(title: str) -> str:
    return PAGE.read_text(encoding="utf-8").split(f"## {title}\n")[1].split("\n## ")[0].replace("\n", " ")


def _most_passing(wrong: int, *, items: int, share: float) -> int:
    """Return how many wrong options may lie above a threshold so that the planned bound keeps the share."""
    return max(
        passed
        for passed in range(wrong)
        if false_removal_bound(passed, wrong=wrong, items=items, confidence=PLANNED_CONFIDENCE)
        <= share * items
    )


def test_worked_example_when_computed_then_has_the_numbers_of_the_page() -> None:
    text = _section("Worked example")
    items, options, share = 1_000, 4, DEFAULT_POLICY.alpha
    wrong = items * (options - 1)
    passing = _most_passing(wrong, items=items, share=share)
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
    passing = _most_passing(left, items=kept, share=share)
    bound = false_removal_bound(passing, wrong=left, items=kept)
    assert f"now *m* = {passing}" in text
    assert f"{kept} · {passing + 1}/{left + 1:,} = {kept * (passing + 1) / (left + 1):.1f}" in text
    assert f"at most {bound}, so that at least {found} − {bound} = {found - bound} items" in text


PROFILE = ModelProfile(name="First", adapter="openai", model="first", base_url="http://127.0.0.1:9/v1")


def _made_project(path: Path, *, items: int, planted: float, task_sets: int) -> Path:
    """Make a project in which each public id occurs once in every task set."""
    generated = [one.item for one in generated_set(items=items, planted=planted, seed=5)]
    records = [
        msgspec.structs.replace(
            item, id=new_id(), name=f"N{number // task_sets}", task_set=f"s{number % task_sets}"
        )
        for number, item in enumerate(generated)
    ]
    return make_project(path, [*records])


def _answer_run(session: Session, *, answered: float) -> None:
    """Answer a share of the requests of a blind run with "A", and end it."""
    session.runs.save_profiles({PROFILE.name: PROFILE})
    settings = EvalSettings(visual_input="blind").to_json()
    begun, planned = session.runs.start(
        RunOrder(kind="blind", models=(PROFILE.name,), settings=settings)
    ).result()
    queue = WorkQueue.open(session.path)
    count = round(planned.jobs * answered)
    claims = queue.claim("hand", run=begun.id, model=PROFILE.name, count=count, now=1.8e9)
    queue.mark_sent(claims, [b"{}"] * len(claims))
    queue.record(
        [
            JobOutcome(
                claim=claim,
                prediction=Prediction(
                    request_key=claim.request_key.hex(),
                    kind="answer",
                    target=claim.target,
                    spec=claim.spec,
                    answer="A",
                    model={"name": claim.model, "kind": "chat"},
                    run=claim.run,
                ),
                raw=b"{}",
            )
            for claim in claims
        ],
        now=1.8e9,
    )
    queue.close()
    session.runs.cancel(begun.id).result()


@pytest.mark.parametrize(
    ("items", "planted", "answered", "task_sets"),
    [(210, 0.3, 1.0, 1), (60, 0.5, 1.0, 1), (10, 0.5, 1.0, 1), (60, 0.5, 0.5, 1), (60, 0.5, 1.0, 2)],
    ids=["learnt", "fixed_weights", "no_threshold", "half_asked", "equal_public_ids"],
)
def test_check_of_the_page_when_run_on_the_file_of_the_command_then_counts_what_the_report_states(
    items: int,
    planted: float,
    answered: float,
    task_sets: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    assert sum(bool(line) for line in code[1].splitlines()) == LINES_OF_CHECK
    project = _made_project(tmp_path / "p.vantage", items=items, planted=planted, task_sets=task_sets)
    with Session.open(project) as session:
        _answer_run(session, answered=answered)
    decided: list[ItemDecision] = []

    def write(found: list[ItemDecision], policy: Policy, *, run: str, file: BinaryIO) -> int:
        # Kept, because what is stated about the same decisions is known without learning a second time.
        decided.extend(found)
        return write_decisions(found, policy, run=run, file=file)

    monkeypatch.setattr(run_commands, "write_decisions", write)
    monkeypatch.chdir(tmp_path)
    command = ["runs", "decisions", str(project), "last", "--policy", "calibrated"]
    assert run([*command, "--out", "decisions.jsonl"]) == 0
    capsys.readouterr()
    monkeypatch.setattr(sys, "argv", ["check.py", "N3"])
    exec(code[1], {})
    counted, *rebuttals = capsys.readouterr().out.splitlines()
    report = report_on(decided, DEFAULT_POLICY)
    assert report.calibration is not None
    point = report.calibration.point
    assert point.found == report.guessed
    assert report.calibration.items == report.guessed + report.kept
    assert counted == (
        f"{report.guessed} of {report.calibration.items} removed; good ones expected: {point.expected:.1f}"
    )
    named = {one.item_predictions.item.id: one for one in decided if one.item_predictions.item.name == "N3"}
    shown = [ast.literal_eval(line) for line in rebuttals]
    assert {line["id"]: line["decision"] for line in shown} == {
        item: one.decision for item, one in named.items()
    }
    assert len(shown) == task_sets
