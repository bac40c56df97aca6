"""The project as an import sees it, together with the records that the import has added so far."""

from __future__ import annotations

import hashlib

from annotator.domain.event import CREATED, REMOVED, ChangedField
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.record import Record
from annotator.domain.record_types import record_type
from annotator.domain.region import Region
from annotator.domain.trajectory import Trajectory
from annotator.importers.digest_set import DigestSet
from annotator.importers.imported_record import ImportedFlag, ImportedRecord
from annotator.importers.media_resolver import MediaResolver
from annotator.importers.region_identities import Identities
from annotator.queries.reader import Reader
from annotator.queries.region_numbers import RegionNumbers
from annotator.store.projections import PROJECTIONS

ENTITY_OF = {projection.record: entity for entity, projection in PROJECTIONS.items()}
Keyed = Item | EventLabel | Region | Trajectory | Polyline
KEYED = (Item, EventLabel, Region, Trajectory, Polyline)
"""Record types that are identified by a digest of their source record."""
_LOOKED_UP = {
    "medium": {CREATED, REMOVED, "name", "dataset", "path"},
    "scene": {CREATED, REMOVED, "name", "dataset", "views", "metadata"},
    "source": {CREATED, REMOVED},
}
"""Fields by which an import identifies existing records, or which it extends."""


class ImportTarget:
    """The records of the project, together with those that this import has added so far."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.media_resolver = MediaResolver(reader)
        self.numbers = RegionNumbers(reader)
        self.identities = Identities(reader)
        self._filled = {
            entity: next(reader.find(record_type(entity)), None) is not None
            for entity in (ENTITY_OF[record] for record in KEYED)
        }
        self._keys = DigestSet()
        self._names: set[tuple[str, str]] = set()
        self._annotated: set[str] = set()
        self._made: dict[str, Record] = {}
        self._has_met_stored = False

    def rests_on(self, changed: ChangedField, reader: Reader) -> bool:
        """Return whether a concurrent change could alter the result of the import.

        Args:
            changed: The field that was changed.
            reader: Shows the project after the change.
        """
        if changed.field in _LOOKED_UP.get(changed.entity, ()) or changed.entity_id in self._made:
            return True
        if changed.entity == "link":
            return self.identities.has_looked_up
        if changed.field == REMOVED:
            return self._has_met_stored and changed.entity in self._filled
        if changed.entity == "region" and changed.field in (CREATED, "number"):
            region = reader.get(Region, changed.entity_id)
            return region is not None and self.numbers.has_numbered(region.medium)
        return False

    def has_key(self, entity: str, key: str) -> bool:
        """Return whether a record was imported before, and mark it as imported."""
        # Keys are digests, with a number appended if a record occurs several times in its file.
        if not self._keys.add(hashlib.blake2b(key.encode(), digest_size=16).digest()):
            return True
        return self._filled[entity] and self.stored(entity, key) is not None

    def stored(self, entity: str, key: str) -> Record | None:
        """Return the record that was stored under a key before this import."""
        found = next(self._reader.find(record_type(entity), import_key=key), None)
        self._has_met_stored |= found is not None
        return found

    def item_meant(self, found: ImportedRecord) -> Item | None:
        """Return the item that a remark refers to: one of this name that shows one of the remark's images."""
        remark = found.record
        if not isinstance(remark, Item) or not self._filled["item"]:
            return None
        pictures = {medium.name.rpartition("/")[2] for medium in found.media}
        for item in self._reader.find(Item, name=remark.name, task_set=remark.task_set):
            # Different datasets use the same item ids; the images identify the item.
            media = self._reader.records(Medium, ids=list(item.media))
            shown = {medium.name.rpartition("/")[2] for medium in media}
            if pictures & shown or not (pictures or shown):
                self._has_met_stored = True
                return item
        return None

    def linked_identity(self, item: Item) -> set[tuple[str, str]]:
        """Return the kind and message of each flag on an item, including closed ones."""
        return {(flag.kind, flag.message) for flag in self._reader.flags_of(item.id)}

    def same_id(self, entity: str, record: Record) -> Record | None:
        """Return the visible record with the same id."""
        if record.id in self._made:
            return self._made[record.id]
        found = self._reader.get(record_type(entity), record.id)
        self._has_met_stored |= found is not None
        return found

    def remember(self, record: Record) -> None:
        """Store an imported record under its id."""
        self._made[record.id] = record

    def existed_before(self, record: Record) -> bool:
        """Return whether a record that is not visible existed once."""
        # Undo hides records and keeps them in the log; creating the record a second time would be a conflict.
        return bool(self._reader.history.of(record.id, limit=1))

    def collisions(self, record: Record) -> list[ImportedFlag]:
        """Return the conflicts of a new record with records of the project."""
        if isinstance(record, Item):
            return self._name_collision(record)
        return self._second_annotation(record.medium) if isinstance(record, EventLabel) else []

    def _name_collision(self, item: Item) -> list[ImportedFlag]:
        key = item.task_set, item.name
        is_taken = key in self._names or (self._filled["item"] and self._has_item(*key))
        self._names.add(key)
        if not is_taken:
            return []
        message = f"The id '{item.name}' belongs to another item of the project."
        return [ImportedFlag(kind="duplicate_id", field="name", message=message, severity="error")]

    def _has_item(self, task_set: str, name: str) -> bool:
        return next(self._reader.find(Item, name=name, task_set=task_set), None) is not None

    def _second_annotation(self, medium: str) -> list[ImportedFlag]:
        if (
            not self._filled["event_label"]
            or medium in self.media_resolver.new_media
            or medium in self._annotated
        ):
            return []
        self._annotated.add(medium)
        earlier = [label.id for label in self._reader.find(EventLabel, medium=medium)]
        if not earlier or next(self._reader.find(Flag, target=medium, kind="annotated_twice"), None):
            return []
        message = "An earlier import already annotated the image."
        evidence = {"labels": earlier}
        return [
            ImportedFlag(
                kind="annotated_twice", message=message, severity="error", on="medium", evidence=evidence
            )
        ]
