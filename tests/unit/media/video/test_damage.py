"""Files damaged anyhow: words or frames, and nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from annotator.errors import UserError
from annotator.media.video.decoder import FrameDecoder
from annotator.media.video.indexing import make_index
from tests.bench.numbered_videos import Recipe
from tests.unit.media.video.video_shelf import VideoShelf, cut_off

FUZZED = (
    "variable_rate", "late_start", "transport_stream", "edit_list", "open_gop", "fragmented", "hevc",
    "turned", "old_avi", "hidden_reference", "bare_stream", "with_sound",
)  # fmt: skip


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Return content with bytes changed, taken out and repeated, most of them where the tables lie."""
    changed = bytearray(content)
    for _ in range(rng.choice((1, 3, 10, 50))):
        edge = min(len(changed), 2000)
        at = rng.choice(
            (rng.randrange(len(changed)), rng.randrange(edge), len(changed) - 1 - rng.randrange(edge))
        )
        kind = rng.random()
        if kind < 0.7:
            changed[at] = rng.randrange(256)
        elif kind < 0.8:
            changed[at : at + 4] = rng.choice((b"\xff\xff\xff\xff", bytes(4), b"\x7f\xff\xff\xff"))
        elif kind < 0.9 and len(changed) > 1000:
            del changed[at : at + rng.randrange(1, 200)]
        else:
            changed[at:at] = changed[: rng.randrange(1, 300)]
    return bytes(changed)


def survives(path: Path) -> bool:
    """Open a file and show frames of it; return whether it could be opened."""
    try:
        index = make_index(path)
        decoder = FrameDecoder(path, index)
        count = len(index.packet_indices)
        for last in (0, count - 1, count // 2, count // 3):
            first = max(0, last - 2)
            for frame in decoder.run(first, last=last):
                assert first <= frame.number <= last
                assert frame.rgb().ndim == 3
        for key in index.key_frames[:2].tolist():
            decoder.key_frame(key)
        decoder.close()
    except UserError:
        return False
    return True


def test_video_when_cut_off_and_none_of_its_frames_can_be_shown_then_it_says_so(
    shelf: VideoShelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = Recipe(frames=20, gop=20, muxing={"movflags": "faststart"})
    torn = cut_off(Path(shelf.made("one_group", recipe).path), tmp_path / "torn.mp4", share=0.7)
    # Found among thousands of damaged files: the key frame decodes alone, and gives no frame with its time.
    monkeypatch.setattr(FrameDecoder, "run", lambda *_, **__: iter(()))
    with pytest.raises(UserError, match=r"torn\.mp4 contains no frame"):
        make_index(torn)


@pytest.mark.parametrize("kind", FUZZED)
def test_video_when_damaged_anyhow_then_it_gives_frames_or_words(
    kind: str, shelf: VideoShelf, tmp_path: Path
) -> None:
    assert run_cases(kind, shelf, tmp_path, cases=10) > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", FUZZED)
def test_video_when_damaged_anyhow_many_times_then_it_gives_frames_or_words(
    kind: str, shelf: VideoShelf, tmp_path: Path
) -> None:
    assert run_cases(kind, shelf, tmp_path, cases=850) > 0


def run_cases(kind: str, shelf: VideoShelf, folder: Path, *, cases: int) -> int:
    """Damage a video over and over; return how often it could still be opened."""
    source = Path(shelf.kind(kind).path)
    content, path = source.read_bytes(), folder / f"video{source.suffix}"
    opened = 0
    for case in range(cases):
        path.write_bytes(damaged(content, random.Random(f"{kind} {case}")))
        opened += survives(path)
    return opened
