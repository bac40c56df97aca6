"""TopViewRS, dynamic reasoning: turns, heading, rooms and objects along the path drawn on a map."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from annotator.domain.map_categories import map_categories
from annotator.domain.map_path import MapPath, PathTurn, read_path, rooms_passed
from annotator.domain.topview_map import MapPart, TopViewMap
from annotator.draft.map_options import candidates_in_order, choose_lists, choose_wrong
from annotator.draft.map_rule import ROOM_UNKNOWN, SOME_UNKNOWN, TOO_FEW, MapQuestion, MapResult, MapRule
from annotator.draft.map_view import MapView, has_unknown_objects
from annotator.draft.map_words import COUNTS, heading_text, listed, ordinal
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.rules.topview_scene_counting import other_counts
from annotator.draft.seeded_random import SeededRandom

Draw = Callable[[str], SeededRandom]

# Source: TopViewRS asks for the heading in intervals of 30 degrees.
STEP_DEG = 30.0
CLEAR_HEADING_DEG = 11.0
"""Largest deviation from a step of 30 degrees; at 15 the next one is as right."""
LEAST_REACH = 0.1
"""A path that ends nearer to its start, as a share of the map's diagonal, heads nowhere."""
WALL_SHARE = 0.02
"""A turn nearer to the edge of its room, as a share of the diagonal, may be in the door."""
NEAR_SHARE, APART_SHARE = 0.05, 0.03
"""A turn is 'at' an object within the first distance if the next object is the second distance farther."""
# In steps of 30 degrees; those beside the right one would be nearly right.
_QUARTERS = (3, 6, 9)


@dataclass(frozen=True, kw_only=True)
class DrawnPath:
    """A path whose turns are beyond doubt, and the map that shows it.

    Attributes:
        path: The path.
        record: Id of its record.
        content: The content of the map.
    """

    path: MapPath
    record: str
    content: TopViewMap


class PathRule(MapRule):
    """A rule about the path of a map that shows exactly one."""

    asks_about_paths = True

    @abstractmethod
    def about_path(self, drawn: DrawnPath, *, draw: Draw) -> Iterator[MapResult]:
        """Yield the questions about a path whose turns are beyond doubt."""

    def questions(self, view: MapView, *, draw: Draw) -> Iterator[MapResult]:
        """Yield the questions about the path, or why there is none."""
        if not view.paths:
            # Most maps have no path; only those with one are counted.
            return
        if len(view.paths) > 1:
            yield SkippedItem("the map has several paths; make a map for each of them")
            return
        path = read_path(view.paths[0].points, diagonal_px=view.content.diagonal_px)
        if isinstance(path, str):
            yield SkippedItem(path)
        else:
            drawn = DrawnPath(path=path, record=view.paths[0].id, content=view.content)
            yield from self.about_path(drawn, draw=draw)


class TopViewActionCounting(PathRule):
    """Drafts a question about the turns to each side."""

    id = "topviewrs.action_counting"
    version = 2
    docs = RuleDocs(
        task="Dynamic Action Counting",
        right="the number of changes of direction over 30 degrees to one side",
        wrong="the others of four consecutive numbers; the position of the right one is drawn",
        no_item="no path or several; a bend within 6 degrees of the limit or over 150 degrees; bends "
        "close together; small bends that add up to a turn",
    )

    def about_path(self, drawn: DrawnPath, *, draw: Draw) -> Iterator[MapResult]:
        """Yield one question for each side."""
        for side in ("left", "right"):
            count = sum(turn.side == side for turn in drawn.path.turns)
            wrong = other_counts(count, draw(f"count {side}"))
            if wrong is None:
                yield SkippedItem("there are more than ten")
                continue
            yield MapQuestion(
                template="count_turns",
                subject=side,
                right=COUNTS[count],
                wrong=wrong,
                slots={"action": f"actions to the {side}"},
                evidence=(drawn.record,),
            )


class TopViewHeading(PathRule):
    """Drafts the question in which direction a path heads."""

    id = "topviewrs.heading"
    version = 2
    docs = RuleDocs(
        task="Dynamic Relative Spatial Reasoning",
        right="the direction from start to end in steps of 30 degrees, at most 11 degrees from the step",
        wrong="the directions at 90, 180 and 270 degrees to it",
        no_item="no path or several; its turns are in doubt; the direction is between two steps; start "
        "and end are close together",
    )

    def about_path(self, drawn: DrawnPath, *, draw: Draw) -> Iterator[MapResult]:  # noqa: ARG002 - nothing is drawn
        """Yield the question, or why there is none."""
        path = drawn.path
        step = round(path.heading_deg / STEP_DEG)
        if path.reach_px < LEAST_REACH * drawn.content.diagonal_px:
            yield SkippedItem("the path ends close to its start")
        elif abs(path.heading_deg - STEP_DEG * step) > CLEAR_HEADING_DEG:
            yield SkippedItem("the heading of the path is between two directions")
        else:
            yield MapQuestion(
                template="heading",
                subject="",
                right=heading_text(step % 12),
                wrong=tuple(heading_text((step + turn) % 12) for turn in _QUARTERS),
                slots={},
                evidence=(drawn.record,),
            )


class TopViewPathPlaces(PathRule):
    """Drafts the question which rooms a path passes, and where it makes each of its turns."""

    id = "topviewrs.path_places"
    version = 2
    docs = RuleDocs(
        task="Dynamic Spatial Localization",
        right="the kinds of the rooms that the path passes; the kind of the room in which it turns; the "
        "object next to which it turns",
        wrong="lists of the same length in which one or two kinds are exchanged, each kind in two of the"
        " four lists; other kinds of rooms, other objects, those on the map first",
        no_item="no path or several; its turns are in doubt; it only touches a room, or partly lies in "
        "none; a turn near the edge of its room; no object, or two, near the turn",
    )

    def about_path(self, drawn: DrawnPath, *, draw: Draw) -> Iterator[MapResult]:
        """Yield a result for the rooms, and two for each turn."""
        if not all(room.category for room in drawn.content.rooms):
            yield ROOM_UNKNOWN
            return
        yield self._rooms(drawn, draw("rooms"))
        counts = Counter(turn.side for turn in drawn.path.turns)
        numbers: Counter[str] = Counter()
        for turn in drawn.path.turns:
            numbers[turn.side] += 1
            if counts[turn.side] > 10:
                yield SkippedItem("there are more than ten")
                continue
            which = ordinal(numbers[turn.side], of=counts[turn.side])
            action = f"make its {which} {turn.side} turn"
            yield self._room_of(turn, action, drawn, draw(f"room {action}"))
            yield self._object_at(turn, action, drawn, draw(f"object {action}"))

    def _rooms(self, drawn: DrawnPath, draw: SeededRandom) -> MapResult:
        content = drawn.content
        rooms = rooms_passed(drawn.path, content)
        if isinstance(rooms, str):
            return SkippedItem(rooms)
        kinds = sorted({room.category for room in rooms})
        others = [room.category for room in content.rooms if room.category not in kinds]
        known = candidates_in_order(others, map_categories().rooms, draw=draw)
        lists = choose_lists(kinds, known, draw=draw)
        if lists is None:
            return TOO_FEW
        evidence = dict.fromkeys(room.region for room in rooms)
        return MapQuestion(
            template="rooms_passed",
            subject="",
            right=listed(kinds),
            wrong=tuple(listed(one) for one in lists),
            slots={},
            evidence=(drawn.record, *evidence),
        )

    def _room_of(self, turn: PathTurn, action: str, drawn: DrawnPath, draw: SeededRandom) -> MapResult:
        content = drawn.content
        room = content.room_at(turn.at)
        if room is None or room.distance_to_edge(turn.at) < WALL_SHARE * content.diagonal_px:
            return SkippedItem("the turn is near the edge of a room")
        others = [other.category for other in content.rooms]
        known = candidates_in_order(others, map_categories().rooms, draw=draw)
        wrong = choose_wrong(known, true=(room.category,), draw=draw, are_rooms=True)
        if wrong is None:
            return TOO_FEW
        return MapQuestion(
            template="room_of_action",
            subject=action,
            right=room.category,
            wrong=wrong,
            slots={"action": action},
            evidence=(drawn.record, room.region),
        )

    def _object_at(self, turn: PathTurn, action: str, drawn: DrawnPath, draw: SeededRandom) -> MapResult:
        content = drawn.content
        if has_unknown_objects(content):
            return SOME_UNKNOWN
        near = _nearest(turn, content)
        if near is None:
            return SkippedItem("the turn is not clearly at one object")
        others = [part.category for part in content.objects]
        known = candidates_in_order(others, map_categories().objects, draw=draw)
        wrong = choose_wrong(known, true=(near.category, *content.hidden), draw=draw)
        if wrong is None:
            return TOO_FEW
        return MapQuestion(
            template="object_of_action",
            subject=action,
            right=near.category,
            wrong=wrong,
            slots={"action": action},
            evidence=(drawn.record, near.region),
            named=(near.category, *wrong),
        )


def _nearest(turn: PathTurn, content: TopViewMap) -> MapPart | None:
    """Return the object at which a path turns, None where none is near, or another one is nearly as near."""
    ranked = sorted((part.distance_to(turn.at), part.number, part) for part in content.objects)
    if not ranked or ranked[0][0] > NEAR_SHARE * content.diagonal_px:
        return None
    distance, _, near = ranked[0]
    # Another one of the same category makes the answer only more right.
    others = [gap for gap, _, part in ranked[1:] if part.category != near.category]
    is_clear = all(gap - distance > APART_SHARE * content.diagonal_px for gap in others)
    is_same_room = content.room_at(near.middle) is content.room_at(turn.at)
    return near if is_clear and is_same_room else None
