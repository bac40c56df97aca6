"""Every format, damaged in every way: a reader ends with records or words, never with a bug."""

from __future__ import annotations

import json
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.importers import registry
from annotator.importers.imported_record import ImportedRecord, ImportIssue
from annotator.importers.importer import FolderImporter
from tests.unit.importers.fuzz_samples import GROUPS, RELEASE, SAMPLES, Content, Sample
from tests.unit.importers.fuzzing import QUICK, THOROUGH, damaged, odd_json, survives, survives_import
from tests.unit.importers.reading import Read

READERS = list(registry.IMPORTERS)
ODD_NAMES = (
    "a\\x.json",
    "sub/\udcff.json",
    "\u202e.txt",
    "a\nb.json",
    "=1+1.json",
    "x" * 200 + ".json",
    " .txt",
)
"""Names that a folder on disk can have."""


def written(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def read(reader_id: str, folder: Path, sample: Sample) -> list[ImportedRecord | ImportIssue]:
    """Read a sample that stands in a folder."""
    if isinstance(registry.get(reader_id), FolderImporter):
        return survives(reader_id, folder)
    (name,) = sample.files
    return survives(reader_id, folder / name)


def test_samples_when_readers_are_listed_then_each_reader_has_some() -> None:
    assert sorted(SAMPLES) == READERS
    assert all(SAMPLES.values())


@pytest.mark.parametrize("reader_id", READERS)
def test_samples_when_whole_then_every_record_is_found(tmp_path: Path, reader_id: str) -> None:
    for number, sample in enumerate(SAMPLES[reader_id]):
        folder = tmp_path / str(number)
        written(folder, {name: content.data for name, content in sample.files.items()})
        entries = read(reader_id, folder, sample)
        found = sum(isinstance(entry, ImportedRecord) for entry in entries)
        assert (found, len(entries) - found) == (sample.found, sample.rejected)


@pytest.mark.parametrize("reader_id", READERS)
@QUICK
@given(data=st.data())
def test_sample_when_damaged_then_it_ends_in_records_or_words(
    tmp_path: Path, reader_id: str, data: st.DataObject
) -> None:
    check(tmp_path, reader_id, data)


@pytest.mark.slow
@pytest.mark.parametrize("reader_id", READERS)
@THOROUGH
@given(data=st.data())
def test_sample_when_damaged_ten_thousand_times_then_no_bug_shows(
    tmp_path: Path, reader_id: str, data: st.DataObject
) -> None:
    check(tmp_path, reader_id, data)


def test_group_when_a_key_is_no_text_then_it_is_told_and_the_questions_are_taken(read: Read) -> None:
    odd = json.dumps(GROUPS).encode().replace(b'"sequence_frame"', b'"\xf3equence_frame"')
    outcome = read(odd, format_id="aircop-questions")
    assert [entry.message for entry in outcome.rejected][:1] == ["It is not UTF-8: byte 0xf3."]
    assert len(outcome.found) == 1


def test_group_when_a_key_is_spelt_with_escapes_then_it_is_read(read: Read) -> None:
    group = {**GROUPS["results"][0], "场景": "town"}
    outcome = read(json.dumps({**GROUPS, "results": [group]}), format_id="aircop-questions")
    assert outcome.found[0].record.extras["group"]["场景"] == "town"


@pytest.mark.parametrize("reader_id", ["aircop-review", "urbanvideo", "table", "vlmevalkit"])
def test_table_when_it_holds_half_a_character_in_utf16_then_it_ends_in_records_or_words(
    tmp_path: Path, reader_id: str
) -> None:
    table = next(s for s in SAMPLES[reader_id] if next(iter(s.files)).endswith((".csv", ".tsv")))
    (content,) = table.files.values()
    lines = content.data.decode().splitlines(keepends=True)
    text = "".join([lines[0], "\udd31,\udd31\n", *lines[1:]])
    (tmp_path / "file").write_bytes(text.encode("utf-16", errors="surrogatepass"))
    assert any(isinstance(entry, ImportIssue) for entry in survives(reader_id, tmp_path / "file"))


def test_lines_when_their_file_lies_in_an_archive_then_native_records_are_read(tmp_path: Path) -> None:
    (sample,) = SAMPLES["native"]
    with zipfile.ZipFile(tmp_path / "release.zip", "w") as archive:
        archive.writestr("data/release.jsonl", sample.files["release.jsonl"].data)
    found = [
        entry.record.id
        for entry in survives_import(tmp_path / "release.zip")
        if isinstance(entry, ImportedRecord)
    ]
    assert found == [line["record"]["id"] for line in RELEASE]


def check(folder: Path, reader_id: str, data: st.DataObject) -> None:
    sample = data.draw(st.sampled_from(SAMPLES[reader_id]))
    is_folder = isinstance(registry.get(reader_id), FolderImporter)
    files = {name: content.data for name, content in sample.files.items()}
    for name in data.draw(st.lists(st.sampled_from(sorted(files)), min_size=1, max_size=2, unique=True)):
        files[name] = data.draw(damage_of(sample.files[name]))
    if is_folder and data.draw(st.integers(0, 9)) == 0:
        moved = data.draw(st.sampled_from(sorted(files)))
        files[data.draw(st.sampled_from(ODD_NAMES))] = files.pop(moved)
    with tempfile.TemporaryDirectory(dir=folder) as location:
        written(Path(location), files)
        read(reader_id, Path(location), sample)


def damage_of(content: Content) -> st.SearchStrategy[bytes]:
    kinds = [damaged(content.data)] * 2
    if content.value is not None:
        kinds += [odd_json(content.value)] * 2
    if content.is_text:
        kinds.append(damaged(content.data.decode().encode("utf-16")))
    return st.one_of(kinds)
