"""TopViewRS, Scene Counting: how many rooms of a kind there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from annotator.draft.map_options import WRONG_OPTIONS
from annotator.draft.map_rule import ROOM_UNKNOWN, MapQuestion, MapResult, MapRule
from annotator.draft.map_view import MapView
from annotator.draft.map_words import COUNTS, plural
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.seeded_random import SeededRandom


class TopViewSceneCounting(MapRule):
    """Drafts a question about each kind of room of which there are several, and about one other kind."""

    id = "topviewrs.scene_counting"
    version = 2
    docs = RuleDocs(
        task="Scene Counting",
        right="the number of rooms of a kind: of each kind with several rooms, and of one kind with a "
        "single room",
        wrong="the others of four consecutive numbers; the position of the right one is drawn",
        no_item="fewer than two rooms; a room has no kind",
    )

    def questions(self, view: MapView, *, draw: Callable[[str], SeededRandom]) -> Iterator[MapResult]:
        """Yield the questions, or why there is none."""
        rooms = view.content.rooms
        if len(rooms) < 2:
            yield SkippedItem("the map does not show several rooms")
            return
        counts = Counter(room.category for room in rooms)
        if not all(counts):
            yield ROOM_UNKNOWN
            return
        for kind in _asked_kinds(counts, draw("kind")):
            wrong = other_counts(counts[kind], draw(f"count {kind}"))
            if wrong is None:
                yield SkippedItem("there are more than ten")
                continue
            yield MapQuestion(
                template="count_rooms",
                subject=kind,
                right=COUNTS[counts[kind]],
                wrong=wrong,
                slots={"room": plural(kind)},
                evidence=tuple(room.region for room in rooms),
            )


def _asked_kinds(counts: Mapping[str, int], draw: SeededRandom) -> list[str]:
    """Return the kinds of several rooms and one kind of a single room, in the order of the alphabet."""
    # Most kinds have one room: asked about each of them, '1' would nearly always be right.
    single = draw.sample(sorted(kind for kind, count in counts.items() if count == 1), 1)
    return sorted({*single, *(kind for kind, count in counts.items() if count > 1)})


def other_counts(count: int, draw: SeededRandom) -> tuple[str, ...] | None:
    """Return the others of four consecutive numbers, None for a count of more than ten.

    The place of the count among the four is drawn, so that it is the smallest as often as the largest.
    """
    if count >= len(COUNTS):
        return None
    low = draw.between(max(0, count - WRONG_OPTIONS), min(count, len(COUNTS) - 1 - WRONG_OPTIONS))
    near: Sequence[str] = COUNTS[low : low + WRONG_OPTIONS + 1]
    return tuple(text for text in near if text != COUNTS[count])
