"""ONNX files of users, opened with limits on the best available device."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from annotator.errors import EnvironmentFailure, UserError
from annotator.model_api import CallFailed

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, NodeArg

MOST_SIDE_PX = 8_192
"""Largest side of an input, pixels; use slices for larger images."""
MOST_INPUT_VALUES = 200_000_000
"""800 MB as float32. An untrusted file declares the size of its input, which is allocated at once."""
PROVIDERS = ("CUDAExecutionProvider", "CPUExecutionProvider")
DEVICES = ("auto", "cpu", "cuda")
FATAL_ONLY = 4
"""ONNX Runtime's numeric value of the level."""
BROKEN, NO_MEMORY = "CUDA failure", "out of memory"
"""Messages of the runtime after a failed CUDA call; except for exhausted memory, all later calls of the
process fail too. Source: onnxruntime, ``core/providers/cuda/cuda_call.cc``."""
TYPES: Mapping[str, type[np.generic]] = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(uint8)": np.uint8,
}


@dataclass(frozen=True, kw_only=True)
class PictureInput:
    """The only input of a model for images.

    Attributes:
        name: Its name in the file.
        kind: Data type.
        batch: Batch size, 0 for any.
        width_px: 0 for any.
        height_px: The same.
        is_channels_last: Whether it is (batch, height, width, 3), else (batch, 3, height, width).
    """

    name: str
    kind: type[np.generic]
    batch: int
    width_px: int
    height_px: int
    is_channels_last: bool

    def filled(self, pictures: NDArray[np.float32]) -> NDArray[np.generic]:
        """Return images in the layout and data type of the input.

        Args:
            pictures: float32 (batch, height, width, 3).
        """
        laid = pictures if self.is_channels_last else pictures.transpose(0, 3, 1, 2)
        return np.ascontiguousarray(laid, dtype=self.kind)


class OnnxFile:
    """A model that was opened; several threads may run it.

    Args:
        session: The session of the runtime.
        path: The file.
    """

    def __init__(self, session: InferenceSession, *, path: Path) -> None:
        self._session: InferenceSession | None = session
        self.path = path
        self.input = _picture_input(session, name=path.name)
        self.metadata: dict[str, str] = dict(session.get_modelmeta().custom_metadata_map)
        self.provider: str = session.get_providers()[0]

    @classmethod
    def open(cls, path: Path, *, device: str = "auto", threads: int = 0) -> OnnxFile:
        """Open a file.

        Args:
            path: The file; external weights beside it are loaded if it refers to them.
            device: ``auto`` for CUDA if available, ``cpu``, ``cuda``.
            threads: Threads of the processor, 0 for as many as it has cores.

        Raises:
            UserError: It does not exist, or is not a model for images.
            EnvironmentFailure: The driver failed.
        """
        session = open_session(path, device=device, threads=threads)
        return cls(session, path=path)

    def run(self, values: NDArray[np.generic]) -> list[NDArray[np.generic]]:
        """Return the outputs of the model.

        Raises:
            CallFailed: The model failed.
            EnvironmentFailure: The device has failed; no further call is possible in this process.
        """
        if self._session is None:
            raise CallFailed("The model was closed.", kind="model", is_retryable=False, was_sent=False)
        return run_session(self._session, {self.input.name: values}, name=self.path.name)

    def close(self) -> None:
        """Give back its memory."""
        self._session = None


def open_session(path: Path, *, device: str = "auto", threads: int = 0) -> InferenceSession:
    """Open a model file in the runtime, as ``OnnxFile.open`` does.

    Raises:
        UserError: It does not exist, or is not a model.
        EnvironmentFailure: The driver failed.
    """
    import onnxruntime as ort

    if not path.is_file():
        raise UserError(f"There is no model file {path}.", hint="Correct the path in the model profile.")
    wanted = _providers(device, known=ort.get_available_providers())
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    # Errors are raised as exceptions; the runtime need not log them as well.
    options.log_severity_level = FATAL_ONLY
    try:
        session = ort.InferenceSession(str(path), options, providers=wanted)
    # The runtime's exceptions have no common public base class.
    except Exception as error:
        if device == "cuda":
            raise EnvironmentFailure(f"{path.name} cannot be opened with CUDA: {_text(error)}.") from error
        raise UserError(
            f"{path.name} cannot be opened as an ONNX model: {_text(error)}.",
            hint="Export the model again without custom operators.",
        ) from error
    return session


def run_session(
    session: InferenceSession, values: Mapping[str, NDArray[Any]], *, name: str
) -> list[NDArray[np.generic]]:
    """Return the outputs of a model for the values of its inputs.

    Args:
        session: The session of the runtime.
        values: By the name of the input.
        name: File name of the model, for messages.

    Raises:
        CallFailed: The model failed.
        EnvironmentFailure: The device has failed; no further call is possible in this process.
    """
    try:
        outputs: Sequence[Any] = session.run(None, dict(values))
    except Exception as error:  # As above: there is no common base.
        if BROKEN in str(error) and NO_MEMORY not in str(error):
            raise EnvironmentFailure(
                f"The device that runs {name} failed: {_text(error)}.",
                hint="Resume the run: a new process initializes the device again.",
            ) from error
        raise CallFailed(f"{name} failed: {_text(error)}.", kind="model", is_retryable=False) from error
    if not all(isinstance(output, np.ndarray) for output in outputs):
        raise CallFailed(f"The output of {name} is not numeric.", kind="format", is_retryable=False)
    return list(outputs)


def fixed_sizes(node: NodeArg) -> list[int]:
    """Return the size of each axis of an input, 0 where the file does not fix it."""
    return [size if isinstance(size, int) and size > 0 else 0 for size in node.shape]


def describe_inputs(inputs: Sequence[NodeArg]) -> str:
    """Return the inputs of a model as a text for messages."""
    return "; ".join(f"{one.name} {one.type} {one.shape}" for one in inputs) or "it has no input"


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file as hex digits.

    Raises:
        UserError: The file does not exist.
        EnvironmentFailure: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise UserError(
            f"There is no model file {path}.", hint="Correct the path in the model profile."
        ) from error
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be read: {error.strerror}.") from error


def _providers(device: str, *, known: Sequence[str]) -> list[str]:
    if device not in DEVICES:
        raise UserError(f"There is no device {device!r}.", hint=f"Devices: {', '.join(DEVICES)}.")
    if device == "cuda" and PROVIDERS[0] not in known:
        raise UserError(
            "The installed onnxruntime does not support CUDA.",
            hint="Install the extra [gpu], or set the device to cpu.",
        )
    return [name for name in PROVIDERS if name in known and (device != "cpu" or name == PROVIDERS[1])]


def _picture_input(session: InferenceSession, *, name: str) -> PictureInput:
    inputs = session.get_inputs()
    if len(inputs) != 1 or len(inputs[0].shape) != 4 or inputs[0].type not in TYPES:
        raise UserError(
            f"{name} does not accept an image as input: {describe_inputs(inputs)}.",
            hint="The model must have one input of four dimensions: batch, channels, height, width.",
        )
    batch, *sides = fixed_sizes(inputs[0])
    is_last, width, height = _layout(sides, name=name)
    if max(height, width) > MOST_SIDE_PX or max(1, batch) * width * height * 3 > MOST_INPUT_VALUES:
        raise UserError(
            f"{name} takes {batch or 'any number of'} images of {width:,} x {height:,}, which is too large."
        )
    return PictureInput(
        name=inputs[0].name,
        kind=TYPES[inputs[0].type],
        batch=batch,
        width_px=width,
        height_px=height,
        is_channels_last=is_last,
    )


def _layout(sides: Sequence[int], *, name: str) -> tuple[bool, int, int]:
    """Return whether channels come last, width and height.

    Raises:
        UserError: It has other channels than three.
    """
    # A dimension that is not fixed cannot be the channels: the one of size three decides the layout.
    if sides[2] == 3 and sides[0] != 3:
        return True, sides[1], sides[0]
    if sides[0] not in {0, 3}:
        raise UserError(f"{name} takes {sides[0]} input channels, and images have 3.")
    return False, sides[2], sides[1]


def _text(error: BaseException) -> str:
    """Return the runtime's message as one line of bounded length."""
    text = " ".join(str(error).split())
    return text[:300].rstrip(".") or type(error).__name__
