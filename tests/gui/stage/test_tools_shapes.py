"""Polygons, their corners, points and measures: with a real project behind the stage."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from annotator.commands.command import Command
from annotator.commands.region_shapes import AddPolygon
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.errors import UserError
from annotator.session import Session
from tests.gui.stage.hands import HEIGHT, LEFT, WIDTH, Hands, write_picture
from tests.windows import make_project
from widgets.bridge import Bridge
from widgets.media_loader import MediaLoader
from widgets.stage.image_cache import StageImages
from widgets.stage.scene import read_scene
from widgets.stage.stage import Stage
from widgets.stage.tools.annotation_actions import AnnotationActions
from widgets.stage.tools.measure import MeasureTool
from widgets.stage.tools.polygon import PolygonTool
from widgets.stage.tools.select import SelectTool
from widgets.stage.tools.tool_sets import TOOLS

ALT, SHIFT, CONTROL = (
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)
TRIANGLE = ((100.0, 100.0), (200.0, 100.0), (150.0, 180.0))
# Two pixels of the picture are a metre, north is up.
METRIC = (0.5, 0.0, 0.0, 0.0, -0.5, 0.0, 0.0, 0.0, 1.0)
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


class Project:
    """A stage whose commands a session does at once, as the workspace has them done."""

    def __init__(self, session: Session, hands: Hands, scene: Scene) -> None:
        self.session, self.hands, self.scene = session, hands, scene
        self.refused: list[str] = []
        hands.stage.commanded.connect(self.do)

    @property
    def stage(self) -> Stage:
        return self.hands.stage

    def do(self, command: Command) -> None:
        try:
            self.session.execute(command).result()
        except UserError as error:
            self.refused.append(str(error))
            self.stage.settle()
        else:
            self.show()

    def show(self, scene: Scene | None = None) -> None:
        question = self.session.query(
            lambda reader: read_scene(reader, scene=self.scene.id, roots=self.session.roots)
        )
        self.hands.show(question.result())

    def regions(self) -> list[Region]:
        return list(self.session.reader.records(Region))

    def undo(self) -> None:
        self.session.undo().result()
        self.show()

    def add(self, corners: tuple[tuple[float, float], ...] = TRIANGLE) -> str:
        command = AddPolygon(medium=self.stage.canvases[0].medium, corners=corners)
        self.do(command)
        return command.id

    def corners(self) -> tuple[tuple[float, float], ...]:
        return self.regions()[0].polygon


def make(tmp_path: Path, *, grounds: tuple[tuple[float, ...], ...] = ((), ())) -> tuple[Path, Scene]:
    folder = tmp_path / "shapes.media"
    folder.mkdir()
    media = []
    for number in (1, 2):
        file = write_picture(folder / f"{number}.png", seed=number)
        media.append(Medium(id=new_id(), name=file.name, path=file.name, width_px=WIDTH, height_px=HEIGHT))
    views = tuple(
        SceneView(name=f"UAV{at}", medium=medium.id, to_ground=ground)
        for at, (medium, ground) in enumerate(zip(media, grounds, strict=True), start=1)
    )
    scene = Scene(id=new_id(), name="0001", views=views)
    return make_project(tmp_path / "shapes.vantage", [*media, scene]), scene


@pytest.fixture
def grounds() -> tuple[tuple[float, ...], ...]:
    return ((), ())


@pytest.fixture
def project(
    bridge: Bridge, media: MediaLoader, qtbot: QtBot, tmp_path: Path, grounds: tuple[tuple[float, ...], ...]
) -> Iterator[Project]:
    path, scene = make(tmp_path, grounds=grounds)
    pictures = StageImages(bridge, media=media)
    stage = Stage(pictures, tools=TOOLS)
    qtbot.addWidget(stage)
    stage.resize(2 * WIDTH, 2 * 2 * HEIGHT + 2)
    stage.show()
    with Session.open(path) as session:
        made = Project(session, Hands(stage, qtbot), scene)
        made.show()
        yield made
        stage.show_scene(None)
    pictures.close()


def draw(project: Project, *corners: tuple[float, float], view: int = 0) -> None:
    for corner in corners:
        project.hands.click(*corner, view=view)


@pytest.mark.parametrize("ending", ["enter", "double", "first"])
def test_polygon_when_ended_then_is_one_region_with_its_box(project: Project, ending: str) -> None:
    project.stage.choose_tool("polygon")
    draw(project, *TRIANGLE)
    if ending == "enter":
        project.hands.key(Qt.Key.Key_Return)
    elif ending == "double":
        QTest.mouseDClick(project.hands.canvas(), LEFT, pos=project.hands.point(150, 180))
    else:
        project.hands.click(101, 101)
    (made,) = project.regions()
    assert (made.polygon, made.box) == (TRIANGLE, Box(x1=100, y1=100, x2=200, y2=180))
    assert project.stage.selected == (made.id,)
    assert project.stage.large is None
    project.undo()
    assert project.regions() == []


def test_polygon_when_a_corner_would_cross_the_outline_then_is_refused_in_words(project: Project) -> None:
    project.stage.choose_tool("polygon")
    tool = project.stage.tool
    assert isinstance(tool, PolygonTool)
    draw(project, (100, 100), (200, 100), (150, 180))
    project.hands.move(150, 50)
    assert tool.notice == "The polygon must not cross itself"
    project.hands.click(150, 50)
    assert len(tool.points) == 3
    # The stretch that closes it counts as well.
    draw(project, (250, 120))
    assert len(tool.points) == 4
    project.hands.key(Qt.Key.Key_Return)
    assert tool.notice == "The polygon must not cross itself"
    assert project.regions() == []
    project.hands.key(Qt.Key.Key_Backspace)
    project.hands.key(Qt.Key.Key_Return)
    assert project.corners() == TRIANGLE


def test_polygon_when_it_has_two_corners_then_says_so_and_goes_on(project: Project) -> None:
    project.stage.choose_tool("polygon")
    draw(project, *TRIANGLE[:2])
    project.hands.key(Qt.Key.Key_Return)
    tool = project.stage.tool
    assert isinstance(tool, PolygonTool)
    assert tool.notice == "A polygon needs at least three corners"
    draw(project, TRIANGLE[2])
    project.hands.key(Qt.Key.Key_Return)
    assert project.corners() == TRIANGLE


def test_polygon_when_given_up_or_begun_in_another_view_then_its_draft_is_gone(project: Project) -> None:
    project.stage.choose_tool("polygon")
    draw(project, *TRIANGLE)
    project.stage.give_up()
    project.hands.key(Qt.Key.Key_Return)
    draw(project, *TRIANGLE[:2])
    draw(project, *TRIANGLE, view=1)
    project.hands.key(Qt.Key.Key_Return, view=1)
    (made,) = project.regions()
    assert made.medium == project.stage.canvases[1].medium


def test_polygon_when_it_grows_then_each_step_is_painted(project: Project) -> None:
    project.stage.choose_tool("polygon")
    seen = [project.hands.canvas().grab().toImage()]
    for corner in TRIANGLE:
        project.hands.click(*corner)
        seen.append(project.hands.canvas().grab().toImage())
    project.hands.move(150, 50)
    seen.append(project.hands.canvas().grab().toImage())
    assert all(one != other for one, other in pairwise(seen))


def test_corner_when_pulled_then_the_outline_follows_in_one_command(project: Project) -> None:
    region = project.add()
    project.stage.select([region])
    project.hands.pull((200, 100), (300, 90))
    assert project.corners() == TRIANGLE
    assert project.hands.canvas().hidden == {region}
    QTest.mouseRelease(project.hands.canvas(), LEFT, pos=project.hands.point(300, 90))
    assert project.corners() == (TRIANGLE[0], (300.0, 90.0), TRIANGLE[2])
    assert project.regions()[0].box == Box(x1=100, y1=90, x2=300, y2=180)
    assert project.hands.canvas().hidden == frozenset()
    project.undo()
    assert project.corners() == TRIANGLE


def test_corner_when_the_outline_would_cross_itself_then_says_so_and_stays(project: Project) -> None:
    square = ((100.0, 100.0), (200.0, 100.0), (200.0, 200.0), (100.0, 200.0))
    project.stage.select([project.add(square)])
    project.hands.pull((200, 200), (150, 50))
    tool = project.stage.tool
    assert isinstance(tool, SelectTool)
    assert tool.corners.notice == "The polygon must not cross itself"
    QTest.mouseRelease(project.hands.canvas(), LEFT, pos=project.hands.point(150, 50))
    assert project.corners() == square
    assert project.hands.canvas().hidden == frozenset()


def test_corner_when_pulled_and_given_up_then_nothing_happened(project: Project) -> None:
    project.stage.select([project.add()])
    project.hands.pull((200, 100), (300, 90))
    project.stage.give_up()
    QTest.mouseRelease(project.hands.canvas(), LEFT, pos=project.hands.point(300, 90))
    assert project.corners() == TRIANGLE
    assert len(project.stage.selected) == 1


@pytest.mark.parametrize("way", ["alt", "double"])
def test_edge_when_clicked_then_gets_a_corner(project: Project, way: str) -> None:
    project.stage.select([project.add()])
    if way == "alt":
        project.hands.click(150, 101, keys=ALT)
    else:
        QTest.mouseDClick(project.hands.canvas(), LEFT, pos=project.hands.point(150, 101))
    assert project.corners() == (TRIANGLE[0], (150.0, 101.0), *TRIANGLE[1:])
    assert project.stage.large is None


def test_edge_of_the_last_stretch_when_clicked_then_the_corner_comes_last(project: Project) -> None:
    project.stage.select([project.add()])
    project.hands.click(125, 140, keys=ALT)
    assert project.corners() == (*TRIANGLE, (125.0, 140.0))


def test_corner_when_chosen_then_del_takes_it_and_not_the_region(project: Project) -> None:
    project.stage.select([project.add((*TRIANGLE, (90.0, 140.0)))])
    project.hands.click(90, 140)
    project.hands.key(Qt.Key.Key_Delete)
    assert project.corners() == TRIANGLE
    # With three left there is nothing to take away.
    project.hands.click(200, 100)
    project.hands.key(Qt.Key.Key_Delete)
    tool = project.stage.tool
    assert isinstance(tool, SelectTool)
    assert tool.corners.notice == "A polygon needs at least three corners"
    assert project.corners() == TRIANGLE
    # Given up, the next Esc drops the selection.
    project.stage.give_up()
    assert len(project.stage.selected) == 1
    project.stage.give_up()
    assert not project.stage.selected


def test_corner_when_chosen_then_arrows_nudge_it_alone(project: Project) -> None:
    project.stage.select([project.add()])
    project.hands.click(200, 100)
    project.hands.key(Qt.Key.Key_Right)
    project.hands.key(Qt.Key.Key_Up, CONTROL)
    assert project.corners() == TRIANGLE
    project.stage.tool.send_pending()
    assert project.corners() == (TRIANGLE[0], (201.0, 90.0), TRIANGLE[2])
    project.stage.tool.send_pending()
    project.undo()
    assert project.corners() == TRIANGLE


def test_polygon_when_dragged_then_moves_as_a_whole(project: Project) -> None:
    project.stage.select([project.add()])
    before = project.hands.canvas().grab().toImage()
    project.hands.pull((150, 120), (160, 140))
    assert project.hands.canvas().grab().toImage() != before
    QTest.mouseRelease(project.hands.canvas(), LEFT, pos=project.hands.point(160, 140))
    assert project.corners() == tuple((x + 10, y + 20) for x, y in TRIANGLE)


def test_point_when_clicked_then_is_one_region_without_extent(project: Project) -> None:
    project.stage.choose_tool("point")
    project.hands.click(300, 120)
    QTest.mouseDClick(project.hands.canvas(), LEFT, pos=project.hands.point(300, 120))
    (made,) = project.regions()
    assert made.is_point
    assert (made.box.x1, made.box.y1, made.number) == (300.0, 120.0, 0)
    assert project.stage.large is None
    project.undo()
    assert project.regions() == []


def test_point_when_pulled_before_it_is_let_go_then_is_set_there_to_a_tenth(project: Project) -> None:
    canvas = project.hands.canvas()
    canvas.change_transform(canvas.transform.zoomed(7 / canvas.transform.zoom))
    project.stage.choose_tool("point")
    before = canvas.grab().toImage()
    project.hands.pull((310, 170), (320, 180))
    assert canvas.grab().toImage() != before
    at = project.hands.point(320.29, 180)
    QTest.mouseRelease(canvas, LEFT, pos=at)
    x, y = canvas.image_point(at)
    (made,) = project.regions()
    assert (made.box.x1, made.box.y1) == (round(x, 1), round(y, 1))
    assert made.box.x1 != round(made.box.x1)


def test_point_when_given_up_before_it_is_let_go_then_is_not_set(project: Project) -> None:
    project.stage.choose_tool("point")
    project.hands.pull((310, 170), (320, 180))
    project.stage.give_up()
    QTest.mouseRelease(project.hands.canvas(), LEFT, pos=project.hands.point(320, 180))
    assert project.regions() == []


def measure(project: Project) -> MeasureTool:
    project.stage.choose_tool("measure")
    tool = project.stage.tool
    assert isinstance(tool, MeasureTool)
    return tool


def test_measure_when_pulled_then_tells_length_and_angle_and_stays_until_given_up(project: Project) -> None:
    tool = measure(project)
    before = project.hands.canvas().grab().toImage()
    project.hands.drag((100, 100), (130, 60))
    assert tool.measured_text(project.hands.canvas(), tool.points) == "50.0 px   53.1°"
    project.hands.move(400, 300)
    project.show()
    assert project.hands.canvas().grab().toImage() != before
    assert tool.points == [(100.0, 100.0), (130.0, 60.0)]
    assert project.regions() == []
    project.stage.give_up()
    assert tool.points == []


def test_measure_when_clicked_then_adds_stretches_and_tells_the_angle_between_them(project: Project) -> None:
    tool = measure(project)
    draw(project, (100, 100), (200, 100), (200, 150))
    project.hands.key(Qt.Key.Key_Return)
    assert tool.measured_text(project.hands.canvas(), tool.points) == "150.0 px   ∠ 90.0°"
    # The next press begins a new one.
    project.hands.drag((300, 300), (300, 200))
    assert tool.points == [(300.0, 300.0), (300.0, 200.0)]


@pytest.mark.parametrize("grounds", [(METRIC, ())])
def test_measure_when_the_view_lies_on_the_ground_then_tells_metres(project: Project) -> None:
    tool = measure(project)
    project.hands.drag((100, 100), (130, 60))
    assert tool.measured_text(project.hands.canvas(), tool.points) == "50.0 px   53.1°   25.0 m on the ground"
    project.hands.drag((100, 100), (130, 60), view=1)
    assert tool.measured_text(project.hands.canvas(1), tool.points) == "50.0 px   53.1°"


@pytest.mark.parametrize("grounds", [(IDENTITY, METRIC)])
def test_measure_when_the_ground_is_counted_in_pixels_then_tells_no_metres(project: Project) -> None:
    tool = measure(project)
    project.hands.drag((100, 100), (130, 60), view=1)
    assert tool.measured_text(project.hands.canvas(1), tool.points) == "50.0 px   53.1°"


def test_all_when_selected_then_are_the_regions_of_the_view_in_front(project: Project) -> None:
    regions = [project.add(), project.add(tuple((x + 200, y) for x, y in TRIANGLE))]
    AnnotationActions(project.stage).select_all()
    assert project.stage.selected == tuple(regions)
    project.hands.drag((150, 120), (160, 120))
    assert [one.box.x1 for one in project.regions()] == [110.0, 310.0]


def test_region_of_a_still_when_repeated_then_says_that_it_has_no_frames(project: Project) -> None:
    region = project.add()
    project.stage.select([region])
    AnnotationActions(project.stage).repeat()
    assert project.refused == ["Region 0 is in a still image, which has no other frames."]
    assert project.stage.selected == (region,)
