"""What the stage shows of a mark is what a release contains of it, to the pixel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath

import msgspec
import numpy as np
import pytest

from annotator.domain.link import Link
from annotator.domain.polyline import Polyline
from annotator.domain.region import Region
from annotator.media.model_images import save_model_images
from annotator.media.path_drawing import direction_points
from annotator.media.render import Overlay, Rendering
from annotator.progress import Progress
from tests.gui.stage.hands import HEIGHT, WIDTH, Hands, make_region, make_scene
from tests.gui.stage.test_model_input import shown_in
from widgets.stage.scene import StageScene

CORNERS = ((100.0, 80.0), (260.0, 90.0), (230.0, 200.0))
ROUTE = ((60.0, 300.0), (200.0, 250.0), (330.0, 310.0), (640.0, 280.0))
BOX = make_region("box", "m1", 3, (300, 100, 420, 180))


def _with(**fields: object) -> Region:
    return msgspec.structs.replace(BOX, **fields)


def _path(**fields: object) -> Polyline:
    return Polyline(**{"id": "p", "medium": "m1", "points": ROUTE} | fields)  # type: ignore[arg-type]


FAN = tuple(
    Polyline(id=f"f{n}", medium="m1", points=ends, label=f"Direction {n}", style="direction")
    for n, ends in enumerate(direction_points(WIDTH, HEIGHT), start=1)
)
MARKS = {
    "box": Overlay(regions=(BOX,)),
    "polygon": Overlay(regions=(_with(polygon=CORNERS),)),
    "point": Overlay(regions=(make_region("dot", "m1", 4, (200, 150, 200, 150)),)),
    "link": Overlay(
        regions=(BOX, make_region("other", "m2", 0, (20, 20, 60, 50))),
        links=(Link(id="l", scene="s", regions=("box", "other")),),
    ),
    "hidden place": Overlay(regions=(_with(state="occluded"),)),
    "place out of view": Overlay(regions=(_with(state="out_of_view", polygon=CORNERS),)),
    "path": Overlay(paths=(_path(), _path(id="q", points=CORNERS))),
    "labelled path": Overlay(paths=(_path(label="Direction 3"),)),
    "directions": Overlay(paths=FAN),
    "map path": Overlay(paths=(_path(),), is_map=True),
}
PATHS = ("path", "directions", "map path")
"""Marks that look on the stage as in a release; the outlines of regions are thinner on the stage."""


def scene_of(folder: FilePath, marks: Overlay) -> StageScene:
    made = make_scene(folder, marks=marks)
    if not marks.is_map:
        return made
    shown = made.media[0]
    as_map = replace(shown, medium=msgspec.structs.replace(shown.medium, media_type="map"))
    return replace(made, media=(as_map, *made.media[1:]))


def released(
    scene: StageScene, folder: FilePath, rendering: Rendering
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return the pixels of the file that a release contains."""
    from PIL import Image

    shown = scene.media[0]
    (path,) = save_model_images(
        shown.medium,
        file=shown.file,
        folder=folder / "released",
        marks=replace(scene.marks, is_map=bool(scene.maps)),
        rendering=rendering,
        progress=Progress(),
    )
    return np.asarray(Image.open(path).convert("RGB"))


def at_its_pixels(hands: Hands) -> None:
    hands.stage.resize(2 * WIDTH + 40, 2 * HEIGHT)
    hands.settle()
    hands.stage.viewports.show_pixels()
    hands.settle()


@pytest.mark.parametrize("kind", MARKS)
@pytest.mark.parametrize("rendering", ["detected", "annotated"])
def test_model_view_when_a_mark_is_shown_then_each_pixel_is_that_of_the_release(
    hands: Hands, tmp_path: FilePath, kind: str, rendering: Rendering
) -> None:
    scene = scene_of(tmp_path, MARKS[kind])
    hands.show(scene)
    hands.stage.choose_rendering(rendering)
    hands.stage.toggle_model()
    at_its_pixels(hands)
    shown, expected = shown_in(hands, 0), released(scene, tmp_path, rendering)
    assert np.array_equal(shown, expected)
    is_drawn = rendering == "annotated" or kind in {"box", "polygon", "point", "link"}
    clean = released(scene, tmp_path, "clean")
    assert np.array_equal(shown, clean) is not is_drawn


@pytest.mark.parametrize("kind", PATHS)
def test_stage_when_a_path_is_shown_then_each_pixel_is_that_of_the_release(
    hands: Hands, tmp_path: FilePath, kind: str
) -> None:
    scene = scene_of(tmp_path, MARKS[kind])
    hands.show(scene)
    at_its_pixels(hands)
    hands.stage.overlays.toggle("trail")
    shown, expected = shown_in(hands, 0), released(scene, tmp_path, "annotated")
    # The name of the view stands in the corner.
    shown, expected = shown[40:], expected[40:]
    assert np.array_equal(shown, expected)


def test_stage_when_a_region_moves_beside_a_path_then_the_path_stays_as_released(
    hands: Hands, tmp_path: FilePath
) -> None:
    scene = scene_of(tmp_path, replace(MARKS["path"], regions=(BOX,)))
    hands.show(scene)
    at_its_pixels(hands)
    moved_box = _with(box=make_region("", "", 0, (302, 40, 380, 60)).box)
    moved = replace(
        scene,
        marks=replace(scene.marks, regions=(moved_box,)),
    )
    hands.show(moved)
    expected = released(replace(moved, marks=MARKS["path"]), tmp_path, "annotated")
    assert np.array_equal(shown_in(hands, 0)[220:], expected[220:])
