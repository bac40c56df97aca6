"""Input variants: how the images of an evaluation differ from those of the model profile, a class each."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta

from annotator.domain.profile import VisualSettings

FrameSequence = Literal["forward", "reversed", "shuffled"]
FRAME_SEQUENCES: tuple[FrameSequence, ...] = ("forward", "reversed", "shuffled")
MOST_PX, MOST_FRAMES = 16_384, 10_000
T = TypeVar("T")


class InputVariant(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", forbid_unknown_fields=True):
    """One difference of the images. A further kind is a subclass and its entry in ``AnyVariant``."""

    @property
    def title(self) -> str:
        """What is different, in English and without the value of other variants."""
        raise NotImplementedError

    @property
    def changes_order(self) -> bool:
        """Whether the same images come in another order, which ``VisualSettings`` cannot say."""
        return False

    def applied_to(self, visuals: VisualSettings) -> VisualSettings:
        """Return the images' settings with this difference."""
        return visuals

    def arranged(self, frames: Sequence[T], *, seed: str) -> list[T]:
        """Return the frames of one video in the order in which they are sent.

        Args:
            frames: In order of time.
            seed: Of everything that is drawn.
        """
        del seed
        return list(frames)


class ImageSize(InputVariant, frozen=True, kw_only=True, tag="image_size"):
    """Images are reduced to a longer side.

    Attributes:
        longest_px: Longer side of the images; smaller images stay as they are. 0 for no reduction.
    """

    longest_px: Annotated[int, Meta(ge=0, le=MOST_PX)]

    @property
    def title(self) -> str:
        """The size."""
        return f"{self.longest_px} px" if self.longest_px else "full size"

    def applied_to(self, visuals: VisualSettings) -> VisualSettings:
        """Return the images' settings with this size."""
        return msgspec.structs.replace(visuals, longest_px=self.longest_px)


class FrameCount(InputVariant, frozen=True, kw_only=True, tag="frame_count"):
    """So many frames of a video, evenly spaced.

    Attributes:
        frames: Maximum number of frames; 1 is the first frame alone.
    """

    frames: Annotated[int, Meta(ge=1, le=MOST_FRAMES)]

    @property
    def title(self) -> str:
        """The number."""
        return f"{self.frames} frames" if self.frames > 1 else "first frame"

    def applied_to(self, visuals: VisualSettings) -> VisualSettings:
        """Return the images' settings with this number of frames."""
        return msgspec.structs.replace(visuals, frames=self.frames, fps=0.0)


class FrameOrder(InputVariant, frozen=True, kw_only=True, tag="frame_order"):
    """The frames of a video in another order; their time labels stay in order.

    Attributes:
        order: The order.
    """

    order: FrameSequence

    @property
    def title(self) -> str:
        """The order."""
        return f"frames {self.order}"

    @property
    def changes_order(self) -> bool:
        """Whether it is another order than that of time."""
        return self.order != "forward"

    def arranged(self, frames: Sequence[T], *, seed: str) -> list[T]:
        """Return the frames in this order."""
        if self.order == "reversed":
            return list(reversed(frames))
        if self.order == "shuffled":
            # Not hash(), which differs from process to process.
            return random.Random(seed).sample(list(frames), len(frames))
        return list(frames)


AnyVariant = ImageSize | FrameCount | FrameOrder
"""The registry of kinds: settings of runs are read with it."""
Variants = tuple[AnyVariant, ...]


def variant_title(variants: Variants) -> str:
    """Return what is different in one line, "" where the model profile decides all."""
    return " · ".join(variant.title for variant in variants)


def variant_grid(
    *, sizes: Sequence[int] = (), frames: Sequence[int] = (), orders: Sequence[FrameSequence] = ()
) -> Iterator[Variants]:
    """Yield each combination of values once; a list without values leaves its part to the model profile.

    Args:
        sizes: Longer sides in pixels, 0 for no reduction.
        frames: Numbers of frames.
        orders: Orders of the frames.
    """
    axes: list[list[AnyVariant]] = [
        [ImageSize(longest_px=size) for size in dict.fromkeys(sizes)],
        [FrameCount(frames=count) for count in dict.fromkeys(frames)],
        [FrameOrder(order=order) for order in dict.fromkeys(orders)],
    ]
    yield from product(*(axis for axis in axes if axis))
