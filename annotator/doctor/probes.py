"""Checks of the display and the GPU. They run in child processes, because they can end a process."""

from __future__ import annotations

import os
import platform
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from annotator.doctor.check_result import CheckResult
from annotator.doctor.package_imports import SETUP
from annotator.errors import EnvironmentFailure
from annotator.jobs.supervisor import program

TIMEOUT_S = 180.0
"""PyTorch takes a minute to load on a busy machine."""
DRIVER_TIMEOUT_S = 30.0
LAST_LINES = 3
NO_DISPLAY = CheckResult(
    name="Display",
    status="warning",
    detail="this session has no display: the window cannot open, all commands work",
    fix="Log in to a desktop, use ssh -X, or set QT_QPA_PLATFORM=offscreen to take screenshots.",
)


def run_probe(name: str, **variables: str) -> dict[str, Any]:
    """Run ``main.py --probe NAME`` in a child process, and return its result.

    Args:
        name: ``display`` or ``models``.
        variables: Environment variables that it gets beside those of this process.

    Raises:
        EnvironmentFailure: The process failed; the message holds the end of what it printed.
    """
    with tempfile.TemporaryDirectory() as folder:
        # A log of its own: a display that cannot be opened aborts the probe, which is no crash of Vantage.
        environment = {**os.environ, **variables, "VANTAGE_LOG": folder}
        try:
            ended = subprocess.run(  # noqa: S603 - our own program with our own arguments
                [*program(), "--probe", name],
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=TIMEOUT_S,
                check=False,
                env=environment,
            )
        except subprocess.TimeoutExpired as error:
            raise EnvironmentFailure(f"no response within {TIMEOUT_S:.0f} s") from error
    if ended.returncode != 0:
        raise EnvironmentFailure(
            " ".join(ended.stderr.split("\n\n")[0].splitlines()[-LAST_LINES:]) or "no message"
        )
    found: dict[str, Any] = msgspec.json.decode(ended.stdout)
    return found


def check_display() -> Iterator[CheckResult]:
    """Check that Qt can open a window here, and that a font has Chinese characters."""
    variables = {}
    if not _has_display():
        # Qt is tried without a screen then: screenshots and fonts still need it.
        variables = {"QT_QPA_PLATFORM": "offscreen"}
        yield NO_DISPLAY
    try:
        found = run_probe("display", **variables)
    except EnvironmentFailure as error:
        detail = f"Qt cannot open a window: {error.message}"
        yield CheckResult(name="Qt", status="error", detail=detail, fix=SETUP)
        return
    screen = "x".join(map(str, found["screen"]))
    detail = f"{found['qt']}, platform {found['platform']}, screen {screen}, scale {found['scale']:g}"
    yield CheckResult(name="Qt", status="ok", detail=detail)
    yield _chinese_font(found["chinese_font"])


def check_models() -> Iterator[CheckResult]:
    """Check what runs models here: ONNX Runtime, PyTorch where it is installed, and the GPU driver."""
    try:
        found = run_probe("models")
    except EnvironmentFailure as error:
        detail = f"the model libraries cannot be loaded: {error.message}"
        yield CheckResult(name="ONNX Runtime", status="error", detail=detail, fix=SETUP)
        return
    providers = ", ".join(name.removesuffix("ExecutionProvider") for name in found["providers"])
    yield CheckResult(name="ONNX Runtime", status="ok", detail=f"{found['onnxruntime']}; runs on {providers}")
    yield _check_gpu(gpus(), providers=found["providers"], torch_gpus=found["torch_gpus"])


def gpus() -> list[str]:
    """Return name, memory and driver of each NVIDIA GPU; none where the driver is not installed."""
    command = ("nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader")
    try:
        ended = subprocess.run(  # noqa: S603 - a fixed program with fixed arguments
            command, capture_output=True, text=True, timeout=DRIVER_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return (
        [line.strip() for line in ended.stdout.splitlines() if line.strip()] if not ended.returncode else []
    )


def _check_gpu(found: Sequence[str], *, providers: Sequence[str], torch_gpus: Sequence[str]) -> CheckResult:
    if not found:
        return CheckResult(name="GPU", status="info", detail="no NVIDIA GPU; models run on the CPU")
    detail = "; ".join(found)
    if torch_gpus or "CUDAExecutionProvider" in providers:
        return CheckResult(name="GPU", status="ok", detail=detail)
    return CheckResult(name="GPU", status="warning", detail=f"{detail}; not used", fix=f"{SETUP} gpu")


def _chinese_font(family: str) -> CheckResult:
    if family:
        return CheckResult(name="Chinese font", status="ok", detail=family)
    fixes = {"Linux": f"{SETUP} (installs a font with Chinese characters)"}
    fix = fixes.get(
        platform.system(), "Install a font with Chinese characters, for instance Noto Sans CJK SC."
    )
    detail = "no font has Chinese characters; they are shown as boxes"
    return CheckResult(name="Chinese font", status="warning", detail=detail, fix=fix)


def _has_display() -> bool:
    if platform.system() != "Linux" or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
