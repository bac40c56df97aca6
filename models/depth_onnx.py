"""Depth models in ONNX files: the adapter ``depth-onnx``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from annotator.domain.profile import ModelProfile
from annotator.errors import UserError
from annotator.model_api import CallFailed, ModelIdentity
from models.letterbox import Letterbox
from models.onnx_file import MOST_SIDE_PX, OnnxFile, file_sha256
from models.profile_options import options_of

if TYPE_CHECKING:
    from annotator.model_api import Depth, Rgb

USUAL_SIDE_PX, USUAL_PATCH_PX = 518, 14
"""Source: Depth Anything V2 (arXiv 2406.09414), section 6: the shorter side has 518 pixels, and the aspect of
the image is kept; patches of DINOv2 have 14."""
MOST_VALUES = 64_000_000
IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Source: torchvision's models; MiDaS, Depth Anything and ZoeDepth were trained with these."""


class DepthOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of a depth model, in ``ModelProfile.options``.

    Attributes:
        width: Least width of the input if the file does not fix it, pixels.
        height: The same.
        multiple: Its sides are multiples of this: the patches of transformers.
        colours: Order of the channels.
        factor: Pixels 0..255 are multiplied by it.
        mean: Then subtracted, per channel.
        std: Then divided by, per channel.
        metric: Whether the outputs are lengths.
        unit_m: Metres that 1 of a metric output stands for.
        inverse: Whether larger outputs are nearer, as for disparities.
        output: Index of the output, if there are several.
        device: ``auto``, ``cpu`` or ``cuda``.
        threads: Threads of the processor, 0 for as many as it has cores.
    """

    width: int = USUAL_SIDE_PX
    height: int = USUAL_SIDE_PX
    multiple: int = USUAL_PATCH_PX
    colours: Literal["rgb", "bgr"] = "rgb"
    factor: float = 1 / 255
    mean: tuple[float, float, float] = IMAGENET_MEAN
    std: tuple[float, float, float] = IMAGENET_STD
    metric: bool = False
    unit_m: float = 1.0
    inverse: bool = False
    output: int = 0
    device: str = "auto"
    threads: int = 0

    def require_sound(self) -> None:
        """Refuse invalid options.

        Raises:
            UserError: One is out of bounds.
        """
        if not (0 < self.width <= MOST_SIDE_PX and 0 < self.height <= MOST_SIDE_PX):
            raise UserError(f"Invalid input size: {self.width} x {self.height} pixels.")
        if self.multiple < 1:
            raise UserError("The option multiple must be 1 or more.")
        if self.unit_m <= 0 or min(self.std) <= 0 or self.output < 0:
            raise UserError("The options unit_m and std must be above 0, and output must be 0 or more.")


def open_model(profile: ModelProfile) -> OnnxDepthModel:
    """Open the depth model of a profile.

    Raises:
        UserError: There is no such file, it does not accept images, or an option is invalid.
        EnvironmentFailure: The driver failed, or the file cannot be read.
    """
    options = options_of(profile, DepthOptions)
    options.require_sound()
    path = Path(profile.path)
    sha256 = file_sha256(path)
    file = OnnxFile.open(path, device=options.device, threads=options.threads)
    identity = ModelIdentity(
        name=profile.model or path.stem,
        kind="depth",
        revision=profile.revision,
        sha256=sha256,
        parameters={**msgspec.to_builtins(options), "provider": file.provider},
    )
    return OnnxDepthModel(file, options=options, identity=identity)


class OnnxDepthModel:
    """A depth model; an ``annotator.model_api.DepthModel``.

    Args:
        file: The file.
        options: How it is used.
        identity: Which model it is.
    """

    def __init__(self, file: OnnxFile, *, options: DepthOptions, identity: ModelIdentity) -> None:
        self.identity = identity
        self._file, self._options = file, options

    def depth(self, picture: Rgb) -> Depth:
        """Return the depth of each pixel: float32 (height, width), larger is farther, NaN if unknown.

        Args:
            picture: uint8 (height, width, 3), red, green, blue.

        Raises:
            CallFailed: The model failed, or its output is not a depth map.
        """
        import cv2

        height, width = picture.shape[:2]
        box = self._place(width, height)
        outputs = self._file.run(self._input(picture, box))
        if self._options.output >= len(outputs):
            raise _wrong_output_error(f"it has {len(outputs)} outputs")
        plane = self._farther(_inner(_plane(outputs[self._options.output]), box))
        laid: NDArray[np.float32] = cv2.resize(plane, (width, height), interpolation=cv2.INTER_LINEAR).astype(
            np.float32
        )
        return laid

    def close(self) -> None:
        """Give back memory."""
        self._file.close()

    def _place(self, width_px: int, height_px: int) -> Letterbox:
        """Return where an image lies in the input, its aspect kept: depths of distorted images are wrong."""
        options, wanted = self._options, self._file.input
        sides = wanted.width_px or options.width, wanted.height_px or options.height
        if not wanted.width_px and not wanted.height_px:
            factor = max(options.width / width_px, options.height / height_px)
            sides = self._side(width_px * factor), self._side(height_px * factor)
            # Rounding to whole patches is not a distortion that tells, and a bar of 7 pixels would.
            return Letterbox(
                width_px=width_px,
                height_px=height_px,
                inner_width_px=sides[0],
                inner_height_px=sides[1],
                left_px=0,
                top_px=0,
                input_width_px=sides[0],
                input_height_px=sides[1],
            )
        return Letterbox.of(
            width_px=width_px, height_px=height_px, input_width_px=sides[0], input_height_px=sides[1]
        )

    def _side(self, length_px: float) -> int:
        multiple = self._options.multiple
        whole = max(1, round(length_px / multiple)) * multiple
        return min(whole, MOST_SIDE_PX // multiple * multiple)

    def _input(self, picture: Rgb, box: Letterbox) -> NDArray[np.generic]:
        import cv2

        options, wanted = self._options, self._file.input
        size = box.inner_width_px, box.inner_height_px
        is_smaller = size[0] < picture.shape[1]
        interpolation = cv2.INTER_AREA if is_smaller else cv2.INTER_LINEAR
        below = box.input_height_px - box.inner_height_px - box.top_px
        right = box.input_width_px - box.inner_width_px - box.left_px
        # The edge goes on outside: grey bars would be objects with a depth.
        resized = cv2.copyMakeBorder(
            cv2.resize(picture, size, interpolation=interpolation),
            *(box.top_px, below, box.left_px, right),
            cv2.BORDER_REPLICATE,
        )
        ordered = resized if options.colours == "rgb" else resized[..., ::-1]
        values = ordered.astype(np.float32) * np.float32(options.factor)
        values -= np.array(options.mean, np.float32)
        values /= np.array(options.std, np.float32)
        # A model with a fixed batch size gets this image repeated; only the first result is used.
        return wanted.filled(np.repeat(values[None], max(1, wanted.batch), axis=0))

    def _farther(self, plane: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return values that increase with distance, in metres if the model is metric."""
        # A disparity of 0 is infinite distance, and a length of 0 or less is invalid.
        is_known = np.isfinite(plane) & (plane > 0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            depth = 1.0 / plane if self._options.inverse else plane * np.float32(self._options.unit_m)
        return np.where(is_known, depth, np.nan).astype(np.float32)


def _plane(output: NDArray[np.generic]) -> NDArray[np.float32]:
    """Return an output as (height, width): the only channel of the first image."""
    array = np.asarray(output)
    if array.dtype.kind not in "fiu" or array.size > MOST_VALUES or array.ndim not in {2, 3, 4}:
        raise _wrong_output_error(f"its output is {array.dtype} with the shape {array.shape}")
    first = array if array.ndim == 2 else array[:1]
    sides = [side for side in first.shape if side != 1]
    if len(sides) != 2:
        raise _wrong_output_error(f"its output has the shape {array.shape}")
    plane: NDArray[np.float32] = first.reshape(sides).astype(np.float32)
    return plane


def _inner(plane: NDArray[np.float32], box: Letterbox) -> NDArray[np.float32]:
    """Return the part of an output that shows the image; outputs can be smaller than inputs."""
    rows, columns = plane.shape[0] / box.input_height_px, plane.shape[1] / box.input_width_px
    top, left = round(box.top_px * rows), round(box.left_px * columns)
    height = max(1, round(box.inner_height_px * rows))
    width = max(1, round(box.inner_width_px * columns))
    return plane[top : top + height, left : left + width]


def _wrong_output_error(message: str) -> CallFailed:
    return CallFailed(
        f"The output of the model is not a depth map: {message}.", kind="format", is_retryable=False
    )
