"""Tries what can run models here; run in a process of its own, because a broken driver can end it."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any


def probe_models() -> dict[str, Any]:
    """Return the version and devices of ONNX Runtime, and the GPUs of PyTorch where it is installed."""
    import onnxruntime

    return {
        "onnxruntime": onnxruntime.__version__,
        "providers": list(onnxruntime.get_available_providers()),
        "torch_gpus": _torch_gpus(),
    }


def _torch_gpus() -> list[str]:
    if find_spec("torch") is None:
        return []
    import torch

    return [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
