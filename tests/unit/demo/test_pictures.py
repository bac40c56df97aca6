from __future__ import annotations

import cv2
import numpy as np
import pytest

from annotator.demo import pictures as module
from annotator.demo.moments import MOMENTS
from annotator.demo.pictures import Picture, take_pictures
from annotator.errors import Cancelled
from annotator.progress import Progress, Step

SEED = 7
CROSSROADS = MOMENTS[:1]


@pytest.fixture(scope="module")
def crossroads() -> list[Picture]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOMENTS", CROSSROADS)
        return take_pictures(seed=SEED, progress=Progress())


def test_picture_when_decoded_then_it_is_1280_by_720_and_full_of_detail(crossroads: list[Picture]) -> None:
    for picture in crossroads:
        image = cv2.imdecode(np.frombuffer(picture.jpeg, np.uint8), cv2.IMREAD_COLOR)
        assert image.shape == (720, 1280, 3)
        # A diagram has large even areas; a place does not.
        blocks = image[:, :, 1].reshape(45, 16, 80, 16).std(axis=(1, 3))
        assert (blocks > 2).mean() > 0.95
        assert image.std() > 25


def test_sights_when_listed_then_each_is_where_the_camera_projects_it(crossroads: list[Picture]) -> None:
    for picture in crossroads:
        whole = [
            s
            for s in picture.sights
            if s.shown > 0.7 and s.x1 > 0 and s.x2 < 1280 and s.y1 > 0 and s.y2 < 720
        ]
        assert len(whole) > 20
        for sight in whole:
            mover = sight.mover
            middle = np.array([(mover.x_m, mover.y_m, mover.height_m / 2)])
            x, y = picture.shot.camera.project(middle)[0]
            assert sight.x1 - 5 < x < sight.x2 + 5
            assert sight.y1 - 5 < y < sight.y2 + 5


def test_views_when_they_overlap_then_the_same_vehicle_has_its_colour_in_each(
    crossroads: list[Picture],
) -> None:
    one, two, _ = crossroads
    plain = [
        {s.mover.number: s for s in p.sights if s.shown > 0.85 and s.mover.kind == "bus"} for p in (one, two)
    ]
    shared = plain[0].keys() & plain[1].keys()
    assert shared
    for number in shared:
        hues = []
        for picture, sights in zip((one, two), plain, strict=True):
            s = sights[number]
            patch = picture.image[s.y1 : s.y2, s.x1 : s.x2].reshape(-1, 3)
            hues.append(np.median(patch.astype(float), axis=0))
        assert np.abs(hues[0] - hues[1]).max() < 45


def test_hidden_when_a_house_is_in_the_way_then_less_is_shown_than_of_others(
    crossroads: list[Picture],
) -> None:
    shown = [s.shown for s in crossroads[0].sights if s.mover.kind == "car"]
    assert min(shown) < 0.5
    assert np.median(shown) > 0.85


def test_pictures_when_cancelled_then_the_work_stops() -> None:
    progress = Progress()

    def stop(step: Step) -> None:
        if step.what == "Taking pictures":
            progress.cancel()

    progress._report = stop
    with pytest.raises(Cancelled):
        take_pictures(seed=SEED, progress=progress)


@pytest.mark.slow
def test_pictures_when_taken_again_then_bytes_are_equal(
    crossroads: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOMENTS", CROSSROADS)
    again = take_pictures(seed=SEED, progress=Progress())
    assert [p.jpeg for p in again] == [p.jpeg for p in crossroads]
    assert [p.sights for p in again] == [p.sights for p in crossroads]
