"""The GPUs of this machine that a worker may use, and which models are spread over them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from types import MappingProxyType

from annotator.domain.profile import Adapter, ModelProfile

VISIBLE = "CUDA_VISIBLE_DEVICES"
LIST_S = 20.0
"""A driver that has to wake many GPUs takes seconds to list them."""
SPREAD: Mapping[Adapter, frozenset[str]] = MappingProxyType(
    {
        "transformers": frozenset({"", "cuda"}),
        "ultralytics": frozenset({"auto", "cuda"}),
        "onnx": frozenset({"cuda"}),
        "depth-onnx": frozenset({"cuda"}),
    }
)
"""By adapter, what its option ``device`` says where a model is not bound to one GPU. An ONNX model without
that option often runs on the CPU, and a vLLM server spreads itself."""
USUAL_DEVICE: Mapping[Adapter, str] = MappingProxyType({"transformers": ""})
_LISTED = re.compile(r"^(?P<part>\s*)(?:GPU|MIG)\b.*\(UUID: (?P<id>[^)\s]+)\)\s*$")


def runs_on_each_gpu(profile: ModelProfile) -> bool:
    """Return whether a model runs on a single GPU, so that each GPU can have its own worker."""
    device = profile.options.get("device", USUAL_DEVICE.get(profile.adapter, "auto"))
    return device in SPREAD.get(profile.adapter, ())


def visible_gpus(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the GPUs that a process may use, each in the form of ``CUDA_VISIBLE_DEVICES``.

    Args:
        environment: Of the process. Its ``CUDA_VISIBLE_DEVICES`` is respected; as in CUDA, the list ends at
            the first device that does not exist.
    """
    visible = environment.get(VISIBLE)
    named = None if visible is None else [part.strip() for part in visible.split(",")]
    there = _listed(environment) if named is None or named[0] not in {"", "-1"} else ()
    if named is None:
        return there or ()
    kept: list[str] = []
    for name in named:
        if not _is_there(name, there) or name in kept:
            break
        kept.append(name)
    return tuple(kept)


def _is_there(name: str, there: tuple[str, ...] | None) -> bool:
    if name.isdigit():
        return there is None or int(name) < len(there)
    if not name.startswith(("GPU-", "MIG-")):
        return False
    return there is None or any(one.startswith(name) for one in there)


def _listed(environment: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the devices that ``nvidia-smi`` lists, None if it is not available.

    MIG instances of a GPU are indented below it in the list, and are used instead of the GPU.
    """
    program = shutil.which("nvidia-smi", path=environment.get("PATH"))
    if program is None:
        return None
    try:
        output = subprocess.run(  # noqa: S603 - the driver's program
            [program, "-L"], capture_output=True, text=True, timeout=LIST_S, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        # No driver. A model that needs a GPU reports this when it is opened.
        return None
    found: list[str] = []
    has_parts = False
    for listed in filter(None, map(_LISTED.match, output.splitlines())):
        is_part = bool(listed["part"])
        if is_part and not has_parts:
            found.pop()
        has_parts = is_part
        found.append(listed["id"])
    return tuple(found)
