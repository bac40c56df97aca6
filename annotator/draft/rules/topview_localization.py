"""TopViewRS, Object and Scene Localization: where an object or a room lies, and what a room has."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from annotator.domain.topview_map import MapPart, TopViewMap
from annotator.draft.map_options import WRONG_OPTIONS, candidates_in_order, choose_wrong
from annotator.draft.map_rule import (
    ROOM_UNKNOWN,
    SOME_UNKNOWN,
    TOO_FEW,
    MapQuestion,
    MapResult,
    MapRule,
    unique_parts,
)
from annotator.draft.map_view import MapView, has_unknown_objects
from annotator.draft.map_words import PARTS
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.seeded_random import SeededRandom

BORDER_SHARE = 0.04
"""A middle nearer to the border of two parts, as a share of the map's side, belongs to neither."""
NEAR_BORDER = SkippedItem("the middle is near the border of two parts of the map")
SEVERAL = SkippedItem("the map has several of the category")


class TopViewObjectLocalization(MapRule):
    """Drafts a question about the place of each object whose category is unique on the map."""

    id = "topviewrs.object_localization"
    version = 2
    docs = RuleDocs(
        task="Object Localization",
        right="the ninth of the map in which the middle of the only object of its category lies, 4 % of "
        "the side away from the next one",
        wrong="ninths that the object does not reach",
        no_item="several objects of the category; an object has no category; the middle is near a border",
    )

    def questions(self, view: MapView, *, draw: Callable[[str], SeededRandom]) -> Iterator[MapResult]:
        """Yield one result for each object."""
        content = view.content
        if has_unknown_objects(content):
            yield SOME_UNKNOWN
            return
        unique = unique_parts(content.objects, also=content.hidden)
        for part in content.objects:
            if part not in unique:
                yield SEVERAL
            else:
                subject = f"region {part.number}"
                slots = {"object": part.category}
                yield ask_where(part, content, "where_object", subject, slots, draw(subject))


class TopViewSceneLocalization(MapRule):
    """Drafts questions about the place and the objects of each room whose kind is unique on the map."""

    id = "topviewrs.scene_localization"
    version = 2
    docs = RuleDocs(
        task="Scene Localization",
        right="the ninth of the map in which the middle of the only room of its kind lies; an object in "
        "the room",
        wrong="ninths that the room does not reach; objects on the map of which none, and nothing "
        "similar, reaches into the room",
        no_item="several rooms of the kind; a room or an object without category; the middle is near a "
        "border; too few other objects",
    )

    def questions(self, view: MapView, *, draw: Callable[[str], SeededRandom]) -> Iterator[MapResult]:
        """Yield two results for each room, where the map has several."""
        content = view.content
        if len(content.rooms) < 2:
            yield SkippedItem("the map does not show several rooms")
            return
        if not all(room.category for room in content.rooms):
            yield ROOM_UNKNOWN
            return
        unique = unique_parts(content.rooms)
        for room in content.rooms:
            if room not in unique:
                yield SEVERAL
                continue
            subject, slots = f"region {room.number}", {"room": room.category}
            yield ask_where(room, content, "where_room", subject, slots, draw(f"where {subject}"))
            yield self._objects(room, content, subject, draw(f"objects {subject}"))

    def _objects(self, room: MapPart, content: TopViewMap, subject: str, draw: SeededRandom) -> MapResult:
        if has_unknown_objects(content):
            return SOME_UNKNOWN
        inside = [part for part in content.objects if _is_inside(part, room)]
        if not inside:
            return SkippedItem("no object lies in the room")
        wrong = _wrong_objects(room, content, draw)
        if wrong is None:
            return TOO_FEW
        right = draw.choose(sorted({part.category for part in inside}))
        return MapQuestion(
            template="objects_of_room",
            subject=subject,
            right=right,
            wrong=wrong,
            slots={"room": f"the {room.category}"},
            evidence=(room.region, *(part.region for part in inside if part.category == right)),
            named=(right, *wrong),
        )


def _wrong_objects(room: MapPart, content: TopViewMap, draw: SeededRandom) -> tuple[str, ...] | None:
    # Small objects are not drawn, but a wrong option must not name one that stands there; where they stand is
    # not looked up.
    reaching = [part.category for part in content.objects if _reaches(part, room)] + [*content.hidden]
    elsewhere = {part.category for part in content.objects} - {*reaching}
    return choose_wrong(candidates_in_order(elsewhere, draw=draw), true=reaching, draw=draw)


def ask_where(
    part: MapPart,
    content: TopViewMap,
    template: str,
    subject: str,
    slots: dict[str, str],
    draw: SeededRandom,
) -> MapResult:
    """Return the question in which ninth of a map a part lies, or why it is in doubt."""
    size = content.width_px, content.height_px
    shares = [at / side for at, side in zip(part.middle, size, strict=True)]
    if any(abs(share - border) < BORDER_SHARE for share in shares for border in (1 / 3, 2 / 3)):
        return NEAR_BORDER
    column, row = (min(2, max(0, int(3 * share))) for share in shares)
    # A part that reaches into another ninth would make that one partly right.
    free = [PARTS[y][x] for x, y in _ninths_without(part, size=size) if (x, y) != (column, row)]
    if len(free) < WRONG_OPTIONS:
        return SkippedItem("it reaches into too many parts of the map")
    return MapQuestion(
        template=template,
        subject=subject,
        right=PARTS[row][column],
        wrong=tuple(draw.sample(free, WRONG_OPTIONS)),
        slots=slots,
        evidence=(part.region,),
    )


def _ninths_without(part: MapPart, *, size: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield column and row of the ninths of a map that a part does not meet, row by row."""
    for row, column in itertools.product(range(3), range(3)):
        if not _meets_ninth(part, column=column, row=row, size=size):
            yield column, row


def _meets_ninth(part: MapPart, *, column: int, row: int, size: tuple[int, int]) -> bool:
    wide, high = size[0] / 3, size[1] / 3
    box = part.box
    across = box.x1 < (column + 1) * wide and box.x2 > column * wide
    return across and box.y1 < (row + 1) * high and box.y2 > row * high


def _is_inside(part: MapPart, room: MapPart) -> bool:
    """Return whether an object stands in a room: no corner is farther outside than a tenth of its side."""
    slack_px = 0.1 * min(part.box.x2 - part.box.x1, part.box.y2 - part.box.y1)
    return room.holds(part.middle) and all(room.distance_to(corner) <= slack_px for corner in part.corners)


def _reaches(part: MapPart, room: MapPart) -> bool:
    """Return whether any of an object's box lies in the box of a room."""
    one, two = part.box, room.box
    return one.x1 < two.x2 and two.x1 < one.x2 and one.y1 < two.y2 and two.y1 < one.y2
