"""Parquet files that claim much, or become much: none is decoded before every page was looked at."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.errors import UserError
from annotator.sources import parquet_pages
from annotator.sources.input_file import InputFile
from annotator.sources.parquet_pages import footer_columns, look_over
from annotator.sources.parquet_rows import ParquetTable
from tests.unit.sources.workbooks import lists, parquet

TEXTS = {"id": list(range(300)), "text": [f"text number {n} of many" for n in range(300)]}


def varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def i32(step: int, number: int) -> bytes:
    """Return a field of a struct that holds a whole number."""
    return bytes([step << 4 | 5]) + varint(number << 1)


def crafted(
    page: bytes, *, claimed: int, codec: int = 0, rows: int = 1, values: int = 1, encoding: int = 0
) -> bytes:
    """Return a Parquet file with one column of texts, whose one page is made by hand."""
    data_header = i32(1, values) + i32(1, encoding) + i32(1, 3) + i32(1, 3) + b"\0"
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


@pytest.mark.parametrize("compression", ["uncompressed", "snappy", "gzip(6)", "zstd(3)", "lz4_raw"])
def test_file_when_packed_in_a_usual_way_then_every_row_is_read(tmp_path: Path, compression: str) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet(TEXTS, compression=compression))
    assert [row.cells["text"] for row in ParquetTable(InputFile.open(path)).rows()] == TEXTS["text"]


@pytest.mark.parametrize("compression", ["brotli(3)", "lz4"])
def test_file_when_packed_so_that_its_size_cannot_be_told_then_refused(compression: str) -> None:
    with pytest.raises(UserError, match="packed in a way that is not taken here"):
        look_over(parquet(TEXTS, compression=compression), name="t")


def test_file_when_made_by_hand_and_honest_then_read(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(crafted(ONE, claimed=len(ONE)))
    assert [row.cells for row in ParquetTable(InputFile.open(path)).rows()] == [{"text": "one"}]


def gzip_bomb() -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([packer.compress(bytes(1 << 20)) for _ in range(80)]) + packer.flush()


def zstd_bomb() -> bytes:
    """Return a frame of blocks that each repeat one byte two million times."""
    block = (0x1FFFFF << 3 | 1 << 1).to_bytes(3, "little") + b"a"
    return b"\x28\xb5\x2f\xfd\x00\x58" + block * 40 + (1).to_bytes(3, "little")


BOMBS = {
    "page claims gigabytes": crafted(ONE, claimed=2**31 - 1),
    "snappy claims gigabytes": crafted(varint(2**32 - 1) + b"\0", claimed=10, codec=1),
    "gzip becomes more than it claims": crafted(gzip_bomb(), claimed=10, codec=2),
    "zstd becomes more than it claims": crafted(zstd_bomb(), claimed=10, codec=6),
    "footer claims rows": crafted(ONE, claimed=len(ONE), rows=2**40),
    "page claims values": crafted(ONE, claimed=len(ONE), values=2**31 - 1),
    "delta encoding": crafted(ONE, claimed=len(ONE), encoding=7),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_file_when_it_would_fill_the_memory_then_refused_before_it_is_decoded(bomb: str) -> None:
    with pytest.raises(UserError, match="not read"):
        look_over(BOMBS[bomb], name="t")


def test_dictionary_when_it_is_large_then_batches_are_small_and_rows_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet({"text": ["x" * 50_000, "y"] * 200}))
    assert path.stat().st_size < 60_000, "the file is small, its rows are not"
    monkeypatch.setattr("annotator.sources.parquet_rows.BATCH_BYTES", 100_000)
    table = ParquetTable(InputFile.open(path))
    assert [len(batch) for batch in map(list, table._batches())] == [1] * 400
    assert [len(row.cells["text"]) for row in ParquetTable(InputFile.open(path)).rows()] == [50_000, 1] * 200


def test_lists_when_their_dictionary_could_fill_the_memory_then_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet({"list": lists([["a" * 1000, "b"] * 50] * 20)}))
    assert look_over(path.read_bytes(), name="t").rows == 20
    monkeypatch.setattr(parquet_pages, "LARGEST_LISTS_BYTES", 100_000)
    with pytest.raises(UserError, match="may hold lists"):
        look_over(path.read_bytes(), name="t")


def test_schema_of_the_writer_when_there_is_one_then_it_is_not_asked(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet({"text": ["a"]}))
    assert b"ARROW:schema" in path.read_bytes()
    table = ParquetTable(InputFile.open(path))
    assert b"ARROW:schema" not in table._data
    assert [row.cells for row in table.rows()] == [{"text": "a"}]


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda data: data[:8], "mark of Parquet"),
        (lambda data: data[:-8] + (2**31).to_bytes(4, "little") + b"PAR1", "footer is larger"),
        (
            lambda data: b"PAR1" + bytes([0x1C] * 400) + (400).to_bytes(4, "little") + b"PAR1",
            "nested too deeply",
        ),
        (lambda data: data[:4] + b"\xff" * 40 + data[44:], "damaged|not read"),
    ],
)
def test_file_when_damaged_then_words(tmp_path: Path, harm: Callable[[bytes], bytes], words: str) -> None:
    data = harm(parquet(TEXTS, compression="snappy"))
    with pytest.raises(UserError, match=words):
        look_over(data, name="t")
    (tmp_path / "t.parquet").write_bytes(data[:8])
    assert footer_columns(InputFile.open(tmp_path / "t.parquet")) == ()


def test_columns_when_the_file_is_large_then_only_its_end_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = parquet({"id": ["1"], "text": ["up"]})
    footer = int.from_bytes(data[-8:-4], "little") + 8
    path = tmp_path / "t.parquet"
    with path.open("wb") as file:
        file.write(b"PAR1")
        file.seek(4 * 1024**3)
        file.write(data[-footer:])
    read = InputFile.read_bytes
    wanted: list[int] = []

    def noted(file: InputFile, limit: int = -1) -> bytes:
        wanted.append(limit)
        return read(file, 4 if limit < 0 else limit)

    monkeypatch.setattr(InputFile, "read_bytes", noted)
    assert footer_columns(InputFile.open(path)) == ("id", "text")
    assert -1 not in wanted


def test_columns_when_the_footer_claims_to_be_huge_then_none(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1" + (2**31).to_bytes(4, "little") + b"PAR1")
    assert footer_columns(InputFile.open(path)) == ()


def test_page_when_only_its_content_is_damaged_then_rows_or_words_and_no_panic(tmp_path: Path) -> None:
    rng, path = random.Random(3), tmp_path / "t.parquet"
    good = parquet(TEXTS, compression="snappy")
    outcomes = set()
    for _ in range(150):
        at = rng.randrange(4, len(good) - 8)
        path.write_bytes(good[:at] + bytes([good[at] ^ rng.randrange(1, 256)]) + good[at + 1 :])
        try:
            outcomes.add(len(list(ParquetTable(InputFile.open(path)).rows())) == 300)
        except UserError as error:
            outcomes.add(str(error).startswith("t.parquet"))
    assert outcomes >= {True}
    assert False not in outcomes
