"""AirCopBench 4.1: does one view need another one, and why."""

from __future__ import annotations

from collections.abc import Iterable

from annotator.domain.event_label import EventLabel
from annotator.domain.task_set import ListValue
from annotator.draft.rule import LabelledView, LabelRule, RuleDocs
from annotator.draft.rule_result import ChoiceQuestion, SkippedItem
from annotator.draft.seeded_random import SeededRandom

# All of one length, so that the length reveals nothing.
NO = "No, its own picture shows quite enough"
YES = {
    "occlusion": "Yes, other things hide objects from it",
    "small_target": "Yes, its targets are small or far away",
    "out_of_fov": "Yes, a target lies outside its picture",
    "shadow": "Yes, its targets stand in deep shadows",
    "brightness": "Yes, its picture is too dark or bright",
    "noise": "Yes, strong noise has covered its view",
    "loss": "Yes, some part of its picture is blank",
    "others": "Yes, blur or defects spoil its picture",
}
# Rarely selected in the published files (under 3 % of the views that need another one; brightness 11 % in the
# real ones): a wrong option that is never right can be excluded without an image.
RARE = frozenset({"brightness", "noise", "loss"})
WRONG_REASONS = 2


def choose_need(view: LabelledView) -> ChoiceQuestion | SkippedItem:
    """Offer "no" and three reasons for "yes", of which at most one is true.

    Two options, yes and no, would make the answer predictable from the share of yes (98 % of the published
    real labels), and AirCopBench's files have four. The label contains the reasons. For yes, the right option
    is one of its reasons, and the wrong ones are reasons that neither its reasons, nor its degradations, nor
    its boxes support. For no, every yes is wrong.
    """
    if view.label.when is None:
        return SkippedItem("when is missing")
    return _need(view) if view.label.when else _no_need(view)


def _need(view: LabelledView) -> ChoiceQuestion | SkippedItem:
    given = [reason for reason in view.label.why or () if reason in YES]
    if not given:
        return SkippedItem("none of the listed reasons is given")
    supported = supported_reasons(view.label, reasons=view.task_set.value_lists["why"])
    unsupported = [reason for reason in YES if reason not in supported]
    if len(unsupported) < WRONG_REASONS:
        return SkippedItem("too few reasons are certainly wrong")
    wrong = _wrong_reasons(unsupported, WRONG_REASONS, draw=view.draw)
    return ChoiceQuestion(right=YES[view.draw.choose(given)], wrong=(NO, *wrong), slots={"view": view.name})


def _no_need(view: LabelledView) -> ChoiceQuestion:
    wrong = _wrong_reasons(list(YES), WRONG_REASONS + 1, draw=view.draw)
    return ChoiceQuestion(right=NO, wrong=tuple(wrong), slots={"view": view.name})


def _wrong_reasons(reasons: list[str], k: int, *, draw: SeededRandom) -> list[str]:
    """Return options for k of the reasons; rare ones only if the others do not suffice."""
    # A stable sort: within the frequent and the rare reasons, the random order is kept.
    in_order = sorted(draw.shuffled(reasons), key=lambda reason: reason in RARE)
    return [YES[reason] for reason in in_order[:k]]


def supported_reasons(label: EventLabel, *, reasons: Iterable[ListValue]) -> set[str]:
    """Return the reasons that a label contains, or names as a degradation or on a box."""
    drawn = {name for box in label.issue_boxes or () for name in box.labels}
    # A degradation visible in the images would make a 'wrong' reason true.
    said = {"degradation": set(label.degradations or ()), "issue": drawn}
    supported = {reason.id for reason in reasons for kind in said if reason.maps_to.get(kind) in said[kind]}
    return supported | set(label.why or ())


class AircopWhen(LabelRule):
    """Drafts the items of AirCopBench 4.1."""

    id = "aircop.when"
    version = 1
    docs = RuleDocs(
        task="when (4.1)",
        right='yes: one of the reasons that the label gives; no: "No, its own picture shows quite enough"',
        wrong='"no" and reasons that neither the label\'s reasons nor its degradations nor its boxes '
        "support, the usual ones first",
        no_item="'when' or reasons missing; 'no' beside a box, partner or reason; 'yes' beside no partner",
    )
    reads = frozenset({"when", "why"})
    # 'Yes' together with 'no view can help' leaves both answers in doubt; a box that was not drawn is no
    # answer.
    kept_back_by = frozenset({"when_missing", "given_without_need", "partner_missing", "annotated_twice"})

    def choose(self, view: LabelledView, /) -> ChoiceQuestion | SkippedItem:
        """Make the options as ``choose_need`` does."""
        return choose_need(view)
