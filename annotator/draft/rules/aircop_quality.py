"""AirCopBench 3.1: how good is the picture of one view."""

from __future__ import annotations

from annotator.domain.task_set import Value
from annotator.draft.outcome import Choice, Skipped
from annotator.draft.rule import LabelledView, LabelRule, RuleDocs


def choose_quality(view: LabelledView) -> Choice | Skipped:
    """Offer the label's level and three of the other four, each left out alike often."""
    levels = {value.number: value for value in view.task_set.value_lists["quality"]}
    right = levels.get(view.label.quality)
    if right is None:
        return Skipped("quality is missing")
    wrong = view.draw.sample([level for level in levels.values() if level != right], 3)
    return Choice(right=_text(right), wrong=tuple(map(_text, wrong)), slots={"view": view.name})


def _text(level: Value) -> str:
    return f"{level.number} ({level.title.en.lower()})"


class AircopQuality(LabelRule):
    """Drafts the items of AirCopBench 3.1."""

    id = "aircop.quality"
    version = 1
    docs = RuleDocs(
        task="quality (3.1)",
        right="the label's level",
        wrong="three of the other four, each left out alike often",
        no_item="quality missing, or 'not usable' though good",
    )
    reads = frozenset({"quality"})
    kept_back_by = frozenset({"unavailable_though_good", "annotated_twice"})

    def choose(self, view: LabelledView, /) -> Choice | Skipped:
        """Make the options as ``choose_quality`` does."""
        return choose_quality(view)
