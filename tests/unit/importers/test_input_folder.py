from __future__ import annotations

import os
import shutil
import stat
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotator.errors import EnvironmentFailure, UserError
from annotator.importers import input_folder
from annotator.importers.input_folder import Archive, Directory, InputFolder, is_archive

FILES = {"labels/b.json": b"[2]", "labels/a.json": b"[1]", "notes.txt": "zwei Häuser".encode()}
Make = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        path = tmp_path / "set" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "set"


def packed(path: Path, entries: dict[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, content in entries.items():
            archive.writestr(entry, content)
    return path


@pytest.fixture(params=["directory", "archive"])
def source(request: pytest.FixtureRequest, folder: Path, tmp_path: Path) -> InputFolder:
    if request.param == "directory":
        return InputFolder.open(folder)
    return InputFolder.open(packed(tmp_path / "set.zip", FILES))


def test_folder_when_opened_then_its_files_have_sorted_names_and_sizes(source: InputFolder) -> None:
    assert isinstance(source, Directory | Archive)
    assert source.stem == "set"
    assert source.names == ("labels/a.json", "labels/b.json", "notes.txt")
    assert source.sizes["labels/b.json"] == 3
    assert source.size_bytes == sum(map(len, FILES.values()))
    assert source.under("labels/") == ("labels/a.json", "labels/b.json")
    assert source.has("notes.txt")
    assert not source.has("labels")


def test_file_when_it_is_there_then_is_read_like_any_other(source: InputFolder) -> None:
    file = source.file("notes.txt")
    assert (file.name, file.text, file.head, file.size_bytes) == (
        "notes.txt", "zwei Häuser", "zwei Häuser", len(FILES["notes.txt"]),
    )  # fmt: skip


def test_file_when_it_is_not_there_then_says_so(source: InputFolder) -> None:
    with pytest.raises(UserError, match=r"no file \.\./secret"):
        source.file("../secret")


def test_sha256_when_a_file_was_read_then_its_content_counts(source: InputFolder) -> None:
    unread = source.sha256
    source.file("notes.txt")
    assert source.sha256 != unread


def test_file_when_opened_then_its_whole_content_is_not_read_for_a_digest(
    source: InputFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the digest is wanted by nobody yet")

    monkeypatch.setattr(input_folder.hashlib, "sha256", refuse)
    monkeypatch.setattr(input_folder.hashlib, "file_digest", refuse)
    assert source.file("notes.txt").head == "zwei Häuser"


def test_directory_when_a_link_leads_out_then_it_is_passed_over(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text("[]")
    (folder / "out.json").symlink_to(tmp_path / "secret.json")
    (folder / "in.json").symlink_to(folder / "notes.txt")
    names = InputFolder.open(folder).names
    assert "in.json" in names
    assert "out.json" not in names


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_directory_when_it_holds_a_pipe_then_it_is_passed_over(folder: Path) -> None:
    os.mkfifo(folder / "pipe.json")
    assert "pipe.json" not in InputFolder.open(folder).names


def test_folder_when_it_has_too_many_files_then_says_so(
    source: InputFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(input_folder, "MOST_FILES", 2)
    with pytest.raises(UserError, match="more than 2 files"):
        _ = source.names


@pytest.mark.parametrize(
    "name", ["../out.json", "/etc/out.json", "a/../../out.json", "C:\\out.json", "..\\out.json", "\\out.json"]
)
def test_archive_when_a_name_leads_out_then_is_refused_whole(tmp_path: Path, name: str) -> None:
    path = packed(tmp_path / "a.zip", {"good.json": b"[]", name: b"[]"})
    with pytest.raises(UserError, match="is outside"):
        _ = InputFolder.open(path).names


def test_archive_when_it_holds_a_link_then_is_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.json")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(UserError, match="is a link"):
        _ = InputFolder.open(packed(tmp_path / "a.zip", {link: b"/etc/passwd"})).names


def test_archive_when_it_is_a_bomb_then_is_refused_unread(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"zeros.json": bytes(input_folder.SMALL_BYTES + 1)})
    assert path.stat().st_size < 100_000
    with pytest.raises(UserError, match="would unpack to 200 times"):
        _ = InputFolder.open(path).names


def test_archive_when_two_files_have_one_name_then_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.json", b"[]")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.json", b"[1]")
    with pytest.raises(UserError, match="the same name"):
        _ = InputFolder.open(path).names


@pytest.mark.parametrize("cut", [4, 40, 120, -30])
def test_archive_when_it_is_cut_off_then_says_that_it_is_damaged(tmp_path: Path, cut: int) -> None:
    path = packed(tmp_path / "a.zip", FILES)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(UserError, match="damaged or unsupported archive"):
        _ = InputFolder.open(path).names


def test_archive_when_a_content_is_damaged_then_reading_it_says_so(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"a.json": b"[" + b"1, " * 2000 + b"1]"})
    data = bytearray(path.read_bytes())
    data[45:60] = bytes(15)
    path.write_bytes(data)
    folder = InputFolder.open(path)
    assert folder.names == ("a.json",)
    with pytest.raises(UserError, match="damaged or unsupported archive"):
        _ = folder.file("a.json").text


def test_is_archive_when_a_document_is_one_inside_then_says_no(tmp_path: Path) -> None:
    assert is_archive(packed(tmp_path / "a.bin", FILES))
    assert not is_archive(packed(tmp_path / "a.xlsx", {"[Content_Types].xml": b"<Types/>"}))
    (tmp_path / "a.json").write_text("PK")
    assert not is_archive(tmp_path / "a.json")
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 and nothing more")
    assert is_archive(tmp_path / "broken.zip")


def test_folder_when_one_below_it_cannot_be_read_then_it_is_not_taken_for_empty(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan = os.scandir

    def refuse(path: str | Path) -> object:
        if Path(path).name == "labels":
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    with monkeypatch.context() as refusing:
        refusing.setattr(os, "scandir", refuse)
        with pytest.raises(EnvironmentFailure, match="Permission denied"):
            _ = InputFolder.open(folder).names


def test_folder_when_a_link_has_lost_its_target_then_the_files_are_there_all_the_same(folder: Path) -> None:
    (folder / "labels" / "c.json").symlink_to(folder / "labels" / "gone.json")
    assert InputFolder.open(folder).names == tuple(sorted(FILES))


def test_end_when_read_then_the_last_bytes_of_a_file_wherever_it_lies(source: InputFolder) -> None:
    assert source.file("notes.txt").read_end(4) == b"user"
    assert source.file("notes.txt").read_end(1000) == FILES["notes.txt"]


@pytest.mark.parametrize("vanishing", ["labels/a.json", "labels"])
def test_directory_when_something_vanishes_while_it_is_walked_then_the_rest_is_listed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, vanishing: str
) -> None:
    walk = os.walk

    def delete_and_walk(*args: object, **named: object) -> Iterator[tuple[str, list[str], list[str]]]:
        for location, folders, files in walk(*args, **named):
            # Its name is read by now, and itself not yet looked at.
            if Path(location) == (folder / vanishing).parent:
                _delete(folder / vanishing)
            yield location, folders, files

    monkeypatch.setattr(input_folder.os, "walk", delete_and_walk)
    assert InputFolder.open(folder).names == tuple(
        name for name in sorted(FILES) if not name.startswith(vanishing)
    )


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def test_directory_when_it_vanishes_itself_then_says_so(folder: Path) -> None:
    opened = InputFolder.open(folder)
    shutil.rmtree(folder)
    with pytest.raises(EnvironmentFailure, match="cannot be read"):
        assert opened.names


def test_find_file_when_it_was_deleted_since_then_is_none(folder: Path) -> None:
    opened = InputFolder.open(folder)
    assert opened.names
    (folder / "notes.txt").unlink()
    assert opened.find_file("notes.txt") is None
    assert opened.find_file("labels/a.json") is not None


def test_find_file_when_the_disk_refuses_then_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = InputFolder.open(folder)

    def refuse(*_: object) -> None:
        raise EnvironmentFailure("notes.txt cannot be read: Input/output error.")

    monkeypatch.setattr(Directory, "_file", refuse)
    with pytest.raises(EnvironmentFailure, match="Input/output"):
        opened.find_file("notes.txt")
