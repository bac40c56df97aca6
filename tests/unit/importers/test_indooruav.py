from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.item import Item
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Trajectory
from annotator.importers import registry
from annotator.importers.imported_record import ImportedMedium
from annotator.importers.importer import ImportContext
from annotator.importers.indooruav_text import read_episode
from annotator.importers.input_file import InputFile
from tests.unit.importers.reading import Outcome, Read, outcome

KEY = "/gibson_1/Colebrook/traj_-1/instruction.json"
VLA = "/hm3d_14/1Rg1SS1dRpG/traj_-3/vla_ins_1.json"


def read_path(path: Path, **context: Any) -> Outcome:
    file = InputFile.open(path)
    reader = registry.detect(file)
    return outcome(reader.id, reader.read(file, context=ImportContext(**context)))


def test_published_list_when_read_then_every_list_and_81_mended_texts(shared_data: Path) -> None:
    path = shared_data / "indooruav" / "test_vln_seen.json"
    result = read_path(path)
    assert (result.format, len(result.records), result.rejected, result.flags) == ("indooruav", 520, [], {})
    steps = json.loads(path.read_text(encoding="utf-8"))
    assert [item.name for item in result.records] == list(steps)
    changed = [note for item in result.records for note in item.corrections if note.field == "question"]
    mended = [note for note in changed if "GBK" in note.reason]
    stray = [note for note in changed if "backslash" in note.reason]
    assert (len(mended), len(stray), len(changed)) == (81, 6, 87)
    assert all(
        item.question.isascii() or set(item.question) - set(map(chr, range(128))) <= {"’", "‐"}
        for item in result.records
    )
    # Undone note by note, every text is as it came.
    for item in result.records:
        lines = item.question.split("\n")
        for note in reversed(item.corrections):
            lines = [
                note.original if line == note.value and note.field == "question" else line for line in lines
            ]
        assert lines == steps[item.name]


@pytest.mark.parametrize(
    ("name", "poses"),
    [
        ("_gibson_1_Albertville_traj_-1_instruction.json.json", 60),
        ("_gibson_1_Anaheim_traj_-3_vla_ins_1.json.json", 16),
    ],
)
def test_published_result_when_read_then_a_flight_of_a_model(
    shared_data: Path, name: str, poses: int
) -> None:
    path = shared_data / "indooruav" / name
    rows = json.loads(path.read_text(encoding="utf-8"))
    (flight,) = read_path(path).records
    assert isinstance(flight, Trajectory)
    assert len(flight.poses) == poses == len(rows["trajectory"])
    assert [(pose.x_m, pose.y_m, pose.z_m) for pose in flight.poses] == [
        tuple(row[:3]) for row in rows["trajectory"]
    ]
    assert flight.poses[0].yaw_deg == pytest.approx(rows["trajectory"][0][3] * 57.29577951308232)
    assert flight.name == f"{rows['episode_key']} result"
    told = {key: value for key, value in rows.items() if key not in {"episode_key", "trajectory"}}
    assert flight.metadata == {"made_by": "model", **told}


def test_list_entry_when_sound_then_every_field_is_in_its_place(read: Read) -> None:
    (entry,) = read({KEY: ["Ascend to the end", "turn left"]}).found
    item = entry.record
    assert isinstance(item, Item)
    assert (item.name, item.task_set, item.task, item.answer_format) == (
        KEY,
        "indooruav",
        "vln",
        "trajectory",
    )
    assert (item.question, item.answer_key) == ("Ascend to the end\nturn left", "/gibson_1/Colebrook/traj_-1")
    assert (item.extras, item.view) == ({"level": "instruction_goal"}, "UAV1")
    assert json.loads(bytes(item.original)) == ["Ascend to the end", "turn left"]
    frames = ImportedMedium(
        name="gibson_1/Colebrook/traj_-1/screenshots",
        path="gibson_1/Colebrook/traj_-1/screenshots",
        kind="frames",
        view="UAV1",
    )
    assert (entry.dataset, entry.line, entry.media) == ("IndoorUAV", 2, (frames,))
    assert entry.scene is not None
    assert (entry.scene.name, entry.scene.views) == ("/gibson_1/Colebrook/traj_-1", (frames,))


def test_text_when_damaged_then_mended_with_its_original(read: Read) -> None:
    text = "fly to the hallway鈥檚 end in the living \room, left閳ユ仩ide"
    result = read({KEY: [text, "the door’s frame"]})
    assert (
        result.records[0].question
        == "fly to the hallway’s end in the living room, left‐side\nthe door’s frame"
    )
    first, second = result.notes("question")
    assert first.original == text
    assert second.original == first.value
    assert second.value == "fly to the hallway’s end in the living room, left‐side"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("toward the coffee \table", "toward the coffee table"),
        ("a towel \ring", "a towel ring"),
        ("one\rtwo", "one\rtwo"),
        ("one \r\ntwo", "one \r\ntwo"),
        ("a\tb", "a\tb"),
        ("the hallway’s – “end”", "the hallway’s – “end”"),
    ],
)
def test_control_characters_when_no_stray_escape_then_kept(read: Read, text: str, kept: str) -> None:
    result = read({KEY: [text]})
    assert result.records[0].question == kept
    assert bool(result.notes("question")) == (text != kept)


def test_text_when_bytes_are_lost_then_flagged(read: Read) -> None:
    result = read({KEY: ["the hallway鈥?s end"]})
    assert result.records[0].question == "the hallway鈥?s end"
    flag = result.flag("text_damaged")
    assert (flag.severity, flag.field, flag.evidence) == (
        "warning",
        "question",
        {"texts": ["the hallway鈥?s end"]},
    )


def test_episodes_when_read_then_facts_of_their_flights(read: Read) -> None:
    result = read({VLA: {"difficulty": "medium", "action_type": ["turn", "forward"]}})
    (entry,) = result.found
    assert entry.record == Scene(
        name="/hm3d_14/1Rg1SS1dRpG/traj_-3",
        metadata={"vla_ins_1": {"difficulty": "medium", "action_type": ["turn", "forward"]}},
    )
    assert result.flags == {}


def test_facts_when_some_are_missing_then_those_that_are_there(read: Read) -> None:
    result = read({VLA: {"difficulty": "medium", "action_type": None, "note": 1}})
    assert result.records[0].metadata == {"vla_ins_1": {"difficulty": "medium", "note": 1}}
    assert result.flags == {}


@pytest.mark.parametrize(
    ("fields", "flag"),
    [
        ({"difficulty": "easy", "action_type": ["turn", "forward"]}, "difficulty_differs"),
        ({"difficulty": "hard", "action_type": ["turn", "turn", "forward"]}, "difficulty_differs"),
        ({"difficulty": "extreme", "action_type": ["turn"]}, "value_unknown"),
        ({"difficulty": "easy", "action_type": ["hover"]}, "value_unknown"),
    ],
)
def test_facts_when_they_contradict_then_flagged(read: Read, fields: dict[str, Any], flag: str) -> None:
    assert read({VLA: fields}).flags == {flag: 1}


@pytest.mark.parametrize(
    ("key", "value", "field"),
    [
        ("/a/traj_1/x.json", [], "/a/traj_1/x.json"),
        ("/a/b/traj_x/x.json", ["go"], "/a/b/traj_x/x.json"),
        (KEY, [], KEY), (KEY, [""], KEY), (KEY, 3, KEY), (KEY, [3], f"{KEY}[0]"),
        (VLA, {"difficulty": 3}, "difficulty"), (VLA, {"action_type": "turn"}, "action_type"),
        (VLA, {"action_type": [1]}, "action_type[0]"), (VLA, {"success": True, "steps": 3}, "success"),
    ],
)  # fmt: skip
def test_entry_when_it_cannot_be_taken_then_told_and_the_rest_goes_in(
    read: Read, key: str, value: object, field: str
) -> None:
    result = read({"/g/s/traj_1/a.json": ["go"], key: value, "/g/s/traj_2/a.json": ["go"]})
    assert len(result.found) == 2
    (rejected,) = result.rejected
    assert (rejected.locator, rejected.field) == ("entry 2", field)
    assert rejected.line > 1


def test_key_when_twice_then_the_second_is_told(read: Read) -> None:
    result = read(f'{{"{KEY}": ["go"],\n"{KEY}": ["stay"]}}')
    assert [item.question for item in result.records] == ["go"]
    assert [(bad.line, bad.message) for bad in result.rejected] == [(2, "The field name occurs twice.")]


def test_list_when_cut_off_then_what_is_whole_goes_in(read: Read) -> None:
    text = json.dumps({KEY: ["go"], VLA: ["stay here"]}, indent=1)
    result = read(text[:-20])
    assert [item.name for item in result.records] == [KEY]
    assert result.rejected


@pytest.fixture
def flight_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "gibson_1" / "Adrian" / "traj_1"
    folder.mkdir(parents=True)
    return folder


def test_segment_when_in_gbk_then_read_right(flight_folder: Path) -> None:
    path = flight_folder / "vla_ins_12.json"
    made = {"instruction": "fly to the hallway’s end", "source": [3, 17], "model": "x"}
    path.write_bytes(json.dumps(made, ensure_ascii=False).encode("gbk"))
    (entry,) = read_path(path).found
    item = entry.record
    assert isinstance(item, Item)
    assert (item.name, item.task, item.question) == (
        "/gibson_1/Adrian/traj_1/vla_ins_12.json",
        "vla",
        "fly to the hallway’s end",
    )
    assert (item.answer_key, item.answer_format) == (item.name, "trajectory")
    assert item.extras == {"source": [3, 17], "model": "x"}
    assert [(note.original, note.value) for note in item.corrections if not note.field] == [("GBK", "UTF-8")]
    assert entry.flags == ()


@pytest.mark.parametrize(
    ("name", "task"), [("instruction", "instruction_goal"), ("instruction_pro", "instruction_detailed")]
)
def test_instruction_file_when_read_then_the_text_is_the_key(
    flight_folder: Path, name: str, task: str
) -> None:
    path = flight_folder / f"{name}.json"
    path.write_text(json.dumps({"instruction": "Rise to the hallway鈥檚 end. Turn left."}), encoding="utf-8")
    (item,) = read_path(path).records
    assert (item.name, item.task) == (f"/gibson_1/Adrian/traj_1/{name}", task)
    assert (item.answer_format, item.answer_key) == (
        "instruction_text",
        "Rise to the hallway’s end.\nTurn left.",
    )
    assert item.question.startswith("Write ")
    assert [note.field for note in item.corrections] == ["answer_key", "answer_key", "question"]


def test_file_when_no_folder_tells_the_flight_then_taken_with_a_flag(read: Read) -> None:
    result = read({"instruction": "go", "source": [1, 2]}, name="vla_ins_1.json")
    (entry,) = result.found
    assert (entry.record.name, entry.record.answer_key, entry.scene, entry.media) == (
        "vla_ins_1",
        "",
        None,
        (),
    )
    assert result.flags == {"episode_unknown": 1}


def test_posture_when_read_then_poses_of_its_flight(flight_folder: Path) -> None:
    path = flight_folder / "posture.json"
    path.write_text("[[1.5, 2, 3, 90], [1.5, 2, 3.25, 105.5]]", encoding="utf-8")
    (entry,) = read_path(path).found
    flight = entry.record
    assert isinstance(flight, Trajectory)
    assert (flight.name, [pose.yaw_deg for pose in flight.poses]) == ("/gibson_1/Adrian/traj_1", [90, 105.5])
    assert entry.scene is not None
    assert (entry.scene.name, flight.view, flight.axes) == ("/gibson_1/Adrian/traj_1", "UAV1", "source")


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('{"episode_key": "x", "trajectory": []}', "episode_key"),
        ('{"episode_key": "/g/s/traj_1/a.json", "trajectory": [[1,2,3]]}', "trajectory[0]"),
        ('{"instruction": "go", "source": [2, 1]}', "source"),
        ('{"instruction": 3, "source": [1, 2]}', "instruction"),
        ("[[1,2,3,4], [1,2]]", "posture[1]"),
        ('{"instruction": "go", "source": [1, 2]} x', ""),
        ('{"instruction": "go", "source": [1, 2]', "source"),
    ],
)
def test_file_when_it_cannot_be_taken_then_told_why(read: Read, text: str, field: str) -> None:
    result = read(text)
    assert result.found == []
    assert [(bad.locator, bad.field) for bad in result.rejected] == [("file.json", field)]


@pytest.mark.parametrize("text", ["", "{}", "[]", "3", '{"a": 1}', "\udcff"])
def test_file_of_something_else_when_named_as_this_format_then_told(read: Read, text: str) -> None:
    result = read(text.encode("utf-8", errors="surrogateescape"), format_id="indooruav")
    assert result.found == []
    assert len(result.rejected) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"a/traj_1.json": []}',
        "[[1,2,3]]",
        "[1,2,3,4]",
        '[{"instruction": "x"}]',
        '{"instruction": "x"}',
    ],
)
def test_file_of_something_else_when_looked_at_then_not_recognised(tmp_path: Path, text: str) -> None:
    (tmp_path / "file.json").write_text(text, encoding="utf-8")
    assert not registry.get("indooruav").recognizes(InputFile.open(tmp_path / "file.json"))


def test_fields_when_mapped_then_read_under_the_names_of_the_file(read: Read) -> None:
    content = {"text": "go up", "source": [1, 2]}
    result = read(content, format_id="indooruav", name="vla_ins_1.json", mapping={"instruction": "text"})
    assert [(item.task, item.question) for item in result.records] == [("vla", "go up")]
    assert result.records[0].extras == {"source": [1, 2]}


def test_same_record_when_read_twice_then_the_same_key(read: Read) -> None:
    first, again = (read({KEY: ["go"]}).records[0] for _ in range(2))
    other = read({KEY: ["stay"]}).records[0]
    assert first.import_key == again.import_key != other.import_key


@pytest.mark.parametrize(
    ("text", "trajectory"),
    [
        ("/hm3d_14/a b/traj_-3/vla_ins_1.json", "/hm3d_14/a b/traj_-3"),
        ("/data/x/gibson_1/Adrian/traj_1/posture.json", "/gibson_1/Adrian/traj_1"),
        ("../x/traj_1/a.json", None),
        ("a\0/x/traj_1/a.json", None),
        ("/gibs:n_1/Adrian/traj_-1/vla_ins_2.json", None),
        (" g/s/traj_1/a.json", None),
        ("g/s/traj_/a.json", None),
        ("g/s/traj_1/a.txt", None),
        ("x" * 600 + "/s/traj_1/a.json", None),
    ],
)
def test_episode_when_a_path_is_read_then_its_flight_or_nothing(text: str, trajectory: str | None) -> None:
    episode = read_episode(text)
    assert (episode.trajectory if episode else None) == trajectory
