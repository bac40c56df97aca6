"""The form of COCO: per dataset the images, categories and annotations, with links as an extension.

Source: cocodataset.org, "Data format"; for boxes as polygons and the place of the file pycocotools and CVAT.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from annotator.domain.medium import Medium
from annotator.domain.region import Region
from annotator.domain.region_attributes import MEMBER, RegionAttributes, box_outline
from annotator.release.exporter import Exporter, ExportInput, ExportResult
from annotator.release.json_sheet import file_stem, whole
from annotator.release.media_names import release_path
from annotator.release.release_folder import ReleaseFile, ReleaseFolder
from annotator.release.released_regions import ReleasedRegions

UNLABELLED = "unlabelled"
"""Name of the category of regions that have none: readers need a category."""
SURE = 1.0
FOLDER, NO_DATASET = "annotations", "default"
"""Where CVAT and Datumaro look for the file, and its name without a dataset, as they call it."""

_Image = tuple[str, int | None]


class CocoExporter(Exporter):
    """Boxes and polygons in the shape of COCO's instances."""

    id = "coco"
    title = "COCO boxes, polygons and links (JSON)"
    files = (
        "per dataset annotations/instances_DATASET.json: images, categories, annotations, "
        "with the extension vantage"
    )
    limits = "Contains confirmed regions of a known image, with their links in the scene of the image."
    holds_items = False

    def size(self, counts: Mapping[str, int], *, items: int) -> int:  # noqa: ARG002 - as the base says
        """Return the number of regions, which are read twice."""
        return 2 * counts["region"]

    def write(self, material: ExportInput, *, folder: ReleaseFolder) -> ExportResult:
        """Write the file of each dataset: a first pass collects images and categories."""
        regions = ReleasedRegions(material, export_format=self.id)
        tables: dict[str, _Tables] = {}
        for region, medium in regions:
            table = tables.setdefault(medium.dataset, _Tables(folder))
            table.add(region, medium, own=regions.image_attributes(region, medium))
        for dataset, table in tables.items():
            table.write_tables(f"{FOLDER}/instances_{file_stem(dataset) if dataset else NO_DATASET}.json")
        for region, medium in regions:
            tables[medium.dataset].annotate(region, own=regions.attributes(region))
        for table in tables.values():
            table.end()
        return regions.result


class _Tables:
    """The tables of one dataset."""

    def __init__(self, folder: ReleaseFolder) -> None:
        self._folder = folder
        self._images: dict[_Image, dict[str, Any]] = {}
        self._categories: set[str] = set()
        self._number = 0

    def add(self, region: Region, medium: Medium, *, own: msgspec.Struct) -> None:
        """Note the image and the category of a region."""
        self._categories.add(region.category or UNLABELLED)
        location = release_path(medium)
        image = {
            "id": len(self._images) + 1,
            "file_name": location if region.frame is None else f"{location}/{region.frame:06d}.png",
            "width": medium.width_px,
            "height": medium.height_px,
            MEMBER: own,
        }
        self._images.setdefault((medium.id, region.frame), image)

    def write_tables(self, name: str) -> None:
        """Write images and categories, sorted by name."""
        names = sorted(self._categories)
        self._ids = {name: number for number, name in enumerate(names, start=1)}
        self._file = self._folder.file(name)
        self._file.write(b"{\n")
        _write_table(self._file, "images", self._images.values())
        _write_table(self._file, "categories", ({"id": self._ids[n], "name": n} for n in names))
        self._file.write(b'"annotations": [')

    def annotate(self, region: Region, *, own: RegionAttributes) -> None:
        """Write a region."""
        row = annotation_of(region) | {MEMBER: own if region.polygon else own.outlined()}
        self._number += 1
        image = self._images[region.medium, region.frame]["id"]
        ids = {"id": self._number, "image_id": image, "category_id": self._ids[region.category or UNLABELLED]}
        self._file.write((b"\n" if self._number == 1 else b",\n") + msgspec.json.encode(ids | row), records=1)

    def end(self) -> None:
        """End the file."""
        self._file.write(b"\n]}\n")


def annotation_of(region: Region) -> dict[str, Any]:
    """Return what COCO says of a region, without ids."""
    box = region.box
    width, height = box.x2 - box.x1, box.y2 - box.y1
    # pycocotools makes the mask of an annotation from its polygon, and writes boxes in this order itself.
    corners = region.polygon or box_outline(box)
    row: dict[str, Any] = {
        "bbox": [whole(n) for n in (box.x1, box.y1, width, height)],
        "area": whole(_area(region.polygon) if region.polygon else width * height),
        "segmentation": [[whole(n) for corner in corners for n in corner]],
        "iscrowd": 0,
    }
    if region.score != SURE:
        row["score"] = region.score
    if region.track:
        row["track_id"] = region.track
    return row


def _area(corners: tuple[tuple[float, float], ...]) -> float:
    """Return the area of a polygon in square pixels, by the shoelace formula."""
    following = (*corners[1:], corners[0])
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(corners, following, strict=True))) / 2


def _write_table(file: ReleaseFile, name: str, rows: Iterable[object]) -> None:
    lines = b",\n".join([msgspec.json.encode(row) for row in rows])
    file.write(b'"%s": [\n%s\n],\n' % (name.encode(), lines))
