from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.item import Item
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Trajectory
from annotator.importers import registry
from annotator.importers.importer import FileImporter, FolderImporter, ImportContext
from annotator.importers.input_folder import InputFolder
from tests.unit.importers.reading import Outcome, outcome

POSES = [[0.0, 0.0, 1.0, 90.0], [0.0, 0.9, 1.0, 90.0], [0.0, 0.9, 1.0, 105.0], [0.5, 0.9, 1.0, 105.0]]
ACTIONS = [
    {"frame": n + 1, "actions": {name: 1}}
    for n, name in enumerate(("fly_forward", "turn_left", "fly_right", "stop"))
]
FLIGHT = "/gibson_1/Adrian/traj_-1"


def write(root: Path, files: dict[str, Any], *, encoding: str = "utf-8") -> Path:
    for name, value in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        path.write_bytes(text.encode(encoding))
    return root


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Lay a dataset out as the evaluation scripts do: segments below a root of their own."""
    flight = f"without_screenshot{FLIGHT}"
    root = tmp_path / "Indoor_UAV"
    write(root, {
        f"{flight}/posture.json": POSES,
        f"{flight}/real_action.json": {"frame": ACTIONS},
        f"{flight}/key_frames.json": [1, 3],
        f"{flight}/annotation.json": {"x": 1},
        f"{flight}/saved_transformations/1.txt": "1 0 0 0",
        "test_vla.json": {f"{FLIGHT}/vla_ins_2.json": {"difficulty": "easy", "action_type": ["turn"]}},
        "test_vln_seen.json": {f"{FLIGHT}/instruction.json": ["rise", "go on"]},
        "package.json": {"name": "something else"},
        "README.md": "x",
    })  # fmt: skip
    return write(root, {
        f"{flight}/instruction.json": {"instruction": "Go to the bed’s end."},
        f"{flight}/instruction_pro.json": {"instruction": "Rise. Then go to the bed’s end."},
        f"vla_ins{FLIGHT}/vla_ins_10.json": {"instruction": "go right", "source": [3, 4]},
        f"vla_ins{FLIGHT}/vla_ins_2.json": {"instruction": "turn to the bed’s end", "source": [2, 3]},
    }, encoding="gbk")  # fmt: skip


def read_folder(path: Path, **context: Any) -> Outcome:
    reader = registry.get("indooruav-folder")
    assert isinstance(reader, FolderImporter)
    folder = InputFolder.open(path)
    assert reader.recognizes(folder)
    return outcome(reader.id, reader.read(folder, context=ImportContext(**context)))


def test_dataset_when_read_then_flights_segments_items_and_facts(dataset: Path) -> None:
    result = read_folder(dataset)
    assert (result.rejected, result.flags) == ([], {})
    assert [type(record).__name__ + " " + record.name for record in result.records] == [
        f"Scene {FLIGHT}",
        f"Item {FLIGHT}/instruction.json",
        f"Trajectory {FLIGHT}",
        f"Item {FLIGHT}/instruction",
        f"Item {FLIGHT}/instruction_pro",
        f"Item {FLIGHT}/vla_ins_2.json",
        f"Trajectory {FLIGHT}/vla_ins_2.json",
        f"Item {FLIGHT}/vla_ins_10.json",
        f"Trajectory {FLIGHT}/vla_ins_10.json",
    ]
    tasks = [record.task for record in result.records if isinstance(record, Item)]
    assert tasks == ["vln", "instruction_goal", "instruction_detailed", "vla", "vla"]
    assert isinstance(result.records[0], Scene)
    assert {entry.scene.name for entry in result.found if entry.scene} == {FLIGHT}
    assert (
        len({entry.record.import_key for entry in result.found if not isinstance(entry.record, Scene)}) == 8
    )


def test_flight_when_read_then_poses_actions_and_key_frames(dataset: Path) -> None:
    flight = next(record for record in read_folder(dataset).records if isinstance(record, Trajectory))
    assert [list(map(float, (p.x_m, p.y_m, p.z_m, p.yaw_deg))) for p in flight.poses] == POSES
    assert flight.actions == ("fly_forward", "turn_left", "fly_right")
    assert flight.key_frames == (0, 2)
    assert flight.instruction_goal == "Go to the bed’s end."
    assert flight.instruction_detailed == "Rise.\nThen go to the bed’s end."
    assert flight.locator == f"without_screenshot{FLIGHT}/posture.json"


def test_segment_when_read_then_its_part_of_the_flight_with_the_facts_of_the_list(dataset: Path) -> None:
    records = {(type(record), record.name): record for record in read_folder(dataset).records}
    segment = records[Trajectory, f"{FLIGHT}/vla_ins_2.json"]
    assert [pose.yaw_deg for pose in segment.poses] == [90.0, 105.0]
    assert segment.actions == ("turn_left",)
    assert segment.metadata == {"difficulty": "easy", "action_type": ["turn"], "source": [2, 3]}
    item = records[Item, f"{FLIGHT}/vla_ins_2.json"]
    assert (item.question, item.answer_key) == ("turn to the bed’s end", segment.name)
    assert records[Trajectory, f"{FLIGHT}/vla_ins_10.json"].metadata == {"source": [3, 4]}


def test_flight_when_alone_then_its_folders_tell_which(dataset: Path) -> None:
    result = read_folder(dataset / f"without_screenshot{FLIGHT}")
    assert [record.name for record in result.records] == [
        FLIGHT,
        f"{FLIGHT}/instruction",
        f"{FLIGHT}/instruction_pro",
    ]


def test_archive_when_read_then_the_same_records(dataset: Path, tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(dataset.rglob("*.json")):
            archive.write(file, file.relative_to(dataset).as_posix())
    packed, plain = read_folder(path), read_folder(dataset)
    assert packed.records == plain.records


def test_segment_when_it_leaves_the_flight_then_told(dataset: Path) -> None:
    write(dataset, {f"vla_ins{FLIGHT}/vla_ins_3.json": {"instruction": "go", "source": [4, 5]}})
    result = read_folder(dataset)
    (rejected,) = result.rejected
    assert (rejected.locator, rejected.field) == (f"vla_ins{FLIGHT}/vla_ins_3.json", "source")
    assert len(result.records) == 9


def test_flight_when_its_poses_are_broken_then_segments_come_as_items_alone(dataset: Path) -> None:
    write(dataset, {f"without_screenshot{FLIGHT}/posture.json": [[1, 2, 3]]})
    result = read_folder(dataset)
    assert [bad.field for bad in result.rejected] == ["posture[0]"]
    assert not any(isinstance(record, Trajectory) for record in result.records)
    assert sum(isinstance(record, Item) for record in result.records) == 5


@pytest.mark.parametrize(
    ("name", "value", "field"),
    [
        ("real_action", {"frame": ACTIONS[:2]}, "frame"),
        ("real_action", [], "frame"),
        ("key_frames", [0], "key_frames"),
        ("key_frames", "[1,", ""),
    ],
)
def test_part_of_a_flight_when_it_does_not_fit_then_told_and_the_flight_goes_in(
    dataset: Path, name: str, value: object, field: str
) -> None:
    write(dataset, {f"without_screenshot{FLIGHT}/{name}.json": value})
    result = read_folder(dataset)
    assert [(bad.locator, bad.field) for bad in result.rejected] == [
        (f"without_screenshot{FLIGHT}/{name}.json", field)
    ]
    assert any(record.name == FLIGHT and isinstance(record, Trajectory) for record in result.records)


def test_folder_when_of_something_else_then_not_recognised(tmp_path: Path) -> None:
    write(tmp_path, {"a/posture.txt": "x", "b/instruction.json": "{}", "posture.json": "[]"})
    assert not registry.get("indooruav-folder").recognizes(InputFolder.open(tmp_path))  # type: ignore[arg-type]


def test_item_when_it_came_alone_before_then_the_same_key(dataset: Path) -> None:
    from annotator.importers.input_file import InputFile

    path = dataset / f"vla_ins{FLIGHT}" / "vla_ins_2.json"
    reader = registry.get("indooruav")
    assert isinstance(reader, FileImporter)
    (alone,) = outcome("x", reader.read(InputFile.open(path), context=ImportContext())).records
    keys = [record.import_key for record in read_folder(dataset).records if isinstance(record, Item)]
    assert alone.import_key in keys
