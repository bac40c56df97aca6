from __future__ import annotations

import json
from copy import deepcopy

import pytest

from annotator.domain.region import Box
from annotator.domain.rotated_box import rotated_box_of
from annotator.domain.scene import Scene
from tests.unit.importers.made import LABEL_STUDIO, LABEL_STUDIO_MIN
from tests.unit.importers.reading import Read


def test_regions_when_in_percent_then_pixels(read: Read) -> None:
    outcome = read(LABEL_STUDIO)
    assert outcome.format == "label-studio"
    plain, turned, roof = outcome.records[:3]
    assert plain.box == Box(x1=20, y1=20, x2=80, y2=60)
    assert (plain.category, plain.made_by) == ("Car", "label-studio")
    assert roof.polygon == ((0, 0), (100, 0), (100, 50))
    # 40 x 20 pixels at (100, 20), turned clockwise about that corner, hang down to its left.
    assert turned.box.x1 == pytest.approx(80)
    assert turned.box.y2 == pytest.approx(60)
    assert turned.polygon[1] == pytest.approx((100, 60))
    assert json.loads(bytes(plain.original))["id"] == "r1"
    medium = outcome.found[0].media[0]
    assert (medium.name, medium.kind) == ("one.jpg", "image")


@pytest.mark.parametrize("degrees", [12.5, 200.0, 359.0])
def test_rectangle_when_it_is_rotated_then_has_the_angle_and_sides_of_the_file(
    read: Read, degrees: float
) -> None:
    task = json.loads(json.dumps(LABEL_STUDIO[0]))
    task["annotations"][0]["result"][1]["value"]["rotation"] = degrees
    turned = rotated_box_of(read([task]).records[1])
    assert turned is not None
    assert (turned.width, turned.height, turned.angle_deg) == pytest.approx((40, 20, degrees))
    assert turned.corners()[0] == pytest.approx((100, 20))


def test_choices_when_about_the_picture_then_facts_of_its_scene(read: Read) -> None:
    assert read(LABEL_STUDIO).records[3] == Scene(name="one", metadata={"weather": ["sunny"]})


def test_brushes_when_read_then_told_that_they_are_not_taken(read: Read) -> None:
    assert [(e.locator, e.field) for e in read(LABEL_STUDIO).rejected] == [
        ("task 12, annotation 1, result 5", "rle")
    ]


def test_second_annotation_and_prediction_when_read_then_told_apart(read: Read) -> None:
    outcome = read(LABEL_STUDIO)
    second, predicted = outcome.found[4:6]
    assert {flag.kind for flag in second.flags} == {"annotations_several", "rect_unlabelled"}
    assert (predicted.record.made_by, predicted.record.score) == ("det-2", 0.5)
    assert predicted.flags == ()


def test_tracks_when_of_a_video_then_key_frames_and_the_spans_between(read: Read) -> None:
    outcome = read(LABEL_STUDIO)
    first, last, spans = outcome.found[6:]
    assert [first.record.frame, last.record.frame] == [0, 10]
    assert first.record.track == last.record.track == "v1"
    assert last.record.box == Box(x1=20, y1=0, x2=30, y2=10)
    assert (first.media[0].kind, first.media[0].path) == ("video", "clips/flight.mp4")
    assert first.record.import_key != last.record.import_key
    assert spans.record == Scene(name="flight", metadata={"lifespans": {"v1": [[0, 10]]}})


def test_json_min_when_of_another_form_than_aircops_then_read(read: Read) -> None:
    outcome = read(LABEL_STUDIO_MIN)
    assert outcome.format == "label-studio"
    assert outcome.records[0].box == Box(x1=20, y1=20, x2=80, y2=60)
    assert outcome.records[0].locator == "task 4, label 1"


def test_size_when_not_told_then_the_projects_or_words(read: Read) -> None:
    text = json.dumps(LABEL_STUDIO_MIN).replace("original_width", "ow").replace("original_height", "oh")
    assert "size of the image is unknown" in read(text).rejected[0].message
    known = read(text, size_of=lambda dataset, name: (100, 100))
    assert known.records[0].box == Box(x1=10, y1=20, x2=40, y2=60)


def test_original_when_numbers_are_spelt_oddly_then_kept_to_the_letter(read: Read) -> None:
    text = json.dumps(LABEL_STUDIO_MIN).replace('"x": 10', '"x": 10.50e0')
    assert b'"x":10.50e0' in bytes(read(text).records[0].original)


def test_task_when_alone_and_not_in_a_list_then_read_as_in_one(read: Read) -> None:
    listed, alone = read([LABEL_STUDIO[0]]), read(LABEL_STUDIO[0])
    assert alone.format == "label-studio"
    assert [entry.locator for entry in alone.rejected] == [entry.locator for entry in listed.rejected]
    assert [(r.record, r.media) for r in alone.found] == [(r.record, r.media) for r in listed.found]


def test_tasks_when_one_a_line_then_all_are_read(read: Read) -> None:
    text = "".join(f"{json.dumps(task)}\n" for task in LABEL_STUDIO)
    assert len(read(text).found) == len(read(LABEL_STUDIO).found)


def test_score_when_a_region_has_its_own_then_that_counts(read: Read) -> None:
    task = deepcopy(LABEL_STUDIO[0])
    (prediction,) = task["predictions"]
    first = prediction["result"][0]
    prediction["result"] = [{**first, "score": 0.875}, {**first, "id": "p2"}, {**first, "score": 8.75}]
    outcome = read([task])
    predicted = [record for record in outcome.records if getattr(record, "made_by", "") == "det-2"]
    assert [record.score for record in predicted] == [0.875, 0.5]
    assert [entry.field for entry in outcome.rejected if "predict" in entry.locator] == ["score"]
