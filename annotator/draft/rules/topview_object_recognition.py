"""TopViewRS, Object Recognition: which objects are in a room, and which are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from annotator.domain.map_categories import map_categories
from annotator.draft.map_options import WRONG_OPTIONS, candidates_in_order, choose_wrong
from annotator.draft.map_rule import SOME_UNKNOWN, TOO_FEW, MapQuestion, MapResult, MapRule
from annotator.draft.map_view import MapView, has_unknown_objects
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.seeded_random import SeededRandom


class TopViewObjectRecognition(MapRule):
    """Drafts one question about an object that is in a room, and one about an object that is not."""

    id = "topviewrs.object_recognition"
    version = 2
    docs = RuleDocs(
        task="Object Recognition",
        right="present: an object on the map of one room; absent: an object that no region of the map has",
        wrong="present: objects that are not on the map, nor similar to one that is; absent: three "
        "objects on the map",
        no_item="the map shows several rooms or none; an object has no category; too few objects",
    )

    def questions(self, view: MapView, *, draw: Callable[[str], SeededRandom]) -> Iterator[MapResult]:
        """Yield both questions, or why there is none."""
        content = view.content
        # 'In the room' has no meaning on the map of a floor.
        if len(content.rooms) != 1:
            yield SkippedItem("the map does not show exactly one room")
        elif has_unknown_objects(content):
            yield SOME_UNKNOWN
        else:
            yield self._present(view, draw("present"))
            yield self._absent(view, draw("absent"))

    def _present(self, view: MapView, draw: SeededRandom) -> MapResult:
        # A set comes in another order in each process, and a draw must not.
        shown = sorted({part.category for part in view.content.objects})
        known = candidates_in_order(map_categories().objects, draw=draw)
        wrong = choose_wrong(known, true=[*shown, *view.content.hidden], draw=draw)
        if not shown or wrong is None:
            return TOO_FEW
        right = draw.choose(shown)
        evidence = [part.region for part in view.content.objects if part.category == right]
        return self._question("present", right, wrong, evidence)

    def _absent(self, view: MapView, draw: SeededRandom) -> MapResult:
        shown = candidates_in_order((part.category for part in view.content.objects), draw=draw)
        known = candidates_in_order(map_categories().objects, draw=draw)
        right = choose_wrong(known, true=[*shown, *view.content.hidden], draw=draw, count=1)
        if len(shown) < WRONG_OPTIONS or right is None:
            return TOO_FEW
        evidence = [part.region for part in view.content.objects]
        return self._question("absent", right[0], tuple(shown[:WRONG_OPTIONS]), evidence)

    def _question(
        self, template: str, right: str, wrong: tuple[str, ...], evidence: list[str]
    ) -> MapQuestion:
        return MapQuestion(
            template=template,
            subject="",
            right=right,
            wrong=wrong,
            slots={},
            evidence=tuple(evidence),
            named=(right, *wrong),
        )
