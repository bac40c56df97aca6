"""AirCopBench 4.1: does one view need another one, and why."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotator.domain.event_label import EventLabel
from annotator.domain.task_set import ListValue, TaskSet
from annotator.draft.rule import LabelledView, LabelRule, RuleDocs
from annotator.draft.rule_result import ChoiceQuestion, SkippedItem
from annotator.draft.rules.aircop_labels import NO_HELP_THOUGH_UNUSABLE, is_no_help_though_unusable

NO, NEITHER = "no", "neither"
OTHERS = "others"
# All of one length, so that the length reveals nothing. There is no option for "others": no label can say
# that nothing else is wrong with a picture, and the published one means anything from blur to a complex
# background.
WORDINGS: tuple[dict[str, str], ...] = (
    {
        NO: "No, its own picture shows quite enough",
        NEITHER: "Yes, but for neither reason named here",
        "occlusion": "Yes, other things hide objects from it",
        "small_target": "Yes, its targets are small or far away",
        "out_of_fov": "Yes, a target lies outside its picture",
        "shadow": "Yes, its targets stand in deep shadows",
        "brightness": "Yes, its picture is too dark or bright",
        "noise": "Yes, strong noise has covered its view",
        "loss": "Yes, some part of its picture is blank",
    },
    {
        NO: "No, because its own view is sufficient",
        NEITHER: "Yes, but the cause is neither of these",
        "occlusion": "Yes, because some objects are occluded",
        "small_target": "Yes, because targets appear very small",
        "out_of_fov": "Yes, because one target is out of view",
        "shadow": "Yes, because shadows darken its target",
        "brightness": "Yes, because its exposure is very poor",
        "noise": "Yes, because its picture is very noisy",
        "loss": "Yes, because part of its image is lost",
    },
    {
        NO: "No, all it needs is in its own picture",
        NEITHER: "Yes, but neither of these is the cause",
        "occlusion": "Yes, objects are partly hidden from it",
        "small_target": "Yes, targets are too small in its view",
        "out_of_fov": "Yes, one target is outside of its view",
        "shadow": "Yes, targets are dimmed by deep shadow",
        "brightness": "Yes, its picture is very badly exposed",
        "noise": "Yes, heavy noise lies over its picture",
        "loss": "Yes, parts of its image have been lost",
    },
)
LISTED = tuple(reason for reason in WORDINGS[0] if reason not in (NO, NEITHER))
# Levels of the published scale, from 1 (very poor) to 5 (excellent).
POOR, GOOD = 2, 4
# Shares as whole numbers: draws are made of these, and are the same on every machine.
_SCALE = 1000


@dataclass(frozen=True)
class ReasonPair:
    """Two reasons that are offered together, and the right answer.

    Attributes:
        reasons: Both, in the order of the list.
        right: One of them, ``neither`` or ``no``.
    """

    reasons: tuple[str, str]
    right: str


def choose_need(view: LabelledView) -> ChoiceQuestion | SkippedItem:
    """Offer two reasons for "yes", "yes, but for neither", and "no", of which exactly one is true.

    Two options, yes and no, would make the answer predictable from the share of yes (98 % of the published
    real labels), and AirCopBench's files have four.
    """
    pairs = possible_pairs(view.label, view.task_set)
    if isinstance(pairs, SkippedItem):
        return pairs
    chosen = _draw_pair(pairs, view)
    words = view.wording.choose(WORDINGS)
    answers = (NO, NEITHER, *chosen.reasons)
    return ChoiceQuestion(
        right=words[chosen.right],
        wrong=tuple(words[answer] for answer in answers if answer != chosen.right),
        slots={"view": view.name},
        answer=WORDINGS[0][chosen.right],
        wording=WORDINGS.index(words) + 1,
    )


def possible_pairs(label: EventLabel, task_set: TaskSet) -> list[ReasonPair] | SkippedItem:
    """Return the pairs of reasons that a label can answer, or why it answers none.

    For yes: a reason that the label gives beside one that is certainly wrong, or two wrong ones. For no,
    every yes is wrong; reasons that the label does not support come first.
    """
    if label.when is None:
        return SkippedItem("when is missing")
    if is_no_help_though_unusable(label):
        return SkippedItem(NO_HELP_THOUGH_UNUSABLE)
    listed = task_set.value_lists["why"]
    if not label.when:
        return _pairs_for_no(label, listed)
    if reason := _skip_reason(label, listed):
        return SkippedItem(reason)
    return _pairs_for_yes(label, listed) or SkippedItem("too few reasons are certainly wrong")


def _pairs_for_no(label: EventLabel, listed: Sequence[ListValue]) -> list[ReasonPair]:
    unsupported = [reason for reason in LISTED if reason not in supported_reasons(label, reasons=listed)]
    return _pairs_of(unsupported, NO) or _pairs_of(LISTED, NO)


def _pairs_for_yes(label: EventLabel, listed: Sequence[ListValue]) -> list[ReasonPair]:
    given = [reason for reason in LISTED if reason in (label.why or ())]
    wrong = wrong_reasons(label, reasons=listed)
    pairs = [_pair(one, other, right=one) for one in given for other in wrong]
    return pairs + _pairs_of(wrong, NEITHER)


def _skip_reason(label: EventLabel, listed: Iterable[ListValue]) -> str:
    """Return why a label that says yes gives no question, "" where it may give one."""
    reasons = {
        "no reason is given": not label.why,
        "a reason is not in the list": not {*(label.why or ())} <= {value.id for value in listed},
        "degradations are missing": label.degradations is None,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def wrong_reasons(label: EventLabel, *, reasons: Sequence[ListValue]) -> list[str]:
    """Return the listed reasons that are certainly wrong for a label that needs another view.

    Those that it neither gives, nor names as a degradation or on a box, nor implies otherwise.
    """
    doubtful = supported_reasons(label, reasons=reasons) | _named_by_quality(label)
    if _has_other_degradation(label, doubtful):
        # The published sentence for "others" contains brightness, device malfunction and "other issues".
        doubtful |= {"brightness", "noise", "loss"}
    return [reason for reason in LISTED if reason not in doubtful]


def supported_reasons(label: EventLabel, *, reasons: Iterable[ListValue]) -> set[str]:
    """Return the reasons that a label contains, or names as a degradation or on a box."""
    drawn = {name for box in label.issue_boxes or () for name in box.labels}
    # A degradation visible in the images would make a 'wrong' reason true.
    said = {"degradation": set(label.degradations or ()), "issue": drawn}
    supported = {reason.id for reason in reasons for kind in said if reason.maps_to.get(kind) in said[kind]}
    return supported | set(label.why or ())


def _named_by_quality(label: EventLabel) -> set[str]:
    """Return the reasons that the sentence of the quality level contains.

    Source: AirCopBench, "minor noise or distortion" (4), "noticeable noise" (3), "noisy, color and brightness
    problems" (2), "heavy noise" (1). Without a level, nothing can be excluded.
    """
    level = label.quality or 0
    if level > GOOD:
        return set()
    return {"noise", "brightness"} if level <= POOR else {"noise"}


def _has_other_degradation(label: EventLabel, doubtful: Iterable[str]) -> bool:
    known = {*LISTED, OTHERS}
    unknown = set(label.degradations or ()) - known
    return OTHERS in doubtful or bool(unknown or label.other_degradation)


def _draw_pair(pairs: Sequence[ReasonPair], view: LabelledView) -> ReasonPair:
    """Draw one of the pairs; those whose other answers are also right in the dataset come up more often.

    Small targets are a reason in 92 % of the published real labels, lost images in 1 %: offered together,
    they need no picture.
    """
    weights = [_weight(pair, view.counts) for pair in pairs]
    # Small or uniform datasets may have no pair of which each answer occurs.
    if not any(weights):
        return view.draw.choose(pairs)
    return pairs[view.draw.weighted(weights)]


def _weight(pair: ReasonPair, counts: Counter[Hashable]) -> int:
    """Return how well a pair hides its answer: 0 if one of its reasons is never right beside the other."""
    first, second, neither = (ReasonPair(pair.reasons, right) for right in (*pair.reasons, NEITHER))
    rivals = (first, second, neither)
    if pair.right == NO:
        return sum(_weight(rival, counts) * counts[rival] for rival in rivals)
    own = counts[pair]
    if not (own and counts[first] and counts[second]):
        return 0
    return sum(_SCALE * min(counts[rival], own) // own for rival in rivals if rival != pair)


def _pairs_of(reasons: Iterable[str], right: str) -> list[ReasonPair]:
    return [_pair(one, other, right=right) for one, other in itertools.combinations(reasons, 2)]


def _pair(one: str, other: str, *, right: str) -> ReasonPair:
    first, second = sorted((one, other), key=LISTED.index)
    return ReasonPair((first, second), right)


class AircopWhen(LabelRule):
    """Drafts the items of AirCopBench 4.1."""

    id = "aircop.when"
    version = 4
    docs = RuleDocs(
        task="when (4.1)",
        right='yes: a reason that the label gives, or "yes, but for neither" if both offered reasons are '
        'wrong; no: "no"',
        wrong='two reasons, "neither" and "no" are offered. A reason is offered as wrong only if the '
        "label's reasons, degradations, boxes and quality level (whose sentence names noise and brightness) "
        'exclude it; "others" never is. Pairs of which each answer occurs in the dataset come first',
        no_item="'when', reasons or degradations missing; a reason that is not in the list; no reason "
        "certainly wrong; 'no' beside a box, partner or reason, or for an image that is not usable; 'yes' "
        "beside no partner",
    )
    reads = frozenset({"when", "why"})
    # 'Yes' together with 'no view can help' leaves both answers in doubt; a box that was not drawn is no
    # answer.
    kept_back_by = frozenset({"when_missing", "given_without_need", "partner_missing", "annotated_twice"})

    def counted(self, label: EventLabel, task_set: TaskSet, /) -> Iterator[Hashable]:
        """Yield the pairs that a label which says yes can answer."""
        pairs = possible_pairs(label, task_set) if label.when else ()
        yield from () if isinstance(pairs, SkippedItem) else pairs

    def choose(self, view: LabelledView, /) -> ChoiceQuestion | SkippedItem:
        """Make the options as ``choose_need`` does."""
        return choose_need(view)
