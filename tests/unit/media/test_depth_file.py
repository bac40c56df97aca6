from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from annotator.errors import UserError
from annotator.media.depth_file import array_shape, read_depth

PLANE = np.arange(35, dtype=np.float32).reshape(5, 7)
HEAD = "{{'descr': '<f4', 'fortran_order': False, 'shape': {}, }}"


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 1), (1, 5, 7)])
def test_depth_when_one_side_has_length_1_then_the_plane_is_read(
    tmp_path: Path, shape: tuple[int, ...]
) -> None:
    np.save(tmp_path / "a.npy", PLANE.reshape(shape))
    assert array_shape(tmp_path / "a.npy") == (5, 7)
    assert np.array_equal(read_depth(tmp_path / "a.npy"), PLANE)


@pytest.mark.parametrize("shape", [(5, 1, 7), (35,), (5, 7, 2), (1, 5, 7, 1)])
def test_depth_when_the_shape_is_no_plane_then_words_say_so(tmp_path: Path, shape: tuple[int, ...]) -> None:
    np.save(tmp_path / "a.npy", np.zeros(shape, np.float32))
    with pytest.raises(UserError, match="is not a depth map: it contains float32"):
        read_depth(tmp_path / "a.npy")


@pytest.mark.parametrize(
    "head", [HEAD.format("("), "(" * 90, "-" * 5000 + "1", "b'", HEAD.format("(-3, -4)")], ids=len
)
def test_depth_when_the_head_is_damaged_then_words_say_so(tmp_path: Path, head: str) -> None:
    text = f"{head}\n".encode()
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(48))
    with pytest.raises(UserError, match=r"the header is damaged|is not a depth map"):
        array_shape(tmp_path / "a.npy")
