from __future__ import annotations

import numpy as np
import pytest

from annotator.media.video.rotation import Rotation

ONE = 65_536
PICTURE = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        ((ONE, 0, 0, 0, ONE), PICTURE),
        ((0, ONE, 0, -ONE, 0), np.rot90(PICTURE, -1)),
        ((-ONE, 0, 0, 0, -ONE), np.rot90(PICTURE, 2)),
        ((0, -ONE, 0, ONE, 0), np.rot90(PICTURE)),
        ((-ONE, 0, 0, 0, ONE), PICTURE[:, ::-1]),
        ((ONE, 0, 0, 0, -ONE), PICTURE[::-1]),
        ((0, ONE, 0, ONE, 0), PICTURE.transpose(1, 0, 2)),
    ],
)
def test_turn_when_a_matrix_asks_for_it_then_the_picture_is_seen_so(
    matrix: tuple[int, ...], expected: np.ndarray
) -> None:
    turn = Rotation.of_matrix([*matrix, 0, 0, 0, 1 << 30])
    assert np.array_equal(turn.apply(PICTURE), expected)
    assert turn.size_px(3, 2) == (expected.shape[1], expected.shape[0])
    assert turn.is_none == (matrix == (ONE, 0, 0, 0, ONE))
