"""The time scale: converts between clock time and pixels of the visible range."""

from __future__ import annotations

from dataclasses import dataclass, replace

MARGIN_SHARE = 0.1
"""Fraction of the width between the edge and the playhead after scrolling by a page."""


@dataclass(frozen=True, kw_only=True)
class TimeScale:
    """A visible time range across a width in pixels.

    Attributes:
        first_s: Start of the whole span, seconds.
        last_s: End of the whole span, seconds.
        left_s: Time at the left edge, seconds.
        px_per_s: Pixels per second.
        width_px: Width of the view, pixels.
        most_px_per_s: Maximum of ``px_per_s``.
    """

    first_s: float
    last_s: float
    left_s: float
    px_per_s: float
    width_px: int
    most_px_per_s: float

    @property
    def right_s(self) -> float:
        """Time at the right edge, seconds."""
        return self.left_s + self.width_px / self.px_per_s

    @property
    def zoom(self) -> float:
        """Zoom factor relative to the whole span, from 1."""
        return self.px_per_s / self._least_px_per_s

    @property
    def _least_px_per_s(self) -> float:
        return self.width_px / (self.last_s - self.first_s)

    def x_of(self, time_s: float) -> float:
        """Return the position of a time, pixels from the left edge."""
        return (time_s - self.left_s) * self.px_per_s

    def time_at(self, x: float) -> float:
        """Return the time at a position, seconds."""
        return self.left_s + x / self.px_per_s

    def fitted(self) -> TimeScale:
        """Return the scale that shows the whole span."""
        return replace(self, left_s=self.first_s, px_per_s=self._least_px_per_s)

    def zoomed(self, factor: float, *, at_x: float) -> TimeScale:
        """Return a scale with another zoom; the time at one position is fixed.

        Args:
            factor: Above 1 to zoom in.
            at_x: The fixed position, pixels from the left edge.
        """
        least = self._least_px_per_s
        px_per_s = min(max(self.px_per_s * factor, least), max(least, self.most_px_per_s))
        left_s = self.time_at(at_x) - at_x / px_per_s
        return self._at(left_s, px_per_s=px_per_s)

    def panned(self, px: float) -> TimeScale:
        """Return the scale panned towards earlier (above 0) or later times."""
        return self._at(self.left_s - px / self.px_per_s, px_per_s=self.px_per_s)

    def resized(self, width_px: int) -> TimeScale:
        """Return the scale for another width; a fitted scale stays fitted, else the zoom is kept."""
        # The zoom is the result of a division: it can be slightly above 1 for a fitted scale.
        is_whole = self.zoom <= 1 + 1e-9
        wide = replace(self, width_px=max(1, width_px))
        return wide.fitted() if is_whole else wide.zoomed(1.0, at_x=0)

    def reaching(self, first_s: float, last_s: float, *, most_px_per_s: float) -> TimeScale:
        """Return the scale for another span; the visible range is kept where possible."""
        is_whole = self.zoom <= 1 + 1e-9
        moved = replace(self, first_s=first_s, last_s=last_s, most_px_per_s=most_px_per_s)
        return moved.fitted() if is_whole else moved.zoomed(1.0, at_x=0)

    def following(self, time_s: float) -> TimeScale:
        """Return the scale that shows a time; if it is outside the visible range, scroll by a page."""
        x = self.x_of(time_s)
        if 0 <= x <= self.width_px:
            return self
        share = MARGIN_SHARE if x > self.width_px else 1 - MARGIN_SHARE
        return self._at(time_s - share * self.width_px / self.px_per_s, px_per_s=self.px_per_s)

    def _at(self, left_s: float, *, px_per_s: float) -> TimeScale:
        """Return the scale with another visible range, clamped to the span."""
        most_left_s = self.last_s - self.width_px / px_per_s
        # Clamp to the start last: rounding can make the visible range larger than the span.
        held_s = max(self.first_s, min(left_s, most_left_s))
        return replace(self, left_s=held_s, px_per_s=px_per_s)


def scale_for(first_s: float, last_s: float, *, width_px: int, most_px_per_s: float) -> TimeScale:
    """Return the scale that shows a whole span.

    Args:
        first_s: Start of the span, seconds.
        last_s: End of the span, seconds; an empty span is treated as one second.
        width_px: Width of the view, pixels.
        most_px_per_s: Maximum zoom, pixels per second.
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
