"""Every key of drafted items is computed again from the floor plans, with geometry of its own in metres."""

from __future__ import annotations

import difflib
import itertools
from collections import Counter, defaultdict

import numpy as np
import pytest

from annotator.demo.captures import Interior
from annotator.demo.interiors.drawing import Scale
from annotator.demo.interiors.floor_plan import Area, FloorPlan
from annotator.demo.interiors.routes import Route
from annotator.domain.item import Item
from annotator.draft.map_words import PARTS, WINDS
from annotator.draft.scene_facts import SceneFacts
from annotator.quality.checks.balance import uniform_chance
from tests.unit.draft.map_facts import TOPVIEWRS, draft, facts_of, interior_of, items_of

RULES = [task.drafted_by.partition(".")[2] for task in TOPVIEWRS.tasks]
SEEDS = (0, 1)


class Asked:
    """A drafted item with the floor plan that it asks about."""

    def __init__(self, item: Item, interior: Interior, facts: SceneFacts) -> None:
        self.item, self.interior, self.plan = item, interior, interior.plan
        self.template = item.provenance.maker.partition(" ")[2]
        self.options = {option.letter: option.text for option in item.options}
        self.right = self.options[item.answer_key]
        self.wrong = [text for letter, text in self.options.items() if letter != item.answer_key]
        self.question = item.question.partition(" Colours:")[0]
        name = facts.scene.name
        self.only = int(name.rpartition("-")[2]) if "-room-" in name else None
        numbers = {region.id: region.number for found in facts.regions.values() for region in found}
        self.numbers = [numbers[one] for one in item.provenance.labels if one in numbers]

    @property
    def shown(self) -> list[str]:
        """Categories of the objects that the map shows."""
        return [thing.category for thing in self.plan.objects if self.only in (None, thing.room)]

    def area(self, number: int) -> Area:
        """Return the floor of the object or room with a region's number."""
        count = len(self.plan.objects)
        return self.plan.objects[number].area if number < count else self.plan.rooms[number - count].area

    def category(self, number: int) -> str:
        """Return its category or kind."""
        count = len(self.plan.objects)
        return self.plan.objects[number].category if number < count else self.plan.rooms[number - count].kind

    @property
    def route(self) -> Route:
        """The way that the item's map shows."""
        return self.interior.routes[self.item.view.partition(" ")[2]]


def _interiors() -> list[Interior]:
    return [interior_of(f"flat-{n}", rooms=rooms, seed=7 + n) for n, rooms in enumerate((3, 5, 6, 7), 1)]


@pytest.fixture(scope="module")
def asked() -> list[Asked]:
    return [
        Asked(drafted.item, interior, facts)
        for interior in _interiors()
        for facts in facts_of(interior)
        for rule in RULES
        for seed in SEEDS
        for drafted in items_of(draft(rule, facts, seed=seed))
    ]


def _of(asked: list[Asked], *templates: str) -> list[Asked]:
    found = [one for one in asked if one.template in templates]
    assert {one.template for one in found} == {*templates}
    return found


def test_items_when_drafted_from_floor_plans_then_all_fifteen_templates_are_used(asked: list[Asked]) -> None:
    templates = {template.id for task in TOPVIEWRS.tasks for template in task.templates}
    assert len(templates) == 15
    assert {one.template for one in asked} == templates


def test_object_recognition_when_checked_with_the_plan_then_one_option_is_right(asked: list[Asked]) -> None:
    for one in _of(asked, "present"):
        assert one.right in one.shown
        assert not {*one.wrong} & {*one.shown}
    for one in _of(asked, "absent"):
        assert one.right not in one.shown
        assert {*one.wrong} <= {*one.shown}


def test_scene_recognition_when_checked_with_the_plan_then_one_option_is_right(asked: list[Asked]) -> None:
    for one in _of(asked, "one_room"):
        assert one.only is not None
        assert one.right == one.plan.rooms[one.only].kind
        assert one.right not in one.wrong
    for one in _of(asked, "room_types"):
        kinds = {room.kind for room in one.plan.rooms}
        assert _kinds_in(one.right) == kinds
        assert all(_kinds_in(text) != kinds for text in one.wrong)


def test_localization_when_checked_on_a_raster_then_the_middle_is_in_the_part_and_nothing_is_in_wrong_ones(
    asked: list[Asked],
) -> None:
    for one in _of(asked, "where_object", "where_room"):
        (number,) = one.numbers
        shares = _raster_shares(one, one.area(number))
        assert one.category(number) in one.question
        assert one.right == _part_of_middle(one, one.area(number))
        assert shares[one.right] > 0
        assert all(shares[text] == 0 for text in one.wrong)
    for one in _of(asked, "where_object"):
        assert one.shown.count(one.category(one.numbers[0])) == 1


def test_objects_of_room_when_checked_with_the_plan_then_only_the_right_one_stands_there(
    asked: list[Asked],
) -> None:
    for one in _of(asked, "objects_of_room"):
        room = one.numbers[0] - len(one.plan.objects)
        inside = {thing.category for thing in one.plan.objects if thing.room == room}
        assert one.plan.rooms[room].kind in one.question
        assert one.right in inside
        assert not {*one.wrong} & inside
        assert {*one.wrong} <= {*one.shown}


def test_scene_counting_when_checked_with_the_plan_then_the_number_is_right(asked: list[Asked]) -> None:
    found = _of(asked, "count_rooms")
    for one in found:
        kinds = Counter(room.kind for room in one.plan.rooms)
        text = one.question.removeprefix("How many ").partition(" are ")[0]
        kind = text.removesuffix("s") if text != "studies" else "study"
        assert int(one.right) == kinds[kind] > 0
        assert sorted(map(int, one.options.values())) == list(
            range(min(map(int, one.options.values())), min(map(int, one.options.values())) + 4)
        )
    # '1' alone would be right for every question about a kind with one room.
    assert len({one.right for one in found}) > 1


def test_relations_when_checked_with_complex_numbers_then_the_direction_is_within_15_degrees(
    asked: list[Asked],
) -> None:
    for one in _of(asked, "objects", "rooms"):
        first, second = (complex(*one.area(number).middle) for number in one.numbers)
        # Multiplied by i: up on the map, -i, becomes 1, and clockwise is the direction of growing angles.
        angle = float(np.degrees(np.angle((first - second) * 1j))) % 360
        off = abs((angle - 45 * WINDS.index(one.right) + 180) % 360 - 180)
        assert off <= 15.5
        names = [one.category(number) for number in one.numbers]
        assert f"the {names[0]}'s" in one.question
        assert one.question.endswith(f"the {names[1]}?")
        turns = sorted((WINDS.index(text) - WINDS.index(one.right)) % 8 for text in one.wrong)
        assert turns == [2, 4, 6]


def test_relations_when_drafted_then_no_pair_is_asked_about_twice_on_a_map(asked: list[Asked]) -> None:
    for template in ("objects", "rooms"):
        pairs = Counter(
            (one.item.provenance.seed, one.item.scene, one.item.view, frozenset(one.numbers))
            for one in _of(asked, template)
        )
        assert {*pairs.values()} == {1}


def test_dynamic_items_when_checked_with_the_ways_then_the_answers_are_those_of_the_ways(
    asked: list[Asked],
) -> None:
    for one in _of(asked, "count_turns"):
        side = one.question.partition("to the ")[2].partition(" ")[0]
        assert int(one.right) == sum(turn.action == f"{side} turn" for turn in one.route.turns)
    for one in _of(asked, "heading"):
        assert _off_heading(one.right, one.route) <= 15
        assert all(_off_heading(text, one.route) > 60 for text in one.wrong)
    for one in _of(asked, "rooms_passed"):
        kinds = {one.plan.rooms[number].kind for number in one.route.rooms}
        assert _kinds_in(one.right) == kinds
        assert all(_kinds_in(text) != kinds for text in one.wrong)
    for one in _of(asked, "room_of_action"):
        number = one.plan.room_at(*_turn_of(one).at)
        assert number is not None
        assert one.right == one.plan.rooms[number].kind
        assert one.right not in one.wrong
    for one in _of(asked, "object_of_action"):
        gaps = _gaps_by_category(one.plan, _turn_of(one).at)
        assert one.right == min(gaps, key=lambda category: gaps[category])
        assert all(gaps.get(text, np.inf) > gaps[one.right] + 0.4 for text in one.wrong)


def test_letters_when_drafted_then_each_is_right_equally_often(asked: list[Asked]) -> None:
    letters = Counter(one.item.answer_key for one in asked)
    chance = uniform_chance([letters[letter] for letter in "ABCD"])
    assert chance is not None
    assert chance > 0.05


def test_options_when_drafted_then_there_are_four_and_none_are_alike(asked: list[Asked]) -> None:
    for one in asked:
        texts = list(one.options.values())
        assert list(one.options) == list("ABCD")
        for first, second in itertools.permutations(texts, 2):
            assert difflib.SequenceMatcher(None, first, second).ratio() <= 0.85


def test_options_of_lists_when_counted_then_no_kind_tells_the_right_one(asked: list[Asked]) -> None:
    for one in _of(asked, "room_types", "rooms_passed"):
        lists = [_kinds_in(text) for text in one.options.values()]
        assert len({len(kinds) for kinds in lists}) == 1
        shared = [sum(len(kinds & other) for other in lists) for kinds in lists]
        assert len(set(shared)) == 1


def test_names_when_drafted_then_each_is_unique_and_the_same_for_other_ids_and_seeds() -> None:
    interior = interior_of("flat-9", rooms=5)
    names = [
        [
            drafted.item.name
            for facts in facts_of(interior)
            for rule in RULES
            for drafted in items_of(draft(rule, facts))
        ]
        for _ in range(2)
    ]
    # Each call of `facts_of` gives all records new ids.
    assert names[0] == names[1]
    assert len(set(names[0])) == len(names[0])


def test_items_when_the_same_seed_is_used_then_they_are_the_same_and_another_seed_changes_them() -> None:
    (facts, *_) = facts_of(interior_of("flat-9", rooms=5))

    def texts(seed: int) -> list[tuple[object, ...]]:
        found = [drafted.item for rule in RULES for drafted in items_of(draft(rule, facts, seed=seed))]
        return [(item.name, item.question, item.options, item.answer_key) for item in found]

    assert texts(3) == texts(3)
    assert texts(3) != texts(4)


def test_semantic_maps_when_drafted_then_the_question_tells_the_colours_of_map_and_options(
    asked: list[Asked],
) -> None:
    for one in asked:
        legend = one.item.question.partition(" Colours: ")[2]
        assert bool(legend) == one.item.view.startswith("semantic")
        if legend:
            colours = dict(part.split(" #") for part in legend.removesuffix(".").split(", "))
            assert {*one.shown} <= {*colours}
            assert len({*colours.values()}) == len(colours)
            if one.template in ("present", "absent", "object_of_action", "objects_of_room"):
                assert {*one.options.values()} <= {*colours}


def test_evidence_when_drafted_then_it_names_records_of_the_scene(asked: list[Asked]) -> None:
    assert all(one.item.provenance.labels for one in asked)
    assert {one.item.provenance.maker.partition(" ")[0] for one in asked} == {
        f"topviewrs.{rule}@2" for rule in RULES
    }


def _kinds_in(text: str) -> frozenset[str]:
    return frozenset(text.replace(" and ", ", ").split(", "))


def _map_box(one: Asked) -> tuple[float, float, float, float]:
    """Return the floor that the item's map shows, metres: x1, y1, x2, y2."""
    if one.only is not None:
        area = one.plan.rooms[one.only].area
        return area.x1, area.y1, area.x2, area.y2
    scale = Scale(one.plan)
    margin = scale.margin_m
    return -margin, -margin, scale.size[0] / scale.per_m - margin, scale.size[1] / scale.per_m - margin


def _part_of_middle(one: Asked, area: Area) -> str:
    x1, y1, x2, y2 = _map_box(one)
    column = np.digitize((area.x1 + area.x2) / 2, [x1 + (x2 - x1) / 3, x1 + 2 * (x2 - x1) / 3])
    row = np.digitize((area.y1 + area.y2) / 2, [y1 + (y2 - y1) / 3, y1 + 2 * (y2 - y1) / 3])
    return PARTS[int(row)][int(column)]


def _raster_shares(one: Asked, area: Area) -> dict[str, int]:
    """Return how many cells of the map's raster each part has in common with a floor area."""
    x1, y1, x2, y2 = _map_box(one)
    xs, ys = (
        np.linspace(x1, x2, 300, endpoint=False) + (x2 - x1) / 600,
        np.linspace(y1, y2, 300, endpoint=False) + (y2 - y1) / 600,
    )
    inside = ((ys >= area.y1) & (ys < area.y2))[:, None] & ((xs >= area.x1) & (xs < area.x2))[None]
    ninths = inside.reshape(3, 100, 3, 100).sum(axis=(1, 3))
    return {PARTS[row][column]: int(ninths[row, column]) for row in range(3) for column in range(3)}


_UNIT = {"up": -1j, "right": 1, "down": 1j, "left": -1}


def _off_heading(text: str, route: Route) -> float:
    """Return by how many degrees a direction in words differs from that of a way."""
    main, _, little = text.partition(", a little ")
    said = _UNIT[main] + (np.tan(np.radians(30)) * _UNIT[little] if little else 0)
    flown = complex(*route.points[-1]) - complex(*route.points[0])
    return abs(float(np.degrees(np.angle(flown / said))))


_ORDINALS = {"only": 0, "first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4}


def _turn_of(one: Asked):
    _, _, which = one.question.partition("make its ")
    ordinal, side, _ = which.split(" ", 2)
    turns = [turn for turn in one.route.turns if turn.action.startswith(side)]
    assert (ordinal == "only") == (len(turns) == 1)
    return turns[_ORDINALS[ordinal]]


def _gaps_by_category(plan: FloorPlan, at: tuple[float, float]) -> dict[str, float]:
    gaps: dict[str, float] = defaultdict(lambda: float("inf"))
    for thing in plan.objects:
        area = thing.area
        nearest = np.clip(at[0], area.x1, area.x2), np.clip(at[1], area.y1, area.y2)
        gaps[thing.category] = min(
            gaps[thing.category], float(np.hypot(nearest[0] - at[0], nearest[1] - at[1]))
        )
    return dict(gaps)
