from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from annotator.domain.region import Box
from annotator.importers import json_tables
from tests.unit.importers.made import COCO
from tests.unit.importers.reading import Read


def with_annotation(**fields: Any) -> dict[str, Any]:
    coco = deepcopy(COCO)
    coco["annotations"] = [{**coco["annotations"][0], **fields}]
    return coco


def test_boxes_when_tables_come_after_annotations_then_names_and_categories_are_known(read: Read) -> None:
    outcome = read(COCO)
    assert outcome.format == "coco"
    assert not outcome.rejected
    first, crowd, scored = outcome.records
    assert first.box == Box(x1=10, y1=20.5, x2=40, y2=60.5)
    assert first.polygon == ((10, 20.5), (40, 20.5), (40, 60.5))
    assert (first.category, first.track, first.score, first.made_by) == ("car", "5", 1.0, "coco")
    assert [found.media[0].name for found in outcome.found] == ["a/one.jpg", "a/one.jpg", "two.jpg"]
    assert crowd.polygon == ()
    assert json.loads(bytes(crowd.original))["segmentation"]["counts"] == [3, 5]
    assert (scored.category, scored.score, scored.box) == ("9", 0.25, Box(x1=1, y1=1, x2=9, y2=9))
    assert outcome.flags == {"crowd_box": 1, "box_outside": 1, "category_unknown": 1}


def test_box_when_it_leaves_the_picture_then_cut_with_a_note(read: Read) -> None:
    outcome = read(with_annotation(bbox=[90, -0.5, 30, 30]))
    assert outcome.records[0].box == Box(x1=90, y1=0, x2=100, y2=29.5)
    assert outcome.notes("box")[0].original == [90, -0.5, 120, 29.5]
    assert outcome.flag("box_outside").severity == "warning"


def test_box_when_wholly_outside_then_kept_as_it_is_and_flagged_as_an_error(read: Read) -> None:
    outcome = read(with_annotation(bbox=[300, 10, 5, 5]))
    assert outcome.records[0].box == Box(x1=300, y1=10, x2=305, y2=15)
    assert outcome.flag("box_outside").severity == "error"


@pytest.mark.parametrize(
    ("field", "value"),
    [("bbox", [1, 2, -3, 4]), ("bbox", [1, 2, 3]), ("bbox", [1, 2, 1e308, 4]), ("bbox", [1, 2, 10**18, 4]),
     ("bbox", None), ("image_id", 99), ("image_id", None), ("segmentation", [[1, 2, 3]]), ("score", 7)],
)  # fmt: skip
def test_annotation_when_it_cannot_be_taken_then_told_with_its_field_and_line(
    read: Read, field: str, value: object
) -> None:
    extra = {"segmentation": None} if field == "bbox" else {}
    coco = with_annotation(**{field: value}, **extra)
    outcome = read(coco)
    assert [entry.field for entry in outcome.rejected] == [field]
    text = json.dumps(coco, indent=1).split("\n")
    assert text[outcome.rejected[0].line - 1].strip().startswith(f'"{field}":')
    assert outcome.rejected[0].locator == "annotations 1"
    assert not outcome.found


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [("bbox", [1, 2, 10**400, 4], "bbox[2]"), ("more", {"n": [2**63]}, "more.n[0]")],
)
def test_whole_number_when_beyond_64_bits_at_any_depth_then_told_with_its_place(
    read: Read, field: str, value: object, told: str
) -> None:
    outcome = read(with_annotation(**{field: value}))
    assert [(entry.field, "outside the supported range" in entry.message) for entry in outcome.rejected] == [
        (told, True)
    ]


def test_polygon_when_of_several_parts_or_a_million_points_then_the_box_is_kept(read: Read) -> None:
    parts = read(with_annotation(segmentation=[[1, 1, 2, 2, 3, 3], [4, 4, 5, 5, 6, 6]]))
    assert parts.records[0].polygon == ()
    assert parts.notes("polygon")[0].original == 2
    huge = read(json.dumps(with_annotation(segmentation=[[1, 2] * 100_000])), name="huge.json")
    assert huge.records[0].polygon == ()
    assert huge.notes("polygon")[0].original == 100_000


def test_frames_when_pictures_belong_to_a_video_then_frames_of_its_folder(read: Read) -> None:
    coco = {
        "videos": [{"id": 1, "name": "M0101"}],
        "images": [
            {"id": 5, "video_id": 1, "file_name": "M0101/img2.jpg", "width": 100, "height": 80},
            {"id": 4, "video_id": 1, "file_name": "M0101/img1.jpg", "width": 100, "height": 80},
        ],
        "annotations": [{"id": 1, "image_id": 5, "track_id": 3, "category_id": 1, "bbox": [1, 2, 3, 4]}],
        "categories": [{"id": 1, "name": "car"}],
    }
    outcome = read(coco)
    assert outcome.records[0].frame == 1
    assert outcome.records[0].track == "3"
    medium = outcome.found[0].media[0]
    assert (medium.name, medium.path, medium.kind) == ("M0101", "M0101", "frames")


def test_tracks_when_an_annotation_has_a_box_per_frame_then_a_region_each(read: Read) -> None:
    coco = {
        "videos": [{"id": 1, "file_names": ["v/0.jpg", "v/1.jpg", "v/2.jpg"], "width": 50, "height": 50}],
        "annotations": [
            {"id": 9, "video_id": 1, "category_id": 1, "bboxes": [[1, 2, 3, 4], None, [2, 2, 3, 4]]}
        ],
        "categories": [{"id": 1, "name": "car"}],
    }
    outcome = read(coco)
    assert [record.frame for record in outcome.records] == [0, 2]
    assert len({record.import_key for record in outcome.records}) == 2


def test_records_when_one_is_broken_then_the_others_are_taken(read: Read) -> None:
    text = json.dumps(COCO).replace('"category_id": 2, "bbox": [90, 40, 30, 30]', '"category_id": nope')
    outcome = read(text)
    assert len(outcome.records) == 2
    assert [entry.locator for entry in outcome.rejected] == ["annotations 2"]


def test_records_when_a_bracket_is_lost_then_reading_goes_on_at_the_next(read: Read) -> None:
    text = json.dumps(COCO).replace('60.5]], "track_id": 5}', '60.5]], "track_id": 5')
    outcome = read(text)
    assert len(outcome.rejected) == 1
    assert len(outcome.records) == 2


def many(read_count: int) -> str:
    coco = deepcopy(COCO)
    coco["annotations"] = [{**coco["annotations"][0], "id": number} for number in range(read_count)]
    # Annotations last: what breaks in them hides no other table.
    coco["annotations"] = coco.pop("annotations")
    return json.dumps(coco, indent=1)


def test_records_when_the_file_is_cut_off_then_the_rest_is_unknown(read: Read) -> None:
    outcome = read(many(40)[:-900])
    assert outcome.records
    assert outcome.rejected[-1].unread is None


def test_records_when_one_hides_the_rest_then_their_number_is_told(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a large file: beyond this the next record is not looked for.
    monkeypatch.setattr(json_tables, "RESYNC_CHARACTERS", 10)
    monkeypatch.setattr(json_tables, "WINDOW_BYTES", 512)
    text = many(40)
    outcome = read(text.replace('"id": 9,', '"id": 9, "x": ]]', 1))
    hidden = [entry for entry in outcome.rejected if entry.unread != 0]
    assert [entry.unread for entry in hidden] == [30]
    assert len(outcome.records) + len(outcome.rejected) + 30 == 40


def test_duplicate_key_when_read_then_refused_by_name(read: Read) -> None:
    outcome = read(json.dumps(COCO).replace('"id": 3,', '"id": 3, "score": 1, '))
    assert [(entry.field, entry.locator) for entry in outcome.rejected] == [("score", "annotations 3")]


def test_mapping_when_a_field_has_another_name_then_it_is_found(read: Read) -> None:
    text = json.dumps(COCO).replace('"bbox"', '"box_xywh"')
    assert len(read(text, mapping={"bbox": "box_xywh"}).records) == 3
    assert len(read(text).records) == 2


def test_file_when_larger_than_the_window_then_the_same_is_found(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = read(COCO)
    monkeypatch.setattr(json_tables, "WINDOW_BYTES", 7)
    pieces = read(COCO)
    assert pieces.found == whole.found
