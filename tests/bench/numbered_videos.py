"""Small videos of every awkward kind; each frame carries its number burnt in as blocks that can be read back.

A video of noise and moving bars stands for what cameras give; the blocks are large and of black and white, so
that they outlive any codec. The code holds a checksum: a picture that is turned, torn or grey reads as no
number at all, and never as a wrong one by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from annotator.domain.record import ValueObject

if TYPE_CHECKING:
    from av.container import OutputContainer
    from av.packet import Packet
    from av.video.stream import VideoStream

Rgb = NDArray[np.uint8]
COLUMNS, ROWS = 8, 2
BITS = COLUMNS * ROWS
MOST_FRAMES = 4096
_SIDE_SHARE = 12
"""A block's side is the picture's width over this."""
BLOCK_SHARE = 1 / _SIDE_SHARE
"""Side of a block over the picture's width: for those who look at a picture on the screen."""
_UNEVEN = (1, 1, 3, 1, 2, 5, 1, 1, 1, 4)
"""Steps of the video of variable frame rate, in shortest steps."""


class Recipe(ValueObject, frozen=True, kw_only=True):
    """How a video is made.

    Attributes:
        ending: Ending of the file's name, which chooses the container.
        codec: FFmpeg's name of the encoder.
        rate: Frames per second, as a fraction in words: ``30000/1001``.
        frames: Number of frames that are coded.
        size_px: Width and height as seen, before any turn that the container asks for.
        gop: Frames from key frame to key frame.
        options: Options of the encoder.
        muxing: Options of the container.
        steps: Lengths of the frames in ticks of the rate, repeated over and over.
        start_s: Time of the first frame in the file.
        cut: Frames at the beginning that an edit list hides.
        turn_deg: Turn that the container asks for, counter-clockwise; the frames are coded turned back.
        has_sound: Whether a sound stream lies between the pictures.
    """

    ending: str = "mp4"
    codec: str = "libx264"
    rate: str = "25"
    frames: int = 90
    size_px: tuple[int, int] = (192, 128)
    gop: int = 24
    options: dict[str, str] = {}  # noqa: RUF012 - msgspec copies an empty default for each record
    muxing: dict[str, str] = {}  # noqa: RUF012 - the same
    steps: tuple[int, ...] = (1,)
    start_s: float = 0.0
    cut: int = 0
    turn_deg: int = 0
    has_sound: bool = False


_B = {"bf": "3", "preset": "veryfast"}
_HEVC = {"preset": "ultrafast", "x265-params": "log-level=error:open-gop=1:bframes=3:pools=1:frame-threads=1"}
KINDS: dict[str, Recipe] = {
    "variable_rate": Recipe(rate="30", steps=_UNEVEN, options=_B),
    "late_start": Recipe(ending="mkv", start_s=5.0, options=_B),
    "transport_stream": Recipe(ending="ts", start_s=3.0, options=_B),
    "edit_list": Recipe(cut=10, options=_B),
    "open_gop": Recipe(options={**_B, "x264-params": "open-gop=1:log-level=error"}),
    "fragmented": Recipe(options=_B, muxing={"movflags": "frag_keyframe+empty_moov+default_base_moof"}),
    "hevc": Recipe(codec="libx265", options=_HEVC),
    "turned": Recipe(turn_deg=-90, options=_B),
}
"""The eight kinds that exactness is measured on."""
MORE_KINDS: dict[str, Recipe] = {
    "with_sound": Recipe(rate="30000/1001", has_sound=True, options=_B),
    "rate_12_5": Recipe(rate="25/2", options=_B),
    "rate_29_97": Recipe(rate="30000/1001", options=_B),
    "open_gop_stream": Recipe(ending="ts", options={**_B, "x264-params": "open-gop=1:log-level=error"}),
    "hevc_stream": Recipe(ending="ts", codec="libx265", options=_HEVC),
    "rolling_refresh": Recipe(
        options={"preset": "veryfast", "x264-params": "intra-refresh=1:log-level=error"}
    ),
    "turned_over": Recipe(turn_deg=180, options=_B),
    "turned_left": Recipe(turn_deg=90, codec="libx265", options=_HEVC),
    "all_key_frames": Recipe(ending="mov", codec="mjpeg", options={"qmin": "2", "qmax": "4"}),
    "hidden_reference": Recipe(
        ending="webm",
        codec="libvpx-vp9",
        options={"deadline": "realtime", "cpu-used": "8", "lag-in-frames": "12"},
    ),
    "old_avi": Recipe(ending="avi", codec="mpeg4", options={"bf": "2", "qmin": "2", "qmax": "4"}),
    "program_stream": Recipe(ending="mpg", codec="mpeg2video", options={"bf": "2", "qmin": "2", "qmax": "4"}),
    "bare_stream": Recipe(ending="h264", options={"preset": "veryfast", "bf": "2"}),
    "one_frame": Recipe(frames=1),
}
"""What else cameras, phones and older programs write."""


class MadeVideo(ValueObject, frozen=True, kw_only=True):
    """A video that was made, and what it shows.

    Attributes:
        path: The file.
        numbers: Burnt-in number of each displayed frame, in order.
        times_s: Time of each displayed frame, from the first.
    """

    path: str
    numbers: tuple[int, ...]
    times_s: tuple[float, ...]


def make_video(folder: Path, *, name: str, recipe: Recipe) -> MadeVideo:
    """Make a video.

    Args:
        folder: Where to put it; made where it is not there.
        name: Name of the file, without its ending.
        recipe: How.

    Raises:
        OSError: The disk refused.
        av.FFmpegError: This FFmpeg cannot code it.
    """
    import av

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.{recipe.ending}"
    ticks = _ticks(recipe)
    shift = round(recipe.start_s * Fraction(recipe.rate)) - ticks[recipe.cut]
    with av.open(str(path), "w", container_options=recipe.muxing) as container:
        stream = _picture_stream(container, recipe)
        sound = _sound(container) if recipe.has_sound else []
        for packet in _coded(stream, recipe, [tick + shift for tick in ticks]):
            container.mux(packet)
            for one in sound[:2]:
                container.mux(one)
            del sound[:2]
        for one in sound:
            container.mux(one)
    shown = ticks[recipe.cut :]
    return MadeVideo(
        path=str(path),
        numbers=tuple(range(recipe.cut, recipe.frames)),
        times_s=tuple(float((tick - shown[0]) / Fraction(recipe.rate)) for tick in shown),
    )


def picture_of(number: int, *, size_px: tuple[int, int]) -> Rgb:
    """Return a frame with its number burnt in.

    Args:
        number: 0..4095.
        size_px: Width and height.

    Returns:
        uint8 (height, width, 3), red, green, blue.
    """
    width, height = size_px
    picture = np.roll(_ground(size_px), (number * 2) % width, axis=1).copy()
    bar = (number * 5) % height
    picture[bar : bar + height // 16] = (220, 120, 40)
    side = width // _SIDE_SHARE
    for index in range(BITS):
        row, column = divmod(index, COLUMNS)
        is_white = _code(number) >> index & 1
        picture[row * side : (row + 1) * side, column * side : (column + 1) * side] = 235 if is_white else 16
    return picture


def read_number(picture: Rgb) -> int | None:
    """Return the number burnt into a frame, None where none can be read.

    Args:
        picture: uint8 (height, width, 3 or 4); the order of colours does not matter.
    """
    side = picture.shape[1] // _SIDE_SHARE
    is_white = []
    for index in range(BITS):
        row, column = divmod(index, COLUMNS)
        block = picture[row * side : (row + 1) * side, column * side : (column + 1) * side, :3]
        # The middle of a block: its edges may be blurred.
        is_white.append(bool(block[side // 4 : -side // 4, side // 4 : -side // 4].mean() > 127))
    return code_number(is_white)


def code_number(is_white: Sequence[bool]) -> int | None:
    """Return the number that blocks stand for, None where they stand for none.

    Args:
        is_white: Whether each block is white, row by row.
    """
    code = sum(bit << index for index, bit in enumerate(is_white))
    number = code >> 4
    return number if _code(number) == code else None


def _code(number: int) -> int:
    return number << 4 | (number * 11 + (number >> 4) * 5 + 6) % 16


@lru_cache(maxsize=4)
def _ground(size_px: tuple[int, int]) -> Rgb:
    width, height = size_px
    rng = np.random.default_rng(7)
    coarse = rng.integers(40, 200, (max(1, height // 8), max(1, width // 8), 3), np.uint8)
    fine = np.repeat(np.repeat(coarse, 8, axis=0), 8, axis=1)
    ground = np.full((height, width, 3), 120, np.uint8)
    ground[: fine.shape[0], : fine.shape[1]] = fine[:height, :width]
    return ground


def _ticks(recipe: Recipe) -> list[int]:
    steps = (recipe.steps[number % len(recipe.steps)] for number in range(recipe.frames - 1))
    return list(accumulate(steps, initial=0))


def _picture_stream(container: OutputContainer, recipe: Recipe) -> VideoStream:
    import av

    options = {"g": str(recipe.gop), "threads": "1", **recipe.options}
    if recipe.codec == "libx264":
        options = {"keyint_min": "4", "sc_threshold": "0", "x264-params": "log-level=error", **options}
    stream = cast(
        "VideoStream", container.add_stream(recipe.codec, rate=Fraction(recipe.rate), options=options)
    )
    width, height = recipe.size_px
    is_sideways = recipe.turn_deg % 180 != 0
    stream.width, stream.height = (height, width) if is_sideways else (width, height)
    stream.pix_fmt = "yuvj420p" if recipe.codec == "mjpeg" else "yuv420p"
    stream.codec_context.time_base = 1 / Fraction(recipe.rate)
    stream.codec_context.color_range = av.video.reformatter.ColorRange.JPEG if recipe.codec == "mjpeg" else 1
    if recipe.turn_deg:
        stream.set_display_rotation(recipe.turn_deg)
    return stream


def _coded(stream: VideoStream, recipe: Recipe, ticks: list[int]) -> list[Packet[VideoStream]]:
    import av

    packets: list[Packet[VideoStream]] = []
    for number, tick in enumerate(ticks):
        picture = np.rot90(picture_of(number, size_px=recipe.size_px), -recipe.turn_deg // 90 % 4)
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
        frame.pts, frame.time_base = tick, 1 / Fraction(recipe.rate)
        packets += stream.encode(frame)
    return packets + stream.encode()


def _sound(container: OutputContainer) -> list[Packet[Any]]:
    import av

    stream = container.add_stream("aac", rate=48_000, layout="mono")
    tone = np.sin(np.arange(48_000 * 2, dtype=np.float32) / 20)[None]
    packets: list[Packet[Any]] = []
    for begin in range(0, tone.shape[1], 1024):
        frame = av.AudioFrame.from_ndarray(
            np.ascontiguousarray(tone[:, begin : begin + 1024]), format="fltp", layout="mono"
        )
        frame.sample_rate, frame.pts, frame.time_base = 48_000, begin, Fraction(1, 48_000)
        packets += stream.encode(frame)
    return packets + stream.encode()


def large(recipe: Recipe, *, size_px: tuple[int, int], frames: int, gop: int) -> Recipe:
    """Return a recipe for a video of another size and length."""
    return msgspec.structs.replace(recipe, size_px=size_px, frames=frames, gop=gop)
