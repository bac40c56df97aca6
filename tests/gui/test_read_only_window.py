"""A project that is open for reading only: what would change it is disabled, and says why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QDialog, QToolButton

from annotator.commands.comments import WriteComment
from annotator.domain.item import Item
from annotator.session import Session
from tests.guards_qt import PatientBot
from tests.windows import make_flag, make_item, make_project, option, small_project
from widgets.actions import ACTIONS
from widgets.command_palette import CommandPalette
from widgets.library.balance_page import BalancePage
from widgets.library.duplicates_page import DuplicatesPage
from widgets.window import MainWindow
from widgets.workspaces import WORKSPACES

REASON = "The project is open for reading only. To change it, close it and open it again."
LEAVING = frozenset({"app.quit", "project.close", "view.english", "view.chinese"})
"""Actions that end the window or make it anew."""
SAYING = frozenset({"stage.next_proposal", "stage.previous_proposal"})
"""Actions that, without a proposal, run the command that decides on none: its refusal is their message."""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """Open the small project for reading; the window closes it."""
    return Session.open_for_reading(make_project(tmp_path / "pilot.vantage"))


@pytest.fixture
def window(
    session: Session, show_window: Callable[[Session | None], MainWindow], qtbot: PatientBot
) -> MainWindow:
    shown = show_window(session)
    qtbot.settle(shown.is_settled)
    return shown


def show_row(window: MainWindow, workspace: str, qtbot: PatientBot) -> None:
    """Show a workspace, in the Library with a selected item."""
    window.show_workspace(workspace)
    qtbot.settle(window.is_settled)
    if workspace == "library" and window.library is not None:
        window.library.listing().table.choose_row(0)
        qtbot.settle(window.is_settled)


def test_actions_when_the_project_is_read_only_then_those_that_write_are_disabled_and_say_why(
    window: MainWindow, session: Session, qtbot: PatientBot
) -> None:
    registry, content = window.registry, session.path.read_bytes()
    writing = [action.id for action in ACTIONS if action.writes]
    for workspace in WORKSPACES:
        show_row(window, workspace.id, qtbot)
        assert [name for name in writing if registry.action(name).isEnabled()] == []
        assert [name for name in writing if not registry.action(name).toolTip().endswith(REASON)] == []
        for name in writing:
            window.banner.clear()
            registry.run(name)
            assert window.banner.headline.text() == REASON
    # All else still works where it did.
    show_row(window, "library", qtbot)
    assert {"edit.copy_names", "go.inspect", "view.grid"} <= {
        action.id for action in ACTIONS if registry.can_run(action.id)
    }
    button = registry.button("project.import")
    assert (button.isEnabled(), button.toolTip().splitlines()[1:]) == (False, [REASON])
    button.deleteLater()
    assert session.path.read_bytes() == content


@pytest.mark.parametrize(
    ("open_project", "is_offered"), [(Session.open, True), (Session.open_for_reading, False)]
)
def test_undo_when_the_project_is_read_only_then_is_not_offered(
    open_project: Callable[[Path], Session],
    is_offered: bool,
    tmp_path: Path,
    show_window: Callable[[Session | None], MainWindow],
    qtbot: PatientBot,
) -> None:
    path = make_project(tmp_path / "edited.vantage", small_project())
    with Session.open(path) as session:
        item = next(session.reader.records(Item))
        session.execute(WriteComment(entity="item", target=item.id, text="seen")).result()
    window = show_window(open_project(path))
    qtbot.settle(window.is_settled)
    assert bool(window.status_bar.undo.text()) is is_offered


def test_palette_when_the_project_is_read_only_then_says_so_at_actions_that_write(
    window: MainWindow,
) -> None:
    palette = CommandPalette(window, registry=window.registry, search=None)
    details = {entry.action_id: entry.detail for entry in palette.model.choices}
    assert details["project.import"] == "Project · project is read-only"
    assert details["project.open"] == "Project"
    palette.deleteLater()


def test_actions_when_a_project_that_can_be_changed_follows_then_are_enabled_again(
    window: MainWindow, session: Session, qtbot: PatientBot
) -> None:
    path = session.path
    assert not window.registry.can_run("project.import")
    window.controller.close_project()
    qtbot.settle(window.is_settled)
    window.controller.open_at(str(path))
    qtbot.waitUntil(lambda: window.registry.can_run("project.import"))
    imports = [one for one in window.findChildren(QToolButton) if one.toolTip().startswith("Import files")]
    assert all(one.isEnabled() and REASON not in one.toolTip() for one in imports)
    window.controller.close_project()
    qtbot.settle(window.is_settled)


def test_buttons_when_the_project_is_read_only_then_those_that_decide_are_disabled_and_say_why(
    tmp_path: Path, show_window: Callable[[Session | None], MainWindow], qtbot: PatientBot
) -> None:
    options = (option("A", "a pond"), option("B", "the lake"))
    twins = [make_item(n, question=f"What is here, {n}?", options=options, answer_key="A") for n in (7, 8)]
    near = make_flag("item", twins[0].id, "near_duplicate", evidence={"item": twins[1].id})
    path = make_project(tmp_path / "twins.vantage", [*small_project(), *twins, near])
    window = show_window(Session.open_for_reading(path))
    qtbot.settle(window.is_settled)
    show_row(window, "library", qtbot)
    assert window.library is not None

    window.registry.run("go.duplicates")
    qtbot.settle(window.is_settled)
    pairs = window.library.pages.shown
    assert isinstance(pairs, DuplicatesPage)
    choices = pairs.cards[0].choices
    assert [name for name, button in choices.items() if button.isEnabled()] == ["show"]
    assert choices["keep"].toolTip() == REASON

    window.registry.run("go.balance")
    qtbot.settle(window.is_settled)
    balance = window.library.pages.shown
    assert isinstance(balance, BalancePage)
    assert {(button.isEnabled(), button.toolTip()) for button in balance.balance_buttons} == {(False, REASON)}

    window.registry.run("go.release")
    qtbot.settle(window.is_settled)
    release = window.slots["release"].workspace
    assert [name for name, button in release.buttons.items() if button.toolTip() == REASON] == [
        "waive",
        "withdraw",
        "require",
    ]


def test_decisions_when_the_project_is_read_only_then_their_buttons_are_disabled_and_say_why(
    tmp_path: Path, show_window: Callable[[Session | None], MainWindow], qtbot: PatientBot
) -> None:
    flagged = make_item(7, state="flagged")
    flag = make_flag("item", flagged.id, "near_duplicate", evidence={"item": flagged.id})
    path = make_project(tmp_path / "cases.vantage", [*small_project(), flagged, flag])
    window = show_window(Session.open_for_reading(path))
    qtbot.settle(window.is_settled)

    window.registry.run("go.refine")
    qtbot.settle(window.is_settled)
    editor = window.slots["refine"].workspace.editor
    qtbot.waitUntil(lambda: editor.form.item is not None)
    decisions = [editor.bar.main, *editor.bar.others.values()]
    assert {(button.isEnabled(), button.toolTip()) for button in decisions} == {(False, REASON)}
    assert not editor.form.classes.isEnabled()

    window.registry.run("go.review")
    qtbot.settle(window.is_settled)
    bar = window.slots["review"].workspace.panel.bar
    qtbot.waitUntil(bar.isVisible)
    choices = [*bar.big, *(other for other in bar.others.values() if other.isVisible())]
    assert {(button.isEnabled(), button.toolTip()) for button in choices} == {(False, REASON)}


def test_flags_when_the_project_is_read_only_then_no_reason_is_asked_for(
    window: MainWindow, qtbot: PatientBot
) -> None:
    show_row(window, "library", qtbot)
    assert window.library is not None
    inspector = window.library.inspector
    inspector.choose_tab(1)
    qtbot.settle(window.is_settled)
    (card,) = inspector.flags.cards
    assert (card.buttons.isEnabled(), card.buttons.toolTip()) == (False, REASON)


@pytest.mark.parametrize("name", ["questions.json", "Ada.bundle"])
def test_files_when_dropped_on_a_read_only_project_then_none_is_offered_for_import_and_the_reason_is_told(
    name: str, window: MainWindow, tmp_path: Path, qtbot: PatientBot
) -> None:
    show_row(window, "library", qtbot)
    assert window.library is not None
    file = tmp_path / name
    file.write_bytes(b"[]")
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile(str(file))])
    place, copy = QPointF(9, 9), Qt.DropAction.CopyAction
    about = (files, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    # Qt sends a drop where it has sent the drag before.
    for event in (QDragEnterEvent(place.toPoint(), copy, *about), QDropEvent(place, copy, *about)):
        QApplication.sendEvent(window.library, event)
    qtbot.settle(window.is_settled)
    assert window.findChildren(QDialog) == []
    assert window.banner.headline.text() == REASON


@pytest.mark.slow
@pytest.mark.allow_messages("does not support raise", "does not support grabbing")
def test_actions_when_the_project_is_read_only_then_no_enabled_one_tries_to_write(
    window: MainWindow, session: Session, qtbot: PatientBot
) -> None:
    failures: dict[str, str] = {}
    running = [""]
    window.controller.failed.connect(lambda error, _title: failures.setdefault(running[0], str(error)))
    content = session.path.read_bytes()
    for workspace in WORKSPACES:
        show_row(window, workspace.id, qtbot)
        for action in ACTIONS:
            # What asks first changes nothing by itself, and what it asks for may write a file elsewhere.
            asks = ".ask_" in action.handler or action.text.endswith("…")
            if action.id in LEAVING or asks or not window.registry.can_run(action.id):
                continue
            running[0] = action.id
            window.registry.run(action.id)
            qtbot.settle(window.is_settled)
            if window.workspace != workspace.id:
                show_row(window, workspace.id, qtbot)
    assert failures.keys() <= SAYING
    assert session.path.read_bytes() == content
