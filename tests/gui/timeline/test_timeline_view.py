from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.gui.timeline.conftest import FPS, FRAMES, LEFT, Hall, make_scene, usual_marks
from widgets import theme
from widgets.timeline.lane_painter import NAME_PX, RULER_PX, flag_rects
from widgets.timeline.lanes import lanes_of

ALT, SHIFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier
CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | SHIFT


@pytest.fixture
def one(hall: Hall, video_file: Path) -> Hall:
    hall.show_scene(make_scene(video_file))
    return hall


@pytest.fixture
def two(hall: Hall, video_file: Path) -> Hall:
    hall.show_scene(make_scene(video_file, views=2, offsets=(0.0, 0.5)))
    return hall


def has_ink(hall: Hall, x: int, *, token: str, top: int = 0, bottom: int = 10_000) -> bool:
    """Tell whether a column of what is painted holds a colour of the theme."""
    image = hall.timeline_view.grab().toImage()
    ink = QColor(theme.current().color(token)).rgb()
    return any(image.pixel(x, y) == ink for y in range(top, min(bottom, image.height())))


def head_x(hall: Hall) -> int:
    """Return where the playhead is painted, by the ink at the upper edge."""
    image = hall.timeline_view.grab().toImage()
    ink = QColor(theme.current().color("text")).rgb()
    (*xs,) = (x for x in range(image.width()) if image.pixel(x, image.height() - 2) == ink)
    assert len(xs) == 1
    return xs[0]


def test_timeline_when_no_video_is_shown_then_is_not_there(hall: Hall, video_file: Path) -> None:
    assert hall.timeline.isHidden()
    hall.show_scene(make_scene(video_file))
    assert hall.timeline.isVisible()
    hall.show_scene(None)
    assert hall.timeline.isHidden()


def test_ruler_when_clicked_then_the_exact_frame_is_painted_and_the_head_is_there(one: Hall) -> None:
    at = one.at(2.02, lane=-1)
    one.drag(at, at)
    assert one.painted == int(one.timeline_view.time_at(at.x()) * FPS)
    assert abs(head_x(one) - at.x()) <= 1
    assert one.bar.frame.text() == f"frame {one.painted} / {FRAMES}"
    assert one.bar.time.text() == f"00:0{one.painted / FPS:.3f}"


def test_strip_when_dragged_then_scrubs_and_ends_on_the_exact_frame(one: Hall) -> None:
    begin, end = one.at(0.2), one.at(3.1)
    one.press(begin)
    one.move(end)
    assert one.player.time_s == pytest.approx(one.timeline_view.time_at(end.x()))
    one.release(end)
    one.settle()
    assert one.painted == one.timeline_view.lanes[0].number_at(one.timeline_view.time_at(end.x())) == 77


def test_strip_when_a_scrub_is_given_up_then_goes_back(one: Hall) -> None:
    one.player.seek(1.0)
    one.press(one.at(0.2))
    one.move(one.at(3.1))
    one.key(Qt.Key.Key_Escape)
    assert one.painted == 25


def test_strip_when_scrubbed_beyond_its_edges_then_stays_within_the_clock(one: Hall) -> None:
    one.press(one.at(1.0))
    one.move(QPoint(-500, 30))
    assert one.player.time_s == 0.0
    one.move(QPoint(5000, 30))
    assert one.player.time_s == one.player.span.last_s
    one.release(QPoint(5000, 30))
    one.settle()
    assert one.painted == FRAMES - 1


def test_wheel_when_turned_then_zooms_at_the_pointer_and_the_zoom_is_kept(
    one: Hall, video_file: Path
) -> None:
    at = one.at(3.0)
    moment_s = one.timeline_view.time_at(at.x())
    one.wheel(at, notches=5)
    zoom = one.timeline_view.scale.zoom
    assert zoom == pytest.approx(1.25**5)
    assert one.timeline_view.time_at(at.x()) == pytest.approx(moment_s)
    one.show_scene(None)
    one.show_scene(make_scene(video_file))
    assert one.timeline_view.scale.zoom == pytest.approx(zoom, abs=0.01)


def test_wheel_when_turned_with_shift_then_pans(one: Hall) -> None:
    one.wheel(one.at(0.0), notches=5)
    left_s = one.timeline_view.scale.left_s
    one.wheel(one.at(0.5), notches=-2, keys=SHIFT)
    assert one.timeline_view.scale.left_s > left_s
    one.wheel(one.at(0.9), notches=2, keys=SHIFT)
    assert one.timeline_view.scale.left_s == pytest.approx(left_s)


def test_middle_button_when_dragged_then_the_moment_under_it_goes_along(one: Hall) -> None:
    one.wheel(one.at(1.8), notches=5)
    begin = one.at(1.8)
    moment_s = one.timeline_view.scale.time_at(begin.x() - NAME_PX)
    QTest.mousePress(one.timeline_view, Qt.MouseButton.MiddleButton, pos=begin)
    one.move(begin - QPoint(100, 0))
    assert one.timeline_view.scale.time_at(begin.x() - 100 - NAME_PX) == pytest.approx(moment_s)
    QTest.mouseRelease(one.timeline_view, Qt.MouseButton.MiddleButton, pos=begin - QPoint(100, 0))
    assert one.player.time_s == 0.0


def test_marks_when_set_by_keys_then_are_painted_and_can_be_dragged(one: Hall) -> None:
    one.player.seek(1.0)
    one.key(Qt.Key.Key_I)
    one.player.seek(2.0)
    one.key(Qt.Key.Key_O)
    assert (one.player.in_s, one.player.out_s) == (1.0, 2.0)
    assert one.bar.marks.text() == "00:01.000 – 00:02.000 · frames 25 – 50 · 1.04 s"
    assert has_ink(one, one.at(1.0).x(), token="text", top=RULER_PX - 10, bottom=RULER_PX - 6)
    one.drag(one.at(1.0, lane=-1), one.at(1.52, lane=-1))
    assert one.player.in_s == pytest.approx(1.52)
    # Never past the other one.
    one.drag(one.at(1.52, lane=-1), one.at(3.0, lane=-1))
    assert one.player.in_s == pytest.approx(1.52)


def test_marks_when_a_drag_is_given_up_then_are_where_they_were(one: Hall) -> None:
    one.player.set_marks(1.0, out_s=2.0)
    one.press(one.at(2.0, lane=-1))
    one.move(one.at(3.0, lane=-1))
    assert one.player.out_s == pytest.approx(3.0)
    one.key(Qt.Key.Key_Escape)
    assert (one.player.in_s, one.player.out_s) == (1.0, 2.0)


def test_segment_when_clicked_then_is_marked_and_when_clicked_twice_then_loops(one: Hall) -> None:
    (geometry,) = one.timeline_view.lane_geometries()
    first, second = geometry.lane.segments
    top, height = geometry.band(second)
    at = QPoint(one.at(2.5).x(), round(top + height / 2))
    one.drag(at, at)
    assert (one.player.in_s, one.player.out_s) == (second.first_s, second.last_s)
    assert not one.player.is_looping
    QTest.mouseDClick(one.timeline_view, LEFT, pos=QPoint(one.at(0.5).x(), at.y()))
    assert (one.player.in_s, one.player.out_s) == (first.first_s, first.last_s)
    assert one.player.is_looping
    assert one.bar.buttons["video.loop"].isChecked()


def test_words_when_the_pointer_rests_then_name_segments_flags_and_marks(one: Hall) -> None:
    (geometry,) = one.timeline_view.lane_geometries()
    top, height = geometry.band(geometry.lane.segments[0])
    band = QPoint(one.at(0.5).x(), round(top + height / 2))
    hits = one.timeline_view.hits
    assert hits.tool_tip(band.toPointF()).startswith("forward")
    assert hits.tool_tip(one.at(2.02).toPointF()) == "frame 50  ·  1 annotation"
    assert hits.tool_tip(one.at(1.02).toPointF()) == "frame 25"
    flag, whole = (
        rect.center() for _, rect in sorted(flag_rects(geometry, one.timeline_view.scale), key=key_of)
    )
    assert "Torn." in hits.tool_tip(flag)
    assert "Other bytes." in hits.tool_tip(whole)


def key_of(found: tuple) -> bool:
    return found[0].number is None


def test_flag_when_clicked_then_its_frame_is_shown(one: Hall) -> None:
    (geometry,) = one.timeline_view.lane_geometries()
    rect = next(rect for flag, rect in flag_rects(geometry, one.timeline_view.scale) if flag.number == 60)
    at = rect.center().toPoint()
    assert has_ink(one, at.x(), token="warn", top=geometry.top, bottom=geometry.top + 9)
    one.drag(at, at)
    assert one.painted == 60


def test_lane_when_dragged_by_its_name_then_the_view_is_shifted_and_one_shift_is_told(two: Hall) -> None:
    two.player.seek(1.0)
    two.settle()
    px = round(0.4 * two.timeline_view.scale.px_per_s)
    begin = two.name_at(1)
    two.press(begin)
    two.move(begin + QPoint(px // 2, 0))
    assert two.player.videos[1].offset_s == pytest.approx(0.7, abs=0.01)
    assert two.shifts == []
    two.move(begin + QPoint(px, 0))
    two.release(begin + QPoint(px, 0))
    two.settle()
    ((view, offset_s),) = two.shifts
    assert (view, offset_s) == ("UAV2", pytest.approx(0.9, abs=0.01))
    assert two.player.videos[1].offset_s == offset_s
    assert [video.painted for video in two.player.videos] == [25, int((1.0 - offset_s) * FPS)]


def test_lane_when_dragged_with_alt_then_is_shifted_and_escape_puts_it_back(two: Hall) -> None:
    two.press(two.at(1.5, lane=1), keys=ALT)
    two.move(two.at(2.5, lane=1))
    assert two.player.videos[1].offset_s == pytest.approx(1.5, abs=0.01)
    two.key(Qt.Key.Key_Escape)
    assert two.player.videos[1].offset_s == 0.5
    two.release(two.at(2.5, lane=1))
    assert two.shifts == []


def test_name_when_clicked_only_then_nothing_is_shifted(two: Hall) -> None:
    two.drag(two.name_at(1), two.name_at(1) + QPoint(2, 0))
    assert two.shifts == []
    assert two.player.videos[1].offset_s == 0.5
    assert two.timeline_view.chosen == 1


def test_clock_when_views_are_shifted_then_the_strip_reaches_from_the_first_to_the_last(two: Hall) -> None:
    assert (two.timeline_view.scale.first_s, two.timeline_view.scale.last_s) == (0.0, 0.5 + FRAMES / FPS)
    first, second = two.timeline_view.lane_geometries()
    bg = theme.current().color("bg").rgb()
    image = two.timeline_view.grab().toImage()
    x = NAME_PX + round(two.timeline_view.scale.x_of(0.25))
    assert image.pixel(x, second.top + 8) == bg
    assert image.pixel(x, first.top + 8) != bg


def test_keys_when_the_strip_has_the_keyboard_then_step_zoom_and_shift(two: Hall) -> None:
    key = Qt.Key
    two.key(key.Key_Right)
    assert two.painted == 1
    two.key(key.Key_Right, SHIFT)
    assert two.painted == 11
    two.key(key.Key_Left)
    assert two.painted == 10
    two.key(key.Key_End)
    assert two.painted == FRAMES - 1
    two.key(key.Key_Home)
    assert two.painted == 0
    two.key(key.Key_Plus)
    assert two.timeline_view.scale.zoom == pytest.approx(1.5)
    two.key(key.Key_F)
    assert two.timeline_view.scale.zoom == 1.0
    two.key(key.Key_Down)
    two.key(key.Key_Right, CTRL_SHIFT)
    assert two.shifts == [("UAV2", 0.54)]


def test_keys_when_zooming_in_then_the_moment_of_the_playhead_stays(one: Hall) -> None:
    one.player.seek(2.0)
    x = one.timeline_view.scale.x_of(2.0)
    one.key(Qt.Key.Key_Plus)
    assert one.timeline_view.scale.x_of(2.0) == pytest.approx(x)


def test_offset_when_typed_in_frames_then_is_told_in_seconds(two: Hall) -> None:
    QTest.mouseDClick(two.timeline_view, LEFT, pos=two.name_at(1))
    field = two.timeline.asked
    assert field is not None
    assert field.field.text() == "0.500"
    field.field.setText("-3 f")
    QTest.keyClick(field.field, Qt.Key.Key_Return)
    assert two.shifts == [("UAV2", -0.12)]


def test_offset_when_no_number_is_typed_then_nothing_happens_until_it_is_one(two: Hall) -> None:
    two.key(Qt.Key.Key_Return)
    field = two.timeline.asked
    assert field is not None
    QTest.keyClicks(field.field, "soon")
    QTest.keyClick(field.field, Qt.Key.Key_Return)
    assert "−0.120" in field.message.text()
    QTest.keyClick(field.field, Qt.Key.Key_Escape)
    assert two.shifts == []
    assert two.timeline.asked is None
    assert two.timeline_view.hasFocus()


def test_player_when_it_plays_past_the_edge_then_the_strip_turns_its_page(one: Hall) -> None:
    one.wheel(one.at(0.0), notches=6)
    right_s = one.timeline_view.scale.right_s
    one.player.seek(right_s - 0.1)
    one.player.play_or_pause()
    one.qtbot.waitUntil(lambda: one.player.time_s > right_s + 0.05)
    assert one.bar.speed.text() == "1×"
    one.player.pause()
    one.timeline_view.follow_player()
    assert one.timeline_view.scale.left_s > 0
    assert 0 <= one.timeline_view.scale.x_of(one.player.time_s) <= one.timeline_view.scale.width_px


def test_buffered_when_frames_are_ready_then_a_line_shows_them(one: Hall) -> None:
    one.qtbot.waitUntil(lambda: not one.player.videos[0].is_busy())
    one.timeline_view.refresh_buffered()
    (geometry,) = one.timeline_view.lane_geometries()
    ((_, last),) = one.player.videos[0].buffered()
    assert last > 10
    ready = {
        n: has_ink(one, one.at((n + 0.5) / FPS).x(), token="text_dim", top=geometry.bottom - 4)
        for n in range(FRAMES)
    }
    assert [n for n, is_ready in ready.items() if is_ready] == [*range(last + 1)]


def test_pictures_when_they_come_then_are_painted_and_found_on_the_disk_again(
    one: Hall, video_file: Path
) -> None:
    one.qtbot.settle(one.timeline.is_settled)
    (geometry,) = one.timeline_view.lane_geometries()
    image = one.timeline_view.grab().toImage()
    rows = [image.pixel(x, geometry.top + 12) for x in range(NAME_PX + 4, image.width() - 8, 7)]
    assert len(set(rows)) > 40


def test_height_when_there_is_little_room_then_only_the_front_lane_is_shown(two: Hall) -> None:
    two.timeline.take_room(640)
    assert [geometry.lane.view for geometry in two.timeline_view.lane_geometries()] == ["UAV1"]
    two.stage.canvases[1].setFocus()
    assert [geometry.lane.view for geometry in two.timeline_view.lane_geometries()] == ["UAV2"]
    low = two.timeline_view.height()
    two.timeline.take_room(900)
    two.settle()
    assert len(two.timeline_view.lane_geometries()) == 2
    assert two.timeline_view.height() > low


def test_height_when_the_edge_is_dragged_then_lanes_grow_and_it_is_kept(two: Hall, video_file: Path) -> None:
    grip, before = two.timeline.grip, two.timeline_view.height()
    QTest.mousePress(grip, LEFT, pos=QPoint(50, 2))
    QTest.mouseMove(grip, QPoint(50, -38))
    QTest.mouseRelease(grip, LEFT, pos=QPoint(50, -38))
    two.settle()
    assert two.timeline_view.height() == before + 40
    two.show_scene(None)
    two.show_scene(make_scene(video_file, views=2))
    assert two.timeline_view.height() == before + 40


def test_front_when_another_view_gets_the_keyboard_then_its_frames_are_counted(two: Hall) -> None:
    two.stage.canvases[0].setFocus()
    two.player.seek(2.0)
    two.settle()
    assert two.bar.frame.text() == "frame 50 / 90"
    two.stage.canvases[1].setFocus()
    assert two.timeline_view.front is two.timeline_view.lanes[1]
    assert two.bar.frame.text() == "frame 37 / 90"
    assert two.bar.time.text() == "00:01.480"


@pytest.mark.parametrize("views", [4, 6])
def test_height_when_there_are_many_views_then_lanes_are_compact(
    hall: Hall, video_file: Path, views: int
) -> None:
    hall.show_scene(make_scene(video_file, views=views))
    positions = hall.timeline_view.lane_geometries()
    assert [geometry.height for geometry in positions] == [28] * views
    assert hall.timeline.height() < 0.34 * hall.height()


def test_lanes_when_only_an_offset_changed_then_what_they_know_is_not_read_again(
    hall: Hall, video_file: Path
) -> None:
    shown = make_scene(video_file, views=2)
    hall.show_scene(shown)
    before = hall.timeline_view.lanes
    hall.player.place(hall.player.videos[1], offset_s=0.2)
    after = lanes_of(shown, hall.player.videos, before=before)
    assert after[0] is before[0]
    assert after[1].counts is before[1].counts
    assert after[1].offset_s == 0.2


def test_marks_when_the_scene_has_others_then_the_lane_shows_them(hall: Hall, video_file: Path) -> None:
    hall.show_scene(make_scene(video_file))
    (lane,) = hall.timeline_view.lanes
    assert (lane.marked.tolist(), lane.counts.tolist()) == ([0, 50], [2, 1])
    hall.show_scene(make_scene(video_file, marks=type(usual_marks())()))
    assert hall.timeline_view.lanes[0].marked.tolist() == []


def test_flags_when_they_are_on_the_scene_then_only_the_first_lane_tells_them(two: Hall) -> None:
    assert [len(lane.flags) for lane in two.timeline_view.lanes] == [2, 0]


def test_buttons_when_clicked_then_play_and_step_and_name_their_keys(one: Hall) -> None:
    bar = one.bar
    assert bar.buttons["video.play"].toolTip() == "Play or pause  Space"
    QTest.mouseClick(bar.buttons["video.next"], LEFT)
    one.settle()
    assert one.painted == 1
    QTest.mouseClick(bar.buttons["video.last"], LEFT)
    one.settle()
    assert one.painted == FRAMES - 1
    QTest.mouseClick(bar.buttons["video.loop"], LEFT)
    assert one.player.is_looping


@pytest.fixture
def low(two: Hall) -> Hall:
    """Two videos in a window that has room for one lane."""
    two.resize(1000, 600)
    two.timeline.take_room(600)
    QApplication.processEvents()
    return two


def shown_views(hall: Hall) -> list[str]:
    return [geometry.lane.view for geometry in hall.timeline_view.lane_geometries()]


def test_low_strip_when_there_are_more_lanes_then_says_so(low: Hall) -> None:
    assert shown_views(low) == ["UAV1"]
    assert low.timeline_view.sign.lane_index == 0
    assert (
        low.timeline_view.hits.tool_tip(QPointF(20, 8))
        == "Only one lane fits here. Press Up or Down to show the others."
    )
    room = QRect(0, 0, NAME_PX, RULER_PX - 1)
    said = low.timeline_view.grab(room).toImage()
    low.key(Qt.Key.Key_Down)
    low.stage.setFocus()
    other = low.timeline_view.grab(room).toImage()
    assert other != said
    low.timeline.take_room(900)
    QApplication.processEvents()
    assert low.timeline_view.sign.lane_index is None
    assert low.timeline_view.hits.tool_tip(QPointF(20, 8)) == ""
    nothing = low.timeline_view.grab(room).toImage()
    corner = QColor(nothing.pixel(2, 2)).rgb()
    assert all(nothing.pixel(x, y) == corner for x in range(NAME_PX) for y in range(RULER_PX - 2))


def test_low_strip_when_a_key_goes_to_the_next_lane_then_its_view_comes_forward_and_keeps_the_strips_keys(
    low: Hall,
) -> None:
    low.timeline_view.setFocus()
    for key, view in ((Qt.Key.Key_Down, "UAV2"), (Qt.Key.Key_Down, "UAV1"), (Qt.Key.Key_Up, "UAV2")):
        low.key(key)
        assert shown_views(low) == [view]
        assert low.stage.front is not None
        assert low.stage.front.shown.view == view
        assert low.bar.front is low.stage.front.video
        assert low.timeline_view.hasFocus()
    # What is shifted by keys is the lane that is seen.
    low.key(Qt.Key.Key_Right, CTRL_SHIFT)
    assert low.shifts == [("UAV2", pytest.approx(0.5 + 1 / FPS))]


def test_low_strip_when_its_sign_is_clicked_or_turned_then_shows_another_lane(low: Hall) -> None:
    low.press(QPoint(20, 8))
    low.release(QPoint(20, 8))
    assert shown_views(low) == ["UAV2"]
    zoom = low.timeline_view.scale.zoom
    low.wheel(QPoint(20, 8), notches=1)
    assert shown_views(low) == ["UAV1"]
    low.wheel(QPoint(20, 8), notches=-1)
    assert shown_views(low) == ["UAV2"]
    assert low.timeline_view.scale.zoom == zoom


def test_low_strip_when_one_view_is_large_then_the_large_one_goes_with_the_lane(low: Hall) -> None:
    low.stage.toggle_large()
    low.key(Qt.Key.Key_Down)
    assert low.stage.large is low.stage.canvases[1]
    assert [canvas.isVisible() for canvas in low.stage.canvases] == [False, True]
