from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from annotator.domain.profile import ModelProfile
from annotator.errors import UserError
from annotator.media.mask_outline import outline_of
from annotator.model_api import CallFailed
from annotator.segment_prompt import SegmentPrompt
from models.connection_test import check_profile
from models.segmenter import OnnxSegmenter, open_model
from tests.onnx_writer import Graph, colour_segmenter, fixed_outputs

Rgb = NDArray[np.uint8]
STYLES = ("sam", "edge", "sam2")
RED, GREEN, BLUE = (220, 30, 30), (30, 200, 40), (30, 40, 220)


def picture(width: int = 256, height: int = 128) -> Rgb:
    """Return blue ground with a red box at (64, 32, 128, 96), and a green one 96 further right, scaled."""
    drawn = np.full((height, width, 3), BLUE, np.uint8)
    across, down = width / 256, height / 128
    for left, colour in ((64, RED), (160, GREEN)):
        drawn[round(32 * down) : round(96 * down), round(left * across) : round((left + 64) * across)] = (
            colour
        )
    return drawn


def opened(folder: Path, *, style: str = "sam", **options: object) -> OnnxSegmenter:
    encoder, decoder = colour_segmenter(folder, style=style)
    return open_model(
        ModelProfile(
            name="tiny", adapter="sam-onnx", path=str(encoder), options={"decoder": str(decoder), **options}
        )
    )


def found(model: OnnxSegmenter, image: Rgb, prompt: SegmentPrompt) -> tuple[float, ...]:
    """Return the box around the outline of what a prompt points at."""
    mask = model.segment(model.embed(image), prompt)
    size_px = image.shape[1], image.shape[0]
    xs, ys = zip(*outline_of(mask.values, size_px=size_px, points=prompt.points), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("size", [(256, 128), (1024, 512), (100, 50)])
def test_click_when_answered_then_gives_the_box_of_what_is_there(
    tmp_path: Path, style: str, size: tuple[int, int]
) -> None:
    model, scale = opened(tmp_path, style=style), size[0] / 256
    prompt = SegmentPrompt(points=((96 * scale, 64 * scale),), labels=(1,))
    box = found(model, picture(*size), prompt)
    # A cell of the mask covers four pixels of the encoder's input, and is blended with the next one.
    assert box == pytest.approx((64 * scale, 32 * scale, 128 * scale, 96 * scale), abs=4 * scale)


def test_clicks_when_one_is_negative_then_its_place_is_left_out(tmp_path: Path) -> None:
    model, image = opened(tmp_path), picture()
    both = SegmentPrompt(points=((96.0, 64.0), (192.0, 64.0)), labels=(1, 1))
    one = SegmentPrompt(points=((96.0, 64.0), (192.0, 64.0)), labels=(1, 0))
    embedding = model.embed(image)
    masks = [model.segment(embedding, prompt).values > 0 for prompt in (both, one)]
    assert masks[0][16, 24]
    assert masks[0][16, 48]
    assert masks[1][16, 24]
    assert not masks[1][16, 48]


def test_box_when_answered_then_gives_what_is_in_it(tmp_path: Path) -> None:
    box = found(opened(tmp_path), picture(), SegmentPrompt(box=(150.0, 20.0, 234.0, 108.0)))
    assert box == pytest.approx((160, 32, 224, 96), abs=4)


def test_masks_when_there_are_several_then_the_one_with_the_best_score_is_taken(tmp_path: Path) -> None:
    model = opened(tmp_path)
    mask = model.segment(model.embed(picture()), SegmentPrompt(points=((96.0, 64.0),), labels=(1,)))
    assert mask.score == 0.75
    assert mask.values[16, 24] > 0 > mask.values[0, 0]
    # The margin below an image that is wider than high is no part of it.
    assert mask.values.shape == (32, 64)


def test_decoder_when_it_is_not_named_then_is_the_file_beside_the_encoder(tmp_path: Path) -> None:
    encoder, _ = colour_segmenter(tmp_path)
    model = open_model(ModelProfile(name="tiny", adapter="sam-onnx", path=str(encoder)))
    assert model.identity.kind == "segmenter"
    assert len(model.identity.parameters["decoder_sha256"]) == 64


def test_profile_when_tested_then_says_what_the_pair_did(tmp_path: Path) -> None:
    encoder, _ = colour_segmenter(tmp_path)
    text = check_profile(ModelProfile(name="tiny", adapter="sam-onnx", path=str(encoder)))
    assert "segmented it" in text


def other_files(folder: Path) -> dict[str, tuple[Path, Path]]:
    """Return pairs of files that are no segmenter, by the words that refuse them."""
    encoder, decoder = colour_segmenter(folder / "good")
    _, sam2 = colour_segmenter(folder / "sam2", style="sam2")
    _, larger = colour_segmenter(folder / "larger", side_px=512)
    detector = fixed_outputs(folder / "detector.onnx", [np.zeros((1, 300, 6), np.float32)], size_px=64)
    maskless = Graph()
    maskless.input("image_embeddings", shape=(1, 3, 64, 64))
    maskless.input("point_coords", shape=(1, "n", 2))
    maskless.input("point_labels", shape=(1, "n"))
    maskless.node("Identity", ["image_embeddings"], name="pictures")
    maskless.output("pictures", rank=4)
    return {
        "is not the encoder of a segmenter": (decoder, decoder),
        "is not the decoder of a segmenter: it has no input point_coords": (encoder, detector),
        "which tiny.encoder.onnx does not give": (encoder, sam2),
        r"takes image_embeddings as \[1, 3, 128, 128\]": (encoder, larger),
        "gives no masks": (encoder, maskless.save(folder / "maskless.onnx")),
        "There is no model file": (encoder, folder / "gone.onnx"),
    }


@pytest.mark.parametrize("index", range(6))
def test_pair_when_it_is_no_segmenter_then_is_refused_with_words(tmp_path: Path, index: int) -> None:
    text, (encoder, decoder) = list(other_files(tmp_path).items())[index]
    profile = ModelProfile(
        name="tiny", adapter="sam-onnx", path=str(encoder), options={"decoder": str(decoder)}
    )
    with pytest.raises(UserError, match=text):
        open_model(profile)


def test_options_when_one_is_unknown_then_says_which_there_are(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="options of the model 'tiny' are invalid"):
        opened(tmp_path, decodr="x")


def test_tolerance_when_it_is_not_above_zero_then_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Invalid tolerance: -1 pixels"):
        opened(tmp_path, tolerance_px=-1.0)


def test_model_when_closed_then_calls_fail(tmp_path: Path) -> None:
    model = opened(tmp_path)
    model.close()
    with pytest.raises(CallFailed, match="closed"):
        model.embed(picture())
