"""Archives gone wrong or made to harm: they are refused in words, or what is in them is read."""

from __future__ import annotations

import io
import json
import shutil
import stat
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.errors import UserError
from annotator.importers import registry
from annotator.importers.imported_record import ImportedRecord
from annotator.importers.importer import FolderImporter
from annotator.importers.input_detection import READABLE, detect_inputs
from annotator.importers.input_folder import SMALL_BYTES, is_archive
from tests.unit.importers.fuzz_samples import SAMPLES
from tests.unit.importers.fuzzing import QUICK, THOROUGH, damaged, survives, survives_import

FOLDERS = {
    reader_id: samples[0]
    for reader_id, samples in SAMPLES.items()
    if isinstance(registry.get(reader_id), FolderImporter)
}
SINGLE = {
    f"{reader_id}/{name}": content.data
    for reader_id, samples in SAMPLES.items()
    for sample in samples
    for name, content in sample.files.items()
    if reader_id not in FOLDERS and Path(name).suffix in READABLE
}
HOSTILE_NAMES = (
    "../out.json", "/etc/passwd.json", "C:\\out.json", "a/../../out.json", "\\\\host\\share.json",
    "a\0b.json", "./a.json", "a//b.json", "\u202e.json", "x" * 3000 + ".json", "=1+1.csv", "a\nb.json",
    " .json", ".json",
)  # fmt: skip
LEADING_OUT = HOSTILE_NAMES[:5]
BOMB = bytes(SMALL_BYTES + 1)
CLAIMS = (0, 1, 0x7FFFFFFF, 0xFFFFFFFF)
_ENTRY_MARK = b"PK\x01\x02"
_SIZES_AT = 20
"""Where the packed size, and four bytes on the unpacked size, stand in an entry of the list of files.

Source: PKWARE's APPNOTE 6.3.10, section 4.3.12.
"""


def packed(files: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def claiming(archive: bytes, *, entry: int, at: int, size: int) -> bytes:
    """Return an archive of which one entry of the list of files claims another size."""
    index = -1
    for _ in range(entry + 1):
        found = archive.find(_ENTRY_MARK, index + 1)
        index = found if found >= 0 else index
    start = index + _SIZES_AT + at
    return archive[:start] + size.to_bytes(4, "little") + archive[start + 4 :]


@st.composite
def hostile_archives(draw: st.DrawFn, files: dict[str, bytes]) -> bytes:
    """Give archives of some files: with damaged contents, hostile names, lies about sizes, flipped bytes."""
    content = dict(files)
    for name in draw(st.lists(st.sampled_from(sorted(content)), max_size=2, unique=True)):
        content[name] = draw(damaged(content[name]))
    if draw(st.integers(0, 3)) == 0:
        content[draw(st.sampled_from(HOSTILE_NAMES))] = content.pop(draw(st.sampled_from(sorted(content))))
    method = draw(
        st.sampled_from([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    )
    data = packed(content, method=method)
    if draw(st.booleans()):
        lie = {"entry": draw(st.integers(0, len(content))), "at": draw(st.sampled_from([0, 4]))}
        data = claiming(data, **lie, size=draw(st.sampled_from(CLAIMS) | st.integers(0, 5000)))
    return draw(damaged(data)) if draw(st.booleans()) else data


@pytest.mark.parametrize("reader_id", sorted(FOLDERS))
def test_archive_when_whole_then_the_folder_in_it_is_read(tmp_path: Path, reader_id: str) -> None:
    sample = FOLDERS[reader_id]
    path = tmp_path / "set.zip"
    path.write_bytes(packed({name: content.data for name, content in sample.files.items()}))
    assert sum(isinstance(entry, ImportedRecord) for entry in survives(reader_id, path)) == sample.found
    assert sum(isinstance(entry, ImportedRecord) for entry in survives_import(path)) == sample.found


def test_archive_when_it_holds_files_of_many_formats_then_each_is_read(tmp_path: Path) -> None:
    (tmp_path / "set.zip").write_bytes(packed(SINGLE))
    found = {
        type(entry.record).__name__
        for entry in survives_import(tmp_path / "set.zip")
        if isinstance(entry, ImportedRecord)
    }
    assert found >= {"Item", "EventLabel", "Region", "Trajectory", "Medium"}


@pytest.mark.parametrize("reader_id", sorted(FOLDERS))
@pytest.mark.parametrize("name", LEADING_OUT)
def test_archive_when_a_name_leads_out_then_nothing_of_it_is_taken(
    tmp_path: Path, reader_id: str, name: str
) -> None:
    files = {name: content.data for name, content in FOLDERS[reader_id].files.items()}
    (tmp_path / "set.zip").write_bytes(packed({**files, name: b"[]"}))
    assert survives(reader_id, tmp_path / "set.zip") == []
    assert survives_import(tmp_path / "set.zip") == []


@pytest.mark.parametrize("reader_id", sorted(FOLDERS))
def test_archive_when_it_holds_a_bomb_or_a_link_then_nothing_of_it_is_taken(
    tmp_path: Path, reader_id: str
) -> None:
    files = {name: content.data for name, content in FOLDERS[reader_id].files.items()}
    (tmp_path / "bomb.zip").write_bytes(packed({**files, "zeros.json": BOMB}))
    assert survives(reader_id, tmp_path / "bomb.zip") == []
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        link = zipfile.ZipInfo("link.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    assert survives(reader_id, tmp_path / "link.zip") == []


def test_archive_when_it_lies_about_a_size_then_no_more_than_it_claims_is_unpacked(tmp_path: Path) -> None:
    # The bomb says that it is small: what it really is shows only while it is unpacked.
    data = claiming(packed({"zeros.json": BOMB}), entry=0, at=4, size=1000)
    (tmp_path / "set.zip").write_bytes(data)
    assert survives_import(tmp_path / "set.zip") == []


def test_archive_when_it_asks_for_a_newer_program_then_it_is_refused_in_words(tmp_path: Path) -> None:
    data = bytearray(packed({"a.json": b"[]"}))
    # The version that is needed to unpack, 7.3 where 6.3 is the newest that there is.
    data[data.find(_ENTRY_MARK) + 6] = 73
    (tmp_path / "set.zip").write_bytes(data)
    with pytest.raises(UserError, match=r"set\.zip is a damaged or unsupported archive"):
        detect_inputs(tmp_path / "set.zip")
    assert not is_archive(Path(shutil.copy(tmp_path / "set.zip", tmp_path / "set.json")))


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archive_when_packed_data_are_damaged_then_it_is_refused_in_words(
    tmp_path: Path, method: int
) -> None:
    text = json.dumps([{"GT": str(n), "conversations": []} for n in range(400)]).encode()
    data = bytearray(packed({"a.json": text}, method=method))
    data[60:90] = bytes(30)
    (tmp_path / "set.zip").write_bytes(data)
    with pytest.raises(UserError, match=r"set\.zip is a damaged or unsupported archive"):
        detect_inputs(tmp_path / "set.zip")


@pytest.mark.parametrize("reader_id", sorted(FOLDERS))
@QUICK
@given(data=st.data())
def test_folder_archive_when_damaged_then_it_ends_in_records_or_words(
    tmp_path: Path, reader_id: str, data: st.DataObject
) -> None:
    check_folder(tmp_path, reader_id, data)


@QUICK
@given(data=st.data())
def test_archive_of_files_when_damaged_then_it_ends_in_records_or_words(
    tmp_path: Path, data: st.DataObject
) -> None:
    check_files(tmp_path, data)


@pytest.mark.slow
@pytest.mark.parametrize("reader_id", sorted(FOLDERS))
@THOROUGH
@given(data=st.data())
def test_folder_archive_when_damaged_ten_thousand_times_then_no_bug_shows(
    tmp_path: Path, reader_id: str, data: st.DataObject
) -> None:
    check_folder(tmp_path, reader_id, data)


@pytest.mark.slow
@THOROUGH
@given(data=st.data())
def test_archive_of_files_when_damaged_ten_thousand_times_then_no_bug_shows(
    tmp_path: Path, data: st.DataObject
) -> None:
    check_files(tmp_path, data)


def check_folder(folder: Path, reader_id: str, data: st.DataObject) -> None:
    files = {name: content.data for name, content in FOLDERS[reader_id].files.items()}
    path = folder / "set.zip"
    path.write_bytes(data.draw(hostile_archives(files)))
    survives(reader_id, path)


def check_files(folder: Path, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(SINGLE)), min_size=1, max_size=3, unique=True))
    path = folder / "set.zip"
    path.write_bytes(data.draw(hostile_archives({name: SINGLE[name] for name in names})))
    survives_import(path)
