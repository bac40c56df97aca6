from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.domain.query import ItemQuery
from annotator.domain.release import ReleasedFile
from annotator.errors import Cancelled, EnvironmentFailure
from annotator.media.content_hash import content_digest
from annotator.progress import Progress, ProgressUpdate
from annotator.release.manifest import (
    FIRST_SEALED,
    MANIFEST,
    Manifest,
    Withheld,
    read_manifest,
    release_digest,
    verify_release,
)


def _entry(name: str, content: bytes) -> ReleasedFile:
    return ReleasedFile(name=name, sha256=hashlib.sha256(content).hexdigest(), bytes=len(content), records=1)


def _manifest(*files: ReleasedFile, withheld: ReleasedFile | None = None) -> Manifest:
    return Manifest(
        export_format="native",
        sha256=release_digest(files),
        records=1,
        members_sha256="0" * 64,
        counts={"state": {"drafted": 1}},
        files=files,
        selection=ItemQuery(tasks=("a",)),
        include_flagged=False,
        withheld=Withheld(records=1 if withheld else 0, reasons={}, file=withheld),
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(b"alpha")
    (tmp_path / "withheld.jsonl").write_bytes(b"{}\n")
    manifest = _manifest(_entry("a.txt", b"alpha"), withheld=_entry("withheld.jsonl", b"{}\n"))
    (tmp_path / MANIFEST).write_bytes(manifest.to_bytes())
    return tmp_path


def _told(folder: Path) -> list[tuple[str, str]]:
    return [(problem.file, problem.kind) for problem in verify_release(folder)]


def test_release_digest_when_files_are_given_then_it_is_what_sha256sum_prints_of_its_own_output() -> None:
    files = (_entry("b", b"2"), _entry("a", b"1"))
    listing = f"{hashlib.sha256(b'1').hexdigest()}  a\n{hashlib.sha256(b'2').hexdigest()}  b\n"
    assert release_digest(files) == hashlib.sha256(listing.encode()).hexdigest()


def test_manifest_when_written_then_keys_are_sorted_and_it_reads_back(folder: Path) -> None:
    text = (folder / MANIFEST).read_text()
    told = json.loads(text)
    assert text == json.dumps(told, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    assert told["kind"] == "vantage-release"
    assert read_manifest(folder).to_bytes() == text.encode()


def test_verify_release_when_nothing_changed_then_it_finds_nothing(folder: Path) -> None:
    assert verify_release(folder) == []


def test_verify_release_when_a_file_was_changed_then_it_is_named(folder: Path) -> None:
    (folder / "a.txt").write_bytes(b"alphA")
    assert _told(folder) == [("a.txt", "changed")]


def test_verify_release_when_the_list_of_the_withheld_was_changed_then_it_is_named(folder: Path) -> None:
    (folder / "withheld.jsonl").write_bytes(b"")
    assert _told(folder) == [("withheld.jsonl", "changed")]
    assert "0 bytes, not 3" in verify_release(folder)[0].message


def test_verify_release_when_a_file_is_gone_or_new_then_both_are_named(folder: Path) -> None:
    (folder / "a.txt").rename(folder / "b.txt")
    assert _told(folder) == [("a.txt", "missing"), ("b.txt", "unexpected")]


def test_verify_release_when_file_and_its_hash_were_changed_then_the_digest_tells(folder: Path) -> None:
    (folder / "a.txt").write_bytes(b"beta")
    text = (folder / MANIFEST).read_text()
    (folder / MANIFEST).write_text(
        text.replace(hashlib.sha256(b"alpha").hexdigest(), hashlib.sha256(b"beta").hexdigest())
    )
    # The quoted digest, and the seal of the manifest.
    assert _told(folder) == [(MANIFEST, "changed")] * 2


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"records": 1,', '"records": 2,'),
        ('"include_flagged": false', '"include_flagged": true'),
        ('"drafted": 1', '"drafted": 7'),
        ("{", '{"note": "unknown",'),
        ('"seal": "', '"seal": "0'),
        ("  ", " "),
    ],
)
def test_verify_release_when_any_value_of_the_manifest_was_changed_then_its_seal_tells(
    folder: Path, before: str, after: str
) -> None:
    text = (folder / MANIFEST).read_text()
    assert before in text
    (folder / MANIFEST).write_text(text.replace(before, after, 1))
    assert (MANIFEST, "changed") in _told(folder)


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("position", [(), ("files", 0), ("selection",), ("withheld",), ("withheld", "file")])
def test_verify_release_when_any_part_of_the_manifest_has_an_unknown_member_then_says_so(
    folder: Path, position: tuple[str | int, ...], version: int
) -> None:
    stated = json.loads((folder / MANIFEST).read_text())
    stated["format_version"] = version
    if version == 1:
        stated["form"] = stated.pop("export_format")
    (folder / MANIFEST).write_text(_sealed(stated))
    assert verify_release(folder) == []
    part = stated
    for name in position:
        part = part[name]
    part["audited_by"] = "an institute"
    (folder / MANIFEST).write_text(_sealed(stated))
    assert _told(folder) == [(MANIFEST, "changed")]


def _sealed(stated: dict[str, Any]) -> str:
    """Return the text of a manifest, sealed as a forger would."""
    if stated["format_version"] < FIRST_SEALED:
        return json.dumps({name: value for name, value in stated.items() if name != "seal"})
    text = json.dumps({**stated, "seal": ""}, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    seal = hashlib.sha256(text.encode()).hexdigest()
    return json.dumps({**stated, "seal": seal}, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def test_verify_release_when_counts_are_not_those_of_the_files_then_says_so(folder: Path) -> None:
    manifest = read_manifest(folder)
    assert manifest.withheld.file is not None
    wrong = msgspec.structs.replace(manifest.withheld.file, records=9)
    withheld = msgspec.structs.replace(manifest.withheld, file=wrong)
    # Sealed anew, as a forger would.
    (folder / MANIFEST).write_bytes(msgspec.structs.replace(manifest, withheld=withheld).to_bytes())
    assert _told(folder) == [("withheld.jsonl", "changed"), (MANIFEST, "changed")]


@pytest.mark.parametrize("name", ["../a.txt", "/etc/passwd", "x\\..\\a", "..", ""])
def test_verify_release_when_the_manifest_leads_out_of_the_folder_then_it_is_not_followed(
    folder: Path, name: str
) -> None:
    (folder / MANIFEST).write_bytes(_manifest(_entry(name, b"alpha")).to_bytes())
    assert _told(folder) == [(MANIFEST, "unreadable")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_verify_release_when_the_manifest_is_a_pipe_then_it_is_not_read(folder: Path) -> None:
    (folder / MANIFEST).unlink()
    os.mkfifo(folder / MANIFEST)
    assert _told(folder) == [(MANIFEST, "unreadable")]


def test_read_manifest_when_it_is_of_version_1_then_its_form_is_the_export_format(folder: Path) -> None:
    path = folder / MANIFEST
    text = path.read_text(encoding="utf-8")
    former = re.sub(r'"seal": "[0-9a-f]*",\n  ', "", text).replace('"export_format":', '"form":')
    former = former.replace('"format_version": 3', '"format_version": 1')
    assert former.count('"form": "native"') == former.count('"format_version": 1') == 1
    path.write_text(former, encoding="utf-8")
    assert read_manifest(folder).export_format == "native"
    assert _told(folder) == []


@pytest.mark.parametrize("text", ["", "[]", '{"form": 1}', "\udcff"])
def test_verify_release_when_there_is_no_manifest_to_read_then_it_says_so(folder: Path, text: str) -> None:
    (folder / MANIFEST).write_bytes(text.encode(errors="surrogateescape"))
    assert _told(folder) == [(MANIFEST, "unreadable")]


def test_verify_release_when_the_folder_is_not_there_then_it_says_so(tmp_path: Path) -> None:
    assert _told(tmp_path / "nowhere") == [(MANIFEST, "unreadable")]


def test_verify_release_when_cancelled_then_it_stops_between_files(folder: Path) -> None:
    told: list[ProgressUpdate] = []
    progress = Progress(told.append)
    verify_release(folder, progress=progress)
    assert [(step.what, step.done, step.total) for step in told] == [
        (f"Verifying {folder.name}", 0, 2),
        (f"Verifying {folder.name}", 2, 2),
    ]
    progress.cancel()
    with pytest.raises(Cancelled):
        verify_release(folder, progress=progress)


def test_verify_release_when_the_disk_does_not_give_one_file_then_the_others_are_compared_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "withheld.jsonl").write_bytes(b"{1}")

    def give(path: Path, *, progress: Progress) -> str:
        if path.name == "a.txt":
            raise EnvironmentFailure("a.txt cannot be read: Input/output error.")
        return content_digest(path, progress=progress)

    monkeypatch.setattr("annotator.release.manifest.content_digest", give)
    assert _told(folder) == [("a.txt", "unreadable"), ("withheld.jsonl", "changed")]
