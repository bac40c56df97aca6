"""The dialog that makes variants of several items, with their number and three examples in advance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QLineEdit, QListWidget, QWidget

from annotator.commands.command import Command
from annotator.commands.variants import FEWEST_OPTIONS, MakeVariants, VariantReport
from annotator.domain.item import LETTERS, Item, VariantKind
from annotator.draft.variants.variant_rule import USUAL_OPTIONS, VariantSettings
from annotator.errors import VantageError
from annotator.media.media_roots import MediaRoots
from annotator.progress import Progress
from annotator.queries.reader import Reader
from widgets.combo_box import ComboBox
from widgets.labels import label, set_role
from widgets.message_text import error_text, message_text
from widgets.refine.batch_dialog import BatchDialog
from widgets.translation import mark, tr, trn
from widgets.variant_text import TITLES

PREVIEW_AFTER_MS = 250
LOOKED_AT, SHOWN, MOST_REASONS = 200, 3, 3
"""Maximum number of items that a preview reads, of its examples, and of reasons below them."""
EXPLANATIONS: dict[VariantKind, str] = {
    "choice": mark("The answer key becomes one of several options; the others are certainly wrong."),
    "resolution": mark("Larger images of the same name replace reduced ones; coordinates are enlarged."),
    "map": mark("The same question about the realistic or semantic map of the same place."),
}
Read = Callable[..., None]
"""Runs a query on the reading thread: the question, and ``done`` and ``failed``."""


@dataclass(frozen=True, kw_only=True)
class VariantPreview:
    """What a command would make.

    Attributes:
        report: The result for the first items.
        read: Number of items that were read.
    """

    report: VariantReport
    read: int


class VariantDialog(BatchDialog):
    """Asks which variants to make, and how; the list shows the first ones."""

    def __init__(self, window: QWidget, *, items: tuple[str, ...], roots: MediaRoots, read: Read) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            items: Ids of the items.
            roots: The media folders of the project.
            read: Runs a query.
        """
        super().__init__(
            window,
            title=tr("Make variants of items"),
            count=len(items),
            explanation=tr(
                "Variants are new drafts, linked to their sources. No variant is made twice; one whose "
                "source has changed is made again."
            ),
            width=720,
            height=560,
        )
        self._items, self._roots, self._read = items, roots, read
        self._preview: VariantPreview | None = None
        self._add_settings()
        self._add_preview()
        self.first = self.kind
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(PREVIEW_AFTER_MS)
        self._soon.timeout.connect(self._ask)
        self.end(tr("Make variants"))
        self.kind.currentIndexChanged.connect(self._on_kind_changed)
        for field in (self.seed, self.options, self.originals):
            field.textChanged.connect(self._on_changed)
        self._on_kind_changed()

    def _add_settings(self) -> None:
        self.kind = ComboBox()
        for kind, title in TITLES.items():
            self.kind.addItem(tr(title), kind)
        self.seed, self.options, self.originals = QLineEdit("0"), QLineEdit(str(USUAL_OPTIONS)), QLineEdit()
        self.seed.setValidator(QIntValidator(0, 2**31 - 1, self.seed))
        self.options.setValidator(QIntValidator(FEWEST_OPTIONS, len(LETTERS), self.options))
        self.originals.setPlaceholderText(tr("Folder below the media folder, or empty"))
        self.add_field(tr("Kind"), self.kind)
        self.add_field(tr("Random seed"), self.seed)
        self.add_field(tr("Options"), self.options)
        self.add_field(tr("Larger images"), self.originals)

    def _add_preview(self) -> None:
        self.explanation = label(role="dim", wrap=True)
        self.count = label(tr("Reading the items…"), wrap=True)
        self.reasons = label(role="dim", wrap=True)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Preview"))
        self.list.setWordWrap(True)
        self.list.setSpacing(3)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.body.addWidget(self.explanation)
        self.body.addWidget(self.count)
        self.body.addWidget(self.list, 1)
        self.body.addWidget(self.reasons)

    def command(self) -> Command | None:
        """Return the command, None while the form is incomplete or nothing would be made."""
        settings, preview = self._settings(), self._preview
        if settings is None or preview is None:
            return None
        # Of the items behind those of the preview, some may have variants.
        if not preview.report.changes and preview.read >= len(self._items):
            return None
        return MakeVariants(items=self._items, settings=settings, roots=self._roots)

    def is_settled(self) -> bool:
        """Return whether the preview belongs to the entries."""
        return not self._soon.isActive() and (self._preview is not None or self._settings() is None)

    def _settings(self) -> VariantSettings | None:
        kind: VariantKind = self.kind.currentData()
        if not self.seed.hasAcceptableInput() or not self.options.hasAcceptableInput():
            return None
        return VariantSettings(
            kind=kind,
            seed=int(self.seed.text()),
            options=int(self.options.text()),
            originals=self.originals.text().strip() if kind == "resolution" else "",
        )

    def _on_kind_changed(self, _at: int = 0) -> None:
        kind: VariantKind = self.kind.currentData()
        self.explanation.setText(tr(EXPLANATIONS[kind]))
        for field, owner in ((self.options, "choice"), (self.seed, "choice"), (self.originals, "resolution")):
            self.fields.setRowVisible(field, kind == owner)
        self._on_changed()

    def _on_changed(self) -> None:
        self._preview = None
        self.list.clear()
        self.reasons.clear()
        set_role(self.count, "body")
        self.count.setText(tr("Reading the items…") if self._settings() else _wrong_entry())
        self.check()
        self._soon.start()

    def _ask(self) -> None:
        settings = self._settings()
        if settings is not None:
            question = partial(preview_variants, items=self._items, settings=settings, roots=self._roots)
            self._read(question, done=self._show, failed=self._on_failed, channel=(id(self), "preview"))

    def _show(self, preview: VariantPreview) -> None:
        self._preview = preview
        report = preview.report
        self.list.clear()
        self.list.addItems([_example(item) for _, item in (*report.made, *report.updated)[:SHOWN]])
        self.count.setText(self._counts(preview))
        reasons = report.skipped.most_common(MOST_REASONS)
        self.reasons.setText("\n".join(f"{count:,} × {message_text(reason)}" for reason, count in reasons))
        self.check()

    def _counts(self, preview: VariantPreview) -> str:
        report = preview.report
        parts = [trn("{n} new variant", "{n} new variants", n=len(report.made))]
        if report.updated:
            parts.append(tr("{n} made again", n=f"{len(report.updated):,}"))
        if report.linked:
            parts.append(tr("{n} pairs linked", n=f"{len(report.linked):,}"))
        if report.rejected:
            parts.append(tr("{n} duplicates rejected", n=f"{len(report.rejected):,}"))
        if report.known:
            parts.append(tr("{n} already present", n=f"{report.known:,}"))
        if report.short:
            parts.append(tr("{n} with fewer options", n=f"{report.short:,}"))
        text = " · ".join(parts)
        if preview.read < len(self._items):
            text += ". " + tr("The preview reads the first {n} items.", n=f"{preview.read:,}")
        return text

    def _on_failed(self, error: BaseException) -> None:
        self._preview = None
        set_role(self.count, "bad")
        self.count.setText(
            error_text(error)
            if isinstance(error, VantageError)
            else tr("An internal error occurred in Vantage.")
        )
        self.check()


def preview_variants(
    reader: Reader, *, items: tuple[str, ...], settings: VariantSettings, roots: MediaRoots
) -> VariantPreview:
    """Return what would be made of the first items; called on the reading thread."""
    command = MakeVariants(items=items[:LOOKED_AT], settings=settings, roots=roots)
    for _ in command.plan(reader, progress=Progress()):
        pass
    return VariantPreview(report=command.report, read=min(len(items), LOOKED_AT))


def _wrong_entry() -> str:
    return tr("Enter a seed from 0, and 2 to {n} options.", n=len(LETTERS))


def _example(item: Item) -> str:
    """Return an item as a text of several lines; the right option is marked."""
    options = [
        f"{'✓' if option.letter == item.answer_key else '   '} {option.letter}. {option.text}"
        for option in item.options
    ]
    return "\n".join([item.name, item.question, *(options or [item.answer_key])])
