"""Pages of workspaces with nothing to show: those that come later, and those that need a project."""

from __future__ import annotations

from dataclasses import dataclass

from widgets.action_registry import ActionRegistry
from widgets.empty_state import EmptyState
from widgets.translation import mark as _
from widgets.translation import tr


@dataclass(frozen=True, kw_only=True)
class PlaceholderPage:
    """Words of a workspace that is not there yet.

    Attributes:
        headline: What it is for.
        words: What will be done there, and what can be done now.
        steps: Ids of the actions that help now.
    """

    headline: str
    words: str
    steps: tuple[str, ...]


PAGES = {
    "annotate": PlaceholderPage(
        headline=_("No project is open"),
        words=_(
            "Here the views of a scene stand side by side, for regions, links between views and paths. "
            "Open a project now, or make a new one."
        ),
        steps=("project.open", "project.new"),
    ),
    "refine": PlaceholderPage(
        headline=_("Refining comes with a later version"),
        words=_(
            "Here the pictures will stand beside the editor of question, options and key, with live "
            "checks. Items can be read, commented, rejected and restored in the Library now."
        ),
        steps=("go.items", "project.check"),
    ),
    "review": PlaceholderPage(
        headline=_("Reviewing comes with a later version"),
        words=_(
            "Here will be the queue of everything that needs a decision, with the evidence side by side. "
            "Flags can be filtered and decided in the Library now, one record after the other."
        ),
        steps=("go.library", "project.check"),
    ),
    "runs": PlaceholderPage(
        headline=_("No project is open"),
        words=_(
            "Here model work is begun and watched: detection, drafting, blind filter and consensus, with "
            "rate, cost and errors. Open a project now, or make a new one."
        ),
        steps=("project.open", "project.new"),
    ),
    "release": PlaceholderPage(
        headline=_("The release page comes with a later version"),
        words=_(
            "Here gates, statistics and plots will stand beside what the release is going to be. A "
            "release can be frozen and written now; items with open errors are withheld and listed."
        ),
        steps=("project.release", "project.check"),
    ),
}
"""Words of the workspaces by their id."""


def make_page(workspace: str, *, board: ActionRegistry) -> EmptyState:
    """Return the page of a workspace that is not there yet."""
    page = PAGES[workspace]
    return EmptyState(
        icon=workspace, headline=tr(page.headline), words=tr(page.words), board=board, steps=page.steps
    )
