"""Detectors as ONNX files, through onnxruntime: YOLO v8 and later, end-to-end exports, RT-DETR."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from annotator.domain.profile import ModelProfile
from annotator.errors import UserError
from annotator.model_api import ModelIdentity
from models.boxes import BoxArrays, nms
from models.detector import DetectorOptions, SlicingDetector
from models.letterbox import Letterbox
from models.onnx_file import OnnxFile, file_sha256
from models.profile_options import options_of
from models.yolo_outputs import Form, Outputs

if TYPE_CHECKING:
    from annotator.model_api import Rgb

USUAL_SIZE_PX = 640
CUDA_BATCH = 8
MOST_METADATA = 1_000_000
"""Characters of a list of names: it is read by Python's parser, which deep nesting would exhaust."""
MOST_CLASSES = 10_000
"""LVIS has 1,203 categories, Open Images 601; a longer list is not a list of categories."""
TASKS = frozenset({"", "detect", "segment", "pose", "obb"})


class OnnxOptions(DetectorOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of an ONNX detector, in ``ModelProfile.options``; values in its file need not be set.

    Attributes:
        threads: Threads of the processor, 0 for as many as it has cores.
        names: Categories by their numbers; empty for those of the file.
        form: Form of its outputs, if not evident from their shapes.
        logits: Whether scores are before the sigmoid.
        colours: Order of the channels.
        factor: Pixels 0..255 are multiplied by it.
        mean: Then subtracted, per channel.
        std: Then divided by, per channel.
        centred: Whether the image is centred in the input; otherwise it is at the upper left.
    """

    threads: int = 0
    names: tuple[str, ...] = ()
    form: Form | None = None
    logits: bool = False
    colours: Literal["rgb", "bgr"] = "rgb"
    factor: float = 1 / 255
    mean: tuple[float, float, float] = (0.0, 0.0, 0.0)
    std: tuple[float, float, float] = (1.0, 1.0, 1.0)
    centred: bool = True


def open_model(profile: ModelProfile) -> SlicingDetector:
    """Open the detector of a profile.

    Raises:
        UserError: There is no such file, it is not a detector, or an option is invalid.
        EnvironmentFailure: The driver failed, or the file cannot be read.
    """
    options = options_of(profile, OnnxOptions)
    options.require_sound()
    path = Path(profile.path)
    sha256 = file_sha256(path)
    finder = OnnxDetector(
        OnnxFile.open(path, device=options.device, threads=options.threads), options=options
    )
    identity = ModelIdentity(
        name=profile.model or path.stem,
        kind="detector",
        revision=profile.revision or finder.revision,
        sha256=sha256,
        parameters={
            **msgspec.to_builtins(options),
            "size": [finder.width_px, finder.height_px],
            "provider": finder.file.provider,
        },
    )
    return SlicingDetector(finder, options=options, identity=identity)


class OnnxDetector:
    """A YOLO model in an ONNX file; a ``models.detector.BoxFinder``.

    Args:
        file: The file.
        options: How it is used.

    Raises:
        UserError: Its task is not detection.
    """

    def __init__(self, file: OnnxFile, *, options: OnnxOptions) -> None:
        self.file, self._options = file, options
        metadata = file.metadata
        self.names = options.names or _names(metadata.get("names", ""), file=file.path.name)
        self.revision = metadata.get("version", "")
        self.width_px, self.height_px = _size(file, options=options)
        task = metadata.get("task", "")
        if task not in TASKS:
            raise UserError(f"{file.path.name} is a model for {task}, not a detector.")
        self._outputs = Outputs(
            form=options.form,
            classes=len(self.names),
            task=task,
            width_px=self.width_px,
            height_px=self.height_px,
            least_score=options.score,
            has_logits=options.logits,
        )

    @property
    def batch(self) -> int:
        """Best number of images per batch."""
        on_device = CUDA_BATCH if self.file.provider.startswith("CUDA") else 1
        return self.file.input.batch or self._options.batch or on_device

    def find(self, pictures: Sequence[Rgb]) -> list[BoxArrays]:
        """Return the boxes of each image, in its pixels, highest score first.

        Raises:
            CallFailed: The model failed, or its output cannot be read.
        """
        if not pictures:
            return []
        boxes = [self._letterbox(picture) for picture in pictures]
        inputs = np.stack([box.filled(picture) for box, picture in zip(boxes, pictures, strict=True)])
        # A model with a fixed batch size gets black images for the missing ones.
        lacking = max(0, self.file.input.batch - len(pictures))
        inputs = np.concatenate([inputs, np.zeros((lacking, *inputs.shape[1:]), np.uint8)])
        outputs = self.file.run(self.file.input.filled(self._scaled(inputs)))
        read = self._outputs.read(outputs, pictures=len(inputs))[: len(pictures)]
        return [self._in_picture(found, box) for found, box in zip(read, boxes, strict=True)]

    def close(self) -> None:
        """Give back memory."""
        self.file.close()

    def _letterbox(self, picture: Rgb) -> Letterbox:
        return Letterbox.of(
            width_px=picture.shape[1],
            height_px=picture.shape[0],
            input_width_px=self.width_px,
            input_height_px=self.height_px,
            is_centred=self._options.centred,
        )

    def _scaled(self, pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
        options = self._options
        ordered = pictures if options.colours == "rgb" else pictures[..., ::-1]
        values: NDArray[np.float32] = ordered.astype(np.float32)
        # A model that takes bytes scales them itself.
        if self.file.input.kind is not np.uint8:
            values *= np.float32(options.factor)
        if any(options.mean) or options.std != (1.0, 1.0, 1.0):
            values -= np.array(options.mean, np.float32)
            values /= np.array(options.std, np.float32)
        return values

    def _in_picture(self, found: BoxArrays, box: Letterbox) -> BoxArrays:
        options = self._options
        # Before boxes are clipped at the edges of the image: clipped boxes overlap more than whole ones.
        kept = nms(found, most_overlap=options.iou, most=options.most)
        own = BoxArrays(boxes=box.to_picture(kept.boxes), scores=kept.scores, classes=kept.classes)
        return own.clip(width_px=box.width_px, height_px=box.height_px)


def _size(file: OnnxFile, *, options: OnnxOptions) -> tuple[int, int]:
    """Return width and height of the input: fixed by the graph, else from options or metadata."""
    size = _literal(file.metadata.get("imgsz", ""))
    sides = [side for side in size if isinstance(side, int)] if isinstance(size, (list, tuple)) else []
    height, width = (
        sides if len(sides) == 2 and all(0 < side <= 8_192 for side in sides) else [USUAL_SIZE_PX] * 2
    )
    if options.size:
        height = width = options.size
    return file.input.width_px or width, file.input.height_px or height


def _names(text: str, *, file: str) -> tuple[str, ...]:
    """Return the categories of a model by their numbers.

    Args:
        text: A list, or a dictionary by number, as Python or JSON writes it; "" for none.
        file: Name of the file, for words.

    Raises:
        UserError: It is something else.
    """
    names = _literal(text)
    if names is None:
        return ()
    entries = dict(enumerate(names)) if isinstance(names, (list, tuple)) else names
    if not isinstance(entries, Mapping) or len(entries) > MOST_CLASSES:
        raise UserError(f"The names of categories in {file} cannot be read.", hint="Set them as an option.")
    # As JSON has them, the numbers are texts; a superscript two is a digit, too, but none that ``int`` reads.
    by_number = {int(number): str(name) for number, name in entries.items() if str(number).isdecimal()}
    if sorted(by_number) != list(range(len(entries))):
        raise UserError(f"The categories in {file} are not numbered from 0.", hint="Set them as an option.")
    return tuple(by_number[number] for number in range(len(entries)))


def _literal(text: str) -> object:
    """Return the value of a Python or JSON literal, None if it is not one."""
    if not text or len(text) > MOST_METADATA:
        return None
    try:
        found: object = ast.literal_eval(text)
    # All that ``ast.literal_eval`` documents; TypeError is for keys that no dictionary can have.
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return found
