from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from annotator.commands.region_shapes import RepeatRegions
from annotator.commands.regions import AddRegion, MoveRegions
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.domain.trajectory import Pose, Trajectory
from annotator.session import Session
from tests.bench.numbered_videos import KINDS, make_video
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.unit.store.making import created, write
from tests.windows import NO_SIZE_HINTS, make_project
from widgets.annotate.workspace import AnnotateWorkspace
from widgets.settings import Settings
from widgets.window import MainWindow, build

FRAMES, SIZE = 60, (192, 128)
BOX = Box(x1=10.0, y1=10.0, x2=60.0, y2=50.0)


class AnnotatePerson:
    """The window at Annotate, in front of two videos."""

    def __init__(self, window: MainWindow, qtbot: PatientBot) -> None:
        self.window, self.qtbot = window, qtbot
        qtbot.settle(window.is_settled)
        window.show_workspace("annotate")
        self.settle()

    @property
    def annotate(self) -> AnnotateWorkspace:
        made = self.window.slots["annotate"].workspace
        assert made is not None
        return made

    @property
    def session(self) -> Session:
        assert self.window.controller.session is not None
        return self.window.controller.session

    @property
    def painted(self) -> list[int]:
        return [video.painted for video in self.annotate.stage.player.videos]

    def settle(self) -> None:
        def is_settled() -> bool:
            late = any(video.is_late for video in self.annotate.stage.player.videos)
            return self.window.is_settled() and not late

        self.qtbot.settle(is_settled)
        QApplication.processEvents()

    def seek(self, time_s: float) -> None:
        self.annotate.stage.player.seek(time_s)
        self.settle()

    def add(self, frame: int, *, view: int = 0) -> str:
        command = AddRegion(medium=self.annotate.stage.canvases[view].medium, box=BOX, frame=frame)
        self.session.execute(command).result()
        before = len(self.annotate.stage.shown.marks.regions)  # type: ignore[union-attr]
        self.qtbot.waitUntil(lambda: len(self.annotate.stage.shown.marks.regions) > before)  # type: ignore[union-attr]
        self.settle()
        return command.id

    def rows(self) -> list[str]:
        return [f"{row.text}  {row.note}".strip() for row in self.annotate.annotation_panel.list.marks.rows]

    def offsets(self) -> list[float]:
        (scene,) = (one for one in self.session.reader.records(Scene) if one.views)
        return [view.offset_s for view in scene.views]


@pytest.fixture(scope="session")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = msgspec.structs.replace(KINDS["fragmented"], muxing={}, frames=FRAMES, size_px=SIZE)
    return Path(make_video(tmp_path_factory.mktemp("videos"), name="flight", recipe=recipe).path)


@pytest.fixture
def person(
    tmp_path: Path, video: Path, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> Iterator[AnnotatePerson]:
    guard_messages.allow(NO_SIZE_HINTS)
    folder = tmp_path / "pilot.media"
    folder.mkdir()
    media, views = [], []
    for number in (1, 2):
        file = Path(shutil.copy(video, folder / f"0001-UAV{number}.mp4"))
        medium = Medium(
            id=new_id(),
            name=file.name,
            path=file.name,
            media_type="video",
            width_px=SIZE[0],
            height_px=SIZE[1],
            frames=FRAMES,
            duration_s=FRAMES / 25,
        )
        media.append(medium)
        views.append(SceneView(name=f"UAV{number}", medium=medium.id))
    scenes = [Scene(id=new_id(), name="0001", views=tuple(views)), Scene(id=new_id(), name="0002")]
    session = Session.open(make_project(tmp_path / "pilot.vantage", [*media, *scenes]))
    made = build(session, settings=settings)
    qtbot.addWidget(made)
    made.resize(1600, 1000)
    with qtbot.waitExposed(made):
        made.show()
    yield AnnotatePerson(made, qtbot)
    made.close()


def test_marks_when_another_frame_is_painted_then_the_list_shows_that_frames(
    person: AnnotatePerson,
) -> None:
    person.add(0)
    person.add(30)
    assert person.rows() == ["UAV1  1", "Region 0", "UAV1 · other frames  1", "frame 30  1 region"]
    assert person.annotate.annotation_panel.count.text() == "1 here, 1 on other frames"
    person.seek(30 / 25)
    assert person.rows() == ["UAV1  1", "Region 1", "UAV1 · other frames  1", "frame 0  1 region"]
    person.seek(31 / 25)
    assert person.rows()[0] == "UAV1 · other frames  2"
    assert person.annotate.annotation_panel.count.text() == "0 here, 2 on other frames"


def test_marks_when_a_row_of_another_frame_is_clicked_then_that_frame_is_painted(
    person: AnnotatePerson,
) -> None:
    person.add(0)
    person.add(41, view=1)
    listed = person.annotate.annotation_panel.list
    index = listed.marks.index(person.rows().index("frame 41  1 region"), 0)
    QTest.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=listed.visualRect(index).center())
    person.settle()
    assert person.painted == [41, 41]
    assert "UAV2  1" in person.rows()


def test_marks_when_there_are_very_many_frames_then_only_those_around_are_listed(
    person: AnnotatePerson,
) -> None:
    for frame in range(60):
        person.session.execute(
            AddRegion(medium=person.annotate.stage.canvases[0].medium, box=BOX, frame=frame)
        ).result()
    person.qtbot.waitUntil(lambda: len(person.annotate.stage.shown.marks.regions) == 60)  # type: ignore[union-attr]
    person.settle()
    person.seek(50 / 25)
    frames = [row.frame for row in person.annotate.annotation_panel.list.marks.rows if row.kind == "frame"]
    assert frames == [number for number in range(19, 60) if number != 50]


def test_offset_when_a_lane_is_dragged_then_is_in_the_project_and_undo_takes_it_back(
    person: AnnotatePerson,
) -> None:
    timeline_view = person.annotate.timeline.timeline_view
    geometry = timeline_view.lane_geometries()[1]
    begin = QPoint(20, geometry.top + geometry.height // 2)
    end = begin + QPoint(round(timeline_view.scale.px_per_s * 0.4), 0)
    QTest.mousePress(timeline_view, Qt.MouseButton.LeftButton, pos=begin)
    QTest.mouseMove(timeline_view, end)
    QTest.mouseRelease(timeline_view, Qt.MouseButton.LeftButton, pos=end)
    person.qtbot.waitUntil(lambda: person.offsets()[1] != 0)
    person.settle()
    assert person.offsets() == [0.0, pytest.approx(0.4, abs=0.01)]
    person.seek(1.0)
    assert person.painted == [25, 15]
    person.window.controller.undo()
    person.qtbot.waitUntil(lambda: person.offsets() == [0.0, 0.0])
    person.qtbot.waitUntil(lambda: person.annotate.stage.player.videos[1].offset_s == 0.0)
    person.settle()
    # The place on the clock is kept.
    assert person.painted == [25, 25]


def test_timeline_when_the_next_scene_has_no_video_then_gives_its_room_to_the_stage(
    person: AnnotatePerson,
) -> None:
    assert person.annotate.timeline.isVisible()
    assert person.window.registry.can_run("video.play")
    person.annotate.queue.step_scene("1")
    person.settle()
    assert person.annotate.timeline.isHidden()
    assert not person.window.registry.can_run("video.play")


def test_video_when_the_workspace_is_left_then_stops_playing(person: AnnotatePerson) -> None:
    player = person.annotate.stage.player
    player.play_or_pause()
    assert player.is_playing
    person.window.show_workspace("library")
    assert not player.is_playing


def test_ground_when_the_views_share_nothing_then_says_so(person: AnnotatePerson) -> None:
    person.annotate.commands.match_ground()
    person.settle()
    assert person.window.banner.headline.text()
    assert all(view.to_ground == () for view in person.annotate.stage.shown.scene.views)  # type: ignore[union-attr]


def make_track(person: AnnotatePerson) -> tuple[str, str]:
    """Mark one object on frames 0 and 10, where it is 20 pixels further right; the first box is selected."""
    first = person.add(0)
    repeat = RepeatRegions(frames={first: 10})
    person.session.execute(repeat).result()
    last = repeat.ids[first]
    moved = Box(x1=30, y1=10, x2=80, y2=50)
    person.session.execute(MoveRegions(boxes={last: moved})).result()
    person.qtbot.waitUntil(lambda: shown_box(person, last) == moved)
    person.settle()
    person.annotate.stage.select([first])
    person.annotate.stage.focus_view()
    return first, last


def shown_box(person: AnnotatePerson, region: str) -> Box | None:
    """Return where the stage has a region."""
    shown = person.annotate.stage.shown
    assert shown is not None
    return next((one.box for one in shown.regions_by_id([region]).values()), None)


def press(person: AnnotatePerson, key: str) -> None:
    pressed = QKeySequence(key)[0]
    QTest.keyClick(person.annotate.stage.canvases[0], pressed.key(), pressed.keyboardModifiers())
    person.settle()


def left_edges(person: AnnotatePerson) -> dict[int | None, float]:
    """Return the left edge of each region by its frame."""
    return {region.frame: region.box.x1 for region in person.session.reader.records(Region)}


def test_track_when_interpolated_then_dashed_boxes_are_shown_until_they_are_confirmed(
    person: AnnotatePerson,
) -> None:
    make_track(person)
    stage, canvas = person.annotate.stage, person.annotate.stage.canvases[0]
    person.seek(5 / 25)
    before = canvas.grab().toImage()
    press(person, "Shift+T")
    (proposal,) = stage.interpolation.boxes_at(canvas.medium, canvas.frame)
    assert proposal.label == "0 interpolated"
    assert proposal.corners[0].tolist() == [20, 10]
    assert canvas.grab().toImage() != before
    assert len(left_edges(person)) == 2
    press(person, "C")
    assert canvas.grab().toImage() == before
    press(person, "A")
    press(person, "Ctrl+Return")
    assert left_edges(person) == {frame: 10 + 2 * frame for frame in range(11)}
    assert stage.interpolation.boxes_at(canvas.medium, canvas.frame) == []
    made = [region for region in person.session.reader.records(Region) if region.made_by == "interpolation"]
    assert len(made) == 9
    assert {region.number for region in made} == {0}
    person.window.controller.undo()
    person.settle()
    assert sorted(frame or 0 for frame in left_edges(person)) == [0, 10]


def test_track_when_a_box_is_moved_then_its_interpolated_boxes_follow(person: AnnotatePerson) -> None:
    _, last = make_track(person)
    interpolation, medium = person.annotate.stage.interpolation, person.annotate.stage.canvases[0].medium
    press(person, "Shift+T")
    assert interpolation.boxes_at(medium, 5)[0].corners[0].tolist() == [20, 10]
    person.session.execute(MoveRegions(boxes={last: Box(x1=50, y1=10, x2=100, y2=50)})).result()
    person.qtbot.waitUntil(lambda: interpolation.boxes_at(medium, 5)[0].corners[0].tolist() == [30, 10])
    press(person, "Shift+T")
    assert interpolation.boxes_at(medium, 5) == []


def test_track_when_interpolated_then_the_details_tell_how_many_wait(person: AnnotatePerson) -> None:
    make_track(person)
    details = person.annotate.annotation_panel.details

    def facts() -> str:
        return " ".join(one.text() for one in details.findChildren(QLabel))

    press(person, "Shift+T")
    person.qtbot.waitUntil(lambda: "9 to confirm" in facts())
    assert "0 of 0–10 (2 boxes)" in facts()
    press(person, "Ctrl+Return")
    person.qtbot.waitUntil(lambda: "0 of 0–10 (11 boxes)" in facts())
    person.qtbot.waitUntil(lambda: "to confirm" not in facts())


def test_track_when_no_frame_lies_between_its_boxes_then_says_so(person: AnnotatePerson) -> None:
    region = person.add(0)
    person.annotate.stage.select([region])
    person.annotate.stage.focus_view()
    press(person, "Ctrl+Return")
    assert "No frame lies between" in person.window.banner.headline.text()


def _flown(person: AnnotatePerson) -> str:
    """Add a flight of the first view: ahead for half of its frames, then a turn; return its id."""
    ahead = [Pose(x_m=n / 3, y_m=0, z_m=1, yaw_deg=0) for n in range(FRAMES // 2)]
    turn = [Pose(x_m=ahead[-1].x_m, y_m=0, z_m=1, yaw_deg=3.0 * n) for n in range(1, FRAMES // 2 + 1)]
    (scene,) = (one for one in person.session.reader.records(Scene) if one.views)
    flight = Trajectory(
        id=new_id(), scene=scene.id, view="UAV1", axes="east-north-up", poses=(*ahead, *turn),
        times_s=tuple(n / 25 for n in range(FRAMES)),
    )  # fmt: skip
    write(person.session, created("trajectory", flight))
    person.qtbot.waitUntil(lambda: bool(person.annotate.stage.shown.trajectories))  # type: ignore[union-attr]
    person.settle()
    return flight.id


def _key_frames(person: AnnotatePerson) -> tuple[int, ...]:
    (flight,) = person.session.reader.records(Trajectory)
    return flight.key_frames


def test_key_frames_when_set_by_key_then_they_are_at_the_shown_frame_and_cleared_by_the_same_key(
    person: AnnotatePerson,
) -> None:
    _flown(person)
    person.seek(12 / 25)
    QTest.keyClick(person.annotate.stage.canvases[0], Qt.Key.Key_G, Qt.KeyboardModifier.ShiftModifier)
    person.settle()
    assert _key_frames(person) == (12,)
    person.seek(40 / 25)
    QTest.keyClick(person.annotate.stage.canvases[0], Qt.Key.Key_G, Qt.KeyboardModifier.ShiftModifier)
    person.settle()
    assert _key_frames(person) == (12, 40)
    QTest.keyClick(person.annotate.stage.canvases[0], Qt.Key.Key_G, Qt.KeyboardModifier.ShiftModifier)
    person.settle()
    assert _key_frames(person) == (12,)
    person.session.undo().result()
    assert _key_frames(person) == (12, 40)


def test_key_frames_when_proposed_then_they_are_where_the_motion_changes_and_segments_are_shown(
    person: AnnotatePerson,
) -> None:
    flight = _flown(person)
    person.annotate.trajectory.key_frames.propose_key_frames()
    person.settle()
    assert _key_frames(person) == (0, FRAMES // 2 - 1, FRAMES - 1)
    shown = person.annotate.stage.shown
    assert shown is not None
    assert len(shown.segments) == 2
    assert person.session.reader.require(Trajectory, flight).view == "UAV1"


def test_key_frames_when_the_scene_has_no_flight_then_the_keys_do_nothing(person: AnnotatePerson) -> None:
    person.annotate.trajectory.key_frames.toggle_key_frame()
    person.annotate.trajectory.key_frames.propose_key_frames()
    person.settle()
    assert not list(person.session.reader.records(Trajectory))


def test_bar_when_a_range_is_marked_then_it_needs_no_more_room_than_before(person: AnnotatePerson) -> None:
    bar = person.annotate.timeline.bar
    least_px = bar.minimumSizeHint().width()
    person.annotate.stage.player.set_marks(0.2, out_s=1.6)
    person.settle()
    assert "frames" in bar.marks.text()
    # Room that it needs would be taken from the panel beside the stage.
    assert bar.minimumSizeHint().width() <= least_px + 20
