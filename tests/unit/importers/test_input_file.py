from __future__ import annotations

from pathlib import Path

import pytest

from annotator.errors import EnvironmentFailure, UserError
from annotator.importers import input_file
from annotator.importers.input_file import InputFile, chinese_legacy_text, fault_of_text, printable


@pytest.mark.parametrize(
    "data",
    [
        "[1, “é”]".encode(),
        "[1, “é”]".encode("utf-8-sig"),
        "[1, “é”]".encode("utf-16"),
        b"\xfe\xff" + "[1, “é”]".encode("utf-16-be"),
    ],
)
def test_text_when_any_known_encoding_then_same_text(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(data)
    file = InputFile.open(path)
    assert file.text == file.head == "[1, “é”]"


def test_text_when_bytes_are_not_utf8_then_they_stay_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a\xffb")
    text = InputFile.open(tmp_path / "a").text
    assert text == "a\udcffb"
    assert fault_of_text(text) == "It is not UTF-8: byte 0xff."


def test_text_when_utf16_is_cut_inside_a_character_then_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("ab😀".encode("utf-16")[:-1])
    assert InputFile.open(tmp_path / "a").text.startswith("ab")


def test_text_when_larger_than_the_limit_then_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100)
    monkeypatch.setattr(input_file, "LARGEST_TEXT_BYTES", 99)
    with pytest.raises(UserError, match="too large to read in one piece"):
        _ = InputFile.open(tmp_path / "a").text


def test_head_when_file_is_long_then_only_its_beginning(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * (input_file.HEAD_BYTES + 10))
    assert len(InputFile.open(tmp_path / "a").head) == input_file.HEAD_BYTES


@pytest.mark.parametrize(
    ("name", "message"),
    [("absent", "does not exist"), ("folder", "is a folder"), ("a\0b", "does not exist")],
)
def test_open_when_it_is_no_file_then_refused_in_words(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserError, match=message):
        InputFile.open(tmp_path / name)


def test_reading_when_the_disk_refuses_then_host_error(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x")
    file = InputFile.open(path)
    path.unlink()
    for ask in (lambda: file.text, lambda: file.sha256, lambda: file.size_bytes):
        with pytest.raises(EnvironmentFailure, match="cannot be read"):
            ask()


def test_digest_and_size_when_asked_then_those_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    file = InputFile.open(tmp_path / "a")
    assert file.size_bytes == 3
    assert file.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def as_read(data: bytes) -> str:
    return InputFile.decoded(data)


def test_chinese_legacy_text_when_all_high_bytes_are_gb2312_then_decoded() -> None:
    for text in ("问题,答案\n", "无人机", "1,无人机在哪里？\n2,“左边”\n"):
        assert chinese_legacy_text(as_read(text.encode("gb2312"))) == text


@pytest.mark.parametrize("encoding", ["gbk", "gb18030"])
def test_chinese_legacy_text_when_rare_characters_are_among_common_ones_then_decoded(encoding: str) -> None:
    text = "题目ID,题目信息\n1,朱镕基广场上，无人机可以看到多少辆车和多少个行人？\n"
    assert chinese_legacy_text(as_read(text.encode(encoding))) == text
    # Four bytes a character, and far from all that GBK has.
    assert encoding == "gbk" or chinese_legacy_text(as_read(f"{text}㐀".encode(encoding))) == f"{text}㐀"


@pytest.mark.parametrize(
    "data",
    [
        "無人機在哪裡？請回答問題，這是一個測試".encode("big5"),
        "これはドローンの画像です".encode("shift-jis"),
        "Größe, Höhe, Fußgänger, über, schön".encode("latin-1"),
        b"plain",
        "问题".encode(),
        "can’t".encode("cp1252"),
        "café".encode("latin-1"),
        "问题, ".encode() + "问".encode("gb2312"),
        "é, é, ".encode() + "éé".encode("latin-1"),
        b"\xff\xff",
    ],
)
def test_chinese_legacy_text_when_not_certain_then_none(data: bytes) -> None:
    assert chinese_legacy_text(as_read(data)) is None


def test_printable_when_text_cannot_be_stored_then_spelt_out() -> None:
    assert printable("a\ud800\0é") == "a\\ud800\\x00é"


def test_fault_of_text_when_storable_then_none() -> None:
    assert fault_of_text("é原😀\n") == ""
    assert "NUL" in fault_of_text("a\0")
    assert "lone surrogate" in fault_of_text("a\ud9ff")
