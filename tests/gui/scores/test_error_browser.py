"""The error browser in the real window: from a cell to its predictions, labels, filters and counts."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from annotator.commands.prediction_decisions import ErrorDecision, LabelErrors
from annotator.domain.error_label import ErrorLabel
from annotator.scoring.row_filter import RowFilter
from tests.cut_texts import cut_texts
from tests.gui.person import WindowPerson
from tests.gui.scores.conftest import Open, Scored, score
from tests.unit.scoring.released import write_lines
from widgets.scores.error_browser import ErrorBrowser
from widgets.scores.score_grid import OVERALL, RANDOM, UNPARSED
from widgets.settings import Settings


def browse(person: WindowPerson, scored: Scored, model: str = "poor", column: str = OVERALL) -> ErrorBrowser:
    """Score three models, and open a cell by its key."""
    workspace = score(person, scored, "good", "fair", "poor")
    workspace.take_keyboard()
    workspace.page.tables.table.choose(model, column)
    person.press("Return")
    pages = person.window.slots["scores"].workspace
    assert pages is not None
    assert pages.browser is not None
    assert pages.front() is pages.browser
    return pages.browser


def listed(browser: ErrorBrowser) -> list[tuple[str, str]]:
    file = browser.file
    assert file is not None
    return [(row.model, row.item) for row in file.rows(browser.list.model.numbers)]


def labels(person: WindowPerson) -> list[tuple[str, str, str, str]]:
    found = person.session.reader.find(ErrorLabel)
    return [(one.item, one.model, one.error_class, one.note) for one in found]


def test_cell_when_opened_then_its_predictions_are_listed_with_item_reply_and_other_models(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    browser = browse(person, scored, column="aircop/object_counting")
    assert browser.list.filter == RowFilter(model="poor", task="aircop/object_counting", outcome="not_right")
    rows = listed(browser)
    assert rows
    assert {model for model, _ in rows} == {"poor"}
    view = browser.loader.view
    assert view is not None
    assert view.is_of_project
    assert (view.row.model, view.row.item) == rows[0]
    form = browser.panel.form
    assert form.question.text() == "How many cars can be seen in the picture of UAV1?"
    assert form.reply.text() == view.row.text
    assert [(one.model, one.item) for one in view.others] == [("good", rows[0][1]), ("fair", rows[0][1])]
    assert QApplication.focusWidget() is browser.list.table
    person.press("Down")
    now = browser.loader.view
    assert now is not None
    assert now.row.item == rows[1][1]
    person.press("B")
    pages = person.window.slots["scores"].workspace
    assert pages is not None
    assert pages.front() is pages.scores
    person.press("E")
    assert pages.front() is browser


@pytest.mark.parametrize(
    ("model", "column", "wanted"),
    [
        (RANDOM, OVERALL, RowFilter(outcome="not_right")),
        ("poor", UNPARSED, RowFilter(model="poor", outcome="unparsed")),
    ],
)
def test_cell_when_it_is_no_score_of_a_model_then_the_predictions_that_it_is_about_are_listed(
    open_scores: Open, scored: Scored, model: str, column: str, wanted: RowFilter
) -> None:
    browser = browse(open_scores(), scored, model, column)
    assert browser.list.filter == wanted
    assert listed(browser)


def test_digit_when_pressed_then_the_error_has_its_class_and_undo_takes_it_back(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    browser = browse(person, scored, column="aircop/object_counting")
    view = browser.loader.view
    assert view is not None
    buttons = browser.panel.classes.buttons
    assert [button.text() for button in buttons.values()] == [
        "1  Perception hallucination", "2  Spatial reasoning", "3  Multi-image understanding",
    ]  # fmt: skip
    person.press("2")
    assert labels(person) == [(view.row.item, "poor", "spatial_reasoning", "")]
    assert buttons["spatial_reasoning"].isChecked()
    person.press("Y")
    assert QApplication.focusWidget() is browser.panel.classes.note
    person.write("left of the road 3")
    person.press("Return")
    assert labels(person) == [(view.row.item, "poor", "spatial_reasoning", "left of the road 3")]
    browser.take_keyboard()
    person.press("3")
    assert labels(person) == [(view.row.item, "poor", "multi_image", "left of the road 3")]
    person.press("4")
    person.press("0")
    assert labels(person) == []
    for _ in range(4):
        person.press("Ctrl+Z")
    assert labels(person) == []
    assert not any(button.isChecked() for button in buttons.values())
    person.press("Ctrl+Shift+Z")
    assert buttons["spatial_reasoning"].isChecked()


def test_list_when_only_open_errors_are_shown_then_a_label_brings_the_next_one(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    browser = browse(person, scored)
    before = listed(browser)
    person.press("C")
    assert browser.list.filter.error_class == "-"
    person.press("1")
    assert listed(browser) == before[1:]
    view = browser.loader.view
    assert view is not None
    assert (view.row.model, view.row.item) == before[1]


def test_filters_when_chosen_by_keys_then_the_list_has_what_they_say(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    browser = browse(person, scored)
    person.press("O")
    assert browser.list.filter.outcome == "wrong"
    person.press("X")
    assert browser.list.filter == RowFilter()
    assert browser.file is not None
    assert len(listed(browser)) == browser.file.total
    person.press("M")
    assert browser.list.filter.model == "good"
    person.press("K")
    assert browser.list.filter.task == "aircop/object_counting"
    person.press("X")
    for _ in range(3):
        person.press("S")
    scores = [row.score for row in browser.file.rows(browser.list.model.numbers)]
    assert browser.list.order == "score"
    assert scores == sorted(scores)
    person.press("Ctrl+F")
    person.write("l**k")
    person.settle()
    person.qtbot.waitUntil(lambda: browser.list.filter.text == "l**k")
    person.settle()
    rows = browser.file.rows(browser.list.model.numbers)
    assert rows
    assert {row.text for row in rows} == {"l**k"}
    person.write("never said")
    person.qtbot.waitUntil(lambda: "never" in browser.list.filter.text)
    person.settle()
    assert browser.no_rows.isVisible()
    assert not browser.panel.classes.isVisible()
    assert browser.loader.view is None


def test_counts_when_shown_then_have_classes_by_model_and_are_copied_as_csv(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    browser = browse(person, scored, RANDOM)
    rows = listed(browser)
    person.press("1")
    person.press("Down")
    person.press("1")
    person.press("Down")
    person.press("2")
    person.press("G")
    person.press("Ctrl+Shift+C")
    copied = list(csv.reader(io.StringIO(QApplication.clipboard().text())))
    titles = {"1": "Perception hallucination", "2": "Spatial reasoning"}
    models = sorted({model for model, _ in rows})
    assert copied[0] == ["Error class", "Sum", *models]
    sums = {row[0]: row[1] for row in copied[1:]}
    assert sums == {titles["1"]: "2", titles["2"]: "1", "No error class": f"{len(rows) - 3}"}
    person.press("U")
    assert "Object Counting" in browser.panel.counts.model.head
    person.press("G")
    assert browser.panel.currentWidget() is browser.panel.prediction


def test_scores_when_scored_again_then_the_browser_shows_the_new_predictions(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    browser = browse(person, scored)
    first = browser.file
    assert first is not None
    person.press("2")
    person.press("B")
    person.press("F5")
    person.press("E")
    assert browser.file is not None
    assert browser.file.path != first.path
    assert len(labels(person)) == 1
    (row,) = browser.file.page(RowFilter(error_class="spatial_reasoning"))
    assert (row.item, row.model) == labels(person)[0][:2]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_browser_when_the_window_is_small_then_no_text_is_cut(
    open_scores: Open, scored: Scored, settings: Settings, language: str
) -> None:
    settings.keep("language", language)
    person = open_scores()
    browse(person, scored)
    assert cut_texts(person.window) == []
    person.press("1")
    person.press("G")
    assert cut_texts(person.window) == []


def test_cell_when_the_table_is_as_in_the_papers_then_the_tasks_of_its_column_are_listed(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    workspace = score(person, scored, "good", "poor")
    workspace.take_keyboard()
    while workspace.page.tables.grouping != "papers":
        person.press("G")
    table = workspace.page.tables.table
    for column in table.scores.columns:
        table.choose("poor", column)
        person.press("Return")
        pages = person.window.slots["scores"].workspace
        assert pages is not None
        assert pages.browser is not None
        assert pages.browser.file is not None
        rows = pages.browser.file.rows(pages.browser.list.model.numbers)
        cell = table.scores.grid.cell("poor", column)
        assert {row.model for row in rows} <= {"poor"}
        assert {row.task.partition("/")[0] for row in rows} <= {column.partition("#")[0]}
        assert bool(rows) or cell.value in {None, 100.0}
        person.press("B")


def test_digit_when_several_rows_are_selected_then_all_have_the_class_in_one_step(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    browser = browse(person, scored)
    rows = listed(browser)
    person.press("Shift+Down")
    person.press("Shift+Down")
    assert browser.panel.classes.hint.text() == "A class is set for all 3 selected predictions."
    person.press("2")
    assert {(item, model) for item, model, _, _ in labels(person)} == {
        (item, model) for model, item in rows[:3]
    }
    assert {kind for _, _, kind, _ in labels(person)} == {"spatial_reasoning"}
    person.press("Ctrl+Z")
    assert labels(person) == []
    person.press("Ctrl+Shift+Z")
    browser.take_keyboard()
    person.press("Home")
    person.press("Shift+End")
    person.press("0")
    assert labels(person) == []


def test_label_when_the_reply_under_the_name_is_another_then_it_does_not_count_for_it(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    browser = browse(person, scored)
    view = browser.loader.view
    assert view is not None
    person.press("2")
    assert browser.panel.classes.hint.isHidden()
    lines = [json.loads(line) for line in Path(scored.file("poor")).read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["item"] == view.row.item:
            line["prediction"] = "quite another reply"
    write_lines(Path(scored.file("poor")), lines)
    person.press("B")
    person.press("F5")
    person.press("E")
    assert browser.file is not None
    assert browser.file.count(RowFilter(error_class="spatial_reasoning")) == 0
    now = browser.loader.view
    assert now is not None
    assert (now.row.item, now.row.text, now.label) == (view.row.item, "quite another reply", None)
    assert browser.panel.classes.hint.text().startswith("Another reply under this name is labelled")
    person.press("1")
    assert [kind for _, _, kind, _ in labels(person)] == ["perception_hallucination"]
    assert browser.panel.classes.hint.isHidden()


def test_label_when_it_is_of_a_former_version_then_it_counts_and_the_browser_says_what_is_unknown(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    browser = browse(person, scored)
    view, file = browser.loader.view, browser.file
    assert view is not None
    assert file is not None
    old = ErrorDecision(
        release=file.release_id, item=view.row.item, model="poor", error_class="spatial_reasoning"
    )
    person.session.execute(LabelErrors(decisions=(old,))).result()
    person.qtbot.waitUntil(lambda: file.label_of(view.row.n) == "spatial_reasoning")
    person.settle()
    assert browser.panel.classes.buttons["spatial_reasoning"].isChecked()
    assert browser.panel.classes.hint.text().startswith("This label does not say which reply it is about.")
    browser.take_keyboard()
    person.press("2")
    assert browser.panel.classes.hint.isHidden()
    (now,) = person.session.reader.find(ErrorLabel)
    assert now.is_about(view.row.text)
    assert not now.is_about("another reply")
