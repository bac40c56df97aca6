"""Time as pixels and back: which stretch of the clock a strip shows, and how large."""

from __future__ import annotations

from dataclasses import dataclass, replace

MARGIN_SHARE = 0.1
"""A strip that turns its page puts the playhead so far from the edge that it came from."""


@dataclass(frozen=True, kw_only=True)
class TimeScale:
    """A stretch of the clock across a strip.

    Attributes:
        first_s: First moment that there is to be seen.
        last_s: End of the last moment that there is to be seen.
        left_s: Moment at the left edge.
        px_per_s: Pixels of one second.
        width_px: Width of the strip.
        most_px_per_s: Limit of ``px_per_s``.
    """

    first_s: float
    last_s: float
    left_s: float
    px_per_s: float
    width_px: int
    most_px_per_s: float

    @property
    def right_s(self) -> float:
        """Moment at the right edge."""
        return self.left_s + self.width_px / self.px_per_s

    @property
    def zoom(self) -> float:
        """How much larger than the whole stretch it is shown, from 1."""
        return self.px_per_s / self._least_px_per_s

    @property
    def _least_px_per_s(self) -> float:
        return self.width_px / (self.last_s - self.first_s)

    def x_of(self, time_s: float) -> float:
        """Return where a moment lies, pixels from the left edge."""
        return (time_s - self.left_s) * self.px_per_s

    def time_at(self, x: float) -> float:
        """Return the moment at a place."""
        return self.left_s + x / self.px_per_s

    def fitted(self) -> TimeScale:
        """Show the whole stretch."""
        return replace(self, left_s=self.first_s, px_per_s=self._least_px_per_s)

    def zoomed(self, factor: float, *, at_x: float) -> TimeScale:
        """Show moments further apart, or nearer; the one at a place stays there.

        Args:
            factor: Above 1: further apart.
            at_x: The place, pixels from the left edge.
        """
        least = self._least_px_per_s
        px_per_s = min(max(self.px_per_s * factor, least), max(least, self.most_px_per_s))
        left_s = self.time_at(at_x) - at_x / px_per_s
        return self._at(left_s, px_per_s=px_per_s)

    def panned(self, px: float) -> TimeScale:
        """Show what lies further to the left (above 0) or to the right."""
        return self._at(self.left_s - px / self.px_per_s, px_per_s=self.px_per_s)

    def resized(self, width_px: int) -> TimeScale:
        """Take another width; a strip that showed everything still does, else moments stay as far apart."""
        # The zoom comes from a division: fitted, it may be a hair over 1.
        is_whole = self.zoom <= 1 + 1e-9
        wide = replace(self, width_px=max(1, width_px))
        return wide.fitted() if is_whole else wide.zoomed(1.0, at_x=0)

    def reaching(self, first_s: float, last_s: float, *, most_px_per_s: float) -> TimeScale:
        """Take another stretch that there is to be seen; what is looked at stays where it can."""
        is_whole = self.zoom <= 1 + 1e-9
        moved = replace(self, first_s=first_s, last_s=last_s, most_px_per_s=most_px_per_s)
        return moved.fitted() if is_whole else moved.zoomed(1.0, at_x=0)

    def following(self, time_s: float) -> TimeScale:
        """Return the scale that keeps a moment in sight: turned by a page where it has left it."""
        x = self.x_of(time_s)
        if 0 <= x <= self.width_px:
            return self
        share = MARGIN_SHARE if x > self.width_px else 1 - MARGIN_SHARE
        return self._at(time_s - share * self.width_px / self.px_per_s, px_per_s=self.px_per_s)

    def _at(self, left_s: float, *, px_per_s: float) -> TimeScale:
        """Look at another stretch, with the edges within what there is to be seen."""
        most_left_s = self.last_s - self.width_px / px_per_s
        # The beginning counts more than the end: by rounding there may be room for more than all.
        held_s = max(self.first_s, min(left_s, most_left_s))
        return replace(self, left_s=held_s, px_per_s=px_per_s)


def scale_for(first_s: float, last_s: float, *, width_px: int, most_px_per_s: float) -> TimeScale:
    """Return the scale that shows a whole stretch.

    Args:
        first_s: First moment.
        last_s: End of the last moment; a stretch without length is taken for a second.
        width_px: Width of the strip.
        most_px_per_s: How large one may zoom in.
    """
    last_s = last_s if last_s > first_s else first_s + 1.0
    width_px = max(1, width_px)
    return TimeScale(
        first_s=first_s,
        last_s=last_s,
        left_s=first_s,
        px_per_s=width_px / (last_s - first_s),
        width_px=width_px,
        most_px_per_s=most_px_per_s,
    )
