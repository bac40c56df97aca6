from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from annotator.media.video.decoder import FrameDecoder
from annotator.media.video.indexing import make_index
from tests.bench.numbered_videos import KINDS, read_number
from tests.unit.media.video.video_shelf import ALL_KINDS, VideoShelf


def opened(shelf: VideoShelf, kind: str) -> FrameDecoder:
    path = Path(shelf.kind(kind).path)
    return FrameDecoder(path, make_index(path))


@pytest.mark.parametrize("kind", [*KINDS, "bare_stream", "rolling_refresh"])
@pytest.mark.parametrize("packets", [1, 3, 10])
def test_run_when_another_was_broken_off_on_its_way_then_all_its_frames_come(
    kind: str, packets: int, shelf: VideoShelf
) -> None:
    made, decoder = shelf.kind(kind), opened(shelf, kind)
    last = len(made.numbers) - 1
    for far, near in ((70, 50), (20, 15), (last, last - 5), (69, 2)):
        asked = count()
        list(decoder.run(far, last=far, is_over=lambda asked=asked: next(asked) >= packets))
        read = [(frame.number, read_number(frame.rgb())) for frame in decoder.run(near, last=near + 3)]
        assert read == [(number, made.numbers[number]) for number in range(near, near + 4)]
    decoder.close()


@pytest.mark.parametrize("kind", sorted(set(ALL_KINDS) - {"rolling_refresh"}))
def test_key_frame_when_asked_for_between_runs_then_it_and_they_are_right(
    kind: str, shelf: VideoShelf
) -> None:
    made = shelf.kind(kind)
    path = Path(made.path)
    index = make_index(path)
    decoder = FrameDecoder(path, index)
    for number in index.key_frames.tolist()[:4]:
        frame = decoder.key_frame(number)
        assert frame is not None
        assert read_number(frame.rgb()) == made.numbers[number]
        after = min(number + 2, len(made.numbers) - 1)
        assert [read_number(one.rgb()) for one in decoder.run(after, last=after)] == [made.numbers[after]]
    decoder.close()


def test_key_frame_when_the_picture_is_spread_over_many_frames_then_there_is_none(shelf: VideoShelf) -> None:
    decoder = opened(shelf, "rolling_refresh")
    assert decoder.key_frame(24) is None
    assert [read_number(frame.rgb()) for frame in decoder.run(24, last=24)] == [24]
    decoder.close()
