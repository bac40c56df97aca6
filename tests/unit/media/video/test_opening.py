"""What cannot be shown is said in words."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import av
import numpy as np
import pytest

from annotator.errors import EnvironmentFailure, UserError
from annotator.media.video import indexing
from annotator.media.video.decoder import FrameDecoder
from annotator.media.video.indexing import make_index
from annotator.media.video.video import Video
from tests.unit.media.video.video_shelf import LARGE, VideoShelf, cut_off, wrong_frames


def test_video_when_the_file_is_empty_then_it_says_so(tmp_path: Path) -> None:
    path = tmp_path / "empty.mp4"
    path.touch()
    with pytest.raises(UserError, match="is empty"):
        Video.open(path)


def test_video_when_there_is_no_file_then_the_host_is_blamed(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="cannot be read"):
        Video.open(tmp_path / "gone.mp4")


def test_video_when_it_is_a_pipe_then_nobody_waits_for_it(tmp_path: Path) -> None:
    path = tmp_path / "pipe.mp4"
    os.mkfifo(path)
    with pytest.raises(EnvironmentFailure, match="does not exist"):
        Video.open(path)


def test_video_when_there_is_only_sound_then_it_says_so(tmp_path: Path) -> None:
    path = tmp_path / "sound.mp4"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("aac", rate=48_000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 48_000
        out.mux(stream.encode(frame))
        out.mux(stream.encode())
    with pytest.raises(UserError, match="contains no video stream"):
        Video.open(path)


@pytest.mark.parametrize(
    ("ending", "mark", "pattern"), [("mov", b"jpeg", ">24xHH"), ("avi", b"strf", "<8xii")]
)
@pytest.mark.parametrize("side", [21_000, 40_000])
def test_video_when_it_claims_too_many_pixels_then_nothing_is_decoded(
    ending: str, mark: bytes, pattern: str, side: int, tmp_path: Path
) -> None:
    path = tmp_path / f"bomb.{ending}"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("mjpeg", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuvj420p"
        out.mux(stream.encode(av.VideoFrame(64, 48, "yuvj420p")))
        out.mux(stream.encode())
    content = bytearray(path.read_bytes())
    _overwrite(content, content.index(mark) + len(mark), pattern, side)
    _overwrite(content, content.index(b"\xff\xc0") + 5, ">HH", side)
    path.write_bytes(content)
    with pytest.raises(UserError, match="too large to decode"):
        Video.open(path)


def _overwrite(content: bytearray, index: int, pattern: str, side: int) -> None:
    """Put a side twice where the sides of the pictures stand; what the pattern skips stays."""
    begin = index + struct.calcsize(pattern) - struct.calcsize(pattern[0] + pattern[-2:])
    struct.pack_into(pattern[0] + pattern[-2:], content, begin, side, side)


@pytest.mark.parametrize("content", [b"hello there\n" * 500, b"\x00\x00\x00\x18ftypmp42" + bytes(4000)])
def test_video_when_it_is_no_video_then_it_says_so(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "text.mp4"
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"text\.mp4"):
        Video.open(path)


def test_video_when_it_is_a_play_list_then_the_files_it_names_are_not_opened(
    shelf: VideoShelf, tmp_path: Path
) -> None:
    made = Path(shelf.kind("transport_stream").path)
    path = made.parent / "list.mp4"
    path.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n{made.name}\n#EXT-X-ENDLIST\n")
    with pytest.raises(UserError, match="cannot be read as a video"):
        Video.open(path)


@pytest.mark.parametrize("ending", ["mp4", "ts", "mkv"])
def test_video_when_only_its_first_bytes_are_there_then_it_says_so(
    ending: str, shelf: VideoShelf, tmp_path: Path
) -> None:
    made = shelf.made(
        f"large_{ending}", type(LARGE)(ending=ending, size_px=LARGE.size_px, options=LARGE.options)
    )
    with pytest.raises(UserError, match=r"cut\."):
        Video.open(cut_off(Path(made.path), tmp_path / f"cut.{ending}", share=0.002))


def test_video_when_the_table_at_the_end_is_cut_off_then_it_says_so(
    shelf: VideoShelf, tmp_path: Path
) -> None:
    made = shelf.made("large_mp4", LARGE)
    with pytest.raises(UserError, match="cannot be read as a video"):
        Video.open(cut_off(Path(made.path), tmp_path / "cut.mp4", share=0.6))


def test_video_when_nothing_can_be_read_from_the_middle_on_then_the_frames_before_are_there(
    shelf: VideoShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = shelf.kind("transport_stream")
    whole = indexing._demuxed
    # As PyAV does where a stream begins in the middle of a file.
    monkeypatch.setattr(indexing, "_demuxed", lambda opened: _breaking_off(whole(opened), behind=50))
    video = Video.open(Path(made.path))
    assert "cannot be read as a video" in video.damage
    assert 40 < video.frame_count <= 50
    # The last few lack those of their neighbours that come later in the file.
    assert wrong_frames(video, made, list(range(45))) == []
    video.close()


def test_decoder_when_nothing_can_be_read_any_more_then_it_gives_what_it_holds(shelf: VideoShelf) -> None:
    path = Path(shelf.kind("transport_stream").path)
    decoder = FrameDecoder(path, make_index(path))
    first = list(decoder.run(0, last=10))
    decoder._packets = _breaking_off(decoder._packets, behind=20)
    numbers = [frame.number for frame in (*first, *decoder.run(11, last=80))]
    assert numbers[:28] == list(range(28))
    assert len(numbers) < 60
    decoder.close()


def test_real_damaged_video_when_opened_then_it_says_so(shared_data: Path) -> None:
    path = shared_data / "media" / "videos" / "damaged_truncated.mp4"
    if not path.exists():
        pytest.skip("the damaged sample is not among the sample files")
    with pytest.raises(UserError, match="cannot be read as a video"):
        Video.open(path)


def test_frame_when_there_is_none_of_that_number_then_it_says_how_many_there_are(shelf: VideoShelf) -> None:
    video = Video.open(Path(shelf.kind("rate_12_5").path))
    for number in (-1, 90):
        with pytest.raises(UserError, match="has 90"):
            video.frame(number)


def _breaking_off(packets: Iterator[object], *, behind: int) -> Iterator[object]:
    yield from islice(packets, behind)
    raise IndexError("list index out of range")
