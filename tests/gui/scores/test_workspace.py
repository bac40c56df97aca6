"""The Scores workspace in the real window: choose, drop, score, tables, problems, and the next start."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog

from annotator.domain.query import ItemQuery
from annotator.domain.run import Run
from annotator.progress import Progress
from annotator.scoring.score_report import PROBLEMS_SHOWN, ScoreReport, score_sources
from tests.cut_texts import cut_texts
from tests.gui.person import WindowPerson
from tests.gui.scores.conftest import Open, Scored, score, shown
from tests.gui.scores.scored_models import made_project
from tests.unit.release.samples import release
from widgets.runs.run_scoring import RunScoring, _Written
from widgets.scores.score_choice import ChosenFile, ScoreChoice, keep_choice
from widgets.scores.score_grid import ScoreCell, ScoreGrid
from widgets.scores.score_table import ScoreTable
from widgets.scores.workspace import ScoresWorkspace
from widgets.settings import Settings
from widgets.text_prompt import LinePrompt

OVERALL_COLUMN = 0


def report_of(workspace: ScoresWorkspace) -> ScoreReport:
    order = workspace.setup.choice.order(project="")
    return score_sources(order, progress=Progress())


def texts(table: ScoreTable, row: int) -> list[str]:
    return [str(table.scores.index(row, column).data()) for column in range(table.scores.columnCount())]


def heads(table: ScoreTable, orientation: Qt.Orientation) -> list[str]:
    count = table.scores.rowCount() if orientation == Qt.Orientation.Vertical else table.scores.columnCount()
    return [str(table.scores.headerData(at, orientation)) for at in range(count)]


def files_shown(workspace: ScoresWorkspace) -> list[tuple[str, str]]:
    return [(row.name, row.state) for row in workspace.setup.files.files.rows]


def choose(person: WindowPerson, workspace: ScoresWorkspace, paths: list[str]) -> None:
    """Choose files in the dialog that is open."""
    dialog = next(one for one in workspace.findChildren(QFileDialog) if one.isVisible())
    dialog.filesSelected.emit(paths)
    dialog.reject()
    person.window.activateWindow()
    person.qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    person.settle()


def test_scores_when_nothing_is_chosen_then_the_first_steps_are_offered_with_their_keys(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    workspace = shown(person)
    assert workspace.empty.headline.text() == "No scores yet"
    assert [step.accessibleName() for step in workspace.empty.steps] == [
        "Choose release…",
        "Add predictions…",
    ]
    person.press("R")
    choose(person, workspace, [str(scored.release)])
    assert [step.accessibleName() for step in workspace.empty.steps] == ["Add predictions…"]
    person.press("A")
    choose(person, workspace, [scored.file("good"), scored.file("fair")])
    assert [name for name, _ in files_shown(workspace)] == ["good", "fair"]
    assert QApplication.focusWidget() is workspace.page.tables.table


def test_scores_when_files_are_dropped_then_the_tables_have_the_numbers_of_the_command(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    workspace = shown(person)
    mime = QMimeData()
    paths = [str(scored.release), scored.file("good"), scored.file("poor")]
    mime.setUrls([QUrl.fromLocalFile(path) for path in paths])
    event = QDropEvent(
        QPointF(9, 9),
        Qt.DropAction.CopyAction,
        mime,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    workspace.dropEvent(event)
    person.settle()
    expected = report_of(workspace)
    table = workspace.page.tables.table
    assert heads(table, Qt.Orientation.Vertical) == ["good", "poor", "Random answers"]
    poor = expected.models[1].tables
    assert poor.overall.score_pct is not None
    interval = poor.overall_interval
    assert texts(table, 1)[:3] == [
        f"{poor.overall.score_pct:.1f} ({interval.score_low:.1f}–{interval.score_high:.1f})",
        str(poor.overall.total),
        str(sum(one.unparsed for one in poor.tasks.values())),
    ]
    assert heads(table, Qt.Orientation.Horizontal)[4:] == [
        "Object Counting", "Region Recognition", "Direction Recognition", "Camera Transformation",
        "Action Generation",
    ]  # fmt: skip
    assert texts(table, 2)[0] == f"{expected.random.score_pct:.1f}"
    assert "poor: Over 38 of 40 items; 2 have no prediction" in workspace.page.coverage.text()
    assert workspace.page.coverage.text().endswith("38 items are common to all models")


def test_table_when_turned_grouped_and_measured_by_keys_then_shows_it_so(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    workspace = score(person, scored, "good", "fair")
    table = workspace.page.tables.table
    person.press("X")
    assert heads(table, Qt.Orientation.Horizontal) == ["good", "fair", "Random answers"]
    assert heads(table, Qt.Orientation.Vertical)[:2] == ["All items", "Items"]
    person.press("X")
    person.press("G")
    assert heads(table, Qt.Orientation.Horizontal)[4:][0] == "AirCopBench: Object"
    person.press("G")
    assert set(heads(table, Qt.Orientation.Horizontal)[4:]) == {
        "Angle and distance", "Clock direction", "Option letter", "Set of regions",
    }  # fmt: skip
    before = texts(table, 1)[OVERALL_COLUMN]
    person.press("S")
    exact = report_of(workspace).models[1].tables.overall.exact_pct
    assert texts(table, 1)[OVERALL_COLUMN].startswith(f"{exact:.1f} (")
    assert workspace.page.tables.measure_box.currentText() == "Right answers, %"
    person.press("S")
    assert texts(table, 1)[OVERALL_COLUMN] == before


def test_problems_when_there_are_some_then_are_listed_with_file_and_line(
    open_scores: Open, scored: Scored
) -> None:
    with Path(scored.file("poor")).open("a", encoding="utf-8") as file:
        file.write('{"item": "nobody", "prediction": "A"}\n{broken\n')
    person = open_scores()
    workspace = score(person, scored, "poor")
    assert workspace.page.tabs["problems"].text() == "Problems 4  B"
    person.press("B")
    rows = workspace.page.problems.table.texts.rows
    assert ("Unknown item", "poor", "nobody", "poor.jsonl, line 39") in [row[:4] for row in rows]
    assert ("Unreadable row", "poor", "", "poor.jsonl, line 40") in [row[:4] for row in rows]
    assert sum(row[0] == "No prediction" for row in rows) == 2
    assert not workspace.page.problems.note.isVisible()
    workspace.page.problems.table.choose_row([row[2] for row in rows].index("nobody"))
    assert workspace.page.problems.detail.text() == (
        "Unknown item · poor · nobody · poor.jsonl, line 39 · The release does not contain this item."
    )
    assert "2 have no prediction" in workspace.page.coverage.text()
    assert QApplication.focusWidget() is workspace.page.problems.table


def test_problems_when_there_are_more_than_are_listed_then_says_how_many(
    open_scores: Open, scored: Scored
) -> None:
    with Path(scored.file("good")).open("a", encoding="utf-8") as file:
        file.write('{"item": "nobody", "prediction": "A"}\n' * (PROBLEMS_SHOWN + 5))
    person = open_scores()
    workspace = score(person, scored, "good")
    person.press("B")
    assert workspace.page.problems.table.texts.rowCount() == PROBLEMS_SHOWN
    assert workspace.page.problems.note.text() == (
        "1,005 problems; the first 1,000 of each kind and model are listed."
    )


def test_rules_when_toggled_by_keys_then_the_scores_are_those_of_the_rules(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    workspace = score(person, scored, "poor")
    assert workspace.report is not None
    left_out = workspace.report.models[0].tables.overall
    person.press("W")
    assert workspace.report.models[0].tables.overall.total == left_out.total + 2
    assert "2 without prediction are wrong" in workspace.page.coverage.text()
    person.press("M")
    assert workspace.setup.mode.currentText() == "Compatible"
    assert workspace.report == report_of(workspace)


def test_files_when_none_can_be_used_then_the_page_says_so_and_offers_others(
    open_scores: Open, scored: Scored, tmp_path: Path
) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("no predictions")
    person = open_scores()
    workspace = score(person, scored, "good")
    workspace.setup.files.setFocus()
    person.press("Del")
    workspace.setup.add_files([str(other)])
    person.settle()
    assert files_shown(workspace) == [("notes.txt", "Not usable")]
    assert workspace.empty.headline.text() == "No usable predictions"
    assert [step.accessibleName() for step in workspace.empty.steps] == [
        "Add predictions…",
        "Score predictions",
    ]


def test_file_when_it_cannot_be_used_then_says_why_and_the_others_are_scored(
    open_scores: Open, scored: Scored, tmp_path: Path
) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("no predictions")
    person = open_scores()
    workspace = score(person, scored, "good")
    workspace.setup.add_files([str(other)])
    person.settle()
    assert files_shown(workspace) == [("good", "100.0 %"), ("notes.txt", "Not usable")]
    workspace.setup.files.choose_row(1)
    assert "notes.txt has no known form of predictions" in workspace.setup.detail.text()
    workspace.setup.files.setFocus()
    person.press("Del")
    assert files_shown(workspace) == [("good", "100.0 %")]


def test_table_when_there_is_room_then_no_title_is_cut_and_equal_scores_say_that_they_have_no_interval(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    workspace = score(person, scored, "good")
    table = workspace.page.tables.table
    header = table.horizontalHeader()
    for at in range(table.scores.columnCount()):
        assert header.sectionSize(at) >= header.sectionSizeHint(at)
    cell = ScoreCell(text="0.0", value=0.0, items=2, has_interval=True)
    table.show_grid(
        ScoreGrid(models={"m": "m"}, groups={"g": "Counting"}, cells={("m", "g"): cell}), is_turned=False
    )
    tip = table.scores.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "Over 2 items, no interval: all items have the same value"


def test_model_when_renamed_then_the_table_has_the_name(open_scores: Open, scored: Scored) -> None:
    person = open_scores()
    workspace = score(person, scored, "good")
    person.press("N")
    person.qtbot.waitUntil(lambda: workspace.window().findChild(LinePrompt) is not None)
    prompt = workspace.window().findChild(LinePrompt)
    prompt.field.setText("Model 7B")
    prompt.main.click()
    person.settle()
    assert heads(workspace.page.tables.table, Qt.Orientation.Vertical)[0] == "Model 7B"


def test_scoring_when_cancelled_then_what_was_chosen_can_be_scored_again(
    open_scores: Open, scored: Scored
) -> None:
    person = open_scores()
    workspace = shown(person)
    workspace.setup.take([str(scored.release), scored.file("good")])
    assert workspace.scoring.cancel.isVisible()
    workspace.scoring.cancel.click()
    person.settle()
    assert workspace.report is None
    assert [step.accessibleName() for step in workspace.empty.steps] == [
        "Score predictions",
        "Add predictions…",
    ]
    person.press("F5")
    assert files_shown(workspace) == [("good", "100.0 %")]


def test_window_when_opened_again_then_offers_what_was_scored_and_names_what_has_changed(
    open_scores: Open, scored: Scored, settings: Settings
) -> None:
    person = open_scores()
    score(person, scored, "good", "fair", "poor")
    person.press("M")
    person.window.close()
    Path(scored.file("fair")).unlink()
    shutil.copy(scored.file("poor"), scored.file("good"))
    person = open_scores()
    workspace = shown(person)
    assert files_shown(workspace) == [
        ("good.jsonl", "Not scored"), ("fair.jsonl", "Not scored"), ("poor.jsonl", "Not scored"),
    ]  # fmt: skip
    assert workspace.empty.headline.text() == "Not scored yet"
    assert workspace.setup.mode.currentText() == "Compatible"
    person.press("F5")
    assert [state for _, state in files_shown(workspace)][:2] == ["Changed", "Not usable"]
    workspace.setup.files.choose_row(0)
    assert "changed since it was scored the last time" in workspace.setup.detail.text()
    workspace.setup.files.choose_row(1)
    assert "does not exist" in workspace.setup.detail.text()


def test_release_when_its_folder_has_another_one_then_says_so(
    open_scores: Open, scored: Scored, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(scored.release, tmp_path / "release"))
    person = open_scores()
    workspace = shown(person)
    workspace.setup.take([str(folder), scored.file("good")])
    person.settle()
    assert workspace.setup.release_note.text() == "40 items"
    person.window.close()
    shutil.rmtree(folder)
    (tmp_path / "other").mkdir()
    _project, other = made_project(tmp_path / "other", scored.items[:30])
    shutil.copytree(other, folder)
    person = open_scores()
    person.press("F5")
    note = shown(person).setup.release_note.text()
    assert note == "30 items; another release than the last time"


def test_release_when_recorded_in_the_project_then_is_offered(open_scores: Open, scored: Scored) -> None:
    person = open_scores()
    workspace = shown(person)
    entries = [workspace.setup.release.itemText(at) for at in range(workspace.setup.release.count())]
    assert entries == ["No release chosen", "out", "Published file of questions…"]
    workspace.setup.release.activated.emit(1)
    assert workspace.setup.choice.release == str(scored.release)


def test_release_when_made_after_the_workspace_was_opened_then_is_offered_beside_what_is_chosen(
    open_scores: Open, scored: Scored, tmp_path: Path
) -> None:
    person = open_scores()
    setup = score(person, scored, "good", "fair").setup
    setup.files.choose_row(1)
    person.window.show_workspace("library")
    release(person.session, tmp_path / "second", "native", selection=ItemQuery(text="OC"))
    person.window.show_workspace("scores")
    person.settle()
    entries = [setup.release.itemText(at) for at in range(setup.release.count())]
    assert entries == ["out", "second", "Published file of questions…"]
    assert setup.release.currentText() == "out"
    assert setup.current_position == 1
    assert shown(person).report is not None


@pytest.mark.slow
def test_run_when_its_answers_open_the_workspace_then_they_are_scored_beside_the_files_of_the_last_time(
    open_scores: Open, scored: Scored, settings: Settings
) -> None:
    person = open_scores()
    project = person.session.reader.project.id
    last = tuple(ChosenFile(path=scored.file(name)) for name in ("good", "fair"))
    choice = ScoreChoice(release=str(scored.release), files=last)
    keep_choice(settings, choice, project=project, person=person.session.actor.id)
    person.window.show_workspace("library")
    person.window.set_language("en")
    assert person.window.slots["scores"].workspace is None
    scoring = person.window.registry.owner("run_scoring")
    assert isinstance(scoring, RunScoring)
    written = _Written(path=Path(scored.file("poor")), release=str(scored.release), project=project)
    scoring._on_written(Run(id="r", kind="evaluation", models=("poor",)), written)
    person.settle()
    workspace = shown(person)
    assert workspace.report is not None
    assert [model.source for model in workspace.report.models] == [0, 1, 2]
    digests = [file.sha256 for file in workspace.setup.choice.files]
    assert digests == [model.sha256 for model in workspace.report.models]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_scores_when_the_window_is_small_then_no_text_is_cut(
    open_scores: Open, scored: Scored, settings: Settings, language: str
) -> None:
    settings.keep("language", language)
    person = open_scores()
    assert cut_texts(person.window) == []
    score(person, scored, "good", "poor")
    assert cut_texts(person.window) == []
