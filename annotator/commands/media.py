"""Commands on media: telling the project where files lie and what they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotator.commands.command import Command
from annotator.domain.event import Edit
from annotator.domain.medium import Medium
from annotator.media.files import Located, locate_media
from annotator.progress import Progress
from annotator.store.reader import Reader


@dataclass(frozen=True, kw_only=True)
class MediaSurvey:
    """Where the files of a project's media lie.

    Attributes:
        root: Folder that was searched.
        located: One entry per medium.
    """

    root: Path
    located: tuple[Located, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Number of media per outcome: found, missing, changed, ambiguous."""
        return dict(sorted(Counter(entry.outcome for entry in self.located).items()))

    def of(self, outcome: str) -> list[Located]:
        """Return the entries of one outcome, in order of the media's arrival."""
        return [entry for entry in self.located if entry.outcome == outcome]


def survey_media(reader: Reader, *, root: Path, progress: Progress) -> MediaSurvey:
    """Look for the files of all media of a project; reads the disk, changes nothing.

    It runs outside of any transaction: hashing gigabytes must not keep anybody from writing.

    Args:
        reader: The project.
        root: Its media root.
        progress: Told of each medium.

    Raises:
        HostError: A file cannot be read.
        Cancelled: The user stopped it.
    """
    media = [record for record in reader.records("medium") if isinstance(record, Medium)]
    return MediaSurvey(root=root, located=tuple(locate_media(media, root=root, progress=progress)))


@dataclass(frozen=True, kw_only=True)
class RegisterMedia(Command):
    """Enter what a survey found: where each file lies, its digest, size, width and height.

    Files that changed, and media that several files could be, are left for people to decide.

    Attributes:
        survey: What was found.
    """

    survey: MediaSurvey

    @property
    def label(self) -> str:
        """Words for the undo menu."""
        found = len(self.survey.of("found"))
        return f"Register {found} media {'file' if found == 1 else 'files'}"

    @property
    def details(self) -> dict[str, Any]:
        """Where was searched, and what it came to."""
        return {"root": str(self.survey.root), "counts": self.survey.counts}

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the fields that differ from what is known."""
        entries = self.survey.of("found")
        progress.begin(self.label, total=len(entries))
        for entry in entries:
            medium = reader.get("medium", entry.medium)
            if isinstance(medium, Medium) and entry.facts is not None:
                values = {
                    "path": entry.path,
                    **{f: getattr(entry.facts, f) for f in entry.facts.__struct_fields__},
                }
                for field, value in values.items():
                    if getattr(medium, field) != value:
                        yield Edit(entity="medium", entity_id=medium.id, field=field, value=value)
            progress.step()
