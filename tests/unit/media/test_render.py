from __future__ import annotations

import numpy as np
import pytest

from annotator.domain.link import Link
from annotator.domain.path import Path
from annotator.domain.region import Box, Region
from annotator.media.render import COLOURS, UNLINKED, Marks, arrow_head, colour_numbers, render

GROUND = 90


def grey(width: int = 640, height: int = 360) -> np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]:
    return np.full((height, width, 3), GROUND, np.uint8)


def region(number: int, box: tuple[float, float, float, float], **values: object) -> Region:
    x1, y1, x2, y2 = box
    usual = {"id": f"r{number}", "medium": "m", "number": number, "box": Box(x1=x1, y1=y1, x2=x2, y2=y2)}
    return Region(**(usual | values))  # type: ignore[arg-type]


def rgb(number: int) -> tuple[int, ...]:
    colour = COLOURS[number]
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


MARKS = Marks(
    regions=(region(0, (100, 100, 200, 160)), region(1, (400, 200, 430, 220), category="van")),
    links=(Link(id="l", scene="s", regions=("r1", "elsewhere")),),
    paths=(Path(id="p", medium="m", points=((50.0, 300.0), (300.0, 300.0)), label="Direction 1"),),
)


def test_clean_when_rendered_then_is_the_picture_itself_in_an_array_of_its_own() -> None:
    picture = grey()
    drawn = render(picture, marks=MARKS, rendering="clean")
    assert np.array_equal(drawn, picture)
    assert not np.shares_memory(drawn, picture)


def test_detected_when_rendered_then_boxes_have_the_colours_of_their_numbers_and_paths_are_absent() -> None:
    drawn = render(grey(), marks=MARKS, rendering="detected")
    assert tuple(drawn[130, 100]) == rgb(0)
    # The last pixel of a box lies before its exclusive edge.
    assert tuple(drawn[130, 199]) == rgb(0)
    assert tuple(drawn[210, 400]) == rgb(1)
    assert np.all(drawn[105:155, 105:195] == GROUND)
    assert np.all(drawn[295:306, 100:330] == GROUND)


def test_detected_when_rendered_then_ids_stand_outside_their_boxes() -> None:
    drawn = render(grey(), marks=MARKS, rendering="detected")
    plate = drawn[80:98, 100:150]
    assert plate.min() < GROUND < plate.max()
    assert np.all(drawn[204:216, 404:426] == GROUND)


def test_detected_when_a_category_differs_then_the_picture_does_not() -> None:
    boxes = [Marks(regions=(region(3, (50, 60, 90, 90), category=name),)) for name in ("white van", "")]
    one, other = (render(grey(), marks=marks, rendering="detected") for marks in boxes)
    assert np.array_equal(one, other)


def test_annotated_when_rendered_then_links_have_one_colour_and_other_regions_are_white() -> None:
    drawn = render(grey(), marks=MARKS, rendering="annotated")
    assert tuple(drawn[130, 100]) == rgb(UNLINKED)
    assert tuple(drawn[210, 400]) == rgb(0)
    assert tuple(drawn[300, 200]) == rgb(0)
    assert tuple(drawn[300, 300]) == rgb(0)


def test_annotated_when_a_link_spans_views_then_each_view_gives_it_the_same_colour() -> None:
    links = tuple(Link(id=f"l{n}", scene="s", regions=(f"a{n}", f"b{n}")) for n in range(14))
    views = [
        Marks(regions=tuple(region(n, (0, 0, 9, 9), id=f"{view}{n}") for n in range(14)), links=links)
        for view in "ab"
    ]
    one, other = (list(colour_numbers(marks, rendering="annotated").values()) for marks in views)
    assert one == other
    assert UNLINKED not in one
    assert len(set(one)) == len(COLOURS) - 1


def test_names_when_a_box_fills_the_picture_then_stay_inside_it() -> None:
    drawn = render(grey(), marks=Marks(regions=(region(7, (0, 0, 640, 360)),)), rendering="detected")
    plate = drawn[2:24, 2:80]
    assert plate.max() > 200
    assert tuple(drawn[180, 639]) == rgb(7)


def test_polygon_when_rendered_then_is_drawn_in_place_of_the_box() -> None:
    corners = ((100.0, 100.0), (200.0, 100.0), (200.0, 200.0))
    drawn = render(
        grey(), marks=Marks(regions=(region(0, (100, 100, 200, 200), polygon=corners),)), rendering="detected"
    )
    assert tuple(drawn[150, 200]) == rgb(0)
    assert tuple(drawn[150, 150]) == rgb(0)
    assert np.all(drawn[180:199, 95:120] == GROUND)


def test_path_when_its_points_round_to_one_then_is_drawn_without_an_arrow() -> None:
    path = Path(id="p", medium="m", points=((50.1, 50.0), (50.2, 50.1)))
    drawn = render(grey(), marks=Marks(paths=(path,)), rendering="annotated")
    assert tuple(drawn[50, 50]) == rgb(0)


def test_arrow_head_when_a_line_ends_in_the_same_point_twice_then_points_along_its_last_stretch() -> None:
    tip, one, other = arrow_head(np.array([[0, 0], [10, 0], [10, 0]], np.int32), length=6).tolist()
    assert tip == [13, 0]
    assert sorted((one, other)) == [[7, -3], [7, 3]]


@pytest.mark.parametrize("frame", [None, 12])
def test_marks_when_taken_of_a_medium_then_others_are_left_out(frame: int | None) -> None:
    here, there = region(0, (0, 0, 9, 9), frame=frame), region(1, (0, 0, 9, 9), medium="other")
    then = region(2, (0, 0, 9, 9), frame=99)
    marks = Marks(regions=(here, there, then), links=MARKS.links, paths=MARKS.paths).of("m", frame=frame)
    assert marks.regions == (here,)
    assert marks.links == MARKS.links
    assert marks.paths == (() if frame else MARKS.paths)
