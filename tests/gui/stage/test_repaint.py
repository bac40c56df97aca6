from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.region import Box, Region
from annotator.media.render import Overlay
from tests.gui.stage.hands import make_region
from tests.gui.stage.test_painting import noise, pixels_of
from widgets.medium_view import MediumView
from widgets.overlay_kinds import OverlayKinds
from widgets.stage import repaint
from widgets.stage.annotations_update import update_annotations
from widgets.stage.canvas import StageCanvas
from widgets.stage.image_cache import LoadedImage
from widgets.stage.list_change import ListChange
from widgets.stage.pyramid import make_pyramid
from widgets.stage.view_annotations import ViewAnnotations

Pixels = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
WIDTH, HEIGHT = 640, 360
NO_NUMBERS = replace(OverlayKinds(), numbers=False)


def some_regions(count: int = 60) -> tuple[Region, ...]:
    rng = np.random.default_rng(3)
    corners = rng.integers(0, 300, (count, 2)).astype(float).tolist()
    sides = rng.integers(4, 60, (count, 2)).tolist()
    regions = [
        make_region(f"r{n:03}", "m", n, (x, y, x + wide, min(HEIGHT, y + high)))
        for n, ((x, y), (wide, high)) in enumerate(zip(corners, sides, strict=True))
    ]
    corners = ((50.0, 60.0), (120.0, 70.0), (80.0, 140.0))
    box = Box(x1=50.0, y1=60.0, x2=120.0, y2=140.0)
    regions[7] = msgspec.structs.replace(regions[7], box=box, polygon=corners)
    regions[8] = make_region("r008", "m", 8, (90, 90, 90, 90))
    return tuple(regions)


@pytest.fixture
def canvas(qtbot: QtBot) -> StageCanvas:
    medium = Medium(id="m", name="a.jpg", width_px=WIDTH, height_px=HEIGHT)
    made = StageCanvas(MediumView(view="UAV1", medium=medium, file=None))
    qtbot.addWidget(made)
    made.resize(1100, 700)
    made.show()
    made.take_loaded(LoadedImage(pyramid=make_pyramid(noise(WIDTH, HEIGHT))))
    made.show_marks(ViewAnnotations(marks=Overlay(regions=some_regions())))
    made.show_kinds(NO_NUMBERS)
    return made


@pytest.fixture
def painted_parts(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Sizes of the parts that are painted anew."""
    sizes: list[tuple[int, int]] = []
    paint = repaint.paint_marks

    def note(ground, marks, **options):  # type: ignore[no-untyped-def]
        sizes.append((ground.width(), ground.height()))
        return paint(ground, marks, **options)

    monkeypatch.setattr(repaint, "paint_marks", note)
    return sizes


def changed(marks: ViewAnnotations, regions: ListChange[Region]) -> ViewAnnotations:
    after = Overlay(regions=tuple(regions.apply(marks.marks.regions)))
    return update_annotations(marks, marks=after, regions=regions, link_colours=marks.link_colour_indices)


def added(box: tuple[float, float, float, float]) -> ListChange[Region]:
    return ListChange(inserted=((60, make_region("new", "m", 60, box)),))


def whole(canvas: StageCanvas) -> Pixels:
    """Return the view as it looks when all of it is painted anew."""
    canvas.refresh()
    return pixels_of(canvas.ground())


def is_alike(one: Pixels, other: Pixels) -> bool:
    """Tell whether two images look the same: Qt rounds colours between pixels by where a part begins."""
    return int(np.abs(one.astype(int) - other.astype(int)).max()) <= 1


CHANGES = {
    "a box": added((310, 30, 350, 70)),
    "a box across others": added((135, 20, 290, 130)),
    "a point": added((200, 100, 200, 100)),
    "a box at the edge": added((0, 300, 40, 360)),
    "a box gone": ListChange[Region](removed=(5,)),
    "a polygon gone": ListChange[Region](removed=(7,)),
    "a point gone": ListChange[Region](removed=(8,)),
    "a box moved": ListChange(
        removed=(3,), inserted=((3, make_region("r003", "m", 3, (250, 200, 300, 250))),)
    ),
}


@pytest.mark.parametrize("regions", CHANGES.values(), ids=CHANGES)
def test_view_when_a_region_changes_then_the_part_painted_fits_the_rest(
    canvas: StageCanvas, painted_parts: list[tuple[int, int]], regions: ListChange[Region]
) -> None:
    before = pixels_of(canvas.ground())
    canvas.show_marks(changed(canvas.marks, regions))
    after = pixels_of(canvas.ground())
    assert painted_parts
    assert not np.array_equal(after, before)
    assert is_alike(after, whole(canvas))


@pytest.mark.parametrize("zoom", [0.7, 3.3])
def test_view_when_it_is_zoomed_then_parts_are_painted_in_their_place(
    canvas: StageCanvas, painted_parts: list[tuple[int, int]], zoom: float
) -> None:
    canvas.show_transform(canvas.transform.zoomed(zoom, at=(401, 333)).panned(3, -7))
    canvas.ground()
    canvas.show_marks(changed(canvas.marks, added((180, 120, 213, 151))))
    after = pixels_of(canvas.ground())
    assert painted_parts
    assert is_alike(after, whole(canvas))


def test_view_when_a_region_is_hidden_and_shown_then_only_its_place_is_painted(
    canvas: StageCanvas, painted_parts: list[tuple[int, int]]
) -> None:
    before = pixels_of(canvas.ground())
    canvas.hidden = frozenset({"r011"})
    hidden = pixels_of(canvas.ground())
    assert len(painted_parts) == 1
    assert not np.array_equal(hidden, before)
    assert is_alike(hidden, whole(canvas))
    canvas.hidden = frozenset()
    assert is_alike(pixels_of(canvas.ground()), before)
    assert len(painted_parts) == 2


def test_view_when_a_box_is_drawn_then_a_small_part_is_painted_and_its_number_stands_there(
    canvas: StageCanvas, painted_parts: list[tuple[int, int]]
) -> None:
    canvas.show_kinds(OverlayKinds())
    before = pixels_of(canvas.ground())
    canvas.show_marks(changed(canvas.marks, added((500, 100, 540, 140))))
    after = pixels_of(canvas.ground())
    # The box with its surroundings, and its number.
    assert len(painted_parts) == 2
    assert all(width < 120 and height < 120 for width, height in painted_parts)
    # Nothing else is near: the number stands where it would stand if all were placed anew.
    assert is_alike(after, whole(canvas))
    rows, columns = np.nonzero((after != before).any(axis=2))
    left, top = canvas.transform.to_view(np.array((500.0, 100.0))).tolist()
    assert left - 20 < columns.min() < left
    assert top - 40 < rows.min() < top - 4
    canvas.show_marks(changed(canvas.marks, ListChange(removed=(60,))))
    assert is_alike(pixels_of(canvas.ground()), before)


def test_view_when_numbers_stand_close_then_a_new_one_covers_none(
    canvas: StageCanvas, painted_parts: list[tuple[int, int]]
) -> None:
    canvas.show_kinds(OverlayKinds())
    canvas.ground()
    for step in range(8):
        box = (100.0 + 12 * step, 100.0 + 9 * step, 160.0 + 12 * step, 150.0 + 9 * step)
        region = make_region(f"new{step}", "m", 60 + step, box)
        canvas.show_marks(changed(canvas.marks, ListChange(inserted=((60 + step, region),))))
        canvas.ground()
    assert painted_parts
    assert canvas._painted is not None
    rects = [plate.rect for plate in canvas._painted.plates]
    assert len(rects) > 20
    assert not any(one.intersects(other) for one in rects for other in rects if one is not other)


def test_view_when_marks_do_not_follow_those_shown_then_all_of_it_is_painted(
    canvas: StageCanvas, painted_parts: list[tuple[int, int]]
) -> None:
    canvas.ground()
    first = changed(canvas.marks, added((310, 30, 350, 70)))
    second = changed(first, ListChange(removed=(0,)))
    canvas.show_marks(second)
    skipped = pixels_of(canvas.ground())
    paths = Overlay(
        regions=second.marks.regions, paths=(Polyline(id="p", medium="m", points=((1.0, 1.0), (90.0, 90.0))),)
    )
    with_path = update_annotations(
        second, marks=paths, regions=ListChange(), link_colours=second.link_colour_indices
    )
    canvas.show_marks(with_path)
    assert not np.array_equal(pixels_of(canvas.ground()), skipped)
    large = changed(with_path, added((1, 1, 630, 350)))
    canvas.show_marks(large)
    canvas.ground()
    assert painted_parts == []


def test_view_when_it_is_clean_then_a_new_region_paints_nothing(
    canvas: StageCanvas, painted_parts: list[tuple[int, int]]
) -> None:
    canvas.rendering = "clean"
    before = pixels_of(canvas.ground())
    canvas.show_marks(changed(canvas.marks, added((310, 30, 350, 70))))
    assert np.array_equal(pixels_of(canvas.ground()), before)
    assert painted_parts == []
    canvas.rendering = "annotated"
    assert not np.array_equal(pixels_of(canvas.ground()), before)
