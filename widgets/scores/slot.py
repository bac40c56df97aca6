"""The slot of the Scores workspace: creates the workspace when it is first opened."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from widgets.action_lists.errors import ERRORS
from widgets.action_lists.scores import SCORES
from widgets.refine.item_view import ON_STAGE
from widgets.translation import mark as _
from widgets.workspace_services import WorkspaceServices
from widgets.workspace_slot import WorkspaceSlot

if TYPE_CHECKING:
    # Imported on demand, to keep the start of the window short.
    from widgets.scores.error_browser import ErrorBrowser
    from widgets.scores.score_pages import ScorePages


class ScoresSlot(WorkspaceSlot["ScorePages"]):
    """Holds the Scores workspace with the error browser, which shows no record of the project alone."""

    id = rail = icon = "scores"
    title = _("Scores")
    key = "Ctrl+8"
    purpose = _(
        "This workspace scores the predictions of models against the answer keys of a release. Open a "
        "project or create a new one."
    )
    actions = (*SCORES, *ERRORS)
    # The error browser is a page of the workspace; which page is visible decides on ``needs``.
    contexts = frozenset({"scores", "errors", "stage"})
    stage_contexts = frozenset({"errors"})
    records = frozenset({*ON_STAGE, "error_label", "item", "settled_text"})

    def create(self, services: WorkspaceServices) -> ScorePages:
        """Create the workspace."""
        from widgets.scores.score_pages import ScorePages
        from widgets.scores.workspace import ScoresWorkspace

        return ScorePages(ScoresWorkspace(services), make_browser=partial(_make_browser, services))

    def refresh(self) -> None:
        """Offer the releases that were made since it was shown last."""
        if self.workspace is not None:
            self.workspace.scores.read_project()


def _make_browser(services: WorkspaceServices) -> ErrorBrowser:
    from widgets.scores.error_browser import ErrorBrowser

    return ErrorBrowser(
        session=services.session,
        controller=services.controller,
        bridge=services.bridge,
        registry=services.registry,
        settings=services.settings,
        stage_media=services.stage_media,
        concerns=services.concerns,
    )
