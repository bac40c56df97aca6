"""The videos that tests ask for frames: made by the bench's own maker, and damaged on purpose."""

from __future__ import annotations

import queue
import random
import struct
from pathlib import Path
from typing import Any

from annotator.media.video.frame_reader import FrameReader
from annotator.media.video.frames import Frame
from annotator.media.video.video import Video
from tests.bench.numbered_videos import KINDS, MORE_KINDS, MadeVideo, Recipe, make_video, read_number
from tests.patience import PATIENCE_S

ALL_KINDS = {**KINDS, **MORE_KINDS}
LARGE = Recipe(size_px=(384, 256), options={"bf": "3", "preset": "veryfast"})


class VideoShelf:
    """Videos that are made once for all tests; no test may change their files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: dict[str, MadeVideo] = {}

    def kind(self, name: str) -> MadeVideo:
        return self.made(name, ALL_KINDS[name])

    def made(self, name: str, recipe: Recipe) -> MadeVideo:
        if name not in self._made:
            self._made[name] = make_video(self.folder, name=name, recipe=recipe)
        return self._made[name]


def overwritten(source: Path, target: Path, *, at: float, count: int) -> Path:
    """Write a copy of a file in which bytes from a share of its length on are random."""
    content = bytearray(source.read_bytes())
    begin = int(len(content) * at)
    content[begin : begin + count] = random.Random(3).randbytes(count)
    target.write_bytes(content)
    return target


def cut_off(source: Path, target: Path, *, share: float) -> Path:
    """Write the beginning of a file."""
    content = source.read_bytes()
    target.write_bytes(content[: int(len(content) * share)])
    return target


def mirrored(source: Path, target: Path, *, width: int) -> Path:
    """Write a copy of an mp4 file whose container asks for left and right to change places.

    Source: ISO/IEC 14496-12, 8.3.2: the matrix stands 40 bytes behind the name of the track header.
    """
    content = bytearray(source.read_bytes())
    index = content.index(b"tkhd") + 4 + 40
    struct.pack_into(">9i", content, index, -(1 << 16), 0, 0, 0, 1 << 16, 0, width << 16, 0, 1 << 30)
    target.write_bytes(content)
    return target


def wrong_frames(video: Video, made: MadeVideo, order: list[int]) -> list[tuple[int, int | None]]:
    """Return those frames whose burnt-in number is not that of the frame asked for."""
    read = [(number, read_number(video.frame(number).rgb())) for number in order]
    return [(number, found) for number, found in read if found != made.numbers[number]]


def any_order(count: int) -> list[int]:
    """Return first, last, random ones, and all of them backwards and forwards in strides."""
    rng = random.Random(5)
    return [
        0,
        count - 1,
        *(rng.randrange(count) for _ in range(25)),
        *range(count - 1, -1, -5),
        *range(0, count, 7),
    ]


class Watcher:
    """A view whose frames are waited for."""

    def __init__(self, video: Video, **options: Any) -> None:
        self.came: queue.Queue[Frame | tuple[int, str]] = queue.Queue()
        self.view = FrameReader(
            video, on_frame=self.came.put, on_lost=lambda *lost: self.came.put(lost), **options
        )

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.view.close()

    def next(self) -> Frame | tuple[int, str]:
        return self.came.get(timeout=PATIENCE_S)

    def show(self, number: int) -> Frame:
        """Ask for a frame and return it when it comes."""
        found = self.view.request(number)
        while found is None or found.number != number:
            came = self.next()
            assert not isinstance(came, tuple), came
            found = came
        return found

    def settle(self) -> None:
        assert self.view.settle(timeout_s=PATIENCE_S)
