from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from annotator.errors import EnvironmentFailure, UserError
from annotator.progress import ProgressUpdate
from annotator.session import Session
from tests.guards import Messages
from tests.windows import NO_SIZE_HINTS
from widgets import theme
from widgets.action_registry import ActionRegistry
from widgets.banner import Banner
from widgets.bridge import Bridge
from widgets.empty_state import EmptyState
from widgets.labels import LONGEST_SHOWN, ElidedLabel, label, plain_tip
from widgets.nav_rail import NavRail
from widgets.start_page import StartPage
from widgets.status_bar import StatusBar
from widgets.task import Task
from widgets.top_bar import TopBar
from widgets.translation import LANGUAGES, set_language
from widgets.welcome import Welcome
from widgets.window import MainWindow
from widgets.workspaces import WORKSPACES


class Owner:
    """Stands in for the window and notes what it is asked to do."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def show_workspace(self, name: str) -> None:
        self.done.append(name)

    def ask_new(self) -> None:
        self.done.append("new")


@pytest.fixture
def owner(registry: ActionRegistry) -> Owner:
    made = Owner()
    registry.connect_owner("window", made)
    registry.connect_owner("controller", made)
    return made


@pytest.fixture
def status_bar(qtbot: QtBot, guard_messages: Messages) -> StatusBar:
    guard_messages.allow(NO_SIZE_HINTS)
    made = StatusBar()
    qtbot.addWidget(made)
    made.resize(1200, 29)
    made.show()
    return made


@pytest.fixture
def banner(qtbot: QtBot, guard_messages: Messages) -> Banner:
    guard_messages.allow(NO_SIZE_HINTS)
    made = Banner()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def work(bridge: Bridge) -> Iterator[Task]:
    made = Task("Importing", bridge=bridge)
    yield made
    made.deleteLater()


def test_label_when_its_text_is_markup_then_shows_it_as_it_is(qtbot: QtBot) -> None:
    made = label("<img src='file:///etc/passwd'>")
    qtbot.addWidget(made)
    assert made.textFormat() == Qt.TextFormat.PlainText
    assert plain_tip("<b>x</b> & y") == "<qt>&lt;b&gt;x&lt;/b&gt; &amp; y</qt>"


def test_label_when_its_text_is_endless_then_is_cut_with_a_mark(qtbot: QtBot) -> None:
    made = label("x" * (LONGEST_SHOWN + 1))
    qtbot.addWidget(made)
    assert len(made.text()) == LONGEST_SHOWN + 2
    assert made.text().endswith(" …")


def test_elided_label_when_there_is_no_room_then_the_tool_tip_has_the_whole(
    qtbot: QtBot, guard_messages: Messages
) -> None:
    guard_messages.allow(NO_SIZE_HINTS)
    made = ElidedLabel("A2A_Object_Matching_00041")
    qtbot.addWidget(made)
    made.resize(400, 20)
    made.show()
    assert made.toolTip() == ""
    made.resize(40, 20)
    assert made.toolTip() == "A2A_Object_Matching_00041"


def test_rail_when_clicked_then_the_workspace_is_opened(
    registry: ActionRegistry, owner: Owner, qtbot: QtBot
) -> None:
    rail = NavRail(registry, WORKSPACES)
    qtbot.addWidget(rail)
    buttons = rail.findChildren(QToolButton)
    qtbot.mouseClick(buttons[3], Qt.MouseButton.LeftButton)
    assert owner.done == ["review"]
    assert [button.toolTip() for button in buttons][:2] == ["Library  Ctrl+1", "Annotate  Ctrl+2"]


@pytest.mark.parametrize("size_px", [11, 15])
@pytest.mark.parametrize("code", LANGUAGES)
def test_rail_when_titles_are_painted_then_stay_clear_of_the_edges_and_of_the_background(
    code: str, size_px: int, registry: ActionRegistry, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    font = theme.font("label")
    font.setPixelSize(size_px)
    monkeypatch.setattr("widgets.nav_rail.theme.font", lambda _role: font)
    set_language(code)
    rail = NavRail(registry, WORKSPACES)
    qtbot.addWidget(rail)
    rail.show()
    for button in rail.findChildren(QToolButton):
        image = button.grab().toImage()
        pixels = [[image.pixelColor(x, y).lightness() for x in range(image.width())] for y in range(30, 46)]
        inked = [x for x, column in enumerate(zip(*pixels, strict=True)) if max(column) - min(column) > 40]
        assert inked
        left, right = inked[0], image.width() - 1 - inked[-1]
        assert min(left, right) >= 7, (button.text(), left, right)


def test_top_bar_when_a_record_is_looked_at_then_says_where_one_is(
    registry: ActionRegistry, qtbot: QtBot
) -> None:
    bar = TopBar(registry)
    qtbot.addWidget(bar)
    bar.show_location("pilot", "item_00001")
    assert (bar.project.text(), bar.record.text()) == ("pilot", "item_00001")
    bar.show_location("", "")
    assert bar.project.text() == "No project"
    assert bar.record.isHidden()


def test_status_when_a_change_was_committed_then_says_when(status_bar: StatusBar) -> None:
    at = datetime(2025, 6, 24, 14, 3, 22).astimezone()
    status_bar.show_saved(at.timestamp())
    assert status_bar.saved.text() == "Saved 14:03:22"


def test_work_when_short_then_no_bar_is_shown(status_bar: StatusBar, work: Task) -> None:
    status_bar.work.follow(work)
    work.finished.emit(None)
    assert not status_bar.work.isVisible()
    assert not status_bar.work._late.isActive()


def test_work_when_long_then_shows_how_far_how_fast_and_can_be_cancelled(
    status_bar: StatusBar, work: Task, qtbot: QtBot
) -> None:
    status_bar.work.follow(work)
    work.stepped.emit(ProgressUpdate("Reading Real2_Sample.json", 200, 400, 1.0))
    qtbot.waitUntil(status_bar.work.isVisible)
    assert status_bar.work.title.text() == "Reading Real2_Sample.json"
    assert status_bar.work.figures.text() == "200 of 400 · 200/s · 1 s left"
    assert status_bar.work.bar.value() == 500
    qtbot.mouseClick(status_bar.work.cancel, Qt.MouseButton.LeftButton)
    assert work.is_cancelling
    assert not status_bar.work.cancel.isEnabled()
    work.failed.emit(None)
    assert not status_bar.work.isVisible()


def test_work_when_a_short_one_ends_beside_a_long_one_then_the_long_one_is_still_shown(
    status_bar: StatusBar, qtbot: QtBot
) -> None:
    bridge = Bridge()
    long, short = Task("Importing", bridge=bridge), Task("Writing a comment", bridge=bridge)
    line = status_bar.work
    line.follow(long)
    qtbot.waitUntil(line.isVisible)
    line.follow(short)
    assert line.title.text() == "Writing a comment"
    long._on_reported(ProgressUpdate("Reading a.json", 100, 400, 1.0))
    assert line.title.text() == "Writing a comment"
    short.finished.emit(None)
    assert line.isVisible()
    assert (line.title.text(), line.bar.value()) == ("Reading a.json", 250)
    qtbot.mouseClick(line.cancel, Qt.MouseButton.LeftButton)
    assert (long.is_cancelling, short.is_cancelling) == (True, False)
    assert line.figures.text() == "Stopping …"
    long.failed.emit(None)
    assert not line.isVisible()
    bridge.close()


def test_banner_when_a_user_error_then_says_what_is_safe_and_what_to_do(banner: Banner) -> None:
    banner.show_error(UserError("a.json is no JSON.", hint="Choose another file."))
    assert banner.isVisible()
    assert banner.headline.text() == "a.json is no JSON."
    assert banner.advice.text() == "The project is unchanged. Choose another file."


def test_banner_when_the_host_failed_then_says_that_what_was_saved_is_safe(banner: Banner) -> None:
    banner.show_error(EnvironmentFailure("The disk is full.", hint="Make room."))
    assert banner.advice.text() == "Saved data is not affected. Make room."


def test_banner_when_a_bug_then_offers_a_report_without_values(banner: Banner, qtbot: QtBot) -> None:
    banner.show_error(KeyError("Where is the red car?"), during="Importing")
    assert banner.headline.text() == "Internal error during “Importing”."
    qtbot.mouseClick(banner.findChild(QPushButton), Qt.MouseButton.LeftButton)
    report = QGuiApplication.clipboard().text()
    assert "KeyError" in report
    assert "red car" not in report + banner.advice.text()


def test_banner_when_its_offer_is_taken_then_does_it_and_goes(banner: Banner, qtbot: QtBot) -> None:
    done: list[bool] = []
    banner.show_message("Still going on.", offer="Stop it", call=lambda: done.append(True))
    qtbot.mouseClick(banner.findChild(QPushButton), Qt.MouseButton.LeftButton)
    assert done == [True]
    assert not banner.isVisible()


def test_empty_place_when_its_step_is_clicked_then_the_action_is_done(
    registry: ActionRegistry, owner: Owner, qtbot: QtBot
) -> None:
    empty_state = EmptyState(
        icon="import", headline="Nothing", text="Begin.", registry=registry, steps=("project.new",)
    )
    qtbot.addWidget(empty_state)
    button = empty_state.findChild(QPushButton)
    assert button.text() == "New project…"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert owner.done == ["new"]


def test_empty_place_when_its_main_step_has_a_key_then_the_key_covers_no_frame(
    registry: ActionRegistry, qtbot: QtBot
) -> None:
    empty_state = EmptyState(
        icon="import", headline="Nothing", text="Begin.", registry=registry, steps=("project.new",)
    )
    qtbot.addWidget(empty_state)
    with qtbot.waitExposed(empty_state):
        empty_state.show()
    button = empty_state.steps[0]
    shown = button.findChild(QLabel)
    assert shown.text() == registry.key("project.new")
    assert shown.geometry().top() >= 3
    assert button.rect().bottom() - shown.geometry().bottom() >= 3


def test_placeholders_when_no_project_is_open_then_say_what_the_workspace_is_for(
    show_window: Callable[[Session | None], MainWindow],
) -> None:
    window = show_window(None)
    for workspace in WORKSPACES[1:]:
        window.show_workspace(workspace.id)
        page = window._pages.currentWidget()
        assert isinstance(page, EmptyState)
        assert page.body.text() == workspace.purpose
        assert [step.accessibleName() for step in page.steps] == ["Open project…", "New project…"]
        assert page.steps[0].hasFocus()
        window.show_workspace("library")
        assert isinstance(window._pages.currentWidget(), StartPage)


def test_welcome_when_there_are_recent_projects_then_they_can_be_opened(
    registry: ActionRegistry, owner: Owner, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "brighton.vantage"
    welcome = Welcome(registry=registry, recent=[path])
    qtbot.addWidget(welcome)
    with qtbot.waitSignal(welcome.chosen) as chosen:
        qtbot.mouseClick(welcome.recent[0], Qt.MouseButton.LeftButton)
    assert chosen.args == [str(path)]


def test_welcome_when_there_is_a_demo_then_it_is_the_main_step(
    registry: ActionRegistry, qtbot: QtBot
) -> None:
    registry.set_there("demo", True)
    welcome = Welcome(registry=registry, recent=[])
    qtbot.addWidget(welcome)
    buttons = welcome.findChildren(QPushButton)
    assert [button.text() for button in buttons] == ["Open demo project", "New project…", "Open project…"]
    assert buttons[0].property("kind") == "main"
    assert buttons[0].sizeHint().height() >= 32
