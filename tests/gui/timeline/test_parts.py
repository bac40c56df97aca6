from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from annotator.media.video.video import Video
from tests.gui.timeline.conftest import FPS, FRAMES, Hall, make_scene
from widgets.timeline.lane_painter import LaneGeometry, columns_of, offset_text, tiles
from widgets.timeline.lanes import TimelineLane, lane_name, lanes_of, segment_text
from widgets.timeline.offset_field import read_offset
from widgets.timeline.playback_bar import speed_text
from widgets.timeline.time_scale import TimeScale, scale_for


@pytest.fixture
def lane(hall: Hall, video_file: Path) -> TimelineLane:
    hall.show_scene(make_scene(video_file))
    return hall.timeline_view.lanes[0]


def whole(lane: TimelineLane, width_px: int) -> TimeScale:
    return scale_for(lane.first_s, lane.last_s, width_px=width_px, most_px_per_s=1e5)


@pytest.mark.parametrize(
    ("text", "offset_s"),
    [
        ("0.12", 0.12),
        (" +1.5 s ", 1.5),
        ("−0,25", -0.25),
        ("3 f", 0.12),
        ("-50F", -2.0),
        (".5", 0.5),
        ("", None),
        ("1e3", None),
        ("soon", None),
        ("90000", None),
        ("nan", None),
    ],
)
def test_read_offset_when_typed_then_is_seconds_or_nothing(text: str, offset_s: float | None) -> None:
    found = read_offset(text, fps=25.0)
    assert found == (pytest.approx(offset_s) if offset_s is not None else None)


@pytest.mark.parametrize(("speed", "message"), [(1.0, "1×"), (-2.0, "−2×"), (0.25, "0.25×"), (-0.1, "−0.1×")])
def test_speed_text_when_read_then_have_no_empty_digits(speed: float, message: str) -> None:
    assert speed_text(speed) == message


def test_offset_text_when_read_then_have_a_sign() -> None:
    assert (offset_text(0.12), offset_text(-1.5)) == ("+0.120 s", "−1.500 s")


def test_tiles_when_the_whole_video_is_seen_then_cover_it_without_gaps(lane: TimelineLane) -> None:
    geometry = LaneGeometry(lane=lane, top=22, height=52)
    found = tiles(geometry, whole(lane, 900))
    edges = [(tile.rect.left(), tile.rect.right()) for tile in found]
    assert edges[0][0] == 92
    assert edges[-1][1] == pytest.approx(992)
    assert all(before[1] == pytest.approx(after[0]) for before, after in pairwise(edges))


def test_tiles_when_frames_are_chosen_then_key_frames_are_taken_where_they_are_near(
    lane: TimelineLane,
) -> None:
    geometry = LaneGeometry(lane=lane, top=22, height=52)
    numbers = [tile.shot.number for tile in tiles(geometry, whole(lane, 160))]
    assert set(numbers) <= set(lane.video.key_frames.tolist())
    fine = [tile.shot.number for tile in tiles(geometry, whole(lane, 8000))]
    assert fine == sorted(fine)
    assert len(set(fine)) > 60


def test_tiles_when_zoomed_step_by_step_then_the_same_pictures_serve(lane: TimelineLane) -> None:
    geometry = LaneGeometry(lane=lane, top=22, height=52)
    scale = whole(lane, 900)
    first = {tile.shot for tile in tiles(geometry, scale)}
    needed = {
        tile.shot for step in range(30) for tile in tiles(geometry, scale.zoomed(1 + step / 100, at_x=0))
    }
    assert len(needed) <= 2.5 * len(first) < FRAMES / 2


def test_tiles_when_the_video_is_hidden_then_there_are_none(lane: TimelineLane) -> None:
    geometry = LaneGeometry(lane=lane, top=22, height=52)
    scale = scale_for(100.0, 110.0, width_px=500, most_px_per_s=1e5)
    assert tiles(geometry, scale) == []


def test_columns_when_several_frames_share_one_then_the_most_marks_are_told(lane: TimelineLane) -> None:
    columns, counts = columns_of(lane, whole(lane, 36))
    assert (columns.tolist(), counts.tolist()) == ([0, 20], [2, 1])
    columns, counts = columns_of(lane, whole(lane, 1))
    assert (columns.tolist(), counts.tolist()) == ([0], [2])


def test_lane_when_asked_then_names_segments_and_itself(lane: TimelineLane) -> None:
    first, second = lane.segments
    assert (segment_text(first), segment_text(second)) == ("forward", "turn left")
    assert (lane_name("UAV1"), lane_name("")) == ("UAV1", "Video")


def test_lanes_when_a_video_is_not_open_then_has_none(hall: Hall, video_file: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(video_file.read_bytes()[:400])
    hall.show_scene(make_scene(broken))
    assert hall.timeline.isHidden()
    assert lanes_of(make_scene(broken), hall.player.videos) == ()


def test_bar_when_a_view_is_behind_then_says_by_how_much(hall: Hall, video_file: Path) -> None:
    hall.show_scene(make_scene(video_file, views=2))
    hall.player.seek(1.0)
    hall.settle()
    assert hall.bar.late.text() == ""
    # Wanted, and not decoded.
    hall.player.videos[1].wanted += 3
    hall.bar.show_frame()
    assert hall.bar.late.text() == "UAV2 3 frames behind"
    assert hall.bar.frame.text() == f"frame {FPS} / {FRAMES}"


def test_bar_when_a_frame_is_only_still_to_be_painted_then_calls_no_view_late(
    hall: Hall, video_file: Path
) -> None:
    hall.show_scene(make_scene(video_file, views=2))
    hall.player.seek(1.0)
    hall.settle()
    # As a loop does at its end: far back, where frames are ready.
    hall.player.seek(0.2)
    assert [(video.painted, video.wanted) for video in hall.player.videos] == [(25, 5)] * 2
    hall.bar.show_frame()
    assert hall.bar.late.text() == ""


def test_video_when_its_times_are_asked_then_lie_on_the_clock(lane: TimelineLane) -> None:
    assert isinstance(lane.video, Video)
    assert lane.times_s()[25] == pytest.approx(1.0)
    assert lane.number_at(1.0) == 25
