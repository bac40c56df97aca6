"""Detection of changes in a project between the writing of a release and its log entry."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.domain.record_types import record_type
from annotator.domain.scene import Scene
from annotator.queries.log_queries import ChangedRecord
from annotator.queries.reader import Reader
from annotator.release.exporter import EVERYTHING, Exporter

UNSEEN = frozenset(
    {
        "actor",
        "assignment",
        "command",
        "comment",
        "error_label",
        "release",
        "response",
        "settled_text",
        "time_entry",
    }
)
"""Kinds of records that no release contains and no filter or check reads; some are evidence of a gate."""
GATED = frozenset({"flag", "item"})
"""Kinds of records that concern a release only through its selected items."""


@dataclass(frozen=True, kw_only=True)
class ReleaseSnapshot:
    """The input of a release, as needed to decide whether a later event concerns it.

    The log entry of a release states that the records had this content when it was entered. So no event
    between the reading of the records and the entry may concern them. If that is expensive to decide, the
    event is treated as concerning the release: repeating a release costs time, a wrong entry costs trust. One
    case is ignored on purpose, since every edit would count otherwise: checks that compare names and letters
    of all items of a task may give another error because of an item outside the selection.

    Attributes:
        position: Arrival number of the last event included.
        exporter: The exporter.
        selection: The filter that chose the items.
        numbers: Row numbers of the selected items, int64 (n,), rising; None for all items.
        media: Ids of the media that the released records show.
        evidence: Kinds of records whose removal may make a gate fail that the release states to hold.
    """

    position: int
    exporter: Exporter
    selection: ItemQuery
    numbers: npt.NDArray[np.int64] | None
    media: AbstractSet[str]
    evidence: AbstractSet[str] = frozenset()

    @classmethod
    def of(
        cls,
        reader: Reader,
        *,
        exporter: Exporter,
        selection: ItemQuery,
        media: AbstractSet[str],
        evidence: AbstractSet[str] = frozenset(),
    ) -> ReleaseSnapshot:
        """Return the snapshot of a release; the reader must show the state that is released."""
        numbers = None if selection == EVERYTHING else reader.items.numbers(selection)
        return cls(
            position=reader.log.position,
            exporter=exporter,
            selection=selection,
            numbers=numbers,
            media=media,
            evidence=evidence,
        )

    def is_outdated(self, reader: Reader) -> bool:
        """Return whether any input of the release has changed since; reads the events since then."""
        items: set[int] = set()
        for touched in reader.log.changed_since(self.position):
            if touched.entity not in GATED:
                if self._is_concerned(reader, touched):
                    return True
            elif touched.item is not None:
                items.add(touched.item)
        return bool(items) and self.exporter.holds_items and self._chooses(reader, items)

    def _chooses(self, reader: Reader, items: set[int]) -> bool:
        """Return whether some of these items are or were selected: an edit may add or remove one."""
        if self.numbers is None:
            return True
        touched = np.fromiter(items, dtype=np.int64)
        return any(
            bool(np.isin(touched, chosen).any())
            for chosen in (self.numbers, reader.items.numbers(self.selection))
        )

    def _is_concerned(self, reader: Reader, touched: ChangedRecord) -> bool:
        if touched.entity in UNSEEN:
            return self._is_lost_evidence(reader, touched)
        if self.exporter.carries_all or not self.exporter.holds_items:
            return True
        if touched.entity == "medium":
            return touched.entity_id in self.media
        record = reader.get(record_type(touched.entity), touched.entity_id)
        if medium := getattr(record, "medium", ""):
            return medium in self.media
        scene = touched.entity_id if isinstance(record, Scene) else getattr(record, "scene", "")
        # A record that was removed no longer shows where it belonged.
        return not scene or any(
            medium in self.media for item in reader.find(Item, scene=scene) for medium in item.media
        )

    def _is_lost_evidence(self, reader: Reader, touched: ChangedRecord) -> bool:
        """Return whether a record is gone that a gate may have counted; more evidence makes no gate fail."""
        if touched.entity not in self.evidence:
            return False
        return reader.get(record_type(touched.entity), touched.entity_id) is None
