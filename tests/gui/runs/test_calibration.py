"""The calibrated policy in the window: two distributions, a threshold to drag, sentences beside them."""

from __future__ import annotations

import msgspec
import pyqtgraph
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from pytestqt.qtbot import QtBot

from annotator.quality.blind import decide_all, report_on
from annotator.quality.calibrated.decisions import CalibratedItem
from annotator.quality.calibrated.distribution import StatisticDistribution, distribution_of
from annotator.quality.policy import Policy
from tests.bench.model_evidence import asked
from tests.bench.shortcut_sets import generated_set
from tests.gui.runs.conftest import Person, Work
from tests.gui.runs.test_outcome import blind_outcome, blind_part, opened_outcome
from widgets.runs.calibration_plot import CalibrationPlot
from widgets.runs.calibration_text import calibration_text


@pytest.fixture(scope="module")
def distribution() -> StatisticDistribution:
    policy = Policy(kind="calibrated", alpha=0.02)
    decided = decide_all(generated_set(items=400, planted=0.3, seed=2), policy)
    found = distribution_of([one.calibrated for one in decided if one.calibrated is not None])
    assert found is not None
    return found


def test_distribution_of_when_shortcuts_are_planted_then_keys_lie_beyond_wrong_options(
    distribution: StatisticDistribution,
) -> None:
    assert sum(distribution.keys) == pytest.approx(1.0)
    assert sum(distribution.wrong) == pytest.approx(1.0)
    assert distribution.threshold is not None
    beyond = [edge > distribution.threshold for edge in distribution.edges[:-1]]
    keys = sum(share for share, is_beyond in zip(distribution.keys, beyond, strict=True) if is_beyond)
    wrong = sum(share for share, is_beyond in zip(distribution.wrong, beyond, strict=True) if is_beyond)
    assert keys > 0.15
    assert wrong < 0.02
    assert distribution.loss_at(distribution.edges[-1]) < 0.02 < distribution.loss_at(distribution.edges[0])


def test_distribution_of_when_nothing_was_decided_then_is_none() -> None:
    assert distribution_of([]) is None
    alone = CalibratedItem(statistic=1.0, others=(-1.0,), threshold=None, is_pool_leak=False)
    found = distribution_of([alone])
    assert found is not None
    assert found.threshold is None


def test_calibration_text_when_the_weights_come_with_the_product_then_states_no_bound() -> None:
    policy = Policy(kind="calibrated", alpha=0.02)
    entries = asked(generated_set(items=60, planted=0.3, seed=5), "answers", seed=5)
    report = report_on(decide_all(entries, policy), policy)
    assert report.calibration is not None
    assert report.calibration.threshold is not None
    text = calibration_text(report)
    assert "expected, without a bound" in text
    assert "95 %" not in text
    left_few = msgspec.structs.replace(report.calibration, rule="largest", unused_models=("One", "Two"))
    text = calibration_text(msgspec.structs.replace(report, calibration=left_few))
    assert "Too few good items are left to tell how many" in text
    assert "answers of One, Two. Ask in every rotation." in text


def test_plot_when_the_line_is_dragged_then_the_loss_of_that_place_is_chosen(
    qtbot: QtBot, distribution: StatisticDistribution, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Moves within 10 ms are skipped otherwise, and a test moves faster than a hand.
    monkeypatch.setitem(pyqtgraph.CONFIG_OPTIONS, "mouseRateLimit", -1)
    plot = CalibrationPlot()
    qtbot.addWidget(plot)
    plot.resize(700, 200)
    plot.show_distribution(distribution)
    plot.show()
    qtbot.waitExposed(plot)
    view = plot._view
    box = plot._plot.getViewBox()

    def at(value: float) -> QPoint:
        return view.mapFromScene(box.mapViewToScene(QPointF(value, sum(box.viewRange()[1]) / 2)))

    start, goal = at(float(plot.line.value())), at(distribution.edges[30])
    losses: list[float] = []
    plot.loss_chosen.connect(losses.append)
    port = view.viewport()
    qtbot.mouseMove(port, start)
    qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=start)
    for step in range(1, 11):
        qtbot.mouseMove(port, start + (goal - start) * step / 10)
    qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=goal)
    assert losses == [distribution.losses[30]]


def test_policy_when_calibrated_is_chosen_then_the_plot_and_its_bound_are_shown(
    person: Person, work: Work
) -> None:
    run = work.begin("One", "Two")
    work.answer(run, say=lambda claim: "B" if claim.model == "One" else "A")
    person.open(run)
    pane = opened_outcome(person)
    part = blind_part(pane)
    assert not part.plot.isVisible()
    part.policy.buttons["calibrated"].setChecked(True)
    person.settle()
    assert part.plot.isVisible()
    assert blind_outcome(pane).policy == Policy(kind="calibrated", alpha=0.02)
    assert "The set is too small to learn from" in pane.summary.text()
    part.plot.loss_chosen.emit(0.05)
    person.settle()
    assert part.policy.fields["calibrated"].text() == "0.05"
    assert blind_outcome(pane).policy.alpha == 0.05
    part.policy.buttons["any"].setChecked(True)
    person.settle()
    assert not part.plot.isVisible()
    assert "Random guessing would remove" in pane.summary.text()
