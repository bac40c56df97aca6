"""Releases in every form, with predictions as the tools of that form write them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.record import Record, new_id
from annotator.domain.scene import Scene, SceneView
from annotator.domain.trajectory import Pose, Trajectory
from annotator.progress import Progress
from annotator.scoring.released_items import ReleasedItems
from annotator.session import Session
from tests.unit.release.samples import aircop_item, fill, options, release, spatialuav_item, urbanvideo_item
from tests.unit.scoring.released import evaluated, kinds, write_lines

MAPS = tuple(
    Medium(
        id=new_id(), name=f"{kind}/house/map_1.png", path=f"{kind}/house/map_1.png", dataset="TopViewRS",
        media_type="map",
    )
    for kind in ("realistic", "semantic")
)  # fmt: skip
HOUSE = Scene(
    id=new_id(), name="house", dataset="TopViewRS",
    views=tuple(SceneView(name=one.name.partition("/")[0], medium=one.id) for one in MAPS),
)  # fmt: skip


def made(path: Path, form: str, *records: Record, positions: tuple[Record, ...] | None = None) -> Path:
    with Session.create(path / "p.vantage") as session:
        fill(session, *records, **({} if positions is None else {"positions": positions}))
        release(session, path / "out", form)
    return path / "out"


def map_item(view: int, **fields: Any) -> Item:
    kind = ("realistic", "semantic")[view]
    return aircop_item(
        name=f"{kind}_7", task_set="topviewrs", task="object_recognition",
        question="Which of the following objects are in the room?", scene=HOUSE.id, view=kind,
        options=options("bed", "sink", "bath tub", "chair"), media=(MAPS[view].id,), **fields,
    )  # fmt: skip


@pytest.mark.parametrize("form", ["native", "urbanvideo", "urbanvideo-parquet", "vlmevalkit", "huggingface"])
def test_release_when_its_form_differs_then_predictions_by_public_id_are_scored(
    tmp_path: Path, form: str
) -> None:
    items = [urbanvideo_item(name=str(1001 + n), answer_key="ABCDEFG"[n]) for n in range(7)]
    folder = made(tmp_path, form, *items)
    rows = [{"item": item.name, "prediction": "C"} for item in items]
    found = evaluated(folder, write_lines(tmp_path / "p.jsonl", rows))
    assert kinds(found) == {}
    assert [*found.tables.tasks] == ["urbanvideo/action_generation"]
    assert found.tables.overall.exact_pct == pytest.approx(100 / 7)


def test_release_when_vlmevalkit_adds_a_column_to_its_table_then_the_rows_are_found(tmp_path: Path) -> None:
    folder = made(tmp_path, "vlmevalkit", *[urbanvideo_item(name=f"q{n}", answer_key="C") for n in range(3)])
    (table,) = folder.glob("*.tsv")
    head, *rows = table.read_text(encoding="utf-8").splitlines()
    path = tmp_path / f"model_{table.name}"
    path.write_text("\n".join([f"{head}\tprediction", *(f"{row}\tC" for row in rows)]), encoding="utf-8")
    for released in (folder, table):
        found = evaluated(released, path)
        assert (kinds(found), found.tables.overall.exact_pct, found.tables.overall.total) == ({}, 100.0, 3)


def test_release_when_topviewrs_has_an_index_on_two_maps_then_the_map_decides(tmp_path: Path) -> None:
    items = (
        map_item(0, answer_format="span_set", answer_key='["bath tub", "bed"]'),
        map_item(1, answer_key="B"),
    )
    folder = made(tmp_path, "topviewrs", *items, positions=(*MAPS, HOUSE))
    rows = [
        row | {"prediction": text}
        for file, text in (("realistic", "bed"), ("semantic", "B. sink"))
        for row in json.loads((folder / f"released_{file}_datasets.json").read_text(encoding="utf-8"))
    ]
    found = evaluated(folder, write_lines(tmp_path / "p.jsonl", rows))
    assert kinds(found) == {}
    # PM of one of three words, and a right letter.
    assert [one.score for one in found.scored] == [pytest.approx(1 / 3), 1.0]
    for row in rows:
        del row["map_path"]
    assert kinds(evaluated(folder, write_lines(tmp_path / "p.jsonl", rows))) == {
        "ambiguous_item": 2,
        "missing": 2,
    }


@pytest.mark.parametrize("form", ["native", "indooruav"])
def test_release_when_it_has_flights_then_results_of_episodes_are_scored(tmp_path: Path, form: str) -> None:
    name = "/hm3d_1/Room/traj_-3"
    scene = Scene(id=new_id(), name=name, dataset="IndoorUAV")
    poses = tuple(Pose(x_m=float(n), y_m=0.0, z_m=1.0, yaw_deg=90.0) for n in range(20))
    flight = Trajectory(id=new_id(), scene=scene.id, name=name, view="UAV1", poses=poses)
    item = Item(
        id=new_id(), name=f"{name}/instruction.json", task_set="indooruav", task="vln",
        answer_format="trajectory", question="Fly along the wall and stop behind the door.",
        answer_key=name, scene=scene.id, extras={"level": "instruction_goal"},
    )  # fmt: skip
    folder = made(tmp_path, form, flight, item, positions=(scene,))
    result = {
        "episode_key": item.name,
        "trajectory": [[pose.x_m, 1.0, 1.0, math.pi / 2] for pose in poses],
        "termination_reason": "no_more_instructions",
    }
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result, indent=2), encoding="utf-8")
    found = evaluated(folder, path)
    task = found.tables.navigation["indooruav/vln"]
    assert (kinds(found), task.ne_m, task.sr_pct, task.osr_pct) == ({}, 1.0, 100.0, 100.0)
    assert task.ndtw_pct == pytest.approx(100 * math.exp(-20 / (10 * 19)))


def test_release_when_it_is_native_then_regions_and_footage_are_known(tmp_path: Path) -> None:
    folder = made(tmp_path, "native", spatialuav_item(), aircop_item())
    released = ReleasedItems.read(folder, progress=Progress())
    assert {one.item.task_set: one.footage for one in released.items} == {"spatialuav": "", "aircop": "real"}


def test_release_when_the_index_of_a_row_is_the_id_of_another_item_then_the_column_of_the_prediction_decides(
    tmp_path: Path,
) -> None:
    items = [urbanvideo_item(name=name, answer_key=key) for name, key in (("2", "A"), ("1", "B"))]
    folder = made(tmp_path, "vlmevalkit", *items)
    (table,) = folder.glob("*.tsv")
    head, *rows = (line.split("\t") for line in table.read_text(encoding="utf-8").splitlines())
    index, item, key = (head.index(name) for name in ("index", "item_id", "answer"))
    assert [(row[index], row[item]) for row in rows] == [("1", "2"), ("2", "1")]
    for column, name in ((index, "index"), (item, "item_id")):
        said = [{name: row[column], "category": "x", "prediction": row[key]} for row in rows]
        found = evaluated(folder, write_lines(tmp_path / "p.jsonl", said))
        assert (kinds(found), found.tables.overall.exact_pct) == ({}, 100.0)
