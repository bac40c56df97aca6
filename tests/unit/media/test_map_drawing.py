from __future__ import annotations

import hashlib

import numpy as np
import pytest

from annotator.demo.interiors.drawing import Scale, draw_semantic
from annotator.demo.interiors.floor_plan import make_plan
from annotator.domain.polyline import Polyline
from annotator.domain.region import Box, Region
from annotator.domain.topview_map import TopViewMap, read_map
from annotator.media.map_drawing import ARROW, BETWEEN, END, START, draw_map_path, draw_semantic_map
from annotator.media.render import Overlay, render

SIZE = (400, 300)
COLOURS = {"wardrobe": "0000ff", "rug": "00ff00", "plant": "ff0000", "floor": "dddddd", "wall": "222222"}
WALK = ((60.0, 240.0), (60.0, 60.0), (320.0, 60.0))


def region(number: int, category: str, box: tuple[float, float, float, float], **fields: object) -> Region:
    x1, y1, x2, y2 = box
    return Region(
        id=f"r{number}", medium="m", number=number, box=Box(x1=x1, y1=y1, x2=x2, y2=y2), category=category,
        **fields,  # type: ignore[arg-type]
    )  # fmt: skip


def content() -> TopViewMap:
    corners = ((250.0, 200.0), (350.0, 200.0), (250.0, 280.0))
    return read_map(
        [
            region(0, "wardrobe", (100, 100, 200, 180), height_m=2.0),
            region(1, "rug", (80, 80, 220, 200), height_m=0.01),
            region(2, "plant", (250, 200, 350, 280), polygon=corners),
            region(3, "cup", (10, 10, 13, 13)),
            region(4, "bedroom", (40, 40, 380, 290), is_room=True),
        ],
        size_px=SIZE,
    )


def test_semantic_map_when_drawn_then_higher_objects_cover_lower_ones_and_small_ones_are_left_out() -> None:
    picture = draw_semantic_map(content(), colours=COLOURS)
    assert picture.shape == (300, 400, 3)
    assert picture[140, 150].tolist() == [0, 0, 255]
    assert picture[90, 90].tolist() == [0, 255, 0]
    # A polygon is filled, not its box.
    assert picture[205, 255].tolist() == [255, 0, 0]
    assert picture[275, 345].tolist() != [255, 0, 0]
    # Outside, wall and floor, and nothing where the cup would be.
    assert len({tuple(pixel) for pixel in picture.reshape(-1, 3).tolist()}) == 6
    assert picture[11, 11].tolist() == picture[0, 0].tolist() == [255, 255, 255]


def test_semantic_map_when_compared_with_the_demo_then_the_objects_have_the_same_pixels() -> None:
    """The demo draws its maps from the floor plan with code of its own."""
    from tests.unit.draft.map_facts import facts_of, interior_of

    interior = interior_of("flat-3", rooms=6)
    facts = facts_of(interior)[0]
    view = next(view for view in facts.scene.views if view.name == "semantic")
    scale = Scale(interior.plan)
    marked = read_map(facts.regions[view.medium], size_px=(scale.size[0], scale.size[1]))
    colours = facts.scene.metadata["colours"]
    drawn = draw_semantic_map(marked, colours=colours)
    truth = draw_semantic(make_plan("flat-3", rooms=6, seed=7))[..., ::-1]
    for name, code in colours.items():
        if name in ("floor", "wall"):
            continue
        colour = [int(code[n : n + 2], 16) for n in (0, 2, 4)]
        assert ((drawn == colour).all(axis=2) == (truth == colour).all(axis=2)).all(), name


def test_map_path_when_drawn_then_triangle_star_arrows_and_points_have_the_published_colours() -> None:
    picture = np.full((300, 400, 3), 128, np.uint8)
    draw_map_path(picture, WALK)
    assert picture[240, 60].tolist() == list(START)
    assert picture[60, 320].tolist() == list(END)
    assert picture[60, 60].tolist() == list(BETWEEN)
    assert picture[150, 60].tolist() == list(ARROW)
    large = np.full((3000, 4000, 3), 128, np.uint8)
    draw_map_path(large, [(x * 10, y * 10) for x, y in WALK])
    # Models shrink images: a path of three pixels on a large map would vanish.
    assert (large == ARROW).all(axis=2).sum() > 40 * (picture == ARROW).all(axis=2).sum() / 2


def _marks(*, is_in_image: bool = False, is_map: bool = True) -> Overlay:
    path = Polyline(id="p", medium="m", points=WALK, label="route", is_in_image=is_in_image)
    return Overlay(regions=(region(3, "bed", (100, 100, 200, 180)),), paths=(path,), is_map=is_map)


def test_render_when_a_map_is_annotated_then_it_has_its_path_and_no_regions() -> None:
    ground = np.full((300, 400, 3), 128, np.uint8)
    expected = ground.copy()
    draw_map_path(expected, WALK)
    assert (render(ground, marks=_marks(), rendering="annotated") == expected).all()
    assert (render(ground, marks=_marks(), rendering="clean") == ground).all()
    assert (render(ground, marks=_marks(), rendering="detected") != ground).any()


@pytest.mark.parametrize("is_map", [True, False])
def test_render_when_the_image_itself_shows_the_path_then_it_is_not_drawn_again(*, is_map: bool) -> None:
    ground = np.full((300, 400, 3), 128, np.uint8)
    marks = _marks(is_in_image=True, is_map=is_map)
    without = Overlay(regions=marks.regions, is_map=is_map)
    drawn = render(ground, marks=marks, rendering="annotated")
    assert (drawn == render(ground, marks=without, rendering="annotated")).all()


def test_overlay_when_one_medium_is_taken_out_then_it_is_still_known_as_a_map() -> None:
    assert _marks().of("m").is_map
    assert not Overlay().of("m").is_map


def test_map_renderer_when_its_output_changes_then_this_number_does() -> None:
    picture = np.full((300, 400, 3), 120, np.uint8)
    draw_map_path(picture, WALK)
    assert hashlib.sha256(picture.tobytes()).hexdigest()[:12] == "b952153920cf"
