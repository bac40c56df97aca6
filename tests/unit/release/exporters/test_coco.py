from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.commands.imports import ImportFiles
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region, RegionDepth
from annotator.errors import UserError
from annotator.release.manifest import verify_release
from annotator.session import Session
from tests.unit.release.samples import CLIP, PLACES, SCENE, UAV1, UAV2, fill, release

BOX = Box(x1=0.1, y1=10, x2=100.7, y2=20.30000001)
DATASET = "Real_2_UAVs"
FILE = Path("annotations") / f"instances_{DATASET}.json"
FIELDS = (
    "number", "box", "polygon", "frame", "category", "score", "made_by", "track", "visible", "state",
    "is_abnormal", "is_locked", "is_room", "height_m", "depth",
)  # fmt: skip


def region(**fields: Any) -> Region:
    sound: dict[str, Any] = {"id": new_id(), "medium": UAV1.id, "number": 0, "box": BOX, "category": "car"}
    return Region(**(sound | fields))


CORNERS = ((0.1, 10.0), (100.7, 10.0), (50.0, 20.30000001))
REGIONS = (
    region(
        number=3, depth=RegionDepth(median=4, p10=3, p90=5, valid=1, is_metric=True, box=BOX, made_by="m")
    ),
    region(number=1, polygon=CORNERS, category="", score=0.5, made_by="detector 1", is_abnormal=True),
    region(
        medium=UAV2.id, number=7, category="bus", track="t1", visible=0.25, state="occluded", is_locked=True
    ),
    region(medium=UAV2.id, number=0, box=Box(x1=5, y1=5, x2=5, y2=5)),
    region(medium=CLIP.id, number=2, frame=12, track="t1"),
    region(medium=CLIP.id, number=2, frame=200_000, track="t1"),
)
LINKS = (
    Link(id=new_id(), scene=SCENE.id, regions=(REGIONS[2].id, REGIONS[0].id)),
    Link(id=new_id(), scene=SCENE.id, regions=(REGIONS[3].id, REGIONS[1].id), kind="occludes"),
)


def fill_regions(session: Session, *, width_px: int = 0, height_px: int = 0) -> None:
    sizes = {"width_px": width_px, "height_px": height_px}
    media = [msgspec.structs.replace(medium, **sizes) for medium in (UAV1, UAV2)]
    fill(session, *REGIONS, *LINKS, positions=(*media, *PLACES[2:]))


def told(session: Session) -> tuple[list[Any], list[Any]]:
    """Return regions and links of a project, without ids, with the names of the media."""
    reader = session.reader
    names: dict[str, Any] = {medium.id: (medium.name, medium.media_type) for medium in reader.records(Medium)}
    regions = list(reader.records(Region))
    keys = {r.id: (names[r.medium], r.number) for r in regions}
    rows = [(names[r.medium], *(getattr(r, name) for name in FIELDS)) for r in regions]
    links = [(link.kind, [keys[part] for part in link.regions]) for link in reader.records(Link)]
    return sorted(rows, key=repr), sorted(links, key=repr)


def test_release_when_regions_have_everything_then_all_comes_back(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill_regions(session)
        release(session, tmp_path / "out", "coco")
        before = told(session)
    assert verify_release(tmp_path / "out") == []
    names = ["instances_Real_2_UAVs.json", "instances_UrbanVideo-Bench.json"]
    with Session.create(tmp_path / "again.vantage") as session:
        for name in names:
            dataset = name.removeprefix("instances_").removesuffix(".json")
            session.execute(
                ImportFiles(paths=(tmp_path / "out" / "annotations" / name,), dataset=dataset)
            ).result()
        release(session, tmp_path / "again", "coco")
        after = told(session)
    assert after == before
    for name in names:
        assert (tmp_path / "again" / "annotations" / name).read_bytes() == (
            tmp_path / "out" / "annotations" / name
        ).read_bytes()


def test_release_when_read_by_the_rules_of_coco_then_ids_and_areas_fit(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill_regions(session, width_px=1920, height_px=1080)
        release(session, tmp_path / "out", "coco")
    data = json.loads((tmp_path / "out" / FILE).read_bytes())
    assert {(row["width"], row["height"]) for row in data["images"]} == {(1920, 1080)}
    images = {row["id"]: row["file_name"] for row in data["images"]}
    categories = {row["id"]: row["name"] for row in data["categories"]}
    assert list(categories.values()) == ["bus", "car", "unlabelled"]
    rows = [(images[row["image_id"]], categories[row["category_id"]]) for row in data["annotations"]]
    assert rows == [(UAV1.name, "car"), (UAV1.name, "unlabelled"), (UAV2.name, "bus"), (UAV2.name, "car")]
    assert [row["id"] for row in data["annotations"]] == [1, 2, 3, 4]
    first, second = data["annotations"][:2]
    assert first["bbox"] == pytest.approx([0.1, 10, 100.6, 10.30000001])
    assert first["area"] == pytest.approx(100.6 * 10.30000001)
    # A triangle has half the area of the box around it.
    assert second["area"] == pytest.approx(first["area"] / 2)
    assert second["segmentation"] == [[0.1, 10, 100.7, 10, 50, 20.30000001]]
    # A box has its outline, from which masks are made.
    outline = [0.1, 10, 0.1, 20.30000001, 100.7, 20.30000001, 100.7, 10]
    assert (first["segmentation"], first["vantage"]["is_outline"]) == ([outline], True)


def test_release_when_a_region_is_on_a_map_then_it_comes_back(tmp_path: Path) -> None:
    top_view = Medium(id=new_id(), name="maps/flat.png", path="maps/flat.png", media_type="map")
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, region(medium=top_view.id, is_room=True), positions=(*PLACES, top_view))
        release(session, tmp_path / "out", "coco")
        before = told(session)
    with Session.create(tmp_path / "again.vantage") as session:
        session.execute(
            ImportFiles(paths=(tmp_path / "out" / "annotations" / "instances_default.json",))
        ).result()
        assert told(session) == before


def test_import_when_another_program_drew_a_polygon_for_a_box_then_it_counts(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill_regions(session)
        release(session, tmp_path / "out", "coco")
    data = json.loads((tmp_path / "out" / FILE).read_bytes())
    data["annotations"][0]["segmentation"] = [[1, 1, 5, 1, 5, 5, 2, 6]]
    (tmp_path / "edited.json").write_text(json.dumps(data), encoding="utf-8")
    with Session.create(tmp_path / "again.vantage") as session:
        session.execute(ImportFiles(paths=(tmp_path / "edited.json",), dataset=DATASET)).result()
        polygons = {r.number: len(r.polygon) for r in session.reader.records(Region)}
    assert polygons == {3: 4, 1: 3, 7: 0, 0: 0}


def test_import_when_another_program_moved_a_box_then_its_box_counts(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill_regions(session)
        release(session, tmp_path / "out", "coco")
    data = json.loads((tmp_path / "out" / FILE).read_bytes())
    data["annotations"][0]["bbox"] = [1, 2, 30, 40]
    data["annotations"][1]["vantage"] = {"number": "x"}
    (tmp_path / "edited.json").write_text(json.dumps(data), encoding="utf-8")
    with Session.create(tmp_path / "again.vantage") as session:
        command = ImportFiles(paths=(tmp_path / "edited.json",), dataset=DATASET)
        session.execute(command).result()
        boxes = {(r.number, r.category): r.box for r in session.reader.records(Region)}
    assert boxes[3, "car"] == Box(x1=1, y1=2, x2=31, y2=42)
    assert command.report is not None
    assert [(issue.locator, issue.field) for issue in command.report.files[0].rejections] == [
        ("annotations 2", "vantage")
    ]


def test_release_when_items_are_selected_then_it_says_that_regions_know_nothing_of_them(
    tmp_path: Path,
) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill_regions(session)
        with pytest.raises(UserError, match="contains regions"):
            release(session, tmp_path / "out", "coco", selection=ItemQuery(tasks=("x",)))


def test_release_when_an_image_has_no_plain_name_then_its_region_is_withheld(tmp_path: Path) -> None:
    odd = Medium(id=new_id(), name="../a.jpg")
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, region(), region(medium=odd.id), region(is_proposed=True), positions=(*PLACES, odd))
        report = release(session, tmp_path / "out", "coco")
    assert (report.manifest.records, report.manifest.withheld.reasons) == (1, {"format:media": 1})
