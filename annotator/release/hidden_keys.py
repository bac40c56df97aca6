"""Hidden answer keys: what a release says of the items whose keys are kept apart."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from annotator.domain.item import Item, Provenance
from annotator.domain.medium import Medium
from annotator.domain.record import Record, to_json
from annotator.domain.scene import DERIVED_FROM, Scene, SceneView
from annotator.domain.source import Source
from annotator.errors import UserError
from annotator.queries.gate_queries import SplitItem
from annotator.queries.reader import Reader

FLIGHT_FORMAT = "trajectory"
"""Answer format whose keys are names of flights."""
ANNOTATIONS = frozenset({"region", "link", "path", "event_label", "trajectory"})
"""Kinds of records from which people or rules derive answer keys."""


class _RecordScope(msgspec.Struct, frozen=True):
    """The fields of a record that tell what it belongs to."""

    id: str = ""
    name: str = ""
    scene: str = ""
    medium: str = ""


_scope_of = msgspec.json.Decoder(_RecordScope).decode


@dataclass(frozen=True, kw_only=True)
class HiddenItems:
    """The items whose answer keys a release hides, with everything that shows what they show.

    Attributes:
        ids: Ids of the items.
        scenes: Ids of their scenes, and of the scenes that show the same media.
        media: Ids of the media of these items and scenes, and of the media that were made from them.
        flights: Names of the flights that are answer keys, or of which answer keys are a part.
    """

    ids: frozenset[str]
    scenes: frozenset[str]
    media: frozenset[str]
    flights: frozenset[str] = frozenset()

    @classmethod
    def of(cls, reader: Reader, items: Collection[SplitItem]) -> HiddenItems:
        """Return the hidden items of a project, with their scenes and media."""
        ids = [row.id for row in reader.items.rows([item.n for item in items])]
        hidden = reader.records(Item, ids=ids)
        flights = frozenset(name for item in hidden for name in _flight_names(item))
        scenes, media = _closure(
            reader,
            scenes={item.scene for item in items} - {""},
            media={medium for item in items for medium in item.media},
        )
        return cls(ids=frozenset(ids), scenes=scenes, media=media, flights=flights)

    def owns(self, entity: str, raw: bytes) -> bool:
        """Return whether a stored record is one of the hidden items, or an annotation of what they show."""
        location = _scope_of(raw)
        if entity == "item":
            return location.id in self.ids
        if entity == "trajectory" and location.name in self.flights:
            return True
        return entity in ANNOTATIONS and (location.scene in self.scenes or location.medium in self.media)

    def public_records(self, entity: str, batch: Iterable[bytes]) -> list[bytes]:
        """Return stored records without what reveals answer keys, and no annotations of hidden items."""
        if entity in ANNOTATIONS:
            return [raw for raw in batch if not self.owns(entity, raw)]
        return [self._public(entity, raw) for raw in batch]

    def _public(self, entity: str, raw: bytes) -> bytes:
        if entity == "item":
            return _text(conceal_item(msgspec.json.decode(raw, type=Item))) if self.owns(entity, raw) else raw
        if entity == "source":
            # The digest and the size of a file would confirm a guess of the answer keys in it.
            source = msgspec.json.decode(raw, type=Source)
            return _text(msgspec.structs.replace(source, sha256="", size_bytes=0))
        if entity == "medium" and _scope_of(raw).id in self.media:
            return _text(_conceal_medium(msgspec.json.decode(raw, type=Medium)))
        if entity == "scene" and _scope_of(raw).id in self.scenes:
            return _text(_conceal_scene(msgspec.json.decode(raw, type=Scene)))
        return raw


def _flight_names(item: Item) -> Iterator[str]:
    """Yield the names that the flight of an answer key can have; none for a key that is not a flight."""
    if item.answer_format == FLIGHT_FORMAT:
        # A part of a flight goes by the flight's name and that of its file, and shows the whole way to it.
        yield from filter(None, (item.answer_key, item.answer_key.rpartition("/")[0]))


def require_neutral_images(reader: Reader, items: Iterable[SplitItem]) -> None:
    """Refuse to hide answer keys about images that say in their names what was done to them.

    Raises:
        UserError: Hidden items show degraded images: name, path and recipe tell the degradation.
    """
    media = {medium for item in items for medium in item.media}
    degraded = [one for one in reader.records(Medium, ids=sorted(media)) if one.recipe is not None]
    if degraded:
        raise UserError(
            f"The answer keys cannot be hidden: the items show {len(degraded):,} degraded images, whose "
            f"names say how they were made, for example {degraded[0].name}.",
            hint="Release these items in a split whose answer keys are public, or import the degraded images "
            "as files with neutral names.",
        )


def conceal_item(item: Item) -> Item:
    """Return an item without its answer key and without every field that can reveal it."""
    # Named one by one: a field that is added to items is hidden until somebody decides otherwise.
    return Item(
        id=item.id,
        name=item.name,
        task_set=item.task_set,
        task=item.task,
        state=item.state,
        question=item.question,
        options=item.options,
        answer_format=item.answer_format,
        scene=item.scene,
        view=item.view,
        media=item.media,
        # The digest of its source would confirm a guess of the answer key.
        variant=msgspec.structs.replace(item.variant, source_digest="") if item.variant else None,
        provenance=Provenance(made_by=item.provenance.made_by),
    )


def _conceal_medium(medium: Medium) -> Medium:
    """Return a medium without when and where it was made, which a question can ask for."""
    return msgspec.structs.replace(
        medium, captured_at="", latitude_deg=None, longitude_deg=None, altitude_m=None, exif={}
    )


def _conceal_scene(scene: Scene) -> Scene:
    """Return a scene with its images alone: metadata can contain what a question asks for."""
    return Scene(
        id=scene.id,
        name=scene.name,
        dataset=scene.dataset,
        views=tuple(
            SceneView(name=view.name, medium=view.medium, offset_s=view.offset_s) for view in scene.views
        ),
        state=scene.state,
        metadata={name: value for name, value in scene.metadata.items() if name == DERIVED_FROM},
    )


def _closure(
    reader: Reader, *, scenes: Iterable[str], media: Iterable[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Return scenes and media with all that show the same originals."""
    originals = reader.gates.original_media()
    shown = {scene.id: _originals(scene, originals) for scene in reader.records(Scene)}
    hidden, roots, size = set(scenes), {originals.get(medium, medium) for medium in media}, -1
    while size != len(hidden) + len(roots):
        size = len(hidden) + len(roots)
        roots |= {root for scene in hidden for root in shown.get(scene, ())}
        hidden |= {scene for scene, found in shown.items() if not roots.isdisjoint(found)}
    made = {medium for medium, root in originals.items() if root in roots}
    return frozenset(hidden), frozenset(roots | made)


def _originals(scene: Scene, originals: Mapping[str, str]) -> frozenset[str]:
    return frozenset(originals.get(view.medium, view.medium) for view in scene.views)


def _text(record: Record) -> bytes:
    return to_json(record).encode()
