from __future__ import annotations

import dataclasses
from pathlib import Path

import cv2
import numpy as np
import pytest

from annotator.demo.captures import Captures, Picture
from annotator.demo.marks import mark
from annotator.demo.moments import Fault, moments_of
from annotator.demo.pictures import DEPTH_PER_M, depth_png, take_moment
from annotator.demo.studio import studio_of

Small = tuple[Captures, Path]


def _read(folder: Path, name: str) -> np.ndarray:  # type: ignore[type-arg]
    image = cv2.imread(str(folder / name), cv2.IMREAD_UNCHANGED)
    assert image is not None
    return image


def test_sizes_when_listed_then_each_holds_the_smaller_one() -> None:
    small, standard, large = ([m.name for m in moments_of(size)] for size in ("small", "standard", "large"))  # type: ignore[arg-type]
    assert sum(len(m.shots) for m in moments_of("small")) == 13
    assert set(small) < set(standard) < set(large)
    assert len(large) == len(set(large)) == 3 * len(standard)
    views = [shot for m in moments_of("standard") for shot in m.shots]
    assert 12 <= len(standard) <= 14
    assert all(2 <= len(m.shots) <= 6 for m in moments_of("standard"))
    assert sum(shot.size_px == (4000, 2250) for shot in views) >= 2
    assert any(shot.view == "ground" for shot in views)


def test_picture_when_read_then_it_is_1280_by_720_and_full_of_detail(small_demo: Small) -> None:
    captures, folder = small_demo
    for picture in captures.pictures[:3]:
        image = _read(folder, picture.name)
        assert image.shape == (720, 1280, 3)
        # A diagram has large even areas; a place does not.
        blocks = image[:, :, 1].reshape(45, 16, 80, 16).std(axis=(1, 3))
        assert (blocks > 2).mean() > 0.9
        assert image.std() > 25


def test_visible_objects_when_listed_then_each_is_where_the_camera_projects_it(small_demo: Small) -> None:
    for picture in small_demo[0].pictures[:3]:
        whole = [s for s in picture.visible_objects if s.shown > 0.8 and not s.is_cut]
        assert len(whole) > 15
        for visible_object in whole:
            mover = visible_object.mover
            middle = np.array([(mover.x_m, mover.y_m, mover.ground_m + mover.height_m / 2)])
            x, y = picture.shot.camera.project(middle)[0]
            assert visible_object.x1 - 5 < x < visible_object.x2 + 5
            assert visible_object.y1 - 5 < y < visible_object.y2 + 5
            assert picture.shot.camera.depths(middle)[0] == pytest.approx(visible_object.depth_m, abs=3)


def test_views_when_they_overlap_then_they_share_many_identities(small_demo: Small) -> None:
    one, two, *_ = ({s.mover.number for s in p.visible_objects} for p in small_demo[0].pictures)
    assert len(one & two) > 15


def test_depth_when_read_back_then_it_is_the_depth_of_the_things(small_demo: Small) -> None:
    captures, folder = small_demo
    picture = captures.pictures[0]
    depth = _read(folder, picture.depth)
    assert depth.dtype == np.uint16
    for visible_object in [s for s in picture.visible_objects if s.shown > 0.95 and s.mover.kind != "person"][
        :10
    ]:
        middle = (
            depth[(visible_object.y1 + visible_object.y2) // 2, (visible_object.x1 + visible_object.x2) // 2]
            / DEPTH_PER_M
        )
        assert middle == pytest.approx(visible_object.depth_m, abs=1.5)


def test_depth_when_there_is_none_then_it_is_zero() -> None:
    depth = np.array(((np.inf, 1.234, 700.0),), np.float32)
    read = cv2.imdecode(np.frombuffer(depth_png(depth), np.uint8), cv2.IMREAD_UNCHANGED)
    assert read.tolist() == [[0, 123, 0]]


def test_lost_picture_when_taken_then_it_has_grey_blocks(small_demo: Small) -> None:
    captures, folder = small_demo
    lost = captures.of_moment("crossroads-2")[0]
    assert lost.shot.faults == (Fault(name="loss", strength=0.5),)
    grey = (np.abs(_read(folder, lost.name).astype(int) - 124).max(axis=2) < 4).mean()
    assert grey > 0.04


def test_marks_when_a_vehicle_is_hidden_then_it_gets_no_region(small_demo: Small) -> None:
    captures, folder = small_demo
    assert [m.name for m in captures.marked] == [f"detected/crossroads-1-UAV{n}.jpg" for n in (1, 2)]
    for marked in captures.marked:
        assert all(s.shown > 0.7 for s in marked.visible_objects)
        assert [s.x1 for s in marked.visible_objects] == sorted(s.x1 for s in marked.visible_objects)
        drawn, clean = _read(folder, marked.name), _read(folder, marked.picture.name)
        for visible_object in marked.visible_objects:
            row, column = (visible_object.y1 + visible_object.y2) // 2, visible_object.x1 - 3
            if 0 <= column < 1280:
                assert np.abs(drawn[row, column].astype(int) - clean[row, column]).max() > 25


def test_marks_when_several_views_show_a_vehicle_then_it_is_preferred(pictures: list[Picture]) -> None:
    one, two = (p for p in pictures if p.moment.name == "market-1")
    image = np.full((720, 1280, 3), 90, np.uint8)
    numbers = [
        {s.mover.number for s in mark(p, image, partners=[one, two])[0].visible_objects} for p in (one, two)
    ]
    assert len(numbers[0] & numbers[1]) == 8
    # Two places are for cars that only the other view shows well.
    assert numbers[1] - numbers[0] == {1001, 1002}


@pytest.mark.slow
def test_pictures_when_taken_again_then_bytes_are_equal(small_demo: Small, tmp_path: Path) -> None:
    captures, folder = small_demo
    moment = dataclasses.replace(captures.moments()[0], shots=captures.moments()[0].shots[:1])
    taken = take_moment(studio_of(7, "small"), moment, folder=tmp_path, seed=7)
    assert taken.pictures[0].visible_objects == captures.pictures[0].visible_objects
    name = taken.pictures[0].name
    assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()
