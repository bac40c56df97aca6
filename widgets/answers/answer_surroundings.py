"""What an answer can refer to on the screen: the item's options, views and regions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from annotator.domain.answers import NO_CONTEXT, AnswerContext
from annotator.domain.item import Item
from annotator.domain.region import Region
from widgets.medium_view import MediumView
from widgets.stage.scene import StageScene


@dataclass(frozen=True)
class AnswerSurroundings:
    """An item with the scene that the stage shows of it.

    Attributes:
        item: The item.
        shown: The scene; None while it is loading, and for an item without media.
    """

    item: Item
    shown: StageScene | None

    @cached_property
    def media(self) -> tuple[MediumView, ...]:
        """The views of the item in its order; all views of the scene if the item names none."""
        known = {one.medium.id: one for one in self.shown.media} if self.shown is not None else {}
        if not self.item.media:
            return tuple(known.values())
        return tuple(known[medium] for medium in self.item.media if medium in known)

    @property
    def box_view(self) -> MediumView | None:
        """The view that boxes refer to: the last one, which is the second of a pair."""
        return self.media[-1] if self.media else None

    def index_of(self, medium: str) -> int:
        """Return the place of a medium among the item's views, -1 if it is none of them."""
        return next((index for index, one in enumerate(self.media) if one.medium.id == medium), -1)

    def regions(self, view_index: int) -> Mapping[int, Sequence[Region]]:
        """Return the regions of one of the item's views by number; a video has one for each frame."""
        return self._by_number[view_index] if 0 <= view_index < len(self._by_number) else {}

    @cached_property
    def _by_number(self) -> tuple[dict[int, list[Region]], ...]:
        # Cached, because a scene can have thousands of regions, and each painting asks for some.
        found: dict[str, dict[int, list[Region]]] = {shown.medium.id: {} for shown in self.media}
        for region in self.shown.marks.regions if self.shown is not None else ():
            if (here := found.get(region.medium)) is not None:
                here.setdefault(region.number, []).append(region)
        return tuple(found[shown.medium.id] for shown in self.media)

    @cached_property
    def context(self) -> AnswerContext:
        """Return what answers are validated against, as far as it is known.

        It equals the context in which the project validates answer keys, so that an answer that is accepted
        here is not refused there.
        """
        if self.shown is None or len(self.media) < len(self.item.media):
            return AnswerContext(options=self.item.options)
        box_view = self.box_view.medium if self.box_view is not None and self.item.media else None
        has_size = box_view is not None and box_view.width_px and box_view.height_px
        return AnswerContext(
            options=self.item.options,
            region_ids=tuple(frozenset(self.regions(index)) for index in range(len(self.item.media))),
            image_size_px=(box_view.width_px, box_view.height_px)
            if box_view is not None and has_size
            else None,
        )


def context_of(surroundings: AnswerSurroundings | None) -> AnswerContext:
    """Return the context of an item's answers, an empty one without an item."""
    return surroundings.context if surroundings is not None else NO_CONTEXT
