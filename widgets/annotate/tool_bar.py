"""The line over the stage: the scene, the tools, what is shown, how it is looked at."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QWidget

from widgets.action_board import ActionBoard
from widgets.actions import BY_ID
from widgets.labels import ElidedLabel
from widgets.stage.stage import Stage
from widgets.translation import tr

HEIGHT_PX = 40
TOOL_ACTIONS = ("stage.select", "stage.box", "stage.link", "stage.path")
RENDERINGS = ("stage.clean", "stage.detected", "stage.annotated")


class ToolBar(QWidget):
    """Buttons of the stage; shows which are in."""

    def __init__(self, stage: Stage, *, board: ActionBoard) -> None:
        super().__init__()
        self._stage, self._board = stage, board
        self.setObjectName("pane")
        self.setFixedHeight(HEIGHT_PX)
        self.name = ElidedLabel(role="mono", mode=Qt.TextElideMode.ElideMiddle)
        self.tools = {name: self._icon_button(name) for name in TOOL_ACTIONS}
        self.renderings = {name: self._pill(name) for name in RENDERINGS}
        self.model = self._pill("stage.model")
        self.together = self._icon_button("stage.together")
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(4)
        for button in self.tools.values():
            row.addWidget(button)
        row.addSpacing(12)
        for pill in (*self.renderings.values(), self.model):
            row.addWidget(pill)
        row.addSpacing(12)
        row.addWidget(self.together)
        row.addWidget(board.button("stage.fit"))
        row.addSpacing(8)
        row.addWidget(self.name, 1)
        stage.looked.connect(self.refresh)
        board.keys_changed.connect(self._show_keys)
        self._show_keys()
        self.refresh()

    def refresh(self) -> None:
        """Show which buttons are in."""
        stage = self._stage
        for name, button in self.tools.items():
            button.setChecked(BY_ID[name].choice == stage.tool.id)
        for name, pill in self.renderings.items():
            pill.setChecked(BY_ID[name].choice == stage.rendering)
        self.model.setChecked(stage.is_model)
        self.together.setChecked(stage.looks.is_together)

    def _icon_button(self, name: str) -> QToolButton:
        made = self._board.button(name)
        made.setCheckable(True)
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # A click turns the button by itself; what is in is what the stage says.
        made.clicked.connect(self.refresh)
        return made

    def _pill(self, name: str) -> QPushButton:
        made = QPushButton()
        made.setText(tr(BY_ID[name].text))
        made.setProperty("kind", "pill")
        made.setCheckable(True)
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        made.clicked.connect(partial(self._board.run, name))
        made.clicked.connect(self.refresh)
        return made

    def _show_keys(self) -> None:
        for name, pill in (*self.renderings.items(), ("stage.model", self.model)):
            pill.setToolTip(f"{tr(BY_ID[name].text)}  {self._board.key(name)}".strip())
