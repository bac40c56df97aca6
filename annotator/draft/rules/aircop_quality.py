"""AirCopBench 3.1: how good is the picture of one view."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from annotator.domain.event_label import EventLabel
from annotator.domain.task_set import TaskSet
from annotator.draft.rule import LabelledView, LabelRule, RuleDocs
from annotator.draft.rule_result import ChoiceQuestion, SkippedItem

WORDINGS = ("{number} ({title})", "{number}, {title}", "{number}: {title}")


def choose_quality(view: LabelledView) -> ChoiceQuestion | SkippedItem:
    """Offer the label's level and three of the other four, those first that occur in the dataset."""
    levels = [value.number for value in view.task_set.value_lists["quality"]]
    right = view.label.quality
    if right not in levels:
        return SkippedItem("quality is missing")
    wrong = view.sample_occurring([level for level in levels if level != right], 3)
    wording = view.wording.choose(WORDINGS)
    titles = {value.number: value.title.en.lower() for value in view.task_set.value_lists["quality"]}
    return ChoiceQuestion(
        right=wording.format(number=right, title=titles[right]),
        wrong=tuple(wording.format(number=level, title=titles[level]) for level in wrong),
        slots={"view": view.name},
        answer=WORDINGS[0].format(number=right, title=titles[right]),
        wording=WORDINGS.index(wording) + 1,
    )


class AircopQuality(LabelRule):
    """Drafts the items of AirCopBench 3.1."""

    id = "aircop.quality"
    version = 4
    docs = RuleDocs(
        task="quality (3.1)",
        right="the label's level",
        wrong="three of the other four, those first that occur in the dataset",
        no_item="quality missing, or 'not usable' though good",
    )
    reads = frozenset({"quality"})
    kept_back_by = frozenset({"unavailable_though_good", "annotated_twice"})

    def counted(self, label: EventLabel, _task_set: TaskSet, /) -> Iterator[Hashable]:
        """Yield the level."""
        yield label.quality

    def choose(self, view: LabelledView, /) -> ChoiceQuestion | SkippedItem:
        """Make the options as ``choose_quality`` does."""
        return choose_quality(view)
