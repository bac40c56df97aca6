from __future__ import annotations

import itertools
import json
import math
import tomllib

import msgspec
import numpy as np
import pytest

import resources
from annotator.demo.entries import flight_trajectory
from annotator.demo.flights import all_flights
from annotator.domain import task_set_files
from annotator.domain.medium import Medium
from annotator.domain.scene import Scene, SceneView
from annotator.domain.task_set import TaskSet
from annotator.domain.trajectory import Pose, Trajectory
from annotator.draft.rule_result import RuleResult
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.rules import RULES
from annotator.draft.scene_facts import SceneFacts
from annotator.errors import UserError
from tests.unit.draft.map_facts import items_of, reasons_of

INDOORUAV = task_set_files.builtin("indooruav")
CHINESE = tomllib.loads(resources.path("translations/zh.messages.toml").read_text(encoding="utf-8"))["part"]


def facts(*flights: Trajectory, media_type: str = "video") -> SceneFacts:
    views = dict.fromkeys(flight.view for flight in flights)
    media = {f"m{view}": Medium(id=f"m{view}", name=f"{view}.mp4", media_type=media_type) for view in views}  # type: ignore[arg-type]
    scene = Scene(
        id="s", name="flat 1", dataset="D", views=tuple(SceneView(name=v, medium=f"m{v}") for v in views)
    )
    return SceneFacts(scene=scene, media=media, trajectories=flights)


def draft(task: str, given: SceneFacts, *, seed: int = 0, task_set: TaskSet = INDOORUAV) -> list[RuleResult]:
    order = RuleSettings(task_set=task_set, task=task_set.task(task), seed=seed)
    return list(RULES[f"indooruav.{task}"].draft(given, order=order))


DEMO = [flight_trajectory(flown, scene="s") for flown in all_flights()]
LONG = Trajectory(
    id="t", scene="s", name="/a/b/traj_1", view="UAV1", axes="east-north-up",
    poses=tuple(
        Pose(x_m=x, y_m=0, z_m=z, yaw_deg=0)
        for x, z in [
            *((n, 0) for n in range(7)),
            *((6, n / 2) for n in range(1, 6)),
            *((6 + n, 2.5) for n in range(1, 9)),
        ]
    ),
)  # fmt: skip

FOUR = msgspec.structs.replace(
    LONG,
    poses=(
        *LONG.poses[:12],
        *(msgspec.structs.replace(LONG.poses[11], yaw_deg=10.0 * n) for n in range(1, 7)),
        *(Pose(x_m=6 + n / 2, y_m=n * math.sqrt(0.75), z_m=2.5, yaw_deg=60) for n in range(1, 8)),
    ),
)
"""Ahead, up, a turn, and ahead again."""
UNKNOWN = msgspec.structs.replace(LONG, axes="source")
STILL = msgspec.structs.replace(LONG, poses=LONG.poses[:1] * 5)


@pytest.mark.parametrize("flight", DEMO, ids=lambda flight: flight.name)
@pytest.mark.parametrize("seed", range(4))
def test_vla_when_the_demo_flies_then_episodes_cover_the_flight_and_have_the_files_members(
    flight: Trajectory, seed: int
) -> None:
    items = [drafted.item for drafted in items_of(draft("vla", facts(flight), seed=seed))]
    sources = [item.extras["source"] for item in items]
    assert sources[0][0] == 1
    assert sources[-1][1] == len(flight.poses)
    assert all(one[1] == two[0] for one, two in itertools.pairwise(sources))
    for item in items:
        first, last = item.extras["source"]
        rows = np.array(json.loads(item.answer_key))
        truth = np.array(
            [[p.x_m, p.y_m, p.z_m, np.radians(p.yaw_deg)] for p in flight.poses[first - 1 : last]]
        )
        assert np.allclose(rows, truth, atol=1e-6)
        kinds = item.extras["action_type"]
        assert item.extras["difficulty"] == {1: "easy", 2: "medium", 3: "hard"}[len(kinds)]
        assert len(set(kinds)) == len(kinds)
        assert item.question.endswith(".")
        assert (item.answer_format, item.view, item.media) == (
            "trajectory",
            flight.view,
            (f"m{flight.view}",),
        )
        assert item.provenance.labels == (flight.id,)
        _agree(item.question, truth)


def _agree(instruction: str, rows: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
    """Compare an instruction with poses: what it names is what changed, by independent sums."""
    climb = rows[-1, 2] - rows[0, 2]
    assert ("limb" in instruction) == (climb > 0.5)
    assert ("escend" in instruction) == (climb < -0.5)
    turned = np.degrees(np.unwrap(rows[:, 3]))
    # Anticlockwise from east: the yaw grows to the left.
    assert ("urn left" in instruction or "urning left" in instruction) == (turned.max() - turned[0] > 5)
    assert ("urn right" in instruction or "urning right" in instruction) == (turned.min() - turned[0] < -5)


def test_vla_when_seeds_differ_then_episodes_are_joined_differently_and_have_all_difficulties() -> None:
    levels, counts = set(), set()
    for seed in range(12):
        results = [draft("vla", facts(flight), seed=seed) for flight in (*DEMO, FOUR)]
        items = [drafted.item for found in results for drafted in items_of(found)]
        levels |= {item.extras["difficulty"] for item in items}
        counts.add(len(items))
    assert levels == {"easy", "medium", "hard"}
    assert len(counts) > 1
    assert draft("vla", facts(LONG), seed=3) == draft("vla", facts(LONG), seed=3)


@pytest.mark.parametrize(
    "flight", [*DEMO, LONG, FOUR], ids=lambda flight: f"{flight.name} {len(flight.poses)}"
)
def test_vla_when_a_flight_has_several_parts_then_no_episode_is_the_whole_flight(flight: Trajectory) -> None:
    for seed in range(12):
        for drafted in items_of(draft("vla", facts(flight), seed=seed)):
            assert drafted.item.extras["source"] != [1, len(flight.poses)]


def test_vln_when_a_flight_is_drafted_then_there_is_one_line_a_segment_and_the_difficulty_of_its_steps() -> (
    None
):
    (drafted,) = items_of(draft("vln", facts(LONG)))
    item = drafted.item
    assert item.question == "Fly forward 6.0 metres.\nClimb 2.5 metres.\nFly forward 8.0 metres."
    # 6 m are 6 large steps and 4 small ones; 2.5 m are 2 and 5; 8 m are 8 and 5.
    assert item.extras == {"trajectory": "/a/b/traj_1", "actions": 30, "difficulty": "easy"}
    assert len(json.loads(item.answer_key)) == len(LONG.poses)
    assert item.name == "D_vln_flat-1_UAV1"


def test_episodes_when_a_view_has_two_flights_then_their_names_differ() -> None:
    other = msgspec.structs.replace(LONG, id="u")
    names = [drafted.item.name for drafted in items_of(draft("vln", facts(LONG, other)))]
    assert names == ["D_vln_flat-1_UAV1_flight-1", "D_vln_flat-1_UAV1_flight-2"]


def test_draft_when_a_camera_stands_or_a_model_flew_then_nothing_is_told() -> None:
    still = msgspec.structs.replace(LONG, poses=LONG.poses[:1])
    predicted = msgspec.structs.replace(LONG, metadata={"made_by": "model"})
    assert draft("vla", facts(still, predicted)) == []


@pytest.mark.parametrize("task", ["vla", "vln"])
@pytest.mark.parametrize(
    ("flight", "media_type", "reason"),
    [
        (UNKNOWN, "video", "neither the axes nor the actions of the flight are known"),
        (LONG, "image", "the flight has no video"),
        (STILL, "video", "the flight does nothing that is an action"),
    ],
)  # fmt: skip
def test_draft_when_a_flight_tells_too_little_then_the_reason_is_told(
    task: str, flight: Trajectory, media_type: str, reason: str
) -> None:
    assert reasons_of(draft(task, facts(flight, media_type=media_type))) == [reason]
    assert reason in CHINESE


def test_draft_when_the_flight_is_of_another_view_then_no_video_is_shown_for_it() -> None:
    given = facts(LONG)
    other = msgspec.structs.replace(LONG, view="UAV9")
    assert reasons_of(
        draft("vln", SceneFacts(scene=given.scene, media=given.media, trajectories=(other,)))
    ) == ["the flight has no video"]
    only = msgspec.structs.replace(LONG, view="")
    assert items_of(draft("vln", SceneFacts(scene=given.scene, media=given.media, trajectories=(only,))))


def test_draft_when_the_task_set_has_other_limits_then_key_frames_follow_them() -> None:
    far = msgspec.structs.replace(INDOORUAV, drafting_settings={"straight_m": 6.5, "climb_m": 3.0})
    (drafted,) = items_of(draft("vln", facts(LONG), task_set=far))
    assert (
        drafted.item.question == "Fly forward 6.0 metres, then climb 2.5 metres, then fly forward 8.0 metres."
    )
    wrong = msgspec.structs.replace(INDOORUAV, drafting_settings={"turn": 4.0})
    with pytest.raises(UserError, match="the drafting setting turn, which its rules do not use"):
        draft("vln", facts(LONG), task_set=wrong)
