"""The settings of an evaluation: a release whose items are asked, and the input variants."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QLineEdit,
    QPushButton,
    QWidget,
)

from annotator.domain.input_variants import (
    FRAME_SEQUENCES,
    MOST_FRAMES,
    MOST_PX,
    FrameSequence,
    Variants,
    variant_grid,
)
from annotator.domain.study import ReleaseScope
from annotator.errors import VantageError
from annotator.progress import Progress
from annotator.session import Session
from widgets import run_text
from widgets.box_layout import column_layout, row_layout
from widgets.bridge import Bridge
from widgets.form_layout import field_label, form_layout
from widgets.labels import ElidedLabel, caption, label, set_role
from widgets.message_text import error_text
from widgets.runs.ablation_form import AblationForm
from widgets.translation import tr, trn

# Also the full-width signs of Chinese input methods.
SEPARATORS = re.compile(r"[\s,;，；、]+")
"""Between the values of a list."""


class EvaluationForm(QWidget):
    """Form for the release, image sizes, frame counts and frame orders.

    Signals:
        changed: Emitted when a setting changes.
    """

    changed = Signal()

    def __init__(self, *, session: Session, bridge: Bridge) -> None:
        super().__init__()
        self._session, self._bridge = session, bridge
        self._progress = Progress()
        self.release: ReleaseScope | None = None
        self.is_reading = False
        self._folder = Path()
        self.choose, self.remove = QPushButton(tr("Choose release folder…")), QPushButton(tr("Remove"))
        self.chosen = ElidedLabel(role="dim")
        self.note = label(role="dim", wrap=True)
        self.sizes, self.frames = QLineEdit(), QLineEdit()
        self.orders: dict[FrameSequence, QCheckBox] = {
            order: QCheckBox(run_text.frame_order_title(order)) for order in FRAME_SEQUENCES
        }
        self.ablations = AblationForm()
        self._lay_out()
        self.ablations.changed.connect(self.changed)
        self.choose.clicked.connect(self.choose_folder)
        self.remove.clicked.connect(self._on_remove_clicked)
        for field in (self.sizes, self.frames):
            field.textChanged.connect(self._on_field_changed)
        for box in self.orders.values():
            box.toggled.connect(self._on_field_changed)
        self._show_release()

    @property
    def is_sound(self) -> bool:
        """Whether all values are possible, and the release is read."""
        sizes, frames = _numbers(self.sizes.text()), _numbers(self.frames.text())
        return (
            not self.is_reading
            and sizes is not None
            and frames is not None
            and all(size <= MOST_PX for size in sizes)
            and all(1 <= count <= MOST_FRAMES for count in frames)
        )

    def grid(self) -> list[Variants]:
        """Return each combination of the values, at least one."""
        orders = [order for order, box in self.orders.items() if box.isChecked()]
        sizes, frames = _numbers(self.sizes.text()) or (), _numbers(self.frames.text()) or ()
        ablations = self.ablations.chosen()
        return list(variant_grid(sizes=sizes, frames=frames, orders=orders, ablations=ablations))

    def choose_folder(self) -> None:
        """Open the system's dialog for the release folder."""
        dialog = QFileDialog(self.window(), tr("Release folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._on_folder_selected)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def open_release(self, folder: Path) -> None:
        """Read the items of a release folder on another thread."""
        self._progress.cancel()
        self._progress = Progress()
        self.release, self.is_reading, self._folder = None, True, folder
        self.chosen.setText(tr("Reading {name} …", name=folder.name))
        self.changed.emit()
        self._bridge.wait_for(
            self._session.runs.release_scope(folder, progress=self._progress),
            done=self._on_release_read,
            failed=self._on_reading_failed,
            channel=(id(self), "release"),
        )

    def cancel(self) -> None:
        """Stop reading a release."""
        self._progress.cancel()

    def _lay_out(self) -> None:
        row = row_layout(spacing_px=8)
        row.addWidget(self.choose)
        row.addWidget(self.remove)
        row.addWidget(self.chosen, 1)
        form = form_layout()
        for name, field, example in (
            (tr("Image sizes"), self.sizes, tr("longer sides in px: 448, 896; 0 for full size")),
            (tr("Frames per video"), self.frames, tr("numbers: 1, 8, 32; 1 for the first frame")),
        ):
            field.setPlaceholderText(example)
            field.setAccessibleName(name)
            form.addRow(field_label(name), field)
        boxes = row_layout(spacing_px=12)
        for box in self.orders.values():
            boxes.addWidget(box)
        boxes.addStretch()
        form.addRow(field_label(tr("Frame order")), boxes)
        column = column_layout(self, margins_px=(0, 0, 0, 8), spacing_px=4)
        column.addWidget(caption(tr("Release")))
        column.addLayout(row)
        column.addWidget(self.note)
        column.addSpacing(8)
        column.addWidget(caption(tr("Input variants")))
        column.addLayout(form)
        column.addWidget(
            label(
                tr("Each combination is a run of its own. An empty field leaves the value to the model."),
                role="label",
                wrap=True,
            )
        )
        column.addSpacing(8)
        column.addWidget(self.ablations)

    def _show_release(self) -> None:
        self._show_note("")
        self.remove.setVisible(self.release is not None)
        set_role(self.chosen, "dim")
        if self.release is None:
            self.chosen.setText(tr("No release: the present items are sent."))
            return
        self.chosen.setText(f"{self._folder.name} · {self.release.given.release[:12]}")
        images = (
            trn("Its {n} image is sent.", "Its {n} images are sent.", n=self.release.images)
            if self.release.images
            else tr("It contains no images: those of the media files are sent.")
        )
        items = trn("{n} item, as released.", "{n} items, as released.", n=len(self.release.items))
        unknown = (
            trn(
                "{n} item is not in the project.", "{n} items are not in the project.", n=self.release.unknown
            )
            if self.release.unknown
            else ""
        )
        self._show_note(" ".join(filter(None, (items, images, unknown))))

    def _show_note(self, text: str) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def _on_folder_selected(self, folder: str) -> None:
        self.open_release(Path(folder))

    def _on_release_read(self, scope: ReleaseScope) -> None:
        self.release, self.is_reading = scope, False
        self._show_release()
        self.changed.emit()

    def _on_reading_failed(self, error: BaseException) -> None:
        self.is_reading = False
        self._show_release()
        self._show_note(error_text(error) if isinstance(error, VantageError) else str(error))
        self.changed.emit()

    def _on_remove_clicked(self) -> None:
        # Another release may be being read, and would come back after it was removed.
        self.cancel()
        self._bridge.drop((id(self), "release"))
        self.release, self.is_reading = None, False
        self._show_release()
        self.changed.emit()

    def _on_field_changed(self, _value: object) -> None:
        self.changed.emit()


def _numbers(text: str) -> tuple[int, ...] | None:
    """Return the numbers of a list, None if something else is in it."""
    parts = [part for part in SEPARATORS.split(text) if part]
    return tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else None
