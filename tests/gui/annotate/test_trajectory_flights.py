from __future__ import annotations

from functools import partial
from pathlib import Path

import msgspec
import pytest

import resources
from annotator.commands.flights import reverse_flight
from annotator.commands.projects import ChooseTaskSet
from annotator.domain.flight_segments import KeyFrameLimits
from annotator.domain.medium import Medium
from annotator.session import Session
from tests.gui.annotate.flight_person import FPS, FRAMES, made_flight
from widgets.annotate.trajectory_flights import read_flights
from widgets.medium_view import MediumView

MEDIA = (
    MediumView(
        view="UAV1",
        medium=Medium(id="m", name="0001.mp4", media_type="video", frames=FRAMES, duration_s=FRAMES / FPS),
        file=None,
    ),
)


@pytest.mark.parametrize(
    ("chosen", "turn_deg"), [("", 45.0), ("aircop", 45.0), ("indooruav", 45.0), ("flat", 10.0)]
)
def test_limits_when_read_then_they_are_those_of_the_task_set_or_of_indooruav(
    tmp_path: Path, chosen: str, turn_deg: float
) -> None:
    own = tmp_path / "p.tasksets"
    own.mkdir()
    text = resources.path("tasksets/indooruav.toml").read_text(encoding="utf-8")
    text = text.replace('id = "indooruav"', 'id = "flat"', 1).replace("turn_deg = 45", "turn_deg = 10")
    (own / "flat.toml").write_text(text, encoding="utf-8")
    with Session.create(tmp_path / "p.vantage") as session:
        if chosen:
            session.execute(ChooseTaskSet(task_set=chosen)).result()
        question = partial(read_flights, trajectories=(), media=MEDIA, project=session.path)
        found = session.query(question).result()
    assert found.limits == KeyFrameLimits(turn_deg=turn_deg)
    assert (found.flights, found.by_id("t")) == ((), None)


def test_flights_when_axes_are_north_east_down_then_east_is_to_the_right_and_up_is_up(tmp_path: Path) -> None:
    flight = made_flight("s", view="UAV1", axes="north-east-down")
    back = msgspec.structs.replace(reverse_flight(flight), view="")
    with Session.create(tmp_path / "p.vantage") as session:
        question = partial(read_flights, trajectories=(flight, back), media=MEDIA, project=session.path)
        one, other = session.query(question).result().flights
    north = flight.poses[20]
    assert one.positions_m[20].tolist() == [north.y_m, north.x_m, -north.z_m]
    # It flies to the north: up on the map.
    assert one.headings[20].tolist() == pytest.approx([0, 1, 0])
    assert one.axis_names == ("y", "x", "−z")
    assert (other.source, other.view) == (flight, "UAV1")
    assert other.pose_at(0.0) == FRAMES - 1
    assert other.headings[FRAMES - 1 - 20].tolist() == pytest.approx([0, -1, 0])


def test_flights_when_the_poses_have_no_times_then_no_pose_is_shown(tmp_path: Path) -> None:
    flight = made_flight("s", view="UAV1", times_s=())
    medium = msgspec.structs.replace(MEDIA[0].medium, frames=FRAMES + 7)
    media = (MediumView(view="UAV1", medium=medium, file=None),)
    with Session.create(tmp_path / "p.vantage") as session:
        question = partial(read_flights, trajectories=(flight,), media=media, project=session.path)
        (one,) = session.query(question).result().flights
    assert one.pose_at(0.0) is None
