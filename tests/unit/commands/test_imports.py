from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.commands.imports import ImportFiles
from annotator.commands.records import DecideFlags
from annotator.domain.changes import Changes
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.record import new_id, to_json
from annotator.domain.record_types import record_type
from annotator.domain.scene import Scene
from annotator.domain.source import Source
from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.importers.report import ALWAYS_TOLD, ImportReport
from annotator.progress import Progress, ProgressUpdate
from annotator.session import Session
from tests.unit.store.making import undo_label


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as session:
        yield session


Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Give a function that writes values as a JSON file."""

    def write_json(values: object, *, name: str = "labels.json") -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")
        return path

    return write_json


def label(view: int = 1, *, moment: int = 1, **fields: Any) -> dict[str, Any]:
    """Make a record of one view of one moment that holds no contradiction."""
    sound = {
        "img1": f"23-0000000{moment}-UAV{view}.jpg",
        "id": 10 * moment + view,
        "annotation_id": 10 * moment + view,
        "Quality": "Good (4/5) - Mostly clear, minor noise or distortion.",
        "Usibility": "1 (Available)",
        "Collaboration_when": "0 (No)",
        "Object_count": "7",
        "Collaboration_who": "None",
    }
    return {**sound, **fields}


def question(name: str = "MDMT_OC_UAV1_1", *, moment: int = 1, **fields: Any) -> dict[str, Any]:
    return {
        "question_id": name,
        "question_type": "2.2 Object Counting (UAV1)",
        "question": "How many cars?",
        "options": {"A": "1", "B": "2"},
        "correct_answer": "A",
        "uav_paths": {f"UAV{n}": f"Real_2_UAVs/Samples/UAV{n}/23-0000000{moment}-UAV{n}.jpg" for n in (1, 2)},
        **fields,
    }


def do_import(session: Session, *paths: Path, **options: str) -> tuple[ImportReport, Changes]:
    command = ImportFiles(paths=paths, **options)
    changes = session.execute(command).result()
    return command.report, changes


def records(session: Session, entity: str) -> list[Any]:
    return list(session.reader.records(record_type(entity)))


def everything(session: Session) -> dict[str, list[str]]:
    entities = ("source", "medium", "scene", "event_label", "item", "flag")
    return {entity: [to_json(record) for record in records(session, entity)] for entity in entities}


def test_import_when_labels_come_then_scenes_media_labels_and_source_are_there(
    session: Session, write: Write
) -> None:
    path = write([label(1), label(2), label(1, moment=2)])
    report, _ = do_import(session, path)
    assert (report.records, report.added, report.unchanged, report.rejected) == (3, 3, 0, 0)
    media: list[Medium] = records(session, "medium")
    assert [medium.name for medium in media] == [
        "23-00000001-UAV1.jpg",
        "23-00000001-UAV2.jpg",
        "23-00000002-UAV1.jpg",
    ]
    assert {medium.dataset for medium in media} == {"Real_2_UAVs"}
    scenes: list[Scene] = records(session, "scene")
    assert [(scene.name, [view.name for view in scene.views]) for scene in scenes] == [
        ("23-00000001", ["UAV1", "UAV2"]),
        ("23-00000002", ["UAV1"]),
    ]
    (source,) = records(session, "source")
    assert (source.name, source.format, source.dataset) == ("labels.json", "aircop-labels", "Real_2_UAVs")
    assert (source.records, source.rejected, source.size_bytes) == (3, 0, path.stat().st_size)
    labels: list[EventLabel] = records(session, "event_label")
    assert [entry.medium for entry in labels] == [medium.id for medium in media]
    assert [entry.scene for entry in labels] == [scenes[0].id, scenes[0].id, scenes[1].id]
    assert {entry.source for entry in labels} == {source.id}
    assert scenes[0].medium_of("UAV2") == media[1].id
    assert json.loads(bytes(labels[2].original)) == label(1, moment=2)


def test_import_when_questions_come_after_labels_then_they_meet_at_the_same_scene(
    session: Session, write: Write
) -> None:
    do_import(session, write([label(1), label(2)]))
    report, changes = do_import(session, write([question()], name="q.json"))
    assert report.added == 1
    (item,) = records(session, "item")
    assert isinstance(item, Item)
    (scene,) = records(session, "scene")
    assert item.scene == scene.id
    assert item.media == tuple(medium.id for medium in records(session, "medium"))
    # The label file did not say in which folder the pictures lie; the question file does.
    assert records(session, "medium")[1].path == "Real_2_UAVs/Samples/UAV2/23-00000001-UAV2.jpg"
    assert item.provenance.source == records(session, "source")[1].id
    assert "scene" not in changes.counts


@pytest.mark.parametrize("is_one_import", [True, False])
def test_import_when_a_question_shows_one_view_of_a_scene_then_it_is_about_that_scene(
    session: Session, write: Write, tmp_path: Path, is_one_import: bool
) -> None:
    labels = write([label(1), label(2)])
    one = {
        "id": "Region_Recognition_00001",
        "image": ["./23-00000001-UAV2.jpg"],
        "conversations": [{"from": "human", "value": "Which regions contain a car?"}],
        "source": "SpatialUAV",
        "GT": "Region 3",
    }
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps(one) + "\n", encoding="utf-8")
    for paths in [(labels, questions)] if is_one_import else [(labels,), (questions,)]:
        do_import(session, *paths, dataset="Town")
    [scene] = records(session, "scene")
    [item] = records(session, "item")
    assert item.scene == scene.id
    assert [view.name for view in scene.views] == ["UAV1", "UAV2"]


def test_import_when_the_same_file_comes_twice_then_nothing_is_written(
    session: Session, write: Write
) -> None:
    path = write([label(1), label(1), label(2, Object_count="around 9"), 7])
    first, _ = do_import(session, path)
    before = everything(session)
    second, changes = do_import(session, path)
    assert (second.records, second.added, second.unchanged, second.rejected) == (4, 0, 3, 1)
    assert second.flags == first.flags
    assert changes.counts == {}
    assert everything(session) == before
    assert undo_label(session) == "Import labels.json"
    session.undo().result()
    assert records(session, "event_label") == []


def test_import_when_both_copies_come_at_once_then_the_second_is_unchanged(
    session: Session, write: Write
) -> None:
    report, _ = do_import(session, write([label()]), write([label()], name="copy.json"))
    assert [(file.added, file.unchanged) for file in report.files] == [(1, 0), (0, 1)]
    assert len(records(session, "source")) == 1


def test_import_when_a_file_has_grown_then_only_what_is_new_is_added(session: Session, write: Write) -> None:
    do_import(session, write([label(1), label(1, moment=2)]))
    report, _ = do_import(
        session, write([label(2), label(1), label(2, moment=3), label(1, moment=2), label(2, moment=2)])
    )
    assert (report.added, report.unchanged) == (3, 2)
    assert report.flags == dict.fromkeys(ALWAYS_TOLD, 0)
    assert len(records(session, "source")) == 2
    scenes: list[Scene] = records(session, "scene")
    assert [(scene.name, [view.name for view in scene.views]) for scene in scenes] == [
        ("23-00000001", ["UAV1", "UAV2"]),
        ("23-00000002", ["UAV1", "UAV2"]),
        ("23-00000003", ["UAV2"]),
    ]


def test_import_when_flags_are_found_then_they_stand_on_record_or_medium(
    session: Session, write: Write
) -> None:
    report, _ = do_import(
        session, write([label(1), label(1, Object_count="around 9", id=99, annotation_id=99)])
    )
    assert {kind: n for kind, n in report.flags.items() if n} == {
        "annotated_twice": 1,
        "count_not_integer": 1,
    }
    flags: dict[str, Flag] = {flag.kind: flag for flag in records(session, "flag")}
    twice, count = flags["annotated_twice"], flags["count_not_integer"]
    assert (twice.entity, twice.target) == ("medium", records(session, "medium")[0].id)
    assert (count.entity, count.target) == ("event_label", records(session, "event_label")[1].id)
    assert (count.field, count.severity, count.state, count.raised_by) == (
        "count",
        "warning",
        "open",
        "import",
    )
    assert twice.evidence == {"records": ["record 1", "record 2"], "lines": [1, 1]}


def test_import_when_flags_were_decided_then_importing_again_does_not_raise_them(
    session: Session, write: Write
) -> None:
    path = write([label(1), label(1, id=99, annotation_id=99)])
    do_import(session, path)
    (flag,) = records(session, "flag")
    session.execute(DecideFlags(flags=(flag.id,), state="dismissed", resolution="two people")).result()
    report, _ = do_import(session, path)
    assert report.flags["annotated_twice"] == 1
    assert [flag.state for flag in records(session, "flag")] == ["dismissed"]


def test_import_when_a_picture_is_annotated_again_by_another_file_then_flagged_once(
    session: Session, write: Write
) -> None:
    do_import(session, write([label(1)]))
    later = [label(1, Object_count=n, id=n, annotation_id=n) for n in ("8", "9")]
    first, _ = do_import(session, write(later[:1]))
    assert first.flags["annotated_twice"] == 1
    second, _ = do_import(session, write(later[1:]))
    assert second.flags["annotated_twice"] == 0
    (flag,) = [flag for flag in records(session, "flag") if flag.kind == "annotated_twice"]
    assert flag.evidence == {"labels": [records(session, "event_label")[0].id]}


def test_import_when_the_project_has_the_partner_then_it_is_known(session: Session, write: Write) -> None:
    who = {"Collaboration_when": "1 (Yes)", "Collaboration_who": "UAV2"}
    report, _ = do_import(session, write([label(1, **who)]))
    assert report.flags["partner_unknown"] == 1
    do_import(session, write([label(2)]))
    report, _ = do_import(session, write([label(1, **who, id=77, annotation_id=77)]))
    assert report.flags["partner_unknown"] == 0


def test_import_when_ids_collide_with_the_project_or_an_earlier_file_then_flagged(
    session: Session, write: Write
) -> None:
    files = [write([question(moment=n)], name=f"q{n}.json") for n in (1, 2, 3)]
    report, _ = do_import(session, *files[:2])
    assert report.flags["duplicate_id"] == 1
    report, _ = do_import(session, files[2])
    assert report.flags["duplicate_id"] == 1
    assert [record.name for record in records(session, "item")] == ["MDMT_OC_UAV1_1"] * 3


def test_import_when_two_pictures_claim_one_view_then_the_first_stays_with_a_flag(
    session: Session, write: Write
) -> None:
    other = question("q2", uav_paths={"UAV1": "Real_2_UAVs/23-00000001-UAV1.png"})
    do_import(session, write([question("q1"), other, {**other, "question_id": "q3"}], name="q.json"))
    (scene,) = records(session, "scene")
    (flag,) = [flag for flag in records(session, "flag") if flag.kind == "view_medium_differs"]
    assert (flag.entity, flag.target) == ("scene", scene.id)
    media = {medium.name: medium.id for medium in records(session, "medium")}
    assert scene.medium_of("UAV1") == media["23-00000001-UAV1.jpg"]
    assert records(session, "item")[1].media == (media["23-00000001-UAV1.png"],)


def test_import_when_dataset_is_named_then_everything_belongs_to_it(session: Session, write: Write) -> None:
    do_import(session, write([label()]), dataset="Ours")
    assert {
        record.dataset for entity in ("medium", "scene", "source") for record in records(session, entity)
    } == {"Ours"}


def test_import_when_undone_and_done_again_then_all_is_back(session: Session, write: Write) -> None:
    path = write([label(1), label(2, Object_count="many")])
    do_import(session, path)
    before = everything(session)
    session.undo().result()
    assert not any(everything(session).values())
    session.redo().result()
    assert everything(session) == before
    session.undo().result()
    report, _ = do_import(session, path)
    assert report.added == 2
    assert len(records(session, "event_label")) == 2


@pytest.mark.parametrize("phase", ["Reading", "Adding"])
def test_import_when_cancelled_in_any_phase_then_the_project_is_as_it_was(
    session: Session, write: Write, phase: str
) -> None:
    do_import(session, write([label(1)]))
    before = everything(session)
    path = write([label(view, moment=moment) for moment in range(2, 9) for view in (1, 2)])

    def cancel_in_phase(step: ProgressUpdate) -> None:
        if step.what.startswith(phase):
            progress.cancel()

    progress = Progress(cancel_in_phase)
    with pytest.raises(Cancelled):
        session.execute(ImportFiles(paths=(path,)), progress=progress).result()
    assert everything(session) == before


def test_import_when_a_later_file_fails_then_nothing_of_the_first_stays(
    session: Session, write: Write, tmp_path: Path
) -> None:
    bad = tmp_path / "q.csv"
    bad.write_text("Question_id,video_id,question_category,question,answer\n")
    command = ImportFiles(paths=(write([label()]), bad))
    plan = command.plan(session.reader, progress=Progress())
    next(plan)
    bad.unlink()
    with pytest.raises(EnvironmentFailure, match="cannot be read"):
        list(plan)
    with pytest.raises(UserError, match=r"The file .* does not exist"):
        session.execute(command).result()
    assert not any(everything(session).values())


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("urbanvideo", "does not have the format urbanvideo"),
        ("spatialuav", "does not have the format spatialuav"),
        ("nothing", "Unknown format 'nothing'"),
    ],
)
def test_import_when_the_format_given_is_wrong_then_refused_in_words(
    session: Session, write: Write, format_id: str, text: str
) -> None:
    with pytest.raises(UserError, match=text) as caught:
        session.execute(ImportFiles(paths=(write([label()]),), format=format_id)).result()
    assert "aircop-labels" in caught.value.hint


def test_import_when_the_format_is_unknown_then_refused_in_words(session: Session, write: Write) -> None:
    with pytest.raises(UserError, match="no supported format"):
        session.execute(ImportFiles(paths=(write({"a": 1}),))).result()


def test_import_when_the_file_is_empty_and_the_format_given_then_no_records(
    session: Session, write: Write
) -> None:
    report, changes = do_import(session, write([]), format="aircop-labels")
    assert (report.records, changes.counts) == (0, {})


def test_report_when_told_as_json_then_counts_flags_rejections_and_files(
    session: Session, write: Write
) -> None:
    paths = write([label(1), {"img1": 3}, label(2, Quality=[])]), write([question()], name="q.json")
    report, _ = do_import(session, *paths)
    told = report.to_json()
    assert json.loads(json.dumps(told)) == told
    assert {name: told[name] for name in ("records", "added", "unchanged", "rejected")} == {
        "records": 4,
        "added": 2,
        "unchanged": 0,
        "rejected": 2,
    }
    assert told["flags"] == dict.fromkeys(ALWAYS_TOLD, 0)
    assert [(bad["file"], bad["line"], bad["locator"], bad["field"]) for bad in told["rejections"]] == [
        ("labels.json", 1, "record 2", "img1"),
        ("labels.json", 1, "record 3", "Quality"),
    ]
    assert all(bad["message"] for bad in told["rejections"])
    assert [(file["file"], file["format"], file["added"], file["rejected"]) for file in told["files"]] == [
        ("labels.json", "aircop-labels", 1, 2),
        ("q.json", "aircop-questions", 1, 0),
    ]


def test_real_files_when_imported_then_the_numbers_of_the_issue_and_as_many_flags(
    session: Session, shared_data: Path
) -> None:
    paths = [shared_data / "aircop" / f"{name}_Sample.json" for name in ("Real2", "Sim3")]
    steps: list[ProgressUpdate] = []
    command = ImportFiles(paths=tuple(paths))
    session.execute(command, progress=Progress(steps.append)).result()
    report = command.report
    assert (report.records, report.added, report.rejected) == (2248, 2248, 0)
    real2, sim3 = report.files
    expected = {
        "annotated_twice": (8, 0),
        "annotation_id_repeated": (0, 745),
        "count_not_integer": (265, 0),
        "fov_without_rect": (158, 180),
        "partner_is_self": (5, 11),
        "partner_missing": (7, 159),
        "partner_unknown": (8, 0),
        "rect_unlabelled": (1, 0),
        "what_missing": (208, 102),
        "when_missing": (17, 2),
    }
    assert {kind: (real2.flags[kind], sim3.flags[kind]) for kind in expected} == expected
    stored = Counter(flag.kind for flag in records(session, "flag"))
    assert {kind: n for kind, n in report.flags.items() if n} == stored
    assert (len(records(session, "medium")), len(records(session, "scene"))) == (2240, 819)
    assert {step.what for step in steps} == {
        f"{what} {name}_Sample.json" for what in ("Reading", "Adding") for name in ("Real2", "Sim3")
    }
    again, changes = do_import(session, *paths)
    assert (again.added, again.unchanged, changes.counts) == (0, 2248, {})
    assert again.flags == report.flags


def native(*found: object) -> str:
    kinds = {Medium: "medium", Item: "item", Scene: "scene", Source: "source"}
    return "".join(f'{{"entity":"{kinds[type(record)]}","record":{to_json(record)}}}\n' for record in found)  # type: ignore[index]


def test_records_with_ids_when_imported_then_taken_as_they_are(session: Session, tmp_path: Path) -> None:
    medium = Medium(id=new_id(), name="a.jpg")
    item = Item(id=new_id(), name="q", task_set="aircop", media=(medium.id,))
    path = tmp_path / "records.jsonl"
    path.write_text(native(medium, item))
    report, _ = do_import(session, path)
    assert (report.added, records(session, "medium"), records(session, "item")) == (2, [medium], [item])
    assert records(session, "source") == []
    again, changes = do_import(session, path)
    assert (again.unchanged, changes.counts) == (2, {})
    session.undo().result()
    back, _ = do_import(session, path)
    assert (back.added, records(session, "item")) == (2, [item])


def test_records_with_ids_when_they_differ_from_the_project_then_rejected(
    session: Session, tmp_path: Path
) -> None:
    medium = Medium(id=new_id(), name="a.jpg")
    path = tmp_path / "records.jsonl"
    path.write_text(native(medium, Medium(id=medium.id, name="b.jpg")))
    report, _ = do_import(session, path)
    assert (report.added, report.rejected) == (1, 1)
    assert "other values" in report.files[0].rejections[0].message
    assert records(session, "medium") == [medium]


def test_label_when_one_or_several_files_then_says_what_is_imported() -> None:
    assert str(ImportFiles(paths=(Path("x/a.json"),)).summary) == "Import a.json"
    several = ImportFiles(paths=(Path("a.json"), Path("b.csv")), dataset="Ours")
    assert str(several.summary) == "Import 2 files"
    assert several.details == {"files": ["a.json", "b.csv"], "format": "", "dataset": "Ours"}


def review_sheet(path: Path, *, is_wrong: str, error_type: str = "") -> Path:
    head = "题目ID,题目类型,题目信息,图片信息（UAV1/UAV2）,题目选项（A/B/C/D）,正确答案,答案是否错误,错误类型"
    pictures = '"UAV1: UAV1/23-00000001-UAV1.jpg\nUAV2: UAV2/23-00000001-UAV2.jpg"'
    options = '"A: Yes\nB: No\nC: Partly\nD: Unknown"'
    row = f"MDMT_when2col_UAV1_1,4.1 When to Collaborate (UAV1),Should it?,{pictures},{options},A"
    path.write_text(f"{head}\n{row},{is_wrong},{error_type}\n", encoding="utf-8")
    return path


def test_review_when_the_item_exists_then_its_flag_is_added_to_that_item(
    session: Session, tmp_path: Path
) -> None:
    session.execute(ImportFiles(paths=(review_sheet(tmp_path / "empty.csv", is_wrong=""),))).result()
    (item,) = session.reader.records(Item)
    reviewed = review_sheet(tmp_path / "filled.csv", is_wrong="是", error_type="答案错误")
    command = ImportFiles(paths=(reviewed,))
    session.execute(command).result()
    assert [record.id for record in session.reader.records(Item)] == [item.id]
    (flag,) = session.reader.flags_of(item.id)
    assert (flag.kind, flag.severity) == ("answer_found_wrong", "error")
    assert "答案错误" in flag.message
    assert (command.report.added, command.report.flags["answer_found_wrong"]) == (1, 1)
    session.execute(again := ImportFiles(paths=(reviewed,))).result()
    assert (again.report.added, again.report.unchanged) == (0, 1)
    assert len(session.reader.flags_of(item.id)) == 1


def test_review_when_another_dataset_has_the_same_id_then_the_sheet_makes_its_own_item(
    session: Session, tmp_path: Path
) -> None:
    session.execute(ImportFiles(paths=(review_sheet(tmp_path / "a.csv", is_wrong=""),))).result()
    other = review_sheet(tmp_path / "b.csv", is_wrong="是")
    other.write_text(other.read_text(encoding="utf-8").replace("23-0000", "c0003-0000"), encoding="utf-8")
    session.execute(ImportFiles(paths=(other,))).result()
    assert session.reader.counts()["item"] == 2
