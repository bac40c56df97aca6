"""Formats exceptions without values: types, positions and source lines, never messages or variables.

The message of an exception can hold anything: the text of an item, a path, a key that a server repeats.
"""

from __future__ import annotations

import errno
import traceback
from collections.abc import Iterator
from pathlib import Path

from annotator.diagnostics.child_failure import ChildFailure

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = "site-packages"
MAX_CHAIN = 20
"""Exceptions of a chain that are formatted; a bug can build an endless one."""
SAFE_FIELDS = ("sqlite_errorname",)
"""Fields of exceptions that hold a code and no value."""


def format_exception(error: BaseException) -> str:
    """Return the traceback of an exception and of those that led to it, oldest first, without values."""
    return "\n".join("\n".join(_format_one(link)) for link in reversed(list(_chain(error))))


def signature(error: BaseException) -> str:
    """Return a text that is the same for two exceptions of one type from one position."""
    if isinstance(error, ChildFailure):
        return error.signature
    last = traceback.extract_tb(error.__traceback__)[-1:]
    location = f"{short_path(last[0].filename)}:{last[0].lineno}" if last else ""
    return f"{type_name(error)}@{location}"


def type_name(error: BaseException) -> str:
    """Return the name of the type with its module, and the error code where it has one."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    code = _code(error)
    return f"{name} [{code}]" if code else name


def short_path(path: str) -> str:
    """Return the path of a module inside of Vantage or of its package, else its file name alone."""
    file = Path(path)
    if PACKAGES in file.parts:
        return Path(*file.parts[file.parts.index(PACKAGES) + 1 :]).as_posix()
    return file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else file.name


def _chain(error: BaseException) -> Iterator[BaseException]:
    current: BaseException | None = error
    for _ in range(MAX_CHAIN):
        if current is None:
            return
        yield current
        hidden = current.__suppress_context__
        current = current.__cause__ or (None if hidden else current.__context__)


def _format_one(error: BaseException) -> Iterator[str]:
    if isinstance(error, ChildFailure):
        yield f"In a child process:\n{error.traceback}"
    yield "Traceback (most recent call last):"
    for frame in traceback.extract_tb(error.__traceback__):
        yield f'  File "{short_path(frame.filename)}", line {frame.lineno}, in {frame.name}'
        if frame.line:
            yield f"    {frame.line}"
    yield type_name(error)
    for inner in getattr(error, "exceptions", ()):
        if isinstance(inner, BaseException):
            yield from (f"  | {line}" for line in format_exception(inner).splitlines())


def _name_in_source(error: AttributeError | NameError | ImportError) -> str:
    # The name of an attribute, variable or module is code where the source has it: ``getattr`` can be given
    # any text. The message around it may show the object.
    lines = [frame.line or "" for frame in traceback.extract_tb(error.__traceback__)]
    return error.name if error.name and any(error.name in line for line in lines) else ""


def _code(error: BaseException) -> str:
    if isinstance(error, OSError) and error.errno is not None:
        return errno.errorcode.get(error.errno, str(error.errno))
    if isinstance(error, (AttributeError, NameError, ImportError)):
        return _name_in_source(error)
    return next((str(getattr(error, field)) for field in SAFE_FIELDS if hasattr(error, field)), "")
