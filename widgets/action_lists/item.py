"""Actions on the records that are selected in a list."""

from __future__ import annotations

from widgets.action import ActionSpec
from widgets.translation import mark as _

ITEM = (
    ActionSpec(
        id="item.reject",
        text=_("Reject with reason…"),
        key="Del",
        icon="reject",
        menu="Item",
        place="list",
        needs="items",
        handler="decisions.ask_reject",
    ),
    ActionSpec(
        id="item.restore",
        text=_("Restore rejected items…"),
        key="Shift+Del",
        icon="restore",
        menu="Item",
        place="list",
        needs="items",
        handler="decisions.ask_restore",
    ),
    *(
        ActionSpec(
            id=f"items.{name}",
            text=text,
            key=key,
            icon=icon,
            menu="Item",
            workspaces=("library", "refine"),
            needs="items",
            handler=f"batch_edits.ask_{name}",
        )
        for name, text, key, icon in (
            ("state", _("Set state…"), "", ""),
            ("issue_classes", _("Set issue classes…"), "", "tag"),
            ("task", _("Set task…"), "", ""),
            ("rebalance", _("Balance option letters…"), "", "up-down"),
            ("replace", _("Find and replace…"), "Ctrl+H", "search"),
        )
    ),
    ActionSpec(
        id="record.comment",
        text=_("Comments"),
        key="Ctrl+M",
        icon="comment",
        menu="Item",
        workspaces=("library", "annotate", "refine", "review"),
        needs="project",
        handler="comments.toggle",
    ),
    ActionSpec(
        id="comments.pin",
        text=_("Pin comment to image"),
        key="Alt+C",
        icon="point",
        menu="Item",
        workspaces=("library", "annotate", "refine", "review"),
        needs="stage",
        handler="comments.place_pin",
    ),
    ActionSpec(
        id="scene.tag",
        text=_("Edit scene tags…"),
        key="Ctrl+T",
        icon="tag",
        menu="Item",
        workspaces=("library",),
        needs="scenes",
        handler="decisions.ask_tag",
    ),
    ActionSpec(
        id="media.licence",
        text=_("Set media licence…"),
        key="Ctrl+Shift+L",
        icon="licence",
        menu="Item",
        workspaces=("library",),
        needs="media",
        handler="decisions.ask_licence",
    ),
    ActionSpec(
        id="media.derive",
        text=_("Make derived images…"),
        menu="Item",
        workspaces=("library",),
        needs="media",
        handler="decisions.ask_derive",
    ),
    ActionSpec(
        id="items.reference",
        text=_("Assign reference sample…"),
        menu="Item",
        opens="library",
        needs="project",
        handler="reference_sample.ask",
    ),
    ActionSpec(
        id="flag.resolve",
        text=_("Resolve flag…"),
        key="Alt+R",
        icon="check",
        menu="Item",
        workspaces=("library",),
        needs="flag",
        handler="decisions.resolve_flag",
    ),
    ActionSpec(
        id="flag.dismiss",
        text=_("Dismiss flag…"),
        key="Alt+D",
        icon="flag",
        menu="Item",
        workspaces=("library",),
        needs="flag",
        handler="decisions.dismiss_flag",
    ),
)
