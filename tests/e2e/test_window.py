from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QImage, QKeySequence
from PySide6.QtWidgets import QFileDialog, QLabel, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from annotator.errors import EnvironmentFailure
from annotator.progress import Progress
from tests.e2e.conftest import Open
from tests.windows import make_project
from widgets import theme
from widgets.command_palette import CommandPalette
from widgets.key_editor import KeyEditor
from widgets.labels import ElidedLabel
from widgets.library.workspace import LibraryWorkspace
from widgets.new_project_dialog import NewProjectDialog
from widgets.open_failure import OpenFailureDialog
from widgets.screenshot import call_when_painted, save_screenshot
from widgets.settings import Settings
from widgets.shortcut_help import ShortcutHelp
from widgets.translation import catalogue, set_language
from widgets.welcome import Welcome
from widgets.workspaces import WORKSPACES

REPO = Path(__file__).resolve().parents[2]
# Words that are the same in both languages: names, figures, and what the project itself holds.
UNTRANSLATED = {"Vantage", "SHA-256"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "pilot.vantage")


def shown_texts(window: QWidget) -> set[str]:
    """Return every text on labels and buttons that are visible."""
    parts = [*window.findChildren(QLabel), *window.findChildren(QPushButton)]
    return {part.text() for part in parts if part.isVisible() and part.text()}


def test_window_when_no_project_is_open_then_offers_the_first_steps(open_window: Open) -> None:
    person = open_window()
    assert person.window.windowTitle() == "Vantage"
    assert person.window.findChild(Welcome).isVisible()
    assert not person.window.registry.can_run("project.import")
    assert not person.window.registry.can_run("project.demo")
    assert person.window.status_bar.saved.text() == ""


def test_project_when_made_then_is_open_and_empty_and_among_the_recent(
    open_window: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    chosen = str(tmp_path / "Überflug 停车场")
    monkeypatch.setattr(QFileDialog, "open", lambda dialog: dialog.fileSelected.emit(str(tmp_path)))
    person = open_window()
    person.press("Ctrl+N")
    sheet = person.window.findChild(NewProjectDialog)
    person.click(sheet.choose)
    assert not sheet.main.isEnabled()
    person.click(sheet.name)
    person.write("Überflug 停车场")
    sheet.task_set.setCurrentIndex(sheet.task_set.findData("spatialuav"))
    person.press("Return", at=sheet.name)
    person.qtbot.waitUntil(lambda: person.window.library is not None)
    person.settle()
    assert person.window.top_bar.project.text() == "Überflug 停车场"
    assert person.window.controller.session is not None
    assert person.window.controller.session.reader.project.task_set == "spatialuav"
    assert settings.recent_projects() == [Path(f"{chosen}.vantage")]
    person.press("Ctrl+W")
    person.settle()
    assert person.window.library is None
    welcome = person.window.findChild(Welcome)
    person.click(welcome.recent[0])
    person.qtbot.waitUntil(lambda: person.window.library is not None)


def test_project_when_the_file_is_none_then_a_dialog_says_so_and_the_old_one_stays(
    open_window: Open, project: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.vantage"
    broken.write_bytes(b"no project at all")
    person = open_window(project)
    person.window.controller.open_at(str(broken))
    person.qtbot.waitUntil(lambda: person.window.findChild(OpenFailureDialog) is not None)
    person.press("Escape", at=person.window.findChild(OpenFailureDialog))
    person.settle()
    assert person.window.top_bar.project.text() == "pilot"
    assert len(person.names()) == 3


def test_project_when_another_is_opened_then_the_list_is_of_that(
    open_window: Open, project: Path, tmp_path: Path
) -> None:
    other = make_project(tmp_path / "other.vantage", [], title="other")
    person = open_window(project)
    first = person.library
    person.window.controller.open_at(str(other))
    person.qtbot.waitUntil(lambda: person.window.library is not first)
    person.settle()
    assert person.window.top_bar.project.text() == "other"
    assert person.library.listing().model.rowCount() == 0
    assert not person.window.registry.can_run("edit.undo") or person.window.controller.session is not None


def test_project_when_dropped_on_the_first_steps_then_is_opened(open_window: Open, project: Path) -> None:
    person = open_window()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(project.parent)), QUrl.fromLocalFile(str(project))])
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    drop = QDropEvent(QPointF(400, 400), Qt.DropAction.CopyAction, data, left, none)
    person.window.findChild(Welcome).dropEvent(drop)
    person.qtbot.waitUntil(lambda: person.window.library is not None)
    person.settle()
    assert person.window.top_bar.project.text() == "pilot"


def test_demo_when_asked_for_then_is_made_off_the_gui_thread_and_opened(
    open_window: Open, tmp_path: Path
) -> None:
    threads: list[int] = []

    def make_demo(progress: Progress) -> Path:
        threads.append(threading.get_ident())
        progress.begin("Drawing", total=1)
        progress.step()
        return make_project(tmp_path / "demo.vantage", title="Demo")

    person = open_window(make_demo=make_demo)
    person.window.registry.run("project.demo")
    person.qtbot.waitUntil(lambda: person.window.library is not None)
    person.settle()
    assert person.window.top_bar.project.text() == "Demo"
    assert threads
    assert threads != [threading.get_ident()]


def test_workspaces_when_their_keys_are_pressed_then_are_opened(open_window: Open, project: Path) -> None:
    person = open_window(project)
    pages = person.window._pages
    for number, workspace in list(enumerate(WORKSPACES))[::-1]:
        person.press(workspace.key)
        assert person.window.workspace == workspace.id
        assert pages.currentIndex() == number
    assert isinstance(pages.currentWidget(), LibraryWorkspace)


def test_palette_when_a_command_is_typed_then_it_is_done(open_window: Open, project: Path) -> None:
    person = open_window(project)
    person.press("Ctrl+K")
    person.write("list of scenes")
    person.press("Return")
    person.settle()
    assert person.library.front == "scene"
    assert (
        not person.window.findChildren(CommandPalette)
        or not person.window.findChildren(CommandPalette)[0].isVisible()
    )


def test_palette_when_no_command_fits_then_the_list_is_searched(open_window: Open, project: Path) -> None:
    person = open_window(project)
    person.press("Ctrl+K")
    person.write("item_00002")
    person.press("Return")
    person.settle()
    assert person.names() == ["item_00002"]


def test_keys_when_f1_is_pressed_then_the_page_opens_and_escape_closes_it(
    open_window: Open, project: Path
) -> None:
    person = open_window(project)
    person.press("F1")
    page = person.window.findChild(ShortcutHelp)
    assert page.isVisible()
    assert "Shortcuts: Library" in shown_texts(page)
    person.press("Escape")
    assert not isValid(page)
    assert person.library.listing().table.hasFocus()


def test_key_when_changed_then_works_at_once_and_after_a_restart(open_window: Open, project: Path) -> None:
    person = open_window(project)
    person.window.show_key_editor()
    editor = person.window.findChild(KeyEditor)
    editor.fields["go.scenes"].setKeySequence(QKeySequence("Ctrl+Y"))
    person.click(editor._save)
    person.press("Ctrl+Y")
    assert person.library.front == "scene"
    person.window.close()
    again = open_window(project)
    again.press("Alt+I")
    again.press("Ctrl+Y")
    assert again.library.front == "scene"


@pytest.mark.allow_messages("does not support raise", "does not support grabbing")
def test_menu_when_f10_is_pressed_then_drops_down(open_window: Open, project: Path) -> None:
    person = open_window(project)
    person.press("F10")
    menus = [menu for menu in person.window.top_bar.findChildren(QMenu) if menu.isVisible()]
    assert len(menus) == 1
    menus[0].close()


def test_theme_when_chosen_then_is_worn_and_remembered(open_window: Open, project: Path) -> None:
    person = open_window(project)
    person.window.registry.run("view.light")
    assert theme.current().name == "light"
    assert person.window.grab().toImage().pixelColor(800, 500).lightness() > 200
    person.window.close()
    open_window(project)
    assert theme.current().name == "light"


def test_language_when_chosen_then_everything_visible_speaks_it(open_window: Open, project: Path) -> None:
    person = open_window(project)
    english = shown_texts(person.window)
    person.window.registry.run("view.chinese")
    person.settle()
    chinese = catalogue("zh")
    left = {text for text in shown_texts(person.window) if text in chinese and chinese[text] != text}
    assert left == set()
    assert "题目" in shown_texts(person.window)
    assert person.library.filters.search.placeholderText().startswith("搜索题目")
    person.window.registry.run("view.english")
    person.settle()
    assert shown_texts(person.window) == english
    set_language("en")


def test_language_when_chosen_then_keys_and_lists_still_work(open_window: Open, project: Path) -> None:
    person = open_window(project)
    person.window.registry.run("view.chinese")
    person.settle()
    person.press("Alt+S", at=person.library.listing().table)
    person.settle()
    assert person.library.front == "scene"
    assert person.names() == ["0001", "0002"]
    set_language("en")


def test_window_when_closed_during_long_work_then_asks_first(open_window: Open, project: Path) -> None:
    person = open_window(project)
    gate = threading.Event()
    work = person.window.controller.run_task(gate.wait, title="Importing")
    assert not person.window.close()
    assert person.window.isVisible()
    assert person.window.banner.headline.text() == "Importing is still running."
    gate.set()
    person.qtbot.waitUntil(lambda: work not in person.window.controller.works)
    assert person.window.close()


def test_window_when_told_to_stop_work_then_cancels_it_and_closes(open_window: Open, project: Path) -> None:
    person = open_window(project)
    stopped = threading.Event()

    def count(_session: object, progress: Progress) -> None:
        progress.begin("Counting")
        try:
            while True:
                progress.step()
        finally:
            stopped.set()

    person.window.controller.run_query(count, title="Counting")
    person.window.close()
    person.click(person.window.banner.offer_button)
    assert not person.window.isVisible()
    assert stopped.is_set()


def test_window_when_moved_and_closed_then_opens_where_it_was(
    open_window: Open, project: Path, settings: Settings
) -> None:
    from widgets.window import build

    person = open_window(project, size=(960, 640))
    person.window.close()
    again = build(None, settings=settings)
    person.qtbot.addWidget(again)
    assert (again.width(), again.height()) == (960, 640)
    again.close()


@pytest.mark.parametrize("size", [(1280, 720), (1600, 1000), (3840, 2160)])
def test_window_at_every_size_then_nothing_visible_is_cut_off(
    open_window: Open, project: Path, size: tuple[int, int]
) -> None:
    person = open_window(project, size=size)
    rect = person.window.rect()
    parts = [*person.window.findChildren(QPushButton), *person.window.findChildren(QLabel)]
    for part in (part for part in parts if part.isVisible() and not isinstance(part, ElidedLabel)):
        corner = part.mapTo(person.window, part.rect().topLeft())
        assert rect.contains(corner), part.text()
        assert part.width() >= min(part.minimumSizeHint().width(), rect.width()), part.text()


def test_screenshot_when_saved_then_is_the_settled_window_at_size_and_scale(
    project: Path, settings: Settings, tmp_path: Path, qtbot: QtBot, guard_messages: object
) -> None:
    from annotator.session import Session
    from tests.guards import Messages
    from tests.windows import NO_SIZE_HINTS
    from widgets.window import build

    assert isinstance(guard_messages, Messages)
    guard_messages.allow(NO_SIZE_HINTS)
    window = build(Session.open(project), settings=settings)
    qtbot.addWidget(window)
    file = tmp_path / "pictures" / "window.png"
    save_screenshot(window, file, size=(1280, 720), scale=2.0)
    assert window.library is not None
    assert window.library.is_settled()
    image = QImage(str(file))
    assert (image.width(), image.height()) == (2560, 1440)
    with pytest.raises(EnvironmentFailure):
        save_screenshot(window, tmp_path / "pictures" / "window.png" / "x.png", size=(1280, 720))
    window.close()


def test_first_paint_when_waited_for_then_is_told_once(open_window: Open, qtbot: QtBot) -> None:
    person = open_window()
    painted: list[bool] = []
    call_when_painted(person.window, lambda: painted.append(True))
    person.window.repaint()
    person.window.repaint()
    qtbot.waitUntil(lambda: bool(painted))
    assert painted == [True]


def test_widgets_when_imported_then_nothing_heavy_comes_along() -> None:
    heavy = [
        "cv2",
        "pyqtgraph",
        "torch",
        "ultralytics",
        "openai",
        "onnxruntime",
        "av",
        "keyring",
        "annotator.jobs",
    ]
    code = f"import sys, widgets.window; print([name for name in {heavy!r} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_tab_key_when_pressed_then_walks_in_reading_order(open_window: Open, project: Path) -> None:
    person = open_window(project)
    person.library.filters.search.setFocus()
    listing = person.library.listing()
    order: list[QWidget] = []
    for _ in range(6):
        focus = person.window.focusWidget()
        order.append(focus)
        person.qtbot.keyClick(focus, Qt.Key.Key_Tab)
    assert (
        order.index(person.library.filters.search) < order.index(listing.facets) < order.index(listing.table)
    )
