"""Frames that come late while a video plays: shown only where they are still right, never out of order.

The decoder is held at a gate, so that a test chooses how far the clock has gone when a frame arrives.
"""

from __future__ import annotations

import dataclasses
import queue
import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from annotator.media.video.frames import Frame
from annotator.media.video.video import Video
from tests.bench.numbered_videos import read_number
from tests.unit.media.video.video_shelf import PATIENCE_S, VideoShelf, Watcher

LAST = 89


class Gate:
    """Holds every frame on the decoder's thread before it arrives at the view."""

    def __init__(self) -> None:
        self.is_open = True
        self.here: queue.Queue[int] = queue.Queue()
        self._passes: queue.Queue[bool] = queue.Queue()

    def hold(self, number: int) -> None:
        if not self.is_open:
            self.here.put(number)
            self._passes.get(timeout=PATIENCE_S)

    def pass_one(self) -> None:
        self._passes.put(True)


class GatedSource:
    """A video's own frames, each held at a gate."""

    def __init__(self, source: Any, *, gate: Gate) -> None:
        self._source, self._gate = source, gate

    def run(self, first: int, *, last: int, is_over: Callable[[], bool]) -> Iterator[Frame]:
        for frame in self._source.run(first, last=last, is_over=is_over):
            self._gate.hold(frame.number)
            yield frame

    def close(self) -> None:
        self._source.close()


class Held(Watcher):
    """A view whose frames arrive one at a time."""

    def __init__(self, video: Video, *, gate: Gate) -> None:
        super().__init__(video)
        self._gate = gate
        self.at_gate: int | None = None

    def __exit__(self, *what: object) -> None:
        self.let_all()
        super().__exit__(*what)

    def begin(self, *, at: int, speed: float) -> None:
        """Show a frame with what is fetched around it, then play; from now on frames are held."""
        self.show(at)
        self.settle()
        self._gate.is_open = False
        self.view.play(speed)

    def ask_missing(self, number: int) -> int:
        """Ask for a frame that is not decoded yet; return which one stands at the gate for it."""
        assert self.view.request(number) is None
        self.look()
        assert self.at_gate is not None
        return self.at_gate

    def look(self) -> None:
        """Wait until a frame stands at the gate, or nothing is decoded any more."""
        while self.at_gate is None:
            is_idle = self.view.settle(timeout_s=0)
            try:
                self.at_gate = self._gate.here.get(timeout=0.01)
            except queue.Empty:
                if is_idle:
                    return

    def let_one(self) -> list[int]:
        """Let the frame at the gate arrive; return the numbers that the view gave out for it."""
        assert self.at_gate is not None
        self.at_gate = None
        self._gate.pass_one()
        self.look()
        return self.given()

    def let_all(self) -> list[int]:
        """Let everything arrive; return the numbers that the view gave out."""
        self._gate.is_open = True
        self._gate.pass_one()
        self.settle()
        return self.given()

    def given(self) -> list[int]:
        """Return the numbers given out so far; each frame must hold the picture of its number."""
        numbers = []
        while not self.came.empty():
            frame = self.next()
            assert not isinstance(frame, tuple)
            assert read_number(frame.rgb()) == frame.number
            numbers.append(frame.number)
        return numbers

    def missing(self, *, below: int) -> int:
        """Return the highest number below another whose frame is not decoded yet."""
        here = self.view.buffered()
        return next(n for n in range(below, -1, -1) if not any(a <= n <= b for a, b in here))


@pytest.fixture
def held(shelf: VideoShelf) -> Iterator[Held]:
    gate, video = Gate(), Video.open(Path(shelf.kind("rate_29_97").path))
    assert video.frame_count == LAST + 1
    plain = video.new_source
    video = dataclasses.replace(video, new_source=lambda: GatedSource(plain(), gate=gate))
    with Held(video, gate=gate) as made:
        yield made


def test_late_frame_when_played_backwards_then_is_shown_while_the_clock_is_still_below_it(held: Held) -> None:
    held.begin(at=LAST, speed=-1.0)
    late = held.ask_missing(held.missing(below=LAST))
    # The clock has gone below all that this run brings, and its first frame is still on the way.
    assert held.view.request(late - 1) is None
    assert held.let_one() == [late]
    assert held.let_all() == [late - 1]


def test_frames_when_played_backwards_then_those_that_the_clock_has_not_reached_are_not_shown(
    held: Held,
) -> None:
    held.begin(at=LAST, speed=-1.0)
    wanted = held.missing(below=LAST)
    first = held.ask_missing(wanted)
    # Decoding goes forward: what comes before the wanted frame belongs to a later moment of the clock.
    assert first < wanted
    given = [held.let_one() for _ in range(first, wanted + 1)]
    assert given == [*[[]] * (wanted - first), [wanted]]
    assert held.let_all() == []


def test_late_frame_when_one_behind_it_was_shown_then_is_not_shown_any_more(held: Held) -> None:
    held.begin(at=LAST, speed=-1.0)
    late = held.ask_missing(held.missing(below=LAST))
    below = held.missing(below=late - 1)
    assert held.view.request(below) is None
    assert held.let_one() == [late]
    # All frames above what was shown last come once more on the way, and stay hidden.
    assert held.let_all() == [below]


def test_late_frame_when_nothing_plays_then_is_not_shown(held: Held) -> None:
    held.begin(at=LAST, speed=0.0)
    late = held.ask_missing(held.missing(below=LAST))
    assert held.view.request(late - 1) is None
    assert held.let_one() == []
    assert held.let_all() == [late - 1]


def test_late_frames_when_a_loop_began_anew_then_are_shown_from_its_beginning_on(held: Held) -> None:
    held.begin(at=LAST, speed=1.0)
    assert held.ask_missing(5) == 5
    # The clock has gone on before the first frame of the new turn is decoded.
    assert held.view.request(8) is None
    assert held.let_one() == [5]
    assert held.let_all() == [6, 7, 8]


def test_late_frame_when_sought_against_playing_backwards_then_is_shown(held: Held) -> None:
    held.begin(at=0, speed=-1.0)
    late = held.ask_missing(80)
    assert 0 < late < 80
    assert held.view.request(late - 1) is None
    assert held.let_one() == [late]


def test_late_frame_when_playing_began_before_the_sought_one_came_then_is_shown(held: Held) -> None:
    held.begin(at=LAST, speed=0.0)
    held.ask_missing(5)
    held.view.play(1.0)
    assert held.view.request(6) is None
    assert held.let_one() == []
    assert held.at_gate == 6
    assert held.view.request(8) is None
    assert held.let_one() == [6]


def test_frame_when_sought_back_while_it_came_then_is_not_shown_before_its_time(held: Held) -> None:
    held.begin(at=LAST, speed=1.0)
    assert held.ask_missing(5) == 5
    assert held.view.request(2) is None
    assert held.let_one() == []
    assert held.let_all() == [2]


@pytest.mark.parametrize(("speed", "begin"), [(-1.0, LAST), (-4.0, LAST), (1.0, 0), (8.0, 0)])
@pytest.mark.parametrize("seed", range(3))
def test_frames_when_decoding_is_slower_than_playing_then_come_in_order_and_never_before_their_time(
    held: Held, speed: float, begin: int, seed: int
) -> None:
    rng, sign = random.Random(seed), 1 if speed > 0 else -1
    held.begin(at=begin, speed=speed)
    shown = [(begin, begin)]
    wanted, end = begin, LAST - begin
    while wanted != end:
        wanted = min(max(wanted + sign * rng.randint(1, 6), 0), LAST)
        found = held.view.request(wanted)
        if found is not None:
            shown.append((found.number, wanted))
            continue
        # A few frames arrive before the clock goes on, or none.
        for _ in range(rng.randint(0, 4)):
            held.look()
            if held.at_gate is not None:
                shown += [(number, wanted) for number in held.let_one()]
    shown += [(number, wanted) for number in held.let_all()]
    numbers = [number for number, _ in shown]
    assert numbers[-1] == end
    assert all((after - before) * sign >= 0 for before, after in pairwise(numbers))
    assert all((when - number) * sign >= 0 for number, when in shown)
