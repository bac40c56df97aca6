"""Video files opened with care: real containers only, one file only, sizes known before decoding."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.errors import EnvironmentFailure, UserError
from annotator.media.image_file import Size, require_size

if TYPE_CHECKING:
    from av import VideoFrame
    from av.container import InputContainer
    from av.video.stream import VideoStream

FIRST_FRAME_PACKETS = 600
"""A stream that shows no frame within so many packets is taken for damaged: 20 s at 30 frames/s."""
_OPTIONS = {
    # Play lists and the like name further files, and addresses in the network; a video is one file.
    "protocol_whitelist": "file",
    "format_whitelist": (
        "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,m4v,flv,ogg,asf,h264,hevc,av1,obu,ivf,"
        "mjpeg,mxf,gif,apng,rm,nut,dv"
    ),
    # AVI and raw streams state no times of presentation.
    "fflags": "+genpts",
}


@dataclass(frozen=True)
class OpenVideo:
    """An open file and its first stream of pictures."""

    container: InputContainer
    stream: VideoStream


def open_container(path: Path) -> OpenVideo:
    """Open a video file; who asked closes ``container``.

    Raises:
        UserError: It is no video, or damaged, or its frames are too large.
        EnvironmentFailure: The file cannot be read.
    """
    import av

    if not path.is_file():
        raise EnvironmentFailure(f"{path} cannot be read: the file does not exist.")
    if not path.stat().st_size:
        raise UserError(f"{path.name} is empty.")
    with error_text(path):
        # Metadata in other encodings than UTF-8 is no reason to refuse a video.
        # 'file:' keeps FFmpeg from reading a protocol into names such as a:b.mp4.
        container = av.open(f"file:{path.absolute()}", "r", options=_OPTIONS, metadata_errors="replace")
    try:
        return OpenVideo(container, _pictures(container, name=path.name))
    # Whatever ends the look at it: FFmpeg keeps the file open until its container is closed.
    except BaseException:
        container.close()
        raise


@contextmanager
def opened_container(path: Path) -> Iterator[OpenVideo]:
    """Open a video file for a block, and report its errors as messages.

    Raises:
        UserError: It is no video, or damaged, or its frames are too large.
        EnvironmentFailure: The file cannot be read.
    """
    opened = open_container(path)
    try:
        with error_text(path):
            yield opened
    finally:
        opened.container.close()


def first_frame(path: Path) -> VideoFrame:
    """Return the first frame of a video that can be decoded, as coded: ``Rotation.of_frame`` tells its turn.

    Raises:
        UserError: It is no video, shows no frame, or is damaged.
        EnvironmentFailure: The file cannot be read.
    """
    import av

    with opened_container(path) as opened:
        # Not the whole of a video that shows nothing: gigabytes would be read for one sentence.
        for packet in islice(opened.container.demux(opened.stream), FIRST_FRAME_PACKETS):
            try:
                for frame in packet.decode():
                    return frame
            except av.error.InvalidDataError:
                # Damage at the beginning: what follows may still be shown.
                continue
    raise UserError(f"{path.name} contains no frame: the file is damaged or truncated.")


@contextmanager
def error_text(path: Path) -> Iterator[None]:
    """Say what FFmpeg raises about a file in words for people.

    Raises:
        UserError: The file is at fault.
        EnvironmentFailure: The disk is.
    """
    import av

    try:
        yield
    # PyAV looks up a stream that begins in the middle of a file among those of its beginning: IndexError.
    except (av.FFmpegError, ValueError, ArithmeticError, IndexError, MemoryError) as error:
        why = getattr(error, "strerror", None) or str(error)
        if not _is_readable(path):
            raise EnvironmentFailure(f"{path} cannot be read: {why[:160]}.") from error
        raise UserError(f"{path.name} cannot be read as a video: {why[:160]}.") from error


def _is_readable(path: Path) -> bool:
    """Tell whether the disk gives a file's bytes: FFmpeg says 'Input/output error' of damaged content too."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 1))
            return len(file.read(1)) == 1
    except OSError:
        return False


def _pictures(container: InputContainer, *, name: str) -> VideoStream:
    # Music and some videos carry a cover, which is a stream of pictures too.
    stream = next((one for one in container.streams.video if not _is_cover(one)), None)
    if stream is None:
        raise UserError(f"{name} contains no video stream.")
    # PyAV gives none for a codec that it does not know, whatever its annotations say.
    if getattr(stream, "codec_context", None) is None:
        raise UserError(f"{name} uses an unsupported codec.")
    size = Size(width_px=stream.codec_context.width, height_px=stream.codec_context.height)
    # FFmpeg forgets a size that it would not decode: more than 268 megapixels.
    if not size.width_px:
        raise UserError(f"{name} has no image size, or an image size too large to decode.")
    require_size(size, name=name)
    return stream


def _is_cover(stream: VideoStream) -> bool:
    import av

    return bool(stream.disposition & av.stream.Disposition.attached_pic)
