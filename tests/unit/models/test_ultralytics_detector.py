"""The adapter against the real package, with a model of random weights made here: nothing is fetched."""

from __future__ import annotations

import importlib.util
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from annotator.domain.profile import ModelProfile
from annotator.errors import UserError, VantageError
from annotator.model_api import CallFailed
from models.adapters import open_model

REPO = Path(__file__).resolve().parents[3]
MISSING = [name for name in ("torch", "torchvision", "ultralytics") if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"the extra [detector] is not installed: {', '.join(MISSING)}"),
    # The package and torch warn of their own ways.
    pytest.mark.filterwarnings("default"),
    pytest.mark.allow_messages(".*"),
]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a file of the smallest YOLO11 with random weights, made from the package's own description."""
    folder = tmp_path_factory.mktemp("weights")
    script = (
        "from models.ultralytics_detector import SETTINGS, import_torchvision\n"
        "import os; os.environ.update(SETTINGS); import_torchvision()\n"
        "import torch; torch.manual_seed(3)\n"
        "from ultralytics import YOLO\n"
        "made = YOLO('yolo11n.yaml', verbose=False)\n"
        # As it begins, each class of each place has the same tiny score, and nothing could be told apart.
        "for part in made.model.modules():\n"
        "    if isinstance(part, torch.nn.BatchNorm2d):\n"
        "        torch.nn.init.uniform_(part.weight, 1, 3)\n"
        "for branch in made.model.model[-1].cv3:\n"
        "    torch.nn.init.normal_(branch[-1].weight, 0, 20)\n"
        "    torch.nn.init.constant_(branch[-1].bias, -2)\n"
        f"made.save({str(folder / 'tiny.pt')!r})\n"
    )
    environment = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "PYTHONPATH": str(REPO)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "tiny.pt"


def detector(path: Path, **options: object):
    return open_model(ModelProfile(name="u", adapter="ultralytics", path=str(path), options=options))


def noise(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 255, (height, width, 3)).astype(np.uint8)


def test_detect_when_opened_from_weights_then_boxes_lie_in_the_picture(weights):
    model = detector(weights, score=0.0, size=160, most=20, device="cpu")
    first, second = model.detect([noise(120, 200), noise(300, 100)])
    assert 0 < len(first) <= 20
    for found, (width, height) in ((first, (200, 120)), (second, (100, 300))):
        assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
        for one in found:
            x1, y1, x2, y2 = one.box
            assert 0 <= x1 < x2 <= width
            assert 0 <= y1 < y2 <= height
    identity = model.identity
    assert (identity.name, len(identity.sha256)) == ("tiny", 64)
    assert identity.parameters["device"] == "cpu"
    assert identity.parameters["package"].startswith("ultralytics 8.")
    model.close()
    with pytest.raises(CallFailed, match="was closed"):
        model.detect([noise(64, 64)])


def test_detect_when_asked_twice_then_answers_are_the_same(weights):
    model = detector(weights, score=0.0, size=96, most=10, device="cpu")
    picture = noise(96, 96)
    assert model.detect([picture]) == model.detect([picture])


def test_detect_when_the_same_model_is_an_onnx_file_then_both_adapters_agree(weights, tmp_path):
    pytest.importorskip("onnx", reason="export needs the package onnx")
    script = (
        "from models.ultralytics_detector import SETTINGS, import_torchvision\n"
        "import os; os.environ.update(SETTINGS); import_torchvision()\n"
        "from ultralytics import YOLO\n"
        f"YOLO({str(tmp_path / 'tiny.pt')!r}).export(format='onnx', imgsz=96, simplify=False)\n"
    )
    (tmp_path / "tiny.pt").write_bytes(weights.read_bytes())
    environment = {**os.environ, "PYTHONPATH": str(REPO)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if not (tmp_path / "tiny.onnx").is_file():
        pytest.skip(f"this installation cannot export: {done.stderr[-300:]}")
    picture = noise(96, 96)
    options = {"score": 0.01, "size": 96, "most": 10, "device": "cpu"}
    theirs = detector(weights, **options).detect([picture])[0]
    profile = ModelProfile(name="o", adapter="onnx", path=str(tmp_path / "tiny.onnx"), options=options)
    (ours,) = open_model(profile).detect([picture])
    assert len(theirs) > 3
    assert [one.category for one in ours] == [one.category for one in theirs]
    for one, other in zip(ours, theirs, strict=True):
        assert one.box == pytest.approx(other.box, abs=0.05)
        assert one.score == pytest.approx(other.score, abs=1e-4)


class Trap:
    """What a hostile file asks Python to make when it is opened."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (self.path, "w")


def test_open_when_a_file_holds_code_then_it_is_not_run(tmp_path):
    import torch

    path, trap = tmp_path / "trap.pt", tmp_path / "sprung"
    torch.save({"model": Trap(str(trap))}, path)
    with pytest.raises(VantageError, match=r"trap\.pt cannot be opened"):
        detector(path)
    path.write_bytes(pickle.dumps(Trap(str(trap))))
    with pytest.raises(VantageError):
        detector(path)
    assert not trap.exists()


def test_open_when_the_file_is_missing_then_nothing_is_fetched(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="no model file"):
        detector(Path("yolo11n.pt"))
    assert list(tmp_path.iterdir()) == []


def test_nms_when_torchvision_is_fitted_then_the_same_boxes_stay_as_in_the_core():
    import torch

    from models.boxes import BoxArrays, nms
    from models.ultralytics_detector import import_torchvision

    chance = np.random.default_rng(5)
    corners = chance.uniform(0, 100, (400, 2))
    boxes = np.concatenate([corners, corners + chance.uniform(1, 40, (400, 2))], axis=1)
    scores = chance.uniform(0, 1, 400)
    found = BoxArrays(boxes=boxes, scores=scores, classes=np.zeros(400, np.int64))
    import_torchvision()
    import torchvision

    kept = torchvision.ops.nms(torch.from_numpy(boxes), torch.from_numpy(scores), 0.5)
    assert np.array_equal(boxes[kept.numpy()], nms(found, most_overlap=0.5, most=400).boxes)
