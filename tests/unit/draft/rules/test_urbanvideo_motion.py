from __future__ import annotations

import itertools
import tomllib

import msgspec
import pytest

import resources
from annotator.demo.actions import doing_text
from annotator.demo.entries import flight_trajectory
from annotator.demo.flights import Flight, all_flights
from annotator.domain import task_set_files
from annotator.domain.trajectory import Trajectory
from annotator.draft.rule_result import RuleResult
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.rules import RULES
from annotator.quality.checks.balance import uniform_chance
from tests.unit.draft.map_facts import items_of, reasons_of
from tests.unit.draft.rules.test_indooruav_flights import facts

URBANVIDEO = task_set_files.builtin("urbanvideo")
CHINESE = tomllib.loads(resources.path("translations/zh.messages.toml").read_text(encoding="utf-8"))["part"]
STEADY = [flown for flown in all_flights() if not any(leg.do.startswith("tilt") for leg in flown.legs)]
TILTING = [flown for flown in all_flights() if flown not in STEADY]
WORDS = {"rise": "climbing", "descend": "descending"}


def draft(task: str, flight: Trajectory, *, seed: int = 0, media_type: str = "video") -> list[RuleResult]:
    order = RuleSettings(project="p", task_set=URBANVIDEO, task=URBANVIDEO.task(task), seed=seed)
    return list(RULES[order.task.drafted_by].draft(facts(flight, media_type=media_type), order=order))


def movement(do: str) -> str:
    """Return how a leg of one kind of action is called, from the demo's own words."""
    return WORDS.get(do) or doing_text(do)  # type: ignore[arg-type]


def simple_legs(flown: Flight) -> list[str]:
    return [leg.do for leg in flown.legs]


@pytest.mark.parametrize("flown", STEADY, ids=lambda flown: flown.name)
def test_sequence_when_the_demo_flies_then_the_key_is_its_next_leg(flown: Flight) -> None:
    legs = simple_legs(flown)
    items = [one.item for one in items_of(draft("sequence_recall", flight_trajectory(flown, scene="s")))]
    assert len(items) == len(legs) - 1
    for item, (leg, following) in zip(items, itertools.pairwise(legs), strict=True):
        options = {option.letter: option.text for option in item.options}
        assert len(options) == len({*options.values()}) == 5
        if not leg.startswith("orbit"):
            assert movement(leg) in item.question
        right = {"rise": "I climb.", "descend": "I descend.", "forward": "I fly forward."}
        if following in right:
            assert options[item.answer_key] == right[following]
        else:
            assert following.replace("_", " ") in options[item.answer_key]


@pytest.mark.parametrize("flown", STEADY, ids=lambda flown: flown.name)
@pytest.mark.parametrize("seed", range(3))
def test_duration_when_the_demo_flies_then_the_key_is_that_of_the_legs_seconds(
    flown: Flight, seed: int
) -> None:
    seconds = {movement(leg.do): leg.seconds for leg in flown.legs if not leg.do.startswith("orbit")}
    for drafted in items_of(draft("duration", flight_trajectory(flown, scene="s"), seed=seed)):
        first, _, second = (
            drafted.item.question.removeprefix("Which takes longer, ").removesuffix("?").partition(", or ")
        )
        if second == "":
            first, _, second = first.partition(" or ")
        if first in seconds and second in seconds:
            one, two = seconds[first], seconds[second]
            expected = (
                "The first takes longer"
                if one > two
                else "The first takes less time"
                if one < two
                else "Both take the same time"
            )
            assert drafted.answer == expected
        assert len(drafted.item.options) == 3


def test_duration_when_drafted_over_seeds_then_letters_and_answers_are_balanced() -> None:
    flight = flight_trajectory(STEADY[0], scene="s")
    letters: dict[str, int] = {"A": 0, "B": 0, "C": 0}
    answers = set()
    for seed in range(60):
        for drafted in items_of(draft("duration", flight, seed=seed)):
            letters[drafted.item.answer_key] += 1
            answers.add(drafted.answer)
    chance = uniform_chance(list(letters.values()))
    assert chance is not None
    assert chance > 0.01
    assert {"The first takes longer", "The first takes less time"} <= answers


@pytest.mark.parametrize("task", ["sequence_recall", "duration"])
def test_draft_when_the_camera_tilts_or_facts_are_missing_then_the_reason_is_told(task: str) -> None:
    steady = flight_trajectory(STEADY[0], scene="s")
    cases = {
        "the camera tilts during the flight": draft(task, flight_trajectory(TILTING[0], scene="s")),
        "whether the camera tilts is unknown": draft(task, msgspec.structs.replace(steady, orientations=())),
        "the flight has no video": draft(task, steady, media_type="image"),
        "neither the axes nor the actions of the flight are known": draft(
            task, msgspec.structs.replace(steady, axes="source", actions=())
        ),
    }
    for reason, results in cases.items():
        assert reasons_of(results) == [reason]
        assert reason in CHINESE
    assert draft(task, msgspec.structs.replace(steady, poses=steady.poses[:1])) == []
    assert draft(task, msgspec.structs.replace(steady, metadata={"made_by": "model"})) == []


def test_duration_when_times_are_unknown_then_the_reason_is_told() -> None:
    steady = flight_trajectory(STEADY[0], scene="s")
    assert reasons_of(draft("duration", msgspec.structs.replace(steady, times_s=()))) == [
        "the times of the poses are unknown"
    ]


def test_draft_when_a_movement_comes_twice_then_it_is_not_asked_about() -> None:
    steady = flight_trajectory(STEADY[0], scene="s")
    twice = msgspec.structs.replace(
        steady,
        poses=steady.poses + steady.poses[:40],
        orientations=steady.orientations + steady.orientations[:40],
        times_s=tuple(n / 8 for n in range(120)),
    )
    assert "the flight makes the movement several times" in reasons_of(draft("sequence_recall", twice))
    assert not any("flying forward" in one.item.question for one in items_of(draft("duration", twice)))
