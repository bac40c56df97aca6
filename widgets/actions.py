"""The table of actions for menus, tool tips, shortcuts, the command palette and the shortcut help.

To add an action, add one line to a list in ``widgets/action_lists`` and one method to its handler.
"""

from __future__ import annotations

from widgets.action import ActionContext, ActionNeed, ActionSpec, overlap
from widgets.action_lists.annotate import ANNOTATE
from widgets.action_lists.display import PICTURE
from widgets.action_lists.edit import EDIT
from widgets.action_lists.errors import ERRORS
from widgets.action_lists.go import GO, PAGES, RAIL, WORKSPACES, workspace_id
from widgets.action_lists.help import HELP
from widgets.action_lists.item import ITEM
from widgets.action_lists.project import PROJECT
from widgets.action_lists.refine import REFINE
from widgets.action_lists.release import RELEASE
from widgets.action_lists.review import REVIEW
from widgets.action_lists.runs import RUNS
from widgets.action_lists.scores import SCORES
from widgets.action_lists.second_look import SECOND_LOOK
from widgets.action_lists.stage import STAGE
from widgets.action_lists.video import FILM
from widgets.action_lists.view import VIEW
from widgets.translation import mark as _

__all__ = [
    "ACTIONS",
    "BY_ID",
    "MENUS",
    "PAGES",
    "RAIL",
    "WORKSPACES",
    "ActionContext",
    "ActionNeed",
    "ActionSpec",
    "overlap",
    "workspace_id",
]

MENUS = (
    _("Project"),
    _("Edit"),
    _("Item"),
    _("Question"),
    _("Review"),
    _("Stage"),
    _("Image"),
    _("Overlays"),
    _("Video"),
    _("Runs"),
    _("Release"),
    _("Scores"),
    _("Go"),
    _("View"),
    _("Help"),
)
"""Titles of the menus, in display order."""

ACTIONS: tuple[ActionSpec, ...] = (
    *PROJECT,
    *EDIT,
    *ITEM,
    *STAGE,
    *ANNOTATE,
    *PICTURE,
    *FILM,
    *REFINE,
    *SECOND_LOOK,
    *REVIEW,
    *RUNS,
    *RELEASE,
    *SCORES,
    *ERRORS,
    *GO,
    *VIEW,
    *HELP,
)
"""All actions, in the order of the menus and of the command palette."""

BY_ID = {action.id: action for action in ACTIONS}
"""Every action by its id."""
