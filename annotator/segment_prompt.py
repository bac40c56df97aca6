"""Prompts of the outline tool, and what answers them: values that go between the window and its segmenter."""

from __future__ import annotations

from typing import Literal

import msgspec

Phase = Literal["", "opening", "embedding"]
"""What takes seconds: the model is opened; its encoder runs over an image."""


class SegmentPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """What a person points at in an image.

    Attributes:
        points: x, y in image pixels.
        labels: For each point 1 if the object is there, 0 if it is not.
        box: x1, y1, x2, y2 around the object, image pixels, None for none.
    """

    points: tuple[tuple[float, float], ...] = ()
    labels: tuple[int, ...] = ()
    box: tuple[float, float, float, float] | None = None


class SegmentRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt in an image.

    Attributes:
        number: Returned with the reply.
        file: Image, video or frame folder.
        frame: Frame of a video, None for a still.
        prompt: What the person points at.
    """

    number: int
    file: str
    frame: int | None = None
    prompt: SegmentPrompt


class SegmentReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A reply to a request.

    Attributes:
        number: That of the request.
        phase: What is being done, for requests that take seconds; another reply follows.
        corners: x, y in image pixels; empty if there is nothing at the prompt.
        score: The model's own estimate, 0..1.
        model: Name and revision of the model.
        error: Why there is no outline.
        hint: What to do.
    """

    number: int
    phase: Phase = ""
    corners: tuple[tuple[float, float], ...] = ()
    score: float = 0.0
    model: str = ""
    error: str = ""
    hint: str = ""
