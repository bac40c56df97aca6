from __future__ import annotations

import errno
import hashlib
import os
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from annotator.commands.imports import ImportFiles
from annotator.commands.media import RegisterMedia
from annotator.commands.releases import CreateRelease
from annotator.domain.actor import Actor
from annotator.domain.release import Release
from annotator.domain.signature import TrustedKey, make_private_key, public_key, sign
from annotator.errors import Cancelled, EnvironmentFailure
from annotator.progress import Progress
from annotator.queries.media_survey import survey_media
from annotator.release.manifest import MANIFEST, canary_of, read_manifest, release_digest
from annotator.release.release_signature import sign_release
from annotator.session import Session
from annotator.store.schema import EVENT_GUARDS
from annotator.verification import VerifyReport, verify_everything, verify_release_alone
from tests.unit.store.making import ANNA, a_medium, changed, created, events, spatialuav_file, write


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        session.media_root.mkdir()
        for shade, name in enumerate(("a.png", "b.png")):
            cv2.imwrite(str(session.media_root / name), np.full((4, 6, 3), shade, np.uint8))
        write(session, *(created("medium", a_medium(name=name)) for name in ("a.png", "b.png", "c.png")))
        survey = survey_media(session.reader, root=session.media_root, progress=Progress())
        session.execute(RegisterMedia(survey=survey)).result()
        yield session


def _verify(session: Session, *, release: Path | None = None) -> VerifyReport:
    return verify_everything(session, release=release, progress=Progress())


def test_verify_when_media_are_as_they_were_entered_then_finds_nothing_and_names_the_absent(
    session: Session,
) -> None:
    report = _verify(session)
    assert report.problems == ()
    assert report.media_checked == 2
    assert report.media_missing == ("c.png",)
    assert report.events == len(events(session.path))


def test_verify_when_a_medium_was_changed_then_names_it(session: Session) -> None:
    (session.media_root / "b.png").write_bytes(b"another picture")
    report = _verify(session)
    (problem,) = report.problems
    assert (problem.kind, problem.where) == ("media_changed", "b.png")
    assert "has changed since" in problem.message
    assert report.media_checked == 2


def test_verify_when_a_medium_was_deleted_then_it_is_absent_and_no_problem(session: Session) -> None:
    (session.media_root / "b.png").unlink()
    report = _verify(session)
    assert report.problems == ()
    assert (report.media_checked, report.media_missing) == (1, ("b.png", "c.png"))


def test_verify_when_a_medium_was_moved_then_is_found_by_its_content(session: Session) -> None:
    (session.media_root / "b.png").rename(session.media_root / "other.png")
    report = _verify(session)
    assert (report.problems, report.media_checked) == ((), 2)


def test_verify_when_the_log_was_altered_then_tells_of_it_beside_the_media(session: Session) -> None:
    session._connection.execute("DROP TRIGGER event_is_never_updated")
    session._connection.execute("UPDATE event SET wall_time='' WHERE n=2")
    session._connection.execute(EVENT_GUARDS[0])
    (session.media_root / "a.png").write_bytes(b"another picture")
    assert [problem.kind for problem in _verify(session).problems] == ["hash", "media_changed"]


def test_verify_when_cancelled_then_stops(session: Session) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        verify_everything(session, release=None, progress=progress)


@pytest.fixture
def release(session: Session, tmp_path: Path) -> Path:
    file = spatialuav_file(tmp_path, name="few", rows=3)
    session.execute(ImportFiles(paths=(file,))).result()
    folder = tmp_path / "out"
    session.execute(CreateRelease(out=folder, export_format="spatialuav")).result()
    return folder


def test_verify_when_a_release_is_as_it_was_written_then_finds_nothing(
    session: Session, release: Path
) -> None:
    assert _verify(session, release=release).problems == ()


def test_verify_when_a_released_file_was_changed_then_names_it(session: Session, release: Path) -> None:
    (file,) = release.glob("*.jsonl")
    file.write_bytes(file.read_bytes().replace(b"Region 3", b"Region 4"))
    (problem,) = _verify(session, release=release).problems
    assert (problem.kind, problem.where) == ("release_changed", file.name)


def test_verify_when_a_release_was_forged_as_a_whole_then_the_project_knows_it_was_not_it(
    session: Session, release: Path
) -> None:
    (file,) = release.glob("*.jsonl")
    file.write_bytes(file.read_bytes().replace(b"Region 3", b"Region 4"))
    manifest = read_manifest(release)
    entries = tuple(
        msgspec.structs.replace(one, sha256=hashlib.sha256((release / one.name).read_bytes()).hexdigest())
        for one in manifest.files
    )
    sha256 = release_digest(entries)
    forged = msgspec.structs.replace(manifest, files=entries, sha256=sha256, canary=canary_of(sha256))
    (release / MANIFEST).write_bytes(forged.to_bytes())
    alone = verify_release_alone(release, progress=Progress())
    assert alone.problems == ()
    assert "Not verified: who made the release" in alone.notes[1]
    (problem,) = _verify(session, release=release).problems
    assert problem.kind == "release_unknown"


def test_verify_when_a_manifest_was_sealed_anew_then_differs_from_the_projects_entry(
    session: Session, release: Path
) -> None:
    manifest = read_manifest(release)
    forged = msgspec.structs.replace(manifest, counts={"state": {"accepted": 9_000}})
    (release / MANIFEST).write_bytes(forged.to_bytes())
    assert verify_release_alone(release, progress=Progress()).problems == ()
    (problem,) = _verify(session, release=release).problems
    assert (problem.kind, problem.where) == ("release_changed", MANIFEST)


def _signed(release: Path, *, name: str = "Ann") -> TrustedKey:
    private, actor = make_private_key(), Actor(id="a" * 32, name=name)
    sign_release(release, actor=actor, sign=partial(sign, actor=actor.id, private_key=private))
    return TrustedKey(actor=actor.id, name=name, key=public_key(private))


def test_sign_when_the_disk_is_full_then_the_signature_before_stays(
    release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    trusted = _signed(release)
    before = sorted(path.name for path in release.iterdir())
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(EnvironmentFailure, match="No space left"):
        _signed(release, name="Bob")
    known = verify_release_alone(release, progress=Progress(), trusted=(trusted,))
    assert known.notes[-1] == "Verified: the release is signed by Ann."
    assert sorted(path.name for path in release.iterdir()) == before


def test_verify_when_a_release_is_signed_then_says_by_whom_to_those_who_trust_the_key(
    session: Session, release: Path
) -> None:
    trusted = _signed(release)
    known = verify_release_alone(release, progress=Progress(), trusted=(trusted,))
    assert (known.problems, known.notes[-1]) == ((), "Verified: the release is signed by Ann.")
    unknown = verify_release_alone(release, progress=Progress())
    assert unknown.problems == ()
    assert "which says that it is of Ann. Nobody here has confirmed it" in unknown.notes[-1]
    assert _verify(session, release=release).problems == ()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize("name", ["manifest.json", "signature.json"])
def test_verify_when_a_file_of_a_signed_release_is_a_pipe_then_ends_with_the_problem(
    release: Path, name: str
) -> None:
    _signed(release)
    (release / name).unlink()
    os.mkfifo(release / name)
    found = verify_release_alone(release, progress=Progress()).problems
    assert name in [problem.where for problem in found]


def test_verify_when_a_signed_release_is_forged_then_the_signature_finds_it(release: Path) -> None:
    trusted = _signed(release)
    forged = msgspec.structs.replace(read_manifest(release), counts={"state": {"accepted": 9_000}})
    (release / MANIFEST).write_bytes(forged.to_bytes())
    report = verify_release_alone(release, progress=Progress(), trusted=(trusted,))
    (problem,) = report.problems
    assert (problem.where, problem.message) == ("signature.json", "The signature does not fit the manifest.")
    assert not any("is signed by" in note for note in report.notes)
    # Signed anew, by somebody else in her name.
    _signed(release)
    (problem,) = verify_release_alone(release, progress=Progress(), trusted=(trusted,)).problems
    assert "signed in the name of Ann, with a key that is not trusted" in problem.message


def test_verify_when_a_file_of_a_signed_release_was_changed_then_nothing_is_said_to_be_proved(
    release: Path,
) -> None:
    trusted = _signed(release)
    (file,) = release.glob("*.jsonl")
    file.write_bytes(file.read_bytes().replace(b"Region 3", b"Region 4"))
    report = verify_release_alone(release, progress=Progress(), trusted=(trusted,))
    assert [problem.where for problem in report.problems] == [file.name]
    assert not any("is signed by" in note for note in report.notes)


def _downgrade(release: Path, **changed: object) -> None:
    """Write the manifest as an earlier version did, without a seal."""
    manifest = msgspec.structs.replace(read_manifest(release), format_version=2, **changed)
    members = msgspec.json.decode(manifest.to_bytes())
    del members["seal"]
    (release / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(members)))


def test_verify_when_a_manifest_has_no_seal_then_the_unprotected_members_are_named(release: Path) -> None:
    _downgrade(release, counts={"state": {"accepted": 9_000}})
    report = verify_release_alone(release, progress=Progress())
    assert report.problems == ()
    assert not any("agrees with its seal" in note for note in report.notes)
    assert (
        "counts, selection, include_flagged, withheld, pictures, gates, splits, subset in the manifest"
        in report.notes[0]
    )
    assert "format 2 have no seal" in report.notes[0]


def test_verify_when_a_sealed_release_has_a_manifest_of_an_earlier_format_then_is_a_problem(
    session: Session, release: Path
) -> None:
    _downgrade(release)
    (problem,) = _verify(session, release=release).problems
    assert (problem.kind, problem.where) == ("release_changed", MANIFEST)
    assert problem.message == "The manifest is of format 2, but the release was made with a seal."


def test_verify_when_the_project_made_the_release_without_a_seal_then_unprotected_members_are_named(
    session: Session, release: Path
) -> None:
    (entry,) = session.reader.records(Release)
    write(session, *changed("release", entry.id, manifest_sha256=""))
    _downgrade(release)
    report = _verify(session, release=release)
    assert report.problems == ()
    assert "Not verified: counts, selection, include_flagged, withheld, pictures" in report.notes[-1]


@pytest.mark.parametrize("count", [40, pytest.param(2_000, marks=pytest.mark.slow)])
def test_verify_when_one_byte_of_a_release_is_flipped_then_finds_it(release: Path, count: int) -> None:
    chance = random.Random(count)
    files = sorted(path for path in release.rglob("*") if path.is_file())
    for _ in range(count):
        file = chance.choice(files)
        before = file.read_bytes()
        content = bytearray(before)
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        file.write_bytes(content)
        assert verify_release_alone(release, progress=Progress()).problems, file.name
        file.write_bytes(before)
    assert verify_release_alone(release, progress=Progress()).problems == ()


def test_verify_when_the_folder_holds_no_release_then_says_so(session: Session, tmp_path: Path) -> None:
    (problem,) = _verify(session, release=tmp_path / "nowhere").problems
    assert problem.kind == "release_unreadable"


def test_report_when_printed_as_json_then_is_what_scripts_ask_for(session: Session) -> None:
    assert _verify(session).to_json() == {
        "ok": True,
        "events": len(events(session.path)),
        "problems": [],
        "media_checked": 2,
        "media_missing": ["c.png"],
        "notes": [],
    }
    (session.media_root / "a.png").write_bytes(b"another picture")
    report = _verify(session).to_json()
    assert report["ok"] is False
    (problem,) = report["problems"]
    assert (problem["kind"], problem["where"]) == ("media_changed", "a.png")
    assert problem["message"]
