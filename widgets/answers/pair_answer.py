"""The answer of the format with pairs: regions of two views that show the same thing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast

from PySide6.QtGui import QPainter

from annotator.domain.answers.pair_list import RegionPair
from annotator.domain.region import Region
from widgets.answers.chip_row import AnswerChip
from widgets.answers.pick_tool import PickTool
from widgets.answers.picked_answer import PickedAnswer
from widgets.stage.stage import Stage
from widgets.stage.text_badges import paint_badge
from widgets.stage.tool import Tool, key_slot
from widgets.stage.tools.draft_boxes import paint_draft
from widgets.translation import join_texts, tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

BADGE_PX = 3
"""Distance of the text of a pair from its region."""


class PairAnswer(PickedAnswer[RegionPair]):
    """Pairs of regions: a click in one view, then a click in the other, or typed as ``3-15``.

    Attributes:
        first: The view's place among those of the item and the region that a pair begins with, or None.
    """

    formats = ("pair_list",)

    def __init__(self, answer_format: str, *, is_blind: bool = False) -> None:
        super().__init__(answer_format, is_blind=is_blind)
        self.first: tuple[int, Region] | None = None
        self.line.setPlaceholderText(tr("Click in both views, or type 3-15"))

    @property
    def pick_hint(self) -> str:
        """What the next click does."""
        if self.first is None:
            return tr("Click a region, then the same object in the other view")
        index, region = self.first
        return tr(
            "{view} {n}: click the same object in {other_view} · {cancel}: cancel",
            view=self.view_name(index),
            n=region.number,
            other_view=self.view_name(1 - index),
            cancel=key_slot("stage.give_up"),
        )

    def parts_of(self, value: object) -> Iterable[RegionPair]:
        """Return the pairs in rising order."""
        return sorted(cast("Iterable[RegionPair]", value or ()))

    def value_of(self, parts: Sequence[RegionPair]) -> object:
        """Return the pairs as a set."""
        return frozenset(parts)

    def numbers_in(self, view_index: int) -> frozenset[int]:
        """Return the regions of one view that are in pairs."""
        return frozenset((pair.first, pair.second)[view_index] for pair in self.parts if view_index in {0, 1})

    def chip_of(self, part: RegionPair) -> AnswerChip:
        """Return the chip of a pair."""
        regions = self.regions(0, part.first)
        return AnswerChip(
            text=f"{part.first}-{part.second}",
            tip=tr(
                "{view} {n} and {other_view} {other} show the same object. Click to remove the pair.",
                view=self.view_name(0),
                n=part.first,
                other_view=self.view_name(1),
                other=part.second,
            ),
            colour=self.colour_of(regions[0]) if regions else None,
        )

    def make_tool(self, stage: Stage, /) -> Tool:
        """Return the tool that picks pairs."""
        return PairTool(stage, self)

    def pick_region(self, canvas: StageCanvas, region: Region, *, is_adding: bool) -> None:
        """Begin a pair, or complete the one that was begun in the other view."""
        index = self.index_of(canvas)
        if index not in {0, 1}:
            return
        if self.first is None or self.first[0] == index:
            self.first = (index, region)
        else:
            numbers = self.first[1].number, region.number
            self.first = None
            self.toggle([RegionPair(*(numbers if index == 1 else reversed(numbers)))])
        self._show_pick()

    def drop_pick(self) -> bool:
        """Discard the region that a pair was begun with."""
        had, self.first = self.first is not None, None
        if had:
            self._show_pick()
        return had

    def _show_pick(self) -> None:
        self.show_picked()
        if self._stage is not None:
            self._stage.show_hint()


class PairTool(PickTool):
    """Picks pairs; paints the text of each pair, and the region that a pair begins with."""

    def __init__(self, stage: Stage, answer: PairAnswer) -> None:
        super().__init__(stage, answer, takes_digits=answer.is_blind)
        self._answer = answer

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Mark the picked regions."""
        super().paint(painter, canvas)
        index, ratio = self._answer.index_of(canvas), canvas.ratio()
        if index not in {0, 1} or not canvas.has_regions():
            return
        for region in self._answer.picked_in(canvas):
            text = join_texts(self._texts(index, region.number))
            rect = canvas.region_rect(region)
            paint_badge(
                painter, text, x=round(rect.left()), y=round(rect.bottom() + BADGE_PX * ratio), ratio=ratio
            )
        first = self._answer.first
        if first is not None and first[0] == index:
            paint_draft(painter, canvas.region_rect(first[1]), ratio=ratio)

    def _texts(self, index: int, number: int) -> Iterable[str]:
        """Return the pairs that contain a region of a view."""
        pairs = (pair for pair in self._answer.parts if (pair.first, pair.second)[index] == number)
        return (f"{pair.first}-{pair.second}" for pair in pairs)
