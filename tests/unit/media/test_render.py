from __future__ import annotations

from itertools import combinations

import msgspec
import numpy as np
import pytest

from annotator.domain.link import Link
from annotator.domain.polyline import Polyline
from annotator.domain.region import Box, Region
from annotator.media.path_drawing import DIRECTION_COLOURS, arrow_head, direction_points
from annotator.media.render import COLOURS, HALO, UNLINKED, Overlay, colour_numbers, render

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


MARKS = Overlay(
    regions=(region(0, (100, 100, 200, 160)), region(1, (400, 200, 430, 220), category="van")),
    links=(Link(id="l", scene="s", regions=("r1", "elsewhere")),),
    paths=(Polyline(id="p", medium="m", points=((50.0, 300.0), (300.0, 300.0)), label="Direction 1"),),
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
    boxes = [Overlay(regions=(region(3, (50, 60, 90, 90), category=name),)) for name in ("white van", "")]
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
        Overlay(regions=tuple(region(n, (0, 0, 9, 9), id=f"{view}{n}") for n in range(14)), links=links)
        for view in "ab"
    ]
    one, other = (list(colour_numbers(marks, rendering="annotated").values()) for marks in views)
    assert one == other
    assert UNLINKED not in one
    assert len(set(one)) == len(COLOURS) - 1


def test_names_when_a_box_fills_the_picture_then_stay_inside_it() -> None:
    drawn = render(grey(), marks=Overlay(regions=(region(7, (0, 0, 640, 360)),)), rendering="detected")
    plate = drawn[2:24, 2:80]
    assert plate.max() > 200
    assert tuple(drawn[180, 639]) == rgb(7)


def test_polygon_when_rendered_then_is_drawn_in_place_of_the_box() -> None:
    corners = ((100.0, 100.0), (200.0, 100.0), (200.0, 200.0))
    drawn = render(
        grey(),
        marks=Overlay(regions=(region(0, (100, 100, 200, 200), polygon=corners),)),
        rendering="detected",
    )
    assert tuple(drawn[150, 200]) == rgb(0)
    assert tuple(drawn[150, 150]) == rgb(0)
    assert np.all(drawn[180:199, 95:120] == GROUND)


def test_path_when_its_points_round_to_one_then_is_drawn_without_an_arrow() -> None:
    path = Polyline(id="p", medium="m", points=((50.1, 50.0), (50.2, 50.1)))
    drawn = render(grey(), marks=Overlay(paths=(path,)), rendering="annotated")
    assert tuple(drawn[50, 50]) == rgb(0)


def test_arrow_head_when_a_line_ends_in_the_same_point_twice_then_points_along_its_last_stretch() -> None:
    tip, one, other = arrow_head(np.array([[0, 0], [10, 0], [10, 0]], np.int32), length=6).tolist()
    assert tip == [13, 0]
    assert sorted((one, other)) == [[7, -3], [7, 3]]


@pytest.mark.parametrize("frame", [None, 12])
def test_marks_when_taken_of_a_medium_then_others_are_left_out(frame: int | None) -> None:
    here, there = region(0, (0, 0, 9, 9), frame=frame), region(1, (0, 0, 9, 9), medium="other")
    then = region(2, (0, 0, 9, 9), frame=99)
    marks = Overlay(regions=(here, there, then), links=MARKS.links, paths=MARKS.paths).of("m", frame=frame)
    assert marks.regions == (here,)
    assert marks.links == MARKS.links
    assert marks.paths == (() if frame else MARKS.paths)


def plates_of(drawn: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> int:
    """Return how many pixels are covered by letters, which alone are brighter than any line here."""
    return int(np.count_nonzero(drawn.min(axis=2) > 200))


def point(number: int, x: float, y: float) -> Region:
    return region(number, (x, y, x, y))


def test_point_when_rendered_then_a_ring_is_around_it_and_its_pixel_stays() -> None:
    drawn = render(grey(), marks=Overlay(regions=(point(3, 320, 180),)), rendering="detected")
    assert tuple(drawn[180, 320]) == (GROUND,) * 3
    assert tuple(drawn[180, 325]) == tuple(drawn[175, 320]) == rgb(3)
    assert np.all(drawn[:150] == GROUND)
    assert plates_of(drawn[150:172, 300:420]) > 20


@pytest.mark.parametrize(("width", "height"), [(64, 64), (40, 300), (300, 24), (4000, 2250)])
def test_names_when_the_picture_is_tiny_or_large_then_stay_inside_and_can_be_read(
    width: int, height: int
) -> None:
    for x, y in ((0, 0), (width, height), (0, height), (width, 0), (width / 2, height / 2)):
        drawn = render(grey(width, height), marks=Overlay(regions=(point(128, x, y),)), rendering="detected")
        letters = np.nonzero(drawn.min(axis=2) > 200)
        assert len(letters[0]) > 15
        plate = np.nonzero(np.all(drawn == (20, 22, 26), axis=2))
        # Right of the last letter there is still plate, so nothing of the name is cut off.
        assert plate[1].max() > letters[1].max()
        assert plate[0].min() <= letters[0].min()


def test_names_when_two_regions_lie_on_each_other_then_do_not_cover_each_other() -> None:
    one = render(grey(), marks=Overlay(regions=(region(3, (200, 100, 400, 200)),)), rendering="detected")
    both = Overlay(regions=(region(3, (200, 100, 400, 200)), region(3, (200, 100, 400, 200), id="other")))
    assert plates_of(render(grey(), marks=both, rendering="detected")) >= 2 * plates_of(one)


def test_outline_when_a_polygon_reaches_the_edge_then_its_line_is_on_the_last_pixel() -> None:
    corners = ((0.0, 0.0), (640.0, 0.0), (640.0, 360.0), (0.0, 360.0))
    whole = region(1, (0, 0, 640, 360), polygon=corners)
    drawn = render(grey(), marks=Overlay(regions=(whole,)), rendering="detected")
    assert tuple(drawn[180, 639]) == tuple(drawn[359, 320]) == tuple(drawn[180, 0]) == rgb(1)


def test_lines_when_the_picture_is_larger_then_are_as_wide_in_share_of_it() -> None:
    widths = []
    for scale in (1, 4):
        box = (200.0 * scale, 100.0 * scale, 400.0 * scale, 200.0 * scale)
        marks = Overlay(regions=(region(1, box),))
        drawn = render(grey(1000 * scale, 500 * scale), marks=marks, rendering="detected")
        column = drawn[150 * scale, 190 * scale : 210 * scale]
        widths.append(int(np.count_nonzero(np.all(column == rgb(1), axis=1))))
    # OpenCV draws lines of an even width one pixel wider.
    assert widths == [1, 5]


# From linear red, green, blue to what people without a kind of cones see.
# Source: Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
# Deficiency", 2009, severity 1.
EYES = {
    "all cones": np.eye(3),
    "no green cones": np.array(
        (
            (0.367322, 0.860646, -0.227968),
            (0.280085, 0.672501, 0.047413),
            (-0.011820, 0.042940, 0.968881),
        )
    ),
    "no red cones": np.array(
        (
            (0.152286, 1.052583, -0.204868),
            (0.114503, 0.786281, 0.099216),
            (-0.003882, -0.048116, 1.051998),
        )
    ),
}
GROUNDS = {"grass": (90, 110, 60), "asphalt": (120, 120, 120), "sand": (190, 170, 130), "halo": HALO}


def seen(colour: tuple[int, ...], *, eyes: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return lightness, a and b of a colour as somebody sees it (CIE 1976, D65)."""
    share = np.array(colour) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    linear = np.clip(EYES[eyes] @ linear, 0, 1)
    to_xyz = np.array(((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505)))
    part = to_xyz @ linear / (0.9505, 1.0, 1.089)
    x, y, z = np.where(part > 0.008856, np.cbrt(part), 7.787 * part + 16 / 116)
    return np.array((116 * y - 16, 500 * (x - y), 200 * (y - z)))


@pytest.mark.parametrize(("eyes", "apart"), [("all cones", 27), ("no green cones", 16), ("no red cones", 16)])
def test_colours_when_seen_by_different_eyes_then_stay_apart(eyes: str, apart: float) -> None:
    colours = [seen(rgb(number), eyes=eyes) for number in range(len(COLOURS))]
    distances = [float(np.linalg.norm(one - other)) for one, other in combinations(colours, 2)]
    assert min(distances) >= apart


@pytest.mark.parametrize(("ground", "apart"), [("grass", 36), ("asphalt", 36), ("sand", 36), ("halo", 50)])
def test_colours_when_on_a_ground_then_stand_out(ground: str, apart: float) -> None:
    distances = [
        float(np.linalg.norm(seen(rgb(number), eyes="all cones") - seen(GROUNDS[ground], eyes="all cones")))
        for number in range(len(COLOURS))
    ]
    assert min(distances) >= apart


@pytest.mark.parametrize(("label", "is_written"), [("route", True), ("Direction 3", False)])
def test_path_when_its_label_is_the_answer_then_it_is_not_written(label: str, *, is_written: bool) -> None:
    plain = Polyline(id="p", medium="m", points=((50.0, 200.0), (300.0, 200.0)))
    labelled = msgspec.structs.replace(plain, label=label)
    one, other = (render(grey(), marks=Overlay(paths=(p,)), rendering="annotated") for p in (plain, labelled))
    assert np.array_equal(one, other) is not is_written


def test_directions_when_rendered_then_have_the_published_colours_from_right_to_left() -> None:
    paths = tuple(
        Polyline(id=f"p{n}", medium="m", points=ends, label=f"Direction {n}", style="direction")
        for n, ends in enumerate(direction_points(640, 360), start=1)
    )
    drawn = render(grey(), marks=Overlay(paths=paths), rendering="annotated")
    middles = [((x1 + x2) / 2, (y1 + y2) / 2) for (x1, y1), (x2, y2) in direction_points(640, 360)]
    assert [tuple(drawn[round(y), round(x)].tolist()) for x, y in middles] == list(DIRECTION_COLOURS)
    assert [x for x, _ in middles] == sorted((x for x, _ in middles), reverse=True)
    assert np.all(render(grey(), marks=Overlay(paths=paths), rendering="detected") == GROUND)


def test_hidden_place_when_rendered_then_is_dashed_and_left_out_of_detected_regions() -> None:
    area_region = region(4, (100, 100, 300, 220), state="occluded")
    annotated = render(grey(), marks=Overlay(regions=(area_region,)), rendering="annotated")
    side = annotated[100, 110:290].reshape(-1, 3)
    is_drawn = np.all(side == rgb(4), axis=1)
    assert 0.3 < is_drawn.mean() < 0.7
    assert tuple(annotated[100, 100].tolist()) == rgb(4)
    assert np.all(render(grey(), marks=Overlay(regions=(area_region,)), rendering="detected") == GROUND)


def test_region_when_category_source_and_score_differ_then_no_rendering_shows_it() -> None:
    plain = region(3, (50, 60, 190, 190))
    told = msgspec.structs.replace(
        plain, category="red van", made_by="yolo11n", score=0.41, source="coco", track="van 7", visible=0.3
    )
    for rendering in ("detected", "annotated"):
        one, other = (
            render(grey(), marks=Overlay(regions=(one,)), rendering=rendering)  # type: ignore[arg-type]
            for one in (plain, told)
        )
        assert np.array_equal(one, other)
