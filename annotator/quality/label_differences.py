"""The fields in which several event labels of one view differ."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from annotator.domain.event_label import EventLabel, PercentBox
from annotator.quality.agreement.box_matching import match_boxes
from annotator.quality.agreement.project_agreement import LABEL_FIELDS


def differing_fields(labels: Sequence[EventLabel]) -> list[str]:
    """Return the fields whose answers differ, in the order of the form.

    Answers are compared as agreement compares them: the values of a list as a set, numbers without their
    mark, and boxes one to one from an overlap of 0.5, here with their labels. The text of 'Other' is not
    compared.
    """
    return [
        field.name
        for field in LABEL_FIELDS
        if any(
            not _is_same_boxes(field.value_of(one), field.value_of(other))
            if field.scale is None
            else field.value_of(one) != field.value_of(other)
            for one, other in pairwise(labels)
        )
    ]


def _is_same_boxes(one: Sequence[PercentBox] | None, other: Sequence[PercentBox] | None) -> bool:
    kinds = {box.labels for box in (*(one or ()), *(other or ()))}
    return all(match_boxes(_of_kind(one, labels), _of_kind(other, labels)).is_correct for labels in kinds)


def _of_kind(boxes: Sequence[PercentBox] | None, labels: tuple[str, ...]) -> list[PercentBox]:
    return [box for box in boxes or () if box.labels == labels]
