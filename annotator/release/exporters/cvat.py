"""The form of CVAT: per dataset the images with their shapes, links as an attribute of the shapes.

Source: CVAT's documentation, "CVAT for image 1.1".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

import msgspec

from annotator.domain.medium import Medium
from annotator.domain.region import Region
from annotator.domain.region_attributes import MEMBER, ImageAttributes, RegionAttributes
from annotator.release.exporter import Exporter, ExportInput, ExportResult, refusal_of
from annotator.release.exporters.coco import UNLABELLED
from annotator.release.json_sheet import file_stem, whole
from annotator.release.media_names import release_path
from annotator.release.release_filter import WithholdReason
from annotator.release.release_folder import ReleaseFolder
from annotator.release.released_regions import ReleasedRegions

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n  <version>1.1</version>\n'
META = """\
  <meta>
    <task>
      <name>{name}</name>
      <size>{images}</size>
      <mode>annotation</mode>
      <overlap>0</overlap>
      <labels>
{labels}      </labels>
    </task>
  </meta>
"""
LABEL = f"""\
        <label>
          <name>{{name}}</name>
          <attributes>
            <attribute>
              <name>{MEMBER}</name>
              <mutable>False</mutable>
              <input_type>text</input_type>
              <default_value></default_value>
              <values></values>
            </attribute>
          </attributes>
        </label>
"""

# XML 1.0 has no escape for these characters.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


_Pictures = dict[str, tuple[Medium, list[Region]]]
"""The images of a dataset with their regions, by the id of the medium."""


class CvatExporter(Exporter):
    """Boxes and polygons of images in the shape of CVAT's XML."""

    id = "cvat"
    title = "CVAT boxes, polygons and links (XML)"
    files = "per dataset DATASET_annotations.xml: CVAT for images 1.1, with the attribute vantage"
    limits = "Contains confirmed regions of a known image, with their links in the scene of the image."
    holds_items = False

    def size(self, counts: Mapping[str, int], *, items: int) -> int:  # noqa: ARG002 - as the base says
        """Return the number of regions."""
        return counts["region"]

    def write(self, material: ExportInput, *, folder: ReleaseFolder) -> ExportResult:
        """Write the file of each dataset, image by image."""
        regions = ReleasedRegions(material, export_format=self.id, refusal=_refusal)
        images: dict[str, _Pictures] = {}
        for region, medium in regions:
            _, shown = images.setdefault(medium.dataset, {}).setdefault(medium.id, (medium, []))
            shown.append(region)
        for dataset, pictures in images.items():
            file = folder.file(f"{file_stem(dataset)}_annotations.xml" if dataset else "annotations.xml")
            file.write(f"{HEAD}{_meta(dataset, pictures)}".encode())
            for number, (medium, shown) in enumerate(pictures.values()):
                shapes = [_shape(region, medium, regions=regions) for region in shown]
                body = f'  <image id="{number}" {_image_head(medium)}>\n{"".join(shapes)}  </image>\n'
                file.write(body.encode(), records=len(shapes))
            file.write(b"</annotations>\n")
        return regions.result


def shape_of(region: Region, *, image: ImageAttributes, own: RegionAttributes) -> str:
    """Return the element of a region."""
    label = quoteattr(region.category or UNLABELLED)
    is_hidden = region.state == "occluded" or (region.visible is not None and region.visible < 1)
    head = f'label={label} source="manual" occluded="{int(is_hidden)}"'
    if region.polygon:
        kind = "polygon"
        points = ";".join(f"{whole(x)},{whole(y)}" for x, y in region.polygon)
        geometry = f'points="{points}"'
    else:
        kind, box = "box", region.box
        sides = {"xtl": box.x1, "ytl": box.y1, "xbr": box.x2, "ybr": box.y2}
        geometry = " ".join(f'{name}="{whole(value)}"' for name, value in sides.items())
    more = msgspec.structs.replace(own, score=region.score, track=region.track)
    # ``json`` writes ASCII alone, so that no character is left that XML cannot hold.
    told = json.dumps(msgspec.to_builtins({"image": image, "region": more}), separators=(",", ":"))
    attribute = f'<attribute name="{MEMBER}">{escape(told)}</attribute>'
    return f'    <{kind} {head} {geometry} z_order="0">{attribute}</{kind}>\n'


def _meta(dataset: str, pictures: _Pictures) -> str:
    """Return the description of the task, without which readers do not know the labels."""
    names = sorted({region.category or UNLABELLED for _, shown in pictures.values() for region in shown})
    labels = "".join(LABEL.format(name=escape(name)) for name in names)
    # A dataset without XML characters only, as labels are.
    return META.format(name=escape(_NOT_XML.sub("", dataset)), images=len(pictures), labels=labels)


def _shape(region: Region, medium: Medium, *, regions: ReleasedRegions) -> str:
    image = regions.image_attributes(region, medium)
    return shape_of(region, image=image, own=regions.attributes(region))


def _image_head(medium: Medium) -> str:
    size = f'width="{medium.width_px}" height="{medium.height_px}"'
    return f"name={quoteattr(release_path(medium))} {size}"


def _refusal(region: Region, medium: Medium) -> WithholdReason | None:
    if region.frame is not None:
        return refusal_of("frame", "The region is in a frame of a video; the format is for images.")
    if _NOT_XML.search(f"{region.category}{release_path(medium)}"):
        return refusal_of("text", "The category or the path contains a character that XML does not allow.")
    return None
