"""The answer of the format with a box: drawn on the stage, or entered as four numbers."""

from __future__ import annotations

from collections.abc import Mapping

from annotator.domain.answers.box_parser import FARTHEST_PX
from annotator.domain.region import Box
from widgets.answers.box_tool import AnswerBoxTool
from widgets.answers.number_answer import NumberAnswer, NumberSpec
from widgets.stage.canvas import StageCanvas
from widgets.stage.stage import Stage
from widgets.stage.tool import Tool
from widgets.translation import mark, tr

EDGES = {
    "x1": mark("Left edge, pixels"),
    "y1": mark("Upper edge, pixels"),
    "x2": mark("Right edge, pixels"),
    "y2": mark("Lower edge, pixels"),
}
"""Description of each number."""


class BoxAnswer(NumberAnswer):
    """The corners of a box in image pixels."""

    formats = ("bbox",)

    def __init__(self, answer_format: str, *, is_blind: bool = False) -> None:
        numbers = [
            NumberSpec(name=name, sign=name, title=tr(title), least=0.0, most=FARTHEST_PX)
            for name, title in EDGES.items()
        ]
        super().__init__(answer_format, is_blind=is_blind, numbers=numbers)
        self.body.addLayout(self.make_grid(columns=2))

    @property
    def box(self) -> Box | None:
        """The box of the answer; None if there is none, or it is unreadable."""
        value = self.value()
        return value if isinstance(value, Box) else None

    @property
    def box_view_name(self) -> str:
        """Name of the view that the box refers to."""
        view = self.surroundings.box_view if self.surroundings is not None else None
        return view.view if view is not None else ""

    def is_box_view(self, canvas: StageCanvas) -> bool:
        """Return whether the box refers to the image of a view."""
        view = self.surroundings.box_view if self.surroundings is not None else None
        return view is not None and view.medium.id == canvas.medium

    def enter_box(self, box: Box) -> bool:
        """Answer with a box; return whether it is valid."""
        return self.enter_value(box)

    def numbers_of(self, value: object) -> Mapping[str, float]:
        """Return the corners."""
        assert isinstance(value, Box)  # noqa: S101 - the format has no other values
        return {"x1": value.x1, "y1": value.y1, "x2": value.x2, "y2": value.y2}

    def value_of(self, numbers: Mapping[str, float]) -> Box:
        """Return the box of four corners."""
        return Box(**numbers)

    def limits(self, name: str) -> tuple[float, float]:
        """Return 0 and the width or height of the image, if it is known."""
        view = self.surroundings.box_view if self.surroundings is not None else None
        if view is None:
            return super().limits(name)
        size = view.medium.width_px if name.startswith("x") else view.medium.height_px
        return 0.0, float(size or FARTHEST_PX)

    def make_tool(self, stage: Stage, /) -> Tool:
        """Return the tool that draws the box."""
        return AnswerBoxTool(stage, self)

    def send_pending(self) -> None:
        """Commit typed numbers, and the box that arrow keys have changed."""
        super().send_pending()
        if self._tool is not None:
            self._tool.send_pending()
