"""The registry of answer formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from annotator.domain.answers.base import AnswerFormat
from annotator.domain.answers.numerals import published_floats, published_ints
from annotator.domain.registry import by_id
from annotator.errors import UserError


@cache
def format_classes() -> tuple[type[AnswerFormat[Any]], ...]:
    """Return the class of every answer format."""
    # Imported on first use: their patterns take 40 ms to compile, which must not delay the start of the
    # window.
    from annotator.domain.answers.angle import Angle
    from annotator.domain.answers.angle_distance import AngleDistance
    from annotator.domain.answers.bbox import BoundingBox
    from annotator.domain.answers.clock import ClockDirection
    from annotator.domain.answers.direction_label import DirectionLabel
    from annotator.domain.answers.free_text import FreeText
    from annotator.domain.answers.instruction_text import InstructionText
    from annotator.domain.answers.option_letter import OptionLetter
    from annotator.domain.answers.pair_list import PairList
    from annotator.domain.answers.region_label import RegionLabel
    from annotator.domain.answers.region_set import RegionSet
    from annotator.domain.answers.span_set import SpanSet

    return (
        RegionSet,
        RegionLabel,
        ClockDirection,
        DirectionLabel,
        OptionLetter,
        PairList,
        BoundingBox,
        Angle,
        AngleDistance,
        FreeText,
        SpanSet,
        InstructionText,
    )


@cache
def formats() -> Mapping[str, AnswerFormat[Any]]:
    """Return every answer format by its id."""
    return by_id(format_classes())


def get(format_id: str) -> AnswerFormat[Any]:
    """Return a format by its id.

    Raises:
        UserError: The format is unknown; the message lists the valid ones.
    """
    found = formats().get(format_id)
    if found is None:
        hint = f"Use one of: {', '.join(sorted(formats()))}."
        raise UserError(f"Unknown answer format {format_id!r}.", hint=hint)
    return found


def is_known(format_id: str) -> bool:
    """Return whether a format's answers are texts that can be read; those of trajectories are not."""
    return format_id in formats()


def has_options(format_id: str) -> bool:
    """Return whether items of a format have options; False for a format that is not known."""
    return is_known(format_id) and get(format_id).has_options


def names_regions(format_id: str) -> bool:
    """Return whether answers of a format name regions; False for a format that is not known."""
    return is_known(format_id) and get(format_id).names_regions


def format_of_key(candidates: Sequence[str], *, key: str) -> str:
    """Return the one of a task's answer formats that a key is written in, the first where it shows none.

    Two tasks of SpatialUAV mix formats, and its script tells them apart by the key: a box has at least four
    integers, a camera move two numbers where a camera angle has one.

    Source: SpatialUAV, eval_spatialuav.py, evaluate_row and camera_transformation_metrics.
    """
    if set(candidates) == {"bbox", "region_label"}:
        return "bbox" if len(published_ints(key) or ()) >= 4 else "region_label"
    if set(candidates) == {"angle", "angle_distance"}:
        return "angle_distance" if len(published_floats(key)) == 2 else "angle"
    readable = (format_id for format_id in candidates if get(format_id).parse(key).is_parsed)
    return next(readable, candidates[0])
