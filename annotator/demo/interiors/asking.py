"""Questions about floor plans in TopViewRS's nine sub-tasks, each answer computed from the plan."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.demo.interiors.catalogue import catalogue
from annotator.demo.interiors.drawing import Scale, colours_of
from annotator.demo.interiors.floor_plan import Area, FloorPlan, Furniture
from annotator.demo.interiors.routes import Route
from annotator.demo.places import clear_third, thirds
from annotator.demo.quiz import Question, ask, choose_wrong
from annotator.draft.map_words import COUNTS, WINDS, heading_text, listed
from annotator.draft.seeded_random import SeededRandom

TASK_SET = "topviewrs"
_CLEAR_DEG = 15.0
_CLEAR_M = 1.6


@dataclass(frozen=True, kw_only=True)
class MapShown:
    """A plan's map as a question shows it.

    Attributes:
        plan: The plan.
        medium: Name of the map without a way.
        is_semantic: Whether it is drawn in one colour per category; the prompt then tells the colours.
        routes: The ways, and the names of the maps that they are drawn into.
        rooms_alone: Names of cut-outs that show one room, by the room's number.
    """

    plan: FloorPlan
    medium: str
    is_semantic: bool
    routes: tuple[tuple[str, Route], ...] = ()
    rooms_alone: tuple[tuple[int, str], ...] = ()


def map_questions(shown: MapShown, *, seed: int) -> Iterator[Question]:
    """Yield the questions about one map, every sub-task as often as the plan allows without doubt.

    Args:
        shown: The map.
        seed: Seed of all draws.
    """
    asker = _Asker(shown, seed=seed)
    asked = [*asker.recognition(), *asker.localization(), *asker.static()]
    asked += [question for name, route in shown.routes for question in asker.dynamic(name, route)]
    # Where nothing else is enough like the right answer, and not too much, there is nothing to ask.
    yield from (question for question in asked if question.wrong)


class _Asker:
    """Asks about one map."""

    def __init__(self, shown: MapShown, *, seed: int) -> None:
        self._shown, self._plan = shown, shown.plan
        self._draw = SeededRandom(seed, shown.medium)
        # What there are two of cannot be asked for by its name.
        counts = Counter(thing.category for thing in self._plan.objects)
        self._single = [thing for thing in self._plan.objects if counts[thing.category] == 1]
        self._kinds = [room.kind for room in self._plan.rooms]
        self._single_rooms = [room for room in self._plan.rooms if self._kinds.count(room.kind) == 1]

    def recognition(self) -> Iterator[Question]:
        present = sorted({thing.category for thing in self._plan.objects})
        absent = [name for name in catalogue().objects if name not in present]
        for template, true, false in (("present", present, absent), ("absent", absent, present)):
            if true:
                yield self._question("object_recognition", template, self._draw.choose(true), false)
        for number, medium in self._shown.rooms_alone:
            kind = self._kinds[number]
            yield self._question("scene_recognition", "one_room", kind, [*catalogue().rooms], medium=medium)
        right = listed(sorted(set(self._kinds)))
        yield self._question("scene_recognition", "room_types", right, self._other_lists(set(self._kinds)))

    def localization(self) -> Iterator[Question]:
        things = [t for t in self._draw.shuffled(self._single) if self._third(t.area)]
        for thing in things[:2]:
            yield self._where("object_localization", "where_object", thing.area, object=thing.category)
        rooms = [room for room in self._single_rooms if self._third(room.area)]
        for room in self._draw.sample(rooms, 1):
            yield self._where("scene_localization", "where_room", room.area, room=room.kind)
        for number, room in enumerate(self._plan.rooms):
            if self._kinds.count(room.kind) == 1 and self._draw.below(2):
                yield from self._contents(number)

    def static(self) -> Iterator[Question]:
        for kind in self._draw.sample(sorted(set(self._kinds)), 2):
            count = self._kinds.count(kind)
            wrong = self._other_counts(count)
            yield self._question("scene_counting", "count_rooms", str(count), wrong, room=f"{kind}s")
        yield from self._object_relations()
        yield from self._room_relations()

    def _object_relations(self) -> Iterator[Question]:
        pairs = [(a, b) for a in self._single for b in self._single if self._wind(a.area, b.area)]
        for one, two in self._draw.sample(pairs, 2):
            yield self._relation(
                "objects", one.area, two.area, object1=f"the {one.category}", object2=f"the {two.category}"
            )

    def _room_relations(self) -> Iterator[Question]:
        rooms = self._single_rooms
        pairs = [(a, b) for a in rooms for b in rooms if self._wind(a.area, b.area)]
        for first, second in self._draw.sample(pairs, 1):
            yield self._relation(
                "rooms", first.area, second.area, room1=f"the {first.kind}", room2=f"the {second.kind}"
            )

    def dynamic(self, medium: str, route: Route) -> Iterator[Question]:
        for action in ("left", "right"):
            count = sum(turn.action == f"{action} turn" for turn in route.turns)
            wrong = self._other_counts(count)
            yield self._question(
                "dynamic_action_counting", "count_turns", str(count), wrong, medium=medium,
                action=f"actions to the {action}"
            )  # fmt: skip
        yield from self._heading(medium, route)
        passed = _in_order(self._plan, route)
        others = self._other_lists(set(passed))
        yield self._question(
            "dynamic_spatial_localization", "rooms_passed", listed(sorted(set(passed))), others, medium=medium
        )
        yield from self._turn_positions(medium, route)

    def _turn_positions(self, medium: str, route: Route) -> Iterator[Question]:
        actions = Counter(turn.action for turn in route.turns)
        for turn in route.turns:
            if actions[turn.action] != 1:
                continue
            action = f"make its only {turn.action}"
            number = self._plan.room_at(*turn.at)
            if number is not None and self._is_inside(turn.at, self._plan.rooms[number].area):
                yield self._question(
                    "dynamic_spatial_localization", "room_of_action", self._kinds[number],
                    [*catalogue().rooms], medium=medium, action=action,
                )  # fmt: skip
            if near := self._nearest(turn.at):
                others = sorted({t.category for t in self._plan.objects} - {near.category})
                yield self._question(
                    "dynamic_spatial_localization", "object_of_action", near.category, others,
                    medium=medium, action=action,
                )  # fmt: skip

    def _heading(self, medium: str, route: Route) -> Iterator[Question]:
        hour = round(route.heading_deg / 30) % 12
        if abs(route.heading_deg - 30 * round(route.heading_deg / 30)) > 11:
            return
        others = [(hour + turn) % 12 for turn in (3, 6, 9)]
        yield self._question(
            "dynamic_relative_spatial_reasoning", "heading", heading_text(hour),
            [heading_text(h) for h in others], medium=medium,
        )  # fmt: skip

    def _nearest(self, at: tuple[float, float]) -> Furniture | None:
        """Return the one thing near a place, None where none is, or others are nearly as near."""
        ranked = sorted(self._plan.objects, key=lambda thing: _gap_m(thing.area, at))
        near, next_one = ranked[:2]
        is_clear = _gap_m(near.area, at) < 0.9 and _gap_m(next_one.area, at) > _gap_m(near.area, at) + 0.5
        is_same_room = self._plan.room_at(*at) == near.room
        return near if is_clear and is_same_room and len(self._plan.objects) > 3 else None

    def _contents(self, number: int) -> Iterator[Question]:
        inside = {thing.category for thing in self._plan.objects if thing.room == number}
        outside = sorted({thing.category for thing in self._plan.objects} - inside)
        if inside:
            right = self._draw.choose(sorted(inside))
            room = f"the {self._kinds[number]}"
            yield self._question("scene_localization", "objects_of_room", right, outside, room=room)

    def _where(self, task: str, template: str, area: Area, **slots: str) -> Question:
        right = self._third(area)
        return self._question(task, template, right, thirds(), **slots)

    def _third(self, area: Area) -> str:
        """Return in which ninth of the map a place is, "" where it is too near to a border of two."""
        return clear_third(area.middle, size=(self._plan.width_m, self._plan.depth_m))

    def _relation(self, template: str, one: Area, two: Area, **slots: str) -> Question:
        right = self._wind(one, two)
        return self._question("relative_spatial_relations", template, right, WINDS, **slots)

    def _wind(self, one: Area, two: Area) -> str:
        """Return where one place lies seen from another, "" where that is not clear."""
        x, y = one.middle[0] - two.middle[0], one.middle[1] - two.middle[1]
        angle = float(np.degrees(np.arctan2(x, -y)) % 360)
        is_clear = abs(angle - 45 * round(angle / 45)) <= _CLEAR_DEG and np.hypot(x, y) >= _CLEAR_M
        return WINDS[round(angle / 45) % 8] if is_clear else ""

    def _is_inside(self, at: tuple[float, float], area: Area) -> bool:
        return area.grown(-0.4).holds(*at)

    def _other_lists(self, kinds: set[str]) -> list[str]:
        """Return lists of rooms that differ from the right one by one or two kinds more, less or other."""
        return [listed(sorted(rooms)) for rooms in dict.fromkeys(self._other_sets(kinds)) if rooms]

    def _other_sets(self, kinds: set[str]) -> Iterator[frozenset[str]]:
        absent = [kind for kind in catalogue().rooms if kind not in kinds]
        for extra in self._draw.shuffled(absent):
            yield frozenset(kinds | {extra})
            yield from (frozenset(kinds - {gone} | {extra}) for gone in sorted(kinds))
        if len(kinds) > 1:
            yield from (frozenset(kinds - {gone}) for gone in sorted(kinds))
        for one, two in itertools.combinations(absent, 2):
            yield from (frozenset(kinds - {gone} | {one, two}) for gone in sorted(kinds))

    def _other_counts(self, count: int) -> list[str]:
        """Return the others of four counts in a row; the place of the right one among them is drawn."""
        # So that it is the least as often as the most.
        low = self._draw.between(max(0, count - 3), count)
        return [n for n in COUNTS[low : low + 4] if n != str(count)]

    def _question(
        self, task: str, template: str, right: str, others: Sequence[str], *, medium: str = "",
        **slots: str,
    ) -> Question:  # fmt: skip
        """Return a question; without wrong options where too few of the others are fit for one."""
        text = ask(TASK_SET, task, template=template, **slots)
        if self._shown.is_semantic:
            text = f"{text} {_colour_text(self._plan)}"
        return Question(
            task_set=TASK_SET,
            task=task,
            text=text,
            media=(medium or self._shown.medium,),
            right=right,
            wrong=choose_wrong(right, others, count=3, draw=self._draw) or (),
            scene=self._plan.name,
            view="semantic" if self._shown.is_semantic else "realistic",
        )


def plan_truth(plan: FloorPlan, routes: Sequence[tuple[str, Route]]) -> dict[str, object]:
    """Return what is true about a plan and its ways, as JSON."""
    scale = Scale(plan)
    return {
        "scene": plan.name,
        "size_px": list(scale.size),
        "pixels_per_m": catalogue().pixels_per_m,
        "margin_m": catalogue().margin_m,
        "rooms": [
            {"number": n, "kind": room.kind, "box": scale.box(room.area)} for n, room in enumerate(plan.rooms)
        ],
        "doors": [{"rooms": door.rooms, "box": scale.box(door.area)} for door in plan.doors],
        "objects": [
            {
                "category": thing.category,
                "room": thing.room,
                "box": scale.box(thing.area),
                "height_m": catalogue().objects[thing.category].height_m,
            }
            for thing in plan.objects
        ],
        "colours": colours_of(plan),
        "routes": [
            {
                "map": name,
                "points": [scale.point(*p) for p in route.points],
                "rooms": route.rooms,
                "turns": [
                    {"at": scale.point(*t.at), "action": t.action, "angle_deg": t.angle_deg}
                    for t in route.turns
                ],
                "heading_deg": route.heading_deg,
            }
            for name, route in routes
        ],
    }


def _in_order(plan: FloorPlan, route: Route) -> list[str]:
    return [plan.rooms[number].kind for number in route.rooms]


def _gap_m(area: Area, at: tuple[float, float]) -> float:
    """Return the distance of a point from a rectangle, 0 inside."""
    return float(np.hypot(max(area.x1 - at[0], 0, at[0] - area.x2), max(area.y1 - at[1], 0, at[1] - area.y2)))


def _colour_text(plan: FloorPlan) -> str:
    names = [f"{name} #{code}" for name, code in colours_of(plan).items()]
    return f"Colours: {', '.join(names)}."
