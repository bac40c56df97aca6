from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.commands.imports import ImportFiles
from annotator.domain.item import Item
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Trajectory
from annotator.errors import UserError
from annotator.release.exporters.indooruav import IndoorUavExporter
from annotator.release.manifest import verify_release
from annotator.session import Session
from tests.unit.release.samples import aircop_item, fill, lookup_of, release

FLIGHT = "/gibson_1/Adrian/traj_-1"
POSES = [[0, 0, 1.0, 90], [0, 0.9, 1.0, 90], [0, 0.9, 1.0, 105.5], [0.5, 0.9, 1.0, 105]]
SOURCE: dict[str, Any] = {
    f"gibson_1/Adrian/traj_-1/{name}": value
    for name, value in {
        "posture.json": POSES,
        "real_action.json": {
            "frame": [
                {"frame": 1, "actions": {"fly_forward": 1}},
                {"frame": 2, "actions": {"turn_left": 1, "rise": 1}},
                {"frame": 3, "actions": {}},
            ]
        },
        "key_frames.json": [1, 3],
        "instruction.json": {"instruction": "Go to the bed’s end.", "model": "x"},
        "instruction_pro.json": {"instruction": "Rise.\nThen go to the bed’s end."},
        "vla_ins_2.json": {"instruction": "turn to the bed’s end", "source": [2, 3]},
        "vla_ins_10.json": {"instruction": ["go", "right"], "source": [3, 4], "note": [1, None]},
    }.items()
} | {
    "test_vla.json": {f"{FLIGHT}/vla_ins_2.json": {"difficulty": "easy", "action_type": ["turn"]}},
    "test_vln_seen.json": {f"{FLIGHT}/instruction.json": ["rise", "go on"], "/g/s/traj_1/x.json": ["é"]},
}


def _item(**fields: Any) -> Item:
    sound: dict[str, Any] = {
        "name": f"{FLIGHT}/vla_ins_1.json",
        "task_set": "indooruav",
        "task": "vla",
        "question": "Turn left.",
        "options": (),
        "answer_format": "trajectory",
        "answer_key": f"{FLIGHT}/vla_ins_1.json",
        "extras": {"source": [1, 2]},
    }
    return aircop_item(**(sound | fields))


def _imported(source: Path, project: Path, **order: Any) -> tuple[Path, list[str]]:
    """Import a folder, release it beside the project, and return the release with what was imported."""
    with Session.create(project) as session:
        session.execute(ImportFiles(paths=(source,))).result()
        release(session, project.parent / "out", "indooruav", include_flagged=True, **order)
        flights = [
            f"{t.name} {t.poses} {t.actions} {t.key_frames} {t.metadata} "
            f"{t.instruction_goal} {t.instruction_detailed}"
            for t in session.reader.records(Trajectory)
        ]
        items = [
            f"{i.name} {i.task} {i.question} {i.answer_key} {i.extras}" for i in session.reader.records(Item)
        ]
        scenes = [f"{s.name} {s.metadata}" for s in session.reader.records(Scene)]
    return project.parent / "out", sorted([*flights, *items, *scenes])


def _data(files: dict[str, bytes]) -> dict[str, bytes]:
    """Leave out the card, which names the imported files, and the manifest that has its digest."""
    return {name: content for name, content in files.items() if name not in {"README.md", "manifest.json"}}


def _files(folder: Path) -> dict[str, bytes]:
    names = (path for path in folder.rglob("*") if path.is_file() and path.name != "withheld.jsonl")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in names}


def test_release_when_a_dataset_comes_in_then_its_folders_go_out_and_nothing_is_lost(tmp_path: Path) -> None:
    source = tmp_path / "Indoor_UAV"
    for name, value in SOURCE.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(json.dumps(value), encoding="utf-8")
    for location in ("one", "two"):
        (tmp_path / location).mkdir()
    out, records = _imported(source, tmp_path / "one" / "p.vantage")
    written = _files(out)
    assert {name: json.loads(written[name]) for name in SOURCE if name in written} == {
        name: value for name, value in SOURCE.items() if name != "test_vln_seen.json"
    }
    assert json.loads(written["test_vln.json"]) == SOURCE["test_vln_seen.json"]
    assert written["gibson_1/Adrian/traj_-1/vla_ins_2.json"].isascii()
    assert verify_release(out) == []
    again, same = _imported(out, tmp_path / "two" / "p.vantage")
    assert _data(_files(again)) == _data(written)
    assert same == records


def test_verify_when_a_file_in_a_folder_changes_or_is_new_then_it_is_named(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, _item())
        release(session, tmp_path / "out", "indooruav")
    path = tmp_path / "out" / FLIGHT.removeprefix("/")
    (path / "vla_ins_1.json").write_text("{}")
    (path / "deep").mkdir()
    (path / "deep" / "new.json").write_text("{}")
    name = FLIGHT.removeprefix("/")
    assert [(problem.file, problem.kind) for problem in verify_release(tmp_path / "out")] == [
        (f"{name}/vla_ins_1.json", "changed"),
        (f"{name}/deep/new.json", "unexpected"),
    ]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, ""),
        ({"task_set": "aircop"}, "format:task_set"),
        ({"task": "unheard of"}, "format:task"),
        ({"name": "VLA_0001"}, "format:name"),
        ({"name": "/a/../traj_1/vla_ins_1.json"}, "format:name"),
        ({"name": "/a:/b/traj_1/vla_ins_1.json"}, "format:name"),
        ({"name": f"{FLIGHT}/other.json"}, "format:name"),
        ({"question": " "}, "format:text"),
        ({"question": "Go to the \rroom"}, "format:text"),
        ({"answer_key": FLIGHT}, "format:answer_key"),
        ({"extras": {}}, "format:source"),
        ({"extras": {"source": [2, 1]}}, "format:source"),
        ({"extras": {"source": [1, 2], "instruction": "x"}}, "format:extras"),
        ({"task": "vln", "extras": {}}, "format:answer_key"),
        ({"task": "vln", "answer_key": FLIGHT, "extras": {}}, ""),
        ({"task": "instruction_goal", "name": f"{FLIGHT}/instruction_pro"}, "format:name"),
        (
            {"task": "instruction_goal", "name": f"{FLIGHT}/instruction", "question": "What?"},
            "format:question",
        ),
    ],
)
def test_refusal_when_the_form_cannot_say_something_then_it_says_what(fields: Any, reason: str) -> None:
    item = _item(**fields)
    refused = IndoorUavExporter().refusal(item, lookup=lookup_of(item))
    assert (refused.kind if refused else "") == reason


def test_release_when_two_items_have_one_id_then_it_is_refused_in_words(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, _item(), _item())
        with pytest.raises(UserError, match=r"Two items have the id /gibson_1/.*/vla_ins_1\.json"):
            release(session, tmp_path / "out", "indooruav", include_flagged=True)
    assert not (tmp_path / "out").exists()


def test_release_when_the_real_lists_come_in_then_they_go_out_and_come_back(
    shared_data: Path, tmp_path: Path
) -> None:
    for location in ("one", "two"):
        (tmp_path / location).mkdir()
    source = shared_data / "indooruav" / "test_vln_seen.json"
    out, records = _imported(source, tmp_path / "one" / "p.vantage")
    written = _files(out)
    assert json.loads(written["manifest.json"])["records"] == 520
    assert json.loads(written["test_vln.json"]).keys() == json.loads(source.read_bytes()).keys()
    again, same = _imported(out / "test_vln.json", tmp_path / "two" / "p.vantage")
    assert _data(_files(again)) == _data(written)
    assert same == records
