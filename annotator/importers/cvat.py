"""Reads CVAT XML: images with shapes, and tracks of videos, including the variant of MDMT's files.

Source: CVAT's documentation, "CVAT for image 1.1" and "CVAT for video 1.1". MDMT's files in AirCopBench's
``original_xml`` are tracks without information about images, in files such as ``23-1.xml``: sequence 23 seen
by UAV1. Their frame 7 is assigned to the image ``23-00000007-UAV1.jpg`` of Real2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from annotator.domain.region_attributes import MEMBER, ImageAttributes, RegionAttributes
from annotator.importers.cvat_media import CvatMedia
from annotator.importers.cvat_shapes import CvatShape, CvatVisitor, shape_of
from annotator.importers.imported_record import ImportedRecord, ImportedScene, ImportIssue, ImportKeys
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.item_parts import medium_of
from annotator.importers.record_fields import RecordError, RecordFields
from annotator.importers.region_parts import OCCLUDED, own_attributes, raw, region_of, with_attributes
from annotator.importers.xml_stream import XmlStream

# Atomic and possessive: what matched once is not tried in another length. A file of sixty comments, or of
# one tag without an end, would keep the look at its beginning busy for hours.
_ROOT = re.compile(r"\s*+(?:<\?xml[^>]*+>\s*+)?(?:(?><!--.*?-->)\s*+)*+<annotations[\s>]", re.DOTALL)
_BARE_TRACK = re.compile(r"\s*+(?:<\?xml[^>]*+>\s*+)?<(\w++)[^>]*+>\s*+<track\s[^>]*+>\s*+<box\s[^>]*\bxtl=")
_MARK = re.compile(r"<(?:image|track|meta|version)[\s>]")


class Cvat(FileImporter):
    """Takes boxes, polygons and tracks in as regions."""

    id = "cvat"
    title = "CVAT boxes and tracks (XML)"
    files = "CVAT for images and for video 1.1, XML; MDMT's files"
    gives = "regions, attributes of scenes"
    marks = ("annotations", "image", "track", "box", "polygon", "points", "label", "frame", "xtl", "ytl")

    def recognizes(self, file: InputFile) -> bool:
        """Look for its root with one of its elements, or for tracks with boxes alone."""
        has_root = _ROOT.match(file.head) and _MARK.search(file.head)
        return bool(has_root or _BARE_TRACK.match(file.head))

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the shapes in the file's order, at last what it says about things that are not to be seen."""
        context.progress.begin(f"Importing {file.name}")
        visitor = CvatVisitor()
        locations = CvatMedia(file.stem, visitor.meta, dataset=context.dataset)
        regions = _Regions(locations, dataset=context.dataset)
        stream = XmlStream(file, visitor)
        try:
            # Shapes come as the parser tells them; what is gathered is given out after each part of the file.
            for _ in stream.chunks():
                context.progress.step(len(visitor.drawn))
                yield from regions.found(visitor.take())
        except RecordError as fault:
            yield from regions.found(visitor.take())
            yield fault.issue(line=stream.line, locator="file")
        yield from regions.found(visitor.take())
        yield from locations.hidden()


class _Regions:
    """The shapes of one file as regions."""

    def __init__(self, locations: CvatMedia, *, dataset: str) -> None:
        self._cvat_media = locations
        self._keys = ImportKeys(format_id=Cvat.id, dataset=dataset)

    def found(self, drawn: list[CvatShape]) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield what the shapes are; those that are outside of the picture are noted."""
        for shape in drawn:
            try:
                # CVAT repeats the last box of a track that left the picture, with this mark.
                if shape.attributes.get("outside") == "1":
                    self._cvat_media.hide(shape)
                else:
                    yield _with_own(self._found(shape), shape.extras.get(MEMBER))
            except RecordError as fault:
                yield fault.issue(line=shape.line, locator=shape.locator)

    def _found(self, drawn: CvatShape) -> ImportedRecord:
        location = self._cvat_media.of(drawn)
        shape, notes = shape_of(drawn, size=location.size)
        notes += location.notes
        if drawn.attributes.get("occluded") == "1":
            notes.append(OCCLUDED)
        original = raw(drawn.original())
        record = region_of(
            shape,
            notes=tuple(notes),
            frame=None if self._cvat_media.is_mdmt else self._cvat_media.frame(drawn),
            category=drawn.label,
            made_by=Cvat.id,
            track=drawn.track,
            locator=drawn.locator,
            original=original,
            import_key=self._keys.key_of(bytes(original), context=location.medium.name),
        )
        return ImportedRecord(
            record=record,
            line=drawn.line,
            dataset=location.dataset,
            media=(location.medium,),
            scene=location.scene,
            # MDMT gives a thing the same number in the files of both UAVs.
            identity=drawn.track if self._cvat_media.is_mdmt else "",
            flags=shape.flags,
        )


def _with_own(entry: ImportedRecord, text: str | None) -> ImportedRecord:
    """Return a region with what a release adds to its shape: image, scene, links and its other fields.

    Raises:
        RecordError: It is not what a release adds.
    """
    if text is None:
        return entry
    try:
        own = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as error:
        raise RecordError(MEMBER, f"It is not what a release adds: {error}.") from error
    image = own_attributes(own.get("image"), ImageAttributes) or ImageAttributes()
    (medium,) = entry.media
    name = medium_of(image.name, field=MEMBER, fields=RecordFields({})).name if image.name else medium.name
    medium = msgspec.structs.replace(medium, name=name, kind=image.media_type, view=image.view)
    scene = ImportedScene(name=image.scene, views=(medium,)) if image.scene else entry.scene
    placed = msgspec.structs.replace(entry, media=(medium,), scene=scene)
    return with_attributes(placed, own_attributes(own.get("region"), RegionAttributes))
