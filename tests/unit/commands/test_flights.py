from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.flights import REVERSED_FROM, AddReversedFlights, SetKeyFrames, reverse_flight
from annotator.demo.entries import flight_trajectory
from annotator.demo.flights import all_flights
from annotator.domain.flight_segments import key_frames, split_flight
from annotator.domain.trajectory import Pose, Trajectory
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import created, problems, write

FLIGHT = flight_trajectory(all_flights()[0], scene="s")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as opened:
        write(opened, created("trajectory", FLIGHT))
        yield opened


def _flights(session: Session) -> list[Trajectory]:
    return list(session.reader.records(Trajectory))


def test_key_frames_when_set_then_they_are_kept_and_undone(session: Session) -> None:
    before = FLIGHT.key_frames
    session.execute(SetKeyFrames(frames={FLIGHT.id: (0, 5, 79)})).result()
    assert _flights(session)[0].key_frames == (0, 5, 79)
    session.undo().result()
    assert _flights(session)[0].key_frames == before
    session.redo().result()
    assert _flights(session)[0].key_frames == (0, 5, 79)


@pytest.mark.parametrize("frames", [(5, 0), (0, 0), (-1, 3), (0, 80)])
def test_key_frames_when_they_do_not_rise_or_are_beyond_then_they_are_refused(
    session: Session, frames: tuple[int, ...]
) -> None:
    with pytest.raises(UserError, match="must rise and be below 80"):
        session.execute(SetKeyFrames(frames={FLIGHT.id: frames})).result()


def test_reversed_when_added_then_there_is_one_that_leads_back_with_the_segments_backwards(
    session: Session,
) -> None:
    for _ in range(2):
        session.execute(AddReversedFlights(flights=(FLIGHT.id,))).result()
    (back,) = (one for one in _flights(session) if one.metadata.get(REVERSED_FROM) == FLIGHT.id)
    assert (back.view, back.orientations, len(back.poses)) == ("", (), len(FLIGHT.poses))
    one, two = back.poses[0], FLIGHT.poses[-1]
    assert (one.x_m, one.y_m, one.z_m) == (two.x_m, two.y_m, two.z_m)
    assert list(back.times_s) == sorted(back.times_s)
    assert back.times_s[0] == 0
    kinds = [segment.kinds for segment in split_flight(FLIGHT)]
    assert [segment.kinds for segment in split_flight(back)] == kinds[::-1]
    last = len(FLIGHT.poses) - 1
    assert key_frames(back) == tuple(last - frame for frame in reversed(key_frames(FLIGHT)))
    assert problems(session.path) == []


def test_reversed_when_the_source_numbers_and_names_then_names_follow() -> None:
    poses = tuple(Pose(x_m=n, y_m=0, z_m=0, yaw_deg=0) for n in range(4))
    names = ("turn_left+fly_forward", "fly_up", "fly_right")
    flight = Trajectory(
        id="t", scene="s", name="/hm3d_1/ab/traj_3", poses=poses, actions=names, key_frames=(0, 2)
    )
    back = reverse_flight(flight)
    assert (back.name, back.key_frames) == ("/hm3d_1/ab/traj_-3", (1, 3))
    assert back.actions == ("fly_right", "fly_down", "turn_right+fly_forward")
    assert reverse_flight(back).name == flight.name
    assert reverse_flight(FLIGHT).name == f"{FLIGHT.name} reversed"
