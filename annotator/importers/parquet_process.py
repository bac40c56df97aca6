"""Parquet decoded by arro3 in a child process with a memory limit: no size in such a file can be trusted.

A decoder allocates what headers claim, unpacks what a page contains, and ends its process on some damage
(arro3-io 0.9: a wrong bit width, or a NUL in a name). In a child process each of these is an error message.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from annotator.domain.record import FieldCorrection
from annotator.errors import EnvironmentFailure, UserError
from annotator.importers.input_file import printable
from annotator.importers.plain_values import PlainRow, UnreadableCell, is_plain_column
from annotator.importers.table_rows import MOST_COLUMNS, distinct_names

if TYPE_CHECKING:
    from arro3.core import Array, RecordBatch, Scalar

MEMORY_BYTES = 4 * 1024**3
"""Address space of the child, where the system can limit it: file, batch of rows, and interpreter."""
LONGEST_S = 120.0
"""For a batch of rows; one takes milliseconds."""
BATCH_ROWS = 256
"""A batch is decoded as a whole; with an image of 1 MB in each row it has 256 MB."""
LARGEST_ROW_BYTES = 64 * 1024 * 1024
_MESSAGE_BYTES = 1024 * 1024
"""Rows are collected to messages of about so many bytes."""
_DAMAGED = "Download the file again, or convert it to CSV."


class ParquetRow(msgspec.Struct, array_like=True, frozen=True):
    """One row as the child sends it.

    Attributes:
        original: The cells as a JSON object, ``null`` where the row cannot be taken.
        notes: What was changed.
        fault: Why it cannot be taken, "" where it can.
        field: Column of the fault.
    """

    original: bytes
    notes: tuple[FieldCorrection, ...] = ()
    fault: str = ""
    field: str = ""


class _Message(msgspec.Struct, array_like=True):
    """What the child sends: first the names of the columns, then rows; an error or ``is_end`` is the last."""

    columns: list[str] = []
    rows: list[ParquetRow] = []
    error: str = ""
    is_end: bool = False


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(_Message)


class ParquetProcess:
    """A child process that decodes one file; use it as a context manager.

    Args:
        source: Path of the file, or its content where it is in an archive.
        name: Name of the file, for messages.
    """

    def __init__(self, source: Path | bytes, *, name: str) -> None:
        self._name = name
        # Not fork: the threads of this process hold locks, which would stay locked in the copy.
        context = multiprocessing.get_context("spawn")
        self._receiver, self._sender = context.Pipe(duplex=False)
        arguments = (self._sender, source, MEMORY_BYTES)
        self._process = context.Process(target=send_rows, args=arguments, name="vantage-parquet", daemon=True)

    def __enter__(self) -> ParquetProcess:
        try:
            self._process.start()
        except OSError as error:
            self._receiver.close()
            raise EnvironmentFailure(f"{self._name} cannot be decoded: {error.strerror}.") from error
        finally:
            # Only the child may hold this end, so that its end is seen as the end of the messages.
            self._sender.close()
        return self

    def __exit__(self, *_: object) -> None:
        self._receiver.close()
        self._process.kill()
        self._process.join()
        self._process.close()

    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns, no two alike.

        Raises:
            UserError: The file cannot be decoded.
        """
        return tuple(self._next().columns)

    def rows(self) -> Iterator[ParquetRow]:
        """Yield the rows, after ``columns``.

        Raises:
            UserError: The file cannot be decoded; the rows before the damage have been given.
        """
        while not (message := self._next()).is_end:
            yield from message.rows

    def _next(self) -> _Message:
        try:
            if not self._receiver.poll(LONGEST_S):
                raise UserError(
                    f"{self._name} takes more than {LONGEST_S:.0f} s to decode.", hint="Split the file."
                )
            message = _DECODER.decode(self._receiver.recv_bytes(LARGEST_ROW_BYTES + 2 * _MESSAGE_BYTES))
        except (EOFError, OSError, msgspec.MsgspecError) as error:
            limit = f"needs more than {MEMORY_BYTES >> 30} GiB of memory"
            raise UserError(f"{self._name} is damaged or {limit}.", hint=_DAMAGED) from error
        if message.error:
            raise UserError(f"{self._name} cannot be decoded: {message.error}.", hint=_DAMAGED)
        return message


def send_rows(sender: Connection, source: Path | bytes, memory_bytes: int) -> None:
    """Decode a file and send its columns and rows; what the child process does.

    Args:
        sender: Where messages go.
        source: Path of the file, or its content.
        memory_bytes: Limit of this process's address space.
    """
    _limit(memory_bytes)
    try:
        for message in _messages(source):
            sender.send_bytes(_ENCODER.encode(message))
    # The decoder is written in Rust; where it does not expect a damage it panics, which is no Exception.
    except BaseException as error:  # noqa: BLE001 - reported to the parent, and this process ends
        with contextlib.suppress(OSError):
            reason = printable(str(error)[:200]) or type(error).__name__
            sender.send_bytes(_ENCODER.encode(_Message(error=reason)))


def _limit(memory_bytes: int) -> None:
    # What the decoder prints before it ends its process is no message for a user.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        import resource
    except ImportError:
        # Windows limits no process's own memory; there the process alone is the guard.
        return
    # A limit may be set already, lower than ours, which nobody may raise.
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = memory_bytes if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _messages(source: Path | bytes) -> Iterator[_Message]:
    from arro3.io import read_parquet

    reader = read_parquet(io.BytesIO(source) if isinstance(source, bytes) else source, batch_size=BATCH_ROWS)
    names = reader.schema.names
    if not 0 < len(names) <= MOST_COLUMNS:
        yield _Message(error=f"it has {len(names):,} columns, the limit is 1 to {MOST_COLUMNS:,}")
        return
    columns = distinct_names(names)
    yield _Message(columns=columns)
    for batch in reader:
        yield from _grouped(_rows_of(batch, columns))
    yield _Message(is_end=True)


def _grouped(rows: Iterator[ParquetRow]) -> Iterator[_Message]:
    waiting: list[ParquetRow] = []
    size = 0
    for row in rows:
        waiting.append(row)
        size += len(row.original)
        if size >= _MESSAGE_BYTES:
            yield _Message(rows=waiting)
            waiting, size = [], 0
    if waiting:
        yield _Message(rows=waiting)


def _rows_of(batch: RecordBatch, names: list[str]) -> Iterator[ParquetRow]:
    columns = [_values(column) for column in batch.columns]
    # One look at a column tells about all its cells, as nearly all are plain.
    is_plain = all(map(is_plain_column, columns))
    for values in zip(*columns, strict=True):
        cells = dict(zip(names, values, strict=True))
        row = ParquetRow(msgspec.json.encode(cells)) if is_plain else _plain_row(cells)
        if len(row.original) > LARGEST_ROW_BYTES:
            row = ParquetRow(b"null", fault=f"It has more than {LARGEST_ROW_BYTES >> 20} MiB.")
        yield row


def _plain_row(cells: dict[str, Any]) -> ParquetRow:
    plain = PlainRow(cells)
    if plain.fault:
        return ParquetRow(b"null", fault=plain.fault, field=plain.field)
    return ParquetRow(msgspec.json.encode(plain.cells), plain.notes)


def _values(column: Array) -> list[Any]:
    try:
        return list(column.to_pylist())
    # A date after the year 9999 or an unknown time zone: the other values are good.
    except (ValueError, OverflowError, TypeError, LookupError):
        return [_value(column[index]) for index in range(len(column))]


def _value(scalar: Scalar) -> object:
    try:
        return scalar.as_py()
    except (ValueError, OverflowError, TypeError, LookupError):
        return UnreadableCell()
