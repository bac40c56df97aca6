"""An unexpected exception of a child process, as its parent raises it."""

from __future__ import annotations


class ChildFailure(Exception):  # noqa: N818 - it stands for the exception of another process
    """An exception in a child process that nobody foresaw: a bug, not a lack of memory.

    Attributes:
        traceback: The traceback of the child, without values.
        signature: The same for two exceptions of one type from one position of the child.
    """

    def __init__(self, message: str, *, traceback: str, signature: str) -> None:
        super().__init__(message)
        self.traceback, self.signature = traceback, signature
