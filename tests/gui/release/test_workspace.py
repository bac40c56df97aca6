"""The Release workspace in the real window: its gates with numbers, and what is done about them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from annotator.commands.release_gates import RequireGates, WaiveGate
from annotator.commands.releases import CreateRelease
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery
from annotator.domain.scene import Scene, SceneView
from annotator.session import Session
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.person import WindowPerson
from tests.windows import NO_SIZE_HINTS, AddRecords, make_flag, make_item, option
from widgets.new_release.release_dialog import ReleaseDialog
from widgets.release.workspace import ReleaseWorkspace
from widgets.report_dialog import ReportDialog, ReportTable
from widgets.settings import Settings
from widgets.text_prompt import TextPrompt
from widgets.window import MainWindow, build


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make three accepted items, of which one has a warning, and a rejected one."""
    path = tmp_path_factory.mktemp("made") / "p.vantage"
    options = tuple(option(letter, text) for letter, text in zip("ABCD", ("4", "5", "6", "7"), strict=True))
    shown = {"media": ("m",), "scene": "s", "options": options}
    items = [make_item(n, id=f"i{n}", state="accepted", **shown) for n in range(3)]
    positions = [
        Medium(id="m", name="m.jpg", sha256="1" * 64),
        Scene(id="s", name="s", views=(SceneView(name="UAV1", medium="m"),)),
    ]
    flag = make_flag("item", "i1", "person_against_key", severity="warning")
    with Session.create(path) as session:
        rejected = make_item(3, id="i3", state="rejected")
        session.execute(AddRecords(records=[*positions, *items, rejected, flag])).result()
        session.execute(RequireGates(gates=("flags", "forks"))).result()
    return path


@pytest.fixture
def person(
    made: Path, tmp_path: Path, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> Iterator[WindowPerson]:
    guard_messages.allow(NO_SIZE_HINTS)
    project = Path(shutil.copy(made, tmp_path / made.name))
    window = build(Session.open(project), settings=settings)
    qtbot.addWidget(window)
    window.resize(1600, 1000)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    yield WindowPerson(window, qtbot, workspace="release")
    window.close()


def shown(window: MainWindow) -> ReleaseWorkspace:
    workspace = window.slots["release"].workspace
    assert workspace is not None
    return workspace


def row(workspace: ReleaseWorkspace, gate: str) -> tuple[str, ...]:
    ids = [report.gate.id for report in workspace.list.gates.reports]
    return tuple(str(workspace.list.gates.index(ids.index(gate), column).data()) for column in range(4))


def choose(workspace: ReleaseWorkspace, gate: str) -> None:
    ids = [report.gate.id for report in workspace.list.gates.reports]
    workspace.list.choose_row(ids.index(gate))


def test_release_when_opened_then_the_gates_have_numbers_and_the_one_that_stops_it_is_current(
    person: WindowPerson,
) -> None:
    workspace = shown(person.window)
    assert row(workspace, "flags") == (
        "Fails", "No open flags", "1 / 3", "Required",
    )  # fmt: skip
    assert workspace.number.text() == "Items with an open error or warning: 1 of 3"
    assert row(workspace, "forks")[0] == "Holds"
    assert row(workspace, "second-look")[3] == "Not required"
    assert workspace.list.report is not None
    assert workspace.list.report.gate.id == "flags"
    assert workspace.status.text() == "Required gates that fail: 1. Correct what they count, or waive them."
    assert workspace.detail.text() == "Decide on the flags in Review."
    assert QApplication.focusWidget() is workspace.list
    assert not workspace.pane.main.isEnabled()


def test_gate_when_enter_is_pressed_then_the_library_lists_what_fails(person: WindowPerson) -> None:
    person.press("Return")
    assert person.window.workspace == "library"
    assert person.window.library is not None
    assert person.window.library.listing().query == ItemQuery(ids=("i1",))


def test_gate_when_waived_with_a_reason_then_the_release_can_be_created_and_undo_takes_it_back(
    person: WindowPerson,
) -> None:
    workspace = shown(person.window)
    person.press("W")
    person.qtbot.waitUntil(lambda: person.window.findChild(TextPrompt) is not None)
    prompt = person.window.findChild(TextPrompt)
    prompt.field.setPlainText("The flag is about an earlier image.")
    prompt.main.click()
    person.qtbot.waitUntil(lambda: bool(person.session.reader.project.gate_waivers))
    person.settle()
    (waiver,) = person.session.reader.project.gate_waivers
    assert (waiver.gate, waiver.failing, waiver.person) == ("flags", 1, person.session.actor.id)
    assert row(workspace, "flags")[0] == "Waived"
    choose(workspace, "flags")
    assert workspace.detail.text().endswith(": The flag is about an earlier image.")
    assert workspace.pane.main.isEnabled()
    workspace.pane.main.click()
    person.qtbot.waitUntil(lambda: person.window.findChild(ReleaseDialog) is not None)
    person.window.findChild(ReleaseDialog).reject()
    person.session.undo().result()
    person.settle()
    assert row(workspace, "flags")[0] == "Fails"


def test_gate_when_its_waiver_is_withdrawn_then_it_fails_again(person: WindowPerson) -> None:
    workspace = shown(person.window)
    command = WaiveGate(gate="flags", reason="Known.", failing=1)
    person.session.execute(command).result()
    person.settle()
    assert row(workspace, "flags")[0] == "Waived"
    choose(workspace, "flags")
    workspace.list.setFocus()
    person.press("Del")
    assert person.session.reader.project.gate_waivers == ()
    assert row(workspace, "flags")[0] == "Fails"


def test_release_when_a_gate_is_waived_then_the_report_says_so_with_the_reason(
    person: WindowPerson, tmp_path: Path
) -> None:
    person.session.execute(WaiveGate(gate="flags", reason="Known.", failing=1)).result()
    assert person.window.library is not None
    command = CreateRelease(
        out=tmp_path / "out", export_format="native", selection=ItemQuery(states=("accepted",))
    )
    person.window.library.batch.release(command)
    person.qtbot.waitUntil(lambda: person.window.findChild(ReportDialog) is not None)
    report = person.window.findChild(ReportDialog)
    texts = [table.text() for table in report.findChildren(ReportTable)]
    assert "Gate\tNumber left\tReason\nNo open flags\t1\tKnown." in texts
    report.reject()


def test_gate_when_a_file_of_checks_cannot_be_used_then_it_says_that_no_waiver_covers_it(
    person: WindowPerson,
) -> None:
    workspace = shown(person.window)
    folder = person.session.path.with_suffix(".checks")
    folder.mkdir()
    (folder / "broken.toml").write_text("id = ", encoding="utf-8")
    workspace.examine()
    person.settle()
    choose(workspace, "checks")
    assert row(workspace, "checks")[0] == "Fails"
    assert workspace.detail.text().startswith("Files that the checks cannot use: 1. No waiver covers them. ")


def test_gates_when_the_project_is_large_then_a_process_examines_them_and_ends_with_the_window(
    person: WindowPerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("widgets.release.workspace.PROCESS_FROM", 0)
    workspace = shown(person.window)
    before, workspace.outlook = workspace.outlook, None
    workspace.examine()
    person.qtbot.waitUntil(lambda: workspace.outlook is not None)
    assert before is not None
    assert workspace.outlook is not None
    assert [one.result for one in workspace.outlook.reports] == [one.result for one in before.reports]
    # The fixture closes the window while this one is at work.
    workspace.examine()


def test_gate_when_r_is_pressed_then_it_is_required_or_no_longer(person: WindowPerson) -> None:
    workspace = shown(person.window)
    choose(workspace, "second-look")
    person.press("R")
    assert person.session.reader.project.required_gates == ("flags", "forks", "second-look")
    assert row(workspace, "second-look")[3] == "Required"
    person.press("R")
    assert person.session.reader.project.required_gates == ("flags", "forks")
    # What is informational cannot be required.
    choose(workspace, "reference")
    assert not workspace.buttons["require"].isEnabled()
    assert not person.window.registry.can_run("release.require")


def test_gates_when_the_project_changes_then_the_numbers_follow(person: WindowPerson) -> None:
    workspace = shown(person.window)
    flag = make_flag("item", "i2", "person_against_key", severity="warning")
    person.session.execute(AddRecords(records=[flag])).result()
    person.settle()
    assert row(workspace, "flags")[2].endswith("2 / 3")


def test_release_when_no_item_is_accepted_then_says_where_items_are_accepted(
    tmp_path: Path, show_window: Callable[[Session], MainWindow], qtbot: PatientBot
) -> None:
    person = WindowPerson(show_window(Session.create(tmp_path / "p.vantage")), qtbot, workspace="release")
    pane = shown(person.window).pane
    assert not pane.main.isEnabled()
    assert pane.note.text() == (
        "A release contains accepted items. Accept items in Refine, and decide on flags in Review."
    )


def test_release_when_the_project_is_read_only_then_cannot_be_created_and_says_why(
    made: Path, tmp_path: Path, show_window: Callable[[Session], MainWindow], qtbot: PatientBot
) -> None:
    path = Path(shutil.copy(made, tmp_path / made.name))
    with Session.open(path) as session:
        session.execute(RequireGates(gates=())).result()
    person = WindowPerson(show_window(Session.open_for_reading(path)), qtbot, workspace="release")
    pane = shown(person.window).pane
    assert not pane.main.isEnabled()
    assert pane.note.text() == (
        "The project is open for reading only. To change it, close it and open it again."
    )
