"""The statistic of answer keys and of wrong options as two distributions, with the threshold to drag."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QMargins, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from annotator.quality.calibrated.distribution import StatisticDistribution
from widgets import theme
from widgets.labels import label
from widgets.translation import tr

HEIGHT_PX = 190
FILL_ALPHA = 70
LINE_PX, FOCUS_PX = 2, 5


class CalibrationPlot(QWidget):
    """Two curves and a line; the area right of the line is what counts as guessed.

    Signals:
        loss_chosen: Emitted with the permitted loss, 0 to 1, when the threshold was dragged or moved by keys.
    """

    loss_chosen = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(HEIGHT_PX)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.distribution: StatisticDistribution | None = None
        self._loss = 0.0
        self._view = pg.PlotWidget(background=None, enableMenu=False)
        self._view.setMouseEnabled(x=False, y=False)
        self._view.hideButtons()
        self._view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._plot = self._view.getPlotItem()
        # pyqtgraph creates a menu that the plot does not delete. As a plain child of the plot the menu would
        # appear in its corner.
        self.menu = self._plot.ctrlMenu
        self.menu.setParent(self, Qt.WindowType.Popup)
        self._plot.hideAxis("left")
        self._wrong = self._plot.plot(stepMode="center", fillLevel=0)
        self._keys = self._plot.plot(stepMode="center", fillLevel=0)
        self.line = pg.InfiniteLine(angle=90, movable=True)
        self.line.sigPositionChangeFinished.connect(self._on_line_position_change_finished)
        self._plot.addItem(self.line)
        column = QVBoxLayout(self)
        column.setContentsMargins(QMargins(0, 0, 0, 0))
        column.setSpacing(2)
        self.title = label("", role="label")
        self.title.setWordWrap(True)
        column.addWidget(self.title)
        column.addWidget(self._view, 1)

    def show_distribution(self, distribution: StatisticDistribution, *, loss: float) -> None:
        """Show the distributions of a set and its threshold.

        Args:
            distribution: The distributions.
            loss: The permitted loss of the threshold, 0 to 1.
        """
        self.distribution, self._loss = distribution, loss
        edges = np.asarray(distribution.edges)
        self._wrong.setData(edges, np.asarray(distribution.wrong))
        self._keys.setData(edges, np.asarray(distribution.keys))
        self._plot.setXRange(edges[0], edges[-1], padding=0.01)
        self._plot.setYRange(0, max(*distribution.keys, *distribution.wrong), padding=0.05)
        has_threshold = distribution.threshold is not None
        self.line.setVisible(has_threshold)
        self.line.setBounds((edges[0], edges[-1]))
        if distribution.threshold is not None:
            # Not a gesture: the line stands where the policy puts it.
            self.line.blockSignals(True)
            self.line.setValue(distribution.threshold)
            self.line.blockSignals(False)
        text = (
            tr(
                "How strongly the text points at each option: wrong options (grey), answer keys "
                "(coloured). Items whose answer key lies right of the line are guessed. Drag the line, or "
                "move it by Left and Right, to permit another loss."
            )
            if has_threshold
            else tr(
                "How strongly the text points at each option: wrong options (grey), answer keys "
                "(coloured). The set is too small for a threshold that keeps this loss. Left permits a "
                "larger one."
            )
        )
        self.title.setText(text)
        self.setAccessibleName(text)

    def showEvent(self, event: QShowEvent) -> None:
        """Apply the colours of the current theme."""
        super().showEvent(event)
        self._apply_theme()

    def changeEvent(self, event: QEvent) -> None:
        """Apply the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self.isVisible():
            self._apply_theme()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Draw the line wider while keys move it."""
        super().focusInEvent(event)
        self._draw_line()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Draw the line as before."""
        super().focusOutEvent(event)
        self._draw_line()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Permit a larger loss with Left, a smaller one with Right."""
        if event.key() not in {Qt.Key.Key_Left, Qt.Key.Key_Right} or self.distribution is None:
            super().keyPressEvent(event)
            return
        loss = self.distribution.next_loss(self._loss, is_smaller=event.key() == Qt.Key.Key_Right)
        if loss != self._loss:
            self._loss = loss
            self.loss_chosen.emit(loss)

    def _apply_theme(self) -> None:
        # The view keeps a picture of its background, in the colour of the theme before.
        self._view.resetCachedContent()
        tokens = theme.current()
        for curve, name in ((self._wrong, "text_dim"), (self._keys, "accent")):
            colour = tokens.color(name)
            curve.setPen(pg.mkPen(colour, width=1.4))
            fill = tokens.color(name)
            fill.setAlpha(FILL_ALPHA)
            curve.setBrush(pg.mkBrush(fill))
        self._draw_line()
        axis = self._plot.getAxis("bottom")
        axis.setPen(pg.mkPen(tokens.color("line")))
        axis.setTextPen(pg.mkPen(tokens.color("text_dim")))
        axis.setStyle(tickFont=theme.font("label"), tickLength=-4)
        axis.setHeight(20)

    def _draw_line(self) -> None:
        warn = theme.current().color("warn")
        self.line.setPen(pg.mkPen(warn, width=FOCUS_PX if self.hasFocus() else LINE_PX))
        self.line.setHoverPen(pg.mkPen(warn, width=FOCUS_PX))

    def _on_line_position_change_finished(self) -> None:
        if self.distribution is not None:
            self.loss_chosen.emit(self.distribution.loss_at(float(self.line.value())))
