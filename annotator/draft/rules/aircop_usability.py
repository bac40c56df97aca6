"""AirCopBench 3.2: can the picture of one view be used, and how well."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from annotator.domain.event_label import EventLabel
from annotator.domain.task_set import TaskSet
from annotator.draft.rule import LabelledView, LabelRule, RuleDocs
from annotator.draft.rule_result import ChoiceQuestion, SkippedItem

# Grades that exclude each other, of about one length in each wording. The published "Yes, usable" is also
# true of a picture that is "highly usable".
WORDINGS: tuple[dict[str, str], ...] = (
    {
        "highly_usable": "Yes, highly usable",
        "usable": "Yes, mostly usable",
        "partially_usable": "Yes, partly usable",
        "barely_usable": "Yes, but barely so",
        "not_usable": "No, it is unusable",
    },
    {
        "highly_usable": "Yes, without limits",
        "usable": "Yes, with few limits",
        "partially_usable": "Yes, but only partly",
        "barely_usable": "Yes, but just barely",
        "not_usable": "No, it is of no use",
    },
)


def choose_usability(view: LabelledView) -> ChoiceQuestion | SkippedItem:
    """Offer the phrase for the label's usability and quality, and three of the other four.

    The label contains usable or not, and a level of quality; the paper's five phrases are finer. Not usable
    is "not usable" whatever the level. Usable goes by the level: excellent is "highly usable", good
    "usable", fair "partially usable", poor "barely usable"; so is very poor, which has no phrase of its own.
    """
    right = phrase_of(view.label, view.task_set)
    if not right:
        return SkippedItem("usability is missing" if view.label.usable is None else "quality is missing")
    words = view.wording.choose(WORDINGS)
    wrong = view.sample_occurring([phrase for phrase in words if phrase != right], 3)
    return ChoiceQuestion(
        right=words[right],
        wrong=tuple(words[phrase] for phrase in wrong),
        slots={"view": view.name},
        answer=WORDINGS[0][right],
        wording=WORDINGS.index(words) + 1,
    )


def phrase_of(label: EventLabel, task_set: TaskSet) -> str:
    """Return the id of the phrase for a label, "" where an answer is missing."""
    if label.usable is None or (label.usable and not label.quality):
        return ""
    meaning = {"usability": "unavailable"}
    if label.usable:
        levels = {value.number: value.id for value in task_set.value_lists["quality"]}
        # Very poor has no phrase of its own and is treated as poor.
        meaning = {"quality": levels.get(max(label.quality or 0, 2), "")}
    phrases = task_set.value_lists["usability_phrase"]
    return next((phrase.id for phrase in phrases if meaning.items() <= phrase.maps_to.items()), "")


class AircopUsability(LabelRule):
    """Drafts the items of AirCopBench 3.2."""

    id = "aircop.usability"
    version = 4
    docs = RuleDocs(
        task="usability (3.2)",
        right='not usable: that it is not; usable: by level, excellent "highly usable", good '
        '"usable", fair "partially usable", poor and very poor "barely usable"; in words that exclude each '
        "other",
        wrong="three of the other four grades, those first that occur in the dataset",
        no_item="usability or level missing, or 'not usable' though good",
    )
    reads = frozenset({"quality", "usable"})
    kept_back_by = frozenset({"unavailable_though_good", "annotated_twice"})

    def counted(self, label: EventLabel, task_set: TaskSet, /) -> Iterator[Hashable]:
        """Yield the phrase."""
        yield phrase_of(label, task_set)

    def choose(self, view: LabelledView, /) -> ChoiceQuestion | SkippedItem:
        """Make the options as ``choose_usability`` does."""
        return choose_usability(view)
