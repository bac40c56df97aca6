"""Actions that navigate to another part of the window."""

from __future__ import annotations

from widgets.action import ActionSpec
from widgets.translation import mark as _

WORKSPACES = (_("Library"), _("Annotate"), _("Refine"), _("Review"), _("Runs"), _("Release"), _("Scores"))
"""Titles of the workspaces in the order of the rail; the lower-case title is the id and the icon."""
NUMBERS = (1, 2, 3, 4, 5, 6, 8)
"""Digits of their keys; 7 is that of the second look."""
SECOND_LOOK = _("Second look")
PAGES = (*WORKSPACES, SECOND_LOOK)
"""Titles of all workspaces with a page; those that the rail does not list are opened from another one."""
RAIL = {"second_look": "refine"}
"""Workspace that the rail highlights for one that it does not list."""


def workspace_id(title: str) -> str:
    """Return the id of the workspace with an English title."""
    return title.lower().replace(" ", "_")


GO = (
    *(
        ActionSpec(
            id=f"go.{title.lower()}",
            text=title,
            key=f"Ctrl+{number}",
            icon=title.lower(),
            menu="Go",
            handler="window.show_workspace",
            choice=title.lower(),
        )
        for number, title in zip(NUMBERS, WORKSPACES, strict=True)
    ),
    ActionSpec(
        id="go.second_look",
        text=SECOND_LOOK,
        key="Ctrl+7",
        icon="second-look",
        menu="Go",
        needs="project",
        handler="window.show_workspace",
        choice="second_look",
    ),
    ActionSpec(
        id="go.items",
        text=_("List of items"),
        key="Alt+I",
        icon="item",
        menu="Go",
        opens="library",
        needs="project",
        handler="library.show_list",
        choice="item",
    ),
    ActionSpec(
        id="go.scenes",
        text=_("List of scenes"),
        key="Alt+S",
        icon="scene",
        menu="Go",
        opens="library",
        needs="project",
        handler="library.show_list",
        choice="scene",
    ),
    ActionSpec(
        id="go.media",
        text=_("List of media"),
        key="Alt+M",
        icon="picture",
        menu="Go",
        opens="library",
        needs="project",
        handler="library.show_list",
        choice="medium",
    ),
    ActionSpec(
        id="go.progress",
        text=_("Progress"),
        key="Alt+P",
        icon="progress",
        menu="Go",
        opens="library",
        needs="project",
        handler="pages.open_progress",
    ),
    ActionSpec(
        id="go.files",
        text=_("Media files"),
        key="Alt+F",
        icon="folder",
        menu="Go",
        opens="library",
        needs="project",
        handler="pages.open_files",
    ),
    ActionSpec(
        id="go.statistics",
        text=_("Statistics"),
        key="Alt+T",
        icon="measure",
        menu="Go",
        opens="library",
        needs="project",
        handler="pages.open_figures",
    ),
    ActionSpec(
        id="go.balance",
        text=_("Answer letters"),
        key="Alt+L",
        icon="select",
        menu="Go",
        opens="library",
        needs="project",
        handler="pages.open_balance",
    ),
    ActionSpec(
        id="go.agreement",
        text=_("Agreement"),
        key="Alt+E",
        icon="together",
        menu="Go",
        opens="library",
        needs="project",
        handler="pages.open_agreement",
    ),
    ActionSpec(
        id="go.duplicates",
        text=_("Near-duplicates"),
        key="Alt+N",
        icon="copy",
        menu="Go",
        opens="library",
        needs="project",
        handler="pages.open_duplicates",
    ),
    ActionSpec(
        id="comments.next_unread",
        text=_("Next unread comment"),
        key="Alt+U",
        icon="comment",
        menu="Go",
        opens="library",
        needs="unread",
        handler="comments.show_next_unread",
    ),
    ActionSpec(
        id="go.next_pane",
        text=_("Next pane"),
        key="F6",
        menu="Go",
        workspaces=("library", "annotate", "refine", "second_look", "review", "runs", "release", "scores"),
        needs="project",
        handler="navigation.focus_next_pane",
    ),
    ActionSpec(
        id="go.open_annotate",
        text=_("Open in Annotate"),
        key="Return",
        icon="annotate",
        menu="Go",
        context="list",
        needs="rows",
        handler="window.show_workspace",
        choice="annotate",
    ),
    ActionSpec(
        id="go.inspect",
        text=_("Open record"),
        key="Alt+Return",
        menu="Go",
        context="list",
        needs="rows",
        handler="library.inspect",
    ),
    ActionSpec(
        id="go.next_tab",
        text=_("Next inspector tab"),
        key="Ctrl+Tab",
        menu="Go",
        workspaces=("library",),
        needs="project",
        handler="library.show_next_tab",
    ),
)
