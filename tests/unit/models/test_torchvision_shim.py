from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from models.torchvision_shim import fit_torchvision, keep_best

REPO = Path(__file__).resolve().parents[3]


def test_keep_best_when_boxes_cover_each_other_then_the_better_one_stays() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed; it comes with the extra [gpu]")
    boxes = torch.tensor([[0.0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30], [0, 0, 10, 5]])
    scores = torch.tensor([0.5, 0.9, 0.1, 0.4])
    # The first covers 81 of 119 of the second; the last, 40 of 110 of it.
    assert keep_best(boxes, scores, 0.5).tolist() == [1, 3, 2]
    assert keep_best(boxes, scores, 0.7).tolist() == [1, 0, 3, 2]
    assert keep_best(boxes[:0], scores[:0], 0.5).tolist() == []


def test_torchvision_when_fitted_then_imports_with_its_operator() -> None:
    pytest.importorskip("torch", reason="torch is not installed; it comes with the extra [gpu]")
    code = (
        "from models.torchvision_shim import fit_torchvision; fit_torchvision(); fit_torchvision()\n"
        "import torch, torchvision.transforms.v2\n"
        "boxes = torch.tensor([[0., 0, 2, 2], [0, 0, 2, 2]])\n"
        "print(torch.ops.torchvision.nms(boxes, torch.tensor([0.1, 0.2]), 0.5).tolist())"
    )
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=False)
    if "No module named 'torchvision'" in done.stderr:
        pytest.skip("torchvision is not installed")
    assert (done.returncode, done.stdout.strip()) == (0, "[1]"), done.stderr


def test_torchvision_when_there_is_none_then_nothing_happens(monkeypatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    before = set(sys.modules)
    fit_torchvision()
    assert {name for name in set(sys.modules) - before if name.startswith("torchvision")} == set()
