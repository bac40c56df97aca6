"""Keeps the Library lists and the Annotate scene at the same record when the workspace changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import msgspec
from PySide6.QtCore import QObject, Signal

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery, MediumQuery, RelatedSceneQuery, SceneQuery, SortOrder
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.library.record_list import RecordList
from widgets.library.record_types import Numbers, Query


@dataclass(frozen=True, kw_only=True)
class FollowedRecord:
    """The current record of a list, and the scenes of that list.

    Attributes:
        entity: Kind of the record: ``item``, ``scene`` or ``medium``.
        number: Its row number, None if the list is not loaded or empty.
        query: The scenes.
        is_chosen: Whether a person chose the record; otherwise it is the first of the list.
    """

    entity: str
    number: int | None
    query: RelatedSceneQuery
    is_chosen: bool = False


@dataclass(frozen=True, kw_only=True)
class SceneLocation:
    """The current place in Annotate.

    Attributes:
        scene: Id of the scene.
        number: Its row number.
        medium: Id of the medium of the active view, "" for none.
        text: Search text of the scene list, "" for all scenes.
    """

    scene: str
    number: int
    medium: str
    text: str


class SceneFollower(QObject):
    """Moves the Library lists or the Annotate scene when the user switches between them.

    Signals:
        searched: Emitted when the search text of a list was taken over from Annotate.
    """

    searched = Signal()

    def __init__(
        self, listings: Mapping[str, RecordList], *, session: Session, bridge: Bridge, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._listings, self._session, self._bridge = listings, session, bridge
        self._going: set[str] = set()
        self._awaited: dict[str, tuple[Query, SceneLocation]] = {}

    def followed(self, kind: str) -> FollowedRecord | None:
        """Return the scenes of a list for Annotate; None while the list itself moves to Annotate's scene.

        Args:
            kind: Kind of the list.
        """
        if kind in self._going:
            return None
        listing = self._listings[kind]
        index, numbers = listing.table.current_position(), listing.model.numbers
        number = int(numbers[index]) if 0 <= index < len(numbers) else None
        return FollowedRecord(
            entity=kind,
            number=number,
            query=related_scenes(listing.query, order=listing.order),
            is_chosen=index > 0,
        )

    def hand_over(self, kind: str, scene_location: SceneLocation) -> None:
        """Move the visible list to the record of a scene, and the others when they are shown next.

        Args:
            kind: Kind of the visible list.
            scene_location: The scene.
        """
        others = ((other, one.query) for other, one in self._listings.items() if other != kind)
        self._awaited = {other: (query, scene_location) for other, query in others}
        listing = self._listings[kind]
        if kind == "scene" and listing.query.text != scene_location.text:
            listing.find(
                msgspec.structs.replace(listing.query, text=scene_location.text), number=scene_location.number
            )
            self.searched.emit()
        else:
            self._go_to(kind, scene_location)

    def arrive(self, kind: str) -> None:
        """Move a list that is shown now to the scene that was handed over, once.

        Args:
            kind: Kind of the list.
        """
        if (awaited := self._awaited.pop(kind, None)) is not None:
            query, location = awaited
            # Another query was made to show other records.
            if self._listings[kind].query is query:
                self._go_to(kind, location)

    def _go_to(self, kind: str, location: SceneLocation) -> None:
        """Move a list to the record of a scene; a list that is already there does not move."""
        # Items and media are found by a query; a scene is the row itself.
        if kind == "scene":
            listing = self._listings[kind]
            _choose(listing, listing.model.index_of(location.number))
            return
        self._going.add(kind)
        self._bridge.query(
            self._session,
            partial(_read_numbers, kind=kind, location=location),
            done=partial(self._on_numbers_read, kind),
            failed=partial(self._on_numbers_failed, kind),
            channel=(id(self), kind),
        )

    def _on_numbers_read(self, kind: str, found: tuple[int | None, Numbers]) -> None:
        self._going.discard(kind)
        listing, (preferred, numbers) = self._listings[kind], found
        # Records of the scene can be outside the current filters: they have no place.
        indices = sorted(at for one in numbers.tolist() if (at := listing.model.index_of(one)) >= 0)
        wanted = listing.model.index_of(preferred) if preferred is not None else -1
        if wanted >= 0:
            _choose(listing, wanted)
        elif indices and listing.table.current_position() not in indices:
            listing.table.choose_row(indices[0])

    def _on_numbers_failed(self, kind: str, error: BaseException) -> None:
        self._going.discard(kind)
        self._bridge.failed.emit(error)


def _choose(listing: RecordList, index: int) -> None:
    # Choosing the current row again would clear the selection of the other rows.
    if index != listing.table.current_position():
        listing.table.choose_row(index)


def related_scenes(query: Query, *, order: SortOrder) -> RelatedSceneQuery:
    """Return the scenes of a query's records.

    Args:
        query: The query.
        order: Its sort order.
    """
    if isinstance(query, ItemQuery):
        return RelatedSceneQuery(items=query, order=order)
    if isinstance(query, MediumQuery):
        return RelatedSceneQuery(media=query, order=order)
    fields = {name: getattr(query, name) for name in SceneQuery.__struct_fields__}
    return RelatedSceneQuery(**fields, order=order)


def _read_numbers(reader: Reader, *, kind: str, location: SceneLocation) -> tuple[int | None, Numbers]:
    """Read the row numbers of a scene's records, and the one to prefer over the current row."""
    preferred = (
        reader.order.arrival_number(Medium, location.medium) if kind == "medium" and location.medium else None
    )
    return preferred, reader.related.numbers_of_scene(Medium if kind == "medium" else Item, location.scene)
