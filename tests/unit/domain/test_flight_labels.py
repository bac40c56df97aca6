from __future__ import annotations

import msgspec
import pytest

from annotator.domain import task_set_files
from annotator.domain.flight_labels import labelled_segments, proposed_difficulty, segment_bounds
from annotator.domain.record import to_json
from annotator.domain.trajectory import KeyFrameLabel, Pose, Trajectory

INDOORUAV = task_set_files.builtin("indooruav")
AHEAD = [Pose(x_m=n / 2, y_m=0, z_m=1, yaw_deg=0) for n in range(11)]
TURN = [Pose(x_m=5, y_m=0, z_m=1, yaw_deg=10.0 * n) for n in range(1, 11)]
FLIGHT = Trajectory(
    id="t", scene="s", axes="east-north-up", poses=(*AHEAD, *TURN), key_frames=(10,),
    key_frame_labels=(KeyFrameLabel(frame=20, actions=("up_down", "turn")),),
)  # fmt: skip


def test_segments_when_labelled_then_given_actions_replace_those_of_the_poses() -> None:
    one, two = labelled_segments(FLIGHT)
    assert (one.first, one.last, one.kinds, one.is_by_hand) == (0, 10, ("forward",), False)
    assert (two.first, two.last, two.kinds, two.is_by_hand) == (10, 20, ("up_down", "turn"), True)
    (whole,) = labelled_segments(msgspec.structs.replace(FLIGHT, key_frames=(0, 20), key_frame_labels=()))
    assert whole.kinds == ("forward", "turn")
    assert not whole.is_too_varied


def test_segments_when_the_sides_are_unknown_then_only_given_actions_are_known() -> None:
    unknown = msgspec.structs.replace(FLIGHT, axes="source")
    assert [segment.kinds for segment in labelled_segments(unknown)] == [(), ("up_down", "turn")]
    assert proposed_difficulty(unknown, INDOORUAV) == ""
    assert proposed_difficulty(FLIGHT, INDOORUAV) == "easy"


@pytest.mark.parametrize(
    ("frames", "bounds"), [((), ()), ((10,), (0, 10, 20)), ((0, 20), (0, 20)), ((-3, 5, 99), (0, 5, 20))]
)
def test_bounds_when_key_frames_are_few_or_beyond_then_begin_and_end_are_added(
    frames: tuple[int, ...], bounds: tuple[int, ...]
) -> None:
    assert segment_bounds(FLIGHT, frames) == bounds


def test_flight_when_stored_without_labels_then_it_is_read_and_its_text_is_unchanged() -> None:
    older = '{"id":"t","scene":"s","poses":[[0.0,0.0,0.0,0.0]],"key_frames":[0]}'
    read = msgspec.json.decode(older, type=Trajectory)
    assert (read.key_frame_labels, read.difficulty, read.instruction_goal) == ((), "", "")
    assert to_json(read) == older
