"""The navigation rail on the left: a button with icon and title for each workspace."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QSizePolicy, QToolButton

from widgets import icons, theme
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout
from widgets.translation import tr
from widgets.workspace import Workspace

LEAST_PX = 56
EDGE_PX = 1
"""The line on the right."""
MARGIN_PX = 8
"""From a title to the edges of the rail; the background of the current workspace ends 5 px beside it."""


class RailButton(QToolButton):
    """Button of a workspace; the current one has a bar in the accent colour on its left.

    Paints its own title: Qt's button margins would cut off 'Annotate'.
    """

    def __init__(self, *, icon: str) -> None:
        super().__init__()
        self._icon = icon

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar, the icon and the title."""
        painter, tokens = QPainter(self), theme.current()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_lit = self.isChecked() or self.underMouse()
        if is_lit:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tokens.color("raised"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(3, 0, -3, 0), 6, 6)
        if self.isChecked():
            painter.fillRect(0, 4, 2, self.height() - 8, tokens.color("accent"))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(tokens.color("focus"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(3.5, 0.5, -3.5, -0.5), 6, 6)
        ink = tokens.color("text" if is_lit else "text_dim")
        icons.draw(painter, self._icon, rect=QRectF((self.width() - 20) / 2, 7, 20, 20), ink=ink)
        painter.setFont(theme.font("label"))
        painter.setPen(ink)
        painter.drawText(QRectF(0, 29, self.width(), 18), int(Qt.AlignmentFlag.AlignCenter), self.text())


class NavRail(QFrame):
    """Shows the current workspace and switches between workspaces."""

    def __init__(self, registry: ActionRegistry, workspaces: Iterable[type[Workspace]]) -> None:
        """Create a button for each workspace that highlights itself.

        Args:
            registry: The actions.
            workspaces: All workspaces, in display order.
        """
        super().__init__()
        self.setObjectName("rail")
        self._registry = registry
        self._group = QButtonGroup(self)
        column = column_layout(self, margins_px=(0, 8, EDGE_PX, 8), spacing_px=4)
        self._buttons = {one.id: self._add(one) for one in workspaces if one.rail == one.id}
        for made in self._buttons.values():
            column.addWidget(made)
        column.addStretch()
        # The system chooses the font, and the language the titles.
        metrics = QFontMetrics(theme.font("label"))
        widest = max(metrics.horizontalAdvance(made.text()) for made in self._buttons.values())
        self.setFixedWidth(max(LEAST_PX, widest + 2 * MARGIN_PX + EDGE_PX))
        self._show_tips()
        registry.keys_changed.connect(self._show_tips)

    def choose(self, workspace: str) -> None:
        """Highlight a workspace as the current one."""
        self._buttons[workspace].setChecked(True)

    def _add(self, workspace: type[Workspace]) -> QToolButton:
        made = RailButton(icon=workspace.icon)
        made.setObjectName(workspace.id)
        made.setText(tr(workspace.title))
        made.setCheckable(True)
        made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        made.setFixedHeight(52)
        made.clicked.connect(partial(self._registry.run, f"go.{workspace.id}"))
        self._group.addButton(made)
        return made

    def _show_tips(self) -> None:
        for name, made in self._buttons.items():
            made.setToolTip(f"{made.text()}  {self._registry.key(f'go.{name}')}".strip())
