"""Files gone wrong, for the fuzz tests of readers: valid ones with damage, and JSON with odd values in it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from annotator.domain.record import to_json
from annotator.domain.region import Region
from annotator.errors import EnvironmentFailure, UserError
from annotator.importers import registry
from annotator.importers.imported_record import ImportedRecord, ImportIssue
from annotator.importers.importer import FolderImporter, ImportContext
from annotator.importers.input_detection import detect_inputs
from annotator.importers.input_file import InputFile, is_utf8
from annotator.importers.input_folder import InputFolder
from annotator.importers.media_paths import read_path

_ALLOWED = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large)
QUICK = settings(max_examples=20, suppress_health_check=_ALLOWED)
"""For every run."""
THOROUGH = settings(derandomize=False, max_examples=10_000, suppress_health_check=_ALLOWED)
"""For tests marked slow."""

ODD_TEXTS = (
    "", " ", "\0", "\ud800", "\udfff\ud800", "\u202e", "nan", "inf", "-1", "1e308", "1e999", "9" * 400,
    "0x10",
    "../../outside.jpg", "/etc/passwd", "C:\\outside.jpg", "\\\\host\\share\\x.jpg", "file:///x", "a/../../b",
    "..", ".", "x" * 5000, "=1+1", "图像 1.jpg", "\u0661\u0662",
)  # fmt: skip
ODD_NUMBERS = (
    0, -1, 1, 0.5, -0.0, 1e-308, 1e308, -1e308, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**64, 10**400,
    math.inf, -math.inf, math.nan,
)  # fmt: skip
HOSTILE_FRAGMENTS = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3", b"\r", b"\n\n", b'"', b"'", b"<", b"&",
    b"]]>", b"{", b"}", b"[", b"]", b",", b":", b";", b"\t", b"NaN", b"-Infinity", b"1e999", b"-1",
    b"9" * 400, b"null", b"../../outside", b"/etc/passwd", b"C:\\", b"\\u0000", b"\\ud800", b"[" * 3000,
    b'{"a":' * 3000, b"<a>" * 3000, b'<!DOCTYPE x [<!ENTITY e "ee"><!ENTITY f "&e;&e;">]>', b"&f;", b"&#0;",
    b"PK\x03\x04", b"=1+1",
)  # fmt: skip
_DEEP = "a value of thousands of levels"

odd_values: st.SearchStrategy[Any] = (
    st.none()
    | st.booleans()
    | st.sampled_from(ODD_NUMBERS)
    | st.sampled_from(ODD_TEXTS)
    | st.sampled_from([[], {}, [[]], [None], {"": None}, [1, "a", {}], {"a": {"b": [0]}}])
    | st.just(_DEEP)
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
)


def damaged(valid: bytes) -> st.SearchStrategy[bytes]:
    """Give files made from a valid one by flips, cuts, repeats, moves and inserted hostile fragments."""
    location = st.integers(0, max(len(valid), 1))
    flip = st.tuples(st.just("flip"), location, st.integers(1, 255))
    cut = st.tuples(st.just("cut"), location, st.integers(1, 64))
    end = st.tuples(st.just("end"), location, st.just(0))
    again = st.tuples(st.just("again"), location, st.integers(1, 400))
    put = st.tuples(st.just("put"), location, st.sampled_from(HOSTILE_FRAGMENTS) | st.binary(max_size=8))
    edits = st.lists(flip | cut | end | again | put, min_size=1, max_size=4)
    return edits.map(lambda chosen: _with_damage(valid, chosen))


def _with_damage(valid: bytes, edits: list[tuple[str, int, Any]]) -> bytes:
    data = valid
    for kind, at, what in edits:
        if kind == "flip" and at < len(data):
            data = data[:at] + bytes([data[at] ^ what]) + data[at + 1 :]
        elif kind == "cut":
            data = data[:at] + data[at + what :]
        elif kind == "end":
            data = data[:at]
        elif kind == "again":
            data = data[: at + what] + data[at:]
        elif kind == "put":
            data = data[:at] + what + data[at:]
    return data


def odd_json(valid: object) -> st.SearchStrategy[bytes]:
    """Give JSON texts of a value in which up to four parts are odd, gone, renamed, or there twice."""
    positions = [path for path, _ in _parts(valid)]
    change = st.tuples(
        st.sampled_from(positions), st.sampled_from(["odd", "odd", "odd", "gone", "twice", "key"]), odd_values
    )
    return st.lists(change, min_size=1, max_size=4).map(lambda changes: _changed(valid, changes))


def _parts(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], object]]:
    yield path, value
    members: Any = ()
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, list):
        members = enumerate(value)
    for key, below in members:
        yield from _parts(below, (*path, key))


def _changed(valid: object, changes: list[tuple[tuple[str | int, ...], str, Any]]) -> bytes:
    root = {"": deepcopy(valid)}
    for path, kind, odd in changes:
        holder: Any = root
        for key in ("", *path)[:-1]:
            holder = holder[key] if _has(holder, key) else None
        last = ("", *path)[-1]
        if _has(holder, last):
            _change(holder, last, kind, odd)
    text = json.dumps(root.get(""))
    return text.replace(json.dumps(_DEEP), "[" * 5000 + "]" * 5000).encode()


def _has(holder: object, key: str | int) -> bool:
    if isinstance(holder, dict):
        return key in holder
    return isinstance(holder, list) and isinstance(key, int) and key < len(holder)


def _change(holder: Any, key: Any, kind: str, odd: Any) -> None:
    if kind == "odd":
        # The strategy gives the same list again: one inside itself is no JSON.
        holder[key] = deepcopy(odd)
    elif kind == "gone" and key != "":
        del holder[key]
    elif kind == "twice" and isinstance(holder, list):
        holder.insert(key, deepcopy(holder[key]))
    elif kind == "key" and isinstance(holder, dict) and isinstance(odd, str) and key != "":
        holder[odd] = holder.pop(key)


def survives(reader_id: str, path: Path) -> list[ImportedRecord | ImportIssue]:
    """Read a file, folder or archive to its end and return what was found; words alone are an empty list.

    Fails where anything but words escapes, or where something was found that a project cannot keep. No
    other reader may stumble over a file while it looks whether that is its own.
    """
    reader = registry.get(reader_id)
    try:
        if isinstance(reader, FolderImporter):
            folder = InputFolder.open(path)
            registry.detect_folder_importers(folder)
            entries = list(reader.read(folder, context=ImportContext()))
        else:
            file = InputFile.open(path)
            registry.detect_importers(file)
            entries = list(reader.read(file, context=ImportContext()))
    except (UserError, EnvironmentFailure) as error:
        _require_words(str(error))
        return []
    return _all_kept(entries)


def survives_import(path: Path) -> list[ImportedRecord | ImportIssue]:
    """Do as ``survives`` with all that an import finds to read at a path."""
    try:
        entries = [
            entry
            for detected_input in detect_inputs(path).found
            for entry in detected_input.read(context=ImportContext())
        ]
    except (UserError, EnvironmentFailure) as error:
        _require_words(str(error))
        return []
    return _all_kept(entries)


def _all_kept(entries: list[ImportedRecord | ImportIssue]) -> list[ImportedRecord | ImportIssue]:
    for entry in entries:
        _require_kept(entry)
    return entries


def _require_words(text: str) -> None:
    assert text
    assert is_utf8(text)


def _require_kept(entry: ImportedRecord | ImportIssue) -> None:
    assert entry.line >= 1
    if isinstance(entry, ImportIssue):
        assert entry.message
        _require_words(entry.message + entry.field + entry.locator)
        return
    record: Any = entry.record
    assert msgspec.json.decode(to_json(record), type=type(record)) == record
    assert msgspec.json.decode(to_json(entry.flags), type=type(entry.flags)) is not None
    assert is_utf8(to_json(entry))
    assert "\0" not in entry.dataset + entry.identity
    views = entry.scene.views if entry.scene else ()
    for medium in (*entry.media, *views):
        assert "\0" not in medium.name
        assert not medium.path or read_path(medium.path).path == medium.path, "a path leads out"
    if isinstance(record, Region):
        assert all(math.isfinite(v) for v in msgspec.structs.astuple(record.box))
        assert all(math.isfinite(v) for corner in record.polygon for v in corner)
