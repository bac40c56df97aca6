from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotator.domain.trajectory import Quaternion
from annotator.importers import registry
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from tests.unit.importers.made import AIRSIM, AIRSIM_POSES
from tests.unit.importers.reading import Read, outcome


def test_recording_when_of_two_vehicles_then_a_trajectory_each(read: Read) -> None:
    found = read(AIRSIM, name="flight.txt")
    assert found.format == "airsim"
    first, second = found.records
    assert (first.view, second.view, first.axes) == ("Drone1", "Drone2", "north-east-down")
    assert [(pose.x_m, pose.z_m) for pose in first.poses] == [(0, -10), (1.5, -10)]
    assert first.poses[1].yaw_deg == pytest.approx(90)
    assert first.orientations[0] == Quaternion(w=1, x=0, y=0, z=0)
    assert first.times_s == (0, 0.5)
    assert first.metadata == {"images": ["img_a_0.png", "img_a_2.png"]}
    assert len(json.loads(bytes(first.original))) == 2


def test_recording_when_named_as_all_are_then_by_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "2024-01-02-10-00-00"
    folder.mkdir()
    (folder / "airsim_rec.txt").write_text(AIRSIM, encoding="utf-8")
    file = InputFile.open(folder / "airsim_rec.txt")
    reader = registry.detect(file)
    assert isinstance(reader, FileImporter)
    found = outcome("airsim", reader.read(file, context=ImportContext())).found[0]
    assert found.scene is not None
    assert found.scene.name == "2024-01-02-10-00-00"
    medium = found.scene.views[0]
    assert (medium.path, medium.kind, medium.view) == ("2024-01-02-10-00-00/images", "frames", "Drone1")


@pytest.mark.parametrize(("cell", "field"), [("nan", "POS_X"), ("x", "POS_X"), ("1e308", "POS_X")])
def test_row_when_a_number_is_none_then_told_and_the_rest_is_taken(read: Read, cell: str, field: str) -> None:
    found = read(AIRSIM.replace("\t5\t", f"\t{cell}\t"), name="flight.txt")
    assert [(entry.line, entry.field) for entry in found.rejected] == [(3, field)]
    assert [record.view for record in found.records] == ["Drone1"]


def test_row_when_cut_off_then_told_what_is_missing(read: Read) -> None:
    found = read(AIRSIM[: AIRSIM.rindex("\t0\t0\t0.70")], name="flight.txt")
    assert found.rejected[0].field == "Q_X"
    assert len(found.records[0].poses) == 1


def test_columns_when_named_otherwise_then_mapped(read: Read) -> None:
    text = AIRSIM.replace("POS_X", "X").replace("TimeStamp\tX", "TimeStamp\tX")
    mapped = read(text, name="flight.txt", format_id="airsim", mapping={"POS_X": "X"})
    assert mapped.records[0].poses[1].x_m == 1.5
    assert read(text, name="flight.txt", format_id="airsim").rejected[0].field == "POS_X"


def test_poses_when_json_of_the_api_then_of_length_one_with_a_note(read: Read) -> None:
    found = read(AIRSIM_POSES, name="poses.json")
    assert found.format == "airsim"
    assert found.records[0].orientations == (Quaternion(w=1, x=0, y=0, z=0),)
    assert found.notes("orientations")[0].original == [2, 0, 0, 0]
    assert found.records[0].times_s == (0,)


def test_settings_when_vehicles_have_places_then_where_they_start(read: Read) -> None:
    settings = {
        "SettingsVersion": 1.2,
        "Vehicles": {"D1": {"VehicleType": "SimpleFlight", "X": 4, "Y": 0, "Z": -2, "Yaw": 90}},
    }
    found = read(settings, name="settings.json")
    assert found.records[0].view == "D1"
    assert found.records[0].poses[0].yaw_deg == pytest.approx(90)
    assert found.records[0].poses[0].x_m == 4
