"""A small plot of how often each letter is the answer key, and the longest option."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QMargins, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from annotator.domain.item import LETTERS
from annotator.quality.answer_balance import AnswerBalance
from widgets import theme
from widgets.balance_text import length_text, letters_text
from widgets.translation import tr

HEIGHT_PX = 92
BAR_WIDTH = 0.6


class AnswerBalancePlot(QWidget):
    """Bars of the letters and of the longest option, with a line at the share that gives nothing away."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(HEIGHT_PX)
        self.balance: AnswerBalance | None = None
        self._letter = ""
        self._view = pg.PlotWidget(background=None, enableMenu=False)
        self._view.setMouseEnabled(x=False, y=False)
        self._view.hideButtons()
        # The plot has no keyboard operation, so that it is no tab stop.
        self._view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._plot = self._view.getPlotItem()
        # pyqtgraph creates a menu that the plot does not delete. As a plain child of the plot the menu would
        # appear in its corner.
        self.menu = self._plot.ctrlMenu
        self.menu.setParent(self, Qt.WindowType.Popup)
        self._plot.setContentsMargins(0, 0, 0, 0)
        self._plot.hideAxis("left")
        self._bars = pg.BarGraphItem(x=[], height=[], width=BAR_WIDTH)
        self._chance = pg.InfiniteLine(angle=0)
        self._plot.addItem(self._bars)
        self._plot.addItem(self._chance)
        column = QVBoxLayout(self)
        column.setContentsMargins(QMargins(0, 0, 0, 0))
        column.addWidget(self._view)

    def show_balance(self, balance: AnswerBalance | None, *, letter: str = "") -> None:
        """Show the letters of a task.

        Args:
            balance: The figures, None for none.
            letter: The letter that is marked, "" for none.
        """
        self.balance, self._letter = balance, letter
        if balance is not None and balance.items:
            self._draw(balance)

    def heights(self) -> list[float]:
        """Return the share of each letter, and of the longest option where it tells something, 0 to 1."""
        if self.balance is None:
            return []
        longest = self.balance.longest_share
        return [*self.balance.shares, *([longest] if longest is not None else [])]

    def showEvent(self, event: QShowEvent) -> None:
        """Apply the colours of the current theme."""
        super().showEvent(event)
        axis = self._plot.getAxis("bottom")
        tokens = theme.current()
        axis.setPen(pg.mkPen(tokens.color("line")))
        axis.setTextPen(pg.mkPen(tokens.color("text_dim")))
        axis.setStyle(tickFont=theme.font("label"), tickLength=0)
        axis.setHeight(18)
        if self.balance is not None:
            self._draw(self.balance)

    def _draw(self, balance: AnswerBalance) -> None:
        heights, tokens = self.heights(), theme.current()
        names = [*LETTERS[: balance.options], tr("longest")][: len(heights)]
        inks = [tokens.color("accent" if name == self._letter else "text_dim") for name in names]
        self._bars.setOpts(
            x=list(range(len(heights))), height=heights, width=BAR_WIDTH, brushes=inks, pens=inks
        )
        self._chance.setPen(pg.mkPen(tokens.color("warn"), style=Qt.PenStyle.DashLine))
        self._chance.setValue(balance.chance)
        self._plot.getAxis("bottom").setTicks([list(enumerate(names))])
        self._plot.setYRange(0, max(*heights, 2 * balance.chance), padding=0.02)
        self._plot.setXRange(-0.6, len(heights) - 0.4, padding=0)
        text = "\n".join(filter(None, (letters_text(balance), length_text(balance))))
        self.setAccessibleName(text)
        self.setToolTip(text)
