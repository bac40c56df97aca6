from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.event_label import EventLabel, ObjectCount, PercentBox
from annotator.importers import registry
from annotator.importers.imported_record import ImportedMedium
from annotator.importers.importer import ImportContext
from annotator.importers.input_file import InputFile
from annotator.progress import Progress, ProgressUpdate
from tests.unit.importers.reading import Outcome, Read, outcome

Make = Callable[..., dict[str, Any]]
SMALL = (
    "The target appears too small or distant in the current image, "
    "but is larger and more visible in the other persepctive."
)
SIM3 = "/data/upload/9/8f2a960{n}-scene_004-UAV{n}_frame_005.jpg"
SIM6 = "/data/upload/1/{mark}-c0003-2023-01-01-10-45-200800_UAV_{n}_32456948.jpg"

RECT = {
    "x": 65.68516421291045,
    "y": 51,
    "width": 1.5,
    "height": 3.0,
    "rotation": 0,
    "rectanglelabels": ["Too small"],
    "original_width": 1920,
    "original_height": 1080,
}


def read_file(path: Path) -> Outcome:
    file = InputFile.open(path)
    reader = registry.detect(file)
    return outcome(reader.id, reader.read(file, context=ImportContext()))


def test_real2_when_read_then_the_numbers_counted_by_hand(shared_data: Path) -> None:
    result = read_file(shared_data / "aircop" / "Real2_Sample.json")
    assert result.format == "aircop-labels"
    assert (len(result.found), result.rejected) == (421, [])
    assert result.flags == {
        "annotated_twice": 8,
        "count_not_integer": 265,
        "fov_without_rect": 158,
        "given_without_need": 2,
        "occlusion_without_rect": 45,
        "others_without_text": 9,
        "partner_is_self": 5,
        "partner_missing": 7,
        "partner_unknown": 8,
        "rect_unlabelled": 1,
        "rect_without_tick": 50,
        "shadow_without_rect": 77,
        "small_without_rect": 50,
        "task_id_repeated": 1,
        "text_without_others": 1,
        "value_unknown": 1,
        "what_missing": 208,
        "when_missing": 17,
    }
    assert sum(record.when is True for record in result.records) == 395
    assert len({entry.scene.name for entry in result.found if entry.scene}) == 210
    assert sum(len(record.issue_boxes or ()) for record in result.records) == 6182
    assert sum(len(record.what_boxes or ()) for record in result.records) == 986


def test_sim3_when_read_then_the_numbers_counted_by_hand(shared_data: Path) -> None:
    result = read_file(shared_data / "aircop" / "Sim3_Sample.json")
    assert (len(result.found), result.rejected) == (1827, [])
    assert result.flags == {
        "annotation_id_repeated": 745,
        "fov_without_rect": 180,
        "given_without_need": 13,
        "occlusion_without_rect": 65,
        "others_without_text": 3,
        "partner_is_self": 11,
        "partner_missing": 159,
        "rect_without_tick": 47,
        "shadow_without_rect": 18,
        "small_without_rect": 10,
        "text_without_others": 4,
        "unavailable_though_good": 7,
        "value_unknown": 1,
        "what_missing": 102,
        "when_missing": 2,
        "why_missing": 1,
    }
    scenes = {entry.scene.name: len(entry.scene.views) for entry in result.found if entry.scene}
    assert len(scenes) == 609
    assert set(scenes.values()) == {3}
    assert all(record.corrections for record in result.records)


def test_originals_when_read_then_nothing_but_blanks_is_changed(shared_data: Path) -> None:
    path = shared_data / "aircop" / "Real2_Sample.json"
    text = path.read_text(encoding="utf-8")
    result = read_file(path)
    assert [json.loads(bytes(record.original)) for record in result.records] == json.loads(text)
    # Every number stands there as it was spelt.
    spelt = "".join(text.split())
    assert all("".join(bytes(record.original).decode().split()) in spelt for record in result.records)


def test_record_when_sound_then_every_field_is_in_its_place(read: Read, label_record: Make) -> None:
    record = label_record(
        Object_type={"choices": ["Vehicles", "Drones"]},
        Degradation={"choices": ["Small target / Long distance", "Others（Please fill in below）"]},
        PerceptionIssues=[RECT],
        Collaboration_when="1 (Yes)",
        Collaboration_what=[{**RECT, "rectanglelabels": ["More information"], "rotation": 24.27}],
        Collaboration_who="UAV2",
        Collaboration_why=SMALL,
        **{"Other Degradation": "complex background"},
    )
    (entry, other) = read([record, label_record(img1="23-00000001-UAV2.jpg", id=2, annotation_id=2)]).found
    label = entry.record
    assert isinstance(label, EventLabel)
    assert (label.view, label.quality, label.usable, label.when) == ("UAV1", 4, True, True)
    assert (label.object_types, label.count) == (("vehicles", "drones"), ObjectCount(value=7))
    assert (label.degradations, label.other_degradation) == (("small_target", "others"), "complex background")
    assert label.issue_boxes == (
        PercentBox(
            x=65.68516421291045, y=51.0, width=1.5, height=3.0, labels=("too_small",), image_width_px=1920,
            image_height_px=1080,
        ),
    )  # fmt: skip
    assert label.what_boxes is not None
    assert (label.what_boxes[0].labels, label.what_boxes[0].rotation) == (("more_information",), 24.27)
    assert (label.who, label.why) == (("UAV2",), ("small_target",))
    assert (label.annotator, label.source_task, label.source_annotation) == ("1", 1, 1)
    assert (label.created_at, label.lead_time_s) == ("2025-06-24T06:17:08.956105Z", 12.5)
    assert (label.locator, entry.line, entry.dataset) == ("record 1", 2, "Real_2_UAVs")
    assert (label.corrections, entry.flags) == ((), ())
    assert entry.media == (
        ImportedMedium(name="23-00000001-UAV1.jpg", path="23-00000001-UAV1.jpg", view="UAV1"),
    )
    assert entry.scene is not None
    assert entry.scene.name == "23-00000001"
    assert [view.name for view in entry.scene.views] == ["23-00000001-UAV1.jpg", "23-00000001-UAV2.jpg"]
    assert other.scene == entry.scene


@pytest.mark.parametrize(
    ("text", "count", "is_noted"),
    [
        ("7", ObjectCount(value=7), False),
        (" 7 ", ObjectCount(value=7), True),
        (7, ObjectCount(value=7), True),
        ("around 60", ObjectCount(value=60, approximate=True), True),
        ("around  80", ObjectCount(value=80, approximate=True), True),
        ("around. 70", ObjectCount(value=70, approximate=True), True),
        ("around70", ObjectCount(value=70, approximate=True), True),
        ("60+", ObjectCount(value=60, approximate=True), True),
        ("60-70", ObjectCount(), True),
        ("7.5", ObjectCount(), True),
        ("-3", ObjectCount(), True),
        ("UAV1, UAV2", ObjectCount(), True),
        ("many", ObjectCount(), True),
        ("", ObjectCount(), True),
        ("9" * 40, ObjectCount(), True),
    ],
)
def test_count_when_free_text_then_number_with_its_certainty(
    read: Read, label_record: Make, text: object, count: ObjectCount, is_noted: bool
) -> None:
    result = read([label_record(Object_count=text)])
    assert result.records[0].count == count
    assert bool(result.notes("count")) == is_noted
    assert result.flags["count_not_integer"] == (count.value is None or count.approximate)


@pytest.mark.parametrize(
    ("text", "names", "is_noted", "is_unknown"),
    [
        ("UAV2", ("UAV2",), False, False),
        ("UAV2, UAV3", ("UAV2", "UAV3"), False, False),
        ("UAV2，UAV3", ("UAV2", "UAV3"), True, False),
        ("UAV2 ", ("UAV2",), True, False),
        ("uav 2 and UAV02", ("UAV2",), True, False),
        ("ＵＡＶ２", ("UAV2",), True, False),
        ("UAV11", ("UAV11",), False, False),
        ("None", (), True, False),
        ("none", (), True, False),
        ("noen", (), True, False),
        ("1", (), True, True),
        ("others", (), True, True),
        ("around 30", (), True, True),
        ({"choices": ["UAV2", "UAV3"]}, ("UAV2", "UAV3"), False, False),
        ("", None, False, False),
    ],
)
def test_partners_when_free_text_then_only_named_views(
    read: Read,
    label_record: Make,
    text: object,
    names: tuple[str, ...] | None,
    is_noted: bool,
    is_unknown: bool,
) -> None:
    result = read([label_record(Collaboration_who=text)])
    assert result.records[0].who == names
    assert bool(result.notes("who")) == is_noted
    assert result.flags["value_unknown"] == is_unknown


def test_partner_when_the_scene_lacks_it_then_flagged_unless_the_project_has_it(
    read: Read, label_record: Make
) -> None:
    record = label_record(Collaboration_when="1 (Yes)", Collaboration_who="UAV2")
    assert read([record]).flags["partner_unknown"] == 1
    asked: list[tuple[str, str]] = []

    def views_of(dataset: str, scene: str) -> frozenset[str]:
        asked.append((dataset, scene))
        return frozenset({"UAV2"})

    assert read([record], views_of=views_of).flags["partner_unknown"] == 0
    assert asked == [("Real_2_UAVs", "23-00000001")]


def test_swapped_count_and_partner_when_read_then_error_and_both_flagged(
    read: Read, label_record: Make
) -> None:
    result = read([label_record(Object_count="UAV1, UAV2", Collaboration_who="around 30")])
    assert result.flag("count_and_partner_swapped").severity == "error"
    assert result.flags["count_not_integer"] == 1
    assert result.flags["value_unknown"] == 1


@pytest.mark.parametrize(
    ("fields", "field", "value"),
    [
        ({"Quality": "fair (3/5)"}, "quality", 3),
        ({"Quality": "Fair"}, "quality", 3),
        ({"Usibility": "0"}, "usable", False),
        ({"Collaboration_when": "1（Yes）"}, "when", True),
        ({"Object_type": "vehicles"}, "object_types", ("vehicles",)),
        ({"Degradation": ["Others(Please fill in below)"]}, "degradations", ("others",)),
    ],
)
def test_value_when_spelt_in_another_way_then_read_with_a_note(
    read: Read, label_record: Make, fields: dict[str, object], field: str, value: object
) -> None:
    result = read([label_record(**fields)])
    assert getattr(result.records[0], field) == value
    assert [note.field for note in result.notes(field)] == [field]
    assert result.flags["value_unknown"] == 0


@pytest.mark.parametrize(
    ("fields", "field", "value"),
    [
        ({"Quality": "Superb"}, "quality", None),
        ({"Usibility": "perhaps"}, "usable", None),
        ({"Collaboration_when": "2 (Maybe)"}, "when", None),
        (
            {"Degradation": {"choices": ["Motion blur", "Image loss"]}},
            "degradations",
            ("Motion blur", "loss"),
        ),
        ({"Collaboration_why": "Because."}, "why", ("Because.",)),
    ],
)
def test_value_when_unknown_then_kept_as_it_came_and_flagged(
    read: Read, label_record: Make, fields: dict[str, object], field: str, value: object
) -> None:
    result = read([label_record(**fields)])
    assert getattr(result.records[0], field) == value
    assert result.flag("value_unknown").field == field


def test_usability_field_when_spelt_right_then_read_too(read: Read, label_record: Make) -> None:
    assert read([label_record(Usibility=None, Usability="0 (Unavailable)")]).records[0].usable is False


def test_answers_when_absent_or_null_then_not_given_and_empty_list_is_an_answer(
    read: Read, label_record: Make
) -> None:
    absent, empty = read(
        [
            label_record(Object_type=None, PerceptionIssues=None, Collaboration_who=None),
            label_record(img1="23-00000002-UAV1.jpg", Object_type={"choices": []}, PerceptionIssues=[]),
        ]
    ).records
    assert (absent.object_types, absent.issue_boxes, absent.who) == (None, None, None)
    assert (empty.object_types, empty.issue_boxes) == ((), ())


def test_text_when_blanks_around_it_then_stripped_with_a_note(read: Read, label_record: Make) -> None:
    result = read([label_record(**{"Other Degradation": " complex background\n"})])
    assert result.records[0].other_degradation == "complex background"
    assert result.notes("other_degradation")[0].original == " complex background\n"


def test_views_when_in_full_width_commas_and_upload_prefix_then_scene_of_three(
    read: Read, label_record: Make
) -> None:
    result = read([label_record(img1=SIM3.format(n=n), id=n, annotation_id=n) for n in (3, 1, 2)])
    assert {entry.dataset for entry in result.found} == {"Sim_3_UAVs"}
    assert {entry.scene.name for entry in result.found if entry.scene} == {"scene_004 frame_005"}
    scene = result.found[0].scene
    assert scene is not None
    assert [view.view for view in scene.views] == ["UAV1", "UAV2", "UAV3"]
    assert result.notes("medium")[0].original == SIM3.format(n=3)


def test_dataset_when_named_by_the_user_then_it_wins(read: Read, label_record: Make) -> None:
    assert read([label_record()], dataset="Ours").found[0].dataset == "Ours"


def test_image_when_annotated_twice_then_one_flag_per_image_with_all_records(
    read: Read, label_record: Make
) -> None:
    records = [label_record(id=n, annotation_id=n) for n in (1, 2, 3)]
    result = read([*records, label_record(img1="23-00000001-UAV2.jpg", id=4, annotation_id=4)])
    assert result.flags["annotated_twice"] == 1
    flag = result.flag("annotated_twice")
    assert (flag.on, flag.severity) == ("medium", "error")
    assert flag.evidence["records"] == ["record 1", "record 2", "record 3"]
    assert [entry.media[0].name for entry in result.found[:3]] == ["23-00000001-UAV1.jpg"] * 3


def test_picture_when_uploaded_under_one_name_twice_then_copies_stay_apart(
    read: Read, label_record: Make
) -> None:
    images = [SIM6.format(mark=mark, n=n) for mark in ("3c5ed8a3", "99aabbcc") for n in (1, 2)]
    result = read([label_record(img1=image, id=n, annotation_id=n) for n, image in enumerate(images)])
    names = [entry.media[0].name for entry in result.found]
    stem = "c0003-2023-01-01-10-45-200800_UAV_{n}_32456948"
    assert names == [
        f"{stem.format(n=1)}.jpg",
        f"{stem.format(n=2)}.jpg",
        f"{stem.format(n=1)} copy 2.jpg",
        f"{stem.format(n=2)} copy 2.jpg",
    ]
    scenes = [entry.scene.name for entry in result.found if entry.scene]
    assert (
        scenes
        == ["c0003-2023-01-01-10-45-200800_32456948"] * 2
        + ["c0003-2023-01-01-10-45-200800_32456948 copy 2"] * 2
    )
    assert result.flags == {"name_collides": 2}
    assert result.flag("name_collides").severity == "note"


def test_view_when_the_name_does_not_say_then_a_scene_of_its_own_and_a_note(
    read: Read, label_record: Make
) -> None:
    result = read(
        [
            label_record(
                img1=f"/data/upload/3/5064a99b-{stamp}.png",
                id=n,
                annotation_id=n,
                Collaboration_who="UAV4",
            )
            for n, stamp in enumerate(("1623936157944367872", "16239361579443678722"))
        ]
    )
    assert [entry.dataset for entry in result.found] == ["Sim_5_UAVs"] * 2
    assert len({entry.scene.name for entry in result.found if entry.scene}) == 2
    assert result.flags["view_unknown"] == 2
    assert result.flags["partner_unknown"] == 0


def test_ids_when_repeated_then_a_note_on_each_later_record(read: Read, label_record: Make) -> None:
    result = read(
        [label_record(img1=f"23-0000000{n}-UAV1.jpg", id=n // 2, annotation_id=5) for n in range(4)]
    )
    assert result.flags == {"annotation_id_repeated": 3, "task_id_repeated": 2}
    assert result.flag("annotation_id_repeated").evidence == {"first": "record 1"}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"img1": None}, "img1"),
        ({"img1": 7}, "img1"),
        ({"Quality": 5}, "Quality"),
        ({"Usibility": 1}, "Usibility"),
        ({"Collaboration_who": 2}, "Collaboration_who"),
        ({"img1": ["a"]}, "img1"),
        ({"img1": " "}, "img1"),
        ({"img1": "a" * 2000}, "img1"),
        ({"Object_count": {"n": 1}}, "Object_count"),
        ({"Object_type": 3}, "Object_type"),
        ({"Object_type": {"choices": "x", "more": 1}, "id": "one"}, "id"),
        ({"Degradation": {"choices": [1]}}, "Degradation.choices[0]"),
        ({"PerceptionIssues": {}}, "PerceptionIssues"),
        ({"PerceptionIssues": ["x"]}, "PerceptionIssues[0]"),
        ({"PerceptionIssues": [RECT, {**RECT, "x": "12"}]}, "PerceptionIssues[1].x"),
        ({"PerceptionIssues": [{**RECT, "height": True}]}, "PerceptionIssues[0].height"),
        ({"PerceptionIssues": [{**RECT, "rectanglelabels": 1}]}, "PerceptionIssues[0].rectanglelabels"),
        ({"Collaboration_what": [{**RECT, "original_width": -1}]}, "Collaboration_what[0].original_width"),
        ({"lead_time": "long"}, "lead_time"),
        ({"annotation_id": True}, "annotation_id"),
        ({"created_at": {}}, "created_at"),
    ],
)
def test_record_when_a_field_has_a_wrong_type_then_rejected_with_line_and_field(
    read: Read, label_record: Make, fields: dict[str, object], field: str
) -> None:
    good, bad = label_record(), label_record(**{"img1": "23-00000002-UAV1.jpg", **fields})
    result = read([good, bad, label_record(img1="23-00000003-UAV1.jpg", id=3, annotation_id=3)])
    assert len(result.found) == 2
    (rejected,) = result.rejected
    assert (rejected.locator, rejected.field) == ("record 2", field)
    assert rejected.message
    lines = json.dumps([good, bad], ensure_ascii=False, indent=1).split("\n")
    key = field.split(".", maxsplit=1)[0].split("[", maxsplit=1)[0]
    first = len(json.dumps([good], indent=1).split("\n"))
    expected = next((n for n, line in enumerate(lines, start=1) if n >= first and f'"{key}"' in line), first)
    assert rejected.line == expected


def test_records_when_crlf_and_bom_then_same_labels(read: Read, label_record: Make) -> None:
    text = json.dumps([label_record(Object_count="around 9")], ensure_ascii=False, indent=2)
    plain = read(text).records
    dressed = read(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()).records
    assert dressed == plain


def test_import_key_when_a_record_stands_there_twice_then_two_keys_that_stay(
    read: Read, label_record: Make
) -> None:
    one, two = label_record(), label_record(id=2)
    first = [record.import_key for record in read([one, one, two]).records]
    assert len(set(first)) == 3
    again = [record.import_key for record in read(json.dumps([two, one, one])).records]
    assert sorted(again) == sorted(first)
    assert read([one], dataset="Ours").records[0].import_key not in first


def test_progress_when_reading_then_two_phases_with_their_totals(tmp_path: Path, label_record: Make) -> None:
    path = tmp_path / "labels.json"
    path.write_text(json.dumps([label_record(), label_record(id=2)]))
    steps: list[ProgressUpdate] = []
    context = ImportContext(progress=Progress(steps.append))
    list(registry.get("aircop-labels").read(InputFile.open(path), context=context))
    phases = {(step.what, step.total) for step in steps}
    assert phases == {("Reading labels.json", 2), ("Adding labels.json", 2)}


def test_fields_when_mapped_then_read_under_the_names_of_the_file(
    read: Read, label_record: Callable[..., dict[str, Any]]
) -> None:
    content = [label_record(Object_count=None, Usibility=None, how_many="12", fit="1 (Available)")]
    (label,) = read(content, mapping={"Object_count": "how_many", "Usibility": "fit"}).records
    assert (label.count.value, label.usable) == (12, True)
