from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from annotator.commands.command import Command
from annotator.commands.flight_labels import (
    LONGEST_CAPTION,
    SetCaption,
    SetFlightDifficulty,
    SetInstruction,
    SetSegmentActions,
)
from annotator.commands.flights import AddReversedFlights, MoveKeyFrame, SetKeyFrames
from annotator.demo.entries import flight_trajectory
from annotator.demo.flights import all_flights
from annotator.domain.trajectory import KeyFrameLabel, Trajectory
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import created, problems, write

FLIGHT = msgspec.structs.replace(
    flight_trajectory(all_flights()[0], scene="s"), key_frames=(0, 40, 60, 79), key_frame_labels=()
)
KEY = FLIGHT.id


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as opened:
        write(opened, created("trajectory", FLIGHT))
        yield opened


def _flight(session: Session) -> Trajectory:
    return session.reader.require(Trajectory, KEY)


@pytest.mark.parametrize(
    ("command", "field", "value"),
    [
        (
            SetSegmentActions(flight=KEY, frame=60, actions=("turn", "forward")),
            "key_frame_labels",
            (KeyFrameLabel(frame=60, actions=("turn", "forward")),),
        ),
        (
            SetCaption(flight=KEY, frame=0, text="  a hall \n\n with a   door "),
            "key_frame_labels",
            (KeyFrameLabel(frame=0, caption="a hall\nwith a door"),),
        ),
        (
            SetInstruction(flight=KEY, level="instruction_goal", text="Reach it."),
            "instruction_goal",
            "Reach it.",
        ),
        (
            SetInstruction(flight=KEY, level="instruction_detailed", text="Fly.\nTurn."),
            "instruction_detailed",
            "Fly.\nTurn.",
        ),
        (SetFlightDifficulty(flight=KEY, difficulty="hard"), "difficulty", "hard"),
        (MoveKeyFrame(flight=KEY, frame=40, to=42), "key_frames", (0, 42, 60, 79)),
    ],
)
def test_edit_of_a_flight_when_executed_then_the_value_is_kept_undone_and_redone(
    session: Session, command: Command, field: str, value: object
) -> None:
    before = getattr(FLIGHT, field)
    session.execute(command).result()
    assert getattr(_flight(session), field) == value
    session.undo().result()
    assert getattr(_flight(session), field) == before
    session.redo().result()
    assert getattr(_flight(session), field) == value
    assert problems(session.path) == []


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (SetSegmentActions(flight=KEY, frame=41, actions=("turn",)), "No segment ends at pose 41"),
        (SetSegmentActions(flight=KEY, frame=0, actions=("turn",)), "No segment ends at pose 0"),
        (SetSegmentActions(flight=KEY, frame=40, actions=("fly",)), "fly are not different kinds"),
        (SetSegmentActions(flight=KEY, frame=40, actions=("turn", "turn")), "not different kinds"),
        (
            SetSegmentActions(flight=KEY, frame=40, actions=("forward", "right_left", "up_down", "turn")),
            "at most 3 kinds",
        ),
        (SetCaption(flight=KEY, frame=41, text="a"), "Pose 41 .* is not a key frame"),
        (SetCaption(flight=KEY, frame=40, text="a" * (LONGEST_CAPTION + 1)), "2,001 characters"),
        (SetFlightDifficulty(flight=KEY, difficulty="mean"), "'mean' is not a difficulty"),
        (MoveKeyFrame(flight=KEY, frame=41, to=42), "Pose 41 .* is not a key frame"),
        (MoveKeyFrame(flight=KEY, frame=40, to=60), "between its neighbours, poses 1 to 59"),
    ],
)
def test_edit_of_a_flight_when_it_does_not_fit_then_it_is_refused_and_nothing_changes(
    session: Session, command: Command, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        session.execute(command).result()
    assert _flight(session) == FLIGHT


def test_labels_when_key_frames_change_then_captions_stay_with_frames_and_actions_with_segments(
    session: Session,
) -> None:
    for frame in (40, 60, 79):
        session.execute(SetSegmentActions(flight=KEY, frame=frame, actions=("turn",))).result()
        session.execute(SetCaption(flight=KEY, frame=frame, text=f"at {frame}")).result()
    session.execute(MoveKeyFrame(flight=KEY, frame=60, to=65)).result()
    moved = KeyFrameLabel(frame=65, actions=("turn",), caption="at 60")
    assert _flight(session).key_frame_labels[1] == moved
    session.execute(SetKeyFrames(frames={KEY: (0, 20, 40, 65)})).result()
    kept = _flight(session).key_frame_labels
    assert [(label.frame, label.actions, label.caption) for label in kept] == [
        (40, (), "at 40"),
        (65, ("turn",), "at 60"),
        (79, ("turn",), "at 79"),
    ]
    session.execute(SetKeyFrames(frames={KEY: ()})).result()
    assert _flight(session).key_frame_labels == ()
    session.undo().result()
    assert _flight(session).key_frame_labels == kept


def test_reversed_when_the_source_has_labels_then_actions_are_taken_over_and_texts_are_not(
    session: Session,
) -> None:
    session.execute(SetSegmentActions(flight=KEY, frame=40, actions=("up_down",))).result()
    session.execute(SetCaption(flight=KEY, frame=60, text="a yard")).result()
    session.execute(SetInstruction(flight=KEY, level="instruction_goal", text="Reach it.")).result()
    session.execute(SetFlightDifficulty(flight=KEY, difficulty="hard")).result()
    session.execute(AddReversedFlights(flights=(KEY,))).result()
    (back,) = (one for one in session.reader.records(Trajectory) if one.id != KEY)
    assert back.key_frame_labels == (KeyFrameLabel(frame=79, actions=("up_down",)),)
    assert (back.instruction_goal, back.instruction_detailed, back.difficulty) == ("", "", "hard")


def test_key_frame_when_moved_onto_the_last_pose_then_its_caption_is_kept_or_the_move_is_refused(
    session: Session,
) -> None:
    session.execute(SetCaption(flight=KEY, frame=79, text="the goal")).result()
    session.execute(SetKeyFrames(frames={KEY: (0, 40, 60)})).result()
    session.execute(SetSegmentActions(flight=KEY, frame=60, actions=("turn",))).result()
    session.execute(MoveKeyFrame(flight=KEY, frame=60, to=79)).result()
    assert _flight(session).key_frame_labels == (
        KeyFrameLabel(frame=79, actions=("turn",), caption="the goal"),
    )
    session.undo().result()
    session.execute(SetCaption(flight=KEY, frame=60, text="a door")).result()
    before = _flight(session)
    with pytest.raises(UserError, match=r"Pose 79 of .* has a caption of its own"):
        session.execute(MoveKeyFrame(flight=KEY, frame=60, to=79)).result()
    assert _flight(session) == before


def test_reversed_when_a_segment_has_several_actions_then_their_order_is_reversed(session: Session) -> None:
    session.execute(SetSegmentActions(flight=KEY, frame=40, actions=("up_down", "turn"))).result()
    session.execute(AddReversedFlights(flights=(KEY,))).result()
    (back,) = (one for one in session.reader.records(Trajectory) if one.id != KEY)
    assert back.key_frame_labels == (KeyFrameLabel(frame=79, actions=("turn", "up_down")),)
