"""TopViewRS, Scene Recognition: what room a map shows, or what types of rooms."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from annotator.domain.map_categories import map_categories
from annotator.draft.map_options import candidates_in_order, choose_lists, choose_wrong
from annotator.draft.map_rule import ROOM_UNKNOWN, TOO_FEW, MapQuestion, MapResult, MapRule
from annotator.draft.map_view import MapView
from annotator.draft.map_words import listed
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.seeded_random import SeededRandom


class TopViewSceneRecognition(MapRule):
    """Drafts one question about the kind or kinds of room on a map."""

    id = "topviewrs.scene_recognition"
    version = 2
    docs = RuleDocs(
        task="Scene Recognition",
        right="the kind of the only room; the kinds of all rooms as a list",
        wrong="kinds of rooms that are not on the map, nor similar to one that is; lists of the same "
        "length in which one or two kinds are exchanged, each kind in two of the four lists",
        no_item="the map has no rooms; a room has no kind",
    )

    def questions(self, view: MapView, *, draw: Callable[[str], SeededRandom]) -> Iterator[MapResult]:
        """Yield the question, or why there is none."""
        kinds = sorted({room.category for room in view.content.rooms})
        if not kinds:
            yield SkippedItem("no room is marked on the map")
        elif not all(kinds):
            yield ROOM_UNKNOWN
        elif len(view.content.rooms) == 1:
            yield self._one_room(view, kinds[0], draw("one_room"))
        else:
            yield self._room_types(view, kinds, draw("room_types"))

    def _one_room(self, view: MapView, kind: str, draw: SeededRandom) -> MapResult:
        known = candidates_in_order(map_categories().rooms, draw=draw)
        wrong = choose_wrong(known, true=(kind,), draw=draw, are_rooms=True)
        return self._question("one_room", view, kind, wrong)

    def _room_types(self, view: MapView, kinds: list[str], draw: SeededRandom) -> MapResult:
        known = candidates_in_order(map_categories().rooms, draw=draw)
        lists = choose_lists(kinds, known, draw=draw)
        wrong = None if lists is None else tuple(listed(one) for one in lists)
        return self._question("room_types", view, listed(kinds), wrong)

    def _question(self, template: str, view: MapView, right: str, wrong: tuple[str, ...] | None) -> MapResult:
        if wrong is None:
            return TOO_FEW
        return MapQuestion(
            template=template,
            subject="",
            right=right,
            wrong=wrong,
            slots={},
            evidence=tuple(room.region for room in view.content.rooms),
        )
