"""Makes torchvision importable beside a torch that it was not built for.

The torchvision wheel of the package index is built for the CUDA build of torch. Beside the CPU build its
compiled half does not load, and its import then fails because ``torchvision::nms`` does not exist. With that
operator defined in plain torch it imports, and everything that is written in Python works: resizing and
normalising of pictures, which is what processors of models need. This can go when torchvision imports
without its compiled half.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from typing import Any

_ONCE = threading.Lock()
_MISSING = "torchvision::nms"


def fit_torchvision() -> None:
    """Import torchvision, with an operator of ours where its own did not load; nothing where there is none.

    Raises:
        RuntimeError: It does not import for another reason.
    """
    with _ONCE:
        if "torchvision" in sys.modules or importlib.util.find_spec("torchvision") is None:
            return
        try:
            importlib.import_module("torchvision")
        except RuntimeError as error:
            if _MISSING not in str(error):
                raise
            # A failed import leaves the submodules that did load.
            for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
                del sys.modules[name]
            _define()
            importlib.import_module("torchvision")


def keep_best(boxes: Any, scores: Any, iou_threshold: float) -> Any:  # noqa: ANN401 - tensors; torch has no stubs here
    """Return which boxes stay, best first, when each drops the worse ones that it covers too much of.

    Args:
        boxes: Float tensor (n, 4), x1 y1 x2 y2.
        scores: Float tensor (n,).
        iou_threshold: Boxes with more than this share of their union in common are one thing, 0..1.

    Returns:
        Int64 tensor of places.
    """
    import torch

    order = scores.argsort(descending=True)
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    kept = []
    while order.numel():
        best, rest = order[0], order[1:]
        kept.append(best)
        low = torch.maximum(boxes[best, :2], boxes[rest, :2])
        high = torch.minimum(boxes[best, 2:], boxes[rest, 2:])
        common = (high - low).clamp(min=0).prod(dim=1)
        order = rest[common <= iou_threshold * (areas[best] + areas[rest] - common)]
    return torch.stack(kept) if kept else torch.empty(0, dtype=torch.int64, device=boxes.device)


def _define() -> None:
    import torch

    for name in (_MISSING, "torchvision::qnms"):
        torch.library.define(name, "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    # The operator for quantised tensors must only exist; such tensors are not used here.
    torch.library.impl(_MISSING, "default")(keep_best)
