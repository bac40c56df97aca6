"""Delivers frames of a video to one view: the latest request first, then frames that are likely next.

Each reader has one thread. If requests arrive faster than frames can be decoded, only the latest is served;
``prefetch`` chooses what is decoded in between.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType

import msgspec

from annotator.errors import EnvironmentFailure, UserError
from annotator.media.video.cache import CacheBudget, FrameCache
from annotator.media.video.frames import Frame
from annotator.media.video.prefetch import FRAMES_BEHIND, JUMP, FrameRange, PrefetchTarget, next_range
from annotator.media.video.video import Video

OnFrame = Callable[[Frame], None]
OnLost = Callable[[int, str], None]
STEP = 2
"""Requests at most so far back are steps, and more of them are expected."""
READ_ON = 24
"""A frame so little ahead of the decoder comes soon enough without a preview."""
PAUSE_S = 0.04
"""Seconds without a request after which earlier frames are prefetched while scrubbing; sooner, the next
request would interrupt it. After a seek they are prefetched at once, because a step back from a key frame
needs the whole group before it."""
LEAST_FRAMES = 8
"""Frames that fit into the smallest share: with fewer no plan makes sense."""


class _FrameRequest(msgspec.Struct, frozen=True):
    """What is asked for; a new one replaces it whole."""

    number: int = 0
    speed: float = 0.0
    is_stepping_back: bool = False
    is_moving_on: bool = False
    is_preview: bool = False
    loop: tuple[int, int] | None = None

    def moved_to(self, number: int, *, is_preview: bool) -> _FrameRequest:
        """Return the request of another frame, with the same playback."""
        step = number - self.number
        return msgspec.structs.replace(
            self,
            number=number,
            is_stepping_back=-STEP <= step < 0 or (step == 0 and self.is_stepping_back),
            is_moving_on=0 < step <= JUMP,
            is_preview=is_preview,
        )

    def target_in(self, video: Video, *, capacity: int) -> PrefetchTarget:
        """Return what to decode ahead for it, with room for a number of frames."""
        return PrefetchTarget(
            number=self.number,
            speed=self.speed,
            is_stepping_back=self.is_stepping_back,
            is_moving_on=self.is_moving_on,
            fps=video.fps,
            count=video.frame_count,
            capacity=capacity,
            loop=self.loop,
        )


class FrameReader:
    """Reads the frames of a video for one view, with its own thread and cache.

    ``request`` returns a cached frame immediately. Otherwise it returns None, and the frame is passed to
    ``on_frame`` on the reader's thread, unless another request replaces it. A frame contains its number,
    since it may differ from the requested one: while scrubbing a key frame precedes the exact frame, and
    during playback late frames are skipped. Each frame passed to ``on_frame`` is to be painted.

    Args:
        video: The video; it is not closed here.
        on_frame: Called on the reader's thread with each frame to show.
        on_lost: Called on the reader's thread with number and reason if a frame cannot be decoded.
        budget: Memory limit shared by all views; None for a separate one.
    """

    def __init__(
        self,
        video: Video,
        *,
        on_frame: OnFrame,
        on_lost: OnLost | None = None,
        budget: CacheBudget | None = None,
    ) -> None:
        self.video = video
        self._on_frame, self._on_lost = on_frame, on_lost
        self._budget = budget or CacheBudget()
        width, height = video.size_px
        # Planes of 4:2:0 take 1.5 bytes a pixel; corrected by the first frame that comes.
        self._frame_bytes = width * height * 3 // 2
        # Two groups: the current one, and the previous one for steps back.
        self._budget.join(self, need_bytes=2 * video.longest_group * self._frame_bytes)
        self._cache = FrameCache(self._budget.share_bytes(self))
        # Frames behind have a decoder of their own, so that fetching them does not cost the place ahead.
        self._source, self._rear = video.new_source(), video.new_source()
        self._changed = threading.Condition()
        self._wish: _FrameRequest | None = None
        self._is_owed = self._is_closed = self._is_idle = self._has_paused = False
        self._reached = self._shown = -1
        self._thread = threading.Thread(
            target=self._work, name=f"vantage-view-{video.path.name[:24]}", daemon=True
        )
        self._thread.start()

    def __enter__(self) -> FrameReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def request(self, number: int) -> Frame | None:
        """Return a frame if it is cached; otherwise return None and pass it to ``on_frame`` later.

        Args:
            number: From 0; clamped to the video's range.
        """
        return self._request(number, is_preview=False)

    def request_preview(self, number: int) -> Frame | None:
        """Ask for a frame while scrubbing: where it is not here, the nearest key frame comes first."""
        return self._request(number, is_preview=True)

    def peek(self, number: int) -> Frame | None:
        """Return a frame where it is here, without asking for it: what is decoded next stays as it was."""
        with self._changed:
            return self._cache.get(number)

    def play(self, speed: float, *, loop: tuple[int, int] | None = None) -> None:
        """Tell that requests will follow one another, so that frames are fetched ahead.

        Args:
            speed: 1 for the video's own pace, negative for backwards.
            loop: First and last frame of the segment that plays over and over.
        """
        self._replace(speed=speed, loop=loop)

    def pause(self) -> None:
        """End playback; earlier frames are then prefetched for steps back."""
        self._replace(speed=0.0, loop=None)

    def buffered(self) -> list[tuple[int, int]]:
        """Return what is ready to be shown at once, as pairs of first and last number."""
        with self._changed:
            return self._cache.runs()

    def settle(self, *, timeout_s: float) -> bool:
        """Wait until all that is worth it is decoded; tell whether that came about in time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._is_idle or self._is_closed, timeout_s)

    @property
    def used_bytes(self) -> int:
        """Memory that the frames take."""
        with self._changed:
            return self._cache.used_bytes

    def is_lost(self, number: int) -> bool:
        """Tell whether a frame was found to be undecodable."""
        with self._changed:
            return self._cache.is_lost(number)

    def close(self) -> None:
        """End the thread and give everything back; no frame comes after that."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        # ``on_frame`` may close the reader, and a thread cannot wait for its own end.
        if threading.current_thread() is not self._thread:
            self._thread.join()
        self._budget.leave(self)

    def _request(self, number: int, *, is_preview: bool) -> Frame | None:
        number = min(max(0, number), self.video.frame_count - 1)
        with self._changed:
            before = self._wish or _FrameRequest(number=number)
            step = number - before.number
            # The object is reused for an unchanged request, because the decoding thread compares by identity.
            self._wish = before.moved_to(number, is_preview=is_preview)
            frame = self._cache.get(number)
            self._is_owed = frame is None
            if frame is not None:
                self._shown = number
            elif step * before.speed < 0:
                # A loop began anew, or a person sought against the direction.
                self._shown = _just_before(number, speed=before.speed)
            self._wake()
            return frame

    def _replace(self, *, speed: float, loop: tuple[int, int] | None) -> None:
        with self._changed:
            before = self._wish or _FrameRequest()
            self._wish = msgspec.structs.replace(before, speed=speed, loop=loop)
            if self._is_owed and speed * before.speed <= 0:
                self._shown = _just_before(before.number, speed=speed)
            self._wake()

    def _wake(self) -> None:
        self._is_idle = False
        # Steps within what is here must not put off fetching the rest.
        self._has_paused = self._has_paused and not self._is_owed
        self._changed.notify_all()

    def _work(self) -> None:
        try:
            while (task := self._next_task()) is not None:
                wish, run = task
                if run is None:
                    self._notify_lost(
                        wish.number, f"Frame {wish.number:,} of {self.video.path.name} is damaged."
                    )
                elif not self._has_previewed(wish, run):
                    self._decode(wish, run)
        finally:
            self._close_sources()
            with self._changed:
                self._cache.clear()

    def _next_task(self) -> tuple[_FrameRequest, FrameRange | None] | None:
        """Wait for something to do: a run to decode, none where the wanted frame is lost; None at the end."""
        with self._changed:
            while not self._is_closed:
                wish = self._wish
                if wish is not None:
                    if self._is_owed and self._cache.is_lost(wish.number):
                        self._is_owed = False
                        return wish, None
                    run = self._planned(wish)
                    if run is not None and (self._has_paused or not _is_deferred(run, wish)):
                        return wish, run
                    if run is not None:
                        # Only a request of a frame that is not here takes the mark away before the time.
                        self._has_paused = True
                        self._changed.wait_for(lambda: not self._has_paused or self._is_closed, PAUSE_S)
                        continue
                self._is_idle = True
                self._changed.notify_all()
                self._changed.wait()
        return None

    def _planned(self, wish: _FrameRequest) -> FrameRange | None:
        # A decoder's own pool of pictures never shrinks while it is open.
        aim = self._aim(wish)
        if self._cache.resize(self._share_bytes(), centre=aim.centre):
            self._close_sources()
        return next_range(aim, self._cache, groups=self.video.group_of)

    def _close_sources(self) -> None:
        self._source.close()
        self._rear.close()

    def _share_bytes(self) -> int:
        return max(self._budget.share_bytes(self), LEAST_FRAMES * self._frame_bytes)

    def _aim(self, wish: _FrameRequest) -> PrefetchTarget:
        return wish.target_in(self.video, capacity=self._share_bytes() // self._frame_bytes)

    def _has_previewed(self, wish: _FrameRequest, run: FrameRange) -> bool:
        """Show the nearest key frame if a preview is requested; return whether a newer request arrived."""
        is_wanted = wish.is_preview and run.first <= wish.number <= run.last
        if not is_wanted or 0 <= wish.number - self._reached <= READ_ON:
            # So near that decoding gets there sooner than a key frame could be shown.
            return False
        key = self.video.nearest_key(wish.number)
        with self._changed:
            frame = self._cache.get(key)
        if frame is None:
            frame = self._key_frame(key)
            # The source stands elsewhere now.
            self._reached = -1
        if frame is not None and frame.number != wish.number:
            self._show(frame)
        with self._changed:
            return self._wish is not wish or self._is_closed

    def _key_frame(self, number: int) -> Frame | None:
        try:
            frame = self._source.key_frame(number)
        except (UserError, EnvironmentFailure):
            # Decoding the frame itself will say the same.
            return None
        if frame is not None:
            with self._changed:
                self._keep(frame)
        return frame

    def _decode(self, wish: _FrameRequest, run: FrameRange) -> None:
        """Decode a run to its end, or until another wish makes another run better."""
        expected = run.first
        has_ended = False
        source = self._rear if _is_behind(run, wish) else self._source

        def is_over() -> bool:
            # Never reset: an interrupted run gives no information about the frames that were not decoded.
            nonlocal has_ended
            has_ended = has_ended or self._is_closed or not self._is_wanted(run, expected=expected, wish=wish)
            return has_ended

        try:
            for frame in source.run(run.first, last=run.last, is_over=is_over):
                is_due = self._accept_frame(frame, expected=expected)
                expected = frame.number + 1
                if source is self._source:
                    self._reached = frame.number
                if is_due:
                    self._show(frame)
                if is_over():
                    return
        except (UserError, EnvironmentFailure) as error:
            self._notify_lost(wish.number, str(error))
        if not has_ended:
            with self._changed:
                self._cache.put_lost(expected, last=run.last)

    def _is_wanted(self, run: FrameRange, *, expected: int, wish: _FrameRequest) -> bool:
        """Return whether the rest of a run that was started for an earlier request serves the current one."""
        # Read without the lock: a wish is replaced whole, and an older one only costs a packet.
        now = self._wish
        if now is None or now is wish or expected <= now.number <= run.last:
            return True
        if now.number not in self._cache:
            return False
        if now.speed > 0:
            return run.first <= now.number + 1
        # Steps back towards the run make it more urgent, however far away it was begun.
        return run.last < now.number <= max(wish.number, run.last + FRAMES_BEHIND)

    def _accept_frame(self, frame: Frame, *, expected: int) -> bool:
        """Cache a frame, record skipped frames before it as lost, and return whether to show it."""
        with self._changed:
            self._cache.put_lost(expected, last=frame.number - 1)
            self._keep(frame)
            wish = self._wish
            if wish is None or not self._is_owed:
                return False
            if frame.number == wish.number:
                self._is_owed = False
                return True
            # Rather a frame that is a little late than none, where decoding is slower than playing; never one
            # that the clock has not reached, or that lies before what is on the screen.
            if wish.speed > 0:
                return self._shown < frame.number < wish.number
            return wish.speed < 0 and wish.number < frame.number < self._shown

    def _keep(self, frame: Frame) -> None:
        # Videos with more than 8 bits or 4:4:4 take more than was guessed.
        self._frame_bytes = max(self._frame_bytes, frame.nbytes)
        self._cache.put(frame, centre=self._aim(self._wish or _FrameRequest()).centre)

    def _show(self, frame: Frame) -> None:
        with self._changed:
            # Nobody is told after close, whatever the thread was at.
            if self._is_closed:
                return
            self._shown = frame.number
        # Without the lock: the callback may ask for the next frame.
        self._on_frame(frame)

    def _notify_lost(self, number: int, why: str) -> None:
        with self._changed:
            self._is_owed = False
        if self._on_lost is not None:
            self._on_lost(number, why)


def _just_before(number: int, *, speed: float) -> int:
    """Return the frame number that counts as last shown when playback continues from a frame not decoded yet.

    The frame that was really shown is on the other side of the jump: compared with it no frame would be late,
    and none would be shown until one arrives exactly on time. The end of the video cannot be used either:
    frames that the clock has not passed since the jump are wrong, not late.
    """
    return number - 1 if speed > 0 else number + 1


def _is_behind(run: FrameRange, wish: _FrameRequest) -> bool:
    """Tell whether a run fetches frames for steps back, or for playing backwards."""
    return run.last < wish.number


def _is_deferred(run: FrameRange, wish: _FrameRequest) -> bool:
    """Return whether a prefetch waits until scrubbing pauses."""
    return _is_behind(run, wish) and (wish.is_preview or wish.is_moving_on)
