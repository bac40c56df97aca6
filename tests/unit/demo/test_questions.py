from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotator.demo.camera import Camera
from annotator.demo.captures import Captures
from annotator.demo.cases import QUESTION_SLIPS
from annotator.demo.questions import path_direction, question_file, transformation
from annotator.demo.truth import VisibleObject
from annotator.domain import answers
from annotator.domain.item import Item
from annotator.importers import registry
from annotator.importers.imported_record import ImportedRecord
from annotator.importers.importer import ImportContext
from annotator.importers.input_file import InputFile

Rows = dict[str, dict[str, Any]]


@pytest.fixture
def rows(undrawn: Captures) -> Rows:
    return {row["id"]: row for row in map(json.loads, question_file(undrawn).splitlines())}


@pytest.fixture
def drawn_rows(small_demo: tuple[Captures, Path]) -> Rows:
    return {row["id"]: row for row in map(json.loads, question_file(small_demo[0]).splitlines())}


def _of(rows: Rows, task: str) -> list[dict[str, Any]]:
    return [row for name, row in rows.items() if name.rsplit("_", 1)[0] == task]


def test_association_when_computed_then_pairs_show_the_same_vehicle(rows: Rows, undrawn: Captures) -> None:
    row = _of(rows, "A2A_Shared_Association")[0]
    regions = {m.name: [s.mover.number for s in m.visible_objects] for m in undrawn.marked}
    one, two = (regions[image.removeprefix("./")] for image in row["image"])
    pairs = [tuple(map(int, pair.split("-"))) for pair in row["GT"].split(", ")]
    assert {(one[a], two[b]) for a, b in pairs} == {(n, n) for n in set(one) & set(two)}


def test_box_when_asked_for_then_both_boxes_are_of_one_vehicle(rows: Rows, undrawn: Captures) -> None:
    row = next(r for r in _of(rows, "A2A_Object_Matching") if r["GT"].startswith("["))
    asked = json.loads(row["conversations"][0]["value"].split("box ")[1].split("]")[0] + "]")
    numbers = []
    for image, box in zip(row["image"], (asked, json.loads(row["GT"])), strict=True):
        view = next(m for m in undrawn.marked if m.name == image.removeprefix("./"))
        numbers.append({s.mover.number for s in view.visible_objects if [s.x1, s.y1, s.x2, s.y2] == box})
    assert len(numbers[0] & numbers[1]) == 1


def test_distance_when_compared_then_the_depth_of_the_drawn_region_agrees(
    drawn_rows: Rows, small_demo: tuple[Captures, Path]
) -> None:
    asked = _of(drawn_rows, "Distance_Comparison")
    assert asked
    for row in asked:
        view = next(m for m in small_demo[0].marked if m.name == row["image"][0].removeprefix("./"))
        camera = view.picture.shot.camera
        # The length of the ray to the middle of the box, from its measured depth.
        far = []
        for s in view.visible_objects:
            point = camera.unproject(
                np.array((((s.x1 + s.x2) / 2, (s.y1 + s.y2) / 2),)), depth_m=np.array((s.depth_m,))
            )
            far.append(float(np.linalg.norm(point[0] - camera.position_m)))
        pick = np.argmin(far) if "closest" in row["conversations"][0]["value"] else np.argmax(far)
        assert row["GT"] == f"Region {pick}"


def test_occluder_when_asked_for_then_it_is_the_region_of_what_hides(rows: Rows, undrawn: Captures) -> None:
    row = _of(rows, "A2A_Occlusion_Removal")[0]
    two = next(m for m in undrawn.marked if m.name == row["image"][1].removeprefix("./"))
    assert two.visible_objects[int(row["GT"].split()[1])].mover.number == 1003


def test_collaboration_when_options_are_drawn_then_only_the_key_shows_the_place(rows: Rows) -> None:
    for row in _of(rows, "A2A_Collaboration_Recognition"):
        query, *options = (path.removeprefix("./").partition("-")[0] for path in row["image"])
        assert options["ABCD".index(row["GT"])] == query
        assert options.count(query) == 1


@pytest.mark.parametrize(
    ("right_m", "ahead_m", "clock"),
    [(0, 30, "12 o'clock"), (30, 0, "3 o'clock"), (-26, -15, "8 o'clock"), (15, 26, "1 o'clock")],
)
def test_direction_when_computed_then_twelve_is_straight_ahead(
    undrawn: Captures, see: Any, right_m: float, ahead_m: float, clock: str
) -> None:
    view = undrawn.marked[0]
    camera = view.picture.shot.camera
    cos, sin = np.cos(np.radians(camera.heading_deg)), np.sin(np.radians(camera.heading_deg))
    location = camera.x_m + right_m * cos + ahead_m * sin, camera.y_m + right_m * sin - ahead_m * cos
    marked = dataclasses.replace(view, visible_objects=(see(1, position=location),))
    captures = dataclasses.replace(undrawn, marked=(marked,))
    rows = [json.loads(line) for line in question_file(captures).splitlines()]
    assert next(row["GT"] for row in rows if row["id"].startswith("Direction")) == clock


def test_transformation_when_computed_then_it_is_that_of_the_relative_rotation() -> None:
    one = Camera(x_m=10, y_m=20, altitude_m=40, heading_deg=350, tilt_deg=40)
    two = Camera(x_m=40, y_m=60, altitude_m=40, heading_deg=80, tilt_deg=40)
    turn, move_m = transformation(one, two)
    assert (turn, move_m) == pytest.approx((90, 50))
    # Between cameras of one tilt the relative rotation is a turn about the world's vertical.
    relative = two.rotation.T @ one.rotation
    assert np.degrees(np.arctan2(relative[1, 0], relative[0, 0])) == pytest.approx(-turn)
    centres = [-c.rotation.T @ c.translation_m for c in (one, two)]
    assert np.linalg.norm(centres[1] - centres[0]) == pytest.approx(move_m)


@pytest.mark.parametrize(("angle", "direction"), [(15, 1), (74, 3), (165, 6), (30, 0), (-40, 0)])
def test_path_when_a_thing_lies_at_an_angle_then_the_arrow_nearest_to_it_is_named(
    see: Any, angle: float, direction: int
) -> None:
    ground = Camera(x_m=0, y_m=0, altitude_m=1.7, heading_deg=0, tilt_deg=90)
    position = (20 * float(np.cos(np.radians(angle))), -20 * float(np.sin(np.radians(angle))))
    thing: VisibleObject = see(1, position=position)
    assert path_direction(ground, thing) == direction


def test_questions_when_read_by_the_importer_then_keys_are_answers_in_their_formats(
    undrawn: Captures, tmp_path: Path
) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_bytes(question_file(undrawn))
    read = registry.get("spatialuav").read(
        InputFile.open(path), context=ImportContext(dataset="Demo")  # type: ignore[arg-type]
    )  # fmt: skip
    items = [
        found.record for found in read if isinstance(found, ImportedRecord) and isinstance(found.record, Item)
    ]
    assert len({item.answer_format for item in items}) >= 8
    assert all(item.task for item in items)
    assert all(answers.get(item.answer_format).parse(item.answer_key).is_parsed for item in items)


def test_slips_when_listed_then_the_file_has_them(rows: Rows) -> None:
    slips = {slip.kind: rows[f"{slip.task}_{slip.number:05d}"]["GT"] for slip in QUESTION_SLIPS}
    assert slips["unknown_region"] == "Region 27"
    assert slips[""].endswith("o'clock.")
