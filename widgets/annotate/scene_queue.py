"""The left panel of Annotate: filter chips, search, the scenes of the Library's list, and their counts."""

from __future__ import annotations

from functools import partial
from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QVBoxLayout, QWidget

from annotator.domain.query import RelatedSceneQuery
from annotator.session import Session
from widgets.annotate.scene_list import (
    CHIPS,
    count_left,
    is_filtered,
    next_unfinished,
    scenes_of_queue,
    with_chip,
)
from widgets.box_layout import column_layout, row_layout
from widgets.bridge import Bridge
from widgets.labels import ElidedLabel
from widgets.library.grid_layout import SPACE_PX
from widgets.library.record_grid import RecordGrid
from widgets.library.record_list import RecordList
from widgets.library.record_types import FoundRecords
from widgets.library.thumbnails import ThumbnailLoader
from widgets.search_box import SearchBox
from widgets.settings import Settings
from widgets.translation import mark as _
from widgets.translation import tr

TITLES = {"unfinished": _("Unfinished"), "mine": _("Mine"), "all": _("All")}
MARGIN_PX = 12
SCROLL_BAR_PX = 10


class SceneQueue(QWidget):
    """Lists the scenes to annotate, and steps through them.

    Signals:
        opened: A scene was opened by Enter or a double click.
    """

    opened = Signal()

    def __init__(
        self,
        *,
        session: Session,
        bridge: Bridge,
        settings: Settings,
        thumbnails: ThumbnailLoader,
        screen: QWidget,
    ) -> None:
        """Create the queue without scenes.

        Args:
            session: The project.
            bridge: Delivers results of other threads to the GUI thread.
            settings: Stores the size of the cells.
            thumbnails: Loads the images of the cells.
            screen: The workspace: while it is hidden, updates are deferred.
        """
        super().__init__()
        self.setObjectName("pane")
        self._session, self._bridge = session, bridge
        self._followed: int | None = None
        self._is_begun = False
        self.chip = "all"
        self.listing = RecordList(
            scenes_of_queue(session.actor.id),
            session=session,
            bridge=bridge,
            settings=settings,
            thumbnails=thumbnails,
            screen=screen,
        )
        self.search, self.count = SearchBox(), ElidedLabel(role="label")
        self._group = QButtonGroup(self)
        self.chips = {chip: self._make_chip(chip) for chip in CHIPS}
        self._lay_out()
        self.search.textChanged.connect(self._on_search_text_changed)
        self.search.left.connect(self.grid.setFocus)
        self.grid.opened.connect(self._on_grid_opened)
        self.listing.found.connect(self._on_listing_found)

    @property
    def grid(self) -> RecordGrid:
        """The grid of scene thumbnails."""
        assert self.listing.grid is not None  # noqa: S101 - scenes have pictures
        return self.listing.grid

    @property
    def query(self) -> RelatedSceneQuery:
        """The scenes of the queue."""
        return cast("RelatedSceneQuery", self.listing.query)

    def follow(self, query: RelatedSceneQuery, *, number: int | None, is_chosen: bool = True) -> None:
        """Show the scenes of a list of the Library under the chip in use, at one of them.

        A person who has scenes left to annotate begins with these, unless a scene was chosen in the Library.

        Args:
            query: The scenes.
            number: Row number of the scene to show, 0 for none, None to keep the current one.
            is_chosen: Whether a person chose that scene.
        """
        is_first, self._is_begun = not self._is_begun, True
        if is_chosen or not is_first:
            self._followed = number
            self._find(query, number=number)
            return
        question = partial(count_left, query=query, person=self._session.actor.id)
        done = partial(self._begin, query, number)
        self._bridge.query(self._session, question, done=done, channel=(id(self), "left"))

    def choose_chip(self, chip: str) -> None:
        """Show the scenes of a chip, and the current one where it is among them."""
        row = self.listing.current_row()
        self.chip = chip
        self._find(self.query, number=row.n if row is not None else None)

    def step_unfinished(self, step: str) -> None:
        """Show the next ("1") or previous ("-1") scene that is not finished, around the end of the list."""
        numbers = self.listing.model.numbers.tolist()
        index = self.listing.table.current_position()
        others = [*numbers[index + 1 :], *numbers[: max(index, 0)]]
        question = partial(
            next_unfinished,
            numbers=others if step == "1" else others[::-1],
            person=self._session.actor.id,
        )
        self._bridge.query(
            self._session, question, done=self._on_unfinished_found, channel=(id(self), "unfinished")
        )

    def step_scene(self, step: str) -> None:
        """Show the next ("1") or previous ("-1") scene."""
        index = self.listing.table.current_position() + int(step)
        if 0 <= index < self.listing.model.rowCount():
            self.grid.choose(index)

    def scene_beside(self, step: int) -> str:
        """Return the id of a neighbouring scene, "" if there is none or it is not loaded."""
        index = self.listing.table.current_position() + step
        row = self.listing.model.row(index) if 0 <= index < self.listing.model.rowCount() else None
        return row.id if row is not None else ""

    def choose_number(self, number: int) -> None:
        """Show a scene of the list by its row number."""
        self.grid.choose(self.listing.model.index_of(number))

    def refresh(self) -> None:
        """Read the list again."""
        self.listing.find(self.query)

    def show_note(self, text: str) -> None:
        """Show a text in place of the counts, until they change."""
        self.count.setText(text)

    def absence(self) -> str:
        """Return why the list is empty, as the id of an empty state; "" if it has scenes."""
        answer = self.listing.answer
        if answer is None or len(answer.numbers):
            return ""
        if not answer.total:
            return "no_scene"
        reasons = {"unfinished": "all_finished", "mine": "none_assigned"}
        return "nothing" if self.query.text else reasons.get(self.chip, "nothing")

    def _begin(self, query: RelatedSceneQuery, number: int | None, left: int) -> None:
        if left:
            self.chip = "mine"
        self._followed = None if left else number
        self._find(query, number=number)

    def _find(self, query: RelatedSceneQuery, *, number: int | None) -> None:
        # Whatever is asked for now replaces the list that a person begins with.
        self._bridge.drop((id(self), "left"))
        person = self._session.actor.id
        self.listing.find(with_chip(query, self.chip, person=person), number=number)
        # After the query: the search is not repeated for a text that is part of the query.
        self.search.setText(query.text)

    def _make_chip(self, chip: str) -> QPushButton:
        made = QPushButton(tr(TITLES[chip]))
        made.setProperty("kind", "pill")
        made.setCheckable(True)
        made.setChecked(chip == self.chip)
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        made.clicked.connect(partial(self.choose_chip, chip))
        self._group.addButton(made)
        return made

    def _lay_out(self) -> None:
        self.search.setPlaceholderText(tr("Search scenes"))
        self.search.setAccessibleName(tr("Search scenes"))
        for unseen in (self.listing.table, self.listing.facets):
            # RecordList always has these widgets; they are hidden here, and deleted with the queue.
            unseen.setParent(self)
            unseen.hide()
        column = column_layout(self, margins_px=0, spacing_px=0)
        pills = row_layout(margins_px=(MARGIN_PX, MARGIN_PX, MARGIN_PX, 0), spacing_px=4)
        for chip in self.chips.values():
            pills.addWidget(chip)
        pills.addStretch()
        column.addLayout(pills)
        column.addLayout(_framed(self.search, top_px=8))
        column.addWidget(self.grid, 1)
        column.addLayout(_framed(self.count, top_px=4))
        self.setFixedWidth(self.grid.shape.cell.width() + 2 * SPACE_PX + SCROLL_BAR_PX)

    def _on_listing_found(self, answer: FoundRecords) -> None:
        followed, self._followed = self._followed, None
        if followed and self.listing.model.index_of(followed) < 0 and self.chip != "all":
            # The record of the Library is shown in any case.
            self.chip = "all"
            self._find(self.query, number=followed)
        counts = {one.value: one.count for one in answer.facets["chip"]}
        for chip, button in self.chips.items():
            # The number of all scenes is below the list: the panel has no room for three long numbers.
            number = f" {counts[chip]:,}" if chip != "all" else ""
            button.setText(f"{tr(TITLES[chip])}{number}")
            button.setChecked(chip == self.chip)
        part = {one.value: one.count for one in answer.facets["part"]}
        finished = tr("{n} of {total} finished", n=f"{part['finished']:,}", total=f"{part['all']:,}")
        has_filters = is_filtered(self.query) and counts["all"] < answer.total
        self.count.setText(
            "  ·  ".join(filter(None, (finished, tr("filters of the Library") if has_filters else "")))
        )

    def _on_unfinished_found(self, number: int | None) -> None:
        if number is not None:
            self.choose_number(number)
        else:
            self.show_note(tr("No other scene of this list is unfinished"))

    def _on_search_text_changed(self, text: str) -> None:
        # The text is also set by code, together with the query.
        if text != self.listing.query.text:
            self.listing.find_text(text)

    def _on_grid_opened(self) -> None:
        self.opened.emit()


def _framed(part: QWidget, *, top_px: int) -> QVBoxLayout:
    framed = column_layout(margins_px=(MARGIN_PX, top_px, MARGIN_PX, 8))
    framed.addWidget(part)
    return framed
