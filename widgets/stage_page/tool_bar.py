"""The tool bar above the stage: tools, overlays, viewing actions, name of the scene."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QPushButton, QToolButton, QWidget

from widgets import icons
from widgets.action_registry import ActionRegistry
from widgets.labels import ElidedLabel
from widgets.overlay_kinds import KINDS
from widgets.stage.stage import Stage
from widgets.translation import tr

HEIGHT_PX = 40
EDGE_PX, SPACE_PX, GROUP_PX = 8, 4, 12
"""Left and right margin; gap between buttons; additional gap between groups."""
LEAST_NAME_PX = 72
LEAST_WIDTH_PX = 160
TOOLS = (
    "stage.select",
    "stage.box",
    "stage.polygon",
    "stage.segment",
    "stage.point",
    "stage.link",
    "stage.path",
    "stage.measure",
)
OVERLAYS = tuple(f"stage.show_{kind}" for kind in KINDS)
USUAL = "stage.show_usual"
VIEW_ACTIONS = ("stage.layout", "stage.together", "stage.fit")


@dataclass(frozen=True, kw_only=True)
class RenderingActions:
    """The actions that choose what a stage draws; a workspace can have keys of its own for them.

    Attributes:
        renderings: Ids of the actions of the renderings.
        model: Id of the action that shows model inputs.
    """

    renderings: tuple[str, ...] = ("stage.clean", "stage.detected", "stage.annotated")
    model: str = "stage.model"

    def own(self, action: str) -> str:
        """Return the action of the workspace that does what an action of the stage does."""
        usual = (*USUAL_RENDERINGS.renderings, USUAL_RENDERINGS.model)
        return dict(zip(usual, (*self.renderings, self.model), strict=True)).get(action, action)


USUAL_RENDERINGS = RenderingActions()


@dataclass(frozen=True, kw_only=True)
class _Part:
    """Buttons that move into the overflow menu together when the tool bar is too narrow.

    Attributes:
        names: Ids of their actions.
        buttons: The buttons.
        gap_px: Additional gap before the first button, device-independent pixels.
    """

    names: tuple[str, ...]
    buttons: tuple[QAbstractButton, ...]
    gap_px: int = 0

    def width_px(self) -> int:
        """Return the width of the buttons; the gap is kept if they are hidden."""
        return sum(button.sizeHint().width() + SPACE_PX for button in self.buttons)


class ToolBar(QWidget):
    """Checkable buttons of the stage; buttons without room move into an overflow menu."""

    def __init__(
        self, stage: Stage, *, registry: ActionRegistry, actions: RenderingActions = USUAL_RENDERINGS
    ) -> None:
        super().__init__()
        self._stage, self._registry, self._actions = stage, registry, actions
        self._state: object = None
        self.setObjectName("pane")
        self.setFixedHeight(HEIGHT_PX)
        self.name = ElidedLabel(role="mono", mode=Qt.TextElideMode.ElideMiddle)
        by_id = registry.table.by_id
        tools = (name for name in TOOLS if by_id[name].choice in stage.tools)
        self.tools = {name: self._icon_button(name) for name in tools}
        self.renderings = {name: self._pill(name) for name in actions.renderings}
        self.model = self._pill(actions.model)
        self.overlays = self._menu_button("layers", tr("Overlays"))
        self.view_buttons = {name: self._icon_button(name) for name in VIEW_ACTIONS}
        self.together = self.view_buttons["stage.together"]
        self.rest = self._menu_button("more", tr("More"))
        # In display order.
        self._parts = (
            *(_Part(names=(name,), buttons=(button,)) for name, button in self.tools.items()),
            _Part(names=actions.renderings, buttons=tuple(self.renderings.values()), gap_px=GROUP_PX),
            _Part(names=(actions.model,), buttons=(self.model,)),
            _Part(names=(*OVERLAYS, USUAL), buttons=(self.overlays,), gap_px=GROUP_PX),
            *(
                _Part(names=(name,), buttons=(button,), gap_px=0 if at else SPACE_PX)
                for at, (name, button) in enumerate(self.view_buttons.items())
            ),
        )
        self._lay_out()
        self.overlays.clicked.connect(self._on_overlays_clicked)
        self.rest.clicked.connect(self._on_rest_clicked)
        stage.view_state_changed.connect(self.refresh)
        registry.keys_changed.connect(self._show_keys)
        self._show_keys()
        self.refresh()

    def minimumSizeHint(self) -> QSize:
        """Return the minimum width: all buttons can move into the overflow menu."""
        return QSize(LEAST_WIDTH_PX, HEIGHT_PX)

    def sizeHint(self) -> QSize:
        """Return the size with all buttons visible."""
        wanted = sum(part.width_px() for part in self._parts)
        return QSize(wanted + self._fixed_px(), HEIGHT_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the buttons that fit; the last groups are hidden first."""
        super().resizeEvent(event)
        room = self.width() - self._fixed_px()
        is_short = sum(part.width_px() for part in self._parts) > room
        if is_short:
            # The overflow button itself needs room as soon as anything is hidden.
            room -= self.rest.sizeHint().width() + SPACE_PX
        self.rest.setVisible(is_short)
        for part in self._parts:
            room -= part.width_px()
            for button in part.buttons:
                button.setVisible(room >= 0)

    def showEvent(self, event: QShowEvent) -> None:
        """Update the menus to this stage, because another one may have set their state."""
        super().showEvent(event)
        self._state = None
        self.refresh()

    def refresh(self) -> None:
        """Update the checked buttons if the state has changed."""
        stage = self._stage
        state = (
            stage.tool.id,
            stage.rendering,
            stage.is_model,
            stage.viewports.is_together,
            stage.overlays.kinds,
        )
        # Called at each mouse move, so unchanged states are skipped.
        if state != self._state:
            self._state = state
            self._show_state()

    def left_out(self) -> list[str]:
        """Return the ids of the actions in the overflow menu, "" as separator."""
        names: list[str] = []
        for part in self._parts:
            # Not ``isVisible``, which is also False while the whole bar is hidden.
            if part.buttons[0].isHidden():
                names += [""] if names and part.gap_px else []
                names += part.names
        return names

    def _fixed_px(self) -> int:
        """Return the width not available for buttons: margins, gaps and the name of the scene."""
        gaps = sum(part.gap_px for part in self._parts) + GROUP_PX - SPACE_PX
        return 2 * EDGE_PX + gaps + LEAST_NAME_PX

    def _show_state(self) -> None:
        stage, by_id = self._stage, self._registry.table.by_id
        for name, button in self.tools.items():
            self._show_on(name, button, is_on=by_id[name].choice == stage.tool.id)
        for name, pill in self.renderings.items():
            self._show_on(name, pill, is_on=by_id[name].choice == stage.rendering)
        self._show_on(self._actions.model, self.model, is_on=stage.is_model)
        self._show_on("stage.together", self.together, is_on=stage.viewports.is_together)
        for kind, name in zip(KINDS, OVERLAYS, strict=True):
            self._registry.show_on(name, stage.overlays.kinds.has(kind))

    def _show_on(self, name: str, button: QAbstractButton, *, is_on: bool) -> None:
        button.setChecked(is_on)
        self._registry.show_on(name, is_on)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        # The layout must not set a minimum width: buttons are hidden instead of clipped.
        row.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)
        row.setContentsMargins(EDGE_PX, 0, EDGE_PX, 0)
        row.setSpacing(SPACE_PX)
        for part in self._parts:
            row.addSpacing(part.gap_px)
            for button in part.buttons:
                row.addWidget(button)
        row.addSpacing(GROUP_PX - SPACE_PX)
        row.addWidget(self.name, 1)
        row.addWidget(self.rest)

    def _icon_button(self, name: str) -> QToolButton:
        made = self._registry.button(name)
        made.setCheckable(name not in {"stage.layout", "stage.fit"})
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # A click toggles the button itself; the checked state must follow the stage, so it is restored.
        made.clicked.connect(self._show_state)
        return made

    def _pill(self, name: str) -> QPushButton:
        made = QPushButton()
        made.setText(tr(self._registry.table.by_id[name].text))
        made.setProperty("kind", "pill")
        made.setCheckable(True)
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        made.clicked.connect(partial(self._registry.run, name))
        made.clicked.connect(self._show_state)
        return made

    def _menu_button(self, icon: str, title: str) -> QToolButton:
        made = QToolButton()
        made.setIcon(icons.icon(icon))
        made.setIconSize(icons.LARGE)
        made.setToolTip(title)
        made.setAccessibleName(title)
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return made

    def _show_keys(self) -> None:
        for name, pill in (*self.renderings.items(), (self._actions.model, self.model)):
            pill.setToolTip(
                f"{tr(self._registry.table.by_id[name].text)}  {self._registry.key(name)}".strip()
            )

    def _on_overlays_clicked(self) -> None:
        self._drop(self.overlays, [*OVERLAYS, "", USUAL])

    def _on_rest_clicked(self) -> None:
        self._drop(self.rest, self.left_out())

    def _drop(self, button: QToolButton, names: list[str]) -> None:
        menu = self._registry.pick(self, names)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(button.mapToGlobal(QPoint(0, button.height() + 4)))
