from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from annotator.commands.imports import ImportFiles
from annotator.domain.event_label import EventLabel, ObjectCount, PercentBox
from annotator.domain.label_values import FIELDS
from annotator.release.exporters.label_values import LabelValuesExporter
from annotator.session import Session
from tests.unit.release.samples import UAV2, fill, label, lookup_of, release

FORM = "label-values"
BOX = PercentBox(
    x=65.68516421291045, y=40.0, width=1.5, height=3.0, rotation=-24.27, labels=("too_small", "occluded"),
    image_width_px=1920, image_height_px=1080,
)  # fmt: skip
FULL: dict[str, Any] = {
    "object_types": ("vehicles", "pedestrians"),
    "count": ObjectCount(value=60, approximate=True),
    "degradations": (),
    "other_degradation": '=SUM(A1), "第"\n',
    "issue_boxes": (BOX, PercentBox(x=0, y=0, width=100, height=1e-7)),
    "what_boxes": (),
    "who": ("UAV2", "ground"),
    "why": ("-5",),
    "annotator": "007",
    "created_at": "2025-06-24T06:17:08.956105Z",
    "lead_time_s": 375.25,
    "active_time_s": 12.5,
    "state": "finished",
}


def _answers(session: Session) -> list[dict[str, Any]]:
    return [
        {name: getattr(record, name) for name in (*FIELDS, "view")}
        for record in session.reader.records(EventLabel)
    ]


def _comes_back(folder: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the answers in a project, and those of a project that imported its release."""
    with Session.open(folder / "p.vantage") as session:
        release(session, folder / "out", FORM)
        before = _answers(session)
    with Session.create(folder / "again.vantage") as session:
        session.execute(ImportFiles(paths=(folder / "out" / "event_labels.csv",))).result()
        release(session, folder / "again", FORM)
        after = _answers(session)
    names = ["event_labels.csv", "manifest.json"]
    assert [(folder / "again" / n).read_bytes() for n in names] == [
        (folder / "out" / n).read_bytes() for n in names
    ]
    return before, after


def test_release_when_labels_are_full_or_bare_then_every_answer_comes_back(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        bare = label(view="UAV2", medium=UAV2.id, quality=None, usable=None, when=None, count=ObjectCount())
        fill(session, label(**FULL), bare)
    before, after = _comes_back(tmp_path)
    assert after == before
    with (tmp_path / "out" / "event_labels.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][:7] == ["label", "dataset", "scene", "view", "image", "field", "value"]
    told = {(row[0], row[5]): row[6:] for row in rows[1:]}
    assert [row[6] for row in rows if row[5] == "object_types"] == ["vehicles", "pedestrians"]
    assert told["1", "count"][0] == "around 60"
    assert told["1", "why"][0] == "'-5"
    first = next(row for row in rows if row[5] == "issue_boxes")
    assert first[6:] == [
        "too_small|occluded",
        "65.68516421291045",
        "40",
        "1.5",
        "3",
        "-24.27",
        "1920",
        "1080",
    ]
    # Asked and none is a row without a value; not asked is no row.
    assert told["1", "degradations"][0] == ""
    assert ("2", "degradations") not in told


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, ""),
        ({"medium": ""}, "format:media"),
        ({"who": ("",)}, "format:value"),
        ({"issue_boxes": (PercentBox(x=0, y=0, width=1, height=1, labels=("a|b",)),)}, "format:value"),
    ],
)
def test_refusal_when_the_form_cannot_say_something_then_it_says_what(fields: Any, reason: str) -> None:
    answered = label(**fields)
    found = LabelValuesExporter().refusal(answered, lookup=lookup_of(answered))
    assert (found.kind if found else "") == reason


def test_import_when_rows_are_invalid_then_each_is_named_and_the_rest_is_taken(tmp_path: Path) -> None:
    geometry = "x,y,width,height,rotation,image_width_px,image_height_px"
    text = f"""\
label,dataset,scene,view,image,field,value,{geometry}
1,D,s,UAV1,a.jpg,quality,4,,,,,,,
1,D,s,UAV1,a.jpg,quality,5,,,,,,,
1,D,s,UAV1,a.jpg,usable,perhaps,,,,,,,
1,D,s,UAV1,a.jpg,colour,red,,,,,,,
1,D,s,UAV1,a.jpg,issue_boxes,occluded,1,2,x,4,0,0,0
2,D,s,UAV2,b.jpg,state,unheard of,,,,,,,
3,D,s,UAV2,b.jpg,who,UAV1,,,,,,,
"""
    (tmp_path / "labels.csv").write_text(text, encoding="utf-8")
    with Session.create(tmp_path / "p.vantage") as session:
        command = ImportFiles(paths=(tmp_path / "labels.csv",))
        session.execute(command).result()
        assert [(answers["quality"], answers["who"]) for answers in _answers(session)] == [
            (4, None),
            (None, ("UAV1",)),
        ]
    assert command.report is not None
    issues = [(issue.line, issue.field) for issue in command.report.files[0].rejections]
    assert issues == [(3, "value"), (4, "value"), (5, "field"), (6, "x"), (7, "value")]


@pytest.mark.parametrize(
    "name", ["Real2_Sample.json", pytest.param("Sim3_Sample.json", marks=pytest.mark.slow)]
)
def test_release_when_real_labels_come_in_then_every_answer_comes_back(
    shared_data: Path, tmp_path: Path, name: str
) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        session.execute(ImportFiles(paths=(shared_data / "aircop" / name,))).result()
    before, after = _comes_back(tmp_path)
    assert len(after) in {421, 1827}
    assert after == before
