from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from annotator.domain.profile import ModelProfile
from annotator.errors import UserError
from annotator.model_api import CallFailed, Detection
from models.adapters import open_model
from tests.onnx_writer import Graph, fixed_outputs, red_finder

SIZE = 64
NAMES = {"names": "{0: 'person', 1: 'car', 2: 'bus'}"}
CAR = (8.0, 16.0, 40.0, 32.0)
"""Of the input; with a picture of its size also of the picture."""
BUS = (40.0, 40.0, 60.0, 64.0)


def detector(path: Path, **options: object):
    return open_model(ModelProfile(name="d", adapter="onnx", path=str(path), options=options))


def found(path: Path, *, width: int = SIZE, height: int = SIZE, **options: object) -> list[Detection]:
    model = detector(path, **options)
    (detections,) = model.detect([np.zeros((height, width, 3), np.uint8)])
    model.close()
    return detections


def centred(box: tuple[float, ...]) -> list[float]:
    x1, y1, x2, y2 = box
    return [(x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1]


def table(*, has_objectness: bool, rows: int) -> np.ndarray:
    """Two things among empty candidates: float32 (1, rows, columns)."""
    values = np.zeros((1, rows, 8 if has_objectness else 7), np.float32)
    begin = 5 if has_objectness else 4
    for row, (box, category, score) in enumerate([(CAR, 1, 0.9), (BUS, 2, 0.8)]):
        values[0, row * 3, :4] = centred(box)
        values[0, row * 3, begin + category] = score
    if has_objectness:
        values[0, :, 4] = 0.5
    return values


def same(detections: list[Detection], *expected: tuple[tuple[float, ...], str, float]) -> bool:
    assert [one.category for one in detections] == [category for _, category, _ in expected]
    for one, (box, _, score) in zip(detections, expected, strict=True):
        assert one.box == pytest.approx(box, abs=1e-3)
        assert one.score == pytest.approx(score, abs=1e-5)
    return True


def test_detect_when_outputs_lie_on_their_side_then_reads_the_same(tmp_path):
    v8 = np.ascontiguousarray(table(has_objectness=False, rows=84).transpose(0, 2, 1))
    path = fixed_outputs(tmp_path / "v8.onnx", [v8], size_px=SIZE, **NAMES)
    assert same(found(path), (CAR, "car", 0.9), (BUS, "bus", 0.8))


@pytest.mark.parametrize("is_turned", [True, False])
@pytest.mark.parametrize("told", [NAMES, {}], ids=["names", "none"])
def test_detect_when_names_are_known_or_not_then_any_layout_is_read(tmp_path, is_turned, told):
    values = table(has_objectness=False, rows=300)
    values = np.ascontiguousarray(values.transpose(0, 2, 1)) if is_turned else values
    path = fixed_outputs(tmp_path / "m.onnx", [values], size_px=SIZE, **told)
    car, bus = ("car", "bus") if told else ("class 1", "class 2")
    assert same(found(path), (CAR, car, 0.9), (BUS, bus, 0.8))


def test_detect_when_boxes_are_shares_of_the_input_as_of_rt_detr_then_gives_pixels(tmp_path):
    values = table(has_objectness=False, rows=300)
    values[..., :4] /= SIZE
    path = fixed_outputs(tmp_path / "rtdetr.onnx", [values], size_px=SIZE, task="detect", **NAMES)
    assert same(found(path), (CAR, "car", 0.9), (BUS, "bus", 0.8))


def v4_outputs():
    boxes, scores = np.zeros((1, 10, 1, 4), np.float32), np.zeros((1, 10, 3), np.float32)
    boxes[0, 4, 0] = np.array(CAR) / SIZE
    scores[0, 4, 1] = 0.9
    return [boxes, scores]


OLDER = {
    "v5": ([table(has_objectness=True, rows=252)], NAMES),
    "v5 without names": ([table(has_objectness=True, rows=252)], {}),
    "v5 on its side": (
        [np.ascontiguousarray(table(has_objectness=True, rows=252).transpose(0, 2, 1))],
        NAMES,
    ),
    "YOLOX": ([table(has_objectness=True, rows=84)], NAMES),
    "YOLOX without names": ([table(has_objectness=True, rows=84)], {}),
    "v7 end-to-end": ([np.array([[0, *CAR, 1, 0.9]], np.float32)], NAMES),
    "v4": (v4_outputs(), NAMES),
    "v3 heads": ([np.zeros((1, 24, 2, 2), np.float32), np.zeros((1, 24, 4, 4), np.float32)], NAMES),
}


@pytest.mark.parametrize(("outputs", "told"), OLDER.values(), ids=OLDER)
def test_detect_when_the_model_is_of_an_older_family_then_says_what_opens_it(tmp_path, outputs, told):
    path = fixed_outputs(tmp_path / "old.onnx", outputs, size_px=SIZE, **told)
    with pytest.raises(CallFailed, match=r"before v8.*adapter ultralytics") as failed:
        found(path)
    assert (failed.value.kind, failed.value.is_retryable) == ("format", False)


def test_detect_when_the_model_segments_too_then_masks_are_passed_over(tmp_path):
    boxes = table(has_objectness=False, rows=84)
    masked = np.concatenate([boxes, np.full((1, 84, 32), 7, np.float32)], axis=2).transpose(0, 2, 1)
    outputs = [np.ascontiguousarray(masked), np.zeros((1, 32, 16, 16), np.float32)]
    path = fixed_outputs(tmp_path / "seg.onnx", outputs, size_px=SIZE, task="segment", **NAMES)
    assert same(found(path), (CAR, "car", 0.9), (BUS, "bus", 0.8))


def test_detect_when_boxes_are_turned_then_gives_the_upright_ones_around(tmp_path):
    values = np.zeros((1, 8, 84), np.float32)
    values[0, :4, 0] = [32, 32, 20, 10]
    values[0, 5, 0] = 0.9
    values[0, 7, 0] = np.pi / 2
    path = fixed_outputs(tmp_path / "obb.onnx", [values], size_px=SIZE, task="obb", **NAMES)
    assert same(found(path), ((27.0, 22.0, 37.0, 42.0), "car", 0.9))


def test_detect_when_outputs_are_finished_then_takes_them_as_they_are(tmp_path):
    values = np.zeros((1, 300, 6), np.float32)
    values[0, 0] = [*CAR, 0.9, 1]
    values[0, 1] = [*BUS, 0.8, 2]
    path = fixed_outputs(tmp_path / "v10.onnx", [values], size_px=SIZE, **NAMES)
    assert same(found(path), (CAR, "car", 0.9), (BUS, "bus", 0.8))


@pytest.mark.parametrize(
    ("width", "height"), [(64, 64), (128, 64), (64, 128), (640, 480), (1000, 333), (31, 200)]
)
def test_detect_when_pictures_are_letterboxed_then_boxes_come_back_to_the_pixel(tmp_path, width, height):
    path = red_finder(tmp_path / "red.onnx", size_px=256)
    picture = np.zeros((height, width, 3), np.uint8)
    x1, y1, x2, y2 = width // 4, height // 4, width // 2, height * 3 // 4
    picture[y1:y2, x1:x2, 0] = 255
    (detections,) = detector(path).detect([picture])
    # A pixel of the input is so many of the picture; the edge of the thing lies within one of them.
    grain = max(1.0, max(width, height) / 256)
    assert detections[0].box == pytest.approx((x1, y1, x2, y2), abs=grain)


@pytest.mark.parametrize(("width", "height"), [(256, 256), (256, 128), (100, 256), (512, 256), (1024, 1024)])
def test_detect_when_the_scale_is_whole_then_boxes_are_exact(tmp_path, width, height):
    path = red_finder(tmp_path / "red.onnx", size_px=256)
    picture = np.zeros((height, width, 3), np.uint8)
    picture[32:64, 16:48, 0] = 255
    (detections,) = detector(path).detect([picture])
    assert detections[0].box == pytest.approx((16, 32, 48, 64), abs=1e-9)


def test_detect_when_sizes_differ_then_each_picture_of_a_batch_gets_its_own(tmp_path):
    model = detector(red_finder(tmp_path / "red.onnx", size_px=128), batch=4)
    pictures = []
    for number in range(6):
        picture = np.zeros((128 * (1 + number % 2), 128, 3), np.uint8)
        picture[10 : 20 + number * 2, 30:50, 0] = 255
        pictures.append(picture)
    boxes = [detections[0].box for detections in model.detect(pictures)]
    for number, box in enumerate(boxes):
        assert box == pytest.approx((30, 10, 50, 20 + number * 2), abs=2.0 if number % 2 else 1e-9)


def test_detect_when_the_batch_is_fixed_then_fewer_pictures_do_too(tmp_path):
    model = detector(red_finder(tmp_path / "red.onnx", size_px=64, batch=4))
    picture = np.zeros((64, 64, 3), np.uint8)
    picture[8:16, 8:16, 0] = 255
    assert [one[0].box for one in model.detect([picture])] == [(8.0, 8.0, 16.0, 16.0)]


def test_detect_when_one_thing_has_many_boxes_then_the_most_certain_stays(tmp_path):
    values = table(has_objectness=False, rows=84)
    values[0, 1] = values[0, 0] * np.array([1.02, 1, 1, 1, 1, 0.9, 1], np.float32)
    # The same place as another category is another thing.
    values[0, 2, :4], values[0, 2, 4:] = values[0, 0, :4], [0.7, 0, 0]
    path = fixed_outputs(tmp_path / "m.onnx", [values], size_px=SIZE, **NAMES)
    assert same(found(path), (CAR, "car", 0.9), (BUS, "bus", 0.8), (CAR, "person", 0.7))


def test_identity_when_opened_then_tells_file_and_settings(tmp_path):
    path = red_finder(tmp_path / "red.onnx", size_px=64, version="8.4.1")
    identity = detector(path, score=0.4).identity
    assert (identity.name, identity.kind, identity.revision) == ("red", "detector", "8.4.1")
    assert len(identity.sha256) == 64
    assert identity.parameters["score"] == 0.4
    assert identity.parameters["size"] == [64, 64]
    assert identity.parameters["provider"].endswith("ExecutionProvider")


HOSTILE = {
    "not finite numbers": [np.full((1, 84, 7), np.nan, np.float32)],
    "scores beyond 1": [np.full((1, 84, 7), 55.0, np.float32)],
    "one dimension": [np.zeros(7, np.float32)],
    "other columns": [np.zeros((1, 84, 11), np.float32)],
    "other pictures": [np.zeros((3, 84, 7), np.float32)],
    "foreign category": [np.array([[[0, 0, 5, 5, 0.9, 77]]], np.float32)],
    "whole numbers": [np.zeros((1, 84, 7), np.bool_)],
    "heads of nothing": [np.zeros((1, 13, 5, 5), np.float32)],
    "five heads": [np.zeros((1, 24, 2, 2), np.float32)] * 5,
}


@pytest.mark.parametrize("outputs", HOSTILE.values(), ids=HOSTILE)
def test_detect_when_outputs_make_no_sense_then_fails_with_words(tmp_path, outputs):
    path = fixed_outputs(tmp_path / "bad.onnx", outputs, size_px=SIZE, **NAMES)
    with pytest.raises(CallFailed) as failed:
        found(path)
    assert failed.value.kind == "format"
    assert not failed.value.is_retryable
    assert "cannot be read" in str(failed.value)


def test_detect_when_an_output_is_huge_then_it_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("models.yolo_outputs.MOST_VALUES", 100)
    path = fixed_outputs(tmp_path / "huge.onnx", [np.zeros((1, 84, 7), np.float32)], size_px=SIZE)
    with pytest.raises(CallFailed, match=r"float32 with the shape \(1, 84, 7\)"):
        found(path)


def test_detect_when_the_graph_fails_then_the_call_has_failed(tmp_path):
    graph = Graph()
    graph.input("images", shape=("n", 3, SIZE, SIZE))
    graph.constant("shape", np.array([7, 7, 7], np.int64))
    graph.node("Reshape", ["images", "shape"], name="out")
    graph.output("out", rank=3)
    with pytest.raises(CallFailed) as failed:
        found(graph.save(tmp_path / "fails.onnx"))
    assert failed.value.kind == "model"
    assert "fails.onnx failed" in str(failed.value)


def test_detect_when_closed_then_fails(tmp_path):
    model = detector(red_finder(tmp_path / "red.onnx", size_px=64))
    model.close()
    with pytest.raises(CallFailed, match="was closed"):
        model.detect([np.zeros((64, 64, 3), np.uint8)])


def test_open_when_the_file_is_no_model_then_says_so(tmp_path):
    (tmp_path / "bad.onnx").write_bytes(b"<html>not found</html>")
    with pytest.raises(UserError, match=r"bad\.onnx cannot be opened"):
        detector(tmp_path / "bad.onnx")
    with pytest.raises(UserError, match="There is no model file"):
        detector(tmp_path / "none.onnx")


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((1, 3, 20_000, 20_000), "too large"),
        ((100_000, 3, 640, 640), "too large"),
        ((1, 4, 64, 64), "4 input channels"),
        ((1, 64), "does not accept an image"),
    ],
)
def test_open_when_the_input_is_no_picture_then_says_so(tmp_path, shape, words):
    graph = Graph()
    graph.input("images", shape=shape)
    graph.node("Identity", ["images"], name="out")
    graph.output("out", rank=len(shape))
    with pytest.raises(UserError, match=words):
        detector(graph.save(tmp_path / "m.onnx"))


def test_open_when_metadata_are_not_plain_then_they_are_not_run(tmp_path):
    trap = tmp_path / "trap"
    path = red_finder(tmp_path / "m.onnx", size_px=64, names=f"open({str(trap)!r}, 'w')", imgsz="[" * 5000)
    detector(path)
    assert not trap.exists()


def test_open_when_the_names_cannot_be_a_dictionary_then_there_are_none(tmp_path):
    path = red_finder(tmp_path / "m.onnx", size_px=64, names="{[]: 'car'}")
    assert detector(path).identity.name == "m"


def test_open_when_a_number_is_a_digit_but_no_number_then_says_so(tmp_path):
    path = red_finder(tmp_path / "m.onnx", size_px=64, names="{'²': 'car'}")
    with pytest.raises(UserError, match="not numbered from 0"):
        detector(path)


def test_open_when_names_have_gaps_then_says_so(tmp_path):
    path = red_finder(tmp_path / "m.onnx", size_px=64, names="{0: 'a', 2: 'b'}")
    with pytest.raises(UserError, match="not numbered from 0"):
        detector(path)
    assert detector(path, names=["a", "b"]).identity.name == "m"


def test_open_when_made_for_something_else_then_says_so(tmp_path):
    path = red_finder(tmp_path / "m.onnx", size_px=64, task="classify")
    with pytest.raises(UserError, match="a model for classify"):
        detector(path)


@pytest.mark.parametrize(
    "options",
    [
        {"scores": 0.3},
        {"score": 1.5},
        {"score": "high"},
        {"overlap": 0.9},
        {"slice_px": 8},
        {"device": "tpu"},
    ],
)
def test_open_when_an_option_is_wrong_then_says_so(tmp_path, options):
    path = red_finder(tmp_path / "m.onnx", size_px=64)
    with pytest.raises(UserError):
        detector(path, **options)


def test_open_when_cuda_is_wanted_and_none_is_there_then_says_so(tmp_path):
    import onnxruntime

    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("this onnxruntime knows CUDA")
    path = red_finder(tmp_path / "m.onnx", size_px=64)
    with pytest.raises(UserError, match="does not support CUDA"):
        detector(path, device="cuda")


def test_detect_when_sizes_are_open_then_metadata_or_options_tell(tmp_path):
    graph = Graph()
    graph.input("images", shape=("n", 3, "h", "w"))
    graph.node("Identity", ["images"], name="out")
    graph.output("out", rank=4)
    told = graph.save(tmp_path / "m.onnx", metadata={"imgsz": "[96, 160]"})
    assert detector(told).identity.parameters["size"] == [160, 96]
    assert detector(told, size=320).identity.parameters["size"] == [320, 320]
    untold = graph.save(tmp_path / "n.onnx")
    assert detector(untold).identity.parameters["size"] == [640, 640]
