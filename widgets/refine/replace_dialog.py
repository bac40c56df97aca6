"""The dialog that finds and replaces text in several items, with a preview."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import islice

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QListWidget, QWidget

from annotator.commands.command import Command
from annotator.commands.item_batches import ReplaceText, TextReplacement, preview_replacement
from annotator.domain.item import Item
from annotator.domain.item_diff import diff_items
from annotator.errors import VantageError
from annotator.queries.reader import Reader
from widgets.labels import label, set_role
from widgets.message_text import error_text
from widgets.refine.batch_dialog import BatchDialog
from widgets.translation import tr, trn

PREVIEW_AFTER_MS = 250
LOOKED_AT, SHOWN = 5_000, 100
"""Maximum number of items that a preview reads, and that it lists."""
Read = Callable[..., None]
"""Runs a query on the reading thread: the question, and ``done`` and ``failed``."""


@dataclass(frozen=True, kw_only=True)
class ReplacementPreview:
    """What a replacement would change.

    Attributes:
        lines: One text per changed field of the first items.
        changed: Number of items that change.
        read: Number of items that were read.
    """

    lines: tuple[str, ...]
    changed: int
    read: int


class ReplaceDialog(BatchDialog):
    """Asks what to find and what to put in its place; the list shows each text that changes."""

    def __init__(self, window: QWidget, *, items: tuple[str, ...], read: Read) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            items: Ids of the items.
            read: Runs a query.
        """
        super().__init__(
            window,
            title=tr("Find and replace in items"),
            count=len(items),
            explanation=tr("Questions and options are searched. Nothing changes before you confirm."),
            width=720,
            height=520,
        )
        self._items, self._read = items, read
        self.wanted, self.new = QLineEdit(), QLineEdit()
        self.add_field(tr("Find"), self.wanted)
        self.add_field(tr("Replace with"), self.new)
        self.questions = _checked(tr("Questions"))
        self.options = _checked(tr("Options"))
        self.case = _checked(tr("Match case"))
        self.pattern = QCheckBox(tr("Regular expression"))
        row = QHBoxLayout()
        for box in (self.questions, self.options, self.case, self.pattern):
            row.addWidget(box)
            box.toggled.connect(self._on_changed)
        row.addStretch()
        self.body.addLayout(row)
        self.count = label(role="dim", wrap=True)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Preview"))
        self.list.setWordWrap(True)
        self.list.setSpacing(3)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.body.addWidget(self.count)
        self.body.addWidget(self.list, 1)
        self.first = self.wanted
        self._changed = 0
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(PREVIEW_AFTER_MS)
        self._soon.timeout.connect(self._ask)
        for field in (self.wanted, self.new):
            field.textChanged.connect(self._on_changed)
        self.end(tr("Replace"))

    def command(self) -> Command | None:
        """Return the edit, None while it changes nothing."""
        replacement = self._replacement()
        if replacement is None or not self._changed:
            return None
        return ReplaceText(items=self._items, replacement=replacement)

    def is_settled(self) -> bool:
        """Return whether the preview belongs to the entries."""
        return not self._soon.isActive()

    def _replacement(self) -> TextReplacement | None:
        fields = [("question", self.questions), ("options", self.options)]
        chosen = tuple(name for name, box in fields if box.isChecked())
        if not self.wanted.text() or not chosen:
            return None
        return TextReplacement(
            find=self.wanted.text(),
            replace=self.new.text(),
            fields=chosen,  # type: ignore[arg-type]
            is_pattern=self.pattern.isChecked(),
            has_case=self.case.isChecked(),
        )

    def _on_changed(self) -> None:
        # At once: the button must not confirm entries that no preview has shown.
        self._show(ReplacementPreview(lines=(), changed=0, read=0))
        self._soon.start()

    def _ask(self) -> None:
        replacement = self._replacement()
        if replacement is not None:
            question = partial(_preview, items=self._items, replacement=replacement)
            self._read(question, done=self._show, failed=self._on_failed, channel=(id(self), "preview"))

    def _show(self, preview: ReplacementPreview) -> None:
        self._changed = preview.changed
        self.list.clear()
        self.list.addItems(preview.lines)
        text = trn("{n} item changes.", "{n} items change.", n=preview.changed) if preview.read else ""
        if preview.read < len(self._items) and preview.read:
            text += " " + tr("The preview reads the first {n} items.", n=f"{preview.read:,}")
            # Items behind those of the preview may change as well.
            self._changed = max(1, self._changed)
        set_role(self.count, "dim")
        self.count.setText(text)
        self.check()

    def _on_failed(self, error: BaseException) -> None:
        self._show(ReplacementPreview(lines=(), changed=0, read=0))
        set_role(self.count, "bad")
        self.count.setText(
            error_text(error)
            if isinstance(error, VantageError)
            else tr("An internal error occurred in Vantage.")
        )


def _preview(reader: Reader, *, items: tuple[str, ...], replacement: TextReplacement) -> ReplacementPreview:
    read = list(islice(reader.records(Item, ids=list(items[:LOOKED_AT])), LOOKED_AT))
    changed = list(preview_replacement(read, replacement))
    lines = [
        f"{before.name}: {diff.before}  →  {diff.after}"
        for before, after in changed[:SHOWN]
        for diff in diff_items(before, after)
    ]
    return ReplacementPreview(lines=tuple(lines), changed=len(changed), read=len(read))


def _checked(text: str) -> QCheckBox:
    made = QCheckBox(text)
    made.setChecked(True)
    return made
