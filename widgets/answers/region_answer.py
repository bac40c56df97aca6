"""The answer of the formats with regions: a set, or a list in the order asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from annotator.domain.region import Region
from widgets.answers.chip_row import AnswerChip
from widgets.answers.picked_answer import PickedAnswer
from widgets.answers.recorded_evidence import depth_evidence
from widgets.stage.canvas import StageCanvas
from widgets.translation import join_texts, tr


class RegionAnswer(PickedAnswer[int]):
    """Regions by number. A click toggles a region of a set, and replaces the answer of a list."""

    formats = ("region_set", "region_label")

    def __init__(self, answer_format: str, *, is_blind: bool = False) -> None:
        super().__init__(answer_format, is_blind=is_blind)
        self.line.setPlaceholderText(tr("Click regions, or type numbers: 3, 4"))

    @property
    def replaces(self) -> bool:
        """Whether a typed answer replaces the previous one: usually, a list is one region."""
        return self.answer_format == "region_label"

    @property
    def pick_hint(self) -> str:
        """What a click does."""
        if self.replaces:
            return tr("Click: answer · Ctrl+click: add region")
        return tr("Click: add or remove region")

    def parts_of(self, value: object) -> Iterable[int]:
        """Return the numbers of the regions."""
        numbers = cast("Iterable[int]", value or ())
        return numbers if self.replaces else sorted(numbers)

    def value_of(self, parts: Sequence[int]) -> object:
        """Return the regions as a set or a list."""
        return tuple(parts) if self.replaces else frozenset(parts)

    def numbers_in(self, view_index: int) -> frozenset[int]:
        """Return the numbers of the answer, which refer to every view of the item."""
        return frozenset(self.parts) if view_index >= 0 else frozenset()

    def chip_of(self, part: int) -> AnswerChip:
        """Return the chip of a region."""
        positions = range(len(self.surroundings.media)) if self.surroundings is not None else ()
        found = {index: regions[0] for index in positions if (regions := self.regions(index, part))}
        views = join_texts(self.view_name(index) for index in found)
        tip = tr("Region {n} of {views}. Click to remove it.", n=part, views=views)
        return AnswerChip(
            text=str(part),
            tip=tip if found else tr("No view has region {n}. Click to remove it.", n=part),
            colour=self.colour_of(next(iter(found.values()))) if found else None,
        )

    def evidence(self) -> str:
        """Return the order of the regions by depth, where the question is about distances."""
        return depth_evidence(self.surroundings) if self.surroundings is not None else ""

    def pick_region(self, canvas: StageCanvas, region: Region, *, is_adding: bool) -> None:
        """Answer with a region, or add it to the answer."""
        if self.index_of(canvas) < 0:
            return
        if self.replaces and not is_adding:
            self.enter_parts([region.number])
        else:
            self.toggle([region.number])
