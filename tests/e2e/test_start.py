"""The window before a project is open: the demo, a project that cannot be opened; name and help."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMenu, QPushButton

import main
from annotator.errors import EnvironmentFailure
from annotator.progress import Progress
from annotator.project_recovery import explain_failure
from annotator.session import Session
from tests.e2e.conftest import Open, Person
from tests.guards import Messages
from tests.patience import PATIENCE_S
from tests.windows import NO_SIZE_HINTS, make_project
from widgets import display_text, window
from widgets.about_dialog import AboutDialog
from widgets.guide_dialog import GuideDialog
from widgets.open_failure import OpenFailureDialog, OpenFailurePanel
from widgets.settings import Settings
from widgets.task_page import TaskPage
from widgets.translation import set_language
from widgets.welcome import Welcome

NEWER = 99


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "pilot.vantage")


class SlowDemo:
    """Makes a demo when it is let, and counts how often it was asked."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.started, self.may_end = folder, 0, threading.Event()

    def __call__(self, progress: Progress) -> Path:
        self.started += 1
        progress.begin("Rendering images", total=13)
        while not self.may_end.wait(0.01):
            progress.step(0)
        return make_project(self.folder / "demo.vantage", title="Demo")


def make_newer(path: Path) -> None:
    """Raise the version of a project's tables, as a later Vantage does."""
    content = bytearray(path.read_bytes())
    # The user version in the header of an SQLite file, big-endian.
    content[60:64] = NEWER.to_bytes(4, "big")
    path.write_bytes(content)


def panel_of(person: Person) -> OpenFailurePanel:
    person.qtbot.waitUntil(lambda: person.window.findChild(OpenFailurePanel) is not None)
    person.settle()
    panel = person.window.findChild(OpenFailurePanel)
    assert panel.isVisible()
    return panel


def test_demo_when_created_then_the_page_shows_progress_and_a_second_request_builds_nothing(
    open_window: Open, tmp_path: Path
) -> None:
    demo = SlowDemo(tmp_path)
    person = open_window(make_demo=demo)
    person.window.registry.run("project.demo")
    person.window.registry.run("project.demo")
    page = person.window.findChild(TaskPage)
    person.qtbot.waitUntil(page.cancel.isVisible)
    person.qtbot.waitUntil(lambda: page.phase.text() == "Rendering images")
    assert "0 of 13" in page.figures.text()
    assert not person.window.status_bar.work.isVisible()
    assert page.cancel.hasFocus()
    demo.may_end.set()
    person.qtbot.waitUntil(lambda: person.window.library is not None)
    person.settle()
    assert (person.window.top_bar.project.text(), demo.started) == ("Demo", 1)


def test_demo_when_cancelled_then_the_first_steps_are_back_and_it_can_be_created_again(
    open_window: Open, tmp_path: Path
) -> None:
    demo = SlowDemo(tmp_path)
    person = open_window(make_demo=demo)
    person.window.registry.run("project.demo")
    person.qtbot.waitUntil(person.window.findChild(TaskPage).cancel.isVisible)
    person.press("Space")
    person.qtbot.waitUntil(person.window.findChild(Welcome).isVisible)
    assert person.window.banner.headline.text() == "Creating demo project was stopped."
    assert not (tmp_path / "demo.vantage").exists()
    demo.may_end.set()
    person.window.registry.run("project.demo")
    person.qtbot.waitUntil(lambda: person.window.library is not None)
    assert demo.started == 2
    assert not person.window.banner.isVisible()


@pytest.fixture
def start(
    open_window: Open, monkeypatch: pytest.MonkeyPatch, guard_messages: Messages
) -> Callable[[Path], Person]:
    """Give a function that starts the program on a project, as the command line does."""
    guard_messages.allow(NO_SIZE_HINTS)

    def start_one(path: Path) -> Person:
        made: list[Person] = []

        def build(session: Session | None, **_parts: object) -> window.MainWindow:
            if session is not None:
                session.close()
            made.append(open_window(path if session is not None else None))
            return made[0].window

        monkeypatch.setattr(window, "build", build)
        main.build(path)
        return made[0]

    return start_one


def test_start_when_the_project_is_broken_then_the_window_restores_a_backup(
    start: Callable[[Path], Person], project: Path
) -> None:
    with Session.open(project) as session:
        session.backup(reason="timer")
    project.write_bytes(b"no project at all")
    person = start(project)
    panel = panel_of(person)
    assert panel.message.text() == f"{project} is not a Vantage project."
    assert not panel.read.isVisible()
    assert panel.restore.hasFocus()
    person.press("Space")
    person.qtbot.waitUntil(lambda: person.window.library is not None)
    person.settle()
    assert person.window.controller.session.path.name.startswith("pilot-restored-")
    assert len(person.names()) == 3
    assert project.read_bytes() == b"no project at all"


def test_backup_when_it_cannot_be_restored_then_the_reason_is_shown_and_the_options_stay(
    start: Callable[[Path], Person], project: Path
) -> None:
    with Session.open(project) as session:
        backup = session.backup(reason="timer")
    project.write_bytes(b"no project at all")
    person = start(project)
    panel = panel_of(person)
    backup.path.unlink()
    person.click(panel.restore)
    person.qtbot.waitUntil(person.window.banner.isVisible)
    assert person.window.banner.headline.text().startswith("The backup could not be copied")
    page = person.window.slots["library"].page
    person.qtbot.waitUntil(lambda: page.currentWidget() is not page.welcome)
    assert page.findChild(OpenFailurePanel).isVisible()


def test_start_when_the_project_is_newer_then_the_window_says_so_and_opens_another(
    start: Callable[[Path], Person], project: Path, tmp_path: Path
) -> None:
    make_newer(project)
    person = start(project)
    panel = panel_of(person)
    assert "was written by a newer Vantage" in panel.message.text()
    assert panel.advice.text() == "Update Vantage. The file is unchanged."
    assert not panel.read.isVisible()
    assert panel.other.hasFocus()
    other = make_project(tmp_path / "other.vantage", [], title="other")
    person.window.controller.open_at(str(other))
    person.qtbot.waitUntil(lambda: person.window.library is not None)
    assert person.window.top_bar.project.text() == "other"


def test_start_when_there_is_no_project_at_the_path_then_the_window_says_so(
    start: Callable[[Path], Person], tmp_path: Path
) -> None:
    panel = panel_of(start(tmp_path / "none.vantage"))
    assert "does not exist" in panel.message.text()


def test_project_when_read_only_then_is_opened_for_reading_and_refuses_changes(
    open_window: Open, project: Path
) -> None:
    person = open_window()
    error = EnvironmentFailure("pilot.vantage is read-only.")
    person.window.controller.opener.show_failure(explain_failure(project, error))
    panel = panel_of(person)
    assert panel.read.hasFocus()
    person.press("Space")
    person.qtbot.waitUntil(lambda: person.window.library is not None)
    person.settle()
    assert person.window.top_bar.project.text() == "pilot (read-only)"
    assert person.window.status_bar.saved.text() == "Open for reading"
    before = project.read_bytes()
    person.window.registry.run("project.check")
    person.qtbot.waitUntil(person.window.banner.isVisible)
    assert person.window.banner.headline.text().startswith("The project is open for reading only.")
    person.window.controller.close_project()
    person.settle()
    assert project.read_bytes() == before


def test_project_when_another_one_is_open_then_the_options_are_in_a_dialog(
    open_window: Open, project: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.vantage"
    shutil.copy(project, other)
    with Session.open(other) as session:
        session.backup(reason="timer")
    make_newer(other)
    person = open_window(project)
    person.window.controller.open_at(str(other))
    person.qtbot.waitUntil(lambda: person.window.findChild(OpenFailureDialog) is not None)
    person.settle()
    dialog = person.window.findChild(OpenFailureDialog)
    person.click(next(button for button in dialog.findChildren(QPushButton) if button.isDefault()))
    person.qtbot.waitUntil(lambda: person.window.controller.session.path != project)
    person.settle()
    assert person.window.controller.session.path.name.startswith("other-restored-")


def test_project_when_another_is_chosen_while_it_opens_then_the_last_one_stays_open(
    open_window: Open, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_project(tmp_path / "other.vantage", title="Other")
    may_open, opened, closed = threading.Event(), Session.open, list[Path]()

    def open_late(path: Path, *, progress: Progress) -> Session:
        if path == project:
            may_open.wait(timeout=PATIENCE_S)
        return opened(path, progress=progress)

    close = Session.close
    monkeypatch.setattr(Session, "open", open_late)
    monkeypatch.setattr(Session, "close", lambda session: (closed.append(session.path), close(session)))
    person = open_window()
    person.window.controller.open_at(str(project))
    person.window.controller.open_at(str(other))
    person.qtbot.waitUntil(lambda: person.window.library is not None)
    may_open.set()
    person.settle()
    assert person.window.controller.session.path == other
    person.qtbot.waitUntil(lambda: bool(closed))
    assert closed == [project]
    assert not person.window.banner.isVisible()


@pytest.mark.allow_messages("does not support")
def test_menu_when_opened_then_lists_recent_projects_and_opens_one(
    open_window: Open, project: Path, tmp_path: Path
) -> None:
    other = make_project(tmp_path / "other & more.vantage", [], title="other")
    person = open_window(project)
    person.window.controller.open_at(str(other))
    person.qtbot.waitUntil(lambda: person.window.controller.session.path == other)
    person.settle()
    person.press("F10")
    menu = person.window.top_bar.findChild(QMenu)
    recent = next(
        action.menu()
        for part in menu.findChildren(QMenu)
        for action in part.actions()
        if action.text() == "Open recent"
    )
    assert [action.text() for action in recent.actions()] == ["pilot"]
    recent.actions()[0].trigger()
    menu.close()
    person.qtbot.waitUntil(lambda: person.window.controller.session.path == project)


def test_guide_when_opened_then_shows_pages_with_images_and_follows_links(open_window: Open) -> None:
    person = open_window()
    person.window.registry.run("help.guide")
    dialog = person.window.findChild(GuideDialog)
    titles = [dialog.pages.item(at).text() for at in range(dialog.pages.count())]
    assert titles[0] == "The Library"
    assert {"Annotate", "Importing", "Runs"} <= set(titles)
    assert "Getting started" in dialog.page.toPlainText()
    dialog.page.anchorClicked.emit("import.md")
    assert dialog.pages.currentItem().text() == "Importing"
    assert dialog.page.toPlainText().startswith("Importing")
    dialog.close()


def test_about_when_opened_then_shows_versions_and_licences(open_window: Open) -> None:
    person = open_window()
    person.window.registry.run("help.about")
    dialog = person.window.findChild(AboutDialog)
    assert "Vantage: " in dialog.versions.toPlainText()
    assert "PySide6-Essentials: " in dialog.versions.toPlainText()
    assert "LGPL" in dialog.licences.toPlainText()
    dialog.close()


def test_start_page_when_the_language_changes_during_the_demo_then_still_shows_it(
    open_window: Open, tmp_path: Path
) -> None:
    demo = SlowDemo(tmp_path)
    person = open_window(make_demo=demo)
    person.window.registry.run("project.demo")
    person.window.set_language("zh")
    page = person.window.slots["library"].page.findChild(TaskPage)
    person.qtbot.waitUntil(page.cancel.isVisible)
    assert page.cancel.text() == "取消"
    demo.may_end.set()
    person.qtbot.waitUntil(lambda: person.window.library is not None)
    set_language("en")


def test_start_when_chinese_then_the_reason_and_the_options_are_chinese(
    start: Callable[[Path], Person], project: Path, settings: Settings
) -> None:
    settings.keep("language", "zh")
    make_newer(project)
    panel = panel_of(start(project))
    assert "由更新版本的 Vantage 写入" in panel.message.text()
    assert panel.advice.text() == "请更新 Vantage。文件未更改。"
    assert panel.headline.text() == "无法打开项目"


def test_window_when_chinese_then_banner_flags_and_progress_are_chinese(
    open_window: Open, project: Path, settings: Settings
) -> None:
    settings.keep("language", "zh")
    person = open_window(project)
    person.window.registry.run("edit.undo")
    person.window.controller.undo()
    person.qtbot.waitUntil(person.window.banner.isVisible)
    assert person.window.banner.headline.text() == "没有可撤销的内容。"
    assert display_text.phase_text("Reading questions.json") == "正在读取 questions.json"
