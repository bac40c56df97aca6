"""The errors that people are meant to see; everything else is a bug."""

from __future__ import annotations

from pathlib import Path


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


class ProjectFileFailure(EnvironmentFailure):
    """The project file cannot be read or written.

    Attributes:
        may_pass: Whether the same edit can succeed later without another file: the disk is full or locked.
    """

    def __init__(self, message: str, *, hint: str = "", may_pass: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.may_pass = may_pass


class ReplacedFileError(ProjectFileFailure):
    """The path of an open project leads to no file, or to another one; nothing more may be called saved.

    Attributes:
        is_overwritten: Whether the content of the open file itself was replaced. What is in its write-ahead
            log then belongs to pages that are gone, and must not be moved into it.
        copy: Where all that was saved has been copied to, None if it has not.
    """

    def __init__(
        self, message: str, *, hint: str = "", is_overwritten: bool = False, copy: Path | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.is_overwritten, self.copy = is_overwritten, copy


class Cancelled(VantageError):  # noqa: N818 - an outcome that people asked for, not a failure
    """Leave long work because the user asked for it; nothing of it stays."""

    def __init__(self, message: str = "Cancelled; the project is unchanged.") -> None:
        super().__init__(message)
