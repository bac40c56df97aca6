from __future__ import annotations

import json
import math
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.region import Box
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Trajectory
from annotator.importers import registry
from annotator.importers.importer import FolderImporter, ImportContext
from annotator.importers.input_folder import InputFolder
from tests.unit.importers.made import NUSCENES, nuscenes_folder
from tests.unit.importers.reading import Outcome, Read, outcome

Tables = dict[str, list[dict[str, Any]]]


def read_folder(folder: Path, tables: Tables) -> Outcome:
    reader = registry.get("nuscenes")
    assert isinstance(reader, FolderImporter)
    opened = InputFolder.open(nuscenes_folder(folder, tables))
    assert registry.detect_folder_importers(opened) == [reader]
    return outcome("nuscenes", reader.read(opened, context=ImportContext()))


def changed(table: str, row: int, **fields: Any) -> Tables:
    tables = deepcopy(NUSCENES)
    tables[table][row].update(fields)
    return tables


def test_boxes_when_seen_by_two_cameras_then_a_region_in_each_with_one_identity(tmp_path: Path) -> None:
    read = read_folder(tmp_path, NUSCENES)
    first, second = (found for found in read.found if found.record.__class__.__name__ == "Region")
    # A flat box of 4 x 2 m about (1, 0), 10 m below: 10 pixels a metre; +x is to the right, +y is up.
    assert first.record.box == Box(x1=90, y1=40, x2=130, y2=60)
    assert second.record.box == Box(x1=70, y1=40, x2=110, y2=60)
    assert (first.identity, second.identity, first.record.track) == ("i1", "i1", "i1")
    assert first.record.category == "car"
    assert first.scene == second.scene
    assert first.scene is not None
    assert first.scene.name == "town 1000000"
    assert [medium.view for medium in first.scene.views] == ["UAV1", "UAV2"]
    assert first.media[0].path == "samples/UAV1/1.jpg"
    assert json.loads(bytes(first.record.original))["size"] == [2, 4, 0]


def test_boxes_when_no_picture_shows_them_then_told(tmp_path: Path) -> None:
    told = read_folder(tmp_path, NUSCENES).rejected
    assert [(entry.locator, entry.field) for entry in told] == [("sample_annotation 2", "translation")]


def test_box_when_it_reaches_behind_the_camera_then_its_part_before_it_is_outlined(tmp_path: Path) -> None:
    tables = changed("sample_annotation", 0, translation=[1, 0, 5], size=[2, 4, 20])
    box = read_folder(tmp_path, tables).records[0].box
    # It surrounds the camera's axis near and far, so that it fills the picture.
    assert box == Box(x1=0, y1=0, x2=200, y2=100)


def test_poses_when_told_then_a_trajectory_per_camera(tmp_path: Path) -> None:
    flights = [record for record in read_folder(tmp_path, NUSCENES).records if isinstance(record, Trajectory)]
    assert [(flight.view, flight.name, flight.axes) for flight in flights] == [
        ("UAV1", "town UAV1", "east-north-up"),
        ("UAV2", "town UAV2", "east-north-up"),
    ]
    pose, intrinsics = flights[1].poses[0], flights[1].intrinsics
    assert (pose.x_m, pose.y_m, pose.z_m, pose.yaw_deg) == (2, 0, 10, 0)
    assert intrinsics is not None
    assert (intrinsics.fx, intrinsics.cx, intrinsics.width_px) == (100, 100, 200)
    assert flights[0].orientations[0].x == 1


def test_heading_when_the_vehicle_is_turned_then_of_the_vehicle(tmp_path: Path) -> None:
    half = math.sqrt(0.5)
    read = read_folder(tmp_path, changed("ego_pose", 0, rotation=[half, 0, 0, half]))
    flight = next(record for record in read.records if isinstance(record, Trajectory))
    assert flight.poses[0].yaw_deg == pytest.approx(90)


@pytest.mark.parametrize(
    ("table", "field", "value"),
    [("ego_pose", "rotation", [0, 0, 0, 0]), ("ego_pose", "translation", [1e308, 0, 0]),
     ("calibrated_sensor", "camera_intrinsic", [[1, 2], [3]]), ("sample_annotation", "size", [1, -2, 3]),
     ("sample_annotation", "instance_token", None), ("sample_data", "sample_token", 7)],
)  # fmt: skip
def test_row_when_it_cannot_be_taken_then_told_and_the_rest_goes_on(
    tmp_path: Path, table: str, field: str, value: object
) -> None:
    read = read_folder(tmp_path, changed(table, 0, **{field: value}))
    assert (field, True) in [(entry.field, entry.locator.startswith(table)) for entry in read.rejected]
    assert read.found


def test_boxes_when_in_one_file_without_cameras_then_facts_of_their_sample(read: Read) -> None:
    outcome = read(NUSCENES["sample_annotation"])
    assert outcome.format == "nuscenes-boxes"
    assert outcome.records == [Scene(name="p1", metadata={"boxes_3d": NUSCENES["sample_annotation"]})]


def test_boxes_when_2d_then_regions(read: Read) -> None:
    outcome = read(
        [{"bbox_corners": [1, 2, 3, 4], "filename": "samples/CAM/1.jpg", "category_name": "car",
          "instance_token": "i1", "sample_data_token": "d1"}]
    )  # fmt: skip
    assert outcome.records[0].box == Box(x1=1, y1=2, x2=3, y2=4)
    assert (outcome.records[0].track, outcome.found[0].identity) == ("i1", "")
    assert outcome.found[0].media[0].path == "samples/CAM/1.jpg"
