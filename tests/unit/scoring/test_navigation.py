"""The measures of flights, against IndoorUAV's rules written a second time."""

from __future__ import annotations

import json
import math
import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from annotator.domain.answers import Mode
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.domain.trajectory import Pose, Trajectory
from annotator.scoring.score_tables import NavigationScore
from tests.unit.release.samples import CLIP, SCENE
from tests.unit.scoring.released import evaluated, kinds, made_release, write_lines
from tests.unit.scoring.test_time_warping import by_definition, fast_by_definition

Rows = list[list[float]]
FLIGHT = "/gibson_1/Anaheim/traj_-3"


def flown(seed: int, points: int, *, step_m: float = 0.4) -> Rows:
    rng = random.Random(seed)
    row, rows = [0.0, 0.0, 1.0, 3.0], []
    for _ in range(points):
        row = [value + rng.uniform(-step_m, step_m) for value in row]
        rows.append(row)
    return rows


def item(name: str, task: str, key: str, **fields: object) -> Item:
    question = "Fly around the table and stop at the window behind the sofa."
    return Item(
        id=new_id(), name=name, task_set="indooruav", task=task, question=question,
        answer_format="trajectory", answer_key=key, scene=SCENE.id, media=(CLIP.id,), **fields,
    )  # fmt: skip


def apart(one: list[float], other: list[float]) -> float:
    return math.dist(one[:3], other[:3])


def length(rows: Rows, part: slice) -> float:
    steps = pairwise(rows)
    return max(1e-5, sum(math.dist(one[part], other[part]) for one, other in steps))


def similarity(rows: Rows, truth: Rows, part: slice, factor: float) -> float:
    one, other = (np.array([row[part] for row in path]) for path in (rows, truth))
    return math.exp(-fast_by_definition(one, other)[0] / (factor * length(truth, part)))


def published_vla(rows: Rows, truth: Rows) -> tuple[bool, float | None]:
    rows, has_stopped = rows[1:16], False
    for index, (one, other) in enumerate(pairwise(rows)):
        if apart(one, other) < 0.15 and abs(math.degrees(one[3] - other[3])) < 15:
            rows, has_stopped = rows[: index + 1], True
            break
    if not has_stopped:
        return False, None
    near = apart(rows[-1], truth[-1]) < 0.5 and abs(math.degrees(rows[-1][3] - truth[-1][3])) < 45
    weight_m, weight_rad = length(truth, slice(3)) / 2.2, length(truth, slice(3, 4))
    both = similarity(rows, truth, slice(3), 1), similarity(rows, truth, slice(3, 4), 1)
    ndtw = (weight_m * both[0] + weight_rad * both[1]) / (weight_m + weight_rad)
    return near, ndtw if ndtw < 1 else None


def scored(tmp_path: Path, known: dict[str, tuple[Rows, Rows]], task: str, mode: Mode) -> NavigationScore:
    """Score flights by name, each with its recorded one."""
    items = [item(name, task, json.dumps(truth)) for name, (_, truth) in known.items()]
    folder = made_release(tmp_path, *items)
    rows = [
        {"episode_key": name, "trajectory": flight, "termination_reason": "no_more_instructions"}
        for name, (flight, _) in known.items()
    ]
    found = evaluated(folder, write_lines(tmp_path / "p.jsonl", rows), mode=mode)
    assert kinds(found) == {}
    return found.tables.navigation[f"indooruav/{task}"]


def stopped(rows: Rows, at: int) -> Rows:
    return [*rows[:at], rows[at - 1], *rows[at:]]


def test_vla_when_compatible_then_equals_the_published_rule(tmp_path: Path) -> None:
    known = {}
    for n in range(60):
        truth = flown(n, 4 + n % 9)
        rows = [truth[0], *stopped(truth, len(truth))] if n % 3 else flown(n + 500, 20)
        known[f"{FLIGHT}/vla_ins_{n}.json"] = (
            [[value + random.Random(n).uniform(-0.2, 0.2) for value in row] for row in rows],
            truth,
        )
    expected = [published_vla(*pair) for pair in known.values()]
    measured = [ndtw for _, ndtw in expected if ndtw is not None]
    found = scored(tmp_path, known, "vla", Mode.COMPATIBLE)
    assert 0 < sum(near for near, _ in expected) < 60
    assert found.sr_pct == pytest.approx(100 * sum(near for near, _ in expected) / 60, abs=1e-9)
    assert (found.ndtw_episodes, found.osr_pct) == (len(measured), None)
    assert found.ndtw_pct == pytest.approx(100 * sum(measured) / len(measured), abs=1e-9)


@pytest.mark.parametrize("mode", Mode)
def test_vln_when_flights_are_random_then_equals_the_rule_of_its_mode(tmp_path: Path, mode: Mode) -> None:
    known = {f"{FLIGHT}{n}/instruction.json": (flown(n, 40), flown(n + 900, 30)) for n in range(15)}
    measure = by_definition if mode is Mode.STRICT else lambda one, other: fast_by_definition(one, other)[0]
    found = scored(tmp_path, known, "vln", mode)
    ends = [apart(rows[-1], truth[-1]) for rows, truth in known.values()]
    nearest = [min(apart(row, truth[-1]) for row in rows) for rows, truth in known.values()]
    ndtw = [
        math.exp(-measure(np.array(rows)[:, :3], np.array(truth)[:, :3]) / (10 * length(truth, slice(3))))
        for rows, truth in known.values()
    ]
    assert found.ne_m == pytest.approx(sum(ends) / 15, abs=1e-9)
    assert found.sr_pct == pytest.approx(100 * sum(end <= 2 for end in ends) / 15)
    assert found.osr_pct == pytest.approx(100 * sum(near <= 2 for near in nearest) / 15)
    assert found.ndtw_pct == pytest.approx(100 * sum(ndtw) / 15, abs=1e-9)


def test_vla_when_strict_and_the_flight_does_not_stop_then_has_no_success_and_an_ndtw(tmp_path: Path) -> None:
    truth = [[n * 0.5, 0.0, 1.0, 0.0] for n in range(10)]
    found = scored(tmp_path, {f"{FLIGHT}/vla_ins_1.json": ([truth[0], *truth], truth)}, "vla", Mode.STRICT)
    assert (found.sr_pct, found.ndtw_pct, found.ndtw_episodes) == (0.0, 100.0, 1)


def test_vla_when_yaw_crosses_the_half_turn_then_strict_takes_the_shorter_way(tmp_path: Path) -> None:
    truth = [[n * 0.5, 0.0, 1.0, 3.1] for n in range(5)]
    rows = [[x, y, z, -3.1] for x, y, z, _ in truth]
    found = scored(
        tmp_path, {f"{FLIGHT}/vla_ins_1.json": ([rows[0], *rows, rows[-1]], truth)}, "vla", Mode.STRICT
    )
    assert found.sr_pct == 100.0


def test_vln_when_an_episode_ended_otherwise_then_is_left_out(tmp_path: Path) -> None:
    truth = flown(1, 10)
    items = [
        item(f"{FLIGHT}/{name}.json", "vln", json.dumps(truth)) for name in ("instruction", "instruction_pro")
    ]
    rows = [
        {"episode_key": items[0].name, "trajectory": truth, "termination_reason": "max_steps"},
        {"episode_key": items[1].name, "trajectory": truth},
    ]
    found = evaluated(made_release(tmp_path, *items), write_lines(tmp_path / "p.jsonl", rows))
    task = found.tables.navigation["indooruav/vln"]
    assert (task.episodes, task.left_out, task.sr_pct) == (1, 1, 100.0)
    assert (found.tables.overall.total, found.coverage.left_out) == (1, 1)


def test_key_when_it_names_a_recorded_flight_then_the_segment_of_it_counts(tmp_path: Path) -> None:
    poses = tuple(Pose(x_m=n, y_m=0.0, z_m=1.0, yaw_deg=90.0) for n in range(20))
    flight = Trajectory(id=new_id(), scene=SCENE.id, name=FLIGHT, poses=poses)
    key = f"{FLIGHT}/vla_ins_1.json"
    segment = item(key, "vla", key, extras={"source": [3, 8]})
    lost = item("/gibson_1/Other/traj_1/vla_ins_1.json", "vla", "/gibson_1/Other/traj_1/vla_ins_1.json")
    results = tmp_path / "results"
    results.mkdir()
    rows = [[float(n), 0.0, 1.0, math.pi / 2] for n in (2, 2, 3, 4, 5, 6, 7, 7)]
    for n, name in enumerate((key, lost.name)):
        text = json.dumps({"episode_key": name, "trajectory": rows}, indent=2)
        (results / f"{n}.json").write_text(text, encoding="gbk")
    with_flight = made_release(tmp_path, flight, segment, lost)
    found = evaluated(with_flight, results)
    task = found.tables.navigation["indooruav/vla"]
    assert (task.episodes, task.sr_pct, task.ne_m) == (1, 100.0, 0.0)
    assert kinds(found) == {"no_answer_key": 1}


HUGE = 10**400


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(
    ("trajectory", "reason"),
    [
        ([], "trajectory: It has no poses."),
        ([[1, 2, 3]], "trajectory[0]: It should be a row of the numbers x, y, z and yaw."),
        ([["a", 1, 2, 3]], "trajectory[0]: It should be a row of the numbers x, y, z and yaw."),
        ([[1, 2, 3, 4]], "The flight has no points to compare."),
        ([[0, 0, 0, 0], [1e300, 0, 0, 0]], "trajectory[1]: A coordinate is over 1,000,000 metres"),
        ([[0, 0, 0, 0], [0, 0, 0, -1e300]], "trajectory[1]: A coordinate is over 1,000,000 metres"),
        ([[0, HUGE, 0, 0]], "trajectory[0]: A number is too large."),
        ([[0, 0, 0, 0]] * 10_001, "trajectory: It has more than 10,000 poses."),
    ],
    ids=["none", "short", "text", "one", "far", "yaw", "huge", "many"],
)
def test_flight_when_it_cannot_be_measured_then_is_unparsed_and_the_sums_are_numbers(
    tmp_path: Path, trajectory: list[object], reason: str, mode: Mode
) -> None:
    truth = flown(1, 5)
    items = [item(f"{FLIGHT}{n}/vla_ins_1.json", "vla", json.dumps(truth)) for n in range(2)]
    rows = [
        {"episode_key": one.name, "trajectory": rows}
        for one, rows in zip(items, (trajectory, truth), strict=True)
    ]
    found = evaluated(made_release(tmp_path, *items), write_lines(tmp_path / "p.jsonl", rows), mode=mode)
    assert found.tables.tasks["indooruav/vla"].unparsed == 1
    (unread,) = [one for one in found.scored if not one.is_parsed]
    assert unread.reason.startswith(reason)
    ne_m = found.tables.navigation["indooruav/vla"].ne_m
    assert ne_m is not None
    assert math.isfinite(ne_m)


def test_flight_when_missing_ones_count_as_wrong_then_they_are_failed_episodes_unless_the_record_is_lost(
    tmp_path: Path,
) -> None:
    truth = flown(1, 40)
    items = [item(f"{FLIGHT}{n}/instruction.json", "vln", json.dumps(truth)) for n in range(4)]
    lost = item("/gibson_1/Other/traj_1/instruction.json", "vln", "/gibson_1/Other/traj_1")
    folder = made_release(tmp_path, *items, lost)
    path = write_lines(tmp_path / "p.jsonl", [{"episode_key": items[0].name, "trajectory": truth}])
    found = evaluated(folder, path, scores_missing=True)
    task = found.tables.navigation["indooruav/vln"]
    assert (task.episodes, task.sr_pct, task.osr_pct, task.ndtw_episodes) == (4, 25.0, 25.0, 1)
    assert {name: (one.low, one.high) for name, one in task.intervals.items()} == {
        "ne_m": (None, None), "sr_pct": (0.0, 75.0), "osr_pct": (0.0, 75.0), "ndtw_pct": (None, None),
    }  # fmt: skip
    assert (found.tables.overall.total, found.tables.overall.exact_pct) == (4, 25.0)
