"""The right panel of the Library: the current record, its flags and its history."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QStackedWidget, QWidget

from annotator.domain.changes import Changes
from annotator.session import Session
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.bridge import Bridge
from widgets.deferred_changes import DeferredChanges
from widgets.labels import ElidedLabel, label
from widgets.library.flags_view import FlagsView, flag_tab_text
from widgets.library.history_view import HistoryView, history_records
from widgets.library.image_grid import ImageGrid
from widgets.library.item_form import show_item
from widgets.library.medium_form import show_medium
from widgets.library.predictions_view import PredictionsView
from widgets.library.record_details import (
    ItemDetail,
    MediumDetail,
    RecordDetail,
    SceneDetail,
    is_concerned,
    read_detail,
)
from widgets.library.record_form import RecordForm
from widgets.library.record_types import Row
from widgets.library.scene_form import show_scene
from widgets.media_loader import MediaLoader
from widgets.missing_media_bar import MissingMediaBar
from widgets.translation import mark as _
from widgets.translation import tr, trn

TABS = (_("Record"), _("Flags"), _("History"), _("Evidence"))
FLAGS = 1


class Inspector(QWidget):
    """Shows one record: reads it off the GUI thread, and fills only the visible tab.

    Signals:
        shown: Emitted when a record is displayed; carries its ``RecordDetail``, or None.
        decided: Emitted when flags are decided; carries their ids, the state and the reason.
        picture_opened: Emitted when the user opens the large view; carries all media and the place.
    """

    shown = Signal(object)
    decided = Signal(object, str, str)
    picture_opened = Signal(object, int)

    def __init__(
        self,
        *,
        session: Session,
        bridge: Bridge,
        registry: ActionRegistry,
        media: MediaLoader,
        screen: QWidget | None = None,
    ) -> None:
        """Create the inspector without a record.

        Args:
            session: The project.
            bridge: Delivers results of other threads to the GUI thread.
            registry: The actions.
            media: Loads the images.
            screen: The containing screen: while it is hidden, updates are deferred. None for the inspector.
        """
        super().__init__()
        self.setObjectName("pane")
        self.detail: RecordDetail | None = None
        self._session, self._bridge = session, bridge
        self._wanted: tuple[str, str] | None = None
        self._roots = session.roots
        self._fresh: set[int] = set()
        self._is_beside_pictures = False
        self.loader = media
        self.record, self.evidence = RecordForm(), PredictionsView()
        self.flags, self.history = FlagsView(registry=registry), HistoryView(registry=registry)
        self.pictures: ImageGrid | None = None
        self.name = ElidedLabel(role="mono", mode=Qt.TextElideMode.ElideMiddle)
        self.facts = ElidedLabel(role="label")
        self.missing = MissingMediaBar(registry=registry)
        self.several = label(role="dim", wrap=True)
        self._stack = QStackedWidget()
        self.tabs = [self._make_tab(at) for at in range(len(TABS))]
        self._lay_out()
        self.flags.decided.connect(self.decided)
        DeferredChanges(screen or self, bridge=bridge).arrived.connect(self._on_changes_arrived)
        self.choose_tab(0)
        self.show_row(None)

    def show_row(self, row: Row | None, *, entity: str = "item") -> None:
        """Show the record of a list row."""
        if row is None:
            self._wanted = None
            self._bridge.drop((id(self), "detail"))
            self._on_detail(None)
        else:
            self._wanted = (entity, row.id)
            self._ask()

    def show_selected(self, count: int) -> None:
        """Show the number of selected records if there are several."""
        count_message = tr("{n} selected. List actions apply to all selected records.", n=f"{count:,}")
        self.several.setText(count_message)
        self.several.setVisible(count > 1)

    def stand_beside_pictures(self, is_beside: bool) -> None:
        """Set whether the images of a scene are hidden, because its page shows them large."""
        if is_beside != self._is_beside_pictures:
            self._is_beside_pictures = is_beside
            # Only the record tab has images; the other tabs stay valid.
            self._fresh.discard(0)
            self._fill()

    def refresh(self) -> None:
        """Read the record again, after a change outside the project such as new media folders."""
        self._ask()

    def choose_tab(self, at: int) -> None:
        """Show a tab."""
        self.tabs[at].setChecked(True)
        self._stack.setCurrentIndex(at)
        self._fill()

    def choose_next_tab(self) -> None:
        """Show the next tab."""
        self.choose_tab((self._stack.currentIndex() + 1) % len(TABS))

    def tab_in_front(self) -> RecordForm:
        """Return the visible tab."""
        return self._forms()[self._stack.currentIndex()]

    def focus_record(self) -> None:
        """Set the keyboard focus to the visible tab."""
        self.tab_in_front().setFocus(Qt.FocusReason.ShortcutFocusReason)

    def ask_about_flag(self, state: str) -> None:
        """Ask for the reason of a decision about the current flag."""
        self.show()
        self.choose_tab(1)
        if (card := self.flags.card_at_hand()) is not None:
            # The card can be outside the visible part of a long list of flags.
            self.flags.ensureWidgetVisible(card)
            card.ask(state)

    def is_settled(self) -> bool:
        """Return whether the requested record is shown, including its images."""
        wanted = self._wanted[1] if self._wanted else None
        shown = self.detail.id if self.detail else None
        frames = self.pictures.frames if self.pictures else []
        return wanted == shown and all(frame.picture is not None for frame in frames)

    def _ask(self) -> None:
        if self._wanted is None:
            return
        entity, record_id = self._wanted
        question = partial(
            read_detail,
            entity=entity,
            record_id=record_id,
            roots=self._roots,
            person=self._session.actor.id,
        )
        self._bridge.query(self._session, question, done=self._on_detail, channel=(id(self), "detail"))

    def _on_detail(self, detail: RecordDetail | None) -> None:
        # A change that does not affect this record must not discard text that is being typed.
        if detail == self.detail and detail is not None:
            return
        # An update of the same record keeps the scroll position; another record starts at its top.
        is_same = self.detail is not None and detail is not None and detail.id == self.detail.id
        # Read before the forms are filled, which can reset them.
        indices = [form.verticalScrollBar().value() for form in self._forms()]
        self.detail = detail
        self._fresh.clear()
        self._show_head()
        self._fill()
        for form, index in zip(self._forms(), indices, strict=True):
            form.verticalScrollBar().setValue(index if is_same else 0)
        self.shown.emit(detail)

    def _forms(self) -> tuple[RecordForm, ...]:
        return self.record, self.flags, self.history, self.evidence

    def _show_head(self) -> None:
        detail = self.detail
        self.name.setText(detail.name if detail else tr("No selection"))
        self.facts.setText(_facts(detail) if detail else "")
        self.missing.show_count(detail.missing if detail else 0)
        counts = _counts(detail) if detail else (0, 0, 0, 0)
        for tab, title, count in zip(self.tabs, TABS, counts, strict=True):
            tab.setText(f"{tr(title)} {count}" if count else tr(title))
        text, tip = flag_tab_text(tr(TABS[FLAGS]), detail)
        self.tabs[FLAGS].setText(text)
        self.tabs[FLAGS].setToolTip(tip)

    def _fill(self) -> None:
        at = self._stack.currentIndex()
        # Only the visible tab is filled: building forty flag cards would slow down scrolling through a list.
        if at in self._fresh:
            return
        self._fresh.add(at)
        if self.detail is None:
            self._forms()[at].clear()
            self.pictures = None if at == 0 else self.pictures
        else:
            self._fillers()[at](self.detail)

    def _fillers(self) -> tuple[Callable[[RecordDetail], None], ...]:
        return (
            self._fill_record,
            self.flags.show_detail,
            self.history.show_detail,
            self.evidence.show_detail,
        )

    def _fill_record(self, detail: RecordDetail) -> None:
        if isinstance(detail, ItemDetail):
            self.pictures = show_item(self.record, detail, loader=self.loader)
        elif isinstance(detail, SceneDetail):
            self.pictures = show_scene(
                self.record, detail, loader=self.loader, has_pictures=not self._is_beside_pictures
            )
        elif isinstance(detail, MediumDetail):
            self.pictures = show_medium(self.record, detail, loader=self.loader)
        if self.pictures is not None:
            self.pictures.opened.connect(self._on_picture_opened)

    def _lay_out(self) -> None:
        for form in self._forms():
            self._stack.addWidget(form)
        pills = row_layout(spacing_px=8)
        for tab in self.tabs:
            pills.addWidget(tab)
        pills.addStretch()
        head = column_layout(margins_px=(16, 12, 16, 4), spacing_px=4)
        head.addWidget(self.name)
        head.addWidget(self.facts)
        head.addWidget(self.several)
        head.addSpacing(4)
        head.addLayout(pills)
        column = column_layout(self, margins_px=0, spacing_px=0)
        column.addLayout(head)
        column.addWidget(self.missing)
        column.addWidget(self._stack, 1)
        self.several.hide()

    def _make_tab(self, at: int) -> QPushButton:
        made = QPushButton(tr(TABS[at]))
        made.setProperty("kind", "pill")
        made.setCheckable(True)
        made.clicked.connect(partial(self.choose_tab, at))
        self._group = getattr(self, "_group", None) or QButtonGroup(self)
        self._group.addButton(made)
        return made

    def _on_picture_opened(self, at: int) -> None:
        if self.pictures is not None:
            self.picture_opened.emit(self.pictures.media, at)

    def _on_changes_arrived(self, changes: Changes) -> None:
        wanted, detail = self._wanted, self.detail
        if wanted is None:
            return
        if detail is None or detail.id != wanted[1] or is_concerned(detail, changes):
            self._ask()


def _counts(detail: RecordDetail) -> tuple[int, ...]:
    count = len(detail.evidence) if isinstance(detail, ItemDetail) else 0
    return 0, 0, len(history_records(detail)), count


def _facts(detail: RecordDetail) -> str:
    if isinstance(detail, ItemDetail):
        item = detail.item
        title = display_text.task_title(item.task, item.task_set)
        return f"{display_text.item_state_title(item.state)} · {title}"
    if isinstance(detail, MediumDetail):
        health = display_text.health_title(detail.health)
        return f"{display_text.media_kind_title(detail.medium.media_type)} · {health}"
    views = trn("{n} view", "{n} views", n=len(detail.media))
    labels = trn("{n} label", "{n} labels", n=len(detail.labels)) if isinstance(detail, SceneDetail) else ""
    return " · ".join(filter(None, (views, labels)))
