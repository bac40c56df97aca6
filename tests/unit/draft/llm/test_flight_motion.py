"""Key frames and moves of flights."""

from __future__ import annotations

import itertools
from dataclasses import replace

import msgspec
import pytest

from annotator.domain.medium import Medium
from annotator.domain.scene import Scene, SceneView
from annotator.domain.trajectory import KeyFrameLabel, Pose, Trajectory
from annotator.draft.llm.flight_motion import key_frames_of, moves_between, moves_up_to
from annotator.draft.llm.indooruav import IndoorUav, video_frame
from annotator.draft.llm.pipeline import DraftSubject
from annotator.draft.scene_facts import SceneFacts


def _flight(*poses: tuple[float, float, float, float], **fields: object) -> Trajectory:
    made = tuple(Pose(x_m=x, y_m=y, z_m=z, yaw_deg=yaw) for x, y, z, yaw in poses)
    return Trajectory(scene="s", poses=made, **fields)  # type: ignore[arg-type]


def test_key_frames_when_the_flight_has_some_then_the_last_is_added() -> None:
    flight = _flight(*[(0, 0, 0, 0)] * 5, key_frames=(0, 2))

    assert key_frames_of(flight) == (0, 2, 4)
    assert key_frames_of(_flight(*[(0, 0, 0, 0)] * 5, key_frames=(0, 4))) == (0, 4)
    assert key_frames_of(_flight()) == ()


@pytest.mark.parametrize(
    "poses",
    [
        [(0, 0, 0, yaw) for yaw in (170, 190, 217, 220)],
        [(0, 0, z, 0) for z in (0, 0.6, 1.2, 1.3)],
        [(x, 0, 0, 0) for x in (0, 3, 6, 6.5)],
    ],
    ids=["turn", "climb", "straight"],
)
def test_key_frames_when_only_motion_tells_then_are_where_it_is_large(
    poses: list[tuple[float, float, float, float]],
) -> None:
    assert key_frames_of(_flight(*poses)) == (0, 2, 3)


def test_moves_when_the_source_names_actions_then_its_words_are_taken() -> None:
    flight = _flight(*[(0, 0, 0, 0)] * 5, actions=("forward", "forward", "turn_left", "forward"))

    assert moves_between(flight, (0, 2, 4)) == ["", "forward", "turn left, forward"]


@pytest.mark.parametrize(
    ("axes", "text"),
    [
        ("east-north-up", "turn left by 90 degrees, fly 2.0 m, climb 1.0 m"),
        ("north-east-down", "turn right by 90 degrees, fly 2.0 m, descend 1.0 m"),
        ("source", "turn by 90 degrees, fly 2.0 m, climb 1.0 m"),
    ],
)
def test_moves_when_poses_tell_then_sides_follow_the_axes(axes: str, text: str) -> None:
    flight = _flight((0, 0, 0, 300), (1, 0, 0.5, 345), (2, 0, 1, 30), (2, 0, 1, 30.5), axes=axes)

    assert moves_between(flight, (0, 2, 3)) == ["", text, "stay"]


@pytest.mark.parametrize(("frames", "number"), [(0, 3), (5, 3), (9, 6), (3, 2)])
def test_video_frame_when_video_and_poses_differ_in_number_then_meets_the_same_time(
    frames: int, number: int
) -> None:
    flight = _flight(*[(0, 0, 0, 0)] * 5)

    assert video_frame(3, flight=flight, medium=Medium(name="f", frames=frames)) == number


def test_moves_when_people_gave_the_actions_then_those_are_taken() -> None:
    labels = (KeyFrameLabel(frame=4, actions=("turn", "up_down")),)
    flight = _flight(*[(0, 0, 0, 0)] * 5, actions=("forward",) * 4, key_frame_labels=labels)

    assert moves_between(flight, (0, 2, 4)) == ["", "forward", "climb or descend, turn"]


def test_moves_when_key_frames_are_left_out_then_what_is_done_up_to_each_of_them_is_told() -> None:
    labels = (KeyFrameLabel(frame=2, actions=("turn",)), KeyFrameLabel(frame=4, actions=("up_down",)))
    flight = _flight(*[(0, 0, 0, 0)] * 7, key_frames=(0, 2, 4, 5), key_frame_labels=labels)

    told = moves_up_to(flight, (0, 5, 6), among=(0, 2, 4, 5, 6))
    assert told == ["", "turn, then climb or descend", "stay"]
    assert moves_up_to(flight, (0, 6), among=(0, 6)) == moves_between(flight, (0, 6))


def test_subject_when_a_flight_has_many_key_frames_then_the_last_frame_is_described_too() -> None:
    flight = _flight(*[(n, 0, 0, 0) for n in range(101)], id="t", key_frames=tuple(range(0, 100, 2)))
    facts = SceneFacts(
        scene=Scene(id="s", name="flat", views=(SceneView(name="", medium="m"),)),
        media={"m": Medium(id="m", name="f.mp4", media_type="video", frames=101)},
        trajectories=(flight,),
    )
    (subject,) = IndoorUav().subjects(facts, seed=0)
    assert isinstance(subject, DraftSubject)
    frames = subject.frames
    assert (len(frames), frames[0], frames[-1]) == (24, 0, 100)
    assert {later - earlier for earlier, later in itertools.pairwise(frames)} == {4, 6}
    assert len(subject.slots["moves"].split("\n")) == 24


def test_captions_when_people_wrote_some_then_only_the_others_are_asked_for() -> None:
    labels = tuple(KeyFrameLabel(frame=frame, caption=f"a hall\nat {frame}") for frame in (0, 2))
    flight = _flight(*[(0, 0, 0, 0)] * 5, id="t", key_frames=(0, 2, 4), key_frame_labels=labels)
    facts = SceneFacts(
        scene=Scene(id="s", name="flat", views=(SceneView(name="", medium="m"),)),
        media={"m": Medium(id="m", name="f.mp4", media_type="video", frames=5)},
        trajectories=(flight,),
    )
    (subject,) = IndoorUav().subjects(facts, seed=0)
    assert isinstance(subject, DraftSubject)
    steps = IndoorUav().steps(subject, tasks=("instruction_goal",))
    assert [(step.id, step.after, step.frame) for step in steps] == [
        ("caption_2", None, 4),
        ("long", 0, None),
        ("instruction_goal", 1, None),
    ]
    value = {"place": "a door", "objects": [{"name": "lamp", "distance": "near", "side": "left"}]}
    captions = IndoorUav().slots(steps[1], subject, {"caption_2": value})["captions"]
    assert captions.splitlines() == [
        "1. a hall at 0",
        "2. (stay) a hall at 2",
        "3. (stay) a door: lamp (near, left)",
    ]
    # With all of them written, the long instruction is the first step.
    whole = msgspec.structs.replace(flight, key_frames=(0,), key_frame_labels=(
        *labels[:1], KeyFrameLabel(frame=4, caption="a door"),
    ))  # fmt: skip
    (subject,) = IndoorUav().subjects(replace(facts, trajectories=(whole,)), seed=0)
    assert isinstance(subject, DraftSubject)
    steps = IndoorUav().steps(subject, tasks=("instruction_goal",))
    assert [(step.id, step.after) for step in steps] == [("long", None), ("instruction_goal", 0)]
