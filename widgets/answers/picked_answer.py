"""Base class of answers that consist of regions: chips, a line to type into, and picking on the stage."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from annotator.domain import answers
from annotator.domain.region import Region
from annotator.media.render import UNLINKED
from widgets.answers.answer_line import AnswerLine
from widgets.answers.answer_surroundings import context_of
from widgets.answers.answer_widget import AnswerWidget, check_answer
from widgets.answers.chip_row import AnswerChip, ChipRow
from widgets.answers.pick_tool import PickTool
from widgets.focus import mark_wrong
from widgets.region_colours import region_colour
from widgets.stage.canvas import StageCanvas
from widgets.stage.stage import Stage
from widgets.stage.tool import Tool
from widgets.translation import tr

P = TypeVar("P")


class PickedAnswer(AnswerWidget, Generic[P]):
    """An answer of several parts ``P``, which are picked on the stage or typed.

    Picking or typing a part that the answer has already removes it, and so does a click on its chip.
    """

    shows_text = True

    def __init__(self, answer_format: str, *, is_blind: bool = False) -> None:
        super().__init__(answer_format, is_blind=is_blind)
        self.chips = ChipRow()
        self._shown_chips: tuple[object, ...] = (None, None, None)
        self.line = AnswerLine(tr("Answer"))
        self.line.entered.connect(self._on_line_entered)
        self.line.emptied.connect(self._on_line_emptied)
        self.chips.removed.connect(self._on_chips_removed)
        self.problem_changed.connect(self._on_problem_changed)
        self.body.addWidget(self.chips)
        self.body.addWidget(self.line)
        self.setFocusProxy(self.line)

    @property
    def parts(self) -> tuple[P, ...]:
        """The parts of the answer; none of an unreadable one."""
        return tuple(self.parts_of(self.value()))

    @abstractmethod
    def parts_of(self, value: object) -> Iterable[P]:
        """Return the parts of a parsed answer, none of None."""

    @abstractmethod
    def value_of(self, parts: Sequence[P]) -> object:
        """Return the answer with some parts."""

    @abstractmethod
    def chip_of(self, part: P) -> AnswerChip:
        """Return the chip of a part."""

    @abstractmethod
    def pick_region(self, canvas: StageCanvas, region: Region, *, is_adding: bool) -> None:
        """Handle a click on a region, with or without Ctrl or Shift."""

    @property
    @abstractmethod
    def pick_hint(self) -> str:
        """What the next click does."""

    @property
    def replaces(self) -> bool:
        """Whether a typed answer replaces the previous one; otherwise its parts are added or removed."""
        return False

    def enter_parts(self, parts: Sequence[P]) -> bool:
        """Commit the answer with some parts; return whether it is valid."""
        return self.enter(answers.get(self.answer_format).render(self.value_of(parts)) if parts else "")

    def toggle(self, parts: Iterable[P]) -> bool:
        """Add parts, and remove those that the answer has already; return whether the result is valid."""
        made = list(self.parts)
        for part in parts:
            made = [one for one in made if one != part] if part in made else [*made, part]
        return self.enter_parts(made)

    def show_answer(self, text: str) -> None:
        """Show the parts as chips; the line has only what cannot be shown as chips."""
        is_in_chips = not self.replaces and (not text or self.value() is not None)
        self.line.show_text("" if is_in_chips else text)
        self._show_chips()

    def show_surroundings(self) -> None:
        """Show the colours of the scene's regions."""
        self.drop_pick()
        self._show_chips()

    def show_picked(self) -> None:
        """Mark the answer on the stage."""
        self._show_chips()
        super().show_picked()

    def send_pending(self) -> None:
        """Commit typed parts."""
        self.line.apply()

    def make_tool(self, stage: Stage, /) -> Tool:
        """Return the tool that picks regions."""
        return PickTool(stage, self, takes_digits=self.is_blind)

    def attach(self, stage: Stage) -> None:
        """Let regions be picked on a stage; the chips have the colours that it shows."""
        super().attach(stage)
        stage.view_state_changed.connect(self._show_chips)
        self._show_chips()

    def detach(self) -> None:
        """Release the stage."""
        if self._stage is not None:
            self._stage.view_state_changed.disconnect(self._show_chips)
        super().detach()

    def regions(self, view_index: int, number: int) -> Sequence[Region]:
        """Return the regions with a number in one of the item's views: none, one, or one for each frame."""
        return self.surroundings.regions(view_index).get(number, ()) if self.surroundings is not None else ()

    def index_of(self, canvas: StageCanvas) -> int:
        """Return the place of a view among those of the item, -1 if it is none of them."""
        return self.surroundings.index_of(canvas.medium) if self.surroundings is not None else -1

    def view_name(self, view_index: int) -> str:
        """Return the name of one of the item's views."""
        media = self.surroundings.media if self.surroundings is not None else ()
        return media[view_index].view if view_index < len(media) else ""

    def colour_of(self, region: Region) -> QColor:
        """Return the colour that a region has on the stage."""
        shown = self.surroundings.shown if self.surroundings is not None else None
        is_by_link = self._stage is not None and self._stage.rendering == "annotated"
        # Colours of links would show a person who answers blind which regions belong together.
        if self.is_blind or not is_by_link or shown is None or not shown.marks.links:
            return region_colour(region.number)
        return region_colour(shown.link_colours.get(region.id, UNLINKED))

    def picked_in(self, canvas: StageCanvas) -> Iterable[Region]:
        """Return the regions of a view that belong to the answer."""
        view_index = self.index_of(canvas)
        found = (
            region for number in self.numbers_in(view_index) for region in self.regions(view_index, number)
        )
        # Of a video, the regions of the displayed frame.
        return [here for one in found if (here := canvas.marks.region(one.id)) is not None]

    @abstractmethod
    def numbers_in(self, view_index: int) -> frozenset[int]:
        """Return the numbers of the answer's regions in one of the item's views."""

    def type_on_stage(self, text: str) -> None:
        """Continue a number that was begun on the stage in the line."""
        if self.replaces or not self.line.isModified():
            self.line.selectAll()
        # Not with a reason that selects the text: the second digit would replace the first one.
        self.line.setFocus(Qt.FocusReason.OtherFocusReason)
        self.line.insert(text)

    def drop_pick(self) -> bool:
        """Return that there is no incomplete pick."""
        return False

    def _show_chips(self) -> None:
        rendering = self._stage.rendering if self._stage is not None else ""
        shown = (self._text, rendering, self.surroundings)
        # The stage reports each movement of the pointer.
        if all(one is other for one, other in zip(shown, self._shown_chips, strict=True)):
            return
        self._shown_chips = shown
        self.chips.show_chips([self.chip_of(part) for part in self.parts])

    def _on_line_entered(self, text: str) -> None:
        canonical, problem = check_answer(self.answer_format, text.strip(), self.surroundings)
        if self.replaces or not self.parts:
            self.enter(text)
        elif canonical is None:
            self.show_problem(problem)
        elif canonical:
            context = context_of(self.surroundings)
            value = answers.get(self.answer_format).parse(canonical, context=context).value
            if self.toggle(self.parts_of(value)):
                self.line.show_text("")
        else:
            self.show_problem("")

    def _on_line_emptied(self) -> None:
        if self.parts:
            self.enter_parts(self.parts[:-1])

    def _on_chips_removed(self, index: int) -> None:
        parts = self.parts
        self.enter_parts(parts[:index] + parts[index + 1 :])

    def _on_problem_changed(self, problem: str) -> None:
        mark_wrong(self.line, is_wrong=bool(problem))
