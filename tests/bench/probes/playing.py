"""Plays videos on the stage and reads what was painted: ``python -m tests.bench.probes.playing JSON``.

JSON is a ``Request``. After every painting of the window the number burnt into each view is read from the
screen. Prints JSON: what each view painted, how often the views were out of step by time, and how long it
played.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from PySide6.QtCore import QObject

from annotator.domain.record import ValueObject
from annotator.errors import EnvironmentFailure
from annotator.media.video.video import Video
from tests.bench.probes.eyes import wait_until, work_for
from tests.bench.probes.stand import BOXES_A_FRAME, Stand, application, stand, tell, video_scene

AHEAD_S = 1.0
"""The videos stand for so long before they play, as they do for a person who opens them."""


class Request(ValueObject, frozen=True, kw_only=True):
    """What to play, and how.

    Attributes:
        videos: The files, one view each.
        size_px: Width and height of their pictures.
        frames: Number of frames with boxes.
        speed: 1, 2, 4 or 8.
        seconds: For how long at most; the end of the videos ends it as well.
        overlay: Of the plain player: ``items`` or ``lines``.
    """

    videos: tuple[str, ...]
    size_px: tuple[int, int]
    frames: int
    speed: int
    seconds: float
    overlay: str = "items"


@dataclass(frozen=True, kw_only=True)
class Look:
    """What one painting showed.

    Attributes:
        at_s: When, in seconds that only rise.
        numbers: Number read from each view, None where none could be read.
        claimed: Number that each view says it shows.
    """

    at_s: float
    numbers: tuple[int | None, ...]
    claimed: tuple[int | None, ...]


class Watcher(QObject):
    """Reads every painting of a stage.

    Args:
        on: The stage.
    """

    def __init__(self, on: Stand) -> None:
        super().__init__()
        self.viewports: list[Look] = []
        self._on = on
        on.eyes.painted.connect(self._on_eyes_painted)

    def _on_eyes_painted(self) -> None:
        claimed = tuple(canvas.frame for canvas in self._on.stage.canvases)
        self.viewports.append(Look(at_s=time.perf_counter(), numbers=self._on.numbers(), claimed=claimed))


def play(request: Request) -> list[Look]:
    """Play videos on a stage and return what was painted meanwhile, from the moment that the key is pressed.

    Raises:
        EnvironmentFailure: They cannot be played so fast, or do not open.
    """
    with stand() as on:
        on.show(
            video_scene(
                [Path(video) for video in request.videos],
                size_px=request.size_px,
                frames=request.frames,
                boxes=BOXES_A_FRAME,
            )
        )
        player = on.stage.player
        wait_until(lambda: all(video.video is not None for video in player.videos), what="the videos")
        work_for(AHEAD_S)
        watcher = Watcher(on)
        # As with the keys: pressed again it plays faster.
        player.play_faster("1")
        while player.speed < request.speed:
            player.play_faster("1")
        if player.speed != request.speed:
            raise EnvironmentFailure(
                f"The stage plays at {player.speed} times, not at {request.speed} times."
            )
        end_s = time.perf_counter() + request.seconds
        wait_until(lambda: not player.is_playing or time.perf_counter() > end_s, what="the end of the videos")
        player.pause()
        return watcher.viewports


def told(looks: Sequence[Look], videos: Sequence[Video]) -> dict[str, object]:
    """Return what was painted, as the bench wants to know it.

    Args:
        looks: Paintings, in order.
        videos: The video of each view.
    """
    views = []
    for index, video in enumerate(videos):
        read = [look.numbers[index] for look in looks]
        seen = {number for number in read if number is not None and number < video.frame_count}
        due = max(seen) - min(seen) + 1 if seen else 0
        views.append(
            {
                "painted": len(seen),
                "due": due,
                "unread": sum(number is None for number in read),
                "misnamed": sum(look.numbers[index] != look.claimed[index] for look in looks),
            }
        )
    return {
        "views": views,
        "paintings": len(looks),
        "out_of_step": sum(not is_in_step(look.numbers, videos) for look in looks),
        "seconds": looks[-1].at_s - looks[0].at_s if looks else 0.0,
    }


def is_in_step(numbers: Sequence[int | None], videos: Sequence[Video]) -> bool:
    """Tell whether there is a moment at which every view's frame is the one to be shown.

    A frame is due from its own time to that of the next one; the last frame of a video for ever.

    Args:
        numbers: Number of the frame that each view shows.
        videos: The video of each view, all of them begun at the same time.
    """
    if any(number is None for number in numbers):
        return False
    begins, ends = [], []
    for number, video in zip(numbers, videos, strict=True):
        assert number is not None
        begins.append(float(video.times_s[number]))
        is_last = number + 1 >= video.frame_count
        ends.append(float(np.inf) if is_last else float(video.times_s[number + 1]))
    return max(begins) < min(ends)


def main(text: str) -> None:
    """Measure and print."""
    # Held until the end: without an application there is no painting.
    held = application()
    request = msgspec.json.decode(text, type=Request)
    tell(told(play(request), [Video.open(Path(video)) for video in request.videos]))
    held.quit()


if __name__ == "__main__":
    main(sys.argv[1])
