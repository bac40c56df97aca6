"""Answers of an event label that follow from the regions of its view and from its other answers.

They are proposals: each is marked until a person confirms it.
Source of the rules and limits: AirCopBench, the 421 published labels of its real pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from annotator.domain.event_form import ANSWERS
from annotator.domain.event_label import EventLabel, ObjectCount, PercentBox
from annotator.domain.region import Box, Region
from annotator.domain.task_set import TaskSet

SMALL_SHARE = 0.0003
"""A region with a smaller share of the image is too small: 81 % of the published boxes with this label are,
and 21 % of the others."""
EDGE_PERCENT = 1.0
"""A region nearer to the edge is out of the field of view: 97 % of the published boxes with this label."""
MOST_BOXES = 60
"""In a view with more regions that have an issue, no boxes are proposed: nobody could check them."""
SAME_POSITION_PERCENT = 0.01
"""Boxes that differ by less lie in the same place."""
OCCLUDED, TOO_SMALL, OUT_OF_FOV, NEEDED = "occluded", "too_small", "out_of_fov", "more_information"
OBJECT_TYPES = {
    "vehicles": ("vehicle", "car", "van", "bus", "truck", "suv", "taxi", "motor", "motorcycle"),
    "pedestrians": ("pedestrian", "person", "people", "man", "woman", "child"),
    "bicycles": ("bicycle", "bike", "cyclist", "tricycle", "awning-tricycle"),
    "drones": ("drone", "uav", "quadcopter"),
}
"""Categories of detectors for each object type. Source: the classes of COCO and VisDrone."""
_TYPE_OF = {category: kind for kind, categories in OBJECT_TYPES.items() for category in categories}
_FOLLOWING = ("degradations", "when", "what_boxes", "who", "why")


@dataclass(frozen=True, kw_only=True)
class ViewFacts:
    """What is known about the view of a label.

    Attributes:
        size_px: Width and height of its image.
        others: Names of the other views of the scene.
        regions: Regions of the image.
        seen_in: Names of the other views that show the object of a region, by its id.
    """

    size_px: tuple[int, int]
    others: tuple[str, ...]
    regions: tuple[Region, ...] = ()
    seen_in: Mapping[str, frozenset[str]] = field(default_factory=dict)


def percent_box(box: Box, *, size_px: tuple[int, int], label: str) -> PercentBox:
    """Return a box of a label.

    Args:
        box: Its place, image pixels.
        size_px: Width and height of the image.
        label: The label of the box.
    """
    width, height = size_px
    return PercentBox(
        x=100 * box.x1 / width,
        y=100 * box.y1 / height,
        width=100 * (box.x2 - box.x1) / width,
        height=100 * (box.y2 - box.y1) / height,
        labels=(label,),
        image_width_px=width,
        image_height_px=height,
    )


def is_same_position(one: PercentBox, other: PercentBox) -> bool:
    """Return whether two boxes of a label lie in the same place."""
    sides = ((one.x, other.x), (one.y, other.y), (one.width, other.width), (one.height, other.height))
    return one.rotation == other.rotation and all(abs(a - b) < SAME_POSITION_PERCENT for a, b in sides)


def propose_answers(label: EventLabel, facts: ViewFacts, *, task_set: TaskSet) -> EventLabel:
    """Return a label whose open fields are answered by rule, as far as a rule has an answer.

    Args:
        label: The label.
        facts: About its view.
        task_set: Its value lists relate issues, degradations and reasons.
    """
    found: dict[str, object] = {}
    if facts.regions:
        # The number and types of objects are those that the image shows.
        seen = [region for region in facts.regions if not region.is_unseen]
        found["count"] = ObjectCount(value=len(seen))
        found["object_types"] = _object_types(seen, task_set)
        found["issue_boxes"] = tuple(_issue_boxes(facts))
    answered = _with_answers(label, {name: value for name, value in found.items() if value})
    boxes = answered.issue_boxes or ()
    degradations = _values_of(boxes, task_set, of="degradation")
    answered = _with_answers(answered, {"degradations": degradations} if degradations else {})
    if boxes or answered.degradations:
        answered = _with_answers(answered, {"when": True})
    return _with_needs(answered, facts, task_set=task_set)


def follow_answers(before: EventLabel, after: EventLabel, *, task_set: TaskSet) -> EventLabel:
    """Return an edited label whose answers that are not confirmed follow the edit.

    Args:
        before: The label before the edit.
        after: The edited label.
        task_set: Its value lists relate issues, degradations and reasons.
    """
    # In both: an answer that this edit confirms is the person's, too.
    open_fields = {*_FOLLOWING} & {*after.copied} & {*before.copied}
    changes: dict[str, object] = {}
    if before.issue_boxes != after.issue_boxes:
        changes = _of_boxes(before, after, task_set)
    degradations = changes.get("degradations") if "degradations" in open_fields else after.degradations
    if isinstance(degradations, tuple) and degradations != before.degradations:
        changes["why"] = _reasons(degradations, task_set)
    kept = {name: value for name, value in changes.items() if name in open_fields}
    return msgspec.structs.replace(after, **kept) if kept else after


def _of_boxes(before: EventLabel, after: EventLabel, task_set: TaskSet) -> dict[str, object]:
    """Return what follows from changed boxes; what does not come from boxes is kept."""
    former = _values_of(before.issue_boxes or (), task_set, of="degradation")
    others = (value for value in after.degradations or () if value not in former)
    current = _values_of(after.issue_boxes or (), task_set, of="degradation")
    return {
        "degradations": _ordered((*others, *current), task_set, of="degradation"),
        "what_boxes": _needed_boxes(before, after),
    }


def _needed_boxes(before: EventLabel, after: EventLabel) -> tuple[PercentBox, ...]:
    former, current = before.issue_boxes or (), after.issue_boxes or ()
    gone, new = _boxes_beside(former, current), _boxes_beside(current, former)
    needed = _boxes_beside(after.what_boxes or (), gone)
    return (*needed, *map(_needed, _boxes_beside(new, needed)))


def _with_answers(label: EventLabel, answers: Mapping[str, object]) -> EventLabel:
    open_answers = {name: value for name, value in answers.items() if getattr(label, name) is None}
    copied = tuple(name for name in ANSWERS if name in open_answers or name in label.copied)
    return msgspec.structs.replace(label, **open_answers, copied=copied) if open_answers else label


def _with_needs(label: EventLabel, facts: ViewFacts, *, task_set: TaskSet) -> EventLabel:
    """Return a label that needs another view, with what it needs, from whom, and why."""
    if label.when is not True:
        return label
    answers: dict[str, object] = {
        "what_boxes": tuple(_what_boxes(label, facts)),
        "who": _who(label, facts),
        "why": _reasons(label.degradations or (), task_set),
    }
    return _with_answers(label, {name: value for name, value in answers.items() if value})


def _object_types(regions: Iterable[Region], task_set: TaskSet) -> tuple[str, ...]:
    kinds = [_TYPE_OF.get(" ".join(region.category.casefold().split()), "") for region in regions]
    return _ordered(kinds, task_set, of="object_type")


def _issue_boxes(facts: ViewFacts) -> Iterator[PercentBox]:
    found = [(region, issue) for region in facts.regions if (issue := _issue(region, facts.size_px))]
    if len(found) <= MOST_BOXES:
        for region, issue in found:
            yield percent_box(region.box, size_px=facts.size_px, label=issue)


def _issue(region: Region, size_px: tuple[int, int]) -> str:
    """Return the perception issue of a region, "" for none."""
    if region.state == "out_of_view":
        return OUT_OF_FOV
    if region.state == "occluded" or (region.visible is not None and region.visible < 1):
        return OCCLUDED
    (width, height), box = size_px, region.box
    near_x, near_y = EDGE_PERCENT * width / 100, EDGE_PERCENT * height / 100
    if box.x1 < near_x or box.y1 < near_y or box.x2 > width - near_x or box.y2 > height - near_y:
        return OUT_OF_FOV
    return TOO_SMALL if (box.x2 - box.x1) * (box.y2 - box.y1) < SMALL_SHARE * width * height else ""


def _what_boxes(label: EventLabel, facts: ViewFacts) -> Iterator[PercentBox]:
    """Yield the boxes with an issue that other views show; where no links say so, all of them."""
    boxes = label.issue_boxes or ()
    seen = [box for box in boxes if _views_of(box, facts)]
    for box in seen or boxes:
        yield _needed(box)


def _who(label: EventLabel, facts: ViewFacts) -> tuple[str, ...]:
    """Return the views that show objects with an issue; of a pair, the other view."""
    seen = {view for box in label.issue_boxes or () for view in _views_of(box, facts)}
    found = tuple(name for name in facts.others if name in seen)
    return found or (facts.others if len(facts.others) == 1 else ())


def _views_of(box: PercentBox, facts: ViewFacts) -> frozenset[str]:
    for region in facts.regions:
        views = facts.seen_in.get(region.id, frozenset())
        if views and is_same_position(percent_box(region.box, size_px=facts.size_px, label=""), box):
            return views
    return frozenset()


def _values_of(boxes: Iterable[PercentBox], task_set: TaskSet, *, of: str) -> tuple[str, ...]:
    """Return what the labels of boxes mean in another value list."""
    meanings = _meanings(task_set, "issue", of=of)
    return _ordered((meanings.get(name, "") for box in boxes for name in box.labels), task_set, of=of)


def _reasons(degradations: Sequence[str], task_set: TaskSet) -> tuple[str, ...]:
    meanings = _meanings(task_set, "degradation", of="why")
    return _ordered((meanings.get(name, "") for name in degradations), task_set, of="why")


def _meanings(task_set: TaskSet, value_list: str, *, of: str) -> dict[str, str]:
    values = task_set.value_lists.get(value_list, ())
    return {value.id: value.maps_to[of] for value in values if of in value.maps_to}


def _ordered(names: Iterable[str], task_set: TaskSet, *, of: str) -> tuple[str, ...]:
    """Return values in the order of their list, each once; those that are not in it come last."""
    known, given = (
        [value.id for value in task_set.value_lists.get(of, ())],
        dict.fromkeys(filter(None, names)),
    )
    return (*(name for name in known if name in given), *(name for name in given if name not in known))


def _boxes_beside(boxes: Iterable[PercentBox], others: Sequence[PercentBox]) -> list[PercentBox]:
    """Return the boxes that are not in the place of one of the others."""
    return [box for box in boxes if not any(is_same_position(box, other) for other in others)]


def _needed(box: PercentBox) -> PercentBox:
    return msgspec.structs.replace(box, labels=(NEEDED,))
