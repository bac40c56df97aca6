"""Counts the records of a release again from its files, where these say what the manifest counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

Counts = Mapping[str, Mapping[str, int]]
_Pairs = Iterator[tuple[str, str]]


class _Item(msgspec.Struct):
    """What is counted of an item; fields with their usual value are not in the file."""

    task_set: str = ""
    task: str = ""
    state: str = "drafted"


class _Line(msgspec.Struct):
    """A line of the format ``native``."""

    entity: str
    record: _Item


class _Row(msgspec.Struct):
    """A question of the formats ``huggingface`` and ``sharegpt``."""

    dataset: str
    task_set: str
    task: str


def count_lines(path: Path) -> int:
    """Return the number of lines of a file."""
    with path.open("rb") as file:
        return sum(1 for _ in file)


def count_files(folder: Path, export_format: str, names: Iterable[str]) -> Counts | None:
    """Return the records per value of each property that the files of a release tell.

    Args:
        folder: The release.
        export_format: Id of its format.
        names: Names of its files.

    Returns:
        None for a format whose files tell none.

    Raises:
        OSError: A file cannot be read.
        msgspec.MsgspecError: A file is not of the format.
    """
    read = _READERS.get(export_format)
    if read is None:
        return None
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name in names:
        for what, value in read(folder, name):
            counts[what][value] += 1
    return counts


def _native(folder: Path, name: str) -> _Pairs:
    decode = msgspec.json.Decoder(_Line).decode
    if name != "records.jsonl":
        return
    with (folder / name).open("rb") as file:
        for text in file:
            line = decode(text)
            yield "entity", line.entity
            if line.entity == "item":
                yield "task", f"{line.record.task_set}/{line.record.task}"
                yield "state", line.record.state


def _huggingface(folder: Path, name: str) -> _Pairs:
    decode = msgspec.json.Decoder(_Row).decode
    if not name.startswith("data/"):
        return
    with (folder / name).open("rb") as file:
        for text in file:
            yield from _of_row(decode(text))


def _sharegpt(folder: Path, name: str) -> _Pairs:
    if name.startswith("sft"):
        for row in msgspec.json.decode((folder / name).read_bytes(), type=list[_Row]):
            yield from _of_row(row)


def _of_row(row: _Row) -> _Pairs:
    yield "dataset", row.dataset
    yield "task", f"{row.task_set}/{row.task}"


_READERS: Mapping[str, Callable[[Path, str], _Pairs]] = {
    "native": _native,
    "huggingface": _huggingface,
    "sharegpt": _sharegpt,
}
