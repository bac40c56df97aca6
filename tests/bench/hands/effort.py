"""What a piece of work costs a person, by the keystroke-level model."""

from __future__ import annotations

from annotator.domain.record import ValueObject

KEY_S, POINTING_S, THOUGHT_S = 0.28, 1.1, 1.35
"""Seconds of a key, of pointing at a target and of a mental step.

Source: Card, Moran and Newell, the keystroke-level model; the key is that of an average typist.
"""


class Effort(ValueObject, frozen=True, kw_only=True):
    """Actions of a person.

    Attributes:
        keys: Key presses, a combination such as Ctrl+K is one.
        typed: Characters of texts that have to be typed on any screen, such as the words of an option.
        clicks: Clicks of the mouse.
        drags: Drags of the mouse.
        thoughts: Mental steps: to find out what is wrong, and to decide.
    """

    keys: int = 0
    typed: int = 0
    clicks: int = 0
    drags: int = 0
    thoughts: int = 0

    @property
    def actions(self) -> int:
        """Keys, clicks and drags, without the typed texts."""
        return self.keys + self.clicks + self.drags

    @property
    def seconds(self) -> float:
        """Time by the model; a drag points at its beginning and at its end."""
        pointings = self.clicks + 2 * self.drags
        return KEY_S * (self.keys + self.typed) + POINTING_S * pointings + THOUGHT_S * self.thoughts

    @property
    def text(self) -> str:
        """The actions and the time, for the table of the bench."""
        counts = (
            (self.keys, "key", "keys"),
            (self.typed, "typed character", "typed characters"),
            (self.clicks, "click", "clicks"),
            (self.drags, "drag", "drags"),
            (self.thoughts, "thought", "thoughts"),
        )
        told = [f"{count} {one if count == 1 else many}" for count, one, many in counts if count]
        return f"{', '.join(told)}; {self.seconds:.1f} s by the keystroke-level model"
