"""Video files opened with care: real containers only, one file only, sizes known before decoding."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.errors import HostError, UserError
from annotator.media.image_file import require_size
from annotator.media.image_header import Size

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.video.stream import VideoStream

_OPTIONS = {
    # Play lists and the like name further files, and addresses in the network; a film is one file.
    "protocol_whitelist": "file",
    "format_whitelist": (
        "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,m4v,flv,ogg,asf,h264,hevc,av1,obu,ivf,"
        "mjpeg,mxf,gif,apng,rm,nut,dv"
    ),
    # AVI and raw streams state no times of presentation.
    "fflags": "+genpts",
}


@dataclass(frozen=True)
class Opened:
    """An open file and its first stream of pictures."""

    container: InputContainer
    stream: VideoStream


def open_film(path: Path) -> Opened:
    """Open a video file; who asked closes ``container``.

    Raises:
        UserError: It is no video, or damaged, or its frames are too large.
        HostError: The file cannot be read.
    """
    import av

    if not path.is_file():
        raise HostError(f"{path} cannot be read: there is no such file.")
    if not path.stat().st_size:
        raise UserError(f"{path.name} is empty.")
    with said(path):
        # Metadata in other encodings than UTF-8 is no reason to refuse a video.
        container = av.open(f"file:{path.absolute()}", "r", options=_OPTIONS, metadata_errors="replace")
    try:
        return Opened(container, _pictures(container, name=path.name))
    except BaseException:
        container.close()
        raise


@contextmanager
def said(path: Path) -> Iterator[None]:
    """Say what FFmpeg raises about a file in words for people.

    Raises:
        UserError: The file is at fault.
        HostError: The disk is.
    """
    import av

    try:
        yield
    # PyAV looks up a stream that begins in the middle of a file among those of its beginning: IndexError.
    except (av.FFmpegError, ValueError, ArithmeticError, IndexError) as error:
        why = getattr(error, "strerror", None) or str(error)
        if not _is_readable(path):
            raise HostError(f"{path} cannot be read: {why[:160]}.") from error
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
    stream = next((one for one in container.streams.video if not _is_cover(one)), None)
    if stream is None:
        raise UserError(f"{name} holds no moving pictures, only sound or data.")
    # PyAV gives none for a codec that it does not know, whatever its annotations say.
    if getattr(stream, "codec_context", None) is None:
        raise UserError(f"{name} is coded in a way that is not known here.")
    require_size(Size(width_px=stream.codec_context.width, height_px=stream.codec_context.height), name=name)
    return stream


def _is_cover(stream: VideoStream) -> bool:
    import av

    return bool(stream.disposition & av.stream.Disposition.attached_pic)
