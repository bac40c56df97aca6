"""The dialog that balances the option letters of several items."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QLineEdit, QWidget

from annotator.commands.command import Command
from annotator.commands.item_batches import RebalanceLetters, has_movable_options
from annotator.domain.item import LETTERS, Item
from annotator.queries.reader import Reader
from widgets.labels import label
from widgets.refine.batch_dialog import BatchDialog
from widgets.translation import join_texts, tr


@dataclass(frozen=True, kw_only=True)
class LetterShares:
    """The answer letters of items.

    Attributes:
        counts: Number of items by letter, of those whose options can move.
        fixed: Number of items whose options stay.
    """

    counts: dict[str, int]
    fixed: int


class RebalanceDialog(BatchDialog):
    """Asks for the seed, and shows how often each letter is right now."""

    def __init__(self, window: QWidget, *, items: tuple[str, ...]) -> None:
        super().__init__(
            window,
            title=tr("Balance option letters"),
            count=len(items),
            explanation=tr(
                "Right options move so that each letter is right equally often. Options that refer to each "
                "other stay. The same items and seed give the same letters."
            ),
        )
        self._items = items
        self.seed = QLineEdit("0")
        self.seed.setValidator(QIntValidator(0, 2**31 - 1, self.seed))
        self.now = label(tr("Reading the items…"), role="dim", wrap=True)
        self.add_field(tr("Random seed"), self.seed)
        self.body.addWidget(self.now)
        self.first = self.seed
        self.seed.textChanged.connect(self._on_seed_text_changed)
        self.end(tr("Balance letters"))

    def command(self) -> Command | None:
        """Return the edit, None while the seed is not a number."""
        if not self.seed.hasAcceptableInput():
            return None
        return RebalanceLetters(items=self._items, seed=int(self.seed.text()))

    def show_letters(self, shares: LetterShares) -> None:
        """Show how often each letter is right."""
        total = sum(shares.counts.values())
        parts = [
            f"{letter} {shares.counts[letter] / total:.0%}" for letter in LETTERS if letter in shares.counts
        ]
        text = tr("Now: {letters}.", letters=join_texts(parts)) if parts else ""
        if shares.fixed:
            text += " " + tr("{n} items stay as they are.", n=f"{shares.fixed:,}")
        self.now.setText(text.strip())

    def _on_seed_text_changed(self) -> None:
        self.check()


def count_letters(reader: Reader, *, ids: tuple[str, ...]) -> LetterShares:
    """Count the answer letters of items; called on the reading thread."""
    items = list(reader.records(Item, ids=list(ids)))
    movable = [item for item in items if has_movable_options(item)]
    counts = Counter(item.answer_key for item in movable)
    return LetterShares(counts=dict(counts), fixed=len(items) - len(movable))
