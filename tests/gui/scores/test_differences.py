"""Differences of models, saved plots and hidden answer keys in the Scores workspace."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from annotator.release.keys_folder import keys_folder_of
from annotator.release.splits import Split, SplitSettings
from annotator.session import Session
from tests.cut_texts import cut_texts
from tests.guards import Messages
from tests.gui.person import WindowPerson
from tests.gui.scores.conftest import Open, Scored, score, shown
from tests.unit.release.samples import release
from widgets.scores.workspace import ScoresWorkspace
from widgets.settings import Settings

SPLITS = SplitSettings(
    splits=(Split(name="train", share=0.5), Split(name="test", share=0.5)), seed=1, hidden=("test",)
)


def rows(workspace: ScoresWorkspace) -> list[tuple[str, ...]]:
    return workspace.page.differences.table.differences.rows


def answer_dialog(person: WindowPerson, pane: QWidget, path: Path) -> None:
    """Choose a path in the file dialog that a pane has opened."""
    dialog = pane.findChild(QFileDialog)
    assert dialog is not None
    is_open = dialog.acceptMode() == QFileDialog.AcceptMode.AcceptOpen
    if is_open:
        dialog.filesSelected.emit([str(path)])
    else:
        dialog.fileSelected.emit(str(path))
    dialog.reject()
    person.window.activateWindow()
    person.qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    person.settle()


def test_differences_when_shown_then_pairs_of_models_are_told_apart_in_words(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    shutil.copy(scored.file("good"), scored.file("same"))
    workspace = score(person, scored, "good", "same", "poor")
    person.press("D")
    assert workspace.page.differences.isVisible()
    assert workspace.report is not None
    overall = next(one for one in workspace.report.differences if (one.first, one.second) == ("good", "poor"))
    assert overall.score_low is not None
    assert overall.score_low > 0
    found = {row[:3]: row for row in rows(workspace)}
    assert found["good", "poor", "All items"][-1] == "good is better"
    assert found["good", "poor", "All items"][4] == f"{overall.score:+.1f}"
    assert found["good", "same", "All items"][4:] == ("+0.0", "+0.0 to +0.0", "Not significant")
    # All items come first, then the tasks.
    assert [row[2] for row in rows(workspace)[:4]].count("All items") == 3
    person.press("T")
    person.press("S")
    person.press("D")
    now = next(row for row in rows(workspace) if row[:3] == ("good", "poor", "All items"))
    assert now[5] == f"{overall.exact_low:+.1f} to {overall.exact_high:+.1f}"
    assert workspace.page.differences.note.text().startswith("Right answers, %")


def test_differences_when_there_is_one_model_then_says_that_two_are_needed(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    workspace = score(person, scored, "good")
    person.press("D")
    assert workspace.page.differences.note.text() == "A difference needs two models."
    assert rows(workspace) == []


def test_plot_when_saved_by_a_key_then_is_a_drawing_an_image_or_its_numbers(
    open_scores: Open, scored: Scored, tmp_path: Path
) -> None:
    person = open_scores()
    workspace = score(person, scored, "good", "fair", "poor")
    person.press("P")
    plots, differences = workspace.page.plots, workspace.page.differences
    person.press("Ctrl+S")
    answer_dialog(person, plots, tmp_path / "bars.svg")
    person.qtbot.waitUntil(lambda: "bars.svg" in plots.note.text())
    for name in ("bars.png", "bars.csv"):
        plots.save(str(tmp_path / name))
        person.qtbot.waitUntil(lambda name=name: name in plots.note.text())
    drawing = (tmp_path / "bars.svg").read_text(encoding="utf-8")
    assert drawing.startswith("<svg ")
    assert "All tasks" in drawing
    image = QImage(str(tmp_path / "bars.png"))
    assert image.width() > 400
    with (tmp_path / "bars.csv").open(encoding="utf-8-sig", newline="") as file:
        numbers = list(csv.DictReader(file))
    assert workspace.report is not None
    total = workspace.report.models[1].tables.overall.score_pct
    assert total is not None
    (overall,) = [row for row in numbers if (row["model"], row["group"]) == ("fair", "All tasks")]
    assert float(overall["value"]) == pytest.approx(total, abs=1e-5)
    person.press("K")
    plots.save(str(tmp_path / "radar.svg"))
    person.press("K")
    plots.save(str(tmp_path / "correlation.csv"))
    person.settle()
    person.qtbot.waitUntil((tmp_path / "correlation.csv").exists)
    assert "<circle" in (tmp_path / "radar.svg").read_text(encoding="utf-8")
    person.press("D")
    person.press("Ctrl+S")
    answer_dialog(person, differences, tmp_path / "differences.csv")
    person.qtbot.waitUntil(lambda: "differences.csv" in differences.note.text())
    with (tmp_path / "differences.csv").open(encoding="utf-8-sig", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(workspace.report.differences)


def test_keys_when_their_folder_lies_elsewhere_then_it_is_chosen_by_a_key(
    open_scores: Open, scored: Scored, tmp_path: Path, guard_messages: Messages
) -> None:
    out, elsewhere = tmp_path / "hidden", tmp_path / "private"
    with Session.open(scored.project) as session:
        release(session, out, "native", splits=SPLITS)
    shutil.move(keys_folder_of(out), elsewhere)
    person = open_scores()
    workspace = shown(person)
    workspace.setup.take([str(out), scored.file("good")])
    person.settle()
    assert workspace.report is not None
    hidden = workspace.report.hidden
    assert hidden > 0
    button = workspace.setup.buttons["scores.keys"]
    assert button.isVisible()
    person.press("H")
    answer_dialog(person, workspace.setup, elsewhere)
    person.settle()
    assert workspace.report is not None
    assert workspace.report.hidden == 0
    (model,) = workspace.report.models
    assert model.tables.overall.total == workspace.report.items
    assert "hidden answer keys of private" in workspace.setup.release_note.text()
    # Another release has other answer keys.
    workspace.setup.choose_release([str(scored.release)])
    person.settle()
    assert workspace.setup.choice.keys == ""
    assert not button.isVisible()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_differences_when_the_window_is_small_then_no_text_is_cut(
    open_scores: Open, scored: Scored, settings: Settings, language: str
) -> None:
    settings.keep("language", language)
    person = open_scores()
    score(person, scored, "good", "fair", "poor")
    person.press("D")
    assert cut_texts(person.window) == []
    person.press("P")
    assert cut_texts(person.window) == []
