"""The calibrated policy in the window: two distributions, a threshold to drag, sentences beside them."""

from __future__ import annotations

import msgspec
import pyqtgraph
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from annotator.domain.query import ItemQuery
from annotator.domain.work import RunPace
from annotator.quality.blind import ItemDecision, decide_all, report_on
from annotator.quality.calibrated.calibration import CURVE, calibrate
from annotator.quality.calibrated.decisions import CalibratedItem, CalibrationReport
from annotator.quality.calibrated.distribution import StatisticDistribution, distribution_of
from annotator.quality.policy import Policy
from tests.bench.model_evidence import asked
from tests.bench.shortcut_sets import generated_set
from tests.gui.runs.conftest import Person, Work
from tests.gui.runs.test_outcome import blind_outcome, blind_part, opened_outcome
from widgets import run_text, theme
from widgets.runs.calibration_plot import CalibrationPlot
from widgets.runs.calibration_tables import MOST_GUESSED, curve_section, guessed_section
from widgets.runs.calibration_text import calibration_text
from widgets.runs.policy_choice import PolicyChoice
from widgets.runs.rate_plot import RatePlot

POLICY = Policy(kind="calibrated", alpha=0.02)


@pytest.fixture(scope="module")
def decided_and_report() -> tuple[list[ItemDecision], CalibrationReport]:
    """Decide a set, and report on it at once, while what was learnt from it is still known."""
    made = decide_all(asked(generated_set(items=400, planted=0.3, seed=2), "answers", seed=2), POLICY)
    found = report_on(made, POLICY).calibration
    assert found is not None
    return made, found


@pytest.fixture
def decided(decided_and_report: tuple[list[ItemDecision], CalibrationReport]) -> list[ItemDecision]:
    return decided_and_report[0]


@pytest.fixture
def report(decided_and_report: tuple[list[ItemDecision], CalibrationReport]) -> CalibrationReport:
    return decided_and_report[1]


@pytest.fixture(scope="module")
def distribution(
    decided_and_report: tuple[list[ItemDecision], CalibrationReport],
) -> StatisticDistribution:
    decided, _report = decided_and_report
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


def test_distribution_of_when_the_line_moves_to_the_right_then_never_more_items_are_found(
    decided: list[ItemDecision], distribution: StatisticDistribution
) -> None:
    assert list(distribution.losses) == sorted(distribution.losses, reverse=True)
    calibration = calibrate([one.item_predictions for one in decided])
    found = [
        int((calibration.keys > calibration.threshold(loss).value).sum()) for loss in distribution.losses
    ]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) > 10
    # The shares of the table, of which the smallest is kept by its expectation only.
    shares = [int((calibration.keys > calibration.threshold(loss).value).sum()) for loss in CURVE]
    assert shares == sorted(shares)
    assert calibration.threshold(CURVE[0]).rule == "expected"


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
    uneven = msgspec.structs.replace(report.calibration, letter_p_value=0.001)
    stated = calibration_text(msgspec.structs.replace(report, calibration=uneven))
    assert "The letters of the answer keys are uneven (p = 0.001)" in stated
    even = msgspec.structs.replace(report.calibration, letter_p_value=0.4)
    assert "uneven" not in calibration_text(msgspec.structs.replace(report, calibration=even))
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
    plot.show_distribution(distribution, loss=0.02)
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


def test_plot_when_left_and_right_are_pressed_then_the_next_losses_are_chosen(
    qtbot: QtBot, distribution: StatisticDistribution
) -> None:
    plot = CalibrationPlot()
    qtbot.addWidget(plot)
    plot.show_distribution(distribution, loss=0.02)
    losses: list[float] = []
    plot.loss_chosen.connect(losses.append)
    larger = min(one for one in distribution.losses if one > 0.02)
    smaller = max(one for one in distribution.losses if one < larger)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up):
        qtbot.keyClick(plot, key)
    assert losses == [larger, smaller]
    plot.show_distribution(distribution, loss=max(distribution.losses))
    qtbot.keyClick(plot, Qt.Key.Key_Left)
    assert losses == [larger, smaller]
    assert plot.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_policy_choice_when_the_line_is_at_an_end_then_takes_its_loss(
    qtbot: QtBot, distribution: StatisticDistribution
) -> None:
    choice = PolicyChoice()
    qtbot.addWidget(choice)
    for edge in (distribution.edges[0], distribution.edges[-1]):
        loss = distribution.loss_at(edge)
        choice.choose(Policy(kind="calibrated", alpha=loss))
        assert choice.policy().alpha == loss
        assert choice.note.isHidden()


def test_policy_choice_when_a_number_is_not_permitted_then_says_what_is_used(qtbot: QtBot) -> None:
    choice = PolicyChoice()
    qtbot.addWidget(choice)
    choice.fields["calibrated"].setText("2")
    assert choice.policy().alpha == 0.02
    assert not choice.note.isHidden()
    assert choice.note.text() == (
        "The policy uses 0.02, because “2” is not a permitted number. "
        "Enter a share from 0 to 0.999; 0.02 is 2 %."
    )
    choice.fields["at_least"].setText("")
    choice.buttons["at_least"].setChecked(True)
    assert choice.note.text().endswith("Enter a whole number from 1 to 99.")
    choice.buttons["all"].setChecked(True)
    assert choice.note.isHidden()


def test_plots_when_the_theme_changes_while_they_are_shown_then_have_its_colours(
    qtbot: QtBot, distribution: StatisticDistribution
) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    row = QHBoxLayout(holder)
    plot, pace = CalibrationPlot(), RatePlot()
    plot.show_distribution(distribution, loss=0.02)
    pace.show_pace(RunPace(began_at=0.0, step_s=1.0, counts=(1, 2, 3)))
    row.addWidget(plot)
    row.addWidget(pace)
    with qtbot.waitExposed(holder):
        holder.show()
    # Drawn once, so that each view holds a picture of its background.
    holder.grab()
    try:
        tokens = theme.apply("light")
        ground = holder.grab().toImage()
        for one in (plot, pace):
            corner = one.mapTo(holder, QPoint(one.width() - 3, one.height() - 3))
            assert ground.pixelColor(corner).lightness() > 200
        assert plot.line.pen.color() == tokens.color("warn")
    finally:
        theme.apply("dark")


def test_curve_section_when_made_then_has_the_figures_of_the_report(report: CalibrationReport) -> None:
    section = curve_section(report)
    assert [row[:3] for row in section.rows] == [
        (run_text.share(one.alpha), f"{one.found:,}", f"{one.expected:.1f}") for one in report.curve
    ]
    assert [row[0] for row in section.rows][:3] == ["0.5 %", "1.0 %", "2.0 %"]
    assert all(one.found for one in report.curve[2:])
    bounded = next(index for index, one in enumerate(report.curve) if one.is_bounded)
    point = report.curve[bounded]
    assert section.rows[bounded][3:] == (f"{point.bound:,}", f"{point.beyond:,}")
    bare = msgspec.structs.replace(point, is_bounded=False)
    assert curve_section(msgspec.structs.replace(report, curve=(bare,))).rows[0][3:] == ("–", "–")


def test_guessed_section_when_made_then_tells_why_and_opens_the_item_of_a_row(
    decided: list[ItemDecision],
) -> None:
    opened: list[str] = []
    section = guessed_section(decided, open_item=opened.append)
    assert section is not None
    assert section.open_row is not None
    by_name = {one.item_predictions.item.name: one for one in decided}
    shown = [by_name[row[0]] for row in section.rows]
    assert {one.decision for one in shown} == {"guessed"}
    statistics = [one.calibrated.statistic for one in shown if one.calibrated is not None]
    assert statistics == sorted(statistics)
    assert all(row[3] for row in section.rows)
    assert any("it is longest by" in row[3] for row in section.rows)
    assert section.note.startswith(f"{MOST_GUESSED} of {sum(one.decision == 'guessed' for one in decided)} ")
    section.open_row(1)
    assert opened == [shown[1].item_predictions.item.id]
    kept = [one for one in decided if one.decision == "kept"]
    assert guessed_section(kept, open_item=opened.append) is None


def test_policy_when_calibrated_is_chosen_then_the_plot_and_its_bound_are_shown(
    person: Person, work: Work
) -> None:
    run = work.begin("One", "Two")
    work.answer(run, say=lambda claim: "B" if claim.model == "One" else "A")
    person.open(run)
    pane = opened_outcome(person)
    part = blind_part(pane)
    # Other policies have no plot, and do not wait for one.
    assert part.plot is None
    part.policy.buttons["calibrated"].setChecked(True)
    person.settle()
    assert part.plot.isVisible()
    assert blind_outcome(pane).policy == Policy(kind="calibrated", alpha=0.02)
    assert "The set is too small to learn from" in pane.summary.text()
    assert part.sections()[0].title == "Found items by permitted loss"
    requested: list[ItemQuery] = []
    pane.items_requested.connect(requested.append)
    part.item_opened.emit("some")
    assert requested[0].ids == ("some",)
    part.plot.loss_chosen.emit(0.05)
    person.settle()
    assert part.policy.fields["calibrated"].text() == "0.05"
    assert blind_outcome(pane).policy.alpha == 0.05
    part.policy.buttons["any"].setChecked(True)
    person.settle()
    assert not part.plot.isVisible()
    assert "Random guessing would remove" in pane.summary.text()
