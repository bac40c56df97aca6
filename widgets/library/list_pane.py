"""The centre of the Library: the visible list, its empty state, or a page."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget, QWidget

from widgets.action_registry import ActionRegistry
from widgets.empty_state import EmptyState
from widgets.focus import holds_keyboard
from widgets.library.record_list import RecordList
from widgets.translation import tr


class ListPane(QStackedWidget):
    """Shows one of the tables, or an empty state with the first actions."""

    def __init__(self, listings: dict[str, RecordList], *, registry: ActionRegistry) -> None:
        super().__init__()
        self._listings, self._registry = listings, registry
        self.reasons = {
            "nothing": self._nothing(),
            "no_item": self._no_item(),
            "no_scene": self._no_scene(),
            "no_medium": self._no_medium(),
            "empty": self._empty(),
        }
        grids = [listing.grid for listing in listings.values() if listing.grid is not None]
        for part in (*(listing.table for listing in listings.values()), *grids, *self.reasons.values()):
            self.addWidget(part)
        self._page: QWidget | None = None
        self._kind = "item"

    def front(self) -> QWidget:
        """Return the visible widget: a list, an empty state or a page."""
        return self.currentWidget() or self

    def show_page(self, page: QWidget) -> None:
        """Show a page in place of the list, until a list is shown again."""
        if self.indexOf(page) < 0:
            self.addWidget(page)
        self._page = page
        self.setCurrentWidget(page)

    def leave_page(self) -> None:
        """Remove the page at the next ``show_list``."""
        self._page = None

    def show_list(self, kind: str) -> None:
        """Show a list; the keyboard focus is kept."""
        self._kind = kind
        if self._page is not None:
            return
        answer = self._listings[kind].answer
        had_keyboard = holds_keyboard(self)
        if answer is None or len(answer.numbers):
            self._show(self._listings[kind].view(), had_keyboard=had_keyboard)
        elif answer.total:
            self._show(self.reasons["nothing"], had_keyboard=had_keyboard)
        else:
            reason = "empty" if self._is_project_empty() else f"no_{kind}"
            self._show(self.reasons[reason], had_keyboard=had_keyboard)

    def toggle_grid(self) -> None:
        """Switch the visible list between grid and table."""
        listing = self._listings[self._kind]
        if listing.grid is not None and self._page is None:
            listing.change_look()
            self.show_list(self._kind)
            listing.view().setFocus(Qt.FocusReason.OtherFocusReason)
            # Table and grid scroll independently.
            listing.show_position()

    def open_column_menu(self) -> None:
        """Open the menu of columns and sort orders of the visible list."""
        listing = self._listings[self._kind]
        if self._page is None:
            listing.table.open_column_menu(listing.view())

    def make_larger(self) -> None:
        """Enlarge the images of the visible grid."""
        self._change_size(1)

    def make_smaller(self) -> None:
        """Reduce the images of the visible grid."""
        self._change_size(-1)

    def _change_size(self, step: int) -> None:
        listing = self._listings[self._kind]
        if listing.grid is not None and listing.is_grid:
            listing.grid.change_size(step)

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
            headline=tr("No matches"),
            text=tr("No record matches the current filters and search text."),
            registry=self._registry,
            steps=("edit.clear_filters",),
        )

    def _empty(self) -> EmptyState:
        return EmptyState(
            icon="import",
            headline=tr("This project is empty"),
            text=tr(
                "Import images, videos, labels or questions, or drop files and folders here. Missing "
                "images can be added later. They are matched by content."
            ),
            registry=self._registry,
            steps=("project.import", *(("project.demo",) if self._registry.can_run("project.demo") else ())),
        )

    def _no_item(self) -> EmptyState:
        return EmptyState(
            icon="item",
            headline=tr("No items"),
            text=tr("Import questions, or draft items by rule from the labels of scenes."),
            registry=self._registry,
            steps=("project.draft", "project.import", "go.scenes"),
        )

    def _no_scene(self) -> EmptyState:
        return EmptyState(
            icon="scene",
            headline=tr("No scenes"),
            text=tr(
                "A scene contains the images of one moment, one per view. Import annotations to create "
                "scenes."
            ),
            registry=self._registry,
            steps=("project.import", "go.items"),
        )

    def _no_medium(self) -> EmptyState:
        return EmptyState(
            icon="picture",
            headline=tr("No media files"),
            text=tr("Import the folder of the images and videos, or files that refer to them."),
            registry=self._registry,
            steps=("project.import", "go.scenes"),
        )
