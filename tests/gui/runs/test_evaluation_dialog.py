"""Evaluation runs through the window: a release and input variants in the dialog, accuracies on the page."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from annotator.domain.eval_settings import EvaluationSettings
from annotator.domain.flag import Flag
from annotator.domain.input_variants import FrameCount, FrameOrder, ImageSize
from annotator.domain.item import Item
from annotator.domain.work import Claim, RunOrder
from annotator.progress import Progress
from annotator.scoring.score_report import score_sources
from annotator.session import Session
from tests.gui.runs.conftest import Person, Work
from tests.gui.runs.test_sheets_of_runs import estimated, opened
from tests.unit.release.samples import release
from tests.unit.store.making import a_medium, changed, created, write
from widgets.runs.evaluation_panel import EvaluationPanel
from widgets.runs.new_run_dialog import NewRunDialog


@pytest.fixture
def sheet(person: Person, work: Work) -> NewRunDialog:
    made = opened(person, "runs.new_evaluation")
    made.models.boxes["One"].setChecked(True)
    return made


@pytest.fixture
def folder(session: Session, tmp_path: Path) -> Path:
    release(session, tmp_path / "out", "native", include_flagged=True)
    return tmp_path / "out"


def started(sheet: NewRunDialog) -> list[RunOrder]:
    """Press the button, and return the runs that would begin."""
    orders: list[list[RunOrder]] = []
    # The window's own slot would start a process.
    sheet.study_submitted.disconnect()
    sheet.study_submitted.connect(orders.append)
    sheet.main.click()
    return orders[0]


def test_evaluation_when_variants_are_listed_then_one_run_for_each_model_and_combination(
    person: Person, sheet: NewRunDialog
) -> None:
    sheet.models.boxes["Two"].setChecked(True)
    sheet.evaluation.sizes.setText("448, 896")
    sheet.evaluation.frames.setText("8")
    sheet.evaluation.orders["reversed"].setChecked(True)
    sheet.limit.setText("2")
    told = estimated(person, sheet)
    assert told.startswith(
        "4 runs, one per model and input variant: 20 requests for 5 records: One 10, Two 10."
    )
    assert "Each of the runs stops at the limit of 2.00." in told
    sheet.title.setText("Sizes")
    orders = started(sheet)
    settings = [msgspec.convert(order.settings, EvaluationSettings) for order in orders]
    assert [order.models for order in orders] == [("One",), ("One",), ("Two",), ("Two",)]
    assert settings[0].given.variants == (
        ImageSize(longest_px=448),
        FrameCount(frames=8),
        FrameOrder(order="reversed"),
    )
    assert {order.title for order in orders} == {"Sizes"}
    assert len({one.study for one in settings}) == 1


def test_evaluation_when_parts_of_the_input_are_checked_then_each_is_asked_beside_the_whole(
    person: Person, sheet: NewRunDialog
) -> None:
    assert estimated(person, sheet).startswith("5 requests for 5 records")
    boxes = sheet.evaluation.ablations.boxes
    for name in ("view-2", "reversed", "shuffled"):
        boxes[name].click()
    # The items of this project have no second view.
    assert "no such view, or no other views beside it" in estimated(person, sheet)
    assert not sheet.main.isEnabled()
    boxes["view-2"].click()
    assert estimated(person, sheet).startswith("3 runs")
    orders = started(sheet)
    given = [msgspec.convert(order.settings, EvaluationSettings).given for order in orders]
    assert [one.variants for one in given] == [
        (),
        (FrameOrder(order="reversed"),),
        (FrameOrder(order="shuffled"),),
    ]


def test_evaluation_when_a_value_is_impossible_then_cannot_start(person: Person, sheet: NewRunDialog) -> None:
    for text in ("big", "448, -1", "99999"):
        sheet.evaluation.sizes.setText(text)
        assert estimated(person, sheet) == "A number is missing or invalid."
        assert not sheet.main.isEnabled()
    sheet.evaluation.sizes.setText("448，0")
    assert estimated(person, sheet).startswith("2 runs")
    assert sheet.main.isEnabled()


def test_evaluation_when_a_release_is_chosen_then_its_items_are_asked_as_released(
    person: Person, sheet: NewRunDialog, folder: Path, session: Session
) -> None:
    item = next(iter(session.reader.records(Item)))
    write(session, *changed("item", item.id, state="rejected"))
    sheet.evaluation.open_release(folder)
    assert estimated(person, sheet).startswith("5 requests for 5 records")
    assert not sheet.scope.isEnabled()
    assert sheet.evaluation.note.text() == (
        "5 items, as released. It contains no images: those of the media files are sent."
    )
    (order,) = started(sheet)
    settings = msgspec.convert(order.settings, EvaluationSettings)
    assert settings.given.release
    assert len(settings.items) == 5


def test_evaluation_when_a_release_is_removed_while_another_is_read_then_none_is_asked(
    person: Person, sheet: NewRunDialog, folder: Path
) -> None:
    sheet.evaluation.open_release(folder)
    estimated(person, sheet)
    sheet.evaluation.open_release(folder)
    sheet.evaluation.remove.click()
    estimated(person, sheet)
    person.settle()
    assert sheet.evaluation.release is None
    assert sheet.scope.isEnabled()


def test_evaluation_when_the_folder_is_no_release_then_says_so_and_asks_the_present_items(
    person: Person, sheet: NewRunDialog, tmp_path: Path
) -> None:
    sheet.evaluation.open_release(tmp_path)
    assert estimated(person, sheet).startswith("5 requests")
    assert "is not a release folder" in sheet.evaluation.note.text()
    assert sheet.scope.isEnabled()


def test_evaluation_when_runs_are_over_then_the_page_has_the_accuracy_of_each(
    person: Person, work: Work, sheet: NewRunDialog
) -> None:
    sheet.evaluation.sizes.setText("100, 800")
    estimated(person, sheet)
    orders = started(sheet)
    runs = [work.session.runs.start(order).result()[0] for order in orders]
    keys = {item.id: item.answer_key for item in work.session.reader.records(Item)}

    def right(claim: Claim) -> str:
        return keys[claim.target]

    work.answer(runs[0], say=lambda _claim: "A")
    work.answer(runs[1], say=right, count=4)
    work.answer(runs[1], kind="unparsed", say=lambda _claim: "")
    person.open(runs[1])
    person.window.registry.run("runs.outcome")
    person.settle()
    pane = person.runs.page.outcome
    person.qtbot.settle(pane.is_settled)
    assert isinstance(pane.part, EvaluationPanel)
    (section,) = pane.part.sections()
    assert [row[:9] for row in section.rows] == [
        ("One", "100 px", "32", "in order", "whole input", "5", "0", "0", "40.0 %"),
        ("One", "800 px", "32", "in order", "whole input", "5", "1", "0", "80.0 %"),
    ]
    assert not pane.main.isVisible()


def test_score_when_pressed_on_a_run_then_scores_has_its_answers_and_its_release(
    person: Person, work: Work, sheet: NewRunDialog, folder: Path
) -> None:
    sheet.evaluation.open_release(folder)
    sheet.evaluation.sizes.setText("800")
    estimated(person, sheet)
    (run,) = (work.session.runs.start(order).result()[0] for order in started(sheet))
    keys = {item.id: item.answer_key for item in work.session.reader.records(Item)}
    work.answer(run, say=lambda claim: keys[claim.target], count=3)
    work.answer(run, say=lambda _claim: "", kind="unparsed")
    person.open(run)
    person.press("S")
    person.qtbot.waitUntil(lambda: person.window.slots["scores"].workspace is not None)
    person.settle()
    assert person.window.slots["scores"].workspace is not None
    workspace = person.window.slots["scores"].workspace.scores
    person.qtbot.settle(workspace.is_settled)
    choice = workspace.setup.choice
    assert choice.release == str(folder.resolve())
    assert [file.name for file in choice.files] == ["One · Evaluation 1 · 800 px"]
    report = score_sources(choice.order(project=str(work.session.path)), progress=Progress())
    (model,) = report.models
    # The text 'The answer is …' of an unparsed reply is no letter.
    assert (model.tables.overall.total, model.tables.overall.exact_pct) == (5, 60.0)
    # Again: the same file, not another one.
    person.window.registry.run("go.runs")
    person.settle()
    person.press("S")
    person.settle()
    person.qtbot.waitUntil(workspace.isVisible)
    assert len(workspace.setup.choice.files) == 1


def test_score_when_no_run_is_at_hand_then_cannot_be_pressed(person: Person, work: Work) -> None:
    person.open(work.begin("One"))
    assert person.window.registry.action("runs.score").isEnabled()
    person.runs.go_back()
    person.window.slots["runs"].run_controller.take("")
    assert not person.window.registry.action("runs.score").isEnabled()


def test_evaluation_when_an_input_lacks_a_part_then_the_page_flags_who_does_not_need_it(
    person: Person, work: Work, sheet: NewRunDialog
) -> None:
    video = a_medium(name="flight.mp4", path="flight.mp4", media_type="video")
    write(work.session, created("medium", video))
    for item in work.session.reader.records(Item):
        write(work.session, *changed("item", item.id, media=(video.id,)))
    sheet.evaluation.ablations.boxes["reversed"].click()
    estimated(person, sheet)
    whole, without = (work.session.runs.start(order).result()[0] for order in started(sheet))
    items = {item.id: item for item in work.session.reader.records(Item)}
    work.answer(whole, say=lambda claim: items[claim.target].answer_key)
    person.open(without)
    person.window.registry.run("runs.outcome")
    person.settle()
    pane = person.runs.page.outcome
    person.qtbot.settle(pane.is_settled)
    assert isinstance(pane.part, EvaluationPanel)
    assert "No item has answers of one model" in pane.summary.text()
    assert not pane.main.isVisible()
    assert not pane.part.most_false.isVisible()
    # One of the five depends on the order of its frames.
    needs = next(iter(items.values()))
    work.answer(
        without,
        say=lambda claim: (
            "AB".replace(needs.answer_key, "") if claim.target == needs.id else items[claim.target].answer_key
        ),
    )
    # The page reads again once it sees that the run is over.
    person.look()
    pane.read()
    person.qtbot.settle(pane.is_settled)
    # Four items are too few for the usual 5 %.
    assert pane.main.text() == "Flag 0 items (Enter)"
    found, gains, accuracy = pane.part.sections()
    assert found.rows[0][:4] == ("Answered in any frame order", "5", "0", "–")
    assert found.rows[0][4].endswith("of the flags would be false at least")
    assert "Ask more models" in found.note
    assert gains.rows[0][:6] == ("all tasks", "frames reversed", "5", "100.0 %", "80.0 %", "+20.0")
    assert [row[8] for row in accuracy.rows] == ["100.0 %", "80.0 %"]
    pane.part.most_false.setText("50")
    person.qtbot.settle(pane.is_settled)
    assert pane.part.sections()[0].note == ""
    pane.part.most_false.setText("")
    person.qtbot.settle(pane.is_settled)
    assert pane.main.text() == "Flag 0 items (Enter)"
    assert pane.summary.text().endswith("“” is not a share from 0.01 to 100 %: 5 % is used.")
    pane.part.most_false.setText("50")
    person.qtbot.settle(pane.is_settled)
    assert "is used" not in pane.summary.text()
    assert pane.main.text() == "Flag 4 items (Enter)"
    assert [text for text, _ids in pane.part.groups()] == ["Show 4 items: Answered in any frame order"]
    pane.setFocus()
    person.press("Return")
    person.qtbot.waitUntil(lambda: bool(pane.applied.text()))
    assert pane.applied.text().startswith("Applied: 4 flags added")
    flags = list(work.session.reader.find(Flag, kind="order_not_needed"))
    assert {flag.target for flag in flags} == set(items) - {needs.id}
