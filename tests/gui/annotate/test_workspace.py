from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication

from annotator.command_summary import CommandSummary
from annotator.commands.links import LinkRegions, UnlinkRegions
from annotator.commands.paths import AddPath
from annotator.commands.regions import AddRegion, MoveRegions, RemoveRegions
from annotator.domain.changes import Changes
from annotator.domain.region import Box, Region
from annotator.session import Session
from tests.guards_qt import PatientBot
from tests.gui.annotate.annotate_person import AnnotatePerson
from widgets import display_text
from widgets.kept_splitter import KeptSplitter
from widgets.key_bindings import chosen_keys
from widgets.stage import scene_loader
from widgets.translation import set_language
from widgets.window import MainWindow
from widgets.workspace_widget import WorkspaceWidget

BOX = Box(x1=100.0, y1=100.0, x2=200.0, y2=160.0)


def test_box_when_drawn_then_is_in_the_project_and_undo_takes_it_back(person: AnnotatePerson) -> None:
    person.press("B")
    person.hands.drag((100, 100), (200, 160))
    person.settle()
    (region,) = person.regions()
    assert (region.box, region.number, region.made_by) == (BOX, 0, "hand")
    assert person.rows() == ["UAV1  1", "Region 0"]
    assert person.annotate.stage.selected == (region.id,)
    person.press("Ctrl+Z")
    assert person.regions() == []
    assert person.rows() == []
    person.press("Ctrl+Shift+Z")
    assert person.regions() == [region]
    assert person.hands.canvas().marks.marks.regions == (region,)


def test_trajectory_panel_when_no_scene_has_a_flight_then_no_plots_are_created(
    person: AnnotatePerson,
) -> None:
    assert person.annotate.trajectory.panel.flights is None


def test_workspaces_when_they_are_made_then_their_parts_are_styled_in_their_place(
    window: MainWindow, qapp: QApplication
) -> None:
    """A new parent sends a change of style to everything inside: a tenth of the time of a start."""

    class Moves(QObject):
        def eventFilter(self, moved: QObject, event: QEvent) -> bool:
            is_large = isinstance(moved, (WorkspaceWidget, KeptSplitter))
            if is_large and event.type() == QEvent.Type.ParentChange:
                seen.append(type(moved).__name__)
            return False

    seen: list[str] = []
    moves = Moves()
    qapp.installEventFilter(moves)
    window.set_language("en")
    window.show_workspace("annotate")
    qapp.removeEventFilter(moves)
    assert isinstance(window.library, WorkspaceWidget)
    assert seen == []


def test_regions_when_drawn_linked_moved_and_removed_then_the_project_follows(
    person: AnnotatePerson,
) -> None:
    person.press("B")
    person.hands.drag((100, 100), (200, 160))
    person.settle()
    person.hands.drag((300, 100), (340, 160), view=1)
    person.settle()
    first, second = (region.id for region in person.regions())
    person.press("Esc")
    person.press("S")
    person.hands.click(150, 130)
    person.hands.click(320, 130, view=1)
    person.settle()
    assert person.links() == [(first, second)]
    assert person.rows() == [
        "Links  1",
        "UAV1 0  –  UAV2 0",
        "UAV1  1",
        "Region 0",
        "UAV2  1",
        "Region 0",
    ]
    person.press("V")
    person.hands.canvas().setFocus()
    person.hands.click(150, 130)
    person.press("Right")
    assert person.regions()[0].box == Box(x1=101.0, y1=100.0, x2=201.0, y2=160.0)
    person.press("U")
    assert person.links() == []
    person.press("Del")
    assert [region.id for region in person.regions()] == [second]


def test_path_when_drawn_with_the_keyboards_enter_then_no_view_gets_large(
    person: AnnotatePerson,
) -> None:
    person.press("P")
    person.hands.click(100, 100)
    person.hands.click(200, 160)
    person.press("Return")
    assert [path.points for path in person.paths()] == [((100.0, 100.0), (200.0, 160.0))]
    assert person.annotate.stage.large is None
    assert person.rows() == ["UAV1  1", "Path 1  2 points"]
    person.press("Return")
    assert person.annotate.stage.large is not None
    person.press("Esc")
    assert person.annotate.stage.large is None


def test_link_when_it_cannot_be_then_says_why_and_nothing_is_changed(person: AnnotatePerson) -> None:
    stage = person.annotate.stage
    media = [canvas.medium for canvas in stage.canvases]
    regions = [AddRegion(medium=medium, box=BOX) for medium in (media[0], media[0], media[1])]
    for command in regions:
        person.session.execute(command).result()
    person.session.execute(LinkRegions(scene=stage.scene, regions=(regions[0].id, regions[2].id))).result()
    person.settle()
    stage.send(LinkRegions(scene=stage.scene, regions=(regions[1].id, regions[2].id)))
    person.settle()
    assert "both in UAV1" in person.window.banner.headline.text()
    assert person.links() == [(regions[0].id, regions[2].id)]


def test_marks_when_chosen_in_the_list_then_are_selected_on_the_stage(person: AnnotatePerson) -> None:
    stage = person.annotate.stage
    commands = [AddRegion(medium=canvas.medium, box=BOX) for canvas in stage.canvases]
    for command in commands:
        person.session.execute(command).result()
    person.session.execute(LinkRegions(scene=stage.scene, regions=tuple(one.id for one in commands))).result()
    person.qtbot.waitUntil(lambda: len(person.rows()) == 6)
    marks = person.annotate.annotation_panel.list
    marks.setCurrentIndex(marks.marks.index(1, 0))
    assert stage.selected == tuple(one.id for one in commands)
    stage.select([commands[1].id])
    assert [index.row() for index in marks.selectedIndexes()] == [5]


def test_scenes_when_stepped_through_then_the_stage_shows_each(person: AnnotatePerson) -> None:
    annotate = person.annotate
    person.press("PgDown")
    assert annotate.page.tool_bar.name.text() == "0002"
    assert person.window.windowTitle().startswith("pilot")
    person.press("PgUp")
    assert annotate.page.tool_bar.name.text() == "0001"
    person.press("PgUp")
    assert annotate.page.tool_bar.name.text() == "0001"


def test_scene_when_it_has_no_picture_then_says_what_to_do(person: AnnotatePerson) -> None:
    person.annotate.queue.grid.choose(2)
    person.settle()
    assert person.annotate.reasons["no_picture"].isVisible()
    person.annotate.queue.grid.choose(0)
    person.settle()
    assert person.annotate.stage.isVisible()


def test_search_when_nothing_fits_then_says_so(person: AnnotatePerson) -> None:
    person.annotate.queue.search.setFocus()
    person.qtbot.keyClicks(person.annotate.queue.search, "zz")
    person.settle()
    assert person.annotate.reasons["nothing"].isVisible()
    assert person.annotate.queue.count.text() == "0 of 0 finished"
    assert not person.window.registry.can_run("stage.box")


def test_keys_when_the_keyboard_is_in_the_search_box_then_are_letters(person: AnnotatePerson) -> None:
    person.annotate.queue.search.setFocus()
    person.press("B")
    assert person.annotate.queue.search.text() == "b"
    assert person.annotate.stage.tool.id == "select"


def test_renderings_when_keys_are_pressed_then_change(person: AnnotatePerson) -> None:
    stage = person.annotate.stage
    seen = []
    for key in ("C", "D", "A", "M"):
        person.press(key)
        pills = {name: pill.isChecked() for name, pill in person.annotate.page.tool_bar.renderings.items()}
        assert [name for name, is_in in pills.items() if is_in] == [f"stage.{stage.rendering}"]
        seen.append((stage.rendering, stage.is_model))
    assert seen == [("clean", False), ("detected", False), ("annotated", False), ("annotated", True)]
    assert all(canvas.model is not None for canvas in stage.canvases)


def test_foot_line_when_the_pointer_moves_then_tells_place_zoom_and_selection(
    person: AnnotatePerson,
) -> None:
    person.press("B")
    person.hands.drag((100, 100), (200, 160))
    person.settle()
    foot = person.annotate.page.status_line
    assert "Region 0" in foot.chosen.text()
    person.hands.move(50, 60)
    assert "Region 0" in foot.chosen.text()
    assert "100 × 60 px" in foot.chosen.text()
    x, y = (int(part) for part in foot.position_label.text().split(", "))
    assert abs(x - 50) <= 1
    assert abs(y - 60) <= 1
    assert foot.zoom.text().endswith("%")


def test_foot_line_when_marks_are_not_drawn_then_counts_them_with_the_key_that_shows_them(
    person: AnnotatePerson,
) -> None:
    foot = person.annotate.page.status_line
    person.press("B")
    person.hands.drag((100, 100), (200, 160))
    person.settle()
    person.press("Esc")
    assert foot.hidden.text() == ""
    person.press("Alt+1")
    assert foot.hidden.text() == "Hidden: 1 region  Alt+1"
    person.press("Alt+1")
    person.press("C")
    assert foot.hidden.text() == "Hidden: 1 region  A"
    person.press("M")
    assert foot.chosen.text() == "Model input · UAV1 · M: show annotations"
    assert foot.hidden.text() == "Hidden: 1 region  A"
    person.press("A")
    assert foot.hidden.text() == ""


def test_selection_when_a_model_input_is_shown_then_delete_shows_it_before_it_removes_it(
    person: AnnotatePerson,
) -> None:
    person.press("B")
    person.hands.drag((100, 100), (200, 160))
    person.settle()
    person.press("Esc")
    person.press("M")
    person.press("Del")
    assert not person.annotate.stage.is_model
    assert len(person.regions()) == 1
    person.press("Del")
    assert person.regions() == []


def add_selected(person: AnnotatePerson) -> AddRegion:
    """Add a region to the first view, and select it with the keyboard at the view."""
    command = AddRegion(medium=person.annotate.stage.canvases[0].medium, box=BOX)
    person.session.execute(command).result()
    person.qtbot.waitUntil(lambda: len(person.rows()) == 2)
    person.annotate.stage.select([command.id])
    person.annotate.stage.focus_view()
    return command


def test_arrow_keys_when_a_run_of_them_ends_then_it_is_undone_as_one_and_redone_as_one(
    person: AnnotatePerson,
) -> None:
    add_selected(person)
    canvas = person.annotate.stage.canvases[0]
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        person.qtbot.keyClick(canvas, key)
    person.qtbot.keyClick(canvas, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    # Undo comes while the run still waits for its pause: it takes the whole run back.
    person.press("Ctrl+Z")
    assert person.regions()[0].box == BOX
    person.press("Ctrl+Shift+Z")
    assert person.regions()[0].box == Box(x1=102.0, y1=101.0, x2=202.0, y2=162.0)
    person.press("Ctrl+Z")
    assert person.regions()[0].box == BOX
    person.press("Ctrl+Z")
    assert person.regions() == []


def test_arrow_keys_when_the_window_closes_right_after_then_the_change_is_saved(
    person: AnnotatePerson,
) -> None:
    add_selected(person)
    path = person.session.path
    person.qtbot.keyClick(person.annotate.stage.canvases[0], Qt.Key.Key_Right)
    assert person.window.close()
    with Session.open(path) as session:
        (region,) = list(session.reader.records(Region))
    assert region.box.x1 == BOX.x1 + 1


def test_arrow_keys_when_the_project_closes_right_after_then_the_change_is_saved(
    person: AnnotatePerson,
) -> None:
    add_selected(person)
    path = person.session.path
    person.qtbot.keyClick(person.annotate.stage.canvases[0], Qt.Key.Key_Right)
    person.window.controller.use_session(None)
    person.settle()
    with Session.open(path) as session:
        (region,) = list(session.reader.records(Region))
    assert region.box.x1 == BOX.x1 + 1


def test_arrow_keys_when_the_selection_is_locked_then_the_foot_line_says_so_and_the_image_stays(
    person: AnnotatePerson,
) -> None:
    add_selected(person)
    person.press("Shift+K")
    before = person.annotate.stage.canvases[0].transform
    person.press("Right")
    assert person.annotate.page.status_line.chosen.text() == "1 region is locked · Shift+K: unlock"
    assert person.annotate.stage.canvases[0].transform == before
    person.press("Shift+K")
    assert "locked" not in person.annotate.page.status_line.chosen.text()
    person.press("Right")
    assert person.regions()[0].box.x1 == BOX.x1 + 1


def test_foot_line_when_a_box_is_placed_by_keys_then_names_the_keys(person: AnnotatePerson) -> None:
    person.annotate.stage.focus_view()
    person.press("Shift+B")
    foot = person.annotate.page.status_line
    assert foot.chosen.text().endswith("Enter: add region · Esc: cancel")
    keys = chosen_keys(person.window.settings, table=person.window.registry.table)
    person.window.registry.set_keys({**keys, "stage.give_up": "F9"})
    assert foot.chosen.text().endswith("Enter: add region · F9: cancel")
    person.window.registry.set_keys(keys)
    person.press("Return")
    assert len(person.regions()) == 1
    assert person.annotate.stage.large is None
    assert "Enter: add region" not in foot.chosen.text()


def test_window_when_narrow_then_the_list_of_marks_gives_way(person: AnnotatePerson) -> None:
    assert person.annotate.annotation_panel.isVisible()
    person.window.resize(1280, 720)
    person.settle()
    assert not person.annotate.annotation_panel.isVisible()
    assert person.annotate.stage.isVisible()


def test_project_when_closed_then_the_page_says_what_annotate_is_for(person: AnnotatePerson) -> None:
    person.window.controller.close_project()
    person.settle()
    assert person.window.slots["annotate"].workspace is None
    person.window.show_workspace("annotate")
    assert not person.window.registry.can_run("stage.box")


def test_language_when_changed_then_the_workspace_comes_back(person: AnnotatePerson) -> None:
    person.window.set_language("zh")
    person.settle()
    assert person.annotate.queue.search.placeholderText() == "搜索场景"
    assert person.annotate.stage.scene


def test_annotate_when_opened_from_the_library_then_shows_the_scene_that_it_is_at(
    window: MainWindow, qtbot: PatientBot
) -> None:
    qtbot.settle(window.is_settled)
    assert window.library is not None
    window.library.show_list("scene")
    window.library.listing().table.choose_row(1)
    person = AnnotatePerson(window, qtbot)
    assert person.annotate.page.tool_bar.name.text() == "0002"


@pytest.mark.parametrize(
    "summary",
    [
        AddRegion(medium="", box=BOX).summary,
        MoveRegions(boxes={"a": BOX}).summary,
        RemoveRegions(regions=("a",)).summary,
        RemoveRegions(paths=("a",)).summary,
        RemoveRegions(regions=("a",), paths=("b",)).summary,
        LinkRegions(scene="", regions=("a", "b")).summary,
        UnlinkRegions(scene="", regions=("a",)).summary,
        AddPath(medium="", points=()).summary,
    ],
)
def test_summary_of_every_gesture_then_has_chinese(summary: CommandSummary) -> None:
    set_language("zh")
    assert display_text.command_summary_text(summary) != str(summary)


def test_scene_when_it_changes_while_the_workspace_is_hidden_then_follows_when_it_is_shown(
    person: AnnotatePerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    medium = person.annotate.stage.canvases[0].medium
    person.window.show_workspace("library")
    asked: list[object] = []
    update = scene_loader.SceneLoader.update

    def note(loader: scene_loader.SceneLoader, changes: Changes) -> None:
        asked.append(changes)
        update(loader, changes)

    monkeypatch.setattr(scene_loader.SceneLoader, "update", note)
    for _ in range(3):
        with person.qtbot.waitSignal(person.window.bridge.changed):
            person.session.execute(AddRegion(medium=medium, box=BOX))
    person.settle()
    assert asked == []
    assert person.rows() == []
    person.window.show_workspace("annotate")
    person.settle()
    assert len(asked) == 1
    assert person.rows() == ["UAV1  3", "Region 0", "Region 1", "Region 2"]


def test_box_when_drawn_then_the_screen_reads_its_own_change_once(
    person: AnnotatePerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []
    for name in ("read_scene", "read_changed_scene"):
        read = getattr(scene_loader, name)

        def note(
            *arguments: object, read: Callable[..., object] = read, name: str = name, **options: object
        ) -> object:
            reads.append(name)
            return read(*arguments, **options)

        monkeypatch.setattr(scene_loader, name, note)
    person.press("B")
    person.hands.drag((100, 100), (200, 160))
    person.settle()
    assert person.rows() == ["UAV1  1", "Region 0"]
    assert reads == ["read_changed_scene"]
