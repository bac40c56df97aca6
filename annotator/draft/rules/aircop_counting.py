"""AirCopBench 2.2: how many objects does one view show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from annotator.domain.event_label import EventLabel, ObjectCount
from annotator.draft.rule import LabelledView, LabelRule, RuleDocs
from annotator.draft.rule_result import ChoiceQuestion, SkippedItem
from annotator.draft.seeded_random import SeededRandom

# AirCopBench's files have the options A to D.
OPTIONS = 4
# What is marked as occluded or out of the image need not be among the counted objects.
SEEN = frozenset({"too_small", "under_shadow"})


def choose_count(view: LabelledView) -> ChoiceQuestion | SkippedItem:
    """Offer the label's count and three numbers near it; an approximate or missing count gives no item.

    The question names all kinds of objects, not those of the label, which would reveal whether there are any.
    """
    count = view.label.count or ObjectCount()
    if count.value is None:
        return SkippedItem("count is missing")
    if count.approximate or count.value < 0:
        return SkippedItem("count is approximate" if count.approximate else "count is below 0")
    if _most_marked(view.label) > count.value:
        return SkippedItem("more objects are marked than counted")
    # The sequence contains the right number once more; the first occurrence keeps its position.
    right, *wrong = dict.fromkeys((count.value, *ladder(count.value, draw=view.draw)))
    kinds = [value.title.en.lower() for value in view.task_set.value_lists["object_type"]]
    slots = {"view": view.name, "object_types": f"{', '.join(kinds[:-1])} and {kinds[-1]}"}
    return ChoiceQuestion(right=str(right), wrong=tuple(map(str, wrong)), slots=slots)


def _most_marked(label: EventLabel) -> int:
    """Return how many visible objects the boxes of one kind mark; an occluded one may not be visible."""
    marks = Counter(name for box in label.issue_boxes or () for name in set(box.labels) & SEEN)
    return max(marks.values(), default=0)


def ladder(count: int, *, draw: SeededRandom) -> tuple[int, ...]:
    """Return four ascending numbers with equal steps, one of them the count.

    Each of the four would have given the same numbers if it were the count, so that neither the middle (which
    the published U{-3..3} around the count reveals) nor a place at the edge can be excluded: for each step,
    the numbers are cut into runs of four, and the step depends on the run alone. It grows from a twelfth to a
    fifth of the largest number. The place of the count is drawn first: small members fit into more runs.
    """
    runs = [run for step in _steps(count) if _is_fitting(run := _run_of(count, step))]
    index = draw.choose(sorted({run.index(count) for run in runs}))
    return tuple(draw.choose([run for run in runs if run.index(count) == index]))


def _steps(count: int) -> Iterator[int]:
    """Yield 1 to 8, 10, 12, 14, 16, 20 … up to a count: few even for a huge one from an untrusted file."""
    yield from (1, 2, 3)
    for doubled in range(max(1, count).bit_length()):
        yield from (first << doubled for first in (4, 5, 6, 7))


def _run_of(count: int, step: int) -> range:
    """Return the run of four numbers that contains a count, of those that cut all numbers at a step."""
    first = count % step + step * OPTIONS * (count // step // OPTIONS)
    return range(first, first + step * OPTIONS, step)


def _is_fitting(run: range) -> bool:
    return max(1, run[-1] // 12) <= run.step <= max(1, run[-1] // 5)


class AircopCounting(LabelRule):
    """Drafts the items of AirCopBench 2.2."""

    id = "aircop.counting"
    version = 4
    docs = RuleDocs(
        task="counting (2.2)",
        right="the exact count",
        wrong="three numbers in equal steps, from a twelfth to a fifth of the largest; each of the four "
        "would have given the same options if it were right (counts 0 to 3: always 0, 1, 2, 3)",
        no_item='count missing, approximate ("around 60"), entered in the partners field, or smaller than '
        'the number of boxes "too small" or "under shadow"',
    )
    reads = frozenset({"count"})
    # A number in the field of the partners leaves both answers in doubt.
    kept_back_by = frozenset({"count_not_integer", "count_and_partner_swapped", "annotated_twice"})

    def choose(self, view: LabelledView, /) -> ChoiceQuestion | SkippedItem:
        """Make the options as ``choose_count`` does."""
        return choose_count(view)
