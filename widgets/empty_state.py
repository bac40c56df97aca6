"""Placeholder for a part of the window without content: explanation and first actions."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QVBoxLayout, QWidget

from widgets import icons, theme
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.labels import label
from widgets.translation import tr

WIDTH_PX = 480


class EmptyStateIcon(QWidget):
    """A large icon in a dim colour."""

    def __init__(self, name: str, *, size_px: int = 40) -> None:
        super().__init__()
        self._name, self._size_px = name, size_px
        self.setFixedSize(QSize(size_px, size_px))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the icon."""
        rect = QRectF(0, 0, self._size_px, self._size_px)
        icons.draw(QPainter(self), self._name, rect=rect, ink=theme.current().color("text_dim"))


class EmptyState(QWidget):
    """A heading, an explanation and buttons for the first actions, centred."""

    def __init__(
        self, *, icon: str, headline: str, text: str, registry: ActionRegistry, steps: tuple[str, ...] = ()
    ) -> None:
        """Create the widget.

        Args:
            icon: Name of an icon.
            headline: Heading.
            text: Explanation.
            registry: The actions.
            steps: Ids of the actions to offer, the main one first.
        """
        super().__init__()
        self.column = column_layout(margins_px=0, spacing_px=8)
        self.column.addWidget(EmptyStateIcon(icon), alignment=Qt.AlignmentFlag.AlignHCenter)
        self.column.addSpacing(8)
        self.headline, self.body = label(headline, role="big"), label(text, role="dim", wrap=True)
        for part in (self.headline, self.body):
            part.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.column.addWidget(self.headline)
        self.column.addWidget(self.body)
        self.column.addSpacing(12)
        self.steps = [_step(name, registry=registry, is_main=not at) for at, name in enumerate(steps)]
        for step in self.steps:
            self.column.addWidget(step)
        if self.steps:
            self.setFocusProxy(self.steps[0])
        # A label that wraps says its height only once it knows its width and its font.
        self.body.ensurePolished()
        self.body.setMinimumHeight(self.body.heightForWidth(WIDTH_PX))
        inner = QWidget()
        inner.setLayout(self.column)
        inner.setFixedWidth(WIDTH_PX)
        inner.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Minimum)
        outer = QVBoxLayout(self)
        outer.addStretch(2)
        outer.addWidget(inner, alignment=Qt.AlignmentFlag.AlignHCenter)
        outer.addStretch(3)


def _step(action_id: str, *, registry: ActionRegistry, is_main: bool) -> QPushButton:
    action = registry.table.by_id[action_id]
    made = QPushButton()
    made.setText(tr(action.text))
    if is_main:
        made.setProperty("kind", "main")
    made.setAccessibleName(tr(action.text))
    made.clicked.connect(partial(registry.run, action_id))
    key = registry.key(action_id)
    made.setToolTip(f"{tr(action.text)}  {key}".strip())
    if key:
        row = row_layout(made, margins_px=(0, 0, 12, 0))
        row.addStretch()
        shown = label(key, role="label" if not is_main else "on_accent")
        # Only as high as its text: its ground would cover the frame that shows the keyboard.
        row.addWidget(shown, alignment=Qt.AlignmentFlag.AlignVCenter)
    return made


def scene_without_images(registry: ActionRegistry) -> EmptyState:
    """Return the page in place of the stage of a scene that has no images."""
    return EmptyState(
        icon="picture-missing",
        headline=tr("No images in this scene"),
        text=tr("Import the images of this scene. Images are assigned to scenes by file name."),
        registry=registry,
        steps=("project.import",),
    )
