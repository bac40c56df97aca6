"""Tools on videos: what is drawn belongs to the frame that is seen, and to no other."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest

from annotator.commands.command import Command
from annotator.commands.links import LinkRegions
from annotator.commands.paths import AddPath
from annotator.commands.region_shapes import AddPolygon, RepeatRegions
from annotator.commands.regions import AddRegion, MoveRegions
from annotator.domain.region import Box, Region
from annotator.media.render import Overlay
from tests.gui.stage.hands import LEFT, Hands
from tests.gui.stage.reels import Reels, video_scene
from widgets.stage.tools.annotation_actions import AnnotationActions

BOX = Box(x1=100, y1=100, x2=180, y2=160)


def region(name: str, *, medium: str = "m1", frame: int = 0) -> Region:
    return Region(id=name, medium=medium, number=3, box=BOX, frame=frame)


MARKS = Overlay(regions=(region("a0"), region("a5", frame=5), region("b0", medium="m2")))


class VideoHands(Hands):
    """Hands at a stage of videos."""

    def __init__(self, reels: Reels) -> None:
        super().__init__(reels.stage, reels.qtbot)
        self.reels = reels

    def go(self, frame: int) -> None:
        self.reels.player.seek(self.reels.video().time_of(frame))
        self.reels.rest()
        assert self.canvas().frame == frame

    @property
    def made(self) -> list[Command]:
        return self.commands


@pytest.fixture
def videos(reels: Reels) -> VideoHands:
    reels.show("pal", "ntsc", marks=MARKS)
    return VideoHands(reels)


def test_marks_when_drawn_on_a_video_then_carry_the_number_of_the_frame_on_the_screen(
    videos: VideoHands,
) -> None:
    videos.go(7)
    videos.stage.choose_tool("polygon")
    for corner in ((20, 20), (60, 20), (40, 60)):
        videos.click(*corner)
    videos.key(Qt.Key.Key_Return)
    videos.stage.choose_tool("point")
    videos.click(90, 90)
    videos.stage.choose_tool("path")
    videos.click(10, 10)
    videos.click(60, 10)
    videos.key(Qt.Key.Key_Return)
    polygon, point, path = videos.made
    assert isinstance(polygon, AddPolygon)
    assert isinstance(point, AddRegion)
    assert isinstance(path, AddPath)
    assert [one.frame for one in (polygon, point, path)] == [7, 7, 7]


@pytest.mark.parametrize("tool", ["polygon", "path"])
def test_line_when_the_frame_changes_under_it_then_is_dropped(videos: VideoHands, tool: str) -> None:
    videos.stage.choose_tool(tool)
    for corner in ((20, 20), (60, 20), (40, 60)):
        videos.click(*corner)
    videos.go(1)
    videos.key(Qt.Key.Key_Return)
    assert videos.made == []
    # The next click begins on this frame, and the old corners stay away.
    for corner in ((120, 20), (160, 20), (140, 60)):
        videos.click(*corner)
    videos.key(Qt.Key.Key_Return)
    (command,) = videos.made
    assert isinstance(command, AddPolygon | AddPath)
    assert command.frame == 1
    corners = command.corners if isinstance(command, AddPolygon) else command.points
    assert corners == ((120, 20), (160, 20), (140, 60))


@pytest.mark.parametrize("tool", ["box", "point", "select"])
def test_pull_when_the_frame_changes_under_it_then_is_dropped(videos: VideoHands, tool: str) -> None:
    videos.stage.choose_tool(tool)
    videos.pull((140, 130), (200, 190))
    videos.go(5)
    videos.move(220, 200, is_down=True)
    QTest.mouseRelease(videos.canvas(), LEFT, pos=videos.point(220, 200))
    assert videos.made == []
    assert videos.canvas().hidden == frozenset()
    assert not videos.stage.tool.give_up()


def test_draft_when_another_frame_is_shown_then_is_not_painted_on_it(videos: VideoHands) -> None:
    videos.go(9)
    empty = videos.canvas().grab().toImage()
    videos.go(8)
    videos.stage.choose_tool("polygon")
    for corner in ((20, 20), (60, 20), (40, 60)):
        videos.click(*corner)
    videos.canvas().leaveEvent(QEvent(QEvent.Type.Leave))
    drawn = videos.canvas().grab().toImage()
    videos.go(9)
    assert videos.canvas().grab().toImage() == empty
    videos.go(8)
    assert videos.canvas().grab().toImage() == drawn


def test_arrows_when_something_is_selected_nudge_it_else_step_frames(videos: VideoHands) -> None:
    videos.key(Qt.Key.Key_Right)
    videos.reels.wait(lambda: videos.canvas().frame == 1)
    videos.go(5)
    videos.stage.select(["a5"])
    videos.key(Qt.Key.Key_Right)
    videos.stage.tool.send_pending()
    assert videos.made == [MoveRegions(boxes={"a5": Box(x1=101, y1=100, x2=181, y2=160)})]
    assert videos.canvas().frame == 5
    # What is selected on another frame is not moved from here.
    videos.stage.settle()
    videos.stage.select(["a0"])
    videos.key(Qt.Key.Key_Right)
    videos.reels.wait(lambda: videos.canvas().frame == 6)
    assert len(videos.made) == 1


def test_regions_when_repeated_then_go_to_the_frame_that_each_view_shows(videos: VideoHands) -> None:
    videos.go(12)
    videos.stage.select(["a0", "b0"])
    AnnotationActions(videos.stage).repeat()
    (command,) = videos.made
    assert isinstance(command, RepeatRegions)
    assert command.frames == {"a0": 12, "b0": videos.canvas(1).frame}
    assert videos.canvas(1).frame != 12
    assert videos.stage.selected == (command.ids["a0"], command.ids["b0"])


def test_link_when_the_first_region_is_hidden_then_begins_anew(videos: VideoHands) -> None:
    videos.stage.choose_tool("link")
    videos.click(140, 130)
    videos.click(140, 130, view=1)
    assert videos.made == [LinkRegions(scene="s", regions=("a0", "b0"))]
    videos.stage.give_up()
    videos.click(140, 130)
    videos.go(1)
    shown = replace(
        video_scene([videos.reels.files["pal"], videos.reels.files["ntsc"]]),
        marks=Overlay(regions=(*MARKS.regions, region("b1", medium="m2", frame=videos.canvas(1).frame or 0))),
    )
    videos.stage.show_scene(shown)
    videos.click(140, 130, view=1)
    assert len(videos.made) == 1
