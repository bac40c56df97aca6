"""The middle of the Library: the list in front, or the reason why there is nothing in it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget, QWidget

from widgets.action_board import ActionBoard
from widgets.empty import EmptyState
from widgets.focus import holds_keyboard
from widgets.library.listing import Listing
from widgets.translation import tr


class ListPane(QStackedWidget):
    """Shows one of the tables, or the first steps towards something to show in it."""

    def __init__(self, listings: dict[str, Listing], *, board: ActionBoard) -> None:
        super().__init__()
        self._listings, self._board = listings, board
        self.reasons = {
            "nothing": self._nothing(),
            "no_item": self._no_item(),
            "no_scene": self._no_scene(),
            "empty": self._empty(),
        }
        for part in (*(listing.table for listing in listings.values()), *self.reasons.values()):
            self.addWidget(part)

    def show_list(self, kind: str) -> None:
        """Bring a list to the front; the keyboard stays where it was."""
        answer = self._listings[kind].answer
        had_keyboard = holds_keyboard(self)
        if answer is None or len(answer.numbers):
            self._show(self._listings[kind].table, had_keyboard=had_keyboard)
        elif answer.total:
            self._show(self.reasons["nothing"], had_keyboard=had_keyboard)
        else:
            reason = "empty" if self._is_project_empty() else f"no_{kind}"
            self._show(self.reasons[reason], had_keyboard=had_keyboard)

    def _show(self, part: QWidget, *, had_keyboard: bool) -> None:
        self.setCurrentWidget(part)
        if had_keyboard:
            part.setFocus(Qt.FocusReason.OtherFocusReason)

    def _is_project_empty(self) -> bool:
        answers = [listing.answer for listing in self._listings.values()]
        return all(answer is not None and answer.total == 0 for answer in answers)

    def _nothing(self) -> EmptyState:
        return EmptyState(
            icon="search",
            headline=tr("Nothing fits"),
            words=tr("No record has all of the filters and words that are set."),
            board=self._board,
            steps=("edit.clear_filters",),
        )

    def _empty(self) -> EmptyState:
        return EmptyState(
            icon="import",
            headline=tr("This project is empty"),
            words=tr(
                "Import annotations or questions of AirCopBench, SpatialUAV or UrbanVideo-Bench, or drop "
                "the files here. Pictures may be absent: they are found later by their content."
            ),
            board=self._board,
            steps=("project.import",),
        )

    def _no_item(self) -> EmptyState:
        return EmptyState(
            icon="item",
            headline=tr("No item yet"),
            words=tr(
                "Items come from imported questions, or are drafted by rule from the labels of the scenes."
            ),
            board=self._board,
            steps=("project.draft", "project.import", "go.scenes"),
        )

    def _no_scene(self) -> EmptyState:
        return EmptyState(
            icon="scene",
            headline=tr("No scene yet"),
            words=tr("Scenes come with imported annotations: the pictures of one moment, one per view."),
            board=self._board,
            steps=("project.import", "go.items"),
        )
