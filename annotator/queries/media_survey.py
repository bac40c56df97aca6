"""The survey of media: where the files of a project's media are, and whether they are sound."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from annotator.domain.medium import Medium
from annotator.errors import UserError
from annotator.media.file_locator import LocatedFile, locate_media
from annotator.media.image_decoder import decode_image
from annotator.media.media_roots import MediaRoots
from annotator.progress import Progress
from annotator.queries.reader import Reader

SHOWN_KINDS = frozenset({"image", "video", "frames", "depth", "map"})
PROOF_SIDE_PX = 64
"""Side in pixels of images decoded only as a test: a JPEG file is still read to its end."""


@dataclass(frozen=True, kw_only=True)
class MediaSurvey:
    """The locations of the files of a project's media.

    Attributes:
        root: The project's own folder of media, searched with all further ones.
        located: One entry per medium.
    """

    root: Path
    located: tuple[LocatedFile, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Number of media per outcome: found, missing, changed, ambiguous."""
        return dict(sorted(Counter(entry.outcome for entry in self.located).items()))

    def of(self, outcome: str) -> list[LocatedFile]:
        """Return the entries of one outcome, in the order in which the media were added."""
        return [entry for entry in self.located if entry.outcome == outcome]


def survey_media(
    reader: Reader, *, root: Path | MediaRoots, is_decoded: bool = False, progress: Progress
) -> MediaSurvey:
    """Locate the files of all media of a project. The project is not changed.

    Call it outside of transactions: hashing gigabytes must not block other edits.

    Args:
        reader: The project.
        root: Its media roots, or one folder alone.
        is_decoded: Whether each picture, and the first frame of each clip, is decoded to test it.
        progress: Advanced for each medium.

    Raises:
        EnvironmentFailure: A file cannot be read.
        Cancelled: The user cancelled the operation.
    """
    roots = root if isinstance(root, MediaRoots) else MediaRoots(root)
    media = list(reader.records(Medium))
    located = tuple(locate_media(media, roots=roots, progress=progress))
    survey = MediaSurvey(root=roots.own, located=located)
    return _with_decoding(survey, media, roots, progress=progress) if is_decoded else survey


def file_problem(medium: Medium, entry: LocatedFile) -> tuple[str, str] | None:
    """Return kind and message of a fault of a medium's file, None if it is sound."""
    if entry.outcome == "missing" and medium.sha256:
        return "medium_missing", f"{medium.name} was found earlier, but is in none of the media folders now."
    if entry.outcome == "changed":
        return "medium_changed", f"The content of {entry.path} differs from {medium.name} as it was added."
    if entry.facts is not None and entry.facts.damage:
        return "medium_damaged", entry.facts.damage
    return None


def _with_decoding(
    survey: MediaSurvey, media: list[Medium], roots: MediaRoots, *, progress: Progress
) -> MediaSurvey:
    """Return a survey whose located files were decoded; undecodable files are reported as damaged."""
    progress.begin("Decoding media", total=len(media))
    located = []
    for medium, entry in zip(media, survey.located, strict=True):
        located.append(_decode_entry(medium, entry, roots))
        progress.step()
    progress.end()
    return replace(survey, located=tuple(located))


def _decode_entry(medium: Medium, entry: LocatedFile, roots: MediaRoots) -> LocatedFile:
    file = roots.file_of(entry.path)
    if (
        entry.outcome != "found"
        or entry.facts is None
        or file is None
        or medium.media_type not in SHOWN_KINDS
    ):
        return entry
    try:
        decode_image(file, max_side_px=PROOF_SIDE_PX)
    except UserError as error:
        facts = msgspec.structs.replace(entry.facts, damage=str(error))
        return msgspec.structs.replace(entry, facts=facts)
    return entry
