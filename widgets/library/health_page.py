"""The page of media files: number of present, missing, changed and damaged files, and their disk usage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPushButton

from annotator.domain.changes import Changes
from annotator.domain.query import MediumQuery
from annotator.domain.rows import MediaTotal, MediumRow
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.bridge import Bridge
from widgets.labels import label
from widgets.library.library_page import LibraryPage
from widgets.library.stacked_bar_table import BarPart, BarRow, StackedBarTable
from widgets.report_dialog import ReportSection, ReportTable
from widgets.translation import tr

LISTED = 500
"""Maximum number of media listed by name; the figure above the list counts all."""
IN_NEED = ("damaged", "changed", "missing")
TONES = {"found": "good", "missing": "warn", "changed": "bad", "damaged": "bad", "unseen": "body"}
TOKENS = {"found": "good", "missing": "warn", "changed": "bad", "damaged": "bad"}


@dataclass(frozen=True, kw_only=True)
class MediaState:
    """Data of the page, read from one snapshot of the project."""

    totals: list[MediaTotal]
    in_need: list[MediumRow]

    def count(self, health: str) -> int:
        """Return the number of media of one health."""
        return sum(total.media for total in self.totals if total.health == health)


class HealthPage(LibraryPage):
    """Shows the state of the media files.

    Signals:
        query_chosen: Emitted when the user opens a list; carries the ``MediumQuery``.
    """

    query_chosen = Signal(object)

    def __init__(self, *, session: Session, bridge: Bridge, registry: ActionRegistry) -> None:
        super().__init__(title=tr("Media files"), session=session, bridge=bridge)
        self.state: MediaState | None = None
        self.missing: ReportTable | None = None
        for action, kind in (("project.media", ""), ("project.locate", "main")):
            made = QPushButton(registry.action(action).text())
            made.setProperty("kind", kind)
            made.clicked.connect(partial(registry.run, action))
            self.buttons.addWidget(made)
        bridge.changed.connect(self._on_bridge_changed)

    def refresh(self) -> None:
        """Request the state of the media files."""
        self._bridge.query(self._session, read_media_state, done=self._on_state, channel=(id(self), "health"))

    def _on_state(self, state: MediaState) -> None:
        if state == self.state:
            return
        self.state = state
        self.clear()
        self.column.addLayout(self._figures(state))
        self.add_heading(tr("Storage by dataset"))
        self.column.addWidget(self._storage(state.totals))
        self._add_missing(state)
        self.column.addStretch(1)

    def _figures(self, state: MediaState) -> QHBoxLayout:
        row = row_layout(spacing_px=32)
        height = 0
        for health in display_text.HEALTHS:
            count = state.count(health)
            tone = TONES[health] if count else "body"
            part = column_layout(spacing_px=0)
            part.addWidget(label(f"{count:,}", role="big" if tone == "body" else f"big_{tone}"))
            shown = QPushButton(display_text.health_title(health))
            shown.setProperty("kind", "row")
            shown.setEnabled(bool(count))
            # In line with the number above it: buttons of this kind have a padding of 8 px.
            shown.setStyleSheet("padding: 0px;")
            shown.clicked.connect(partial(self.query_chosen.emit, MediumQuery(healths=(health,))))
            part.addWidget(shown, 0, Qt.AlignmentFlag.AlignLeft)
            row.addLayout(part)
            height = shown.sizeHint().height()
        size = sum(total.size_bytes for total in state.totals)
        part = column_layout(spacing_px=0)
        part.addWidget(label(display_text.size_text(size), role="big"))
        caption = label(tr("in scanned files"), role="dim")
        # As high as the buttons, so that all texts share a baseline.
        caption.setFixedHeight(height)
        part.addWidget(caption)
        row.addLayout(part)
        row.addStretch()
        return row

    def _storage(self, totals: list[MediaTotal]) -> StackedBarTable:
        groups: dict[tuple[str, str], list[MediaTotal]] = defaultdict(list)
        for total in totals:
            groups[total.dataset, total.media_type].append(total)
        shares = [
            _share(dataset, kind, found, choose=self.query_chosen.emit)
            for (dataset, kind), found in sorted(groups.items())
        ]
        parts = [
            BarPart(title=display_text.health_title(health), token=TOKENS.get(health, ""))
            for health in display_text.HEALTHS
        ]
        return StackedBarTable(shares, parts=parts, head=tr("Dataset and type"), whole=tr("Media"))

    def _add_missing(self, state: MediaState) -> None:
        self.missing = None
        count = sum(state.count(health) for health in IN_NEED)
        if not count:
            return
        self.add_heading(f"{tr('Missing, changed or damaged')}  {count:,}")
        rows = tuple(
            (display_text.health_title(row.health), row.name, row.shown[0].path) for row in state.in_need
        )
        columns = (tr("File"), tr("Name"), tr("Expected path"))
        note = tr("Files are identified by their content and can have any name in any media folder.")
        self.missing = ReportTable(
            ReportSection(title=tr("Missing, changed or damaged"), columns=columns, rows=rows)
        )
        self.column.addWidget(self.missing)
        copy = QPushButton(tr("Copy list"))
        copy.clicked.connect(self._on_copy_clicked)
        row = QHBoxLayout()
        row.addWidget(label(note, role="dim"), 1)
        row.addWidget(copy)
        self.column.addLayout(row)

    def _on_copy_clicked(self) -> None:
        if self.missing is not None:
            QGuiApplication.clipboard().setText(self.missing.text())

    def _on_bridge_changed(self, _changes: Changes) -> None:
        if self.isVisible():
            self.refresh()


def read_media_state(reader: Reader) -> MediaState:
    """Read the state of the media files; called on the reading thread."""
    with reader.snapshot():
        in_need = reader.media.page(MediumQuery(healths=IN_NEED), limit=LISTED)
        return MediaState(totals=reader.media.totals(), in_need=in_need)


def _share(
    dataset: str, kind: str, totals: list[MediaTotal], *, choose: Callable[[MediumQuery], object]
) -> BarRow:
    counts = {
        health: sum(total.media for total in totals if total.health == health)
        for health in display_text.HEALTHS
    }
    size_bytes = sum(total.size_bytes for total in totals)
    names = [dataset or display_text.no_dataset(), display_text.media_kind_title(kind)]
    names += [display_text.size_text(size_bytes)] if size_bytes else []

    def open_row(part: int) -> None:
        healths = (list(display_text.HEALTHS)[part],) if part >= 0 else ()
        choose(MediumQuery(datasets=(dataset,), media_types=(kind,), healths=healths))

    return BarRow(
        name="  ·  ".join(names), total=sum(counts.values()), parts=tuple(counts.values()), open_row=open_row
    )
