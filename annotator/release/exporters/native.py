"""The native form: every record as stored, with ids, originals and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import compress, islice
from operator import not_

import msgspec

from annotator.domain.event_label import EventLabel
from annotator.domain.item import Item, ItemVariant
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.query import selects_task
from annotator.domain.record import Record, to_json
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.domain.source import Source
from annotator.domain.trajectory import Trajectory
from annotator.release.exporter import EVERYTHING, Exporter, ExportInput, ExportResult, selected_ids
from annotator.release.hidden_keys import HiddenItems
from annotator.release.release_filter import ReleaseFilter
from annotator.release.release_folder import ReleaseFile, ReleaseFolder
from annotator.release.release_items import BATCH, ItemHead, ReleaseCounts, withhold

FILE = "records.jsonl"
CARRIED: tuple[type[Record], ...] = (
    Source, Medium, Scene, Region, Link, Polyline, EventLabel, Trajectory,
)  # fmt: skip
"""Records that items refer to: all are written, before the items, whatever items are selected."""
VARIANT = b'"variant":{'
ID = slice(len('{"id":"'), len('{"id":"') + 32)
"""Position of a stored record's id: records are encoded with their id first."""


class _Media(msgspec.Struct, frozen=True):
    """The one field of an item that lists its media."""

    media: tuple[str, ...] = ()


class _Link(msgspec.Struct, frozen=True):
    """The one field of an item that links it to its source."""

    variant: ItemVariant | None = None


_head = msgspec.json.Decoder(ItemHead).decode
_media_of = msgspec.json.Decoder(_Media).decode
_link_of = msgspec.json.Decoder(_Link).decode


class NativeExporter(Exporter):
    """All records, one JSON object per line, byte for byte as the project stores them."""

    id = "native"
    title = "Vantage records: all fields, with ids"
    files = "records.jsonl: sources, media, scenes, regions, links, paths, event labels, trajectories, items"
    limits = "Contains all fields of these records. Flags, comments, responses and the log are not included."
    carries_all = True
    can_hide_keys = True

    def size(self, counts: Mapping[str, int], *, items: int) -> int:
        """Return the number of selected items and of all records they refer to."""
        return items + sum(counts[kind.table.entity] for kind in CARRIED)

    def write(self, material: ExportInput, *, folder: ReleaseFolder) -> ExportResult:
        """Write ``records.jsonl``."""
        file = folder.file(FILE)
        outcome = ExportResult(totals=ReleaseCounts(), withheld=[])
        # In dependency order, so that a reader needs one pass.
        for kind in CARRIED:
            entity = kind.table.entity
            for batch in _batches(material.reader.stream_json(kind)):
                passing = _public_records(batch, entity, hidden=material.hidden)
                _put(file, entity, passing)
                outcome.totals.count("entity", entity, n=len(passing))
                material.progress.step(len(batch))
        for batch in _item_batches(material):
            material.progress.step(len(batch))
            passing = _released_records(batch, release_filter=material.release_filter, outcome=outcome)
            passing = _public_records(passing, "item", hidden=material.hidden)
            _put_items(file, passing, totals=outcome.totals)
            if material.is_shown:
                outcome.totals.show(medium for raw in passing for medium in _media_of(raw).media)
        _count_items(material, totals=outcome.totals)
        return outcome

    def hidden_lines(self, material: ExportInput) -> Iterator[bytes]:
        """Yield the lines of the hidden items and of their annotations, which are left out."""
        if material.hidden is None:
            return
        kinds: tuple[type[Record], ...] = (*CARRIED, Item)
        for kind in kinds:
            entity = kind.table.entity
            head = b'{"entity":"%s","record":' % entity.encode()
            for raw in material.reader.stream_json(kind):
                if material.hidden.owns(entity, raw):
                    yield head + raw + b"}\n"


def _public_records(batch: list[bytes], entity: str, *, hidden: HiddenItems | None) -> list[bytes]:
    return batch if hidden is None else hidden.public_records(entity, batch)


def _put(file: ReleaseFile, entity: str, batch: list[bytes]) -> None:
    """Write stored records without decoding them, which would dominate the time of a large release."""
    if not batch:
        return
    head = b'{"entity":"%s","record":' % entity.encode()
    file.write(head)
    file.write((b"}\n" + head).join(batch), records=len(batch))
    file.write(b"}\n")


def _batches(stream: Iterator[bytes]) -> Iterator[list[bytes]]:
    while batch := list(islice(stream, BATCH)):
        yield batch


def _item_batches(material: ExportInput) -> Iterator[list[bytes]]:
    if material.selection == EVERYTHING:
        yield from _batches(material.reader.stream_json(Item))
        return
    for ids in selected_ids(material.reader, material.selection):
        yield [to_json(record).encode() for record in material.reader.records(Item, ids=ids)]


def _released_records(
    batch: list[bytes], *, release_filter: ReleaseFilter, outcome: ExportResult
) -> list[bytes]:
    """Return the permitted records; of withheld ones only the head is decoded."""
    barred = release_filter.withheld_ids
    # Only withheld records are decoded; they are few even in a project of millions.
    if not barred:
        return batch
    is_barred = [raw[ID].decode() in barred for raw in batch]
    _withhold(
        [_head(raw) for raw in compress(batch, is_barred)], release_filter=release_filter, outcome=outcome
    )
    return list(compress(batch, map(not_, is_barred)))


def _withhold(items: list[ItemHead], *, release_filter: ReleaseFilter, outcome: ExportResult) -> None:
    withheld = [withhold(item, reasons=release_filter.reasons(item)) for item in items]
    outcome.withheld.extend(withheld)
    # Subtracted here, because the project's own counters, added at the end, include these items.
    outcome.totals.counts["task"].subtract(Counter([record.task for record in withheld]))
    outcome.totals.counts["state"].subtract(Counter([item.state for item in items]))


def _put_items(file: ReleaseFile, batch: list[bytes], *, totals: ReleaseCounts) -> None:
    if not batch:
        return
    _put(file, "item", batch)
    totals.records += len(batch)
    totals.count("entity", "item", n=len(batch))
    totals.name_members(b"\n".join([raw[ID] for raw in batch]) + b"\n")
    # A search of bytes first: few items are variants.
    links = (_link_of(raw).variant for raw in batch if VARIANT in raw)
    for link in links:
        if link is not None:
            totals.count("variant", link.kind)


def _count_items(material: ExportInput, *, totals: ReleaseCounts) -> None:
    """Count tasks and states by the project's own counters, without reading the items."""
    reader, selection = material.reader, material.selection
    facets = reader.items.facets(selection)
    for task in facets["task"]:
        # A facet is counted under the other filters only, so its own filter is applied here.
        task_set, _, name = task.value.partition("/")
        if not selection.tasks or selects_task(selection.tasks, task_set=task_set, task=name):
            totals.count("task", task.value, n=task.count)
    for state in facets["state"]:
        if not selection.states or state.value in selection.states:
            totals.count("state", state.value, n=state.count)
