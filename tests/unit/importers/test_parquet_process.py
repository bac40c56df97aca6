"""Parquet files that claim much, become much, or are damaged: only the child that decodes them ends."""

from __future__ import annotations

import gzip
import random
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from arro3.core import Array, DataType, Table
from arro3.io import write_parquet

from annotator.errors import EnvironmentFailure, UserError
from annotator.importers import parquet_process
from annotator.importers.input_file import InputFile
from annotator.importers.input_folder import Archive
from annotator.importers.parquet_process import ParquetProcess
from annotator.importers.parquet_rows import ParquetTable, parquet_columns
from annotator.importers.tables import first_columns
from tests.unit.importers.workbooks import lists, parquet

TEXTS = {"id": list(range(300)), "text": [f"text number {n} of many" for n in range(300)]}
GOOD = parquet({"text": ["a", "b"], "number": [1, None]})


def varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def i32(step: int, number: int) -> bytes:
    """Return a field of a struct that holds a whole number."""
    return bytes([step << 4 | 5]) + varint(number << 1)


def crafted(page: bytes, *, claimed: int, codec: int = 0, rows: int = 1, values: int = 1) -> bytes:
    """Return a Parquet file with one column of texts, whose one page is made by hand."""
    data_header = i32(1, values) + i32(1, 0) + i32(1, 3) + i32(1, 3) + b"\0"
    header = i32(1, 0) + i32(1, claimed) + i32(1, len(page)) + b"\x2c" + data_header + b"\0"
    body = b"PAR1" + header + page
    size = len(header) + len(page)

    def i64(step: int, number: int) -> bytes:
        return bytes([step << 4 | 6]) + varint(number << 1)

    def text(step: int, value: bytes) -> bytes:
        return bytes([step << 4 | 8]) + varint(len(value)) + value

    root = text(4, b"schema") + i32(1, 1) + b"\0"
    leaf = i32(1, 6) + i32(2, 0) + text(1, b"text") + b"\0"
    meta = i32(1, 6) + b"\x19\x15" + varint(0) + b"\x19\x18" + varint(4) + b"text" + i32(1, codec)
    meta += i64(1, values) + i64(1, claimed) + i64(1, size) + i64(2, 4) + b"\0"
    column = i64(2, 4) + b"\x1c" + meta + b"\0"
    group = b"\x19\x1c" + column + i64(1, claimed) + i64(1, rows) + b"\0"
    footer = i32(1, 1) + b"\x19\x2c" + root + leaf + i64(1, rows) + b"\x19\x1c" + group + b"\0"
    return body + footer + len(footer).to_bytes(4, "little") + b"PAR1"


ONE = (3).to_bytes(4, "little") + b"one"


def gzip_bomb() -> bytes:
    """Return what becomes a gigabyte: a stream of gzip may have any number of members."""
    return gzip.compress(bytes(1 << 24)) * 64


def table_of(path: Path, content: bytes) -> ParquetTable:
    path.write_bytes(content)
    return ParquetTable(InputFile.open(path))


def outcome_of(path: Path, content: bytes) -> int | str:
    """Return how many rows a file has, or why it is not read."""
    try:
        return len(list(table_of(path, content).rows()))
    except UserError as error:
        return str(error)


@pytest.mark.parametrize(
    "compression", ["uncompressed", "snappy", "gzip(6)", "zstd(3)", "lz4", "lz4_raw", "brotli(3)"]
)
def test_file_when_packed_in_any_way_then_every_row_is_read(tmp_path: Path, compression: str) -> None:
    table = table_of(tmp_path / "t.parquet", parquet(TEXTS, compression=compression))
    assert [row.cells["text"] for row in table.rows()] == TEXTS["text"]


@pytest.mark.parametrize(
    ("column", "encoding"),
    [
        ("id", "delta_binary_packed"),
        ("text", "delta_length_byte_array"),
        ("text", "delta_byte_array"),
        ("id", "byte_stream_split"),
    ],
)
def test_file_when_encoded_in_any_way_then_every_row_is_read(
    tmp_path: Path, column: str, encoding: str
) -> None:
    content = parquet(TEXTS, dictionary_enabled=False, column_encoding={column: encoding})
    rows = [row.cells for row in table_of(tmp_path / "t.parquet", content).rows()]
    assert [row[column] for row in rows] == TEXTS[column]


def test_file_when_made_by_hand_and_honest_then_read(tmp_path: Path) -> None:
    table = table_of(tmp_path / "t.parquet", crafted(ONE, claimed=len(ONE)))
    assert [row.cells for row in table.rows()] == [{"text": "one"}]


@pytest.mark.parametrize(
    "bomb",
    [
        crafted(varint(2**32 - 1) + b"\0", claimed=10, codec=1),
        crafted(gzip_bomb(), claimed=2**31 - 1, codec=2),
        crafted(ONE, claimed=len(ONE), values=2**31 - 1),
    ],
    ids=["snappy claims gigabytes", "gzip becomes gigabytes", "page claims values"],
)
def test_file_when_it_would_fill_the_memory_then_the_child_alone_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bomb: bytes
) -> None:
    monkeypatch.setattr(parquet_process, "MEMORY_BYTES", 700 * 1024**2)
    with pytest.raises(UserError, match=r"t\.parquet (cannot be decoded|is damaged)"):
        list(table_of(tmp_path / "t.parquet", bomb).rows())


def test_memory_when_a_batch_needs_more_than_the_limit_then_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet({"text": ["x" * 1_000_000] * 150}))
    assert path.stat().st_size < 2_000_000, "the file is small, its rows are not"
    assert sum(len(row.cells["text"]) for row in ParquetTable(InputFile.open(path)).rows()) == 150_000_000
    monkeypatch.setattr(parquet_process, "MEMORY_BYTES", 400 * 1024**2)
    with pytest.raises(UserError, match=r"damaged or needs more than|cannot be decoded"):
        list(ParquetTable(InputFile.open(path)).rows())


def test_row_when_it_is_larger_than_the_limit_then_it_alone_is_told(tmp_path: Path) -> None:
    long = ["x" * 1_000_000] * 70
    rows = list(table_of(tmp_path / "t.parquet", parquet({"list": lists([long, ["y"]])})).rows())
    assert rows[0].fault == "It has more than 64 MiB."
    assert (rows[1].fault, rows[1].cells) == ("", {"list": ["y"]})


@pytest.mark.parametrize(
    "content",
    [
        GOOD[:-20],
        GOOD[:-8] + (2**31 - 1).to_bytes(4, "little") + b"PAR1",
        b"PAR1" + b"\x1c" * 400 + GOOD[-8:],
    ],
    ids=["cut off", "footer larger than the file", "nested too deeply"],
)
def test_footer_when_damaged_then_a_message_and_no_columns(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UserError, match=r"t\.parquet"):
        table_of(tmp_path / "t.parquet", content)
    assert first_columns(InputFile.open(tmp_path / "t.parquet")) == []


def test_decoder_when_it_ends_its_process_then_a_message_and_this_process_lives(tmp_path: Path) -> None:
    # A NUL in the name of a column is enough.
    assert GOOD.count(b"number") >= 2
    with pytest.raises(UserError, match=r"t\.parquet"):
        list(table_of(tmp_path / "t.parquet", GOOD.replace(b"number", b"num\0er")).rows())


def test_pages_when_one_bit_is_changed_then_rows_or_a_message(tmp_path: Path) -> None:
    rng = random.Random(3)
    good = parquet(TEXTS, compression="snappy")
    outcomes = []
    for _ in range(8):
        at = rng.randrange(4, len(good) - 8)
        spoilt = good[:at] + bytes([good[at] ^ 1 << rng.randrange(8)]) + good[at + 1 :]
        outcomes.append(outcome_of(tmp_path / "t.parquet", spoilt))
    assert all(outcome == 300 or str(outcome).startswith("t.parquet") for outcome in outcomes)


def test_columns_when_names_repeat_then_no_two_are_alike(tmp_path: Path) -> None:
    content = parquet({"text": ["a"], "texu": ["b"]}, skip_arrow_metadata=True).replace(b"texu", b"text")
    table = table_of(tmp_path / "t.parquet", content)
    assert table.columns == ("text", "text (2)")
    assert [row.cells for row in table.rows()] == [{"text": "a", "text (2)": "b"}]


def test_columns_when_there_are_too_many_then_a_message(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    write_parquet(Table.from_pydict({f"c{n}": Array([1], DataType.int8()) for n in range(1001)}), path)
    with pytest.raises(UserError, match="1,001 columns"):
        ParquetTable(InputFile.open(path))


def test_columns_when_the_file_is_large_then_only_its_end_is_read(tmp_path: Path) -> None:
    data = parquet({"id": ["1"], "text": ["up"]})
    footer = int.from_bytes(data[-8:-4], "little") + 8
    path = tmp_path / "t.parquet"
    with path.open("wb") as file:
        file.write(b"PAR1")
        file.seek(8 * 1024**3)
        file.write(data[-footer:])
    file = InputFile.open(path)
    assert parquet_columns(file) == ("id", "text")
    with pytest.raises(UserError, match="larger than 512 MiB"):
        ParquetTable(file)


def test_columns_when_asked_again_then_no_second_process_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.parquet").write_bytes(GOOD)
    file = InputFile.open(tmp_path / "t.parquet")
    assert parquet_columns(file) == ("text", "number")
    monkeypatch.setattr(BaseProcess, "start", lambda process: pytest.fail("a process was started"))
    assert parquet_columns(file) == ("text", "number")


def test_file_when_in_an_archive_then_read_in_place(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("data/t.parquet", GOOD)
    file = Archive(tmp_path / "a.zip").file("data/t.parquet")
    assert [row.cells["text"] for row in ParquetTable(file).rows()] == ["a", "b"]


def test_process_when_reading_stops_half_way_then_it_is_ended(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet({"n": list(range(200_000))}))
    with ParquetProcess(path, name="t") as process:
        process.columns()
        assert next(process.rows()).original == b'{"n":0}'
        child = process._process
    with pytest.raises(ValueError, match="closed"):
        child.is_alive()


def test_process_when_it_takes_too_long_then_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_process, "LONGEST_S", 0.0)
    with pytest.raises(UserError, match="takes more than"):
        table_of(tmp_path / "t.parquet", GOOD)


def test_process_when_it_cannot_be_started_then_raises_environment_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(process: BaseProcess) -> None:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(BaseProcess, "start", refuse)
    with pytest.raises(EnvironmentFailure, match="Cannot allocate memory"):
        table_of(tmp_path / "t.parquet", GOOD)
