"""The errors that people are meant to see; everything else is a bug."""

from __future__ import annotations


class VantageError(Exception):
    """Carry a message for people and what they can do next.

    Attributes:
        message: One sentence that says what happened.
        hint: What to do about it, or "".
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UserError(VantageError):
    """Say what is wrong with what was given; the state is untouched."""


class ChangedElsewhereError(UserError):
    """Say that a value is not the one any more on which an edit is based.

    Attributes:
        current: The value as it is now.
    """

    def __init__(self, message: str, *, current: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.current = current


class EnvironmentFailure(VantageError):  # noqa: N818 - the surroundings failed, not the call
    """Say that disk, network or driver failed; the state is kept."""


class Cancelled(VantageError):  # noqa: N818 - an outcome that people asked for, not a failure
    """Leave long work because the user asked for it; nothing of it stays."""

    def __init__(self, message: str = "Cancelled; the project is unchanged.") -> None:
        super().__init__(message)
