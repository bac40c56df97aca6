"""The list of releases to compare: those that the project has recorded, and added folders."""

from __future__ import annotations

import dataclasses

from PySide6.QtCore import QAbstractTableModel, QItemSelectionModel, QModelIndex, QObject, Qt
from PySide6.QtWidgets import QAbstractItemView

from annotator.release_difference.recorded_releases import ListedRelease
from widgets import display_text
from widgets.column_table import CellContent, CellDelegate, ColumnModelMixin, ColumnTable, TableColumn
from widgets.labels import plain_tip
from widgets.paged_model import Index
from widgets.translation import mark as _
from widgets.translation import tr

COLUMNS = (
    TableColumn(title=_("Recorded"), width_px=150),
    TableColumn(title=_("Export format"), width_px=250),
    TableColumn(title=_("Items"), width_px=80, is_number=True),
    TableColumn(title=_("Release number"), width_px=130),
    TableColumn(title=_("Folder")),
)
DIGITS_SHOWN = 12
KNOWN_ROLE = Qt.ItemDataRole.UserRole
"""Whether the folder of a release is known here."""


class ReleaseModel(ColumnModelMixin, QAbstractTableModel):
    """One row per release."""

    columns = COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.releases: list[ListedRelease] = []

    def show_releases(self, releases: list[ListedRelease]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.releases = releases
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of releases."""
        return 0 if parent.isValid() else len(self.releases)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell."""
        if role == KNOWN_ROLE:
            return self.releases[index.row()].folder is not None
        is_tip = role == Qt.ItemDataRole.ToolTipRole
        if not is_tip and role not in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return None
        release = self.releases[index.row()]
        texts = (
            display_text.local_time(release.made_at) or tr("not recorded"),
            display_text.export_title(release.export_format),
            f"{release.items:,}",
            release.sha256 if is_tip else release.sha256[:DIGITS_SHOWN],
            str(release.folder) if release.folder is not None else tr("Folder not known here"),
        )
        text = texts[index.column()]
        return plain_tip(text) if is_tip else text


class ReleaseCells(CellDelegate):
    """Paints a release; one without a known folder is dim."""

    def cell(self, index: Index) -> CellContent:
        """Return the content of a cell."""
        column = index.column()
        is_known = bool(index.data(KNOWN_ROLE))
        return CellContent(
            text=str(index.data()),
            token="text" if is_known else "text_dim",
            font="mono_small" if column == COLUMNS.index(COLUMNS[3]) else "body",
            gives_way_in_middle=column == len(COLUMNS) - 1,
            is_number=COLUMNS[column].is_number,
        )


class ReleaseList(ColumnTable):
    """The releases, of which several can be selected."""

    def __init__(self) -> None:
        self.listed = ReleaseModel()
        super().__init__(self.listed, columns=COLUMNS, painter=ReleaseCells(), name=tr("Releases"))
        self.listed.setParent(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)

    @property
    def chosen(self) -> list[ListedRelease]:
        """The selected releases, in the order of the list."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self.listed.releases[row] for row in rows]

    def show_releases(self, releases: list[ListedRelease]) -> None:
        """Show releases, and select the first two whose folders are known."""
        self.listed.show_releases(releases)
        known = [at for at, release in enumerate(releases) if release.folder is not None]
        self.select(known[:2])

    def add(self, release: ListedRelease) -> None:
        """Add a folder, or note it as that of a release of the list, and select it beside the last one."""
        releases = list(self.listed.releases)
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        same = [at for at, one in enumerate(releases) if one.sha256 == release.sha256 and one.folder is None]
        if same:
            releases[same[0]] = dataclasses.replace(releases[same[0]], folder=release.folder)
        else:
            releases.append(release)
        at = same[0] if same else len(releases) - 1
        self.listed.show_releases(releases)
        self.select([at, *[row for row in rows if row != at][:1]])

    def select(self, rows: list[int]) -> None:
        """Select rows, of which the first one becomes the current one."""
        chosen = self.selectionModel()
        chosen.clearSelection()
        flags = QItemSelectionModel.SelectionFlag
        for row in reversed(rows):
            index = self.listed.index(row, 0)
            chosen.setCurrentIndex(index, flags.Select | flags.Rows)
