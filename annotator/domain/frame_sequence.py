"""Sequences of scenes by their names, and which of their frames are annotated. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

K = TypeVar("K")
FRAME = re.compile(r"(?P<sequence>.*?)(?P<frame>\d+)\D*")
"""The last number of a name is that of the frame: ``23-00000001``, ``scene_004 frame_005``."""


class FramePlace(NamedTuple):
    """Where a scene is in its sequence.

    Attributes:
        sequence: What the names of the sequence have in common.
        frame: Number of the frame.
    """

    sequence: str
    frame: int


def frame_place(name: str) -> FramePlace:
    """Return sequence and frame of the name of a scene; a name without a number is a sequence of its own."""
    found = FRAME.fullmatch(name)
    return FramePlace(found["sequence"], int(found["frame"])) if found else FramePlace(name, 0)


def frames_to_annotate(names: Mapping[K, tuple[str, str]], *, step: int) -> set[K]:
    """Return the scenes that are the first and then every n-th frame of their sequence.

    The frames are counted as they are there, so that a sequence with gaps has as many in between.

    Args:
        names: Dataset and name of each scene.
        step: The n, 1 for every frame.
    """
    sequences: defaultdict[tuple[str, str], list[tuple[int, K]]] = defaultdict(list)
    for key, (dataset, name) in names.items():
        place = frame_place(name)
        sequences[dataset, place.sequence].append((place.frame, key))
    return {
        key
        for frames in sequences.values()
        for _, key in sorted(frames, key=lambda one: one[0])[:: max(1, step)]
    }


def frames_between(names: Iterable[tuple[K, str]], *, name: str, step: int) -> list[K]:
    """Return the scenes between an annotated frame and the next one, in order; none if it is not annotated.

    Args:
        names: Scenes of the same dataset with their names.
        name: Name of the annotated frame.
        step: As in ``frames_to_annotate``.
    """
    own = frame_place(name)
    places = ((frame_place(other), key) for key, other in names)
    frames = sorted(
        ((place.frame, key) for place, key in places if place.sequence == own.sequence),
        key=lambda one: one[0],
    )
    at = next((number for number, (frame, _) in enumerate(frames) if frame == own.frame), None)
    if at is None or step < 2 or at % step:
        return []
    return [key for _, key in frames[at + 1 : at + step]]
