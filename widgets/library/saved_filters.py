"""Saved filters of a list, stored per user for one project or for all, with their menu."""

from __future__ import annotations

from functools import partial

import msgspec
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QMenu, QWidget

from annotator.domain.query import SortOrder
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.library.filter_panel import FilterPanel
from widgets.library.record_list import RecordList
from widgets.library.record_types import Query
from widgets.settings import Settings
from widgets.translation import tr

NUMBERED = 9
"""Number of filters at the top of the menu that have a number key."""


class SavedFilter(msgspec.Struct, frozen=True, kw_only=True):
    """A named filter of one kind of list.

    Attributes:
        name: Name given by the user.
        query: The filters and the search text, as JSON.
        order: The sort order.
        project: Path of its project, "" for all projects.
    """

    name: str
    query: msgspec.Raw
    order: SortOrder = SortOrder()
    project: str = ""


class FilterStore:
    """Stores the user's filters in the settings; invalid entries are skipped."""

    def __init__(self, settings: Settings, *, kind: str, project: str) -> None:
        self._settings, self._kind, self._project = settings, kind, project

    def filters(self) -> list[SavedFilter]:
        """Return the filters of this project and of all projects, sorted by name."""
        return sorted(
            (one for one in self._all() if one.project in ("", self._project)),
            key=lambda one: (one.name.casefold(), one.project),
        )

    def save(self, query: Query, order: SortOrder, name: str, is_for_all: bool) -> None:
        """Save a filter; it replaces one with the same name and project."""
        project = "" if is_for_all else self._project
        raw = msgspec.Raw(msgspec.json.encode(query))
        made = SavedFilter(name=name, query=raw, order=order, project=project)
        self._keep([*self._but(name, project), made])

    def remove(self, saved: SavedFilter) -> None:
        """Remove a filter."""
        self._keep(self._but(saved.name, saved.project))

    def _but(self, name: str, project: str) -> list[SavedFilter]:
        return [one for one in self._all() if (one.name, one.project) != (name, project)]

    def _all(self) -> list[SavedFilter]:
        found = []
        for line in self._settings.texts(self._key()):
            try:
                found.append(msgspec.json.decode(line, type=SavedFilter))
            except msgspec.DecodeError:
                continue  # written by a later version, or edited manually
        return found

    def _keep(self, filters: list[SavedFilter]) -> None:
        self._settings.keep(self._key(), [msgspec.json.encode(one).decode() for one in filters])

    def _key(self) -> str:
        return f"saved_filters/{self._kind}"


class SaveFilterDialog(FormDialog):
    """Asks for the name of a filter.

    Signals:
        named: Emitted on acceptance; carries the name, and whether the filter is for all projects.
    """

    named = Signal(str, bool)

    def __init__(self, window: QWidget, *, description: str) -> None:
        super().__init__(window, width=420, title=tr("Save filter"))
        self.body.addWidget(label(description, role="dim", wrap=True))
        self.name = QLineEdit()
        self.name.setMaxLength(80)
        self.name.setPlaceholderText(tr("Name of the filter"))
        self.name.setAccessibleName(tr("Name of the filter"))
        self.everywhere = QCheckBox(tr("Available in all projects"))
        self.body.addWidget(self.name)
        self.body.addWidget(self.everywhere)
        self.main = self.add_buttons(tr("Save filter"))
        self.main.setEnabled(False)
        self.main.clicked.connect(self._on_main_clicked)
        self.name.textChanged.connect(self._on_name_changed)

    def _on_name_changed(self, text: str) -> None:
        self.main.setEnabled(bool(text.strip()))

    def _on_main_clicked(self) -> None:
        name, is_for_all = self.name.text().strip(), self.everywhere.isChecked()
        self.accept()
        self.named.emit(name, is_for_all)


class SavedFilters(QObject):
    """The menu of saved filters of the visible list.

    Signals:
        chosen: Emitted when a filter is selected; its query has been started.
    """

    chosen = Signal()

    def __init__(
        self,
        listings: dict[str, RecordList],
        *,
        panel: FilterPanel,
        settings: Settings,
        project: str,
        window: QWidget,
    ) -> None:
        """Create the menu.

        Args:
            listings: The lists by kind.
            panel: Provides the visible list, and has the button of the menu.
            settings: Stores the filters.
            project: Path of the project.
            window: Parent of dialogs.
        """
        super().__init__(panel)
        self._listings, self._panel = listings, panel
        self._settings, self._project, self._window = settings, project, window

    def store(self) -> FilterStore:
        """Return the saved filters of the visible list."""
        return FilterStore(self._settings, kind=self._panel.kind, project=self._project)

    def open_menu(self) -> None:
        """Open the menu below its button."""
        self._panel.show()
        button = self._panel.saved
        self.menu(button).popup(button.mapToGlobal(button.rect().bottomLeft()))

    def menu(self, parent: QWidget) -> QMenu:
        """Return the menu of the saved filters; it deletes itself when it is closed."""
        menu, store = QMenu(parent), self.store()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        filters = store.filters()
        for number, saved in enumerate(filters, 1):
            text = saved.name.replace("&", "&&")
            # The number is the mnemonic, so that one key selects a filter.
            action = menu.addAction(f"&{number}  {text}" if number <= NUMBERED else text)
            action.triggered.connect(partial(self._choose, saved))
        if not filters:
            menu.addAction(tr("No saved filters")).setEnabled(False)
        menu.addSeparator()
        menu.addAction(tr("Save filter…")).triggered.connect(self.ask_to_save)
        if filters:
            removal = menu.addMenu(tr("Remove filter"))
            for saved in filters:
                action = removal.addAction(saved.name.replace("&", "&&"))
                action.triggered.connect(partial(store.remove, saved))
        return menu

    def ask_to_save(self) -> None:
        """Ask for a name, then save the filter of the visible list."""
        listing, store = self._listings[self._panel.kind], self.store()
        text = tr(
            "Saves the filters, the search text and the order of the list ({n} set).", n=listing.filters_set()
        )
        dialog = SaveFilterDialog(self._window, description=text)
        dialog.named.connect(partial(store.save, listing.query, listing.order))
        dialog.open(dialog.name)

    def _choose(self, saved: SavedFilter) -> None:
        listing = self._listings[self._panel.kind]
        query = msgspec.json.decode(saved.query, type=type(listing.kind.everything))
        listing.sort(saved.order, query=query)
        self._panel.show_list(self._panel.kind)
        self.chosen.emit()
