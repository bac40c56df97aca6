"""A read-only item: question, options with the answer key marked, images, and origin."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLabel, QWidget

from annotator.domain.item import Item, Option, Provenance
from widgets import display_text, theme
from widgets.field_text import maker_text
from widgets.labels import cut, label, set_role
from widgets.library.image_grid import ImageGrid
from widgets.library.record_details import ItemDetail
from widgets.library.record_form import KeptRows, RecordForm
from widgets.locator_text import locator_text
from widgets.media_loader import MediaLoader
from widgets.translation import join_texts, mark, tr
from widgets.variant_text import variant_text

MADE_BY = {
    "import": mark("Imported"),
    "rule": mark("Drafted by rule"),
    "template": mark("From a template"),
    "llm": mark("Drafted by a model"),
    "hand": mark("Created manually"),
}
"""English titles of the origins of items."""


class KeyDot(QWidget):
    """The mark of an option: a filled dot for the answer key, a ring for the others."""

    def __init__(self) -> None:
        super().__init__()
        self.is_key = False
        self.setFixedSize(QSize(16, 20))

    def show_key(self, is_key: bool) -> None:
        """Show the mark of the answer key, or of another option."""
        self.is_key = is_key
        self.setToolTip(tr("Answer key") if is_key else "")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the mark."""
        painter, tokens = QPainter(self), theme.current()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(tokens.color("good" if self.is_key else "text_dim"), 1.5))
        painter.setBrush(tokens.color("good") if self.is_key else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QRectF(3, 5.5, 9, 9))


class OptionRows(KeptRows[tuple[KeyDot, QLabel, QLabel]]):
    """The options of an item with their marks and letters."""

    def __init__(self) -> None:
        super().__init__(_make_option, spacing_px=8, is_tall=(False, False, True))

    def show_options(self, options: Sequence[Option], *, keys: set[str]) -> None:
        """Show options; ``keys`` are the letters of the answer key."""
        for (dot, letter, text), option in zip(self.rows(len(options)), options, strict=True):
            dot.show_key(option.letter in keys)
            letter.setText(option.letter)
            text.setText(cut(option.text))
            set_role(text, "strong" if option.letter in keys else "body")


def _make_option() -> tuple[KeyDot, QLabel, QLabel]:
    return KeyDot(), label(role="strong"), label(wrap=True, selectable=True)


def show_item(form: RecordForm, detail: ItemDetail, *, loader: MediaLoader) -> ImageGrid | None:
    """Fill a form with an item, and return the widget of its images, None for none."""
    item = detail.item
    form.begin()
    form.add_heading(tr("Question"))
    form.add_text(item.question or tr("No question"), role="body" if item.question else "dim")
    _add_answer(form, item)
    pictures = _add_media(form, detail, loader)
    form.add_heading(tr("Details"))
    form.add_fields(_about(detail))
    form.add_heading(tr("Provenance"))
    form.add_fields([*_provenance(item.provenance, detail), *_variants(detail)])
    form.add_normalised(item.corrections)
    form.add_json(tr("Original record"), bytes(item.original))
    form.end()
    return pictures


def keys_of(item: Item) -> set[str]:
    """Return the letters of the options in the answer key."""
    letters = {option.letter for option in item.options}
    # An answer key with several letters may be stored as 'A, C', 'A,C' or 'A C'.
    return letters & set(item.answer_key.replace(",", " ").split())


def _add_answer(form: RecordForm, item: Item) -> None:
    if not item.options:
        form.add_heading(tr("Answer key"))
        form.add_text(item.answer_key or tr("No answer key"), role="body" if item.answer_key else "bad")
        return
    form.add_heading(tr("Options"))
    keys = keys_of(item)
    form.next_part("options", OptionRows).show_options(item.options, keys=keys)
    if not keys:
        key_notice = (
            tr("The answer key “{key}” is not one of the options.", key=item.answer_key)
            if item.answer_key
            else tr("No answer key")
        )
        form.add_text(key_notice, role="bad")


def _add_media(form: RecordForm, detail: ItemDetail, loader: MediaLoader) -> ImageGrid | None:
    if not detail.media:
        return None
    form.add_heading(tr("Media"))
    pictures = ImageGrid(detail.media, loader=loader)
    form.add(pictures)
    return pictures


def _about(detail: ItemDetail) -> list[tuple[str, str, str]]:
    item = detail.item
    return [
        (tr("State"), display_text.item_state_title(item.state), "body"),
        (tr("Task"), display_text.task_title(item.task, item.task_set), "body"),
        (tr("Task set"), display_text.task_set_title(item.task_set), "body"),
        (tr("Answer format"), display_text.format_title(item.answer_format), "body"),
        (tr("Scene"), detail.scene.name if detail.scene else "", "mono"),
        (tr("View"), item.view, "body"),
    ]


def _variants(detail: ItemDetail) -> list[tuple[str, str, str]]:
    own, source = detail.item.variant, detail.variant_source
    of = variant_text(own.kind, source.name if source else tr("removed")) if own else ""
    others = [variant_text(one.variant.kind, one.name) for one in detail.variants if one.variant]
    return [(tr("Variant of"), of, "body"), (tr("Variants"), join_texts(others), "body")]


def _provenance(made: Provenance, detail: ItemDetail) -> list[tuple[str, str, str]]:
    return [
        (tr("Origin"), tr(MADE_BY[made.made_by]), "body"),
        (tr("By"), maker_text(made.maker), "body"),
        (tr("File"), detail.source.name if detail.source else "", "mono"),
        (tr("Place"), locator_text(made.locator), "mono"),
        (tr("Source labels"), f"{len(made.labels):,}" if made.labels else "", "body"),
        (tr("Wording"), made.wording, "mono"),
        (tr("Seed"), "" if made.seed is None else str(made.seed), "mono"),
    ]
