"""A made-up YOLO folder: pictures, label files, the names of the classes."""

from __future__ import annotations

import random
import struct
import zlib
from pathlib import Path

PER_PICTURE = 54
"""Boxes of a picture; VisDrone's training set has 343,205 on 6,471 pictures."""
_NAMES = ("pedestrian", "people", "bicycle", "car", "van", "truck", "tricycle", "bus", "motor")


def write(path: Path, *, records: int, seed: int) -> None:
    """Write a folder.

    Args:
        path: The folder; made, files in it are overwritten.
        records: Number of boxes.
        seed: Of everything that chance decides.
    """
    rng = random.Random(seed)
    for below in ("images", "labels"):
        (path / below).mkdir(parents=True, exist_ok=True)
    listed = "\n".join(f"  {number}: {name}" for number, name in enumerate(_NAMES))
    (path / "data.yaml").write_text(f"path: .\ntrain: images\nnames:\n{listed}\n", encoding="utf-8")
    for number, start in enumerate(range(0, records, PER_PICTURE)):
        lines = [_line(rng) for _ in range(min(PER_PICTURE, records - start))]
        (path / "labels" / f"{number:07d}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (path / "images" / f"{number:07d}.png").write_bytes(_picture(1360, 765))


def _line(rng: random.Random) -> str:
    width, height = rng.uniform(0.005, 0.1), rng.uniform(0.005, 0.1)
    cx, cy = rng.uniform(width / 2, 1 - width / 2), rng.uniform(height / 2, 1 - height / 2)
    return f"{rng.randrange(len(_NAMES))} {cx:.6f} {cy:.6f} {width:.6f} {height:.6f}"


def _picture(width: int, height: int) -> bytes:
    """Return the header of a PNG, which is all that is read of a picture."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    ended = struct.pack(">I", zlib.crc32(header)) + struct.pack(">I4s", 0, b"IDAT")
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + ended
