"""Commands on media: record where files are, their properties and their faults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit, edit_fields
from annotator.domain.flag import Flag, Severity
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.record_types import record_type
from annotator.errors import UserError
from annotator.media.file_locator import LocatedFile
from annotator.progress import Progress
from annotator.queries.media_survey import MediaSurvey, file_problem
from annotator.queries.reader import Reader

RECOVERED = "The file was found with the content that the project records."
# Properties that a file may lack and a user may have entered: an absent value overwrites nothing.
_ABSENT: tuple[object, ...] = ("", 0, 0.0, None, {})
_EXACT_IN_CLIPS = frozenset({"frames", "duration_s"})
_MENDABLE_KINDS = frozenset({"image", "video"})


@dataclass(frozen=True, kw_only=True)
class RegisterMedia(Command):
    """Store the result of a survey: location and properties of each file, and a flag on each faulty one.

    A file that is missing, has other content or is damaged gets a flag, which is resolved once a survey finds
    the file sound. Media with several candidate files are left for the user to decide.

    Attributes:
        survey: The result of ``survey_media``.
    """

    survey: MediaSurvey

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("register_media", count=len(self.survey.of("found")))

    @property
    def details(self) -> dict[str, Any]:
        """The folder searched, and the number of media per outcome."""
        return {"root": str(self.survey.root), "counts": self.survey.counts}

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the fields that differ from the stored ones, and the flags."""
        entries = self.survey.located
        progress.begin(self.summary, total=len(entries))
        for entry in entries:
            medium = reader.get(Medium, entry.medium)
            if medium is not None:
                yield from _values(medium, entry)
                yield from _flags(reader, medium, entry)
            progress.step()


@dataclass(frozen=True, kw_only=True)
class SetLicence(Command):
    """Set the licence text of media and of their sources.

    Attributes:
        licence: The text, "" to remove it.
        media: Ids of media.
        sources: Ids of sources; all of their media are included.
    """

    licence: str
    media: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        if not self.licence:
            return CommandSummary.of("clear_licence")
        return CommandSummary.of("set_licence", name=self.licence[:40])

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the records whose text differs.

        Raises:
            UserError: There is no such medium or source.
        """
        media = [*self.media, *self._further_media(reader)]
        targets = [*(("source", source) for source in self.sources), *(("medium", one) for one in media)]
        progress.begin(self.summary, total=len(targets))
        for entity, record_id in targets:
            record = reader.get(record_type(entity), record_id)
            if record is None:
                raise UserError(f"There is no {entity} {record_id}.")
            if getattr(record, "licence", "") != self.licence:
                yield Edit(entity=entity, entity_id=record_id, field="licence", value=self.licence)
            progress.step()

    def _further_media(self, reader: Reader) -> list[str]:
        """Return the media of the sources that are not named themselves."""
        if not self.sources:
            return []
        belonging = {medium.id: None for medium in reader.records(Medium) if medium.source in self.sources}
        return [medium for medium in belonging if medium not in self.media]


def changed_fields(medium: Medium, values: Mapping[str, Any]) -> Iterator[Edit]:
    """Yield the edits that set missing values of a medium; absent values overwrite nothing."""
    known = {field: value for field, value in values.items() if value not in _ABSENT}
    yield from edit_fields(medium, **known)


def damage_flag(medium: Medium, message: str) -> Edit:
    """Return the edit that flags a medium's file as damaged."""
    return _new_flag(medium, "medium_damaged", message)


def _values(medium: Medium, entry: LocatedFile) -> Iterator[Edit]:
    if entry.outcome != "found" or entry.facts is None:
        return
    values = {"path": entry.path, **entry.facts.medium_values()}
    if medium.clip is not None:
        # The container of a clip counts its hidden frames as well; the clip's own numbers are exact.
        values = {name: value for name, value in values.items() if name not in _EXACT_IN_CLIPS}
    # A video stored as an image becomes a video. Whether an image is a map or a depth map is set by users.
    if entry.facts.media_type in _MENDABLE_KINDS and medium.media_type in _MENDABLE_KINDS:
        values["media_type"] = entry.facts.media_type
    yield from changed_fields(medium, values)


def _flags(reader: Reader, medium: Medium, entry: LocatedFile) -> Iterator[Edit]:
    """Yield flags for the faults of a medium's file, and resolve flags whose fault is corrected."""
    wrong = file_problem(medium, entry)
    is_told = False
    for flag in reader.flags_of(medium.id):
        if flag.kind not in _SEVERITIES or flag.state != "open":
            continue
        if wrong and flag.kind == wrong[0]:
            is_told = True
        # With several candidate files it is unknown which one belongs to the medium, so no fault can be
        # declared corrected.
        elif entry.outcome != "ambiguous":
            yield Edit(entity="flag", entity_id=flag.id, field="state", value="resolved")
            yield Edit(
                entity="flag",
                entity_id=flag.id,
                field="resolution",
                value=RECOVERED if not wrong else wrong[1],
            )
    if wrong and not is_told:
        yield _new_flag(medium, *wrong)


_SEVERITIES: Mapping[str, Severity] = {
    "medium_missing": "warning",
    "medium_changed": "error",
    "medium_damaged": "error",
}


def _new_flag(medium: Medium, kind: str, message: str) -> Edit:
    flag = Flag(
        id=new_id(),
        entity="medium",
        target=medium.id,
        kind=kind,
        message=message,
        severity=_SEVERITIES[kind],
        raised_by="check",
    )
    return Edit(entity="flag", entity_id=flag.id, field=CREATED, value=flag)
