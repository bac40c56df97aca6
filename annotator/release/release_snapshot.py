"""What happened in a project while a release was written: whether its entry would still tell the truth."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.domain.record_types import record_type
from annotator.domain.scene import Scene
from annotator.release.exporter import EVERYTHING, Exporter
from annotator.store.reader import ChangedRecord, Reader

UNSEEN = frozenset({"actor", "assignment", "command", "comment", "release", "response"})
"""Kinds of records that no release holds, and that no gate or check asks."""
GATED = frozenset({"flag", "item"})
"""Kinds of records that concern a release by the items that it selects."""


@dataclass(frozen=True, kw_only=True)
class ReleaseSnapshot:
    """What a release was made from, as far as that decides whether a later event concerns it.

    A release is a point in the log: its entry says that the records were so when it was entered. So an event
    that came between the reading of the records and the entry must concern none of them. Where that cannot be
    told at little cost the event counts as one that does: making a release anew takes time, a wrong entry
    takes trust. One thing is left out on purpose, since every edit would count otherwise: checks that compare
    the names and letters of all items of a task may find another error by an item that was not selected.

    Attributes:
        position: Arrival number of the last event that it saw.
        form: The form.
        selection: The filter that chose the items.
        numbers: Row numbers of the items that it chose, int64 (n,), rising; None for all items.
        media: Ids of the media that the released records show.
    """

    position: int
    form: Exporter
    selection: ItemQuery
    numbers: npt.NDArray[np.int64] | None
    media: AbstractSet[str]

    @classmethod
    def of(
        cls, reader: Reader, *, form: Exporter, selection: ItemQuery, media: AbstractSet[str]
    ) -> ReleaseSnapshot:
        """Return what a release is made from; the reader must show the state that it is made from."""
        numbers = None if selection == EVERYTHING else reader.item_numbers(selection)
        return cls(position=reader.position, form=form, selection=selection, numbers=numbers, media=media)

    def is_outdated(self, reader: Reader) -> bool:
        """Tell whether anything that the release is made from was changed since; costs a look at what was."""
        items: set[int] = set()
        for touched in reader.changed_since(self.position):
            if touched.entity not in GATED:
                if self._is_concerned(reader, touched):
                    return True
            elif touched.item is not None:
                items.add(touched.item)
        return bool(items) and self.form.holds_items and self._chooses(reader, items)

    def _chooses(self, reader: Reader, items: set[int]) -> bool:
        """Tell whether some of these items were selected, or are now: an edit may bring one in or out."""
        if self.numbers is None:
            return True
        touched = np.fromiter(items, dtype=np.int64)
        return any(
            bool(np.isin(touched, chosen).any())
            for chosen in (self.numbers, reader.item_numbers(self.selection))
        )

    def _is_concerned(self, reader: Reader, touched: ChangedRecord) -> bool:
        if touched.entity in UNSEEN:
            return False
        if self.form.carries_all or not self.form.holds_items:
            return True
        if touched.entity == "medium":
            return touched.entity_id in self.media
        record = reader.get(record_type(touched.entity), touched.entity_id)
        if medium := getattr(record, "medium", ""):
            return medium in self.media
        scene = touched.entity_id if isinstance(record, Scene) else getattr(record, "scene", "")
        # A record that was taken out of sight no longer tells where it was.
        return not scene or any(
            medium in self.media for item in reader.find(Item, scene=scene) for medium in item.media
        )
