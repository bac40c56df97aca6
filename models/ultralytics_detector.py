"""Detectors of the ultralytics package, on the GPU where there is one: the adapter ``ultralytics``.

The package is AGPL-3.0 and not part of the core; nothing of it is imported before a model of it is opened.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from annotator.domain.profile import ModelProfile
from annotator.errors import EnvironmentFailure, UserError
from annotator.model_api import CallFailed, ModelIdentity
from models.boxes import BoxArrays
from models.detector import DetectorOptions, SlicingDetector
from models.onnx_file import file_sha256
from models.profile_options import options_of
from models.torchvision_shim import fit_torchvision, keep_best

if TYPE_CHECKING:
    from annotator.model_api import Rgb

USUAL_SIZE_PX = 640
CUDA_BATCH = 16
BROKEN = "CUDA error"
"""Messages of torch after a kernel or driver failure; all later calls of the process fail as well."""
TASKS = frozenset({"detect", "segment", "pose", "obb"})
SETTINGS = {
    "YOLO_AUTOINSTALL": "false",
    "YOLO_OFFLINE": "true",
    "YOLO_VERBOSE": "false",
    "ULTRALYTICS_SAFE_LOAD": "true",
}
"""No installation, no network, no code of a ``.pt`` file: only tensors and known layers are loaded."""


def open_model(profile: ModelProfile) -> SlicingDetector:
    """Open the detector of a profile.

    Raises:
        UserError: There is no such file, it is not a detector or not safe, or an option is invalid.
        EnvironmentFailure: The driver failed.
        ImportError: The package is not installed.
    """
    options = options_of(profile, DetectorOptions)
    options.require_sound()
    path = Path(profile.path)
    # For a missing file the package would search the network.
    sha256 = file_sha256(path)
    finder = UltralyticsFile(path, options=options)
    identity = ModelIdentity(
        name=profile.model or path.stem,
        kind="detector",
        revision=profile.revision,
        sha256=sha256,
        parameters={
            **msgspec.to_builtins(options),
            "size": finder.size_px,
            "device": finder.device,
            "package": f"ultralytics {finder.package_version}",
        },
    )
    return SlicingDetector(finder, options=options, identity=identity)


class UltralyticsFile:
    """A model that the package opened; a ``models.detector.BoxFinder``.

    Args:
        path: Its file, which is there.
        options: How it is used.

    Raises:
        UserError: It is no detector, or holds more than weights.
        EnvironmentFailure: The driver failed.
        ImportError: The package is not installed.
    """

    def __init__(self, path: Path, *, options: DetectorOptions) -> None:
        os.environ.update(SETTINGS)
        import_torchvision()
        import torch
        import ultralytics

        self.path, self._options = path, options
        self.package_version: str = ultralytics.__version__
        self.device = _device(options.device, has_cuda=torch.cuda.is_available())
        self._model: Any = _opened(path)
        self.size_px = options.size or _trained_size(self._model)
        entries = dict(self._model.names)
        self.names = tuple(str(entries.get(number, number)) for number in range(max(entries, default=-1) + 1))

    @property
    def batch(self) -> int:
        """Best number of images per batch."""
        return self._options.batch or (CUDA_BATCH if self.device != "cpu" else 1)

    def find(self, pictures: Sequence[Rgb]) -> list[BoxArrays]:
        """Return what each picture shows, in its pixels, highest score first.

        Raises:
            CallFailed: The package failed.
            EnvironmentFailure: The device is broken; nothing more can be found in this process.
        """
        if self._model is None:
            raise CallFailed("The model was closed.", kind="model", is_retryable=False, was_sent=False)
        options = self._options
        # The package expects arrays in the order blue, green, red.
        turned = [np.ascontiguousarray(picture[..., ::-1]) for picture in pictures]
        try:
            results = self._model.predict(
                turned,
                imgsz=self.size_px,
                conf=max(options.score, 1e-6),
                iou=options.iou,
                max_det=options.most,
                device=self.device,
                verbose=False,
                save=False,
            )
        # Exceptions of the package and of torch have no common base class.
        except Exception as error:
            message = f"{self.path.name} failed: {type(error).__name__}: {' '.join(str(error).split())[:300]}"
            if self.device != "cpu" and BROKEN in str(error) and not _is_memory(error):
                raise EnvironmentFailure(
                    message, hint="Resume the run: a new process initializes the device again."
                ) from error
            raise CallFailed(message, kind="model", is_retryable=_is_memory(error)) from error
        return [self._found(result) for result in results]

    def close(self) -> None:
        """Give back memory."""
        self._model = None

    def _found(self, result: Any) -> BoxArrays:  # noqa: ANN401 - the package has no types
        boxes = result.boxes if result.boxes is not None else result.obb
        return BoxArrays(
            boxes=boxes.xyxy.cpu().numpy().astype(np.float64).reshape(-1, 4),
            scores=boxes.conf.cpu().numpy().astype(np.float64),
            classes=boxes.cls.cpu().numpy().astype(np.int64),
        )


def import_torchvision() -> None:
    """Import torchvision so that its suppression of boxes works; the package calls that once it is loaded.

    Raises:
        ImportError: It is not installed.
    """
    fit_torchvision()
    import torchvision
    from torchvision import extension

    # torchvision's own wrapper refuses to call any operator if its compiled part was not loaded.
    if not extension._has_ops():  # noqa: SLF001 - it has no public way to ask
        torchvision.ops.nms = torchvision.ops.boxes.nms = keep_best


def _opened(path: Path) -> Any:  # noqa: ANN401 - the package has no types
    from ultralytics import YOLO

    try:
        model = YOLO(str(path), verbose=False)
    # An untrusted file can raise any exception when it is read.
    except Exception as error:
        raise UserError(
            f"{path.name} cannot be opened as an Ultralytics model: {' '.join(str(error).split())[:300]}",
            hint="Files that contain more than weights and the package's own layers are not opened.",
        ) from error
    if model.task not in TASKS:
        raise UserError(f"{path.name} is a model for {model.task}, not a detector.")
    return model


def _trained_size(model: Any) -> int:  # noqa: ANN401 - the same
    size = (getattr(model, "overrides", None) or {}).get("imgsz", USUAL_SIZE_PX)
    return size if isinstance(size, int) and 0 < size <= 8_192 else USUAL_SIZE_PX


def _device(wanted: str, *, has_cuda: bool) -> str:
    """Return the device as the package names it.

    Raises:
        UserError: There is no such device.
        EnvironmentFailure: CUDA was requested but is not available.
    """
    if wanted not in {"auto", "cpu", "cuda"}:
        raise UserError(f"There is no device {wanted!r}.", hint="Devices: auto, cpu, cuda.")
    if wanted == "cuda" and not has_cuda:
        raise EnvironmentFailure(
            "CUDA was requested but is not available.",
            hint="Repair the GPU driver, or set the device to cpu.",
        )
    return "cuda:0" if has_cuda and wanted != "cpu" else "cpu"


def _is_memory(error: Exception) -> bool:
    """Return whether a device was temporarily out of memory, for instance because of another program."""
    return type(error).__name__ == "OutOfMemoryError"
