"""The table of actions for menus, tool tips, shortcuts, the command palette and the shortcut help.

To add an action, add one line to a list in ``widgets/action_lists`` and one method to its handler.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from widgets.action import ActionContext, ActionSpec
from widgets.action_lists.display import PICTURE
from widgets.action_lists.edit import EDIT
from widgets.action_lists.go import GO
from widgets.action_lists.help import HELP
from widgets.action_lists.item import ITEM
from widgets.action_lists.project import PROJECT
from widgets.action_lists.stage import STAGE
from widgets.action_lists.video import VIDEO
from widgets.action_lists.view import VIEW
from widgets.action_table import ActionTable
from widgets.translation import mark as _
from widgets.workspace import Workspace
from widgets.workspaces import WORKSPACES

FIRST_MENUS = (
    _("Project"),
    _("Edit"),
    _("Item"),
    _("Question"),
    _("Review"),
    _("Stage"),
    _("Image"),
    _("Overlays"),
    _("Video"),
)
"""Titles of the menus before those that only one workspace has."""
OWN_MENUS = (_("Runs"), _("Release"), _("Scores"))
LAST_MENUS = (_("Go"), _("View"), _("Help"))


def make_table(workspaces: Sequence[type[Workspace]]) -> ActionTable:
    """Return the actions of a window with some workspaces.

    Args:
        workspaces: The entries of the registry; a menu that only one of them names is placed before Go.
    """
    own = [action for workspace in workspaces for action in workspace.actions]
    homes: defaultdict[ActionContext, tuple[str, ...]] = defaultdict(tuple)
    for workspace in workspaces:
        for context in workspace.contexts:
            homes[context] += (workspace.id,)
    menus = dict.fromkeys((*FIRST_MENUS, *OWN_MENUS, *(action.menu for action in own if action.menu)))
    return ActionTable(
        (
            *(*PROJECT, *EDIT, *ITEM, *STAGE, *PICTURE, *VIDEO),
            *own,
            *map(_show_action, workspaces),
            *(*GO, *VIEW, *HELP),
        ),
        menus=(*menus, *LAST_MENUS),
        homes=dict(homes),
        stage_contexts=frozenset(context for one in workspaces for context in one.stage_contexts),
    )


def _show_action(workspace: type[Workspace]) -> ActionSpec:
    return ActionSpec(
        id=f"go.{workspace.id}",
        text=workspace.title,
        key=workspace.key,
        icon=workspace.icon,
        menu="Go",
        needs=workspace.needs,
        handler="window.show_workspace",
        choice=workspace.id,
    )


ACTION_TABLE = make_table(WORKSPACES)
"""The actions of the window."""
ACTIONS, BY_ID, MENUS = ACTION_TABLE.actions, ACTION_TABLE.by_id, ACTION_TABLE.menus
