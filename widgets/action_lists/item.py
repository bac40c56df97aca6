"""Actions on the records that are selected in a list."""

from __future__ import annotations

from widgets.action import ActionSpec
from widgets.translation import mark as _

ITEM = (
    ActionSpec(
        id="item.reject",
        text=_("Reject with a reason…"),
        key="Del",
        icon="reject",
        menu="Item",
        place="list",
        needs="items",
        handler="decisions.ask_reject",
    ),
    ActionSpec(
        id="item.restore",
        text=_("Restore what was rejected…"),
        key="Shift+Del",
        icon="restore",
        menu="Item",
        place="list",
        needs="items",
        handler="decisions.ask_restore",
    ),
    ActionSpec(
        id="record.comment",
        text=_("Comment…"),
        key="Ctrl+M",
        icon="comment",
        menu="Item",
        needs="rows",
        handler="decisions.ask_comment",
    ),
    ActionSpec(
        id="scene.tag",
        text=_("Tags of the scenes…"),
        key="Ctrl+T",
        icon="tag",
        menu="Item",
        needs="scenes",
        handler="decisions.ask_tag",
    ),
    ActionSpec(
        id="media.licence",
        text=_("Licence of the media…"),
        key="Ctrl+Shift+L",
        icon="licence",
        menu="Item",
        needs="media",
        handler="decisions.ask_licence",
    ),
    ActionSpec(
        id="flag.resolve",
        text=_("Resolve the flag…"),
        key="Alt+R",
        icon="check",
        menu="Item",
        needs="flag",
        handler="decisions.resolve_flag",
    ),
    ActionSpec(
        id="flag.dismiss",
        text=_("Dismiss the flag…"),
        key="Alt+D",
        icon="flag",
        menu="Item",
        needs="flag",
        handler="decisions.dismiss_flag",
    ),
)
