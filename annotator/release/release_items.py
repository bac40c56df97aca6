"""The members of a release: the records that the filter and the form permit, with their counts."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Generic, Protocol, TypeVar

from annotator.domain.event_label import EventLabel
from annotator.domain.item import Item, ItemState
from annotator.domain.medium import Medium
from annotator.domain.record import Record, to_json
from annotator.domain.scene import Scene
from annotator.progress import Progress
from annotator.release.release_filter import ReleaseFilter, WithheldRecord, WithholdReason

BATCH = 500
"""Records per batch; media and scenes are fetched per batch and then released."""

# Backslashes in pairs are those of the text; only the last of an odd number escapes a NUL.
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")

Member = Item | EventLabel
M = TypeVar("M", Item, EventLabel)
M_contra = TypeVar("M_contra", Item, EventLabel, contravariant=True)
R = TypeVar("R", bound=Record)


class RecordSource(Protocol):
    """A source of media, scenes and items; ``Reader`` is one."""

    def records(self, kind: type[R], *, ids: list[str]) -> Iterable[R]:
        """Return the records of a kind that have one of the ids."""


class ItemHead(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The fields that identify a withheld item; nothing else is decoded for it.

    Attributes:
        name: Public id.
        task_set: Id of the task set.
        task: Id of the task.
        state: State of the item.
    """

    name: str
    task_set: str
    task: str = ""
    state: ItemState = "drafted"


class RecordLookup:
    """Media and scenes of the current batch, by id."""

    def __init__(self, source: RecordSource) -> None:
        self._source = source
        self._media: dict[str, Medium] = {}
        self._scenes: dict[str, Scene] = {}
        self._items: dict[str, str] = {}

    def prepare(self, records: Iterable[Member]) -> None:
        """Fetch the records that a batch refers to, and release those of the previous batch."""
        batch = list(records)
        scenes = _distinct(record.scene for record in batch)
        media = _distinct(chain.from_iterable(map(_shown, batch)))
        self._scenes = {scene.id: scene for scene in self._source.records(Scene, ids=scenes)}
        self._media = {medium.id: medium for medium in self._source.records(Medium, ids=media)}
        variants = (record.variant for record in batch if isinstance(record, Item))
        sources = _distinct(variant.source for variant in variants if variant is not None)
        found = self._source.records(Item, ids=sources) if sources else ()
        self._items = {item.id: item.name for item in found}

    def medium(self, medium_id: str) -> Medium | None:
        """Return a medium of the batch, None if it is not in the project."""
        return self._media.get(medium_id)

    def item_name(self, item_id: str) -> str:
        """Return the public id of the source of a variant of the batch, "" if it is not in the project."""
        return self._items.get(item_id, "")

    def scene(self, scene_id: str) -> Scene | None:
        """Return a scene of the batch, None if it is not in the project."""
        return self._scenes.get(scene_id)

    def media_of(self, item: Item) -> tuple[Medium, ...] | None:
        """Return the media of an item, in order; None if one of them is not in the project."""
        found = [self._media[medium_id] for medium_id in item.media if medium_id in self._media]
        return tuple(found) if len(found) == len(item.media) else None

    def dataset_of(self, record: Member) -> str:
        """Return the dataset of a record: that of its scene, else of its first medium, else ""."""
        scene = self._scenes.get(record.scene)
        if scene is not None and scene.dataset:
            return scene.dataset
        return next(
            (found.dataset for medium_id in _shown(record) if (found := self._media.get(medium_id))), ""
        )


@dataclass
class ReleaseCounts:
    """Counts of the members, for the manifest.

    Attributes:
        records: Number of records released.
        counts: Records per value of each counted property.
        media: Ids of the media that they show, each once, in the order in which they come.
    """

    records: int = 0
    counts: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    media: dict[str, None] = field(default_factory=dict)
    _members: dict[str, hashlib._Hash] = field(default_factory=dict)

    def add(self, record: Member, *, name: str, dataset: str) -> None:
        """Count one member under its id in the form."""
        self.records += 1
        self.name_members(f"{name}\n".encode(), dataset=dataset)
        self.show(_shown(record))
        self.count("dataset", dataset)
        if isinstance(record, Item):
            self.count("task", task_of(record))
            self.count("state", record.state)
            if record.variant is not None:
                self.count("variant", record.variant.kind)

    def count(self, what: str, value: str, *, n: int = 1) -> None:
        """Count n more records that have a value."""
        self.counts[what][value] += n

    def show(self, media: Iterable[str]) -> None:
        """Record the media of a member."""
        self.media.update(dict.fromkeys(media))

    def name_members(self, names: bytes, *, dataset: str = "") -> None:
        """Take in the ids of members, one a line."""
        # Datasets are hashed separately, since they are written to separate files.
        self._members.setdefault(dataset, hashlib.sha256()).update(names)

    @property
    def members_sha256(self) -> str:
        """Digest over the members' ids in their order within each dataset.

        Datasets are written to separate files, so their order is irrelevant.
        """
        digests = sorted((dataset, digest.hexdigest()) for dataset, digest in self._members.items())
        return hashlib.sha256(to_json(digests).encode()).hexdigest()

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all was counted."""
        # Counts decide, not the members: the native form may contain media and scenes without any item.
        return not any(counter.total() for counter in self.counts.values())

    def sorted_counts(self) -> dict[str, dict[str, int]]:
        """Return the counts in an order that does not depend on arrival."""
        return {
            what: {value: n for value, n in sorted(counter.items()) if n}
            for what, counter in sorted(self.counts.items())
        }


class HasReleaseNames(Protocol[M_contra]):
    """The methods of a form that the members need."""

    def refusal(self, record: M_contra, *, lookup: RecordLookup) -> WithholdReason | None:
        """Return why the form cannot represent a record; None if it can."""

    def member_name(self, record: M_contra, *, lookup: RecordLookup) -> str:
        """Return the id that the record has in the form."""


class ReleaseItems(Generic[M]):
    """Yields the records of a release, in as many passes as the form needs.

    Args:
        records: Starts a pass over the selected records, in order of arrival.
        exporter: Decides which records it can represent.
        release_filter: The filter that applies to all formats.
        lookup: Media and scenes of the current batch.
        progress: Advanced once per record.
        public: Returns a record as the form may contain it, called after the record was found fit.
    """

    def __init__(
        self,
        records: Callable[[], Iterator[M]],
        *,
        exporter: HasReleaseNames[M],
        release_filter: ReleaseFilter,
        lookup: RecordLookup,
        progress: Progress,
        public: Callable[[M], M],
    ) -> None:
        self._public: Callable[[M], M] = public
        self._records: Callable[[], Iterator[M]] = records
        self._exporter: HasReleaseNames[M] = exporter
        self._release_filter, self._progress = release_filter, progress
        self.lookup = lookup
        self.totals = ReleaseCounts()
        self.withheld: list[WithheldRecord] = []

    def __iter__(self) -> Iterator[M]:
        """Start a pass; counts and withheld records are those of the latest pass."""
        self.totals, self.withheld = ReleaseCounts(), []
        for batch in batches(self._records()):
            self.lookup.prepare(batch)
            yield from (self._public(record) for record in batch if self._passes(record))
            self._progress.step(len(batch))

    def _passes(self, record: M) -> bool:
        reasons = self._release_filter.reasons(record)
        if not reasons and (refusal := self._refusal(record)):
            reasons = (refusal,)
        if reasons:
            self.withheld.append(withhold(record, reasons=reasons))
            return False
        name = self._exporter.member_name(record, lookup=self.lookup)
        self.totals.add(record, name=name, dataset=self.lookup.dataset_of(record))
        return True

    def _refusal(self, record: M) -> WithholdReason | None:
        if has_nul(record):
            return WithholdReason(
                kind="format:text", message="A text of the record contains a NUL character."
            )
        return self._exporter.refusal(record, lookup=self.lookup)


def has_nul(record: Record) -> bool:
    """Return whether a text of a record contains a NUL character, which readers of text files reject."""
    # The cheap test first: hardly any record contains an escaped NUL.
    text = to_json(record)
    return "\\u0000" in text and _NUL.search(text) is not None


def withhold(record: Member | ItemHead, *, reasons: tuple[WithholdReason, ...]) -> WithheldRecord:
    """Return the line of ``withheld.jsonl`` about a record."""
    if isinstance(record, EventLabel):
        return WithheldRecord(entity="event_label", name=record.locator, reasons=reasons)
    return WithheldRecord(entity="item", name=record.name, task=task_of(record), reasons=reasons)


def task_of(item: Item | ItemHead) -> str:
    """Return the task that an item belongs to as ``set/task``."""
    return f"{item.task_set}/{item.task}"


def batches(records: Iterator[M]) -> Iterator[list[M]]:
    """Yield lists of at most ``BATCH`` records."""
    while batch := list(islice(records, BATCH)):
        yield batch


def _shown(record: Member) -> tuple[str, ...]:
    return record.media if isinstance(record, Item) else (record.medium,)


def _distinct(ids: Iterable[str]) -> list[str]:
    return [record_id for record_id in dict.fromkeys(ids) if record_id]
