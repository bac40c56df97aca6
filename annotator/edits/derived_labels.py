"""Copies of labels, regions and links for derived images; made on request only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

import msgspec

from annotator.domain.event import CREATED, Edit
from annotator.domain.event_form import copy_answers
from annotator.domain.event_label import EventLabel
from annotator.domain.link import Link
from annotator.domain.polyline import Polyline
from annotator.domain.record import new_id
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.queries.reader import Reader

M = TypeVar("M", Region, Polyline)


def copy_regions(reader: Reader, *, source: str, target: str, copies: dict[str, str]) -> Iterator[Edit]:
    """Yield copies of the regions and paths of an image on another one of the same size.

    Regions or paths that the other image has already are not copied again.

    Args:
        reader: The project.
        source: Id of the image.
        target: Id of the other one.
        copies: Gets the id of the same region on the other image, by that of the region.
    """
    known = {region.number: region.id for region in reader.find(Region, medium=target)}
    for region in reader.find(Region, medium=source):
        if known:
            # A copy keeps its number.
            copies |= {region.id: known[region.number]} if region.number in known else {}
            continue
        copy = msgspec.structs.replace(_copied(region, target), corrections=())
        copies[region.id] = copy.id
        yield Edit(entity="region", entity_id=copy.id, field=CREATED, value=copy)
    if not any(reader.find(Polyline, medium=target)):
        for path in reader.find(Polyline, medium=source):
            moved = _copied(path, target)
            yield Edit(entity="path", entity_id=moved.id, field=CREATED, value=moved)


def copy_links(
    reader: Reader, *, source: Scene, target: Scene, media: Mapping[str, str], copies: Mapping[str, str]
) -> Iterator[Edit]:
    """Yield copies of a scene's links whose regions are all shown in a derived scene.

    Args:
        reader: The project.
        source: The scene.
        target: The derived scene.
        media: Ids of derived images, by those of their sources.
        copies: Ids of copied regions, by those of the regions.
    """
    for link in reader.find(Link, scene=source.id):
        regions = [_shown(reader, region, media=media, copies=copies) for region in link.regions]
        if all(regions):
            copy = Link(id=new_id(), scene=target.id, regions=tuple(regions), kind=link.kind)
            yield Edit(entity="link", entity_id=copy.id, field=CREATED, value=copy)


def copy_labels(reader: Reader, *, source: Scene, target: Scene, media: Mapping[str, str]) -> Iterator[Edit]:
    """Yield open event labels of a derived scene; each answer is marked as copied until it is confirmed.

    Args:
        reader: The project.
        source: The scene.
        target: The derived scene.
        media: Ids of derived images, by those of their sources.
    """
    labels = reader.labels_of(source.id)
    if reader.workload.independent_persons(source.id):
        # Until a reviewer decides, nobody but its person may see a label.
        labels = [label for label in labels if label.decided_from]
    for label in labels:
        empty = EventLabel(
            id=new_id(),
            scene=target.id,
            view=label.view,
            medium=media.get(label.medium, label.medium),
            state="open",
        )
        others = [view.name for view in target.views if view.name != label.view]
        copy = copy_answers(label, empty, views=others)
        yield Edit(entity="event_label", entity_id=copy.id, field=CREATED, value=copy)


def _shown(reader: Reader, region_id: str, *, media: Mapping[str, str], copies: Mapping[str, str]) -> str:
    """Return the id of a region in the derived scene, "" if it is not shown there."""
    region = reader.get(Region, region_id)
    if region is None:
        return ""
    return copies.get(region_id, "") if region.medium in media else region_id


def _copied(record: M, medium: str) -> M:
    """Return a copy on another image; it is no record of the imported file any more."""
    return msgspec.structs.replace(
        record,
        id=new_id(),
        medium=medium,
        source="",
        locator="",
        original=msgspec.Raw(b"null"),
        import_key="",
    )
