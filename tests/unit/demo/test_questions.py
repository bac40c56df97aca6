from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from annotator.demo.flights import flight_file
from annotator.demo.marks import FOLDER, Marked, mark_places
from annotator.demo.moments import MOMENTS
from annotator.demo.movers import Mover
from annotator.demo.paint import CAR_COLOURS
from annotator.demo.pictures import Picture, Sight
from annotator.demo.questions import question_file
from annotator.domain import answers
from annotator.domain.item import Item
from annotator.sources import registry
from annotator.sources.input_file import InputFile

VIEWS = ("UAV1", "UAV2")


@pytest.fixture
def marked(pictures: list[Picture]) -> list[Marked]:
    return mark_places(pictures, places=("market-1", "school-1"), views=VIEWS)


@pytest.fixture
def rows(pictures: list[Picture], marked: list[Marked]) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in map(json.loads, question_file(pictures, marked).splitlines())}


def _items(data: bytes, path: Path) -> list[Item]:
    path.write_bytes(data)
    file = InputFile.open(path)
    found = registry.detect(file).read(file, context=registry.ReadContext(dataset="Demo"))
    return [entry.record for entry in found]


def test_marks_when_a_vehicle_is_hidden_then_it_gets_no_region(marked: list[Marked]) -> None:
    numbers = [[s.mover.number for s in view.sights] for view in marked if view.picture.shot.view == "UAV1"]
    assert all(1 not in seen for seen in numbers)


def test_marks_when_several_views_show_a_vehicle_then_it_is_preferred(marked: list[Marked]) -> None:
    one, two = ({s.mover.number for s in view.sights} for view in marked[:2])
    assert len(one & two) >= 9
    assert all(view.sights == tuple(sorted(view.sights, key=lambda s: s.x1)) for view in marked)


def test_marked_picture_when_drawn_then_the_clean_one_stays(
    pictures: list[Picture], marked: list[Marked]
) -> None:
    assert all(view.name == f"{FOLDER}/{view.picture.name}" for view in marked)
    assert all((p.image == p.image[0, 0]).all() for p in pictures)


def test_marked_picture_when_drawn_then_each_region_has_a_box_in_a_colour_of_its_own(
    draw: Callable[..., Picture], see: Callable[..., Sight]
) -> None:
    clean = draw(MOMENTS[0], MOMENTS[0].shots[0], [see(1, at=(80, 60)), see(2, at=(300, 200))])
    large = dataclasses.replace(clean, image=np.full((360, 640, 3), 90, np.uint8))
    marked = mark_places([large], places=(clean.moment.name,), views=("UAV1",))[0]
    drawn = cv2.imdecode(np.frombuffer(marked.jpeg, np.uint8), cv2.IMREAD_COLOR).astype(int)
    edges = [drawn[s.y1 + 30, s.x1 - 3] for s in marked.sights]
    assert all(np.ptp(edge) > 80 for edge in edges)
    assert np.abs(edges[0] - edges[1]).max() > 80
    assert np.abs(drawn[230, 330] - 90).max() < 8


def test_association_when_computed_then_pairs_show_the_same_vehicle(
    rows: dict[str, dict[str, Any]], marked: list[Marked]
) -> None:
    key = rows["A2A_Shared_Association_00001"]["GT"]
    one, two = marked[:2]
    for pair in key.split(", "):
        left, right = map(int, pair.split("-"))
        assert one.sights[left].mover.number == two.sights[right].mover.number


def test_box_when_asked_for_then_it_is_the_matching_regions_box(
    rows: dict[str, dict[str, Any]], marked: list[Marked]
) -> None:
    row = next(
        r for r in rows.values() if r["id"].startswith("A2A_Object_Matching") and r["GT"].startswith("[")
    )
    box = json.loads(row["GT"])
    assert box in [[s.x1, s.y1, s.x2, s.y2] for s in marked[1].sights]


def test_collaboration_when_options_are_drawn_then_only_the_key_shows_the_place(
    rows: dict[str, dict[str, Any]],
) -> None:
    asked = [r for name, r in rows.items() if name.startswith("A2A_Collaboration")]
    assert len({row["GT"] for row in asked}) == 4
    for row in asked:
        query, *options = (path.removeprefix("./").partition("-")[0] for path in row["image"])
        assert options["ABCD".index(row["GT"])] == query
        assert options.count(query) == 1


@pytest.mark.parametrize(
    ("right_m", "ahead_m", "clock"), [(0, 30, "12 o'clock"), (30, 0, "3 o'clock"), (-26, -15, "8 o'clock")]
)
def test_direction_when_computed_then_twelve_is_straight_ahead(
    pictures: list[Picture], right_m: float, ahead_m: float, clock: str
) -> None:
    picture = next(p for p in pictures if p.name == "market-1-UAV1.jpg")
    camera = picture.shot.camera
    cos, sin = np.cos(np.radians(camera.heading_deg)), np.sin(np.radians(camera.heading_deg))
    mover = Mover(
        number=1,
        kind="car",
        x_m=camera.x_m + right_m * cos + ahead_m * sin,
        y_m=camera.y_m + right_m * sin - ahead_m * cos,
        turn_deg=0,
        colour=CAR_COLOURS[0],
    )
    view = Marked(
        name="m", picture=picture, jpeg=b"", sights=(Sight(mover=mover, x1=0, y1=0, x2=9, y2=9, shown=1.0),)
    )
    rows = [json.loads(line) for line in question_file(pictures, [view]).splitlines()]
    assert next(row["GT"] for row in rows if row["id"].startswith("Direction")) == clock


def test_questions_when_read_by_the_importer_then_keys_are_answers_in_their_formats(
    pictures: list[Picture], marked: list[Marked], tmp_path: Path
) -> None:
    items = _items(question_file(pictures, marked), tmp_path / "questions.jsonl")
    assert len({item.answer_format for item in items}) >= 7
    assert all(item.task for item in items)
    assert all(answers.get(item.answer_format).parse(item.key).is_parsed for item in items)


def test_flights_when_read_by_the_importer_then_each_has_its_task(tmp_path: Path) -> None:
    items = _items(flight_file(), tmp_path / "flights.csv")
    assert [len(item.options) for item in items] == [5, 3, 3, 5, 7, 0]
    assert all(item.task for item in items)
