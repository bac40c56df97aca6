"""Checks that OpenCV and PyAV load and support the formats that Vantage needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from annotator.doctor.check_result import CheckResult
from annotator.doctor.package_imports import SETUP

DECODERS = ("h264", "hevc", "vp9", "av1", "mjpeg")
"""Video formats of the benchmarks and of drones."""


def check_media_libraries() -> Iterator[CheckResult]:
    """Load OpenCV and PyAV, and run a small test with each."""
    yield _check("OpenCV", _try_opencv)
    yield _check("PyAV", _try_pyav)


def _check(name: str, attempt: Callable[[], str]) -> CheckResult:
    try:
        return CheckResult(name=name, status="ok", detail=attempt())
    except Exception as error:  # noqa: BLE001 - a library that is broken may raise anything while it loads
        return CheckResult(name=name, status="error", detail=f"does not work: {error}", fix=SETUP)


def _try_opencv() -> str:
    import cv2
    import numpy as np

    image = np.arange(300, dtype=np.uint8).reshape(10, 10, 3)
    for suffix in (".png", ".jpg"):
        is_written, content = cv2.imencode(suffix, image)
        read = cv2.imdecode(content, cv2.IMREAD_COLOR) if is_written else None
        if read is None or read.shape != image.shape:
            raise RuntimeError(f"images of type {suffix} cannot be read")
    return f"{cv2.__version__}; reads and writes PNG and JPEG"


def _try_pyav() -> str:
    import av

    missing = [name for name in DECODERS if name not in av.codecs_available]
    if missing:
        raise RuntimeError(f"no decoder for {', '.join(missing)}")
    return f"{av.__version__}; decodes {', '.join(DECODERS)}"
