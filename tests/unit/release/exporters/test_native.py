from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.commands.imports import ImportFiles
from annotator.commands.item_states import ChangeState
from annotator.domain.item import Item
from annotator.domain.link import Link
from annotator.domain.polyline import Polyline as DrawnPath
from annotator.domain.query import ItemQuery
from annotator.domain.record import FieldCorrection, Record, new_id, to_json
from annotator.domain.region import Box, Region
from annotator.domain.source import Source
from annotator.domain.trajectory import KeyFrameLabel, Pose, Trajectory
from annotator.release.exporters.native import CARRIED, ID
from annotator.session import Session
from annotator.store.projections import PROJECTIONS
from tests.unit.release.samples import (
    PLACES,
    SCENE,
    UAV1,
    aircop_item,
    fill,
    flag,
    label,
    release,
    released_again,
    spatialuav_item,
    urbanvideo_item,
)

REGION = Region(
    id=new_id(), medium=UAV1.id, number=3, box=Box(x1=0.5, y1=1.0, x2=2.25, y2=1e-07), polygon=((1.0, 2.0),)
)
RECORDS: tuple[Record, ...] = (
    Source(id=new_id(), name="Real2_Sample.json", format="aircop-labels", sha256="0" * 64, records=421),
    REGION,
    Link(id=new_id(), scene=SCENE.id, regions=(REGION.id, new_id())),
    DrawnPath(id=new_id(), medium=UAV1.id, points=((1.5, 2.0), (3.0, 4.0)), label="Direction 3"),
    label(original=msgspec.Raw(b'{"Object_count":"around 60"}')),
    Trajectory(
        id=new_id(),
        scene=SCENE.id,
        poses=(Pose(x_m=1.0, y_m=2.0, z_m=3.0, yaw_deg=-90.5),),
        key_frames=(0,),
        key_frame_labels=(KeyFrameLabel(frame=0, actions=("turn",), caption="a hall"),),
        difficulty="hard",
        instruction_goal="Reach it.",
        instruction_detailed="Turn. Fly.",
    ),
)
ITEM = aircop_item(
    original=msgspec.Raw('{"question_id":"汉字","x":[1,2.50,{"y":null}]}'.encode()),
    corrections=(FieldCorrection(field="answer_key", original="B.", value="B", reason="spelling"),),
    extras={"source": "Rule-Based", "n": [1, {"a": 2.5}]},
)


def _records(session: Session) -> dict[str, list[Record]]:
    return {kind.table.entity: list(session.reader.records(kind)) for kind in (*CARRIED, Item)}


def _lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "records.jsonl").read_bytes().splitlines()]


def test_id_when_any_record_is_encoded_then_its_id_stands_first() -> None:
    for record in (*PLACES, *RECORDS, ITEM):
        assert to_json(record).encode()[ID].decode() == record.id


def test_release_when_imported_into_a_new_project_then_all_records_are_equal(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *RECORDS, ITEM, spatialuav_item())
        release(session, tmp_path / "out", "native")
        before = _records(session)
    assert all(before.values())
    with Session.create(tmp_path / "q.vantage") as session:
        command = ImportFiles(paths=(tmp_path / "out" / "records.jsonl",))
        session.execute(command).result()
        assert (command.report.to_json()["added"], command.report.to_json()["rejected"]) == (13, 0)
        assert _records(session) == before
        assert [bytes(item.original) for item in _records(session)["item"] if isinstance(item, Item)] == [
            bytes(ITEM.original),
            b"null",
        ]
        release(session, tmp_path / "again", "native")
    for name in ("records.jsonl", "manifest.json"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "out" / name).read_bytes()


def test_release_when_written_then_each_line_is_the_record_as_it_is_stored(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *RECORDS, ITEM)
        report = release(session, tmp_path / "out", "native")
        stored = [
            f'{{"entity":"{kind.table.entity}","record":'.encode() + raw + b"}\n"
            for kind in (*CARRIED, Item)
            for raw in session.reader.stream_json(kind)
        ]
    assert (tmp_path / "out" / "records.jsonl").read_bytes() == b"".join(stored)
    assert report.manifest.counts == {
        "entity": {
            "event_label": 1,
            "item": 1,
            "link": 1,
            "medium": 4,
            "path": 1,
            "region": 1,
            "scene": 1,
            "source": 1,
            "trajectory": 1,
        },
        "state": {"drafted": 1},
        "task": {"aircop/object_counting": 1},
    }


def test_release_when_items_are_kept_out_then_neither_lines_nor_counts_have_them(tmp_path: Path) -> None:
    items = [aircop_item(name=f"q{n}", question=f"How many cars are in picture {n}?") for n in range(4)]
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *items, urbanvideo_item(), flag(items[2]))
        session.execute(ChangeState(items=(items[1].id,), state="rejected", reason="no")).result()
        report = release(session, tmp_path / "out", "native")
    names = [line["record"]["name"] for line in _lines(tmp_path / "out") if line["entity"] == "item"]
    assert names == ["q0", "q3", "1001"]
    counts = report.manifest.counts
    assert counts["task"] == {"aircop/object_counting": 2, "urbanvideo/action_generation": 1}
    assert (counts["state"], counts["entity"]["item"]) == ({"drafted": 3}, 3)
    assert report.manifest.withheld.reasons == {"flag:key_wrong": 1, "state:rejected": 1}
    withheld = [json.loads(line) for line in (tmp_path / "out" / "withheld.jsonl").read_bytes().splitlines()]
    assert [record["name"] for record in withheld] == ["q1", "q2"]


def test_release_when_batches_are_small_then_the_list_of_withheld_items_is_whole_and_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("exporters.native", "build", "exporter"):
        monkeypatch.setattr(f"annotator.release.{module}.BATCH", 2)
    states = ("drafted", "rejected", "filtered", "rejected", "accepted", "drafted", "rejected")
    items = [
        aircop_item(name=f"q{n}", question=f"How many cars are in picture {n}?", state=state)
        for n, state in enumerate(states)
    ]
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *items, flag(items[5], message="No."))
        report = release(session, tmp_path / "out", "native")
    told = [(1, "state:rejected", "The item is rejected."), (2, "state:filtered", "The item is filtered.")]
    told += [(3, "state:rejected", "The item is rejected."), (5, "flag:key_wrong", "No.")]
    told += [(6, "state:rejected", "The item is rejected.")]
    assert (tmp_path / "out" / "withheld.jsonl").read_text() == "".join(
        f'{{"entity":"item","name":"q{n}","task":"aircop/object_counting",'
        f'"reasons":[{{"kind":"{kind}","message":"{message}"}}]}}\n'
        for n, kind, message in told
    )
    names = [line["record"]["name"] for line in _lines(tmp_path / "out") if line["entity"] == "item"]
    assert names == ["q0", "q4"]
    assert report.manifest.counts["state"] == {"accepted": 1, "drafted": 1}
    assert report.manifest.withheld.file is not None
    assert report.manifest.withheld.file.records == 5


def test_release_when_items_are_selected_then_only_they_go_out_with_all_they_stand_on(tmp_path: Path) -> None:
    items = [aircop_item(name=f"q{n}", question=f"How many cars are in picture {n}?") for n in range(2)]
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *items, urbanvideo_item(), spatialuav_item())
        whole = release(session, tmp_path / "whole", "native").manifest
        chosen = ItemQuery(task_sets=("aircop",), states=("drafted", "accepted"))
        part = release(session, tmp_path / "part", "native", selection=chosen).manifest
    assert part.counts == {
        "entity": {"item": 2, "medium": 4, "scene": 1},
        "state": {"drafted": 2},
        "task": {"aircop/object_counting": 2},
    }
    assert part.selection == chosen
    assert part.members_sha256 != whole.members_sha256
    kept = [
        line for line in _lines(tmp_path / "whole") if line["record"].get("task_set", "aircop") == "aircop"
    ]
    assert _lines(tmp_path / "part") == kept


def test_release_when_there_are_labels_but_no_items_then_it_holds_the_labels(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, label())
        report = release(session, tmp_path / "out", "native")
    assert (report.manifest.records, report.manifest.counts["entity"]["event_label"]) == (0, 1)


@pytest.mark.parametrize(
    "name", ["Real2_Sample.json", pytest.param("Sim3_Sample.json", marks=pytest.mark.slow)]
)
def test_release_when_real_labels_are_in_the_project_then_they_come_back_whole(
    shared_data: Path, tmp_path: Path, name: str
) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        session.execute(ImportFiles(paths=(shared_data / "aircop" / name,))).result()
        release(session, tmp_path / "out", "native")
        before = _records(session)
    again = released_again(tmp_path / "out", path=tmp_path / "again", form="native")
    assert (again / "records.jsonl").read_bytes() == (tmp_path / "out" / "records.jsonl").read_bytes()
    with Session.open(tmp_path / "again" / "again.vantage") as session:
        assert _records(session) == before


def test_carried_when_compared_with_the_store_then_only_work_on_records_stays_behind() -> None:
    left = set(PROJECTIONS) - {kind.table.entity for kind in (*CARRIED, Item)}
    assert left == {
        "project", "flag", "response", "assignment", "comment", "release", "actor", "command", "time_entry",
        "error_label", "settled_text",
    }  # fmt: skip
