"""Two programs on one project file, and a file that is taken away, in the window."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer

from annotator.backup_scheduler import BackupScheduler
from annotator.commands.item_states import ChangeState
from annotator.domain.actor import Actor
from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.progress import Progress
from annotator.session import Session
from annotator.store import connection as connections
from annotator.store.backup_content import ContentCheck
from annotator.store.connection import connect
from annotator.user_profile import current_actor
from tests.e2e.conftest import Open, Person
from tests.windows import make_item, make_project

COLLEAGUE = Actor(id="c" * 32, name="Li")


@pytest.fixture
def person(tmp_path: Path, open_window: Open) -> Person:
    """Give somebody at the Library of a project of three items."""
    path = tmp_path / "team" / "shared.vantage"
    path.parent.mkdir()
    return open_window(make_project(path, [make_item(number) for number in range(3)]))


def project_of(person: Person) -> Path:
    assert person.window.controller.session is not None
    return person.window.controller.session.path


def states(person: Person) -> list[str]:
    """Return the states that the list shows."""
    model = person.library.listing().model
    column = [known.id for known in person.library.listing().kind.columns].index("state")
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def reject_first(path: Path, *, actor: Actor) -> str:
    """Reject the first item in another session of the project."""
    with Session.open(path, actor=actor) as other:
        (item, *_) = other.reader.items.page(ItemQuery())
        other.execute(ChangeState(items=(item.id,), state="rejected", reason="Blurred")).result()
    return item.id


def test_list_when_another_program_edits_then_shows_it_without_being_asked(person: Person) -> None:
    before = states(person)

    reject_first(project_of(person), actor=COLLEAGUE)

    person.qtbot.waitUntil(lambda: states(person) != before)
    assert states(person)[1:] == before[1:]
    # What others do is not what this window has saved.
    assert "Saved" not in person.window.status_bar.saved.text()


def test_undo_when_the_own_command_line_was_quicker_then_names_and_undoes_the_newest(person: Person) -> None:
    session = person.window.controller.session
    assert session is not None
    # In the words of the command line: by the same person, on this computer.
    item = reject_first(project_of(person), actor=current_actor())

    person.qtbot.waitUntil(lambda: "Reject" in person.window.status_bar.undo.text())
    person.press("Ctrl+Z")
    person.settle()

    found = session.reader.get(Item, item)
    assert found is not None
    assert found.state == "drafted"


def test_file_when_replaced_by_a_colleagues_version_then_says_so_and_opens_the_copy(
    person: Person, tmp_path: Path
) -> None:
    path = project_of(person)
    theirs = Path(shutil.copy(path, tmp_path / "theirs.vantage"))
    reject_first(path, actor=COLLEAGUE)
    person.qtbot.waitUntil(lambda: "Rejected" in states(person))
    theirs.replace(path)
    person.library.listing().table.choose_row(2)
    person.settle()
    shown = person.library.inspector.name.text()
    banner = person.window.banner
    item = person.window.controller.session.reader.items.page(ItemQuery())[1]  # type: ignore[union-attr]
    person.window.controller.execute(
        ChangeState(items=(item.id,), state="rejected", reason="Typed too late"), title="Reject"
    )

    person.qtbot.waitUntil(lambda: banner.offer_button.text() == "Open the copy")
    assert person.window.status_bar.saved.text() == "Nothing more is saved"
    assert "was replaced by another file" in banner.headline.text()
    (copy,) = path.parent.glob("shared-rescued-*.vantage")
    assert str(copy) in banner.advice.text()
    person.click(banner.offer_button)
    person.qtbot.waitUntil(lambda: project_of(person) == copy)
    person.settle()

    # The item that was shown is shown in the copy.
    person.qtbot.waitUntil(lambda: person.library.listing().table.current_position() == 2)
    person.settle()
    assert person.library.inspector.name.text() == shown
    # What was asked for after the loss is done in the copy.
    person.qtbot.waitUntil(lambda: states(person)[:2] == ["Rejected", "Rejected"])
    assert person.window.status_bar.saved.text().startswith("Saved ")
    assert not [*path.parent.glob("shared.vantage-*")]
    with Session.open_for_reading(path) as session:
        assert session.reader.counts()["item"] == 3


def test_edit_when_it_is_on_its_way_while_the_copy_is_opened_then_is_done_in_the_copy(
    person: Person, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path = project_of(person)
    Path(shutil.copy(path, tmp_path / "theirs.vantage")).replace(path)
    banner, session = person.window.banner, person.window.controller.session
    assert session is not None
    person.qtbot.waitUntil(lambda: banner.offer_button.text() == "Open the copy")
    may_write = threading.Event()
    request.addfinalizer(may_write.set)
    session._commands.writing.submit(may_write.wait)
    item = session.reader.items.page(ItemQuery())[0]
    person.window.controller.execute(
        ChangeState(items=(item.id,), state="rejected", reason="Typed too late"), title="Reject"
    )
    person.click(banner.offer_button)
    person.qtbot.waitUntil(lambda: project_of(person) != path)
    may_write.set()
    person.qtbot.waitUntil(lambda: states(person)[:1] == ["Rejected"])


def test_file_when_its_window_was_closed_then_is_not_looked_at_any_more(person: Person) -> None:
    project = person.window.project
    assert project is not None
    (timer,) = project.file_follower.findChildren(QTimer)
    assert timer.isActive()
    person.window.close_now()
    assert not timer.isActive()


@pytest.mark.allow_messages("backup failed: No backup could be made: the disk is full.")
def test_backups_when_the_disk_is_full_then_the_window_says_so_once_and_edits_go_on(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = person.window.controller.session
    assert session is not None
    usage = shutil.disk_usage(session.path.parent)
    banner = person.window.banner
    # The window's own backups come every ten minutes; the session ends this one.
    session.backups = BackupScheduler(session, every_s=0.01, check=_no_check)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage._replace(free=1000))
    reject_first(session.path, actor=COLLEAGUE)
    person.qtbot.waitUntil(lambda: "the disk is full" in banner.headline.text())
    assert banner.isVisible()
    assert "Free disk space" in banner.advice.text()
    banner.dismiss()
    (item,) = session.reader.items.page(ItemQuery())[1:2]
    person.window.controller.execute(
        ChangeState(items=(item.id,), state="rejected", reason="Blurred"), title="Reject"
    )
    person.qtbot.waitUntil(lambda: states(person)[:2] == ["Rejected", "Rejected"])
    assert not banner.isVisible()


def _no_check(_backup: Path, _progress: Progress) -> ContentCheck:
    raise AssertionError("there is no backup")


@pytest.fixture
def lock(person: Person) -> Iterator[Callable[[], None]]:
    """Hold the write lock of the project from elsewhere; return a function that frees it."""
    with closing(connect(project_of(person), read_only=False)) as connection:
        connection.execute("BEGIN IMMEDIATE")

        def free() -> None:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

        yield free
        free()


def test_edit_when_another_program_holds_the_lock_then_says_so_and_is_saved_later(
    person: Person, lock: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "BUSY_TIMEOUT_MS", 20)
    (item, *_) = person.window.controller.session.reader.items.page(ItemQuery())  # type: ignore[union-attr]
    person.window.controller.execute(
        ChangeState(items=(item.id,), state="rejected", reason="Blurred"), title="Reject", is_gesture=True
    )
    banner, status = person.window.banner, person.window.status_bar

    person.qtbot.waitUntil(lambda: banner.isVisible() and status.saved.text() == "Not saved")
    assert banner.headline.text() == "Not saved: Another program is writing to the project."
    person.window.close()
    person.qtbot.waitUntil(lambda: banner.headline.text() == "An edit is not saved.")
    assert person.window.isVisible()
    lock()
    person.window.controller.session.unsaved.try_now()  # type: ignore[union-attr]
    person.qtbot.waitUntil(lambda: "Rejected" in states(person))
    person.qtbot.waitUntil(lambda: status.saved.text().startswith("Saved") and not banner.isVisible())
