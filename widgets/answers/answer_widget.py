"""Base class of the widgets that show and enter the answer of an item in its own format."""

from __future__ import annotations

import textwrap
from typing import ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from annotator.domain import answers
from annotator.domain.item import Item
from widgets.answers.answer_surroundings import AnswerSurroundings, context_of
from widgets.box_layout import column_layout
from widgets.labels import label
from widgets.message_text import message_text
from widgets.stage.scene import StageScene
from widgets.stage.stage import Stage
from widgets.stage.tool import Tool
from widgets.translation import tr

QUOTED_LENGTH = 80
"""Maximum number of characters of an unreadable answer in the message about it."""


class AnswerWidget(QWidget):
    """Shows the answer of an item, and turns input into the canonical text of another one.

    A subclass adds its fields to ``body``, shows an answer in ``show_answer``, and passes input to ``enter``.

    Signals:
        committed: A gesture or Enter has given another valid answer; carries its canonical text, "" for none.
        problem_changed: Carries the problem of the answer that is shown, "" for none.

    Attributes:
        formats: Ids of the answer formats that the widget is for.
        shows_text: Whether the fields show an unreadable answer as well; otherwise its problem quotes it.
        is_blind: Whether the person answers without seeing the answer key: the widget starts empty.
    """

    formats: ClassVar[tuple[str, ...]] = ()
    shows_text: ClassVar[bool] = False
    committed = Signal(str)
    problem_changed = Signal(str)

    def __init__(self, answer_format: str, *, is_blind: bool = False) -> None:
        """Create an empty widget.

        Args:
            answer_format: Id of the answer format; one that is not known has plain text.
            is_blind: Whether the answer key is hidden.
        """
        super().__init__()
        self.answer_format, self.is_blind = answer_format, is_blind
        self.surroundings: AnswerSurroundings | None = None
        self._text = self._problem = ""
        self._sent: list[str] = []
        self._stage: Stage | None = None
        self._tool: Tool | None = None
        self._tool_before: Tool | None = None
        self.evidence_line = label(role="dim", wrap=True)
        self.problem_line = label(role="bad", wrap=True)
        column = column_layout(self, margins_px=0, spacing_px=6)
        # Fields keep their distances in a place that is higher than they are.
        column.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.body = column_layout(margins_px=0, spacing_px=6)
        column.addLayout(self.body)
        for line in (self.evidence_line, self.problem_line):
            line.hide()
            column.addWidget(line)

    def show_item(self, item: Item, shown: StageScene | None) -> None:
        """Show the answer key of an item, or no answer if the person must not see the key.

        For the item that is shown already, input is kept, unless its answer key was changed elsewhere. Call
        ``apply`` before another item is shown, so that input is not lost.

        Args:
            item: The item.
            shown: Its scene as the stage shows it; None while it is loading, and for an item without media.
        """
        is_same = self.surroundings is not None and self.surroundings.item.id == item.id
        before = self.surroundings.item.answer_key if self.surroundings is not None else ""
        self.surroundings = AnswerSurroundings(item, shown)
        if not is_same:
            self._sent.clear()
        self.show_surroundings()
        if not is_same or self._is_changed_elsewhere(item.answer_key, before=before):
            self._show("" if self.is_blind else item.answer_key)
        else:
            self.recheck()
        self._show_evidence("" if self.is_blind else self.evidence())

    def text(self) -> str:
        """Return the answer that is shown: canonical, or as entered where it is not valid."""
        return self._text

    def problem(self) -> str:
        """Return why the shown answer is not valid, "" if it is, or if there is none."""
        return self._problem

    def apply(self) -> bool:
        """Commit input that is not committed yet; return whether the answer is valid or empty."""
        self.send_pending()
        return not self._problem

    def restore(self) -> None:
        """Show the answer key of the item again, because a committed answer could not be stored."""
        self._sent.clear()
        if self.surroundings is not None and not self.is_blind:
            self._show(self.surroundings.item.answer_key)

    def attach(self, stage: Stage) -> None:
        """Let the answer be picked or drawn on a stage, if the format allows it."""
        self.detach()
        self._stage, self._tool = stage, self.make_tool(stage)
        self.pick()

    def detach(self) -> None:
        """Release the stage, which gets its previous tool back."""
        stage, tool, before = self._stage, self._tool, self._tool_before
        self._stage = self._tool = self._tool_before = None
        # A tool that was chosen since then, such as that for measuring, stays.
        if stage is not None and tool is not None and before is not None and stage.tool is tool:
            stage.choose_tool(before)

    def pick(self) -> None:
        """Make the tool of the answer the current one of the stage, for example after measuring."""
        if self._stage is not None and self._tool is not None and self._stage.tool is not self._tool:
            # The first one is kept: a tool that was chosen in between is not what the stage had.
            self._tool_before = self._tool_before or self._stage.tool
            self._stage.choose_tool(self._tool)

    def enter(self, text: str) -> bool:
        """Commit an answer if it is valid; otherwise keep it and show its problem.

        Args:
            text: The answer as entered, "" for none.

        Returns:
            Whether it is valid.
        """
        canonical = self._check(text.strip())
        if canonical is None:
            self._text = text.strip()
            self.show_picked()
            return False
        is_new = canonical != self._text
        self._show(canonical)
        if is_new:
            self._sent.append(canonical)
            self.committed.emit(canonical)
        return True

    # What a format's own widget overrides.

    def show_answer(self, text: str) -> None:
        """Show an answer in the fields.

        Args:
            text: An answer key, which is usually canonical; imported ones can be unreadable.
        """

    def show_surroundings(self) -> None:
        """Update what depends on the item and its scene; ``show_answer`` follows if the answer changes."""

    def recheck(self) -> None:
        """Show the problem of the answer again, instead of that of rejected input."""
        if self._check(self._text) is None and not self.shows_text:
            quoted = textwrap.shorten(self._text, QUOTED_LENGTH, placeholder="…")
            self.show_problem(
                tr("The answer “{answer}” is not valid. {problem}", answer=quoted, problem=self._problem)
            )

    def show_problem(self, problem: str) -> None:
        """Show a problem under the fields, "" for none."""
        if problem != self._problem:
            self._problem = problem
            self.problem_line.setText(problem)
            self.problem_line.setVisible(bool(problem))
            self.problem_changed.emit(problem)

    def show_picked(self) -> None:
        """Update how the stage marks the answer."""
        if self._stage is not None:
            for canvas in self._stage.canvases:
                canvas.update()

    def send_pending(self) -> None:
        """Commit input that waits for Enter or a pause."""

    def make_tool(self, _stage: Stage, /) -> Tool | None:
        """Return the tool with which the answer is picked or drawn, None if there is none."""
        return None

    def evidence(self) -> str:
        """Return what recorded data says about the answer, "" without data."""
        return ""

    def value(self) -> object | None:
        """Return the parsed answer that is shown, None if there is none or it is unreadable."""
        if not self._text or not answers.is_known(self.answer_format):
            return None
        return answers.get(self.answer_format).parse(self._text, context=context_of(self.surroundings)).value

    def _show(self, text: str) -> None:
        self._text = text
        self.recheck()
        self.show_answer(text)
        self.show_picked()

    def _check(self, text: str) -> str | None:
        """Show the problem of an answer; return its canonical text, None if it is not valid."""
        canonical, problem = check_answer(self.answer_format, text, self.surroundings)
        self.show_problem(problem)
        return canonical

    def _show_evidence(self, text: str) -> None:
        self.evidence_line.setText(text)
        self.evidence_line.setVisible(bool(text))

    def _is_changed_elsewhere(self, key: str, *, before: str) -> bool:
        """Return whether the answer key of the shown item was changed by something other than this widget."""
        if self.is_blind:
            return False
        if key in self._sent:
            # Changes arrive later than further input: one of the widget's own must not undo that input.
            del self._sent[: self._sent.index(key) + 1]
            return False
        return key != before


def check_answer(
    answer_format: str, text: str, surroundings: AnswerSurroundings | None
) -> tuple[str | None, str]:
    """Return the canonical text of an answer and "", or None and its problem.

    Args:
        answer_format: Id of the answer format; every text is valid in one that is not known.
        text: The answer as entered; an empty one is valid.
        surroundings: What it may refer to.
    """
    if not text or not answers.is_known(answer_format):
        return text, ""
    form, context = answers.get(answer_format), context_of(surroundings)
    parsed = form.parse(text, context=context)
    if parsed.value is None:
        return None, message_text(parsed.reason)
    if problems := form.validate(parsed.value, context=context):
        return None, f"{message_text(problems[0].message)} {message_text(problems[0].advice)}"
    return form.render(parsed.value), ""
