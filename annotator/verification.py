"""Proves a whole project: its file, and its media against the hashes that were entered."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from annotator.domain.release import Release
from annotator.domain.signature import TrustedKey
from annotator.errors import Cancelled, VantageError
from annotator.progress import Progress
from annotator.queries.media_survey import survey_media
from annotator.release.keys_folder import (
    hidden_of,
    is_keys_folder,
    keys_folder_of,
    read_keys_manifest,
    verify_keys,
)
from annotator.release.manifest import MANIFEST, Manifest, ReleaseProblem, read_manifest, verify_release
from annotator.release.release_signature import signature_note, signature_problems
from annotator.release.released_splits import HiddenKeys
from annotator.release_verification import IS_OTHER, KEYS_HIDDEN, compare_with_log, hides_keys
from annotator.store.health import inspect_project
from annotator.store.project_file import is_older
from annotator.store.verification import Problem, is_work_sealed, unfinished_entry, work_sealed_since
from annotator.store.verification_process import verify_in_processes

if TYPE_CHECKING:
    from annotator.session import Session


IS_AS_WRITTEN = (
    "Verified: the files are those of the manifest, and the manifest agrees with its seal. Anybody can "
    "compute a seal: only the project or a signature proves who made the release."
)
IS_NOT_PROVED = (
    "Not verified: who made the release. Whoever changes the files can write a new manifest. Compare the "
    "digest (sha256) with the one that was published, or verify the release with its project."
)


IS_OLDER = (
    "The project is of an older version. Pages, hash chain and log were verified; its tables are made anew "
    "from the log when it is opened for writing. Its media were not checked."
)
IS_UNFINISHED = (
    "Not verified: the records of an import, undo or redo that is not finished, and with them the search "
    "indexes and the newest values of fields. Verify again when it has finished."
)
IS_CUT_OFF = (
    "Not verified: the records of an import, undo or redo that was cut off, and with them the search indexes "
    "and the newest values of fields. They are not part of the project: opening it for writing deletes them."
)
IS_UNSEALED = (
    "Not verified: model work. The project has no seals of it, as all projects of versions before 10; it is "
    "sealed as it is found when the project is opened for writing."
)
IS_UNOPENED = "The project cannot be opened, so its media were not checked."


RECORDED = frozenset({"export_format", "records", "members_sha256"})
"""Members of a manifest that are compared with the project's entry of the release."""


@dataclass(frozen=True, kw_only=True)
class VerifyReport:
    """What a verification found.

    Attributes:
        events: Events of the log, all checked.
        problems: What is not as it should be.
        media_checked: Media whose file was read and hashed.
        media_missing: Names of media without a file here; absent media are allowed.
        notes: What the verification cannot prove, in sentences.
    """

    events: int
    problems: tuple[Problem, ...]
    media_checked: int
    media_missing: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the report as the object that ``verify --json`` prints."""
        return {
            "ok": not self.problems,
            "events": self.events,
            "problems": [{"kind": p.kind, "where": p.where, "message": p.message} for p in self.problems],
            "media_checked": self.media_checked,
            "media_missing": list(self.media_missing),
            "notes": list(self.notes),
        }


def verify_everything(
    session: Session,
    *,
    release: Path | None,
    keys: Path | None = None,
    progress: Progress,
    trusted: Sequence[TrustedKey] = (),
) -> VerifyReport:
    """Check a project's file and media, and a release folder where one is given.

    Args:
        session: The open project; it is only read.
        release: Folder of a release, None for none.
        keys: Folder of its hidden answer keys, None for the one beside the release if there is one.
        progress: Told of events, media and files of the release.
        trusted: Keys that prove who made a release.

    Raises:
        EnvironmentFailure: A file cannot be read; of the release it is a problem like others.
        UserError: It is no project.
        Cancelled: The user stopped it.
    """
    # The file first: what a damaged one says about its media is worth nothing.
    problems = list(verify_in_processes(session.path, progress=progress))
    notes = list(_notes(session.path))
    if release:
        problems += _release_problems(release, progress, keys=keys, trusted=trusted)
        problems += _record_problems(session, release)
        notes += _release_notes(release, problems, trusted, keys=keys)
    checked, events, missing = 0, 0, tuple[str, ...]()
    try:
        if release:
            notes += _compare_with_log(session, release, problems, keys=keys, progress=progress)
        events = session.reader.log.event_total()
        survey = survey_media(session.reader, root=session.roots, progress=progress)
        problems += [_changed(entry.name) for entry in survey.of("changed")]
        # Told and no problem: media may lie on the disk of another workstation.
        missing = tuple(entry.name for entry in survey.of("missing"))
        checked = len(survey.of("found")) + len(survey.of("changed"))
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001 - what was found so far must not be lost
        problems.append(_incomplete(error))
    return VerifyReport(
        events=events,
        problems=tuple(problems),
        media_checked=checked,
        media_missing=missing,
        notes=tuple(notes),
    )


def verify_unopened(project: Path, *, progress: Progress) -> VerifyReport:
    """Check the file of a project that cannot be opened; its media are not checked.

    Raises:
        EnvironmentFailure: A file cannot be read.
        UserError: It is no project.
        Cancelled: The user stopped it.
    """
    problems = tuple(verify_in_processes(project, progress=progress))
    is_whole = not problems and is_older(project)
    notes = (IS_OLDER if is_whole else IS_UNOPENED, *_notes(project))
    events = inspect_project(project).events if is_whole else 0
    return VerifyReport(events=events, problems=problems, media_checked=0, media_missing=(), notes=notes)


def verify_release_alone(
    folder: Path, *, keys: Path | None = None, progress: Progress, trusted: Sequence[TrustedKey] = ()
) -> VerifyReport:
    """Check a release folder without its project, and say what that proves.

    Args:
        folder: The release, or a folder of hidden answer keys.
        keys: Folder of its hidden answer keys, None for the one beside the release if there is one.
        progress: One step per file.
        trusted: Keys that prove who made a release.
    """
    if is_keys_folder(folder):
        return _verify_keys_alone(folder, progress=progress)
    problems = tuple(_release_problems(folder, progress, keys=keys, trusted=trusted))
    unsealed = tuple(_seal_notes(folder))
    verified = () if problems else unsealed or (IS_AS_WRITTEN,)
    signed = "" if problems else signature_note(folder, trusted=trusted)
    proved = () if problems else tuple(_keys_notes(folder, keys))
    notes = (*verified, *proved, signed or IS_NOT_PROVED)
    return VerifyReport(events=0, problems=problems, media_checked=0, media_missing=(), notes=notes)


def _verify_keys_alone(folder: Path, *, progress: Progress) -> VerifyReport:
    problems = tuple(map(_problem_of, verify_keys(folder, progress=progress)))
    notes = []
    if not problems:
        sha256 = read_keys_manifest(folder).release_sha256
        notes.append(f"Verified: the answer keys are those that were written with the release {sha256}.")
    return VerifyReport(events=0, problems=problems, media_checked=0, media_missing=(), notes=tuple(notes))


def _notes(project: Path) -> Iterator[str]:
    if entry := unfinished_entry(project):
        yield IS_UNFINISHED if entry == "running" else IS_CUT_OFF
    if not is_work_sealed(project):
        yield IS_UNSEALED
    if since := work_sealed_since(project):
        yield (
            f"Model work was not sealed before {since}, when the project was upgraded: "
            "what was changed earlier cannot be found."
        )


def _incomplete(error: Exception) -> Problem:
    text = error.message if isinstance(error, VantageError) else f"{type(error).__name__}: {error}"
    return Problem(kind="unreadable", where="media", message=f"A check cannot be completed: {text}")


def _changed(name: str) -> Problem:
    message = "The content of the file has changed since the file was added."
    return Problem(kind="media_changed", where=name, message=message)


def _release_problems(
    folder: Path, progress: Progress, *, keys: Path | None = None, trusted: Sequence[TrustedKey] = ()
) -> Iterator[Problem]:
    yield from map(_problem_of, verify_release(folder, progress=progress))
    yield from map(_problem_of, signature_problems(folder, trusted=trusted))
    if (chosen := _keys_of(folder, keys)) is not None:
        yield from map(_problem_of, verify_keys(chosen, release=folder, progress=progress))


def _problem_of(found: ReleaseProblem) -> Problem:
    return Problem(kind=f"release_{found.kind}", where=found.file, message=found.message)


def _keys_of(folder: Path, keys: Path | None) -> Path | None:
    """Return the folder of hidden answer keys to verify: the one given, or the one beside the release."""
    beside = keys_folder_of(folder)
    return keys or (beside if _hidden(folder) is not None and is_keys_folder(beside) else None)


def _hidden(folder: Path) -> HiddenKeys | None:
    try:
        return hidden_of(read_manifest(folder))
    except (OSError, msgspec.MsgspecError, ValueError):
        # Told by ``verify_release``.
        return None


def _keys_notes(folder: Path, keys: Path | None) -> Iterator[str]:
    """Say of a release without problems whether its hidden answer keys were verified."""
    hidden = _hidden(folder)
    if hidden is not None and _keys_of(folder, keys) is not None:
        yield f"Verified: the {hidden.items:,} hidden answer keys belong to the release."
    elif hidden is not None:
        yield (
            f"Not verified: the {hidden.items:,} hidden answer keys, whose folder is not here. Name it with: "
            "vantage verify RELEASE --keys FOLDER"
        )


def _release_notes(
    folder: Path, problems: Sequence[Problem], trusted: Sequence[TrustedKey], *, keys: Path | None
) -> Iterator[str]:
    yield from _seal_notes(folder, known=RECORDED)
    is_sound = not any(problem.kind.startswith("release_") for problem in problems)
    if is_sound:
        yield from _keys_notes(folder, keys)
    if is_sound and (note := signature_note(folder, trusted=trusted)):
        yield note


def _seal_notes(folder: Path, *, known: Collection[str] = ()) -> Iterator[str]:
    """Name the members of a manifest of an earlier format that nothing protects.

    Args:
        folder: The release.
        known: Members that are verified otherwise.
    """
    try:
        manifest = read_manifest(folder)
    except (OSError, msgspec.MsgspecError, ValueError):
        # Told by ``verify_release``.
        return
    if members := [name for name in manifest.unsealed_members if name not in known]:
        note = (
            f"Not verified: {', '.join(members)} in the manifest. Manifests of format "
            f"{manifest.format_version} have no seal, so a change of these members cannot be found."
        )
        yield note


def _record_problems(session: Session, folder: Path) -> Iterator[Problem]:
    """Compare a release folder with what the log of the project says about it."""
    try:
        manifest = read_manifest(folder)
        text = (folder / MANIFEST).read_bytes()
    except (OSError, msgspec.MsgspecError, ValueError):
        # Told by ``verify_release``.
        return
    known = list(session.reader.find(Release, sha256=manifest.sha256))
    if not known:
        message = "The project has no entry of a release with this digest."
        yield Problem(kind="release_unknown", where=folder.name, message=message)
    elif manifest.unsealed_members and all(release.manifest_sha256 for release in known):
        message = (
            f"The manifest is of format {manifest.format_version}, but the release was made with a seal."
        )
        yield Problem(kind="release_changed", where=MANIFEST, message=message)
    elif not any(_is_recorded(release, manifest, text) for release in known):
        message = "The manifest differs from the entry of the release in the project."
        yield Problem(kind="release_changed", where=MANIFEST, message=message)


def _compare_with_log(
    session: Session, folder: Path, problems: list[Problem], *, keys: Path | None, progress: Progress
) -> Iterator[str]:
    """Add what the log counts otherwise than a release that is as recorded; yield what is not known."""
    if any(problem.kind.startswith("release_") for problem in problems):
        return
    manifest, text = read_manifest(folder), (folder / MANIFEST).read_bytes()
    with session.reader.snapshot():
        known = session.reader.find(Release, sha256=manifest.sha256)
        release = next(one for one in known if _is_recorded(one, manifest, text))
        chosen = _keys_of(folder, keys)
        found = compare_with_log(session.reader, release, manifest, keys=chosen, progress=progress)
    if found is None:
        yield KEYS_HIDDEN if hides_keys(manifest) and chosen is None else IS_OTHER
    problems.extend(Problem(kind="release_changed", where=MANIFEST, message=one) for one in found or ())


def _is_recorded(release: Release, manifest: Manifest, text: bytes) -> bool:
    if release.manifest_sha256:
        return release.manifest_sha256 == hashlib.sha256(text).hexdigest()
    written = (manifest.export_format, manifest.files, manifest.records, manifest.members_sha256)
    return written == (release.export_format, release.files, release.items, release.members_sha256)
