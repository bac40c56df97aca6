from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from annotator.demo.interiors.asking import MapShown, map_questions
from annotator.demo.interiors.catalogue import catalogue
from annotator.demo.interiors.drawing import Scale, colours_of, draw_realistic, draw_semantic
from annotator.demo.interiors.floor_plan import FloorPlan, make_plan
from annotator.demo.interiors.routes import Route, draw_route, find_route
from annotator.demo.terrain import colour_of

SEED = 7


@pytest.fixture(
    scope="module",
    params=[(3, 7), (6, 12), *(pytest.param(size, marks=pytest.mark.slow) for size in [(5, 7), (7, 7)])],
    ids=str,
)
def plan(request: pytest.FixtureRequest) -> FloorPlan:
    rooms, seed = request.param
    return make_plan(f"flat-{rooms}", rooms=rooms, seed=seed)


@pytest.fixture(scope="module")
def route(plan: FloorPlan) -> Route:
    found = find_route(plan, start=0, end=len(plan.rooms) - 1, seed=SEED)
    assert found is not None
    return found


def test_rooms_when_planned_then_they_cover_the_floor_and_doors_lead_to_all(plan: FloorPlan) -> None:
    assert sum(room.area.size_m2 for room in plan.rooms) == pytest.approx(plan.width_m * plan.depth_m)
    reached = {0}
    for _ in plan.doors:
        reached |= {n for door in plan.doors if set(door.rooms) & reached for n in door.rooms}
    assert reached == set(range(len(plan.rooms)))
    most = {kind: facts.most for kind, facts in catalogue().rooms.items()}
    assert all(count <= most[kind] for kind, count in Counter(r.kind for r in plan.rooms).items())


def test_furniture_when_placed_then_it_stands_in_its_room_and_in_nothing_else(plan: FloorPlan) -> None:
    standing = [t for t in plan.objects if catalogue().objects[t.category].height_m > 0.1]
    for thing in plan.objects:
        room = plan.rooms[thing.room]
        assert room.area.holds(thing.area.x1, thing.area.y1)
        assert room.area.holds(thing.area.x2, thing.area.y2)
        assert thing.category in catalogue().rooms[room.kind].objects
    assert not any(one.area.meets(two.area) for one, two in itertools.combinations(standing, 2))
    assert not any(thing.area.meets(door.area) for thing in standing for door in plan.doors)


def test_semantic_map_when_drawn_then_each_thing_has_its_colour_but_where_higher_ones_stand(
    plan: FloorPlan,
) -> None:
    image, scale, heights = draw_semantic(plan), Scale(plan), catalogue().objects
    for thing in plan.objects:
        x1, y1, x2, y2 = scale.box(thing.area)
        colour = colour_of(colours_of(plan)[thing.category])
        own = (image[y1:y2, x1:x2] == colour).all(axis=2)
        over = [t for t in plan.objects if heights[t.category].height_m > heights[thing.category].height_m]
        if not any(t.area.meets(thing.area, gap_m=0.02) for t in over):
            assert own.all()
    found = {tuple(colour) for colour in image.reshape(-1, 3).tolist()}
    listed = {colour_of(code) for code in colours_of(plan).values()}
    assert found <= listed | {colour_of(catalogue().ground_semantic)}


def test_realistic_map_when_drawn_then_it_is_of_the_same_size_and_the_same_again(plan: FloorPlan) -> None:
    image = draw_realistic(plan, seed=SEED)
    assert image.shape == draw_semantic(plan).shape
    assert image.std() > 30
    assert (image == draw_realistic(plan, seed=SEED)).all()


def test_route_when_found_then_it_keeps_off_furniture_and_walls(plan: FloorPlan, route: Route) -> None:
    half = catalogue().wall_m / 2
    for one, two in itertools.pairwise(route.points):
        for share in np.linspace(0, 1, 60):
            x, y = (np.array(one) + share * (np.array(two) - one)).tolist()
            inside = any(room.area.grown(-half).holds(x, y) for room in plan.rooms)
            assert inside or any(door.area.grown(0.06).holds(x, y) for door in plan.doors)
    assert not _touched(plan, route)
    assert route.rooms[0] == 0
    assert route.rooms[-1] == len(plan.rooms) - 1


@pytest.mark.parametrize(("rooms", "seed", "end"), [(4, 3, 3), (5, 1, 0), (6, 2, 5), (7, 0, 6), (8, 4, 7)])
def test_route_when_its_corners_are_cut_then_it_still_touches_nothing(
    rooms: int, seed: int, end: int
) -> None:
    plan = make_plan(f"flat-{rooms}", rooms=rooms, seed=seed)
    found = [find_route(plan, start=start, end=end, seed=seed) for start in range(rooms) if start != end]
    routes = [route for route in found if route is not None]
    assert routes
    assert [_touched(plan, route) for route in routes] == [[] for _ in routes]


def _touched(plan: FloorPlan, route: Route) -> list[str]:
    """Return what stands where a way leads."""
    positions = [
        (np.array(one) + share * (np.array(two) - one)).tolist()
        for one, two in itertools.pairwise(route.points)
        for share in np.linspace(0, 1, 200)
    ]
    standing = [t for t in plan.objects if catalogue().objects[t.category].height_m >= 0.1]
    return [t.category for t in standing if any(t.area.holds(*location) for location in positions)]


def test_turns_when_counted_then_they_are_the_corners_over_thirty_degrees(route: Route) -> None:
    headings = [
        np.degrees(np.arctan2(two[1] - one[1], two[0] - one[0]))
        for one, two in itertools.pairwise(route.points)
    ]
    changes = [(two - one + 180) % 360 - 180 for one, two in itertools.pairwise(headings)]
    expected = ["right turn" if change > 0 else "left turn" for change in changes if abs(change) > 30]
    assert [turn.action for turn in route.turns] == expected


def test_route_when_drawn_then_start_and_end_have_their_colours_and_the_map_stays(
    plan: FloorPlan, route: Route
) -> None:
    image, scale = draw_semantic(plan), Scale(plan)
    drawn = draw_route(image, route, scale=scale)
    for position, colour in ((route.points[0], (0, 255, 0)), (route.points[-1], (0, 0, 255))):
        x, y = map(round, scale.point(*position))
        assert tuple(drawn[y, x].tolist()) == colour
    assert (draw_semantic(plan) == image).all()
    assert (drawn != image).any()


def test_questions_when_asked_then_keys_agree_with_the_plan(plan: FloorPlan, route: Route) -> None:
    shown = MapShown(
        plan=plan, medium="m", is_semantic=False, routes=(("r", route),), rooms_alone=((0, "c"),)
    )
    asked = list(map_questions(shown, seed=SEED))
    kinds = Counter(room.kind for room in plan.rooms)
    assert {q.task for q in asked} >= {"object_recognition", "scene_counting", "dynamic_action_counting"}
    for question in asked:
        assert len({question.right, *question.wrong}) == 4
        if question.task == "scene_counting":
            kind = question.text.removeprefix("How many ").partition("s are there")[0]
            assert question.right == str(kinds[kind])
        if question.task == "dynamic_action_counting":
            side = question.text.partition("to the ")[2].split()[0]
            assert question.right == str(sum(t.action == f"{side} turn" for t in route.turns))
        if question.task == "object_localization":
            name = question.text.removeprefix("Where is the ").partition(" in the")[0]
            (thing,) = (t for t in plan.objects if t.category == name)
            column = ("left", "middle", "right")[int(3 * thing.area.middle[0] / plan.width_m)]
            row = ("upper", "middle", "lower")[int(3 * thing.area.middle[1] / plan.depth_m)]
            assert question.right == ("centre" if row == column == "middle" else f"{row} {column}")


def test_semantic_question_when_asked_then_it_tells_the_colours(plan: FloorPlan) -> None:
    shown = MapShown(plan=plan, medium="m", is_semantic=True)
    for question in map_questions(shown, seed=SEED):
        assert all(f"{name} #{code}" in question.text for name, code in colours_of(plan).items())
