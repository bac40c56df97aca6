from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pyqtgraph
import pytest

from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.scene import Scene, SceneView
from annotator.session import Session
from tests.bench.films import KINDS, make_film
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.annotate.flight_person import FPS, FRAMES, FlightPerson, made_flight
from tests.windows import NO_SIZE_HINTS, make_project
from widgets.annotate.trajectory_colours import kind_colour
from widgets.settings import Settings
from widgets.window import build

SIZE = (192, 128)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = msgspec.structs.replace(KINDS["fragmented"], muxing={}, frames=FRAMES, size_px=SIZE)
    return Path(make_film(tmp_path_factory.mktemp("films"), name="flight", recipe=recipe).path)


@pytest.fixture
def person(
    tmp_path: Path, film: Path, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> Iterator[FlightPerson]:
    """Open a scene with two flights, and one with a video without poses."""
    guard_messages.allow(NO_SIZE_HINTS)
    folder = tmp_path / "pilot.media"
    folder.mkdir()
    media = [
        Medium(
            id=new_id(), name=name, path=name, media_type="video", width_px=SIZE[0], height_px=SIZE[1],
            frames=FRAMES, duration_s=FRAMES / FPS,
        )
        for name in (Path(shutil.copy(film, folder / f"{n}.mp4")).name for n in range(3))
    ]  # fmt: skip
    views = tuple(SceneView(name=f"UAV{n + 1}", medium=media[n].id) for n in range(2))
    scene = Scene(id=new_id(), name="0001", views=views)
    bare = Scene(id=new_id(), name="0002", views=(SceneView(name="UAV1", medium=media[2].id),))
    flights = [
        made_flight(scene.id, view="UAV1", key_frames=(0, 29, 59)),
        made_flight(scene.id, view="UAV2", left_m=8.0),
    ]
    session = Session.open(make_project(tmp_path / "pilot.vantage", [*media, scene, bare, *flights]))
    window = build(session, settings=settings)
    qtbot.addWidget(window)
    window.resize(1600, 1000)
    with qtbot.waitExposed(window):
        window.show()
    yield FlightPerson(window, qtbot)
    window.close()


def test_plot_when_a_scene_has_flights_then_three_views_have_one_scale_and_the_front_one_is_coloured(
    person: FlightPerson,
) -> None:
    panel = person.editor.panel
    assert panel.isVisible()
    scales = {round(plot.pixel_m, 6) for plot in panel.plots.values()}
    scales |= {round(float(plot._area.viewPixelSize()[1]), 6) for plot in panel.plots.values()}
    assert len(scales) == 1
    above = panel.plots["above"]
    assert "x →" in above.heading.text()
    xs, ys = above.lines["forward"].getData()
    assert (xs[0], ys[0]) == (0, 0)
    assert above.lines["forward"].opts["pen"].color() == kind_colour("forward")
    # The second flight is 8 m to the left, thin and with its name.
    assert set(above.others.getData()[1][: FRAMES // 2]) == {8.0}
    assert [name.toPlainText() for name in above.names] == ["UAV2"]
    assert panel.legend.kinds == ("forward", "up_down", "turn")
    person.at_stage("E")
    assert person.editor.model.current is not None
    assert person.editor.model.current.view == "UAV2"
    assert [name.toPlainText() for name in above.names] == ["UAV1"]


def test_plot_when_the_playhead_moves_then_marker_heading_and_numbers_follow(person: FlightPerson) -> None:
    panel = person.editor.panel
    person.seek(21)
    for side, across, up in (("above", 7.0, 0.0), ("front", 7.0, 1.0), ("side", 0.0, 1.0)):
        xs, ys = panel.plots[side].marker.getData()  # type: ignore[index]
        assert (xs[0], ys[0]) == pytest.approx((across, up))
    xs, ys = panel.plots["above"].beam.getData()
    assert xs[1] > xs[0]
    assert ys[1] == ys[0]
    assert panel.pose.text() == "pose 21 of 60"
    assert panel.place.text() == "7.0 0.0 1.0 m 0°"
    person.seek(59)
    xs, ys = panel.plots["above"].beam.getData()
    assert ys[1] > ys[0]
    assert xs[1] == pytest.approx(xs[0])
    assert len(panel.plots["above"].other_markers.getData()[0]) == 1


@pytest.mark.parametrize("side", ["above", "front", "side"])
def test_plot_when_a_pose_is_clicked_then_the_video_shows_its_frame(person: FlightPerson, side: str) -> None:
    plot = person.editor.panel.plots[side]  # type: ignore[index]
    for pose in (45, 55):
        person.click_pose(plot, pose)
        # From the side, some poses are nearer to each other than a pixel.
        assert person.frame == pytest.approx(pose, abs=1)
        assert person.editor.model.pose() == person.frame


def test_plot_when_double_clicked_and_dragged_then_key_frames_change_by_one_undo_step_each(
    person: FlightPerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    # pyqtgraph drops moves in quick succession, which those of a test are.
    monkeypatch.setitem(pyqtgraph.CONFIG_OPTIONS, "mouseRateLimit", 0)
    plot = person.editor.panel.plots["above"]
    person.click_pose(plot, 15, is_double=True)
    assert person.flight().key_frames == (0, 15, 29, 59)
    person.drag_pose(plot, 15, to=20)
    assert person.flight().key_frames == (0, 20, 29, 59)
    # It stops at its neighbour.
    person.drag_pose(plot, 20, to=50)
    assert person.flight().key_frames == (0, 28, 29, 59)
    person.click_pose(plot, 28, is_double=True)
    assert person.flight().key_frames == (0, 29, 59)
    for expected in ((0, 28, 29, 59), (0, 20, 29, 59), (0, 15, 29, 59), (0, 29, 59)):
        person.window.controller.undo()
        person.settle()
        assert person.flight().key_frames == expected
    xs, _ = plot.key_frames.getData()
    assert len(xs) == 3


def test_plot_when_its_key_is_pressed_then_it_is_hidden_and_stays_so(person: FlightPerson) -> None:
    panel = person.editor.panel
    person.at_stage("Shift+W")
    assert not panel.isVisible()
    person.at_stage("PgDown", "PgUp")
    assert not panel.isVisible()
    person.at_stage("Shift+W")
    assert panel.isVisible()
    person.seek(30)
    assert panel.pose.text() == "pose 30 of 60"


def test_plot_when_the_scene_has_no_poses_then_it_gives_no_room_and_says_why_on_request(
    person: FlightPerson,
) -> None:
    panel = person.editor.panel
    person.at_stage("PgDown")
    assert not panel.isVisible()
    person.at_stage("Shift+W")
    assert panel.isVisible()
    assert "no poses of a moving camera" in panel.empty.text()
    assert "Shift+W hides this panel." in panel.empty.text()
    # Keys of key frames have no flight to change.
    person.at_stage("Shift+G", "PgUp")
    assert person.flight().key_frames == (0, 29, 59)
    assert panel.isVisible()
    person.at_stage("PgDown")
    assert not panel.isVisible()


def test_plot_when_the_window_is_narrow_then_stage_and_plot_share_it(person: FlightPerson) -> None:
    person.window.resize(1280, 720)
    person.settle()
    panel = person.editor.panel
    assert 200 <= panel.width() <= 300
    assert person.annotate.stage.width() > 2 * panel.width()
    assert all(plot.area_px.height() > 60 for plot in panel.plots.values())
