"""Tools on films: what is drawn belongs to the frame that is seen, and to no other."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest

from annotator.commands.command import Command
from annotator.commands.links import LinkRegions
from annotator.commands.region_shapes import AddPolygon, RepeatRegions
from annotator.commands.regions import AddPath, AddRegion, MoveRegions
from annotator.domain.region import Box, Region
from annotator.media.render import Overlay
from tests.gui.stage.hands import LEFT, Hands
from tests.gui.stage.reels import Reels, film_scene
from widgets.stage.tools.annotation_actions import AnnotationActions

BOX = Box(x1=100, y1=100, x2=180, y2=160)


def region(name: str, *, medium: str = "m1", frame: int = 0) -> Region:
    return Region(id=name, medium=medium, number=3, box=BOX, frame=frame)


MARKS = Overlay(regions=(region("a0"), region("a5", frame=5), region("b0", medium="m2")))


class FilmHands(Hands):
    """Hands at a stage of films."""

    def __init__(self, reels: Reels) -> None:
        super().__init__(reels.stage, reels.qtbot)
        self.reels = reels

    def go(self, frame: int) -> None:
        self.reels.player.seek(self.reels.film().time_of(frame))
        self.reels.rest()
        assert self.canvas().frame == frame

    @property
    def made(self) -> list[Command]:
        return self.commands


@pytest.fixture
def films(reels: Reels) -> FilmHands:
    reels.show("pal", "ntsc", marks=MARKS)
    return FilmHands(reels)


def test_marks_when_drawn_on_a_film_then_carry_the_number_of_the_frame_on_the_screen(
    films: FilmHands,
) -> None:
    films.go(7)
    films.stage.choose_tool("polygon")
    for corner in ((20, 20), (60, 20), (40, 60)):
        films.click(*corner)
    films.key(Qt.Key.Key_Return)
    films.stage.choose_tool("point")
    films.click(90, 90)
    films.stage.choose_tool("path")
    films.click(10, 10)
    films.click(60, 10)
    films.key(Qt.Key.Key_Return)
    polygon, point, path = films.made
    assert isinstance(polygon, AddPolygon)
    assert isinstance(point, AddRegion)
    assert isinstance(path, AddPath)
    assert [one.frame for one in (polygon, point, path)] == [7, 7, 7]


@pytest.mark.parametrize("tool", ["polygon", "path"])
def test_line_when_the_frame_changes_under_it_then_is_dropped(films: FilmHands, tool: str) -> None:
    films.stage.choose_tool(tool)
    for corner in ((20, 20), (60, 20), (40, 60)):
        films.click(*corner)
    films.go(1)
    films.key(Qt.Key.Key_Return)
    assert films.made == []
    # The next click begins on this frame, and the old corners stay away.
    for corner in ((120, 20), (160, 20), (140, 60)):
        films.click(*corner)
    films.key(Qt.Key.Key_Return)
    (command,) = films.made
    assert isinstance(command, AddPolygon | AddPath)
    assert command.frame == 1
    corners = command.corners if isinstance(command, AddPolygon) else command.points
    assert corners == ((120, 20), (160, 20), (140, 60))


@pytest.mark.parametrize("tool", ["box", "point", "select"])
def test_pull_when_the_frame_changes_under_it_then_is_dropped(films: FilmHands, tool: str) -> None:
    films.stage.choose_tool(tool)
    films.pull((140, 130), (200, 190))
    films.go(5)
    films.move(220, 200, is_down=True)
    QTest.mouseRelease(films.canvas(), LEFT, pos=films.point(220, 200))
    assert films.made == []
    assert films.canvas().hidden == frozenset()
    assert not films.stage.tool.give_up()


def test_draft_when_another_frame_is_shown_then_is_not_painted_on_it(films: FilmHands) -> None:
    films.go(9)
    empty = films.canvas().grab().toImage()
    films.go(8)
    films.stage.choose_tool("polygon")
    for corner in ((20, 20), (60, 20), (40, 60)):
        films.click(*corner)
    films.canvas().leaveEvent(QEvent(QEvent.Type.Leave))
    drawn = films.canvas().grab().toImage()
    films.go(9)
    assert films.canvas().grab().toImage() == empty
    films.go(8)
    assert films.canvas().grab().toImage() == drawn


def test_arrows_when_something_is_selected_nudge_it_else_step_frames(films: FilmHands) -> None:
    films.key(Qt.Key.Key_Right)
    films.reels.wait(lambda: films.canvas().frame == 1)
    films.go(5)
    films.stage.select(["a5"])
    films.key(Qt.Key.Key_Right)
    films.stage.tool.send_pending()
    assert films.made == [MoveRegions(boxes={"a5": Box(x1=101, y1=100, x2=181, y2=160)})]
    assert films.canvas().frame == 5
    # What is selected on another frame is not moved from here.
    films.stage.settle()
    films.stage.select(["a0"])
    films.key(Qt.Key.Key_Right)
    films.reels.wait(lambda: films.canvas().frame == 6)
    assert len(films.made) == 1


def test_regions_when_repeated_then_go_to_the_frame_that_each_view_shows(films: FilmHands) -> None:
    films.go(12)
    films.stage.select(["a0", "b0"])
    AnnotationActions(films.stage).repeat()
    (command,) = films.made
    assert isinstance(command, RepeatRegions)
    assert command.frames == {"a0": 12, "b0": films.canvas(1).frame}
    assert films.canvas(1).frame != 12
    assert films.stage.selected == (command.ids["a0"], command.ids["b0"])


def test_link_when_the_first_region_is_out_of_sight_then_begins_anew(films: FilmHands) -> None:
    films.stage.choose_tool("link")
    films.click(140, 130)
    films.click(140, 130, view=1)
    assert films.made == [LinkRegions(scene="s", regions=("a0", "b0"))]
    films.stage.give_up()
    films.click(140, 130)
    films.go(1)
    shown = replace(
        film_scene([films.reels.files["pal"], films.reels.files["ntsc"]]),
        marks=Overlay(regions=(*MARKS.regions, region("b1", medium="m2", frame=films.canvas(1).frame or 0))),
    )
    films.stage.show_scene(shown)
    films.click(140, 130, view=1)
    assert len(films.made) == 1
