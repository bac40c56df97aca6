from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QImage, QPainter

from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.rows import MediumRow, ViewThumbnail
from annotator.domain.scene import Scene, SceneView
from annotator.media.image_loader import ImageUnavailable
from annotator.session import Session
from tests.guards_qt import PatientBot
from tests.windows import make_project
from widgets.bridge import Bridge
from widgets.library.cell_painter import (
    PAD_PX,
    SIZES,
    ThumbnailCellPainter,
    ThumbnailCellState,
    tiles,
    video_length,
)
from widgets.library.record_grid import RecordGrid
from widgets.library.record_list import RecordList
from widgets.library.record_types import RECORD_TYPES
from widgets.library.thumbnails import ThumbnailKey, ThumbnailLoader, key_of, make_thumbnail
from widgets.media_loader import MediaLoader
from widgets.settings import Settings

SCENES = 40
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class Bench:
    """A grid of scenes on the screen."""

    def __init__(
        self, listing: RecordList, loader: ThumbnailLoader, *, asked: list[str], qtbot: PatientBot
    ) -> None:
        assert listing.grid is not None
        self.asked = asked
        self.listing, self.grid, self.loader, self.qtbot = listing, listing.grid, loader, qtbot

    def settle(self) -> None:
        self.qtbot.waitUntil(lambda: self.listing.is_settled() and self.loader.is_settled())

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> int:
        self.qtbot.keyClick(self.grid, key, modifiers)
        return self.grid.current_position()

    def chosen(self) -> list[int]:
        return [number - 1 for number in np.searchsorted(self.listing.model.numbers, self._numbers()) + 1]

    def _numbers(self) -> np.ndarray:
        return self.listing.table.selected_numbers()

    def drag(self, start: QPoint, end: QPoint, modifiers: Qt.KeyboardModifier = CONTROL) -> None:
        left = Qt.MouseButton.LeftButton
        self.qtbot.mousePress(self.grid.viewport(), left, modifiers, start)
        self.qtbot.mouseMove(self.grid.viewport(), end)
        self.qtbot.mouseRelease(self.grid.viewport(), left, modifiers, end)


@pytest.fixture
def bench(tmp_path: Path, settings: Settings, media: MediaLoader, qtbot: PatientBot) -> Iterator[Bench]:
    pictures = [Medium(id=new_id(), name=f"{n}.png", path=f"{n}.png") for n in range(SCENES)]
    scenes = [
        Scene(id=new_id(), name=f"scene_{n:03}", views=(SceneView(name="UAV1", medium=medium.id),))
        for n, medium in enumerate(pictures)
    ]
    picture = QImage(64, 36, QImage.Format.Format_RGB32)
    picture.fill(Qt.GlobalColor.red)
    picture.save(str(tmp_path / "0.png"))
    asked: list[str] = []

    def file_of(path: str) -> Path:
        asked.append(path)
        return tmp_path / path

    with Session.open(make_project(tmp_path / "p.vantage", [*pictures, *scenes])) as session:
        bridge = Bridge()
        bridge.connect_session(session)
        loader = ThumbnailLoader(media, file_of=file_of)
        listing = RecordList(
            RECORD_TYPES["scene"], session=session, bridge=bridge, settings=settings, thumbnails=loader
        )
        made = Bench(listing, loader, asked=asked, qtbot=qtbot)
        for part in (made.grid, listing.table, listing.facets):
            qtbot.addWidget(part)
        made.grid.resize(900, 600)
        made.grid.show()
        listing.find(listing.query)
        made.settle()
        yield made
        bridge.close()


def test_arrows_when_pressed_then_lead_in_two_dimensions(bench: Bench) -> None:
    columns = bench.grid.shape.columns
    assert columns > 2
    assert bench.press(Qt.Key.Key_Right) == 1
    assert bench.press(Qt.Key.Key_Down) == 1 + columns
    assert bench.press(Qt.Key.Key_Left) == columns
    assert bench.press(Qt.Key.Key_Up) == 0
    assert bench.press(Qt.Key.Key_Up) == 0
    assert bench.press(Qt.Key.Key_End) == SCENES - 1
    assert bench.press(Qt.Key.Key_Home) == 0


def test_keyboard_when_it_leaves_the_screen_then_the_grid_follows(bench: Bench) -> None:
    bench.press(Qt.Key.Key_End)
    assert bench.grid.viewport().rect().contains(bench.grid.cell_rect(SCENES - 1))
    assert 0 not in bench.grid.visible_positions()


def test_shift_and_arrows_when_pressed_then_select_a_range(bench: Bench) -> None:
    bench.press(Qt.Key.Key_Right)
    bench.press(Qt.Key.Key_Down, SHIFT)
    assert bench.chosen() == list(range(1, 2 + bench.grid.shape.columns))


def test_cells_when_clicked_with_control_and_shift_then_are_added(bench: Bench) -> None:
    left = Qt.MouseButton.LeftButton
    for index, modifiers in ((1, Qt.KeyboardModifier.NoModifier), (3, CONTROL)):
        at = bench.grid.cell_rect(index).center()
        bench.qtbot.mouseClick(bench.grid.viewport(), left, modifiers, at)
    assert bench.chosen() == [1, 3]
    bench.qtbot.mouseClick(bench.grid.viewport(), left, SHIFT, bench.grid.cell_rect(5).center())
    assert bench.chosen() == [3, 4, 5]


def test_space_when_pressed_with_the_keyboard_elsewhere_then_takes_the_cell_in_and_out(bench: Bench) -> None:
    assert bench.chosen() == [0]
    bench.press(Qt.Key.Key_Right, CONTROL)
    assert bench.chosen() == [0]
    bench.press(Qt.Key.Key_Space)
    assert bench.chosen() == [0, 1]
    bench.press(Qt.Key.Key_Space)
    assert bench.chosen() == [0]


def test_rubber_band_when_drawn_then_selects_what_it_touches(bench: Bench) -> None:
    columns = bench.grid.shape.columns
    first, last = bench.grid.cell_rect(0), bench.grid.cell_rect(columns + 1)
    bench.drag(first.topLeft() - QPoint(3, 3), last.center(), Qt.KeyboardModifier.NoModifier)
    assert bench.chosen() == [0, 1, columns, columns + 1]


def test_rubber_band_when_drawn_between_the_cells_then_selects_none(bench: Bench) -> None:
    first, second = bench.grid.cell_rect(0), bench.grid.cell_rect(1)
    start, end = QPoint(first.right() + 2, 2), QPoint(second.left() - 2, 400)
    bench.drag(start, end, Qt.KeyboardModifier.NoModifier)
    assert bench.chosen() == []


def test_size_when_changed_then_stays_within_three_and_is_remembered(
    bench: Bench, settings: Settings
) -> None:
    columns = bench.grid.shape.columns
    bench.grid.change_size(1)
    assert bench.grid.shape.size.id == "l"
    assert bench.grid.shape.columns < columns
    bench.grid.change_size(1)
    assert bench.grid.shape.size.id == "l"
    assert settings.number("library/cells", 0) == 2
    for _ in range(4):
        bench.grid.change_size(-1)
    assert bench.grid.shape.size.id == "s"


def test_letter_when_typed_then_is_handed_to_the_search(bench: Bench) -> None:
    with bench.qtbot.waitSignal(bench.grid.typed) as typed:
        bench.press(Qt.Key.Key_S)
    assert typed.args == ["s"]


def test_cell_when_double_clicked_then_is_opened(bench: Bench) -> None:
    at = bench.grid.cell_rect(2).center()
    with bench.qtbot.waitSignal(bench.grid.opened) as opened:
        bench.qtbot.mouseDClick(bench.grid.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert opened.args[0].row() == 2


def test_thumbnails_when_the_grid_is_shown_then_only_those_visible_are_made(bench: Bench) -> None:
    shown = [bench.listing.model.row(index) for index in range(SCENES)]
    bench.settle()
    assert len(shown) == SCENES
    # Each once: what has come, and what cannot be had, is not asked for again by the painting that follows.
    assert sorted(bench.asked) == sorted(f"{index}.png" for index in bench.grid.visible_positions())
    bench.grid.grab()
    bench.settle()
    assert len(bench.asked) == len(bench.grid.visible_positions())


def test_picture_when_it_has_come_then_is_painted(bench: Bench) -> None:
    bench.qtbot.waitUntil(
        lambda: bench.grid.grab().toImage().pixelColor(bench.grid.cell_rect(0).center()).red() > 200
    )


def test_table_and_grid_when_one_is_used_then_have_the_same_selection(bench: Bench) -> None:
    bench.press(Qt.Key.Key_End)
    assert bench.listing.table.current_position() == SCENES - 1
    bench.listing.table.choose_row(4)
    assert bench.grid.current_position() == 4


@pytest.mark.parametrize("count", range(1, 7))
def test_tiles_when_laid_out_then_fill_the_space_without_overlap(count: int) -> None:
    space = QRect(10, 20, 240, 135)
    positions = tiles(space, count)
    assert len(positions) == count
    assert all(space.contains(rect) for rect in positions)
    assert not any(one.intersects(other) for at, one in enumerate(positions) for other in positions[:at])
    assert sum(rect.width() * rect.height() for rect in positions) > 0.93 * 240 * 135


VIDEO = ViewThumbnail("UAV1", "m", "a.mp4", "a.mp4", "video", "", "found", duration_s=74.2, frames=1855)


@pytest.mark.parametrize(
    ("changes", "length"),
    [
        ({}, "1:14"),
        ({"duration_s": 9.6}, "0:10"),
        ({"duration_s": 3661}, "1:01:01"),
        ({"duration_s": 0.0, "media_type": "frames"}, "1,855 frames"),
        ({"duration_s": 0.0, "frames": 1}, "1 frame"),
        ({"duration_s": 0.0, "frames": 0}, ""),
    ],
)
def test_video_when_its_length_is_told_then_in_minutes_or_frames(
    changes: dict[str, Any], length: str
) -> None:
    assert video_length(msgspec.structs.replace(VIDEO, **changes)) == length


def test_video_when_painted_then_has_a_sign_with_its_length_and_a_picture_has_none(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = SIZES[0]
    painted = {}
    for kind in ("image", "video"):
        shown = msgspec.structs.replace(VIDEO, media_type=kind)
        row = MediumRow(
            n=1, id="m", name="a", dataset="", media_type=kind, health="found", licence="", size_bytes=0,
            source="", scene="", shown=(shown,),
        )  # fmt: skip
        painter = ThumbnailCellPainter(bench.loader, size=size, ratio=1.0)
        key = key_of(shown, size=QSize(size.width_px, size.height_px))
        picture = QImage(key.width, key.height, QImage.Format.Format_RGB32)
        picture.fill(Qt.GlobalColor.red)
        monkeypatch.setattr(bench.loader, "image", {key: picture}.get)
        cell = QImage(size.cell, QImage.Format.Format_RGB32)
        cell.fill(Qt.GlobalColor.black)
        on_cell = QPainter(cell)
        state = ThumbnailCellState(is_selected=False, is_current=False, has_keyboard=False)
        painter.paint(on_cell, cell.rect(), row=row, state=state)
        on_cell.end()
        painted[kind] = cell.copy(PAD_PX, PAD_PX, size.width_px, size.height_px)
    assert {painted["image"].pixelColor(x, y).red() for x in (0, 8, 20) for y in (0, 80)} == {255}
    sign = painted["video"].copy(0, size.height_px - 24, 60, 24)
    bright = [sign.pixelColor(x, y).green() > 150 for x in range(60) for y in range(24)]
    assert sum(bright) > 40
    assert painted["video"].copy(0, 0, size.width_px, 60) == painted["image"].copy(0, 0, size.width_px, 60)


def test_thumbnail_when_the_file_is_missing_then_is_null(tmp_path: Path) -> None:
    shown = ViewThumbnail("UAV1", "m", "a.png", "a.png", "image", "", "unseen")
    key = key_of(shown, size=QSize(40, 40))
    for file in (tmp_path / "a.png", None):
        with pytest.raises(ImageUnavailable):
            make_thumbnail(key, file=file)


def test_thumbnail_when_the_picture_has_another_shape_then_is_cut_from_its_middle(tmp_path: Path) -> None:
    picture = QImage(300, 100, QImage.Format.Format_RGB32)
    picture.fill(Qt.GlobalColor.blue)
    for x in range(100, 200):
        for y in range(100):
            picture.setPixelColor(x, y, Qt.GlobalColor.green)
    picture.save(str(tmp_path / "a.png"))
    key = key_of(ViewThumbnail("", "m", "a.png", "a.png", "image", "", "found"), size=QSize(50, 50))
    made = make_thumbnail(key, file=tmp_path / "a.png")
    assert made.shape == (50, 50, 4)
    assert (made[25, [4, 25, 45], 1] > 200).all()


def test_grid_type_when_asked_of_a_list_without_pictures_then_is_none(
    bench: Bench, session: Session, bridge: Bridge, settings: Settings, qtbot: PatientBot
) -> None:
    items = RecordList(
        RECORD_TYPES["item"], session=session, bridge=bridge, settings=settings, thumbnails=bench.loader
    )
    qtbot.addWidget(items.table)
    qtbot.addWidget(items.facets)
    assert items.grid is None
    assert not items.is_grid
    assert isinstance(bench.listing.view(), RecordGrid)


def test_thumbnail_when_files_are_found_again_then_is_loaded_again(
    bench: Bench, media: MediaLoader, tmp_path: Path
) -> None:
    made = ThumbnailKey("another", "1.png", "image", "", 32, 18)
    # One of its own: the grid goes on to want what it shows.
    loader = ThumbnailLoader(media, file_of=lambda path: tmp_path / path)
    loader.request([made])
    bench.qtbot.settle(loader.is_settled)
    image = loader.image(made)
    assert image is not None
    assert image.isNull()
    QImage(64, 36, QImage.Format.Format_RGB32).save(str(tmp_path / "1.png"))
    with bench.qtbot.waitSignal(loader.arrived):
        media.forget()
    image = loader.image(made)
    assert image is not None
    assert not image.isNull()


def test_grid_when_drawn_to_a_screen_of_another_scale_then_asks_for_larger_thumbnails(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = bench.grid._cell_painter()
    assert bench.grid._cell_painter() is before
    monkeypatch.setattr(RecordGrid, "devicePixelRatioF", lambda _grid: 2.0)
    after = bench.grid._cell_painter()
    assert (before.ratio, after.ratio) == (1.0, 2.0)
