from __future__ import annotations

import math

import pytest

from annotator.domain.map_categories import map_categories, read_colours
from annotator.domain.map_path import MapPath, read_path, rooms_passed
from annotator.domain.region import Box, Region
from annotator.domain.topview_map import MapLimits, distance_to_line, read_map

SIZE = (1000, 800)


def region(number: int, category: str, box: tuple[float, float, float, float], **fields: object) -> Region:
    x1, y1, x2, y2 = box
    return Region(
        id=f"r{number}", medium="m", number=number, box=Box(x1=x1, y1=y1, x2=x2, y2=y2), category=category,
        **fields,  # type: ignore[arg-type]
    )  # fmt: skip


def test_categories_when_the_table_is_read_then_all_colours_differ_and_none_is_left_out() -> None:
    known = map_categories()
    colours = [category.colour for category in known.objects.values()]
    assert len({*colours, known.wall, known.floor, known.outside}) == len(colours) + 3
    assert all(len(colour) == 6 and int(colour, 16) >= 0 for colour in colours)
    assert not any(known.is_left_out(name) for name in known.objects)
    assert known.is_left_out("Wall")


def test_alike_when_groups_or_words_are_shared_then_categories_can_be_confused() -> None:
    known = map_categories()
    assert known.are_alike("chair", "ArmChair")
    assert known.are_alike("wooden desk", "desk lamp")
    assert not known.are_alike("bed", "sofa")
    # A toilet is an object, and a kind of room that is a bathroom.
    assert known.are_alike("toilet", "bathroom", are_rooms=True)
    assert not known.are_alike("toilet", "bathtub")


def test_colours_when_some_are_known_then_they_are_kept_and_all_differ() -> None:
    known = map_categories()
    # The colour that the table has for beds is given to another category.
    found = known.colours(["bed", "unheard of", "sofa"], known={"sofa": known.objects["bed"].colour})
    assert found["sofa"] == known.objects["bed"].colour
    assert list(found) == ["bed", "sofa", "unheard of"]
    assert len({*found.values()}) == 3
    # The demo's armchairs have the table's colour of walls.
    assert known.colours(["wall"], known={"armchair": known.wall})["wall"] != known.wall
    assert known.colours(["wall", "floor"], known={}) == {"floor": known.floor, "wall": known.wall}
    many = known.colours([f"thing {n}" for n in range(200)], known={})
    assert len({*many.values()}) == 200


@pytest.mark.parametrize("value", [None, "red", ["bed"], {"bed": 3}, {"bed": "red"}, {"bed": "#12345"}])
def test_read_colours_when_a_file_has_something_else_then_there_are_none(value: object) -> None:
    assert read_colours(value) == {}
    assert read_colours({"bed": "#A0b1C2"}) == {"bed": "a0b1c2"}


def test_read_map_when_objects_are_small_structural_or_nameless_then_they_are_counted_and_left_out() -> None:
    content = read_map(
        [
            region(3, "bed", (100, 100, 200, 200), height_m=0.5),
            region(1, "lamp", (300, 100, 307, 300)),
            region(2, "cup", (300, 100, 309, 109)),
            region(4, "Wall", (0, 0, 1000, 20)),
            region(5, " ", (400, 400, 500, 500)),
            region(0, "kitchen", (0, 0, 5, 5), is_room=True),
        ],
        size_px=SIZE,
    )
    assert [part.category for part in content.objects] == ["bed"]
    # Rooms are never left out: a room that is too small for a question is one all the same.
    assert [part.category for part in content.rooms] == ["kitchen"]
    assert content.left_out == {"too small": 2, "category left out": 1, "no category": 1}
    assert content.hidden == ("lamp", "cup", "Wall")
    lenient = read_map(
        [region(1, "lamp", (300, 100, 307, 300))], size_px=SIZE, limits=MapLimits(least_side_px=7)
    )
    assert len(lenient.objects) == 1


def test_by_height_when_sorted_then_the_lowest_comes_first_and_of_flat_ones_the_largest() -> None:
    content = read_map(
        [
            region(0, "wardrobe", (0, 0, 90, 90), height_m=2.0),
            region(1, "mat", (0, 0, 50, 50)),
            region(2, "rug", (0, 0, 300, 300)),
            region(3, "bed", (0, 0, 90, 90), height_m=0.5),
        ],
        size_px=SIZE,
    )
    assert [part.category for part in content.by_height()] == ["rug", "mat", "bed", "wardrobe"]


def test_part_when_it_has_an_outline_then_middle_area_and_distances_are_those_of_the_outline() -> None:
    # An L: two squares of 100 side by side, and one below the left one.
    outline = ((0.0, 0.0), (200.0, 0.0), (200.0, 100.0), (100.0, 100.0), (100.0, 200.0), (0.0, 200.0))
    (part,) = read_map(
        [region(0, "hall", (0, 0, 200, 200), polygon=outline, is_room=True)], size_px=SIZE
    ).rooms
    assert part.size_px2 == 30_000
    assert part.middle == pytest.approx((250 / 3, 250 / 3))
    assert part.holds((150, 50))
    assert not part.holds((150, 150))
    assert part.distance_to((50, 50)) == 0
    assert part.distance_to_edge((50, 50)) == 50
    assert part.distance_to((150, 150)) == 50
    assert distance_to_line((0, 0), (3, 4), (3, 4)) == 5
    (flat,) = read_map([region(0, "line", (10, 20, 10, 40), is_room=True)], size_px=SIZE).rooms
    assert flat.middle == (10, 30)


def test_room_at_when_rooms_share_an_edge_or_overlap_then_a_point_is_in_one_or_in_none() -> None:
    left, right = (
        region(n, kind, box, is_room=True)
        for n, kind, box in ((0, "a", (0, 0, 500, 800)), (1, "b", (500, 0, 1000, 800)))
    )
    content = read_map([left, right], size_px=SIZE)
    assert [room.category for x in (499.9, 500.0) if (room := content.room_at((x, 400)))] == ["a", "b"]
    overlap = region(2, "c", (400, 0, 600, 800), is_room=True)
    assert read_map([left, right, overlap], size_px=SIZE).room_at((450, 400)) is None
    assert content.room_at((450, 900)) is None


def _read(*points: tuple[float, float]) -> MapPath:
    path = read_path(points, diagonal_px=math.hypot(*SIZE))
    assert isinstance(path, MapPath)
    return path


def test_read_path_when_it_turns_then_sides_are_those_of_who_walks_along_it() -> None:
    # Up, then to the right of the map, then up again.
    path = _read((500, 700), (500, 400), (800, 400), (800, 400), (800, 100))
    assert [turn.side for turn in path.turns] == ["right", "left"]
    assert [turn.at for turn in path.turns] == [(500, 400), (800, 400)]
    assert len(path.points) == 4
    assert path.heading_deg == pytest.approx(math.degrees(math.atan2(300, 600)))
    assert path.reach_px == pytest.approx(math.hypot(300, 600))


@pytest.mark.parametrize(("bend_deg", "turns"), [(23, 0), (37, 1), (-37, 1), (149, 1)])
def test_read_path_when_a_bend_is_beyond_doubt_then_it_counts_over_30_degrees(
    bend_deg: float, turns: int
) -> None:
    angle = math.radians(bend_deg)
    assert (
        len(_read((100, 400), (500, 400), (500 + 300 * math.cos(angle), 400 + 300 * math.sin(angle))).turns)
        == turns
    )


def test_rooms_passed_when_a_path_returns_then_each_stay_comes_once_and_gaps_in_doors_do_not_part_it() -> (
    None
):
    rooms = [
        region(0, "hall", (0, 0, 480, 800), is_room=True),
        # A wall of 40 pixels is between them.
        region(1, "bath", (520, 0, 1000, 800), is_room=True),
    ]
    content = read_map(rooms, size_px=SIZE)
    there_and_back = _read((100, 200), (800, 200), (800, 600), (100, 600))
    passed = rooms_passed(there_and_back, content)
    assert isinstance(passed, list)
    assert [room.category for room in passed] == ["hall", "bath", "hall"]
