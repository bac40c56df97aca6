"""Proves a whole project: its file, and its media against the hashes that were entered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.commands.media import survey_media
from annotator.progress import Progress
from annotator.release.manifest import verify_release
from annotator.store.verification import Problem, verify_project

if TYPE_CHECKING:
    from annotator.session import Session


@dataclass(frozen=True, kw_only=True)
class VerifyReport:
    """What a verification found.

    Attributes:
        events: Events of the log, all checked.
        problems: What is not as it should be.
        media_checked: Media whose file was read and hashed.
        media_missing: Names of media without a file here; absent media are allowed.
    """

    events: int
    problems: tuple[Problem, ...]
    media_checked: int
    media_missing: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the report as the object that ``verify --json`` prints."""
        return {
            "ok": not self.problems,
            "events": self.events,
            "problems": [{"kind": p.kind, "where": p.where, "message": p.message} for p in self.problems],
            "media_checked": self.media_checked,
            "media_missing": list(self.media_missing),
        }


def verify_everything(session: Session, *, release: Path | None, progress: Progress) -> VerifyReport:
    """Check a project's file and media, and a release folder where one is given.

    Args:
        session: The open project; it is only read.
        release: Folder of a release, None for none.
        progress: Told of events, media and files of the release.

    Raises:
        EnvironmentFailure: A file cannot be read; of the release it is a problem like others.
        UserError: It is no project.
        Cancelled: The user stopped it.
    """
    # The file first: what a damaged one says about its media is worth nothing.
    problems = list(verify_project(session.path, progress=progress))
    survey = survey_media(session.reader, root=session.roots, progress=progress)
    problems += [_changed(entry.name) for entry in survey.of("changed")]
    problems += _release_problems(release, progress) if release else []
    # Told and no problem: media may lie on the disk of another workstation.
    missing = tuple(entry.name for entry in survey.of("missing"))
    checked = len(survey.of("found")) + len(survey.of("changed"))
    return VerifyReport(
        events=session.reader.event_total(),
        problems=tuple(problems),
        media_checked=checked,
        media_missing=missing,
    )


def _changed(name: str) -> Problem:
    message = "The content of the file has changed since the file was added."
    return Problem(kind="media_changed", where=name, message=message)


def _release_problems(folder: Path, progress: Progress) -> Iterator[Problem]:
    for found in verify_release(folder, progress=progress):
        yield Problem(kind=f"release_{found.kind}", where=found.file, message=found.message)
