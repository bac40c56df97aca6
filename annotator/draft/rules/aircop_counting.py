"""AirCopBench 2.2: how many objects does one view show."""

from __future__ import annotations

from annotator.domain.event_label import ObjectCount
from annotator.draft.rule import LabelledView, LabelRule, RuleDocs
from annotator.draft.rule_result import ChoiceQuestion, SkippedItem
from annotator.draft.seeded_random import SeededRandom

OPTIONS = 4


def choose_count(view: LabelledView) -> ChoiceQuestion | SkippedItem:
    """Offer the label's count and three numbers near it; an approximate or missing count gives no item.

    The question names all kinds of objects, not those of the label, which would reveal whether there are any.
    """
    count = view.label.count or ObjectCount()
    if count.value is None:
        return SkippedItem("count is missing")
    if count.approximate or count.value < 0:
        return SkippedItem("count is approximate" if count.approximate else "count is below 0")
    # The sequence contains the right number once more; the first occurrence keeps its position.
    right, *wrong = dict.fromkeys((count.value, *ladder(count.value, draw=view.draw)))
    kinds = [value.title.en.lower() for value in view.task_set.value_lists["object_type"]]
    slots = {"view": view.name, "object_types": f"{', '.join(kinds[:-1])} and {kinds[-1]}"}
    return ChoiceQuestion(right=str(right), wrong=tuple(map(str, wrong)), slots=slots)


def ladder(count: int, *, draw: SeededRandom) -> tuple[int, ...]:
    """Return four ascending numbers with equal steps, one of them the count.

    The position of the count is random, so that it is the smallest as often as the largest; distractors drawn
    around it (published: U{-3..3}) reveal the middle value. The step grows with the count, from a twelfth to
    a fifth of it, but may always be 2. Below four there are too few smaller numbers, and a count of 0 would
    always come first: 0, 1, 2 and 3 are offered together, whichever is right.
    """
    if count < OPTIONS:
        return tuple(range(OPTIONS))
    place = draw.below(OPTIONS)
    room = count // place if place else count
    step = draw.between(max(1, count // 12), min(room, max(2, count // 5)))
    return tuple(count + (rung - place) * step for rung in range(OPTIONS))


class AircopCounting(LabelRule):
    """Drafts the items of AirCopBench 2.2."""

    id = "aircop.counting"
    version = 1
    docs = RuleDocs(
        task="counting (2.2)",
        right="the exact count",
        wrong="three numbers in equal steps; the position of the count is drawn at random, the step "
        "grows from a twelfth to a fifth of the count (at most 2 for small ones). Counts 0 to "
        "3 share the options 0, 1, 2, 3",
        no_item='count missing, approximate ("around 60"), or entered in the partners field',
    )
    reads = frozenset({"count"})
    kept_back_by = frozenset({"count_not_integer", "count_and_partner_swapped", "annotated_twice"})

    def choose(self, view: LabelledView, /) -> ChoiceQuestion | SkippedItem:
        """Make the options as ``choose_count`` does."""
        return choose_count(view)
