"""All answer formats by id. A format is a module of this package with an object ``FORMAT``."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotator.domain.answers.base import Format
from annotator.domain.answers.numerals import published_floats, published_ints
from annotator.errors import UserError

Formats = dict[str, Format[Any]]


@functools.cache
def _formats() -> Formats:
    """Return the formats by id, found by looking through the package: a new one is a new file and no more."""
    found: Formats = {}
    # The folder rather than the package itself, which imports this module.
    for module_info in pkgutil.iter_modules([str(Path(__file__).parent)], prefix=f"{__package__}."):
        candidate = getattr(importlib.import_module(module_info.name), "FORMAT", None)
        if isinstance(candidate, Format):
            found[candidate.id] = candidate
    return found


def get(format_id: str) -> Format[Any]:
    """Return a format by its id.

    Raises:
        UserError: There is no such format; the message lists those there are.
    """
    found = _formats().get(format_id)
    if found is None:
        hint = f"Use one of: {', '.join(sorted(_formats()))}."
        raise UserError(f"There is no answer format {format_id!r}.", hint=hint)
    return found


def is_known(format_id: str) -> bool:
    """Tell whether a format's answers are texts that can be read; those of trajectories are not."""
    return format_id in _formats()


def all_formats() -> tuple[Format[Any], ...]:
    """Return all formats in order of their ids."""
    return tuple(_formats()[format_id] for format_id in sorted(_formats()))


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
