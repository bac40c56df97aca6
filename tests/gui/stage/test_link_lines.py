"""Lines between the regions of two views that are the same thing."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QPainter
from PySide6.QtTest import QTest

from annotator.domain.link import Link
from annotator.media.render import COLOURS, Overlay
from tests.bench.probes.eyes import Eyes
from tests.gui.stage.hands import HEIGHT, LEFT, MARKS, WIDTH, Hands, make_region, make_scene
from tests.gui.stage.reels import Reels, video_scene
from tests.gui.stage.test_painting import pixels_of
from widgets.stage.image_view import ImageView
from widgets.stage.link_lines import MOST_SMOOTH, LinkLines, pairs_of
from widgets.stage.scene import StageScene


class Paintings(QObject):
    """Counts the paintings of a widget."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return False


def shown(hands: Hands) -> list[np.ndarray]:
    return [pixels_of(canvas.grab().toImage()).astype(int) for canvas in hands.stage.canvases]


def middle(hands: Hands, region: str, *, view: int) -> np.ndarray:
    """Return the middle of a region on the stage."""
    canvas = hands.canvas(view)
    found = canvas.marks.region(region)
    assert found is not None
    rect = canvas.region_rect(found)
    return np.array((canvas.x() + rect.center().x(), canvas.y() + rect.center().y()))


def is_line_at(hands: Hands, share: float, *, colour: str, ends: tuple[str, str] = ("a1", "b1")) -> bool:
    """Tell whether the line from the first view's region to the second's is painted at a share of its way."""
    begin, end = middle(hands, ends[0], view=0), middle(hands, ends[1], view=1)
    x, y = begin + (end - begin) * share
    ink = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)])
    for canvas, pixels in zip(hands.stage.canvases, shown(hands), strict=True):
        position = QPoint(int(x), int(y)) - canvas.pos()
        if canvas.isVisible() and canvas.rect().contains(position):
            around = pixels[
                max(0, position.y() - 2) : position.y() + 3, max(0, position.x() - 2) : position.x() + 3
            ]
            return bool((np.abs(around - ink).max(axis=2) < 70).any())
    raise AssertionError("the place lies in no view")


@pytest.fixture
def hands(hands: Hands, tmp_path: Path) -> Hands:
    """Two views of one grey each, on which a line is told from the picture."""
    return plain(hands, tmp_path)


def plain(hands: Hands, folder: Path, *, views: int = 2, marks: Overlay = MARKS) -> Hands:
    folder = folder / f"plain{views}"
    folder.mkdir(parents=True)
    scene = make_scene(folder, views=views, marks=marks)
    for one in scene.media:
        assert one.file is not None
        Image.new("RGB", (WIDTH, HEIGHT), (120, 120, 120)).save(one.file)
    hands.show(scene)
    return hands


SHARES = (0.15, 0.3, 0.45, 0.6, 0.9)
COLOUR = COLOURS[0]


def test_line_when_a_linked_region_is_selected_then_leads_to_the_same_thing_in_the_other_view(
    hands: Hands,
) -> None:
    before = shown(hands)
    for chosen in ("a1", "b1"):
        hands.stage.select([chosen])
        assert all(is_line_at(hands, share, colour=COLOUR) for share in SHARES)
    hands.stage.select(["a0"])
    assert np.array_equal(shown(hands)[1], before[1])
    hands.stage.select([])
    assert all(np.array_equal(one, other) for one, other in zip(shown(hands), before, strict=True))


def test_lines_when_all_are_wanted_then_are_there_without_a_selection_and_dimmer(hands: Hands) -> None:
    marks = Overlay(
        regions=MARKS.regions,
        links=(*MARKS.links, Link(id="k", scene="s", regions=("b0", "a0"))),
        paths=MARKS.paths,
    )
    assert hands.stage.shown is not None
    hands.show(StageScene(scene=hands.stage.shown.scene, media=hands.stage.shown.media, marks=marks))
    before = shown(hands)
    hands.stage.overlays.toggle("lines")
    quiet = shown(hands)
    changed = [np.any(one != other, axis=2).sum() for one, other in zip(quiet, before, strict=True)]
    assert min(changed) > 100
    hands.stage.select(["a1"])
    assert all(is_line_at(hands, share, colour=COLOUR) for share in SHARES)
    hands.stage.select([])
    assert not all(is_line_at(hands, share, colour=COLOUR) for share in SHARES)
    hands.stage.overlays.toggle("lines")
    assert all(np.array_equal(one, other) for one, other in zip(shown(hands), before, strict=True))


def test_lines_when_a_link_says_something_else_or_its_region_is_drawn_by_a_tool_then_are_not_there(
    hands: Hands,
) -> None:
    canvases = hands.stage.canvases
    assert pairs_of(canvases).regions.tolist() == [[1, 1]]
    canvases[0].hidden = frozenset({"a1"})
    assert pairs_of(canvases).regions.tolist() == []
    canvases[0].hidden = frozenset()
    links = (Link(id="l", scene="s", regions=("a1", "b1"), kind="occludes"),)
    scene = hands.stage.shown
    assert scene is not None
    hands.show(
        StageScene(scene=scene.scene, media=scene.media, marks=Overlay(regions=MARKS.regions, links=links))
    )
    assert pairs_of(hands.stage.canvases).regions.tolist() == []


def test_lines_when_a_thing_is_seen_by_three_then_lead_from_view_to_view(
    hands: Hands, tmp_path: Path
) -> None:
    regions = (
        *MARKS.regions,
        make_region("c0", "m3", 0, (10, 10, 30, 30)),
        make_region("c1", "m3", 1, (50, 50, 90, 90)),
    )
    links = (
        Link(id="l", scene="s", regions=("c1", "b1", "a1")),
        Link(id="k", scene="s", regions=("a0", "c0")),
    )
    plain(hands, tmp_path, views=3, marks=Overlay(regions=regions, links=links))
    found = pairs_of(hands.stage.canvases)
    joined = sorted(zip(found.views.tolist(), found.regions.tolist(), found.links.tolist(), strict=True))
    assert joined == [([0, 1], [1, 1], 0), ([0, 2], [0, 0], 1), ([1, 2], [1, 1], 0)]


def test_line_when_several_regions_of_a_view_are_the_same_thing_then_is_that_of_the_selected_one(
    hands: Hands,
) -> None:
    assert hands.stage.shown is not None
    links = (Link(id="l", scene="s", regions=("a0", "a1", "b1")),)
    scene, media = hands.stage.shown.scene, hands.stage.shown.media
    hands.show(StageScene(scene=scene, media=media, marks=Overlay(regions=MARKS.regions, links=links)))
    for chosen, joined in (((), [0, 1]), (("a1",), [1, 1]), (("a0",), [0, 1]), (("b1",), [0, 1])):
        hands.stage.select(chosen)
        assert pairs_of(hands.stage.canvases).regions.tolist() == [joined]
    hands.stage.select(["a1"])
    assert all(is_line_at(hands, share, colour=COLOUR) for share in SHARES)


def test_lines_when_a_region_has_two_links_then_are_there_for_both(hands: Hands, tmp_path: Path) -> None:
    regions = (*MARKS.regions, make_region("c0", "m3", 0, (10, 10, 30, 30)))
    links = (Link(id="l", scene="s", regions=("a1", "b1")), Link(id="k", scene="s", regions=("b1", "c0")))
    plain(hands, tmp_path, views=3, marks=Overlay(regions=regions, links=links))
    found = pairs_of(hands.stage.canvases)
    joined = sorted(zip(found.views.tolist(), found.regions.tolist(), found.links.tolist(), strict=True))
    assert joined == [([0, 1], [1, 1], 0), ([1, 2], [1, 0], 1)]
    without = shown(hands)
    hands.stage.select(["b1"])
    assert is_line_at(hands, 0.5, colour=COLOUR)
    assert not np.array_equal(shown(hands)[2], without[2])


@pytest.mark.parametrize("rendering", ["clean", "detected"])
def test_lines_when_links_are_not_shown_then_are_not_there(hands: Hands, rendering: str) -> None:
    hands.stage.choose_rendering(rendering)  # type: ignore[arg-type]
    hands.stage.select(["a1"])
    before = shown(hands)
    hands.stage.overlays.toggle("lines")
    assert all(np.array_equal(one, other) for one, other in zip(shown(hands), before, strict=True))
    assert not any(is_line_at(hands, share, colour=COLOUR) for share in SHARES)


def test_model_view_when_lines_are_on_then_is_the_same_picture(hands: Hands) -> None:
    hands.stage.toggle_model()
    hands.settle()
    before = [pixels_of(canvas.ground()) for canvas in hands.stage.canvases], shown(hands)
    hands.stage.overlays.toggle("lines")
    hands.settle()
    after = [pixels_of(canvas.ground()) for canvas in hands.stage.canvases], shown(hands)
    for one, other in zip(before, after, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_ground_of_a_view_when_lines_are_shown_then_has_none_of_them(hands: Hands) -> None:
    before = [pixels_of(canvas.ground()) for canvas in hands.stage.canvases]
    hands.stage.overlays.toggle("lines")
    hands.stage.select(["a1"])
    shown(hands)
    for canvas, ground in zip(hands.stage.canvases, before, strict=True):
        assert np.array_equal(pixels_of(canvas.ground()), ground)


def test_line_when_one_view_is_moved_alone_then_follows_in_both(hands: Hands) -> None:
    hands.stage.viewports.toggle_together()
    without = shown(hands)[1]
    hands.stage.select(["a1"])
    transform = hands.canvas(0).transform
    hands.canvas(0).change_transform(
        transform.zoomed(1.5, at=hands.canvas(0).view_point(135, 120)).panned(-150, 40)
    )
    assert all(is_line_at(hands, share, colour=COLOUR) for share in SHARES)
    # Not visible in one view: nothing leads there.
    hands.canvas(0).change_transform(transform.zoomed(6.0, at=hands.canvas(0).view_point(600, 300)))
    assert np.array_equal(shown(hands)[1], without)


def test_line_when_its_own_view_moves_then_the_other_one_is_asked_to_paint_anew(hands: Hands) -> None:
    hands.stage.viewports.toggle_together()
    hands.stage.select(["a1"])
    shown(hands)
    other = hands.canvas(1)
    counted = Paintings()
    other.installEventFilter(counted)
    hands.canvas(0).change_transform(hands.canvas(0).transform.zoomed(2.0))
    hands.qtbot.waitUntil(lambda: counted.count > 0)
    hands.stage.select([])
    hands.settle()
    counted.count = 0
    hands.canvas(0).change_transform(hands.canvas(0).transform.zoomed(1.1))
    hands.settle()
    # Nothing is selected: no view waits for another.
    assert counted.count == 0
    other.removeEventFilter(counted)


def test_line_when_one_view_is_large_then_is_not_there(hands: Hands) -> None:
    before = shown(hands)
    hands.stage.select(["b1"])
    hands.stage.toggle_large()
    hands.stage.select([])
    alone = shown(hands)[0]
    hands.stage.select(["b1"])
    assert np.array_equal(shown(hands)[0], alone)
    hands.stage.toggle_large()
    hands.stage.select([])
    assert np.array_equal(shown(hands)[1], before[1])


def test_line_when_a_click_selects_then_is_there(hands: Hands) -> None:
    QTest.mouseClick(hands.canvas(), LEFT, Qt.KeyboardModifier.NoModifier, hands.point(135, 120))
    assert hands.stage.selected == ("a1",)
    assert all(is_line_at(hands, share, colour=COLOUR) for share in SHARES)


def test_lines_of_videos_when_frames_change_then_join_what_is_on_the_screen(reels: Reels) -> None:
    regions = tuple(
        msgspec.structs.replace(make_region(f"{medium}-{frame}", medium, 0, (20, 20, 60, 60)), frame=frame)
        for medium in ("m1", "m2")
        for frame in (0, 3)
    )
    links = tuple(Link(id=f"l{at}", scene="s", regions=(f"m1-{at}", f"m2-{at}")) for at in (0, 3))
    scene = video_scene([reels.files["pal"], reels.files["pal"]], marks=Overlay(regions=regions, links=links))
    reels.show_scene(scene)
    for frame, links_seen in ((0, [0]), (1, []), (3, [1])):
        reels.player.seek(reels.video().time_of(frame))
        reels.rest()
        assert pairs_of(reels.canvases).links.tolist() == links_seen


def test_lines_of_videos_when_they_play_at_two_rates_then_both_ends_come_with_the_same_painting(
    reels: Reels, monkeypatch: pytest.MonkeyPatch
) -> None:
    regions = tuple(
        msgspec.structs.replace(
            make_region(f"{medium}-{frame}", medium, 0, (frame + 20, 20, frame + 60, 60)), frame=frame
        )
        for medium in ("m1", "m2")
        for frame in range(60)
    )
    links = (Link(id="l", scene="s", regions=tuple(one.id for one in regions)),)
    scene = video_scene(
        [reels.files["pal"], reels.files["ntsc"]], marks=Overlay(regions=regions, links=links)
    )
    reels.show_scene(scene)
    reels.stage.overlays.toggle("lines")
    joined: dict[ImageView, tuple[int | None, ...]] = {}
    plain_paint = LinkLines.paint

    def paint(lines: LinkLines, painter: QPainter, view: ImageView) -> None:
        plain_paint(lines, painter, view)
        joined[view] = tuple(one.frame for one in reels.canvases)

    monkeypatch.setattr(LinkLines, "paint", paint)
    paintings: list[tuple[int | None, ...]] = []

    def look() -> None:
        # Each view was painted last with the ends that are on the screen now, its own frame among them.
        paintings.append(tuple(one.frame for one in reels.canvases))
        assert set(joined.values()) <= {paintings[-1]}

    eyes = Eyes(reels.stage.window())
    eyes.painted.connect(look)

    def changes() -> list[tuple[bool, bool]]:
        return [(one[0] != next_[0], one[1] != next_[1]) for one, next_ in pairwise(paintings)]

    # Again and again: a busy machine leaves out frames, and most often those of both views at once.
    reels.player.toggle_loop()
    reels.player.play_or_pause()
    reels.wait(lambda: reels.video(1).painted >= 40)
    reels.wait(lambda: sum(first != second for first, second in changes()) > 3)
    reels.player.pause()
    reels.rest()
    eyes.close()
    assert len(joined) == 2
    # Nothing is painted once more for the lines' sake; the clock's number and the focus may be.
    assert sum(not (first or second) for first, second in changes()) < max(10, len(changes()) / 4)


def test_lines_when_there_are_very_many_then_are_thin_and_that_of_the_selected_region_is_not(
    hands: Hands, tmp_path: Path
) -> None:
    count = MOST_SMOOTH + 20
    regions = tuple(
        make_region(f"{medium}-{at}", medium, at, (x, 40.0, x + 3.0, 60.0))
        for medium in ("m1", "m2")
        for at in range(count)
        for x in (10.0 + 5 * at,)
    )
    links = tuple(Link(id=f"l{at}", scene="s", regions=(f"m1-{at}", f"m2-{at}")) for at in range(count))
    plain_views = plain(hands, tmp_path / "many", marks=Overlay(regions=regions, links=links))
    before = shown(plain_views)
    hands.stage.overlays.toggle("lines")
    many = shown(hands)
    # Straight down from each region of the upper view, one pixel wide, and nothing between two of them.
    row = 2 * 200
    touched = np.flatnonzero(np.any(many[0][row] != before[0][row], axis=1))
    assert len(touched) == count
    hands.stage.select(["m1-50"])
    chosen = shown(hands)
    around = np.flatnonzero(np.any(chosen[0][row] != many[0][row], axis=1))
    assert 2 <= len(around) <= 6
    assert abs(around.mean() - 2 * (10 + 5 * 50 + 1.5)) < 2
