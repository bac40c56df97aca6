"""Sequences of scenes by their names, and which of their frames are annotated. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

K = TypeVar("K")
_Frame = tuple[int, str, K]
"""Number of a frame, its name and its key."""
FRAME = re.compile(r"(?P<beginning>.*?)(?P<frame>\d+)(?P<ending>\D*)")
"""The last number of a name is that of the frame: ``23-00000001``, ``scene_004 frame_005``."""


class FramePosition(NamedTuple):
    """Where a scene is in its sequence.

    Attributes:
        beginning: The name before the number of the frame.
        frame: Number of the frame.
        ending: The name after the number.
    """

    beginning: str
    frame: int
    ending: str = ""

    @property
    def sequence(self) -> tuple[str, str]:
        """What the names of the sequence have in common: ``f_005_left`` and ``f_005_right`` are in two."""
        return self.beginning, self.ending


def frame_position(name: str) -> FramePosition:
    """Return sequence and frame of the name of a scene; a name without a number is a sequence of its own."""
    found = FRAME.fullmatch(name)
    if found is None:
        return FramePosition(name, 0)
    return FramePosition(found["beginning"], int(found["frame"]), found["ending"])


def frames_to_annotate(names: Mapping[K, tuple[str, str]], *, step: int) -> set[K]:
    """Return the scenes that are the first and then every n-th frame of their sequence.

    The frames are counted as they are there, so that a sequence with gaps has as many in between.

    Args:
        names: Dataset and name of each scene.
        step: The n, 1 for every frame.
    """
    sequences: defaultdict[tuple[str, tuple[str, str]], list[_Frame[K]]] = defaultdict(list)
    for key, (dataset, name) in names.items():
        location = frame_position(name)
        sequences[dataset, location.sequence].append((location.frame, name, key))
    return {key for frames in sequences.values() for key in _in_order(frames)[:: max(1, step)]}


def frames_between(names: Mapping[K, str], *, key: K, step: int) -> list[K]:
    """Return the scenes between an annotated frame and the next one, in order; none if it is not annotated.

    Args:
        names: Names of scenes of one dataset.
        key: The annotated frame.
        step: As in ``frames_to_annotate``.
    """
    if key not in names or step < 2:
        return []
    sequence = frame_position(names[key]).sequence
    positions = ((frame_position(name), name, other) for other, name in names.items())
    frames = _in_order(
        (location.frame, name, other) for location, name, other in positions if location.sequence == sequence
    )
    at = frames.index(key)
    return [] if at % step else frames[at + 1 : at + step]


def _in_order(frames: Iterable[_Frame[K]]) -> list[K]:
    # Frames of one number, 5 and 005, are in the order of their names wherever they are counted.
    return [key for _, _, key in sorted(frames, key=lambda one: one[:2])]
