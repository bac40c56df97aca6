from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from annotator.domain.profile import ModelProfile
from annotator.errors import EnvironmentFailure, UserError
from annotator.model_api import CallFailed
from models.adapters import open_model
from tests.onnx_writer import Graph, fixed_outputs

PLAIN = {"mean": [0, 0, 0], "std": [1, 1, 1]}


def red_depth(path: Path, *, size_px: int | str = 32, rank: int = 4) -> Path:
    """Save a model whose depth is the red channel: (batch, 1, height, width), or without the channel."""
    graph = Graph()
    graph.input("images", shape=("n", 3, size_px, size_px))
    graph.constant("red_at", np.array(0 if rank == 3 else [0], np.int64))
    graph.node("Gather", ["images", "red_at"], name="depth", axis=1)
    graph.output("depth", rank=rank)
    return graph.save(path)


def model(path: Path | str, adapter: str = "depth-onnx", **options: object):
    return open_model(ModelProfile(name="d", adapter=adapter, path=str(path), options=options))


def gradient(width: int = 64, height: int = 48) -> np.ndarray:
    """Paint a picture that gets redder to the right, 40 to 240."""
    picture = np.zeros((height, width, 3), np.uint8)
    picture[..., 0] = np.linspace(40, 240, width).astype(np.uint8)
    return picture


@pytest.mark.parametrize("rank", [3, 4])
def test_depth_when_asked_then_is_of_the_pictures_size(tmp_path, rank):
    plane = model(red_depth(tmp_path / "d.onnx", rank=rank), **PLAIN).depth(gradient())
    assert plane.shape == (48, 64)
    assert plane.dtype == np.float32
    assert (np.diff(plane[10]) >= 0).all()
    assert plane[:, 32] == pytest.approx(140 / 255, abs=0.03)


def test_depth_when_metric_then_unit_gives_metres(tmp_path):
    opened = model(red_depth(tmp_path / "d.onnx"), metric=True, unit_m=100.0, **PLAIN)
    assert opened.depth(gradient())[24, 32] == pytest.approx(14_000 / 255, rel=0.03)
    assert opened.identity.parameters["metric"] is True
    assert len(opened.identity.sha256) == 64


def test_depth_when_the_model_tells_nearness_then_larger_is_still_farther(tmp_path):
    plane = model(red_depth(tmp_path / "d.onnx"), inverse=True, **PLAIN).depth(gradient())
    assert (np.diff(plane[10]) <= 0).all()
    assert plane[0, 0] == pytest.approx(255 / 40, rel=0.1)


def seen_by(opened, picture: np.ndarray) -> np.ndarray:
    """Return the red channel of the input that a model gets of a picture."""
    inputs: list[np.ndarray] = []
    run = opened._file.run

    def watched(values):
        inputs.append(values)
        return run(values)

    opened._file.run = watched
    opened.depth(picture)
    return inputs[0][0, 0]


def with_square() -> np.ndarray:
    """Paint a red square of 40 pixels into a wide picture."""
    picture = np.full((100, 400, 3), 60, np.uint8)
    picture[30:70, 180:220, 0] = 255
    return picture


@pytest.mark.parametrize(("size_px", "shape"), [("side", (56, 224)), (64, (64, 64))])
def test_depth_when_a_picture_is_wide_then_the_model_sees_it_undistorted(tmp_path, size_px, shape) -> None:
    path = red_depth(tmp_path / "d.onnx", size_px=size_px)
    seen = seen_by(model(path, **PLAIN, width=56, height=56), with_square())
    assert seen.shape == shape
    rows, columns = np.nonzero(seen > 0.6)
    assert np.ptp(rows) == pytest.approx(np.ptp(columns), abs=1)
    # What is beside the picture looks like its edge.
    assert seen.min() == pytest.approx(60 / 255, abs=0.01)


@pytest.mark.parametrize("size_px", ["side", 64])
def test_depth_when_a_picture_is_wide_then_depths_lie_where_they_belong(tmp_path, size_px) -> None:
    plane = model(red_depth(tmp_path / "d.onnx", size_px=size_px), **PLAIN).depth(with_square())
    assert plane.shape == (100, 400)
    assert plane[50, 200] == pytest.approx(1.0, abs=0.1)
    assert plane[5, 200] == pytest.approx(60 / 255, abs=0.05)
    rows, columns = np.nonzero(plane > 0.6)
    assert rows.mean() == pytest.approx(49.5, abs=3)
    assert columns.mean() == pytest.approx(199.5, abs=3)


def test_depth_when_normalised_then_mean_and_spread_are_taken_off(tmp_path):
    plane = model(red_depth(tmp_path / "d.onnx")).depth(np.full((8, 8, 3), 255, np.uint8))
    assert plane == pytest.approx((1 - 0.485) / 0.229, abs=1e-4)


def test_depth_when_nothing_is_known_then_it_is_no_number(tmp_path):
    plane = model(red_depth(tmp_path / "d.onnx"), **PLAIN).depth(np.zeros((8, 8, 3), np.uint8))
    assert np.isnan(plane).all()


@pytest.mark.parametrize(
    "output",
    [
        np.zeros((1, 3, 8, 8), np.float32),
        np.zeros((1, 5), np.float32),
        np.zeros(5, np.float32),
        np.zeros((1, 8, 8), np.bool_),
    ],
)
def test_depth_when_the_output_is_no_plane_then_fails_with_words(tmp_path, output):
    path = fixed_outputs(tmp_path / "bad.onnx", [output], size_px=16)
    with pytest.raises(CallFailed, match="not a depth map") as failed:
        model(path).depth(gradient())
    assert failed.value.kind == "format"


def test_depth_when_an_output_is_meant_that_is_not_there_then_says_so(tmp_path):
    with pytest.raises(CallFailed, match="1 outputs"):
        model(red_depth(tmp_path / "d.onnx"), output=3).depth(gradient())


@pytest.mark.parametrize("options", [{"unit": 1}, {"std": [0, 1, 1]}, {"width": 0}, {"unit_m": -1.0}])
def test_open_when_an_option_is_wrong_then_says_so(tmp_path, options):
    with pytest.raises(UserError):
        model(red_depth(tmp_path / "d.onnx"), **options)


def test_depth_files_when_png_then_millimetres_become_metres(tmp_path):
    values = np.full((6, 8), 12_500, np.uint16)
    values[0, 0] = 0
    Image.fromarray(values).save(tmp_path / "a_depth.png")
    plane = model("", "depth-files").depth_beside(tmp_path / "a.jpg", frame=None)
    assert np.isnan(plane[0, 0])
    assert plane[1:] == pytest.approx(12.5)


def test_depth_files_when_npy_then_values_are_metres(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[1.5, np.inf], [-1.0, 3.0]], np.float32))
    plane = model("", "depth-files").depth_beside(tmp_path / "a.png", frame=None)
    assert plane.tolist() == [
        [1.5, pytest.approx(np.nan, nan_ok=True)],
        [pytest.approx(np.nan, nan_ok=True), 3.0],
    ]


def test_depth_files_when_named_by_a_pattern_then_found_in_the_folder(tmp_path):
    (tmp_path / "maps").mkdir()
    np.save(tmp_path / "maps" / "f-000007-z.npy", np.full((2, 2), 9.0, np.float32))
    opened = model(tmp_path / "maps", "depth-files", pattern="{stem}-{frame}-z.npy", npy_unit_m=0.5)
    assert opened.depth_beside(tmp_path / "f.mp4", frame=7) == pytest.approx(4.5)


def test_depth_files_when_a_name_has_braces_then_they_are_letters(tmp_path):
    np.save(tmp_path / "{frame}_depth.npy", np.full((2, 2), 2.0, np.float32))
    opened = model("", "depth-files")
    assert opened.depth_beside(tmp_path / "{frame}.png", frame=None) == pytest.approx(2.0)


def test_depth_files_when_disparities_then_larger_is_farther(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[2.0, 4.0]], np.float32))
    opened = model("", "depth-files", inverse=True, metric=False)
    assert opened.depth_beside(tmp_path / "a.png", frame=None).tolist() == [[0.5, 0.25]]
    assert opened.identity.parameters["metric"] is False


def test_depth_files_when_there_is_none_then_says_where_it_looked(tmp_path):
    with pytest.raises(CallFailed, match=r"a_depth\.npy") as failed:
        model("", "depth-files").depth_beside(tmp_path / "a.png", frame=None)
    assert failed.value.kind == "material"


def test_depth_files_when_the_disk_does_not_give_a_map_then_that_picture_alone_has_none(
    tmp_path, monkeypatch
):
    np.save(tmp_path / "a_depth.npy", np.ones((2, 2), np.float32))

    def refuse(*_: object) -> None:
        raise EnvironmentFailure("a_depth.npy cannot be read: Input/output error.")

    monkeypatch.setattr("annotator.media.depth_maps.DepthMapFiles.read", refuse)
    with pytest.raises(CallFailed, match="Input/output error") as failed:
        model("", "depth-files").depth_beside(tmp_path / "a.png", frame=None)
    assert failed.value.kind == "material"


def test_depth_files_when_the_map_is_coloured_then_it_is_none(tmp_path):
    Image.fromarray(gradient()).save(tmp_path / "a_depth.png")
    with pytest.raises(CallFailed, match="colour image"):
        model("", "depth-files").depth_beside(tmp_path / "a.png", frame=None)


def test_depth_files_when_the_picture_itself_is_grey_then_it_is_not_its_own_map(tmp_path):
    Image.fromarray(np.full((2, 2), 7, np.uint16)).save(tmp_path / "a.png")
    with pytest.raises(CallFailed, match="No depth map was found for"):
        model("", "depth-files").depth_beside(tmp_path / "a.png", frame=None)


def test_open_when_there_is_no_folder_of_maps_then_says_so(tmp_path):
    with pytest.raises(UserError, match="There is no folder"):
        model(tmp_path / "none", "depth-files")
    with pytest.raises(UserError, match="Invalid depth map options"):
        model("", "depth-files", patern="x")
    with pytest.raises(UserError, match="greater than 0"):
        model("", "depth-files", png_unit_m=0.0)
