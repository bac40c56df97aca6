from __future__ import annotations

from dataclasses import replace

import msgspec
import pyqtgraph
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.gui.annotate.flight_person import FPS, FRAMES, FlightPerson
from widgets import theme
from widgets.annotate.trajectory_colours import kind_colour
from widgets.timeline.lane_painter import NAME_PX
from widgets.timeline.lanes import segment_text


def test_plot_when_a_scene_has_flights_then_three_views_have_one_scale_and_the_front_one_is_coloured(
    flight_person: FlightPerson,
) -> None:
    panel = flight_person.editor.panel
    assert panel.isVisible()
    scales = {round(plot.pixel_m, 6) for plot in panel.flights.plots.values()}
    scales |= {round(float(plot._area.viewPixelSize()[1]), 6) for plot in panel.flights.plots.values()}
    assert len(scales) == 1
    above = panel.flights.plots["above"]
    assert "x →" in above.heading.text()
    xs, ys = above.lines["forward"].getData()
    assert (xs[0], ys[0]) == (0, 0)
    assert above.lines["forward"].opts["pen"].color() == kind_colour("forward")
    # The second flight is 8 m to the left, thin and with its name.
    assert set(above.others.getData()[1][: FRAMES // 2]) == {8.0}
    assert [name.toPlainText() for name in above.names] == ["UAV2"]
    assert panel.flights.legend.kinds == ("forward", "up_down", "turn")
    flight_person.at_stage("E")
    assert flight_person.editor.model.current is not None
    assert flight_person.editor.model.current.view == "UAV2"
    assert [name.toPlainText() for name in above.names] == ["UAV1"]


def test_plot_when_the_playhead_moves_then_marker_heading_and_numbers_follow(
    flight_person: FlightPerson,
) -> None:
    panel = flight_person.editor.panel
    flight_person.seek(21)
    for side, across, up in (("above", 7.0, 0.0), ("front", 7.0, 1.0), ("side", 0.0, 1.0)):
        xs, ys = panel.flights.plots[side].marker.getData()  # type: ignore[index]
        assert (xs[0], ys[0]) == pytest.approx((across, up))
    xs, ys = panel.flights.plots["above"].beam.getData()
    assert xs[1] > xs[0]
    assert ys[1] == ys[0]
    assert panel.flights.pose.text() == "pose 21 of 60"
    assert panel.flights.position_label.text() == "7.0 0.0 1.0 m 0°"
    flight_person.seek(59)
    xs, ys = panel.flights.plots["above"].beam.getData()
    assert ys[1] > ys[0]
    assert xs[1] == pytest.approx(xs[0])
    assert len(panel.flights.plots["above"].other_markers.getData()[0]) == 1


def test_plot_when_a_video_is_shifted_on_the_clock_then_its_poses_go_with_its_frames(
    flight_person: FlightPerson,
) -> None:
    player = flight_person.annotate.stage.player
    player.place(player.videos[0], offset_s=0.4)
    flight_person.seek(30)
    assert flight_person.frame == 20
    assert flight_person.editor.panel.flights.pose.text() == "pose 20 of 60"
    flight_person.click_pose(flight_person.editor.panel.flights.plots["above"], 45)
    assert flight_person.frame == 45


def test_key_frame_when_it_is_undone_by_the_key_then_nothing_is_asked(flight_person: FlightPerson) -> None:
    flight_person.click_pose(flight_person.editor.panel.flights.plots["above"], 15, is_double=True)
    assert flight_person.flight().key_frames == (0, 15, 29, 59)
    flight_person.at_stage("Ctrl+Z")
    assert flight_person.flight().key_frames == (0, 29, 59)


def test_plot_when_the_theme_changes_then_its_lines_have_the_colours_of_the_new_one(
    flight_person: FlightPerson,
) -> None:
    before = theme.current().name
    theme.apply("light" if before == "dark" else "dark")
    flight_person.settle()
    plot = flight_person.editor.panel.flights.plots["above"]
    assert theme.current().name != before
    assert plot.lines["turn"].opts["pen"].color() == kind_colour("turn")
    theme.apply(before)


def test_model_when_another_scene_is_shown_then_its_flights_are_edited_only_once_they_are_read(
    flight_person: FlightPerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, stage = flight_person.editor.model, flight_person.annotate.stage
    assert model.current is not None
    shown = stage.shown
    assert shown is not None
    monkeypatch.setattr(stage, "shown", replace(shown, scene=msgspec.structs.replace(shown.scene, id="x")))
    assert model.current is None
    assert model.pose() is None


@pytest.mark.parametrize("side", ["above", "front", "side"])
def test_plot_when_a_pose_is_clicked_then_the_video_shows_its_frame(
    flight_person: FlightPerson, side: str
) -> None:
    plot = flight_person.editor.panel.flights.plots[side]  # type: ignore[index]
    for pose in (45, 55):
        flight_person.click_pose(plot, pose)
        # From the side, some poses are nearer to each other than a pixel.
        assert flight_person.frame == pytest.approx(pose, abs=1)
        assert flight_person.editor.model.pose() == flight_person.frame


def test_plot_when_double_clicked_and_dragged_then_key_frames_change_by_one_undo_step_each(
    flight_person: FlightPerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    # pyqtgraph drops moves in quick succession, which those of a test are.
    monkeypatch.setitem(pyqtgraph.CONFIG_OPTIONS, "mouseRateLimit", 0)
    plot = flight_person.editor.panel.flights.plots["above"]
    flight_person.click_pose(plot, 15, is_double=True)
    assert flight_person.flight().key_frames == (0, 15, 29, 59)
    flight_person.drag_pose(plot, 15, to=20)
    assert flight_person.flight().key_frames == (0, 20, 29, 59)
    # It stops at its neighbour.
    flight_person.drag_pose(plot, 20, to=50)
    assert flight_person.flight().key_frames == (0, 28, 29, 59)
    flight_person.click_pose(plot, 28, is_double=True)
    assert flight_person.flight().key_frames == (0, 29, 59)
    for expected in ((0, 28, 29, 59), (0, 20, 29, 59), (0, 15, 29, 59), (0, 29, 59)):
        flight_person.window.controller.undo()
        flight_person.settle()
        assert flight_person.flight().key_frames == expected
    xs, _ = plot.key_frames.getData()
    assert len(xs) == 3


def test_plot_when_its_key_is_pressed_then_it_is_hidden_and_stays_so(flight_person: FlightPerson) -> None:
    panel = flight_person.editor.panel
    flight_person.at_stage("Shift+W")
    assert not panel.isVisible()
    flight_person.at_stage("PgDown", "PgUp")
    assert not panel.isVisible()
    flight_person.at_stage("Shift+W")
    assert panel.isVisible()
    flight_person.seek(30)
    assert panel.flights.pose.text() == "pose 30 of 60"


def test_plot_when_the_scene_has_no_poses_then_it_gives_no_room_and_says_why_on_request(
    flight_person: FlightPerson,
) -> None:
    panel = flight_person.editor.panel
    flight_person.at_stage("PgDown")
    assert not panel.isVisible()
    flight_person.at_stage("Shift+W")
    assert panel.isVisible()
    assert "no poses of a moving camera" in panel.empty.text()
    assert "Shift+W hides this panel." in panel.empty.text()
    # Keys of key frames have no flight to change.
    flight_person.at_stage("Shift+G", "PgUp")
    assert flight_person.flight().key_frames == (0, 29, 59)
    assert panel.isVisible()
    flight_person.at_stage("PgDown")
    assert not panel.isVisible()


def test_plot_when_the_window_is_narrow_then_stage_and_plot_share_it(flight_person: FlightPerson) -> None:
    flight_person.window.resize(1280, 720)
    flight_person.settle()
    panel = flight_person.editor.panel
    assert 200 <= panel.width() <= 300
    assert flight_person.annotate.stage.width() > 2 * panel.width()
    assert all(plot.area_px.height() > 60 for plot in panel.flights.plots.values())


def test_plot_when_the_window_changed_while_a_scene_without_poses_was_shown_then_it_follows_as_before(
    flight_person: FlightPerson,
) -> None:
    flight_person.at_stage("PgDown")
    flight_person.window.resize(1300, 800)
    flight_person.settle()
    flight_person.at_stage("PgUp")
    flight_person.seek(20)
    plots = flight_person.editor.panel.flights
    assert plots.isVisible()
    assert plots.pose.text() == "pose 20 of 60"
    xs, ys = plots.plots["above"].marker.getData()
    assert (xs[0], ys[0]) == pytest.approx((20 / 3, 0))
    assert len({round(plot.pixel_m, 6) for plot in plots.plots.values()}) == 1


def test_timeline_when_a_key_frame_is_dragged_then_it_moves_by_one_undo_step_and_the_video_shows_where(
    flight_person: FlightPerson,
) -> None:
    view = flight_person.annotate.timeline.timeline_view
    lane = view.lane_geometries()[0]
    assert [segment_text(segment) for segment in lane.lane.segments] == [
        "Forward",
        "Forward · Up or down · Turn",
    ]
    begin, end = _band_point(flight_person, 29), _band_point(flight_person, 41)
    QTest.mouseMove(view, begin)
    assert view.cursor().shape() == Qt.CursorShape.SizeHorCursor
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=begin)
    QTest.mouseMove(view, (begin + end) / 2)
    QTest.mouseMove(view, end)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)
    flight_person.settle()
    assert flight_person.frame == 41
    assert flight_person.flight().key_frames == (0, 41, 59)
    flight_person.undo()
    assert flight_person.flight().key_frames == (0, 29, 59)
    # A click shows the frame of the key frame, and does not move it.
    begin = _band_point(flight_person, 29)
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=begin)
    flight_person.settle()
    assert flight_person.frame == 29
    assert flight_person.flight().key_frames == (0, 29, 59)
    # Esc gives the drag up.
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=begin)
    QTest.mouseMove(view, end)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Escape)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)
    flight_person.settle()
    assert flight_person.frame == 29
    assert flight_person.flight().key_frames == (0, 29, 59)


def _band_point(person: FlightPerson, frame: int) -> QPoint:
    """Return the place of a frame in the lower band of the first lane."""
    view = person.annotate.timeline.timeline_view
    geometry = view.lane_geometries()[0]
    top, height = geometry.band(geometry.lane.segments[0])
    return QPoint(round(NAME_PX + view.scale.x_of(frame / FPS + 0.002)), round(top + height / 2))
