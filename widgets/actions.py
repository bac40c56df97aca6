"""THE table of actions: it feeds menus, tool tips, keys, the command palette and the page of keys.

A new gesture is one line here and one method at its handler.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from widgets.translation import mark as _

Place = Literal["window", "list", "stage"]
"""Where an action's key works: everywhere, or only while the keyboard is in a list or at the stage."""

Need = Literal["", "project", "rows", "items", "scenes", "media", "flag", "undo", "redo", "demo", "stage"]
"""What must be there for an action to make sense."""


@dataclass(frozen=True, kw_only=True)
class Action:
    """One thing that a person can do.

    Attributes:
        id: Name in the settings and in tests; never shown.
        text: English text, as in a menu; three dots where more is asked before anything happens.
        key: Default key as Qt writes it, "" for none.
        icon: Name of a drawing, "" for none.
        menu: English title of the menu it stands in, "" for none.
        place: Where its key works.
        needs: What must be there.
        handler: ``owner.method`` that does it.
        choice: Argument of the method, None for none.
    """

    id: str
    text: str
    key: str = ""
    icon: str = ""
    menu: str = ""
    place: Place = "window"
    needs: Need = ""
    handler: str
    choice: str | None = None


MENUS = (_("Project"), _("Edit"), _("Item"), _("Stage"), _("Go"), _("View"), _("Help"))
"""Titles of the menus, in order."""

_PROJECT = (
    Action(
        id="project.new",
        text=_("New project…"),
        key="Ctrl+N",
        icon="plus",
        menu="Project",
        handler="desk.ask_new",
    ),
    Action(
        id="project.open",
        text=_("Open project…"),
        key="Ctrl+O",
        icon="folder",
        menu="Project",
        handler="desk.ask_open",
    ),
    Action(
        id="project.demo",
        text=_("Open the demo project"),
        icon="demo",
        menu="Project",
        needs="demo",
        handler="desk.open_demo",
    ),
    Action(
        id="project.import",
        text=_("Import files…"),
        key="Ctrl+I",
        icon="import",
        menu="Project",
        needs="project",
        handler="batch.ask_import",
    ),
    Action(
        id="project.media",
        text=_("Find media files"),
        icon="picture",
        menu="Project",
        needs="project",
        handler="batch.find_media",
    ),
    Action(
        id="project.locate",
        text=_("Locate media in a folder…"),
        key="Ctrl+L",
        icon="folder",
        menu="Project",
        needs="project",
        handler="batch.ask_locate",
    ),
    Action(
        id="project.check",
        text=_("Run checks"),
        key="Ctrl+Shift+K",
        icon="check",
        menu="Project",
        needs="project",
        handler="batch.run_checks",
    ),
    Action(
        id="project.draft",
        text=_("Draft items by rule…"),
        key="Ctrl+Shift+D",
        icon="draft",
        menu="Project",
        needs="project",
        handler="batch.ask_draft",
    ),
    Action(
        id="project.release",
        text=_("Freeze and write a release…"),
        key="Ctrl+Shift+E",
        icon="release",
        menu="Project",
        needs="project",
        handler="batch.ask_release",
    ),
    Action(
        id="project.close",
        text=_("Close project"),
        key="Ctrl+W",
        icon="close",
        menu="Project",
        needs="project",
        handler="desk.close_project",
    ),
    Action(id="app.quit", text=_("Quit"), key="Ctrl+Q", icon="exit", menu="Project", handler="window.close"),
)

_EDIT = (
    Action(
        id="edit.undo",
        text=_("Undo"),
        key="Ctrl+Z",
        icon="undo",
        menu="Edit",
        needs="undo",
        handler="desk.undo",
    ),
    Action(
        id="edit.redo",
        text=_("Redo"),
        key="Ctrl+Shift+Z",
        icon="redo",
        menu="Edit",
        needs="redo",
        handler="desk.redo",
    ),
    Action(
        id="edit.search",
        text=_("Search the list"),
        key="Ctrl+F",
        icon="search",
        menu="Edit",
        needs="project",
        handler="library.focus_search",
    ),
    Action(
        id="edit.clear_filters",
        text=_("Clear all filters"),
        key="Ctrl+Shift+F",
        icon="filter",
        menu="Edit",
        needs="project",
        handler="library.clear_filters",
    ),
    Action(
        id="edit.select_all",
        text=_("Select all in the list"),
        key="Ctrl+A",
        menu="Edit",
        place="list",
        needs="project",
        handler="library.select_all",
    ),
    Action(
        id="edit.copy_names",
        text=_("Copy names"),
        key="Ctrl+C",
        icon="copy",
        menu="Edit",
        place="list",
        needs="rows",
        handler="library.copy_names",
    ),
)

_ITEM = (
    Action(
        id="item.reject",
        text=_("Reject with a reason…"),
        key="Del",
        icon="reject",
        menu="Item",
        place="list",
        needs="items",
        handler="decisions.ask_reject",
    ),
    Action(
        id="item.restore",
        text=_("Restore what was rejected…"),
        key="Shift+Del",
        icon="restore",
        menu="Item",
        place="list",
        needs="items",
        handler="decisions.ask_restore",
    ),
    Action(
        id="record.comment",
        text=_("Comment…"),
        key="Ctrl+M",
        icon="comment",
        menu="Item",
        needs="rows",
        handler="decisions.ask_comment",
    ),
    Action(
        id="scene.tag",
        text=_("Tags of the scenes…"),
        key="Ctrl+T",
        icon="tag",
        menu="Item",
        needs="scenes",
        handler="decisions.ask_tag",
    ),
    Action(
        id="media.licence",
        text=_("Licence of the media…"),
        key="Ctrl+Shift+L",
        icon="licence",
        menu="Item",
        needs="media",
        handler="decisions.ask_licence",
    ),
    Action(
        id="flag.resolve",
        text=_("Resolve the flag…"),
        key="Alt+R",
        icon="check",
        menu="Item",
        needs="flag",
        handler="decisions.resolve_flag",
    ),
    Action(
        id="flag.dismiss",
        text=_("Dismiss the flag…"),
        key="Alt+D",
        icon="flag",
        menu="Item",
        needs="flag",
        handler="decisions.dismiss_flag",
    ),
)

_STAGE = tuple(
    Action(
        id=f"stage.{name}",
        text=text,
        key=key,
        icon=icon,
        menu="Stage",
        place="stage",
        needs="stage",
        handler=handler,
        choice=choice,
    )
    for name, text, key, icon, handler, choice in (
        ("select", _("Select and move"), "V", "select", "stage.choose_tool", "select"),
        ("box", _("Draw boxes"), "B", "box", "stage.choose_tool", "box"),
        ("link", _("Link regions of two views"), "L", "link", "stage.choose_tool", "link"),
        ("path", _("Draw paths"), "P", "path", "stage.choose_tool", "path"),
        ("unlink", _("Unlink what is selected"), "U", "", "annotate.unlink_selected", None),
        ("remove", _("Remove what is selected"), "Del", "reject", "annotate.remove_selected", None),
        ("next", _("Next region"), "N", "", "stage.select_next", "1"),
        ("previous", _("Region before"), "Shift+N", "", "stage.select_next", "-1"),
        ("give_up", _("Drop the draft or the selection"), "Esc", "", "stage.give_up", None),
        ("clean", _("Clean"), "C", "", "stage.choose_rendering", "clean"),
        ("detected", _("Detected"), "D", "", "stage.choose_rendering", "detected"),
        ("annotated", _("Annotated"), "A", "", "stage.choose_rendering", "annotated"),
        ("model", _("As the model sees it"), "M", "model", "stage.toggle_model", None),
        ("fit", _("Fit whole pictures"), "F", "fit", "looks.fit", None),
        ("pixels", _("A pixel for a pixel"), "1", "", "looks.show_pixels", None),
        ("region", _("Look at what is selected"), "R", "", "looks.show_selected", None),
        ("zoom_in", _("Zoom in"), "+", "", "looks.zoom_in", None),
        ("zoom_out", _("Zoom out"), "-", "", "looks.zoom_out", None),
        ("together", _("Zoom views together or alone"), "T", "together", "looks.toggle_together", None),
        ("large", _("One view large, or all"), "Return", "", "stage.toggle_large", None),
        ("loupe", _("Loupe, while held"), "Z", "search", "looks.show_loupe", None),
        ("next_scene", _("Next scene"), "PgDown", "chevron-right", "annotate.step_scene", "1"),
        ("scene_before", _("Scene before"), "PgUp", "chevron-left", "annotate.step_scene", "-1"),
    )
)

WORKSPACES = (_("Library"), _("Annotate"), _("Refine"), _("Review"), _("Runs"), _("Release"))
"""Titles of the workspaces in the order of the rail; the lower-case title is the id and the icon."""

_GO = (
    *(
        Action(
            id=f"go.{title.lower()}",
            text=title,
            key=f"Ctrl+{number}",
            icon=title.lower(),
            menu="Go",
            handler="window.show_workspace",
            choice=title.lower(),
        )
        for number, title in enumerate(WORKSPACES, start=1)
    ),
    Action(
        id="go.items",
        text=_("List of items"),
        key="Alt+I",
        icon="item",
        menu="Go",
        needs="project",
        handler="library.show_list",
        choice="item",
    ),
    Action(
        id="go.scenes",
        text=_("List of scenes"),
        key="Alt+S",
        icon="scene",
        menu="Go",
        needs="project",
        handler="library.show_list",
        choice="scene",
    ),
    Action(
        id="go.media",
        text=_("List of media"),
        key="Alt+M",
        icon="picture",
        menu="Go",
        needs="project",
        handler="library.show_list",
        choice="medium",
    ),
    Action(
        id="go.progress",
        text=_("Progress"),
        key="Alt+P",
        icon="progress",
        menu="Go",
        needs="project",
        handler="pages.open_progress",
    ),
    Action(
        id="go.files",
        text=_("Media files"),
        key="Alt+F",
        icon="folder",
        menu="Go",
        needs="project",
        handler="pages.open_files",
    ),
    Action(
        id="go.next_pane",
        text=_("Next pane"),
        key="F6",
        menu="Go",
        needs="project",
        handler="library.focus_next_pane",
    ),
    Action(
        id="go.inspect",
        text=_("Open the record"),
        key="Return",
        menu="Go",
        place="list",
        needs="rows",
        handler="library.inspect",
    ),
    Action(
        id="go.next_tab",
        text=_("Next tab of the inspector"),
        key="Ctrl+Tab",
        menu="Go",
        needs="project",
        handler="library.show_next_tab",
    ),
)

_VIEW = (
    Action(
        id="view.grid",
        text=_("Grid of pictures or list"),
        key="Ctrl+G",
        icon="grid",
        menu="View",
        needs="project",
        handler="lists.toggle_grid",
    ),
    Action(
        id="view.larger",
        text=_("Larger pictures"),
        key="Ctrl++",
        icon="plus",
        menu="View",
        needs="project",
        handler="lists.make_larger",
    ),
    Action(
        id="view.smaller",
        text=_("Smaller pictures"),
        key="Ctrl+-",
        menu="View",
        needs="project",
        handler="lists.make_smaller",
    ),
    Action(
        id="view.filters",
        text=_("Show or hide the filters"),
        key="Ctrl+B",
        icon="panel-left",
        menu="View",
        needs="project",
        handler="panes.toggle_filters",
    ),
    Action(
        id="view.inspector",
        text=_("Show or hide the inspector"),
        key="Ctrl+Alt+B",
        icon="panel-right",
        menu="View",
        needs="project",
        handler="panes.toggle_inspector",
    ),
    Action(
        id="view.dark",
        text=_("Dark theme"),
        icon="theme",
        menu="View",
        handler="window.wear_theme",
        choice="dark",
    ),
    Action(
        id="view.light",
        text=_("Light theme"),
        icon="theme",
        menu="View",
        handler="window.wear_theme",
        choice="light",
    ),
    Action(
        id="view.system",
        text=_("Theme of the system"),
        icon="theme",
        menu="View",
        handler="window.wear_theme",
        choice="",
    ),
    Action(
        id="view.english",
        text=_("English"),
        icon="language",
        menu="View",
        handler="window.speak_language",
        choice="en",
    ),
    Action(
        id="view.chinese",
        text=_("Chinese"),
        icon="language",
        menu="View",
        handler="window.speak_language",
        choice="zh",
    ),
)

_HELP = (
    Action(
        id="help.palette",
        text=_("Search or run a command"),
        key="Ctrl+K",
        icon="search",
        menu="Help",
        handler="window.show_palette",
    ),
    Action(
        id="help.keys",
        text=_("Keys of this place"),
        key="F1",
        icon="keyboard",
        menu="Help",
        handler="window.show_keys",
    ),
    Action(
        id="help.edit_keys",
        text=_("Change keys…"),
        icon="keyboard",
        menu="Help",
        handler="window.show_key_editor",
    ),
    Action(id="help.menu", text=_("Menu"), key="F10", icon="menu", handler="window.show_menu"),
)

ACTIONS: tuple[Action, ...] = (*_PROJECT, *_EDIT, *_ITEM, *_STAGE, *_GO, *_VIEW, *_HELP)
"""Every action, in the order of menus and palette."""

BY_ID = {action.id: action for action in ACTIONS}
"""Every action by its id."""


def overlap(one: Place, other: Place) -> bool:
    """Tell whether two places can have the keyboard at once, so that one key may not serve both."""
    return one == other or "window" in {one, other}
