from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from annotator.demo.entries import flight_trajectory
from annotator.demo.flights import all_flights
from annotator.domain.trajectory import KeyFrameLabel, Trajectory
from annotator.session import Session
from tests.unit.cli.conftest import Verb
from tests.unit.store.making import created, write

KNOWN = msgspec.structs.replace(flight_trajectory(all_flights()[0], scene="s"), key_frames=())
UNKNOWN = msgspec.structs.replace(KNOWN, id="u", name="unknown", axes="source", actions=())
STILL = msgspec.structs.replace(KNOWN, id="p", name="still", poses=KNOWN.poses[:1])


@pytest.fixture
def flown(tmp_path: Path) -> Path:
    with Session.create(tmp_path / "p.vantage") as session:
        write(session, *(created("trajectory", one) for one in (KNOWN, UNKNOWN, STILL)))
    return tmp_path / "p.vantage"


def _stored(project: Path) -> dict[str, Trajectory]:
    with Session.open(project) as session:
        return {one.name: one for one in session.reader.records(Trajectory)}


def test_flights_when_listed_then_segments_have_the_members_of_the_files_and_nothing_changes(
    flown: Path, verb: Verb
) -> None:
    said = verb("flights", flown, "--json")
    first, second = said.json["flights"]
    assert (said.status, first["key_frames"], first["difficulty"]) == (0, [0, 40, 60, 79], "easy")
    assert first["segments"][1] == {
        "source": [41, 61], "action_type": ["turn"], "difficulty": "easy",
        "actions": "Turn left by 60 degrees.",
    }  # fmt: skip
    assert "neither the axes" in second["why"]
    assert _stored(flown)[KNOWN.name].key_frames == ()
    assert "41-61  easy  Turn left by 60 degrees." in verb("flights", flown).out


def test_flights_when_limits_are_given_then_key_frames_follow_and_are_stored(flown: Path, verb: Verb) -> None:
    said = verb("flights", flown, "--turn", "90", "--key-frames", "missing", "--json")
    assert said.json["flights"][0]["key_frames"] == [0, 40, 79]
    assert _stored(flown)[KNOWN.name].key_frames == (0, 40, 79)
    verb("flights", flown, "--key-frames", "missing")
    assert _stored(flown)[KNOWN.name].key_frames == (0, 40, 79)
    verb("flights", flown, "--key-frames", "all")
    assert _stored(flown)[KNOWN.name].key_frames == (0, 40, 60, 79)


def test_flights_when_reversed_then_each_gets_one_and_no_more_the_second_time(
    flown: Path, verb: Verb
) -> None:
    for _ in range(2):
        assert verb("flights", flown, "--reverse").status == 0
        assert sorted(_stored(flown)) == sorted(
            [KNOWN.name, "unknown", "still", f"{KNOWN.name} reversed", "unknown reversed"]
        )


def test_flights_when_there_are_none_then_the_exit_status_says_so(tmp_path: Path, verb: Verb) -> None:
    with Session.create(tmp_path / "p.vantage"):
        pass
    said = verb("flights", tmp_path / "p.vantage")
    assert said.status == 1
    assert "no flights" in said.out


def test_flights_when_people_labelled_them_then_the_labels_are_listed(tmp_path: Path, verb: Verb) -> None:
    labelled = msgspec.structs.replace(
        KNOWN, key_frames=(0, 40), key_frame_labels=(KeyFrameLabel(frame=40, caption="a yard"),),
        instruction_goal="Reach the yard.", difficulty="hard",
    )  # fmt: skip
    with Session.create(tmp_path / "p.vantage") as session:
        write(session, created("trajectory", labelled))
    (said,) = verb("flights", tmp_path / "p.vantage", "--json").json["flights"]
    assert said["stored_key_frames"] == [0, 40]
    assert said["key_frame_labels"] == [{"frame": 40, "caption": "a yard"}]
    assert (said["instruction_goal"], said["difficulty"]) == ("Reach the yard.", "hard")
    assert "instruction_detailed" not in said
