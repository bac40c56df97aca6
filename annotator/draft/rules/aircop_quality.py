"""AirCopBench 3.1: how good is the picture of one view."""

from __future__ import annotations

from annotator.domain.task_set import ListValue
from annotator.draft.rule import LabelledView, LabelRule, RuleDocs
from annotator.draft.rule_result import ChoiceQuestion, SkippedItem


def choose_quality(view: LabelledView) -> ChoiceQuestion | SkippedItem:
    """Offer the label's level and three of the other four, each left out equally often."""
    levels = {value.number: value for value in view.task_set.value_lists["quality"]}
    right = levels.get(view.label.quality)
    if right is None:
        return SkippedItem("quality is missing")
    wrong = view.draw.sample([level for level in levels.values() if level != right], 3)
    return ChoiceQuestion(right=_text(right), wrong=tuple(map(_text, wrong)), slots={"view": view.name})


def _text(level: ListValue) -> str:
    return f"{level.number} ({level.title.en.lower()})"


class AircopQuality(LabelRule):
    """Drafts the items of AirCopBench 3.1."""

    id = "aircop.quality"
    version = 1
    docs = RuleDocs(
        task="quality (3.1)",
        right="the label's level",
        wrong="three of the other four, each left out equally often",
        no_item="quality missing, or 'not usable' though good",
    )
    reads = frozenset({"quality"})
    kept_back_by = frozenset({"unavailable_though_good", "annotated_twice"})

    def choose(self, view: LabelledView, /) -> ChoiceQuestion | SkippedItem:
        """Make the options as ``choose_quality`` does."""
        return choose_quality(view)
