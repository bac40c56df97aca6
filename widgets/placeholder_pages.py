"""Placeholder pages of workspaces, shown while no project is open."""

from __future__ import annotations

from dataclasses import dataclass

from widgets.action_registry import ActionRegistry
from widgets.empty_state import EmptyState
from widgets.translation import mark as _
from widgets.translation import tr


@dataclass(frozen=True, kw_only=True)
class PlaceholderPage:
    """Texts of a placeholder page.

    Attributes:
        headline: Heading.
        text: Explanation, and an alternative.
        steps: Ids of the offered actions.
    """

    headline: str
    text: str
    steps: tuple[str, ...]


PAGES = {
    "annotate": PlaceholderPage(
        headline=_("No project is open"),
        text=_(
            "This workspace shows the views of a scene side by side. You draw regions and paths "
            "and link regions across views. Open a project or create a new one."
        ),
        steps=("project.open", "project.new"),
    ),
    "refine": PlaceholderPage(
        headline=_("No project is open"),
        text=_(
            "This workspace shows each item with its images. You correct question, options and answer, "
            "and accept the item. Open a project or create a new one."
        ),
        steps=("project.open", "project.new"),
    ),
    "second_look": PlaceholderPage(
        headline=_("No project is open"),
        text=_(
            "This workspace asks you to answer items without seeing their answer keys, and to decide on the "
            "answer key afterwards. Open a project or create a new one."
        ),
        steps=("project.open", "project.new"),
    ),
    "review": PlaceholderPage(
        headline=_("No project is open"),
        text=_(
            "This workspace shows each record that waits for a decision, with the answers of people and "
            "models side by side. You decide, and say why. Open a project or create a new one."
        ),
        steps=("project.open", "project.new"),
    ),
    "runs": PlaceholderPage(
        headline=_("No project is open"),
        text=_(
            "This workspace starts and monitors runs (detection, drafting, blind filter and "
            "consensus) and shows their rate, cost and errors. Open a project or create a new "
            "one."
        ),
        steps=("project.open", "project.new"),
    ),
    "release": PlaceholderPage(
        headline=_("No project is open"),
        text=_(
            "This workspace shows what must hold before a release, with the number that is left, and what "
            "the release will be. Open a project or create a new one."
        ),
        steps=("project.open", "project.new"),
    ),
    "scores": PlaceholderPage(
        headline=_("No project is open"),
        text=_(
            "This workspace scores the predictions of models against the answer keys of a release. Open a "
            "project or create a new one."
        ),
        steps=("project.open", "project.new"),
    ),
}
"""Pages by workspace id."""


def make_page(workspace: str, *, registry: ActionRegistry) -> EmptyState:
    """Return the placeholder page of a workspace."""
    page = PAGES[workspace]
    return EmptyState(
        icon=workspace.replace("_", "-"),
        headline=tr(page.headline),
        text=tr(page.text),
        registry=registry,
        steps=page.steps,
    )
