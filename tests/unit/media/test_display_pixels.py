from __future__ import annotations

import numpy as np
import pytest

from annotator.media.display_pixels import (
    Pixels,
    crop_to_fill,
    decode_jpeg,
    halve,
    scale_to_fit,
    scale_to_height,
    to_display,
)
from annotator.media.image_decoder import encode_jpeg


def stripes(width: int, height: int) -> Pixels:
    """Return an image whose thirds from left to right are red, green and blue."""
    pixels = np.zeros((height, width, 3), np.uint8)
    for channel in range(3):
        pixels[:, channel * width // 3 : (channel + 1) * width // 3, channel] = 255
    return pixels


def test_to_display_when_given_red_green_blue_then_is_blue_green_red_and_opaque() -> None:
    shown = to_display(np.array([[[10, 20, 30], [1, 2, 3]]], np.uint8))
    assert shown.tolist() == [[[30, 20, 10, 255], [3, 2, 1, 255]]]
    assert shown.flags.c_contiguous


@pytest.mark.parametrize(("size", "halved"), [((7, 4), (3, 2)), ((1, 9), (1, 4)), ((1, 1), (1, 1))])
def test_halve_when_a_side_is_odd_or_one_pixel_then_is_never_empty(
    size: tuple[int, int], halved: tuple[int, int]
) -> None:
    assert halve(stripes(*size)).shape == (halved[1], halved[0], 3)


def test_halve_when_four_pixels_differ_then_is_their_mean() -> None:
    assert halve(np.array([[[0], [100]], [[200], [100]]], np.uint8)).tolist() == [[[100]]]


@pytest.mark.parametrize("size", [(300, 100), (30, 10), (100, 300), (61, 47), (50, 50)])
def test_crop_to_fill_when_the_shape_differs_then_is_the_middle_in_that_size(size: tuple[int, int]) -> None:
    cut = crop_to_fill(stripes(*size), width=50, height=50)
    assert cut.shape == (50, 50, 3)
    assert cut.flags.c_contiguous
    assert cut[25, 25].tolist() == [0, 255, 0]


def test_scale_to_fit_when_the_image_is_smaller_then_is_as_it_was() -> None:
    small = stripes(30, 20)
    assert scale_to_fit(small, width=300, height=300) is small


@pytest.mark.parametrize(
    ("size", "fitted"), [((640, 360), (160, 90)), ((90, 360), (40, 160)), ((4000, 2), (160, 1))]
)
def test_scale_to_fit_when_the_image_is_larger_then_keeps_its_proportions(
    size: tuple[int, int], fitted: tuple[int, int]
) -> None:
    assert scale_to_fit(stripes(*size), width=160, height=160).shape == (fitted[1], fitted[0], 3)


def test_scale_to_height_when_scaled_then_keeps_proportions_and_colours() -> None:
    scaled = scale_to_height(stripes(192, 128), height=64)
    assert scaled.shape == (64, 96, 3)
    assert scaled[30, [10, 48, 86]].tolist() == [[255, 0, 0], [0, 255, 0], [0, 0, 255]]


def test_decode_jpeg_when_whole_then_has_its_colours_and_when_torn_or_empty_then_is_none() -> None:
    content = encode_jpeg(stripes(96, 64), quality=95)
    decoded = decode_jpeg(content)
    assert decoded is not None
    assert np.abs(decoded[32, [10, 48, 86]].astype(int) - 255 * np.eye(3, dtype=int)).max() < 12
    assert decode_jpeg(content[:20]) is None
    assert decode_jpeg(b"") is None
