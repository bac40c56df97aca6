"""Contradictions inside one event label: what cannot be true together, and answers that are missing.

Pure, so that importers count them and a form can show them while somebody types.

Source: AirCopBench's four published annotation files, in which all of these occur.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from annotator.domain.event_label import EventLabel, PercentBox
from annotator.domain.flag import Severity
from annotator.domain.record import ValueObject

EDGE_TOLERANCE_PERCENT = 0.01
"""A box may leave the picture by this much: the published files hold rounding errors of 1e-16."""
GOOD_QUALITY = 4
"""From this level on, "not usable" makes no sense: 4 is "mostly clear, minor noise or distortion"."""

_RECT_OF_TICK = (
    ("occlusion", "occluded", "occlusion_without_rect", "Object occlusion", "Occluded"),
    ("small_target", "too_small", "small_without_rect", "Small or distant target", "Too small"),
    ("out_of_fov", "out_of_fov", "fov_without_rect", "Out of the field of view", "Out of the field of view"),
    ("shadow", "under_shadow", "shadow_without_rect", "Under shadow", "Under shadow"),
)
"""Degradation, issue box of the same meaning, the kind of flag where the box is missing, and the titles of
the first two."""


KINDS = frozenset(
    {
        *(kind for _, _, kind, _, _ in _RECT_OF_TICK),
        "answer_missing",
        "count_not_integer",
        "given_without_need",
        "image_size_differs",
        "others_without_text",
        "partner_is_self",
        "partner_missing",
        "partner_unknown",
        "rect_empty",
        "rect_outside",
        "rect_unlabelled",
        "rect_without_tick",
        "text_without_others",
        "unavailable_though_good",
        "what_missing",
        "when_missing",
        "why_missing",
    }
)
"""Every kind of contradiction that ``find_contradictions`` yields."""


class Contradiction(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """One thing in a label that a person has to look at.

    Attributes:
        kind: Id, also of the flag that an import raises.
        message: What is wrong, with the values.
        field: Field of the label, with the number of the box where it is about one: ``issue_boxes[2]``.
        severity: ``error`` where a key computed from the label would be wrong.
    """

    kind: str
    message: str
    field: str
    severity: Severity = "warning"


def find_contradictions(label: EventLabel, *, views: Collection[str]) -> list[Contradiction]:
    """Return what contradicts itself or is missing in a label, in the order of the form.

    Args:
        label: The label; ``label.view`` is the view that it is about, "" where nobody knows.
        views: Names of all views of its scene; not asked where the label's own view is unknown.
    """
    return [
        *_missing_answers(label),
        *_quality_against_usability(label),
        *_count(label),
        *_ticks_against_rects(label),
        *_free_text_against_tick(label),
        *_collaboration(label, views),
        *_rects(label.issue_boxes or (), "issue_boxes"),
        *_rects(label.what_boxes or (), "what_boxes"),
    ]


def _missing_answers(label: EventLabel) -> Iterator[Contradiction]:
    for field, name in (("quality", "quality"), ("usable", "usability"), ("count", "number of objects")):
        if getattr(label, field) is None:
            yield Contradiction(kind="answer_missing", field=field, message=f"The {name} is missing.")


def _quality_against_usability(label: EventLabel) -> Iterator[Contradiction]:
    # Not the other way round: a poor picture may still do for the one question that somebody has.
    if label.usable is False and (label.quality or 0) >= GOOD_QUALITY:
        message = f"The image is marked as not usable, but its quality is {label.quality} of 5."
        yield Contradiction(kind="unavailable_though_good", field="usable", message=message)


def _count(label: EventLabel) -> Iterator[Contradiction]:
    count = label.count
    if count is None or (count.value is not None and not count.approximate):
        return
    text = "is not a number" if count.value is None else f"is about {count.value}"
    message = f"The number of objects {text}; an exact whole number is required."
    yield Contradiction(kind="count_not_integer", field="count", message=message)


def _ticks_against_rects(label: EventLabel) -> Iterator[Contradiction]:
    ticked = set(label.degradations or ())
    drawn = {name for box in label.issue_boxes or () for name in box.labels}
    for tick, rect, kind, title, box in _RECT_OF_TICK:
        if tick in ticked and rect not in drawn:
            message = f"The degradation '{title}' is selected, but no box has the label '{box}'."
            yield Contradiction(kind=kind, field="degradations", message=message)
        if rect in drawn and tick not in ticked:
            message = f"A box has the label '{box}', but '{title}' is not selected."
            yield Contradiction(kind="rect_without_tick", field="issue_boxes", message=message)


def _free_text_against_tick(label: EventLabel) -> Iterator[Contradiction]:
    is_ticked, text = "others" in (label.degradations or ()), label.other_degradation
    if is_ticked and not text:
        message = "The degradation 'Other' is selected, but its text is missing."
        yield Contradiction(kind="others_without_text", field="other_degradation", message=message)
    if text and not is_ticked:
        message = f"The text '{text}' describes a degradation, but 'Other' is not selected."
        yield Contradiction(kind="text_without_others", field="degradations", message=message)


def _collaboration(label: EventLabel, views: Collection[str]) -> Iterator[Contradiction]:
    if label.when is None:
        message = "The field for the need of another view is empty."
        yield Contradiction(kind="when_missing", field="when", message=message, severity="error")
    elif label.when:
        yield from _need(label)
    else:
        yield from _no_need(label)
    yield from _partners(label, views)


def _need(label: EventLabel) -> Iterator[Contradiction]:
    if not label.what_boxes:
        message = "The view needs another view, but the box of the object is missing."
        yield Contradiction(kind="what_missing", field="what_boxes", message=message)
    if not label.who:
        message = "The view needs another view, but no view is given."
        yield Contradiction(kind="partner_missing", field="who", message=message, severity="error")
    if not label.why:
        message = "The view needs another view, but no reason is selected."
        yield Contradiction(kind="why_missing", field="why", message=message)


def _no_need(label: EventLabel) -> Iterator[Contradiction]:
    for field, name in (("what_boxes", "a box"), ("who", "a partner"), ("why", "a reason")):
        if getattr(label, field):
            message = f"The view needs no other view, but {name} is given."
            yield Contradiction(kind="given_without_need", field=field, message=message)


def _partners(label: EventLabel, views: Collection[str]) -> Iterator[Contradiction]:
    own, named = label.view, label.who or ()
    if not own:
        return
    if own in named:
        message = f"{own} is given as its own partner."
        yield Contradiction(kind="partner_is_self", field="who", message=message, severity="error")
    if strangers := [name for name in named if name != own and name not in views]:
        message = (
            f"{', '.join(strangers)} is not in the scene, which has {', '.join(sorted(views)) or 'no views'}."
        )
        yield Contradiction(kind="partner_unknown", field="who", message=message, severity="error")


def _rects(boxes: tuple[PercentBox, ...], field: str) -> Iterator[Contradiction]:
    for number, box in enumerate(boxes):
        yield from _rect(box, f"{field}[{number}]")
    sizes = {(box.image_width_px, box.image_height_px) for box in boxes if box.image_width_px}
    if len(sizes) > 1:
        listed = ", ".join(f"{width} x {height}" for width, height in sorted(sizes))
        message = f"The boxes were drawn on images of different sizes: {listed}."
        yield Contradiction(kind="image_size_differs", field=field, message=message, severity="note")


def _rect(box: PercentBox, field: str) -> Iterator[Contradiction]:
    if not box.labels:
        yield Contradiction(kind="rect_unlabelled", field=field, message="The box has no label.")
    if box.width <= 0 or box.height <= 0:
        yield Contradiction(kind="rect_empty", field=field, message="The box has no area.")
    # The corners of a turned box are not those that the file names.
    elif not box.rotation and not _is_inside(box):
        yield Contradiction(kind="rect_outside", field=field, message="The box extends outside the image.")


def _is_inside(box: PercentBox) -> bool:
    low, high = -EDGE_TOLERANCE_PERCENT, 100 + EDGE_TOLERANCE_PERCENT
    return low <= box.x and low <= box.y and box.x + box.width <= high and box.y + box.height <= high
