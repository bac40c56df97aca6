from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from annotator.errors import HostError, UserError
from annotator.sources import parquet_trial
from annotator.sources.input_file import InputFile
from annotator.sources.parquet_rows import ParquetTable
from annotator.sources.parquet_trial import try_decoding
from tests.unit.sources.workbooks import parquet

GOOD = parquet({"text": ["a", "b"], "number": [1, None]})


def deadly() -> bytes:
    """Return a file whose column has a NUL in its name, on which the decoder ends its process."""
    assert GOOD.count(b"number") >= 2
    return GOOD.replace(b"number", b"num\0er")


def test_file_when_whole_then_nothing_is_said() -> None:
    try_decoding(GOOD, batch_rows=1, name="t")


def test_file_when_the_decoder_dies_of_it_then_words_and_this_process_lives(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be decoded"):
        try_decoding(deadly(), batch_rows=1, name="t")
    (tmp_path / "t.parquet").write_bytes(deadly())
    with pytest.raises(UserError, match=r"t\.parquet is damaged"):
        list(ParquetTable(InputFile.open(tmp_path / "t.parquet")).rows())


def test_trial_when_it_takes_too_long_or_cannot_start_then_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_trial, "LONGEST_S", 0.0001)
    with pytest.raises(UserError, match="to decode"):
        try_decoding(GOOD, batch_rows=1, name="t")
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(HostError, match="cannot be decoded"):
        try_decoding(GOOD, batch_rows=1, name="t")


def test_trial_when_memory_is_limited_already_then_the_lower_limit_holds() -> None:
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30));"
        "from annotator.sources.parquet_trial import try_decoding;"
        "try_decoding(sys.stdin.buffer.read(), batch_rows=1, name='t')"
    )
    done = subprocess.run([sys.executable, "-c", script], input=GOOD, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
