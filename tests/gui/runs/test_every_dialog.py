"""Every dialog of the product: modal, no shortcut under it, focus given back, small enough for 1280 x 720."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QPushButton
from shiboken6 import isValid

import widgets
from annotator.commands.comments import WriteComment
from annotator.domain.flight_segments import KeyFrameLimits
from annotator.domain.medium import Medium
from annotator.domain.scene import Scene
from annotator.edits.clip_content import ClipContent
from annotator.errors import UserError
from annotator.media.video.video import Video
from annotator.project_recovery import OpenFailure
from annotator.release.exporters import EXPORTERS
from annotator.scoring.judged_scores import JudgeOptions
from annotator.session import Session
from tests.bench.numbered_videos import Recipe, make_video
from tests.gui.runs.conftest import KEYS, Person, Work
from tests.unit.store.making import undo_label
from tests.windows import make_item, make_project, small_project
from widgets.actions import ACTIONS
from widgets.annotate.clip_dialog import ClipDialog
from widgets.annotate.clip_facts import ClipFacts
from widgets.annotate.frame_steps_dialog import FrameSteps, FrameStepsDialog
from widgets.annotate.key_frame_limits import KeyFrameLimitsDialog
from widgets.dialog import FormDialog
from widgets.form_entries import read_entries
from widgets.key_editor import KeyField
from widgets.library.folder_confirmation import FolderDialog
from widgets.library.saved_filters import SaveFilterDialog
from widgets.medium_view import MediumView
from widgets.new_release.kept_division import KeptDivision
from widgets.new_release.split_dialog import SplitDialog
from widgets.release.comparison_dialog import ComparisonDialog
from widgets.release.report_dialog import ReleaseReportDialog
from widgets.review.rules_dialog import ReviewRules, ReviewRulesDialog
from widgets.runs.compare_dialog import CompareDialog
from widgets.runs.confirm_dialog import ConfirmDialog
from widgets.runs.unfinished_runs import QuitDialog
from widgets.scores.ask_models_dialog import AskModelsDialog
from widgets.search_box import SearchBox

SIZE = (1280, 720)
OWN_KEYS = frozenset({"Return", "Enter", "Esc", "Space"})
"""What a dialog and its buttons answer to themselves."""
BASES = frozenset({"BatchDialog"})
"""Classes that only others derive from."""
WITHOUT_DEFAULT = frozenset({"CommandPalette", "ShortcutHelp", "LargeImageDialog"})
"""Dialogs that ask nothing, or whose Enter runs the line in focus."""


def _run(action: str) -> Callable[[Person], None]:
    def open_it(person: Person) -> None:
        person.window.registry.run(action)

    return open_it


def _at_row(kind: str, action: str) -> Callable[[Person], None]:
    def open_it(person: Person) -> None:
        person.window.show_workspace("library")
        assert person.window.library is not None
        person.window.library.show_list(kind)
        person.settle()
        person.window.library.listing().table.choose_row(0)
        person.settle()
        person.window.registry.run(action)

    return open_it


def _compare(person: Person) -> None:
    person.window.registry.run("runs.compare")
    asked = person.window.findChild(CompareDialog)
    assert asked is not None
    asked.main.click()


def _show_image(person: Person) -> None:
    assert person.window.library is not None
    medium = next(person.session.reader.records(Medium))
    shown = MediumView(view="UAV1", medium=medium, file=None)
    person.window.library.pages.open_large([shown, shown], 0)


def _fail_to_open(person: Person) -> None:
    error = UserError("It is not a project.", hint="Choose another file.")
    person.window.controller.opener.show_failure(OpenFailure(path=Path("other.vantage"), error=error))


def _undo_elsewhere(person: Person) -> None:
    scene = next(person.session.reader.records(Scene))
    command = WriteComment(entity="scene", target=scene.id, text="Fine")
    person.window.controller.execute(command, title="Comment")
    person.settle()
    person.window.registry.run("edit.undo")


def _quit(person: Person) -> None:
    dialog = QuitDialog(person.window, rows=person.runs.list.runs.rows, is_worker_ours=True)
    dialog.open(dialog.keep_button)


def _confirm(person: Person) -> None:
    dialog = ConfirmDialog(person.window, run=person.runs.list.runs.rows[0].run)
    dialog.open(dialog.keep_button)


def _confirm_folders(person: Person) -> None:
    dialog = FolderDialog(person.window, offers={"disk": Path("/mnt/disk")})
    dialog.open(dialog.keep_button)


def _ask_key_frame_limits(person: Person) -> None:
    limits = KeyFrameLimits()
    dialog = KeyFrameLimitsDialog(person.window, limits=limits, usual=limits, task_set="IndoorUAV")
    dialog.open(dialog.fields["turn_deg"])


def _ask_frame_steps(person: Person) -> None:
    steps = FrameSteps(step=8, difference=3.0, idle_limit_s=60)
    dialog = FrameStepsDialog(person.window, steps=steps)
    dialog.open(dialog.fields["step"])


def _ask_review_rules(person: Person) -> None:
    dialog = ReviewRulesDialog(person.window, rules=ReviewRules(separate_acceptance="auto", phrases=()))
    dialog.open(dialog.acceptance)


def _choose_splits(person: Person) -> None:
    dialog = SplitDialog(person.window, exporter=EXPORTERS["native"], division=KeptDivision())
    dialog.open(dialog.is_divided)


def _compare_releases(person: Person) -> None:
    dialog = ComparisonDialog(person.window, releases=[], folder=Path())
    dialog.open(dialog.list)


def _save_filter(person: Person) -> None:
    dialog = SaveFilterDialog(person.window, description="Saves the filters.")
    dialog.open(dialog.name)


def _choose_candidates(person: Person) -> None:
    person.window.show_workspace("annotate")
    person.settle()
    assert person.window.slots["annotate"].workspace is not None
    person.window.slots["annotate"].workspace.items.choose_candidates()


def _make_report(person: Person) -> None:
    dialog = ReleaseReportDialog(person.window, project=person.session.path, folders=())
    dialog.open(dialog.folder)


def _ask_models(person: Person) -> None:
    dialog = AskModelsDialog(person.window, profiles={}, options=JudgeOptions())
    dialog.open(dialog.reader)


def _make_clip(person: Person) -> None:
    made = make_video(person.session.path.parent, name="flight", recipe=Recipe(frames=3))
    facts = ClipFacts(medium=Medium(name="flight.mp4"), scene="", name="flight_1", content=ClipContent())
    dialog = ClipDialog(person.window, facts=facts, video=Video.open(Path(made.path)), first=0, last=2)
    dialog.open(dialog.name)


OPENERS: dict[str, Callable[[Person], None]] = {
    "AboutDialog": _run("help.about"),
    "AllLimitsDialog": _run("runs.limits"),
    "AskModelsDialog": _ask_models,
    "AssignDialog": _at_row("scene", "records.assign"),
    "CandidateDialog": _choose_candidates,
    "ClipDialog": _make_clip,
    "CancelDialog": _run("runs.cancel"),
    "FrameStepsDialog": _ask_frame_steps,
    "ReviewRulesDialog": _ask_review_rules,
    "ComparisonDialog": _compare_releases,
    "CompareDialog": _run("runs.compare"),
    "ConfirmDialog": _confirm,
    "DerivedImagesDialog": _at_row("scene", "media.derive"),
    "DraftDialog": _run("project.draft"),
    "ExchangeDialog": _run("project.exchange"),
    "ExportBundleDialog": _run("project.export_bundle"),
    "FolderDialog": _confirm_folders,
    "ForksDialog": _run("project.forks"),
    "GuideDialog": _run("help.guide"),
    "ImportWizard": _run("project.import"),
    "KeyFrameLimitsDialog": _ask_key_frame_limits,
    "KeyEditor": _run("help.edit_keys"),
    "ShortcutHelp": _run("help.keys"),
    "QuitDialog": _quit,
    "SaveFilterDialog": _save_filter,
    "UndoQuestion": _undo_elsewhere,
    "LargeImageDialog": _show_image,
    "LicenceDialog": _at_row("medium", "media.licence"),
    "LimitDialog": _run("runs.limit"),
    "ModelsDialog": _run("runs.models"),
    "NewRunDialog": _run("runs.new"),
    "NewProjectDialog": _run("project.new"),
    "CommandPalette": _run("help.palette"),
    "ReferenceDialog": _run("items.reference"),
    "ReleaseDialog": _run("project.release"),
    "ReleaseReportDialog": _make_report,
    "OpenFailureDialog": _fail_to_open,
    "OperationReport": _run("project.check"),
    "ReportDialog": _compare,
    "SplitDialog": _choose_splits,
    "StateDialog": _at_row("item", "items.state"),
    "IssueClassDialog": _at_row("item", "items.issue_classes"),
    "TaskDialog": _at_row("item", "items.task"),
    "RebalanceDialog": _at_row("item", "items.rebalance"),
    "ReplaceDialog": _at_row("item", "items.replace"),
    "VariantDialog": _at_row("item", "items.variants"),
    "TagDialog": _at_row("scene", "scene.tag"),
    "LinePrompt": lambda person: person.window.people.ask_name(),
    "TextPrompt": _at_row("item", "item.reject"),
}
"""How each dialog is opened, by its class."""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Open a project with scenes, media, flags and items of two options."""
    items = [make_item(number + 10, answer_key=key) for number, key in enumerate(KEYS, start=1)]
    with Session.open(make_project(tmp_path / "pilot.vantage", [*small_project(), *items])) as opened:
        yield opened


@pytest.fixture
def ready(person: Person, work: Work) -> Person:
    """Give somebody at a small window with two runs, at the list of runs."""
    person.window.resize(*SIZE)
    for _number in range(2):
        work.answer(work.begin("One"), count=2)
    person.look()
    person.runs.take_keyboard()
    return person


def run_twice(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each action that opens a dialog run twice at once, as when its key is pressed twice."""
    registry = person.window.registry
    run = registry.run

    def twice(action: str) -> None:
        run(action)
        # Under a modal dialog, Qt delivers no key to the window.
        if registry.action(action).text().endswith("…") and QApplication.activeModalWidget() is None:
            run(action)

    monkeypatch.setattr(registry, "run", twice)


def open_dialog(person: Person, name: str) -> FormDialog:
    """Open a dialog and wait until it has the focus."""
    OPENERS[name](person)

    def shown() -> list[FormDialog]:
        return [one for one in person.window.findChildren(FormDialog) if type(one).__name__ == name]

    person.qtbot.waitUntil(lambda: bool(shown()) and shown()[-1].isActiveWindow())
    return shown()[-1]


def close_dialog(person: Person, dialog: FormDialog) -> None:
    """Press Escape in a dialog until it is gone: a field may use the first one."""
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    person.qtbot.waitUntil(lambda: not isValid(dialog) and person.window.isActiveWindow())


def press_every_shortcut(person: Person) -> None:
    """Press all registered keys where the focus is, and at the window under the dialog."""
    handle = person.window.windowHandle()
    assert handle is not None
    for action in ACTIONS:
        key = (
            person.window.registry.action(action.id)
            .shortcut()
            .toString(QKeySequence.SequenceFormat.PortableText)
        )
        # A button is pressed by Enter with any modifier.
        if key and key.rpartition("+")[2] not in OWN_KEYS:
            pressed = QKeySequence(key)[0]
            QTest.keyClick(QApplication.focusWidget(), pressed.key(), pressed.keyboardModifiers())
            QTest.keyClick(handle, pressed.key(), pressed.keyboardModifiers())


def _subclasses(kind: type[FormDialog]) -> set[str]:
    return {name for one in kind.__subclasses__() for name in {one.__name__} | _subclasses(one)}


def test_dialogs_when_listed_then_each_one_is_opened_by_these_tests() -> None:
    for module in pkgutil.walk_packages(widgets.__path__, "widgets."):
        importlib.import_module(module.name)
    found = {one for one in _subclasses(FormDialog) if not one.startswith("_")}
    assert found - BASES == OPENERS.keys()


@pytest.mark.allow_messages("does not support raise", "does not support grabbing")
@pytest.mark.parametrize("name", sorted(OPENERS))
def test_shortcuts_when_a_dialog_is_open_then_none_reaches_the_window_under_it(
    name: str, ready: Person
) -> None:
    dialog = open_dialog(ready, name)
    own = (
        {action.id for action in ACTIONS if action.context == "stage"}
        if name == "LargeImageDialog"
        else set()
    )
    triggered: list[str] = []
    for action in ACTIONS:
        if action.id not in own:
            ready.window.registry.action(action.id).triggered.connect(
                lambda _checked=False, which=action.id: triggered.append(which)
            )
    location, undo = ready.window.workspace, undo_label(ready.session)
    press_every_shortcut(ready)
    assert triggered == []
    assert isValid(dialog)
    assert (ready.window.workspace, undo_label(ready.session)) == (location, undo)
    dialog.reject()


@pytest.mark.parametrize("name", sorted(OPENERS))
def test_dialog_when_opened_by_two_presses_then_is_one_modal_its_default_says_enter_and_focus_comes_back(
    name: str, ready: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_twice(ready, monkeypatch)
    dialog = open_dialog(ready, name)
    ready.settle()
    assert [one for one in ready.window.findChildren(FormDialog) if one.isVisible()] == [dialog]
    focused = ready.window.focusWidget()
    assert dialog.windowModality() == Qt.WindowModality.WindowModal
    assert dialog.windowTitle()
    assert (dialog.width() <= SIZE[0], dialog.height() <= SIZE[1]) == (True, True), dialog.size()
    buttons = dialog.findChildren(QPushButton)
    assert any(button.isDefault() for button in buttons) == (name not in WITHOUT_DEFAULT)
    says_enter = [button for button in buttons if button.text().endswith("(Enter)")]
    assert says_enter == [button for button in buttons if button.property("kind") == "main"]
    assert bool(says_enter) == (name not in WITHOUT_DEFAULT)
    assert not [button for button in buttons if button.isDefault() and button.property("kind") == "danger"]
    close_dialog(ready, dialog)
    assert ready.window.focusWidget() is focused
    ready.qtbot.waitUntil(lambda: QApplication.focusWidget() is focused)


ASKING = (
    "ClipDialog",
    "DraftDialog",
    "ExchangeDialog",
    "ExportBundleDialog",
    "KeyEditor",
    "LicenceDialog",
    "LimitDialog",
    "LinePrompt",
    "ModelsDialog",
    "NewProjectDialog",
)
ASKING = (
    *ASKING,
    "NewRunDialog",
    "ReleaseDialog",
    "ReleaseReportDialog",
    "SaveFilterDialog",
    "TagDialog",
    "TextPrompt",
)
"""Dialogs with a field for text."""


def enter_text(dialog: FormDialog) -> None:
    """Type into the first field of a dialog that is no search box."""
    fields = [*dialog.findChildren(KeyField), *dialog.findChildren(QLineEdit)]
    fields = [*fields, *dialog.findChildren(QPlainTextEdit)]
    field = next(
        one for one in fields if one.isVisible() and one.isEnabled() and not isinstance(one, SearchBox)
    )
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_7)


def question_of(person: Person, dialog: FormDialog) -> FormDialog:
    person.qtbot.waitUntil(lambda: bool(dialog.findChildren(FormDialog)))
    (question,) = dialog.findChildren(FormDialog)
    person.qtbot.waitUntil(question.isActiveWindow)
    return question


@pytest.mark.parametrize("name", ASKING)
def test_dialog_when_something_was_entered_then_escape_asks_and_enter_keeps_it(
    name: str, ready: Person
) -> None:
    dialog = open_dialog(ready, name)
    ready.look()
    enter_text(dialog)
    before = read_entries(dialog)
    # Not at the field: that of a shortcut takes Escape for the key that is wanted.
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    question = question_of(ready, dialog)
    QTest.keyClick(question.focusWidget(), Qt.Key.Key_Return)
    ready.qtbot.waitUntil(lambda: not isValid(question))
    assert dialog.isVisible()
    assert read_entries(dialog) == before
    dialog.reject()
    again = question_of(ready, dialog)
    QTest.keyClick(again.focusWidget(), Qt.Key.Key_Backtab)
    QTest.keyClick(again.focusWidget(), Qt.Key.Key_Return)
    ready.qtbot.waitUntil(lambda: not isValid(dialog) and ready.window.isActiveWindow())


def test_run_when_its_cancelling_is_asked_about_then_enter_keeps_it_running(ready: Person) -> None:
    dialog = open_dialog(ready, "CancelDialog")
    texts = [button.text() for button in dialog.findChildren(QPushButton)]
    assert sorted(texts) == ["Cancel run", "Keep running (Enter)"]
    run = ready.runs.list.run_at_hand()
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
    ready.qtbot.waitUntil(lambda: not isValid(dialog))
    ready.look()
    assert ready.session.reader.runs.get(run).state == "running"
    again = open_dialog(ready, "CancelDialog")
    QTest.keyClick(again.focusWidget(), Qt.Key.Key_Backtab)
    QTest.keyClick(again.focusWidget(), Qt.Key.Key_Return)
    ready.qtbot.waitUntil(lambda: ready.session.reader.runs.get(run).state == "cancelled")


def test_shortcut_when_no_dialog_is_open_then_reaches_the_window(ready: Person) -> None:
    assert ready.window.isActiveWindow()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert ready.window.workspace == "library"
