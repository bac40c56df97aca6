from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt, QTranslator
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

import resources
from widgets.action import ActionSpec
from widgets.action_buttons import ActionButtons
from widgets.action_registry import ActionRegistry
from widgets.actions import ACTION_TABLE, ACTIONS, BY_ID, MENUS
from widgets.annotate.annotation_panel import AnnotationPanel
from widgets.annotate.assignment_actions import AssignmentActions
from widgets.annotate.category_actions import CategoryActions
from widgets.annotate.clip_actions import ClipActions
from widgets.annotate.derived_view_actions import DerivedViewActions
from widgets.annotate.frame_step_actions import FrameStepActions
from widgets.annotate.key_frame_actions import KeyFrameActions
from widgets.annotate.link_actions import LinkActions
from widgets.annotate.new_item_actions import NewItemActions
from widgets.annotate.region_actions import RegionActions
from widgets.annotate.scene_finish import SceneFinish
from widgets.annotate.scene_queue import SceneQueue
from widgets.annotate.stage_commands import StageCommands
from widgets.annotate.tracking_actions import TrackingActions
from widgets.annotate.trajectory_editor import TrajectoryEditor
from widgets.bundles.bundle_actions import BundleActions
from widgets.bundles.exchange_actions import ExchangeActions
from widgets.comment_actions import CommentActions
from widgets.key_bindings import chosen_keys, collisions, keep_keys, shown
from widgets.library.assigning import AssignActions
from widgets.library.batch_operations import BatchOperations
from widgets.library.decisions import DecisionActions
from widgets.library.library_navigation import LibraryNavigation
from widgets.library.list_pane import ListPane
from widgets.library.pages import LibraryPages
from widgets.library.saved_filters import SavedFilters
from widgets.library.workspace import LibraryWorkspace
from widgets.person_actions import PersonActions
from widgets.project_controller import ProjectController
from widgets.reference_sample import ReferenceSample
from widgets.refine.batch_edits import BatchEdits
from widgets.refine.editor import ItemEditor
from widgets.refine.item_decisions import ItemDecisions
from widgets.refine.question_form import QuestionForm
from widgets.refine.queue_pane import QueuePane
from widgets.release.report_bar import ReportBar
from widgets.release.workspace import ReleaseWorkspace
from widgets.review.case_decisions import CaseDecisions
from widgets.review.case_panel import CasePanel
from widgets.review.queue_pane import QueuePane as CaseQueuePane
from widgets.review.rule_actions import RuleActions
from widgets.runs.run_controller import RunController
from widgets.runs.run_page import RunPage
from widgets.runs.run_scoring import RunScoring
from widgets.runs.workspace import RunsWorkspace
from widgets.scores.error_browser import ErrorBrowser
from widgets.scores.error_class_bar import ErrorClassBar
from widgets.scores.error_counts import ErrorCountPane
from widgets.scores.error_labelling import ErrorLabelling
from widgets.scores.error_list import ErrorList
from widgets.scores.error_panel import ErrorPanel
from widgets.scores.model_help import ModelHelp
from widgets.scores.plots_pane import PlotsPane
from widgets.scores.report_page import ReportPage
from widgets.scores.score_pages import ScorePages
from widgets.scores.settled_pane import SettledPane
from widgets.scores.setup_dialogs import SetupDialogs
from widgets.scores.setup_pane import ScoreSetup
from widgets.scores.tables_pane import ScoreTablesPane
from widgets.scores.texts_pane import TextsPane
from widgets.scores.workspace import ScoresWorkspace
from widgets.second_look.answering import Answering
from widgets.second_look.queue import SecondLookQueue
from widgets.settings import Settings
from widgets.shortcut_help import FIXED_KEYS
from widgets.stage.interpolation import Interpolation
from widgets.stage.overlay_choice import OverlayChoice
from widgets.stage.player import Player
from widgets.stage.proposals import Proposals
from widgets.stage.region_navigator import RegionNavigator
from widgets.stage.stage import Stage
from widgets.stage.tools.annotation_actions import AnnotationActions
from widgets.stage.viewport_controller import ViewportController
from widgets.translation import catalogue
from widgets.undo_steps import UndoSteps
from widgets.window import MainWindow
from widgets.window_dialogs import WindowDialogs
from widgets.workspace_navigation import WorkspaceNavigation
from widgets.workspaces import WORKSPACES

OWNERS: dict[str, type] = {
    "comments": CommentActions,
    "window": MainWindow,
    "undo": UndoSteps,
    "people": PersonActions,
    "controller": ProjectController,
    "library": LibraryWorkspace,
    "batch": BatchOperations,
    "bundles": BundleActions,
    "exchange": ExchangeActions,
    "decisions": DecisionActions,
    "lists": ListPane,
    "pages": LibraryPages,
    "saved_filters": SavedFilters,
    "annotate": StageCommands,
    "categories": CategoryActions,
    "annotations": AnnotationPanel,
    "selection": RegionActions,
    "key_frames": KeyFrameActions,
    "trajectory": TrajectoryEditor,
    "items": NewItemActions,
    "clips": ClipActions,
    "derived_views": DerivedViewActions,
    "runs": RunController,
    "run_page": RunPage,
    "run_scoring": RunScoring,
    "scenes": SceneQueue,
    "queue_of_scenes": SceneQueue,
    "scene_finish": SceneFinish,
    "assignments": AssignmentActions,
    "frame_steps": FrameStepActions,
    "stage": Stage,
    "viewports": ViewportController,
    "overlays": OverlayChoice,
    "interpolation": Interpolation,
    "proposals": Proposals,
    "tracking": TrackingActions,
    "links": LinkActions,
    "player": Player,
    "gestures": AnnotationActions,
    "dialogs": WindowDialogs,
    "regions": RegionNavigator,
    "batch_edits": BatchEdits,
    "assigning": AssignActions,
    "item_decisions": ItemDecisions,
    "item_editor": ItemEditor,
    "item_form": QuestionForm,
    "queue": QueuePane,
    "case_decisions": CaseDecisions,
    "reference_sample": ReferenceSample,
    "review_rules": RuleActions,
    "case_panel": CasePanel,
    "cases": CaseQueuePane,
    "answering": Answering,
    "second_queue": SecondLookQueue,
    "release_gates": ReleaseWorkspace,
    "release_report": ReportBar,
    "scores": ScoresWorkspace,
    "score_dialogs": SetupDialogs,
    "score_models": ModelHelp,
    "score_page": ReportPage,
    "score_plots": PlotsPane,
    "score_setup": ScoreSetup,
    "score_tables": ScoreTablesPane,
    "score_texts": TextsPane,
    "settled_texts": SettledPane,
    "errors": ErrorBrowser,
    "error_list": ErrorList,
    "error_labels": ErrorLabelling,
    "error_classes": ErrorClassBar,
    "error_panel": ErrorPanel,
    "error_counts": ErrorCountPane,
}
PLACES: dict[str, type] = {
    "library": LibraryNavigation,
    "annotate": WorkspaceNavigation,
    "refine": WorkspaceNavigation,
    "review": WorkspaceNavigation,
    "second_look": WorkspaceNavigation,
    "runs": RunsWorkspace,
    "release": ReleaseWorkspace,
    "scores": ScorePages,
}
"""Whose methods the actions of ``place`` call, by workspace."""


def handler(action: ActionSpec) -> Callable[..., object]:
    owner, _, method = action.handler.partition(".")
    found: Callable[..., object] = getattr(
        PLACES[(ACTION_TABLE.scope(action) or tuple(PLACES))[0]] if owner == "navigation" else OWNERS[owner],
        method,
    )
    return found


def test_ids_when_listed_then_are_unique() -> None:
    assert len(BY_ID) == len(ACTIONS)


def test_keys_as_delivered_when_compared_then_do_not_collide() -> None:
    keys = {action.id: action.key for action in ACTIONS}
    assert [(a.id, b.id) for a, b in collisions(keys, table=ACTION_TABLE)] == []


def test_collisions_when_two_actions_share_a_key_then_are_named() -> None:
    keys = {action.id: action.key for action in ACTIONS} | {"view.filters": "Ctrl+Z"}
    assert [(a.id, b.id) for a, b in collisions(keys, table=ACTION_TABLE)] == [("edit.undo", "view.filters")]


def test_actions_when_they_can_be_in_reach_at_once_then_overlap() -> None:
    assert ACTION_TABLE.overlap(BY_ID["edit.undo"], BY_ID["item.reject"])
    assert ACTION_TABLE.overlap(BY_ID["edit.select_all"], BY_ID["edit.copy_names"])
    assert not ACTION_TABLE.overlap(BY_ID["edit.select_all"], BY_ID["stage.select_all"])
    assert not ACTION_TABLE.overlap(BY_ID["edit.search"], BY_ID["runs.search"])


def test_actions_when_handled_by_a_part_of_one_workspace_then_work_there_alone_or_open_it() -> None:
    homes = {"library": "library", "lists": "library", "pages": "library", "decisions": "library"}
    homes |= {"annotate": "annotate", "run_page": "runs"}
    astray = [
        action.id
        for action in ACTIONS
        if (home := homes.get(action.handler.partition(".")[0]))
        and action.opens != home
        # The stage of a scene's page lets nothing be marked, so that the needs of Annotate's own are not met.
        and not (ACTION_TABLE.scope(action) == (home,) or action.needs in {"marking", "selection"})
    ]
    assert astray == []


def test_actions_when_they_act_on_the_workspace_that_is_shown_then_each_of_theirs_can() -> None:
    for action in ACTIONS:
        owner, _, method = action.handler.partition(".")
        if owner == "navigation":
            scope = ACTION_TABLE.scope(action) or tuple(PLACES)
            assert all(callable(getattr(PLACES[workspace], method)) for workspace in scope)


def test_action_when_its_workspace_is_hidden_then_cannot_run(registry: ActionRegistry) -> None:
    registry.set_there("project", True)
    for workspace, is_possible in (
        ("library", True),
        ("annotate", True),
        ("runs", False),
        ("release", False),
    ):
        registry.show_workspace(workspace)
        assert registry.can_run("view.filters") is is_possible
        assert registry.action("view.filters").isEnabled() is is_possible


def test_keys_beside_the_stage_when_placed_then_leave_those_of_lists_alone(
    registry: ActionRegistry, qtbot: QtBot
) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    registry.add_shortcuts_beside("stage", widget)
    names = {action.objectName() for action in widget.actions()}
    assert {"stage.box", "stage.region", "stage.next", "video.pause"} <= names
    assert not {"stage.large", "stage.give_up", "video.first", "stage.next_scene", "video.play"} & names
    registry.set_keys({action.id: action.key for action in ACTIONS} | {"stage.box": "Home"})
    assert "stage.box" not in {action.objectName() for action in widget.actions()}


def test_actions_when_looked_at_then_have_words_in_both_languages_and_a_drawing() -> None:
    chinese = catalogue("zh")
    assert [action.id for action in ACTIONS if not action.text or action.text not in chinese] == []
    drawings = [action for action in ACTIONS if action.icon]
    assert [a.id for a in drawings if not resources.path(f"icons/{a.icon}.svg").is_file()] == []


def test_actions_when_looked_at_then_stand_in_a_menu_and_have_keys_as_qt_writes_them() -> None:
    assert [action.id for action in ACTIONS if action.menu not in {*MENUS, ""}] == []
    assert [action.id for action in ACTIONS if QKeySequence(action.key).toString() != action.key] == []


def test_actions_when_called_then_their_handlers_take_what_they_give() -> None:
    for action in ACTIONS:
        given = [None] * (1 if action.choice is None else 2)
        if action.id != "app.quit":  # Qt's own method has no signature that can be read
            inspect.signature(handler(action)).bind(*given)


def test_actions_when_they_ask_for_more_then_their_words_end_in_dots() -> None:
    asking = {"help.edit_keys", "flag.resolve", "flag.dismiss"}
    asking |= {action.id for action in ACTIONS if ".ask_" in action.handler}
    assert {action.id for action in ACTIONS if action.text.endswith("…")} == asking


def test_workspaces_when_listed_then_have_the_digits_as_keys_and_their_context_exists() -> None:
    keys = {workspace.id: BY_ID[f"go.{workspace.id}"].key for workspace in WORKSPACES}
    assert keys.pop("second_look") == "Ctrl+7"
    assert list(keys.values()) == [f"Ctrl+{n}" for n in (1, 2, 3, 4, 5, 6, 8)]
    contexts = {context for workspace in WORKSPACES for context in workspace.contexts}
    assert {action.context for action in ACTIONS} == {"window", *contexts}


def test_need_when_no_action_has_it_then_is_refused(registry: ActionRegistry) -> None:
    with pytest.raises(ValueError, match="No action needs 'rwos'"):
        registry.set_there("rwos", True)


class Owner:
    """Stands in for the window's parts and notes what it is asked to do."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def show_palette(self) -> None:
        self.done.append("palette")

    def show_workspace(self, name: str) -> None:
        self.done.append(name)

    def undo(self) -> None:
        self.done.append("undo")


@pytest.fixture
def owner(registry: ActionRegistry) -> Owner:
    made = Owner()
    registry.connect_owner("window", made)
    registry.connect_owner("undo", made)
    return made


def test_registry_when_a_key_is_pressed_then_the_handler_is_called(
    registry: ActionRegistry, owner: Owner, qtbot: QtBot
) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    registry.add_shortcuts("window", widget)
    with qtbot.waitExposed(widget):
        widget.show()
    widget.setFocus()
    qtbot.keyClick(widget, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(widget, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    assert owner.done == ["palette", "refine"]


def test_registry_when_what_an_action_needs_is_missing_then_it_cannot_run(
    registry: ActionRegistry, owner: Owner
) -> None:
    assert not registry.action("edit.undo").isEnabled()
    registry.run("edit.undo")
    assert owner.done == []
    registry.set_there("undo", True)
    assert registry.action("edit.undo").isEnabled()
    registry.run("edit.undo")
    assert owner.done == ["undo"]


def test_registry_when_told_what_it_knows_then_no_action_is_looked_at_again(
    registry: ActionRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each edit, the next undo step is told again: that cost the GUI thread 2 ms."""
    registry.set_there("undo", True)
    registry.set_text("edit.undo", "Undo: Add a region")

    def refuse(*_arguments: object) -> None:
        raise AssertionError("looked at again")

    monkeypatch.setattr(registry, "_show_needs", refuse)
    monkeypatch.setattr(ActionButtons, "refresh", refuse)
    registry.set_there("undo", True)
    registry.set_text("edit.undo", "Undo: Add a region")


def test_button_when_made_then_its_tool_tip_names_action_and_key(
    registry: ActionRegistry, qtbot: QtBot
) -> None:
    button = registry.button("help.palette")
    qtbot.addWidget(button)
    assert button.toolTip() == "Search or run a command  Ctrl+K"
    keys = {action.id: action.key for action in ACTIONS} | {"help.palette": "Ctrl+P"}
    registry.set_keys(keys)
    assert button.toolTip() == "Search or run a command  Ctrl+P"


def test_keys_when_changed_after_a_button_has_gone_then_the_others_name_them(
    registry: ActionRegistry, qtbot: QtBot
) -> None:
    gone, stays = registry.button("help.palette"), registry.button("help.palette")
    qtbot.addWidget(stays)
    delete(gone)
    registry.set_keys({action.id: action.key for action in ACTIONS} | {"help.palette": "Ctrl+P"})
    assert stays.toolTip() == "Search or run a command  Ctrl+P"


def test_action_when_shown_on_then_is_ticked_in_menus(registry: ActionRegistry) -> None:
    assert not registry.action("stage.show_paths").isCheckable()
    for is_on in (True, False):
        registry.show_on("stage.show_paths", is_on)
        assert registry.action("stage.show_paths").isChecked() is is_on


def test_video_actions_when_there_is_no_video_then_cannot_run(registry: ActionRegistry) -> None:
    videos = [action.id for action in ACTIONS if action.menu == "Video"]
    registry.set_there("stage", True)
    assert not any(registry.can_run(name) for name in videos)
    registry.set_there("video", True)
    assert all(registry.can_run(name) for name in videos)


def test_page_of_keys_when_it_names_fixed_keys_then_they_are_of_menus() -> None:
    assert set(FIXED_KEYS) <= set(MENUS)


def test_menu_when_made_then_holds_every_action_that_names_one(
    registry: ActionRegistry, qtbot: QtBot
) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    menus = [action.menu() for action in registry.menu(widget).actions()]
    shown = [entry.objectName() for menu in menus for entry in menu.actions()]  # type: ignore[attr-defined]
    assert sorted(shown) == sorted(action.id for action in ACTIONS if action.menu)


def test_keys_when_kept_then_only_those_that_differ_are_remembered(settings: Settings) -> None:
    keys = chosen_keys(settings, table=ACTION_TABLE) | {"edit.undo": "Alt+Z", "help.keys": ""}
    keep_keys(settings, keys, table=ACTION_TABLE)
    assert sorted(settings.names("keys")) == ["edit.undo", "help.keys"]
    assert chosen_keys(settings, table=ACTION_TABLE) == keys


def test_keys_when_an_action_is_gone_then_its_kept_key_is_passed_over(settings: Settings) -> None:
    settings.keep("keys/gone.action", "Ctrl+Y")
    assert "gone.action" not in chosen_keys(settings, table=ACTION_TABLE)


@pytest.mark.parametrize(
    ("key", "text"), [("Return", "Enter"), ("Ctrl+Return", "Ctrl+Enter"), ("Del", "Del"), ("", "")]
)
def test_key_when_shown_then_is_named_as_on_buttons_and_keyboards(key: str, text: str) -> None:
    assert shown(key) == text


class Listener(QTranslator):
    """Notes which texts Qt asks to be translated."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def isEmpty(self) -> bool:
        return False

    def translate(
        self, context: str, text: str, disambiguation: str | None = None, number: int = -1
    ) -> str | None:
        self.asked.append(text)
        return None


def test_keys_when_set_then_no_translator_is_asked_for_their_names(
    registry: ActionRegistry, qapp: QApplication
) -> None:
    listener = Listener()
    qapp.installTranslator(listener)
    try:
        registry.set_keys({action.id: "Ctrl+Alt+Space" for action in ACTIONS})
    finally:
        qapp.removeTranslator(listener)
    assert "Ctrl" not in listener.asked
    assert registry.action("app.quit").shortcut() == QKeySequence("Ctrl+Alt+Space")
