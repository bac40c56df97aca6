from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec

from annotator.commands.imports import ImportFiles
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.release.manifest import verify_release
from annotator.session import Session
from tests.unit.release.exporters.test_coco import CORNERS, DATASET, LINKS, REGIONS, region, told
from tests.unit.release.samples import PLACES, UAV1, UAV2, fill, release

STILLS = REGIONS[:4]
FILE = f"{DATASET}_annotations.xml"


def test_release_when_regions_have_everything_then_all_comes_back(tmp_path: Path) -> None:
    more = region(medium=UAV1.id, number=5, box=Box(x1=1e-7, y1=0, x2=3, y2=2), category='<"第"> & \n')
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *STILLS, more, *LINKS)
        release(session, tmp_path / "out", "cvat")
        before = told(session)
    assert verify_release(tmp_path / "out") == []
    with Session.create(tmp_path / "again.vantage") as session:
        session.execute(ImportFiles(paths=(tmp_path / "out" / FILE,), dataset=DATASET)).result()
        release(session, tmp_path / "again", "cvat")
        after = told(session)
    assert after == before
    assert (tmp_path / "again" / FILE).read_bytes() == (tmp_path / "out" / FILE).read_bytes()


def test_release_when_read_as_cvat_for_images_then_shapes_stand_in_their_images(tmp_path: Path) -> None:
    media = [msgspec.structs.replace(medium, width_px=1920, height_px=1080) for medium in (UAV1, UAV2)]
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *STILLS, positions=(*media, *PLACES[2:]))
        release(session, tmp_path / "out", "cvat")
    root = ET.parse(tmp_path / "out" / FILE).getroot()
    assert (root.tag, root.findtext("version")) == ("annotations", "1.1")
    assert [dict(image.attrib) for image in root.iter("image")] == [
        {"id": str(number), "name": medium.name, "width": "1920", "height": "1080"}
        for number, medium in enumerate((UAV1, UAV2))
    ]
    (task,) = root.iterfind("meta/task")
    assert (task.findtext("name"), task.findtext("size")) == (DATASET, "2")
    labels = [(one.findtext("name"), one.findtext("attributes/attribute/name")) for one in task.iter("label")]
    assert labels == [(name, "vantage") for name in ("bus", "car", "unlabelled")]
    first, second = root.iter("image")
    assert [(shape.tag, shape.get("label")) for shape in first] == [("box", "car"), ("polygon", "unlabelled")]
    assert [first[0].get(name) for name in ("xtl", "ytl", "xbr", "ybr")] == [
        "0.1",
        "10",
        "100.7",
        "20.30000001",
    ]
    assert first[1].get("points") == ";".join(f"{x:g},{y:.10g}" for x, y in CORNERS)
    assert [shape.get("occluded") for shape in second] == ["1", "0"]


def test_release_when_a_region_is_in_a_video_or_no_text_for_xml_then_it_is_withheld(tmp_path: Path) -> None:
    odd = Medium(id=new_id(), name="a\x01.jpg")
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *REGIONS, region(medium=odd.id), positions=(*PLACES, odd))
        report = release(session, tmp_path / "out", "cvat")
    assert report.manifest.withheld.reasons == {"format:frame": 2, "format:text": 1}
    assert report.manifest.records == len(STILLS)


def test_import_when_another_program_moved_a_box_then_its_box_counts(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, STILLS[0])
        release(session, tmp_path / "out", "cvat")
    text = (tmp_path / "out" / FILE).read_text(encoding="utf-8").replace('xtl="0.1"', 'xtl="7"')
    (tmp_path / "edited.xml").write_text(text, encoding="utf-8")
    with Session.create(tmp_path / "again.vantage") as session:
        session.execute(ImportFiles(paths=(tmp_path / "edited.xml",), dataset=DATASET)).result()
        (found,) = session.reader.records(Region)
    assert (found.number, found.box.x1) == (3, 7)
