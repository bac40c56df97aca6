"""Promptable segmenters of the SAM family in two ONNX files: the adapter ``sam-onnx``.

The encoder makes an embedding of an image; the decoder answers prompts from it. Exports differ in names,
shapes and preprocessing, so both files are inspected when they are opened.

Source of names and preprocessing: the ONNX exports of Segment Anything (arXiv 2304.02643), MobileSAM, EdgeSAM
and SAM 2 (arXiv 2408.00714): https://github.com/facebookresearch/segment-anything and
https://github.com/vietanhdev/samexporter
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from annotator.domain.profile import ModelProfile
from annotator.errors import UserError
from annotator.media.mask_outline import TOLERANCE_PX
from annotator.model_api import CallFailed, ImageEmbedding, ModelIdentity, SegmentedMask
from annotator.segment_prompt import SegmentPrompt
from models.onnx_file import (
    MOST_SIDE_PX,
    TYPES,
    describe_inputs,
    file_sha256,
    fixed_sizes,
    open_session,
    run_session,
)
from models.profile_options import options_of

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, NodeArg

    from annotator.model_api import Rgb

USUAL_SIDE_PX = 1024
"""Side of the encoder's input where the file does not fix it."""
MEAN, STD = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)
"""Subtracted from pixels 0..255, then divided by; those of ImageNet, for SAM and SAM 2 alike."""
POINTS, LABELS = "point_coords", "point_labels"
MASK, HAS_MASK, ORIGINAL_SIZE = "mask_input", "has_mask_input", "orig_im_size"
PROMPTS = frozenset({POINTS, LABELS, MASK, HAS_MASK, ORIGINAL_SIZE})
SQUASHED = "high_res_feats"
"""Inputs of SAM 2's decoder; its encoder takes the whole square, where SAM's leaves a margin at the end."""
PADDING, UPPER_LEFT, LOWER_RIGHT = -1, 2, 3
"""Labels of points that are no point, and of the corners of a box."""
# Four masks of an image of 16 megapixels; 256 MB as float32.
MOST_VALUES = 64_000_000
NUMBERS: Mapping[str, type[np.generic]] = {**TYPES, "tensor(int64)": np.int64, "tensor(int32)": np.int32}


class SegmenterOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of a segmenter, in ``ModelProfile.options``.

    Attributes:
        decoder: File of the decoder; "" for the file beside the encoder whose name has ``decoder`` instead.
        size: Side of the encoder's input if the file does not fix it, pixels.
        tolerance_px: Largest distance of a polygon from the outline of the mask, image pixels.
        device: ``auto``, ``cpu`` or ``cuda``.
        threads: Threads of the processor, 0 for as many as it has cores.
    """

    decoder: str = ""
    size: int = USUAL_SIDE_PX
    tolerance_px: float = TOLERANCE_PX
    device: str = "auto"
    threads: int = 0


def open_model(profile: ModelProfile) -> OnnxSegmenter:
    """Open the segmenter of a profile.

    Raises:
        UserError: A file is missing, the two do not fit together, or an option is invalid.
        EnvironmentFailure: The driver failed, or a file cannot be read.
    """
    options = options_of(profile, SegmenterOptions)
    if not 0 < options.size <= MOST_SIDE_PX:
        raise UserError(f"Invalid input size: {options.size} pixels.")
    if not 0 < options.tolerance_px <= MOST_SIDE_PX:
        raise UserError(
            f"Invalid tolerance: {options.tolerance_px:g} pixels.", hint="Enter a number above 0."
        )
    encoder = Path(profile.path)
    decoder = Path(options.decoder) if options.decoder else _decoder_beside(encoder)
    digests = [file_sha256(encoder), file_sha256(decoder)]
    sessions = [
        open_session(file, device=options.device, threads=options.threads) for file in (encoder, decoder)
    ]
    pair = _Pair.of(*sessions, names=(encoder.name, decoder.name), size=options.size)
    identity = ModelIdentity(
        name=profile.model or encoder.stem,
        kind="segmenter",
        revision=profile.revision,
        sha256=digests[0],
        parameters={**msgspec.to_builtins(options), "decoder_sha256": digests[1]},
    )
    return OnnxSegmenter(pair, identity=identity)


def _decoder_beside(encoder: Path) -> Path:
    name = encoder.name.replace("encoder", "decoder")
    if name == encoder.name:
        raise UserError(
            f"The decoder that belongs to {encoder.name} is not known.",
            hint='Set the option "decoder" to its file.',
        )
    return encoder.with_name(name)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Pair:
    """An encoder and the decoder that fits it.

    Attributes:
        encoder: Session of the encoder.
        decoder: Session of the decoder.
        names: File names of both, for messages.
        side_px: Side of the encoder's input.
        has_pixels: Whether the encoder takes an image of any size as it is: (height, width, 3), 0..255.
        features: Output of the encoder by the input of the decoder.
        masks: Index of the output with the masks.
        scores: Index of the output with their scores, -1 for none.
        inputs: Inputs of the decoder by name.
    """

    encoder: InferenceSession
    decoder: InferenceSession
    names: tuple[str, str]
    side_px: int
    has_pixels: bool
    features: Mapping[str, str]
    masks: int
    scores: int
    inputs: Mapping[str, NodeArg]

    @classmethod
    def of(
        cls, encoder: InferenceSession, decoder: InferenceSession, *, names: tuple[str, str], size: int
    ) -> _Pair:
        """Inspect both files.

        Raises:
            UserError: One of them is no part of a segmenter, or they do not fit together.
        """
        side_px, has_pixels = _image_input(encoder, name=names[0], size=size)
        inputs = {one.name: one for one in decoder.get_inputs()}
        if missing := [one for one in (POINTS, LABELS) if one not in inputs]:
            raise UserError(
                f"{names[1]} is not the decoder of a segmenter: it has no input {missing[0]}.",
                hint=f"Its inputs are: {', '.join(inputs) or 'none'}.",
            )
        outputs = [one.name for one in decoder.get_outputs()]
        return cls(
            encoder=encoder,
            decoder=decoder,
            names=names,
            side_px=side_px,
            has_pixels=has_pixels,
            features=_features(encoder, inputs, names=names),
            masks=_mask_output(outputs, name=names[1]),
            scores=next((at for at, one in enumerate(outputs) if "iou" in one or "score" in one), -1),
            inputs=inputs,
        )

    @property
    def is_squashed(self) -> bool:
        """Whether an image fills the whole square, whatever its shape."""
        return any(name.startswith(SQUASHED) for name in self.inputs)

    def scales(self, size_px: tuple[int, int]) -> tuple[float, float]:
        """Return pixels of the encoder's input per image pixel, across and down."""
        if self.is_squashed:
            return self.side_px / size_px[0], self.side_px / size_px[1]
        return (self.side_px / max(size_px),) * 2

    def inner_px(self, size_px: tuple[int, int]) -> tuple[int, int]:
        """Return width and height of an image in the encoder's input."""
        across, down = self.scales(size_px)
        return max(1, round(size_px[0] * across)), max(1, round(size_px[1] * down))


class OnnxSegmenter:
    """A segmenter; an ``annotator.model_api.Segmenter``.

    Args:
        pair: Encoder and decoder.
        identity: Which model it is.
    """

    def __init__(self, pair: _Pair, *, identity: ModelIdentity) -> None:
        self.identity = identity
        self._pair: _Pair | None = pair

    def embed(self, picture: Rgb) -> ImageEmbedding:
        """Return what all prompts in an image are answered from.

        Args:
            picture: uint8 (height, width, 3), red, green, blue.

        Raises:
            CallFailed: The model failed.
        """
        pair = self._opened()
        size_px = picture.shape[1], picture.shape[0]
        (wanted,) = pair.encoder.get_inputs()
        values = {wanted.name: _encoder_input(picture, pair=pair, kind=TYPES[wanted.type])}
        outputs = run_session(pair.encoder, values, name=pair.names[0])
        names = [one.name for one in pair.encoder.get_outputs()]
        used = set(pair.features.values())
        return ImageEmbedding(
            arrays={name: array for name, array in zip(names, outputs, strict=True) if name in used},
            size_px=size_px,
        )

    def segment(self, embedding: ImageEmbedding, prompt: SegmentPrompt) -> SegmentedMask:
        """Return the object that a prompt points at.

        Raises:
            CallFailed: The model failed, or its output is no mask.
        """
        pair = self._opened()
        values = {name: embedding.arrays[output] for name, output in pair.features.items()}
        values |= _prompt_inputs(prompt, pair=pair, size_px=embedding.size_px)
        outputs = run_session(pair.decoder, values, name=pair.names[1])
        masks = np.asarray(outputs[pair.masks])
        if masks.ndim != 4 or masks.dtype.kind != "f" or not 0 < masks.size <= MOST_VALUES:
            raise CallFailed(
                f"The output of {pair.names[1]} is no mask: its shape is {masks.shape}.",
                kind="format",
                is_retryable=False,
            )
        scores = np.zeros(masks.shape[1])
        # ``argmax`` takes NaN for the largest value.
        if pair.scores >= 0 and outputs[pair.scores].size == masks.shape[1]:
            scores = np.nan_to_num(np.asarray(outputs[pair.scores], np.float64).reshape(-1))
        best = int(scores.argmax())
        mask = np.asarray(masks[0, best], np.float32)
        if not np.isfinite(mask).all():
            raise CallFailed(
                f"The output of {pair.names[1]} is no mask: it has values that are not finite.",
                kind="format",
                is_retryable=False,
            )
        return SegmentedMask(
            values=_of_image(mask, pair=pair, size_px=embedding.size_px),
            # The overlap that the model predicts of its own mask; nothing keeps it between 0 and 1.
            score=float(min(max(scores[best], 0.0), 1.0)),
        )

    def close(self) -> None:
        """Give back memory."""
        self._pair = None

    def _opened(self) -> _Pair:
        if self._pair is None:
            raise CallFailed("The model was closed.", kind="model", is_retryable=False, was_sent=False)
        return self._pair


def _image_input(encoder: InferenceSession, *, name: str, size: int) -> tuple[int, bool]:
    """Return the side of the encoder's input, and whether it takes images of any size as they are.

    Raises:
        UserError: It takes no image, or none that is square.
    """
    inputs = encoder.get_inputs()
    shape = fixed_sizes(inputs[0]) if inputs else []
    if len(inputs) == 1 and inputs[0].type in TYPES:
        if len(shape) == 3 and shape[2] == 3:
            return size, True
        if len(shape) == 4 and shape[1] in {0, 3} and shape[2] == shape[3] <= MOST_SIDE_PX:
            return shape[2] or size, False
    raise UserError(
        f"{name} is not the encoder of a segmenter: {describe_inputs(inputs)}.",
        hint="Its only input must be a square image: (1, 3, 1024, 1024) or (height, width, 3).",
    )


def _features(
    encoder: InferenceSession, inputs: Mapping[str, NodeArg], *, names: tuple[str, str]
) -> dict[str, str]:
    """Return the encoder's output for each input of the decoder that is no prompt.

    Raises:
        UserError: One is not given, or has another shape.
    """
    given = {one.name: one for one in encoder.get_outputs()}
    wanted = [name for name in inputs if name not in PROMPTS]
    if not wanted:
        raise UserError(
            f"{names[1]} has no input for the output of an encoder.", hint="Choose the decoder of the pair."
        )
    # One to one: exports call it image_embeddings, embeddings, output, …
    outputs = given if len(wanted) == len(given) == 1 else wanted
    found = dict(zip(wanted, outputs, strict=True))
    for name, output in found.items():
        _require_fit(inputs[name], given.get(output), names=names, outputs=given)
    return found


def _require_fit(
    wanted: NodeArg, given: NodeArg | None, *, names: tuple[str, str], outputs: Iterable[str]
) -> None:
    if given is None:
        raise UserError(
            f"{names[1]} needs {wanted.name}, which {names[0]} does not give.",
            hint=f"Choose the encoder of the same export. Its outputs are: {', '.join(outputs)}.",
        )
    if not _fits(wanted.shape, given.shape):
        raise UserError(
            f"{names[1]} takes {wanted.name} as {wanted.shape}, and {names[0]} gives {given.shape}.",
            hint="Choose encoder and decoder of the same export.",
        )


def _fits(one: Sequence[Any], other: Sequence[Any]) -> bool:
    # An axis of any length is a name or None; only two numbers can contradict each other.
    pairs = zip(one, other, strict=False)
    same = all(not (isinstance(a, int) and isinstance(b, int)) or a == b for a, b in pairs)
    return len(one) == len(other) and same


def _mask_output(outputs: Sequence[str], *, name: str) -> int:
    """Return the index of the smallest masks that a decoder gives.

    Raises:
        UserError: It gives no masks.
    """
    masks = [at for at, one in enumerate(outputs) if "mask" in one]
    # Low-resolution masks hold the same information: the larger ones are interpolated from them.
    low = [at for at in masks if "low_res" in outputs[at]]
    if not masks:
        raise UserError(f"{name} gives no masks.", hint=f"Its outputs are: {', '.join(outputs) or 'none'}.")
    return (low or masks)[0]


def _encoder_input(picture: Rgb, *, pair: _Pair, kind: type[np.generic]) -> NDArray[np.generic]:
    import cv2

    inner = pair.inner_px((picture.shape[1], picture.shape[0]))
    # Bilinear interpolation skips pixels where it shrinks by more than a half; the area mean uses all.
    is_smaller = inner[0] < picture.shape[1]
    interpolation = cv2.INTER_AREA if is_smaller else cv2.INTER_LINEAR
    resized = np.asarray(cv2.resize(picture, inner, interpolation=interpolation))
    if pair.has_pixels:
        return resized.astype(kind)
    values = (resized.astype(np.float32) - np.array(MEAN, np.float32)) / np.array(STD, np.float32)
    # The margin is 0 after the normalisation.
    whole = np.zeros((pair.side_px, pair.side_px, 3), np.float32)
    whole[: inner[1], : inner[0]] = values
    return np.ascontiguousarray(whole.transpose(2, 0, 1)[None], dtype=kind)


def _prompt_inputs(
    prompt: SegmentPrompt, *, pair: _Pair, size_px: tuple[int, int]
) -> dict[str, NDArray[np.generic]]:
    """Return the values of the decoder's inputs for a prompt."""
    points, labels = list(prompt.points), list(prompt.labels)
    if prompt.box is not None:
        points += [prompt.box[:2], prompt.box[2:]]
        labels += [UPPER_LEFT, LOWER_RIGHT]
    else:
        # The exports were traced with a point of padding wherever there is no box.
        points.append((0.0, 0.0))
        labels.append(PADDING)
    scaled = np.array(points, np.float64) * pair.scales(size_px)
    inner = pair.inner_px(size_px)
    side = pair.inputs[MASK].shape[-1] if MASK in pair.inputs else 0
    # Masks of SAM have a quarter of the side of the input: 256 of 1,024.
    side = side if isinstance(side, int) and side > 0 else pair.side_px // 4
    values: dict[str, NDArray[Any]] = {
        POINTS: scaled[None],
        LABELS: np.array(labels, np.float64)[None],
        MASK: np.zeros((1, 1, side, side)),
        HAS_MASK: np.zeros(1),
        # The size that masks are given in; ours are interpolated later, so the encoder's is enough.
        ORIGINAL_SIZE: np.array((inner[1], inner[0])),
    }
    return {
        name: values[name].astype(NUMBERS.get(pair.inputs[name].type, np.float32))
        for name in PROMPTS & pair.inputs.keys()
    }


def _of_image(mask: NDArray[np.float32], *, pair: _Pair, size_px: tuple[int, int]) -> NDArray[np.float32]:
    """Return the part of a mask that shows the image, without the margin of the square."""
    inner = pair.inner_px(size_px)
    if pair.is_squashed or mask.shape == (inner[1], inner[0]):
        return mask
    rows = max(1, round(mask.shape[0] * inner[1] / pair.side_px))
    columns = max(1, round(mask.shape[1] * inner[0] / pair.side_px))
    return mask[:rows, :columns]
