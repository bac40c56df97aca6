from __future__ import annotations

import cmath
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
from annotator.domain.flight_actions import KINDS
from annotator.domain.medium import Medium
from annotator.domain.scene import Scene, SceneView
from annotator.domain.task_set import TaskSet
from annotator.domain.trajectory import KeyFrameLabel, Pose, Trajectory
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
    order = RuleSettings(project="p", task_set=task_set, task=task_set.task(task), seed=seed)
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


@pytest.mark.parametrize("is_labelled", [False, True])
def test_vla_when_a_segment_has_four_kinds_of_action_then_it_is_skipped_and_the_others_are_drafted(
    is_labelled: bool,
) -> None:
    # Ahead, then to the left, upwards and in a turn at once, then ahead.
    poses = [*LONG.poses[:7]]
    for yaw, side, climb in [*((10.0, 0.8, 0.5),) * 5, *((0.0, 0.0, 0.0),) * 6]:
        last = poses[-1]
        step = complex(1, side) * cmath.exp(1j * math.radians(last.yaw_deg + yaw / 2))
        poses.append(
            Pose(
                x_m=last.x_m + step.real,
                y_m=last.y_m + step.imag,
                z_m=last.z_m + climb,
                yaw_deg=last.yaw_deg + yaw,
            )
        )
    flight = msgspec.structs.replace(LONG, poses=tuple(poses))
    if is_labelled:
        ends = (("forward",), KINDS, ("forward",))
        labels = tuple(
            KeyFrameLabel(frame=frame, actions=actions)
            for frame, actions in zip((6, 11, 17), ends, strict=True)
        )
        flight = msgspec.structs.replace(flight, key_frames=(6, 11), key_frame_labels=labels)
    for seed in range(4):
        results = draft("vla", facts(flight), seed=seed)
        assert [item.item.extras["action_type"] for item in items_of(results)] == [["forward"], ["forward"]]
        assert reasons_of(results) == ["a segment has more than three kinds of action"]


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
        (STILL, "video", "the flight contains no action"),
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


LABELLED = msgspec.structs.replace(
    LONG,
    key_frames=(0, 6, 11, 19),
    key_frame_labels=(
        KeyFrameLabel(frame=6, actions=("forward", "turn"), caption="a hall"),
        KeyFrameLabel(frame=19, actions=("right_left",)),
    ),
)
"""Ahead with a turn that the poses do not have, up, and sideways by hand."""


def test_vln_when_people_labelled_segments_then_lines_follow_labels_and_key_frames() -> None:
    (drafted,) = items_of(draft("vln", facts(LABELLED)))
    assert drafted.item.question == ("Fly forward 6.0 metres, then turn.\nClimb 2.5 metres.\nMove sideways.")
    without = msgspec.structs.replace(LABELLED, key_frames=(), key_frame_labels=())
    (drafted,) = items_of(draft("vln", facts(without)))
    assert drafted.item.question.startswith("Fly forward 6.0 metres.\n")


def test_vla_when_people_labelled_segments_then_action_types_and_difficulty_are_theirs() -> None:
    kinds = {}
    for seed in range(8):
        for drafted in items_of(draft("vla", facts(LABELLED), seed=seed)):
            extras = drafted.item.extras
            assert extras["difficulty"] == {1: "easy", 2: "medium", 3: "hard"}[len(extras["action_type"])]
            kinds[tuple(extras["source"])] = extras["action_type"]
    assert kinds[1, 7] == ["forward", "turn"]
    assert kinds[12, 20] == ["right_left"]
    assert kinds[1, 12] == ["forward", "turn", "up_down"]


def test_vla_when_key_frames_leave_four_kinds_in_a_segment_then_it_is_divided_and_covers_the_flight() -> None:
    sideways = [Pose(x_m=6 + 3.5, y_m=math.sqrt(0.75) * 7 - n / 2, z_m=2.5, yaw_deg=60) for n in range(1, 8)]
    flight = msgspec.structs.replace(
        FOUR, poses=(*FOUR.poses, *sideways), key_frames=(0, len(FOUR.poses) + 6)
    )
    sources = [drafted.item.extras["source"] for drafted in items_of(draft("vla", facts(flight)))]
    assert len(sources) > 1
    assert (sources[0][0], sources[-1][1]) == (1, len(flight.poses))
    assert all(one[1] == two[0] for one, two in itertools.pairwise(sources))


def test_vln_when_instructions_are_written_then_each_level_is_an_item_with_the_given_difficulty() -> None:
    written = msgspec.structs.replace(
        UNKNOWN, instruction_goal="Reach the roof.", instruction_detailed="Ahead.\nUp.", difficulty="hard"
    )
    items = [drafted.item for drafted in items_of(draft("vln", facts(written)))]
    assert [(item.question, item.extras["level"]) for item in items] == [
        ("Ahead.\nUp.", "instruction_detailed"),
        ("Reach the roof.", "instruction_goal"),
    ]
    assert len({item.name for item in items}) == 2
    # The axes are unknown: nobody can count its actions.
    assert all(item.extras["difficulty"] == "hard" and "actions" not in item.extras for item in items)


def test_draft_when_the_axes_are_unknown_and_all_segments_are_labelled_then_the_labels_are_told() -> None:
    labels = tuple(KeyFrameLabel(frame=frame, actions=("forward",)) for frame in (11, 19))
    known = msgspec.structs.replace(UNKNOWN, key_frames=(0, 11), key_frame_labels=labels)
    (drafted,) = items_of(draft("vln", facts(known)))
    assert drafted.item.question == "Fly ahead or back.\nFly ahead or back."
    assert drafted.item.extras == {"trajectory": LONG.name}
    part = msgspec.structs.replace(known, key_frame_labels=labels[:1])
    assert reasons_of(draft("vln", facts(part))) == [
        "neither the axes nor the actions of the flight are known"
    ]


def test_draft_when_the_drone_hovers_between_key_frames_then_the_hover_is_a_part_of_what_is_before() -> None:
    poses = (*LONG.poses[:7], *LONG.poses[6:7] * 4, *LONG.poses[7:])
    flight = msgspec.structs.replace(LONG, poses=poses, key_frames=(6, 10, 15))
    (drafted,) = items_of(draft("vln", facts(flight)))
    assert drafted.item.question == "Fly forward 6.0 metres.\nClimb 2.5 metres.\nFly forward 8.0 metres."
    assert reasons_of(draft("vln", facts(msgspec.structs.replace(STILL, key_frames=(0, 2))))) == [
        "the flight contains no action"
    ]
