"""Input variants: how the images of an evaluation differ from those of the model profile, a class each."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product
from typing import Annotated, Any, Literal, TypeVar, cast

import msgspec
from msgspec import Meta

from annotator.domain.profile import VisualSettings

FrameSequence = Literal["forward", "reversed", "shuffled"]
FRAME_SEQUENCES: tuple[FrameSequence, ...] = ("forward", "reversed", "shuffled")
MOST_PX, MOST_FRAMES = 16_384, 10_000
MOST_VIEWS = 6
"""Number of views with a name of their own. Source: AirCopBench has at most 6 UAVs in a scene."""
FrameSite = Literal["first", "middle", "last"]
FRAME_SITES: tuple[FrameSite, ...] = ("first", "middle", "last")
RegionInput = Literal["undrawn", "blanked"]
InputPart = Literal["view", "frames", "order", "regions", "scene"]
"""The part of the input that is taken away: all views but one, all frames but one, the order of the frames,
the drawn or named regions, or the scene itself."""
SHUFFLE = 2
"""Version of the shuffled order: the first one left two frames in order half of the time."""
T = TypeVar("T")


class InputVariant(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", forbid_unknown_fields=True):
    """One difference of the images. A further kind is a subclass and its entry in ``AnyVariant``."""

    @property
    def title(self) -> str:
        """What is different, in English and without the value of other variants."""
        raise NotImplementedError

    @property
    def ablates(self) -> InputPart | None:
        """The part of the input that is missing, replaced or out of order, None where all of it is sent.

        ``VisualSettings`` cannot say it, so that the variant is in the request key.
        """
        return None

    @property
    def hides_overlay(self) -> bool:
        """Whether nothing is drawn into the images."""
        return False

    @property
    def decides(self) -> dict[str, Any]:
        """What of it decides an answer, for the request key."""
        return cast("dict[str, Any]", msgspec.to_builtins(self))

    def indices(self, count: int) -> range:
        """Return the places of the media that are sent, among so many of an item; empty for none."""
        return range(count)

    def applied_to(self, visuals: VisualSettings) -> VisualSettings:
        """Return the images' settings with this difference."""
        return visuals

    def selected(self, frames: Sequence[T]) -> list[T]:
        """Return those frames of one video that are sent, in order of time."""
        return list(frames)

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
    def ablates(self) -> InputPart | None:
        """The order, if it is another than that of time."""
        return "order" if self.order != "forward" else None

    @property
    def decides(self) -> dict[str, Any]:
        """The order, and how it is drawn."""
        return super().decides | ({"draw": SHUFFLE} if self.order == "shuffled" else {})

    def arranged(self, frames: Sequence[T], *, seed: str) -> list[T]:
        """Return the frames in this order; shuffled ones are never in order of time."""
        if self.order == "reversed":
            return list(reversed(frames))
        return _shuffled(frames, seed=seed) if self.order == "shuffled" else list(frames)


def _shuffled(frames: Sequence[T], *, seed: str) -> list[T]:
    # Not hash(), which differs from process to process.
    chance, indices = random.Random(seed), range(len(frames))
    drawn = chance.sample(indices, len(indices))
    while len(frames) > 1 and drawn == [*indices]:
        drawn = chance.sample(indices, len(indices))
    return [frames[index] for index in drawn]


class View(InputVariant, frozen=True, kw_only=True, tag="view"):
    """One of an item's views alone.

    Attributes:
        view: Its place among the media of the item, from 1.
    """

    view: Annotated[int, Meta(ge=1, le=MOST_FRAMES)]

    @property
    def title(self) -> str:
        """The place."""
        return f"view {self.view} alone"

    @property
    def ablates(self) -> InputPart | None:
        """The other views."""
        return "view"

    def indices(self, count: int) -> range:
        """Return its place; none for an item with a single view, or with fewer views."""
        return range(self.view - 1, self.view) if count > 1 and self.view <= count else range(0)


class OneFrame(InputVariant, frozen=True, kw_only=True, tag="one_frame"):
    """One frame of a video alone: of those that are sent otherwise, the first, the middle or the last.

    Attributes:
        site: Which of them.
    """

    site: FrameSite

    @property
    def title(self) -> str:
        """Which frame."""
        return f"{self.site} frame alone"

    @property
    def ablates(self) -> InputPart | None:
        """The other frames."""
        return "frames"

    def selected(self, frames: Sequence[T]) -> list[T]:
        """Return the frame."""
        index = {"first": 0, "middle": len(frames) // 2, "last": len(frames) - 1}[self.site]
        return list(frames[index : index + 1])


class Regions(InputVariant, frozen=True, kw_only=True, tag="regions"):
    """Images without the numbered regions, or with the regions that the question names filled with grey.

    Attributes:
        shown: ``undrawn``: no overlay is drawn. ``blanked``: the inside of the named regions is grey.
    """

    shown: RegionInput

    @property
    def title(self) -> str:
        """What is different."""
        return "no overlay" if self.shown == "undrawn" else "named regions blanked"

    @property
    def ablates(self) -> InputPart | None:
        """The regions."""
        return "regions"

    @property
    def hides_overlay(self) -> bool:
        """Whether it is the image without overlay."""
        return self.shown == "undrawn"


class WrongImages(InputVariant, frozen=True, kw_only=True, tag="wrong_images"):
    """The images of an item of another scene, as many and of the same kinds; the run's seed chooses it.

    Attributes:
        draw: Which of several such scenes, from 1; each draw of an item is another one.
    """

    draw: Annotated[int, Meta(ge=1, le=MOST_FRAMES)] = 1

    @property
    def title(self) -> str:
        """What is different, with the number of a further scene."""
        return "images of another scene" + (f" ({self.draw})" if self.draw > 1 else "")

    @property
    def ablates(self) -> InputPart | None:
        """The scene."""
        return "scene"


AnyVariant = ImageSize | FrameCount | FrameOrder | View | OneFrame | Regions | WrongImages
"""The registry of kinds: settings of runs are read with it."""
Variants = tuple[AnyVariant, ...]
ABLATIONS: Mapping[str, AnyVariant] = {
    **{f"view-{view}": View(view=view) for view in range(1, MOST_VIEWS + 1)},
    **{f"{site}-frame": OneFrame(site=site) for site in FRAME_SITES},
    "reversed": FrameOrder(order="reversed"),
    "shuffled": FrameOrder(order="shuffled"),
    "no-overlay": Regions(shown="undrawn"),
    "blanked-regions": Regions(shown="blanked"),
    "wrong-images": WrongImages(),
    "wrong-images-2": WrongImages(draw=2),
    "wrong-images-3": WrongImages(draw=3),
}
"""Inputs with one part taken away, by the names that the command line takes."""


def variant_title(variants: Variants) -> str:
    """Return what is different in one line, "" where the model profile decides all."""
    return " · ".join(variant.title for variant in variants)


def variant_grid(
    *,
    sizes: Sequence[int] = (),
    frames: Sequence[int] = (),
    orders: Sequence[FrameSequence] = (),
    ablations: Sequence[AnyVariant] = (),
) -> Iterator[Variants]:
    """Yield each combination of values once; a list without values leaves its part to the model profile.

    Args:
        sizes: Longer sides in pixels, 0 for no reduction.
        frames: Numbers of frames.
        orders: Orders of the frames.
        ablations: Inputs with one part taken away; the whole input comes before them.
    """
    axes: list[list[Variants]] = [
        [(ImageSize(longest_px=size),) for size in dict.fromkeys(sizes)],
        [(FrameCount(frames=count),) for count in dict.fromkeys(frames)],
        [(FrameOrder(order=order),) for order in dict.fromkeys(orders)],
        [(), *((one,) for one in dict.fromkeys(ablations))] if ablations else [],
    ]
    for combination in product(*(axis for axis in axes if axis)):
        yield tuple(chain.from_iterable(combination))
