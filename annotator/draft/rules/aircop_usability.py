"""AirCopBench 3.2: can the picture of one view be used, and how well."""

from __future__ import annotations

from annotator.draft.rule import LabelledView, LabelRule, RuleDocs
from annotator.draft.rule_result import ChoiceQuestion, SkippedItem


def choose_usability(view: LabelledView) -> ChoiceQuestion | SkippedItem:
    """Offer the phrase for the label's usability and quality, and three of the other four.

    The label contains usable or not, and a level of quality; the paper's five phrases are finer. Not usable
    is "No, not usable" whatever the level. Usable goes by the level: excellent is "highly usable", good
    "usable", fair "partially usable", poor "barely usable"; so is very poor, which has no phrase of its own.
    """
    label = view.label
    if label.usable is None:
        return SkippedItem("usability is missing")
    meaning = {"usability": "unavailable"}
    if label.usable:
        level = _phrased_level(view)
        if level is None:
            return SkippedItem("quality is missing")
        meaning = {"quality": level}
    phrases = view.task_set.value_lists["usability_phrase"]
    right = next(phrase for phrase in phrases if meaning.items() <= phrase.maps_to.items())
    wrong = view.draw.sample([phrase for phrase in phrases if phrase != right], 3)
    return ChoiceQuestion(
        right=right.title.en, wrong=tuple(p.title.en for p in wrong), slots={"view": view.name}
    )


def _phrased_level(view: LabelledView) -> str | None:
    """Return the id of the level that the label's phrase goes by, None where no level is given."""
    levels = {value.number: value.id for value in view.task_set.value_lists["quality"]}
    # Very poor has no phrase of its own and is treated as poor.
    return levels.get(max(view.label.quality or 0, 2)) if view.label.quality else None


class AircopUsability(LabelRule):
    """Drafts the items of AirCopBench 3.2."""

    id = "aircop.usability"
    version = 1
    docs = RuleDocs(
        task="usability (3.2)",
        right='not usable: "No, not usable"; usable: by level, excellent "highly usable", good '
        '"usable", fair "partially usable", poor and very poor "barely usable"',
        wrong="three of the other four phrases",
        no_item="usability or level missing, or 'not usable' though good",
    )
    reads = frozenset({"quality", "usable"})
    kept_back_by = frozenset({"unavailable_though_good", "annotated_twice"})

    def choose(self, view: LabelledView, /) -> ChoiceQuestion | SkippedItem:
        """Make the options as ``choose_usability`` does."""
        return choose_usability(view)
