"""The pages of the Scores workspace: the scores, and the error browser once it is needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QStackedWidget

from annotator.scoring.row_filter import RowFilter
from widgets.box_layout import column_layout
from widgets.scores.error_browser import ErrorBrowser
from widgets.scores.workspace import ScoresWorkspace
from widgets.workspace_widget import WorkspaceWidget


class ScorePages(WorkspaceWidget):
    """Shows the scores, or the predictions behind one of them.

    Attributes:
        scores: The scores.
        browser: The error browser, None until it is first needed.
    """

    def __init__(self, scores: ScoresWorkspace, *, make_browser: Callable[[], ErrorBrowser]) -> None:
        super().__init__()
        self.scores, self._make_browser = scores, make_browser
        self.browser: ErrorBrowser | None = None
        self._stack = QStackedWidget()
        self._stack.addWidget(scores)
        whole = column_layout(self, margins_px=0)
        whole.addWidget(self._stack)
        scores.errors_requested.connect(self.show_errors)

    def show_errors(self, file: Path, wanted: RowFilter) -> None:
        """Show the predictions of a file of scored predictions."""
        if self.browser is None:
            self.browser = self._make_browser()
            self.browser.back_requested.connect(self.show_scores)
            self._stack.addWidget(self.browser)
        self.browser.show_rows(file, wanted)
        self._stack.setCurrentWidget(self.browser)
        self.browser.take_keyboard()

    def show_scores(self) -> None:
        """Show the scores."""
        self._stack.setCurrentWidget(self.scores)
        self.scores.take_keyboard()

    def front(self) -> ErrorBrowser | ScoresWorkspace:
        """Return the page that is shown."""
        if self.browser is not None and self._stack.currentWidget() is self.browser:
            return self.browser
        return self.scores

    def take_keyboard(self) -> None:
        """Set the keyboard focus to the page."""
        self.front().take_keyboard()

    def focus_next_pane(self) -> None:
        """Set the keyboard focus to the next pane of the page."""
        self.front().focus_next_pane()

    def is_settled(self) -> bool:
        """Return whether all requested content is loaded."""
        return self.scores.is_settled() and (self.browser is None or self.browser.is_settled())

    def leave(self) -> None:
        """Stop background work, because the workspace is being closed."""
        if self.browser is not None:
            self.browser.leave()
        self.scores.leave()
        self.scores.release_needs()
