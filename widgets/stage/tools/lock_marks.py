"""Selected regions that are locked: a symbol on each, and the message how to unlock them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from annotator.domain.region import Region
from widgets import icons, theme
from widgets.stage.tool import key_slot
from widgets.translation import tr, trn

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

SIDE_PX, MOST_LOCKS = 16, 100
"""Side of a symbol, device-independent pixels; maximum number of symbols."""


def paint_locks(painter: QPainter, canvas: StageCanvas, selected: tuple[str, ...]) -> None:
    """Paint a symbol at each locked selected region of a view; the painter's unit is the device pixel."""
    found = (canvas.marks.region(one) for one in selected[:MOST_LOCKS])
    dark, side = theme.load("dark"), SIDE_PX * canvas.ratio()
    for region in found:
        if region is None or not region.is_locked or region.id in canvas.left_out:
            continue
        rect = canvas.region_rect(region)
        area = QRectF(rect.right() - side / 2, rect.top() - side / 2, side, side)
        painter.fillRect(area, dark.color("bg"))
        icons.draw(painter, "lock", rect=area.adjusted(2, 2, -2, -2), ink=dark.color("text"))


def locked_message(locked: Sequence[Region]) -> str:
    """Return the message that regions are locked, with the key that unlocks them, or ""."""
    if not locked:
        return ""
    what = trn("{n} region is locked", "{n} regions are locked", n=len(locked))
    return tr("{what} · {key}: unlock", what=what, key=key_slot("stage.lock"))
