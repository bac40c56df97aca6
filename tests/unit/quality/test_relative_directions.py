"""Directions of the compass said relative to the drone, from the heading of its trajectory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotator.commands.item_repairs import repair_of
from annotator.domain.item import Item
from annotator.domain.trajectory import Pose, Trajectory
from annotator.quality.live_checks import run_live_checks
from annotator.quality.relative_directions import compass_heading, with_relative_directions
from annotator.session import Session
from tests.unit.store.making import ANNA, created, write


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as opened:
        yield opened


def fly(session: Session, *yaws: float, axes: str = "north-east-down", **fields: object) -> None:
    poses = tuple(Pose(x_m=0, y_m=0, z_m=0, yaw_deg=yaw) for yaw in yaws)
    made = Trajectory(id=f"t{axes}{yaws}", scene="s", axes=axes, poses=poses, **fields)  # type: ignore[arg-type]
    write(session, created("trajectory", made))


@pytest.mark.parametrize(
    ("text", "heading", "expected"),
    [
        ("The drone flies north.", 0, "The drone flies ahead."),
        ("The drone flies to the north.", 270, "The drone flies to the right."),
        ("It turns eastwards over the lake.", 90, "It turns ahead over the lake."),
        ("heading towards the south-west", 45, "heading back"),
        ("The car is north of the tower.", 0, "The car is beyond the tower."),
        ("The car is to the east of the tower.", 0, "The car is to the right of the tower."),
        ("at the northern corner of the square", 180, "at the near corner of the square"),
        ("on the east side", 0, "on the right side"),
        ("无人机向北飞行", 90, "无人机向左侧飞行"),
        ("在建筑物的东北方", 0, "在建筑物的右前方"),
        ("It turns left at North Street.", 0, "It turns left at North Street."),
        ("left of the map", 0, "left of the map"),
    ],
)
def test_with_relative_directions_when_the_heading_is_known_then_the_drone_is_the_reference(
    text: str, heading: float, expected: str
) -> None:
    assert with_relative_directions(text, heading_deg=heading) == expected


@pytest.mark.parametrize(
    ("yaw", "axes", "heading"),
    [
        (0.0, "east-north-up", 90.0),
        (90.0, "east-north-up", 0.0),
        (-90.0, "north-east-down", 270.0),
        (5.0, "source", None),
    ],
)
def test_compass_heading_when_axes_are_known_then_it_counts_clockwise_from_north(
    yaw: float, axes: str, heading: float | None
) -> None:
    assert compass_heading(yaw, axes=axes) == heading


def test_live_checks_when_a_direction_is_absolute_then_the_repair_says_it_from_the_drone(
    session: Session, make_item: Callable[..., Item]
) -> None:
    fly(session, 85.0, 90.0)
    item = make_item("I fly east", "I fly south", task_set="urbanvideo", task="landmark_position", scene="s")
    write(session, created("item", item))
    checks = run_live_checks(session.reader, item)
    finding = next(each for each in checks.findings if each.check == "absolute_direction")
    assert finding.field_path == "options[0]"
    repair = repair_of(finding, item, heading_deg=checks.heading_deg)
    assert repair is not None
    assert str(repair.summary) == "Replace ‘east’ with ‘ahead’"
    session.execute(repair).result()
    options = session.reader.require(Item, item.id).options
    assert [option.text for option in options] == ["I fly ahead", "I fly to the right"]
    session.undo().result()
    assert session.reader.require(Item, item.id) == item


@pytest.mark.parametrize(
    ("yaws", "axes"), [((0.0, 90.0), "north-east-down"), ((0.0,), "source"), ((), "north-east-down")]
)
def test_live_checks_when_the_heading_is_not_certain_then_a_direction_has_only_advice(
    session: Session, make_item: Callable[..., Item], yaws: tuple[float, ...], axes: str
) -> None:
    fly(session, *yaws, axes=axes)
    item = make_item("I fly east", "I fly on", task_set="urbanvideo", task="landmark_position", scene="s")
    checks = run_live_checks(session.reader, item)
    finding = next(each for each in checks.findings if each.check == "absolute_direction")
    assert "drone" in finding.advice
    assert repair_of(finding, item, heading_deg=checks.heading_deg) is None
