from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QMenu

from tests.guards_qt import PatientBot
from tests.gui.stage.hands import make_scene
from widgets.action_registry import ActionRegistry
from widgets.actions import BY_ID
from widgets.bridge import Bridge
from widgets.media_loader import MediaLoader
from widgets.stage.image_cache import StageImages
from widgets.stage.stage import Stage
from widgets.stage.tools import tool_sets
from widgets.stage_page.tool_bar import OVERLAYS, TOOLS, USUAL, USUAL_RENDERINGS, VIEW_ACTIONS, ToolBar

RENDERINGS, MODEL = USUAL_RENDERINGS.renderings, USUAL_RENDERINGS.model
EVERYTHING = (*TOOLS, *RENDERINGS, MODEL, *OVERLAYS, USUAL, *VIEW_ACTIONS)


@pytest.fixture
def stage(
    bridge: Bridge, media: MediaLoader, registry: ActionRegistry, qtbot: PatientBot, tmp_path: Path
) -> Iterator[Stage]:
    pictures = StageImages(bridge, media=media)
    made = Stage(pictures, tools=tool_sets.TOOLS)
    qtbot.addWidget(made)
    made.show_scene(make_scene(tmp_path))
    qtbot.settle(made.is_settled)
    registry.connect_owner("stage", made)
    registry.connect_owner("viewports", made.viewports)
    registry.connect_owner("overlays", made.overlays)
    registry.set_there("stage", True)
    registry.set_there("marking", True)
    yield made
    made.show_scene(None)
    pictures.close()


@pytest.fixture
def bar(stage: Stage, registry: ActionRegistry, qtbot: PatientBot) -> ToolBar:
    made = ToolBar(stage, registry=registry)
    qtbot.addWidget(made)
    made.resize(1000, made.height())
    made.show()
    return made


def seen(bar: ToolBar) -> list[str]:
    """Return the actions whose buttons can be seen whole."""
    pairs = [*bar.tools.items(), *bar.renderings.items(), (MODEL, bar.model), *bar.view_buttons.items()]
    pairs += [(name, bar.overlays) for name in (*OVERLAYS, USUAL)]
    whole = bar.rect()
    return [name for name, button in pairs if button.isVisible() and whole.contains(button.geometry())]


def open_menu() -> QMenu:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


@pytest.mark.parametrize("width", [160, 300, 480, 700, 720, 740, 800, 1000, 1600])
def test_buttons_when_the_line_gets_short_then_stand_in_the_menu_and_none_is_cut(
    bar: ToolBar, width: int
) -> None:
    bar.resize(width, bar.height())
    left = [name for name in bar.left_out() if name]
    assert sorted([*seen(bar), *left]) == sorted(EVERYTHING)
    assert bar.rest.isVisible() is bool(left)
    assert bar.rect().contains(bar.rest.geometry()) or not left
    assert bar.name.geometry().right() <= bar.width()


def test_line_when_a_window_is_1280_wide_then_has_all_its_buttons(bar: ToolBar) -> None:
    # The rail takes 56 px, the list of scenes 280; the list of marks gives way below 1300.
    bar.resize(1280 - 56 - 280, bar.height())
    assert bar.left_out() == []
    assert bar.minimumSizeHint().width() < 200


@pytest.mark.allow_messages("does not support raise", "does not support grabbing")
def test_menu_of_the_rest_when_opened_then_does_what_has_no_room(bar: ToolBar) -> None:
    bar.resize(300, bar.height())
    bar.rest.click()
    menu = open_menu()
    names = [action.objectName() for action in menu.actions()]
    assert names == bar.left_out()
    assert "" in names
    next(action for action in menu.actions() if action.objectName() == "stage.measure").trigger()
    menu.close()
    assert bar.tools["stage.measure"].isChecked()
    assert not bar.tools["stage.select"].isChecked()


@pytest.mark.allow_messages("does not support raise", "does not support grabbing")
def test_overlays_when_their_menu_is_opened_then_are_ticked_and_turned(bar: ToolBar, stage: Stage) -> None:
    bar.overlays.click()
    menu = open_menu()
    ticks = {action.objectName(): action.isChecked() for action in menu.actions()}
    assert list(ticks) == [*OVERLAYS, "", USUAL]
    assert ticks["stage.show_numbers"]
    assert not ticks["stage.show_reprojected"]
    next(action for action in menu.actions() if action.objectName() == "stage.show_numbers").trigger()
    menu.close()
    assert not stage.overlays.kinds.numbers
    bar.overlays.click()
    menu = open_menu()
    assert [a.isChecked() for a in menu.actions()][OVERLAYS.index("stage.show_numbers")] is False
    menu.close()


def test_tools_when_taken_in_hand_then_their_button_is_in(bar: ToolBar, stage: Stage) -> None:
    for name, button in bar.tools.items():
        button.click()
        assert [other for other, one in bar.tools.items() if one.isChecked()] == [name]
        assert stage.tool.id == BY_ID[name].choice


def test_button_that_is_in_when_clicked_again_then_stays_in(bar: ToolBar) -> None:
    for button in (bar.tools["stage.select"], bar.renderings["stage.annotated"]):
        assert button.isChecked()
        button.click()
        assert button.isChecked()
