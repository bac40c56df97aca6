"""TopViewRS, Relative Spatial Relations: where an object or a room lies, seen from another one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from annotator.domain.topview_map import MapPart
from annotator.draft.map_rule import (
    ROOM_UNKNOWN,
    SOME_UNKNOWN,
    MapQuestion,
    MapResult,
    MapRule,
    unique_parts,
)
from annotator.draft.map_view import MapView, has_unknown_objects
from annotator.draft.map_words import WINDS
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.seeded_random import SeededRandom

CLEAR_DEG = 15.0
"""Largest deviation from one of the eight directions; beyond it, two of them are nearly as right."""
# In steps of 45 degrees; those beside the right one would be nearly right.
QUARTERS = (2, 4, 6)


class TopViewRelations(MapRule):
    """Drafts a question about each unique object, and each unique room, and another one drawn for it."""

    id = "topviewrs.relations"
    version = 2
    docs = RuleDocs(
        task="Relative Spatial Relations",
        right="the direction from the middle of the second object or room to that of the first, in steps"
        " of 45 degrees; at most 15 degrees from the step",
        wrong="the three directions at 90, 180 and 270 degrees to it",
        no_item="category or kind not unique or missing; no other object or room that does not overlap "
        "it lies in a clear direction",
    )

    def questions(self, view: MapView, *, draw: Callable[[str], SeededRandom]) -> Iterator[MapResult]:
        """Yield a result for each object and each room that can be called by its category."""
        content = view.content
        if has_unknown_objects(content):
            yield SOME_UNKNOWN
        else:
            objects = unique_parts(content.objects, also=content.hidden)
            yield from self._of_kind("objects", objects, draw)
        if not all(room.category for room in content.rooms):
            yield ROOM_UNKNOWN
        elif len(content.rooms) > 1:
            yield from self._of_kind("rooms", unique_parts(content.rooms), draw)

    def _of_kind(
        self, template: str, parts: Sequence[MapPart], draw: Callable[[str], SeededRandom]
    ) -> Iterator[MapResult]:
        slot = template.removesuffix("s")
        asked: set[frozenset[str]] = set()
        for one in parts:
            # The bed seen from the desk is the same question as the desk seen from the bed.
            partners = [
                two
                for two in parts
                if _direction(one, two) is not None and frozenset((one.region, two.region)) not in asked
            ]
            subject = f"region {one.number}"
            if not partners:
                yield SkippedItem("nothing else lies in a clear direction")
                continue
            two = draw(f"{template} {subject}").choose(partners)
            asked.add(frozenset((one.region, two.region)))
            step = _direction(one, two) or 0
            yield MapQuestion(
                template=template,
                subject=f"{subject} {two.number}",
                right=WINDS[step],
                wrong=tuple(WINDS[(step + turn) % 8] for turn in QUARTERS),
                slots={f"{slot}1": f"the {one.category}", f"{slot}2": f"the {two.category}"},
                evidence=(one.region, two.region),
            )


def _direction(one: MapPart, two: MapPart) -> int | None:
    """Return the direction from the second part to the first as an index into WINDS, None where in doubt."""
    if one is two or _overlap(one, two):
        return None
    (x1, y1), (x2, y2) = one.middle, two.middle
    # Clockwise from the top; the y axis of an image points down.
    angle = math.degrees(math.atan2(x1 - x2, y2 - y1)) % 360
    step = round(angle / 45)
    return step % 8 if abs(angle - 45 * step) <= CLEAR_DEG else None


def _overlap(one: MapPart, two: MapPart) -> bool:
    a, b = one.box, two.box
    return a.x1 < b.x2 and b.x1 < a.x2 and a.y1 < b.y2 and b.y1 < a.y2
