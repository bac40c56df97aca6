"""Devices that break down in the middle of a run: no job is to blame, and none may be given up for it.

No test breaks a real device: what the packages say then is put into their mouths.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotator.errors import EnvironmentFailure
from annotator.model_api import CallFailed
from models.detector import DetectorOptions
from models.onnx_file import OnnxFile
from models.ultralytics_detector import UltralyticsFile
from tests.onnx_writer import Graph

ACCESS = (
    "CUDA failure 700: an illegal memory access was encountered ; GPU=0 ; hostname=a ; file=b.cc ; line=1"
)
MEMORY = "CUDA failure 2: out of memory ; GPU=0 ; hostname=a ; file=b.cc ; line=1"
TORCH = "CUDA error: unspecified launch failure"


class Saying:
    """Stands for a session or model, and fails with words."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def run(self, *_: object) -> list[Any]:
        raise self._error

    def predict(self, *_: object, **__: object) -> list[Any]:
        raise self._error


class OutOfMemoryError(RuntimeError):
    """Is called as torch calls it."""


@pytest.fixture
def onnx_file(tmp_path: Path) -> OnnxFile:
    graph = Graph()
    graph.input("images", shape=("n", 3, 32, 32))
    graph.node("Identity", ["images"], name="out")
    graph.output("out", rank=4)
    return OnnxFile.open(graph.save(tmp_path / "a.onnx"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [(ACCESS, EnvironmentFailure), (MEMORY, CallFailed), ("Non-zero status code", CallFailed)],
)
def test_run_when_the_runtime_fails_then_only_a_broken_device_stops_all(
    onnx_file: OnnxFile, text: str, kind: type[Exception]
) -> None:
    onnx_file._session = Saying(RuntimeError(text))  # type: ignore[assignment]
    with pytest.raises(kind, match=r"a\.onnx") as failed:
        onnx_file.run(np.zeros((1, 3, 32, 32), np.float32))
    assert type(failed.value) is kind


@pytest.mark.parametrize(
    ("error", "device", "kind"),
    [
        (RuntimeError(TORCH), "cuda:0", EnvironmentFailure),
        (OutOfMemoryError("CUDA error: out of memory"), "cuda:0", CallFailed),
        (RuntimeError(TORCH), "cpu", CallFailed),
        (RuntimeError("shapes differ"), "cuda:0", CallFailed),
    ],
)
def test_find_when_the_package_fails_then_only_a_broken_device_stops_all(
    error: Exception, device: str, kind: type[Exception]
) -> None:
    file = object.__new__(UltralyticsFile)
    file.path, file.device, file.size_px = Path("a.pt"), device, 32
    file._options, file._model = DetectorOptions(), Saying(error)
    with pytest.raises(kind, match=r"a\.pt failed") as failed:
        file.find([np.zeros((32, 32, 3), np.uint8)])
    assert type(failed.value) is kind
