"""The left panel of the Library: list, search text, filters, record count."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from widgets import icons
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.labels import ElidedLabel
from widgets.library.record_list import RecordList
from widgets.library.record_types import FoundRecords
from widgets.search_box import SearchBox
from widgets.translation import mark as _
from widgets.translation import tr

WIDTH_PX = 256
LISTS = {"item": "go.items", "scene": "go.scenes", "medium": "go.media"}
"""Action that opens each list."""
SEARCHES = {"item": _("Search items"), "scene": _("Search scenes"), "medium": _("Search media")}


class FilterPanel(QWidget):
    """Switches between the lists and filters the visible one.

    Signals:
        list_requested: Emitted when the user selects another list; carries its kind.
    """

    list_requested = Signal(str)

    def __init__(self, listings: dict[str, RecordList], *, registry: ActionRegistry) -> None:
        super().__init__()
        self.setObjectName("pane")
        self._listings, self._registry = listings, registry
        self.kind = "item"
        self.search = SearchBox()
        # No delay before the search: the next letter cancels a query that has not started.
        self.search.textEdited.connect(self._on_search_text_edited)
        self.search.textChanged.connect(self._on_search_text_changed)
        self._stack = QStackedWidget()
        self.pills = {kind: self._make_pill(kind) for kind in listings}
        self.count = ElidedLabel(role="label")
        self.clear = QPushButton(tr("Clear"))
        self.clear.setProperty("kind", "pill")
        self.clear.clicked.connect(partial(registry.run, "edit.clear_filters"))
        self.saved = registry.button("edit.saved_filters")
        self.pages = [
            self._page_button(action, icon)
            for action, icon in (("go.progress", "progress"), ("go.files", "picture"))
        ]
        self._lay_out()
        for kind, listing in listings.items():
            self._stack.addWidget(listing.facets)
            listing.found.connect(self._on_found)
            listing.slowed.connect(self._on_slowed)
            self._show_pill(kind)
        registry.keys_changed.connect(self._show_keys)
        self.show_list("item")

    def show_list(self, kind: str) -> None:
        """Show the filters of a list."""
        self.kind = kind
        self.pills[kind].setChecked(True)
        self._stack.setCurrentWidget(self._listings[kind].facets)
        self.search.setText(self._listings[kind].query.text)
        self._show_keys()
        self._show_count()

    def type_more(self, text: str) -> None:
        """Append letters that were typed in the list to the search text."""
        # Focus first: taking the focus selects the whole text, which the next letter would replace.
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.end(False)
        # Not setText, which clears the undo history of the field.
        self.search.insert(text)

    def search_for(self, text: str) -> None:
        """Set the search text, and search."""
        self.search.setText(text)
        self._on_search_text_edited(text)

    def _lay_out(self) -> None:
        pills = row_layout(spacing_px=8)
        for pill in self.pills.values():
            pills.addWidget(pill)
        pills.addStretch()
        foot = row_layout(margins_px=(12, 4, 12, 8))
        foot.addWidget(self.count, 1)
        foot.addWidget(self.clear)
        head = column_layout(margins_px=(12, 12, 12, 4), spacing_px=8)
        head.addLayout(pills)
        search = row_layout(spacing_px=4)
        search.addWidget(self.search, 1)
        search.addWidget(self.saved)
        head.addLayout(search)
        column = column_layout(self, margins_px=0, spacing_px=0)
        column.addLayout(head)
        column.addWidget(self._stack, 1)
        column.addLayout(foot)
        pages = row_layout(margins_px=(8, 0, 8, 8), spacing_px=0)
        for button in self.pages:
            pages.addWidget(button)
        pages.addStretch()
        column.addLayout(pages)

    def _page_button(self, action: str, icon: str) -> QPushButton:
        made = QPushButton(self._registry.action(action).text())
        made.setIcon(icons.icon(icon))
        made.setProperty("kind", "row")
        made.clicked.connect(partial(self._registry.run, action))
        return made

    def _make_pill(self, kind: str) -> QPushButton:
        made = QPushButton()
        made.setProperty("kind", "pill")
        made.setCheckable(True)
        made.clicked.connect(partial(self.list_requested.emit, kind))
        # The buttons are created one by one, and share one exclusive group.
        group = getattr(self, "_group", None) or QButtonGroup(self)
        group.addButton(made)
        self._group = group
        return made

    def _on_found(self, _answer: FoundRecords) -> None:
        for kind in self.pills:
            self._show_pill(kind)
        self._show_count()

    def _on_slowed(self) -> None:
        self.count.setText(tr("Searching…"))

    def _show_pill(self, kind: str) -> None:
        # Three list titles with their counts do not fit side by side: the tool tips have the counts.
        self.pills[kind].setText(tr(self._listings[kind].kind.title))
        self._show_tip(kind)

    def _show_count(self) -> None:
        listing = self._listings[self.kind]
        answer = listing.answer
        self.clear.setVisible(listing.filters_set() > 0)
        if answer is None:
            self.count.setText("")
        else:
            self.count.setText(tr("{n} of {total}", n=f"{len(answer.numbers):,}", total=f"{answer.total:,}"))

    def _show_tip(self, kind: str) -> None:
        answer, key = self._listings[kind].answer, self._registry.key(LISTS[kind])
        count = f"{answer.total:,}" if answer else ""
        parts = (tr(self._listings[kind].kind.title), count, key)
        self.pills[kind].setToolTip("  ".join(filter(None, parts)))

    def _show_keys(self) -> None:
        for kind in self.pills:
            self._show_tip(kind)
        for button, action in zip(self.pages, ("go.progress", "go.files"), strict=True):
            button.setToolTip(f"{button.text()}  {self._registry.key(action)}".strip())
        text = tr(SEARCHES[self.kind])
        self.search.set_hint(text, key=self._registry.key("edit.search"))
        self.search.setAccessibleName(text)
        self.clear.setToolTip(
            f"{tr('Clear all filters')}  {self._registry.key('edit.clear_filters')}".strip()
        )

    def _on_search_text_edited(self, text: str) -> None:
        self._listings[self.kind].find_text(text)

    def _on_search_text_changed(self, text: str) -> None:
        # The clear button and Escape change the text without emitting ``textEdited``.
        if not text and self._listings[self.kind].query.text:
            self._listings[self.kind].find_text("")
