"""What an import did, in numbers and in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from annotator.importers.imported_record import ImportedFlag, ImportedRecord, ImportIssue
from annotator.importers.input_detection import SkippedFile

ALWAYS_TOLD = (
    "annotated_twice",
    "annotation_id_repeated",
    "count_not_integer",
    "fov_without_rect",
    "partner_is_self",
    "partner_missing",
    "partner_unknown",
    "rect_unlabelled",
    "what_missing",
    "when_missing",
)
"""Kinds of flags that a report names where there are none of them, too."""

LISTED = 10_000
"""Rejections listed per file: nobody reads more, and a file of nothing but commas has millions."""


@dataclass
class FileReport:
    """The result of importing one file.

    Attributes:
        file: Name of the file.
        format: Id of the importer.
        added: Number of new records.
        unchanged: Number of records that the project already had.
        flags: Number of flags by kind on the file's records, unchanged ones included.
        rejected: Number of invalid records.
        unread: Number of records that could not be read because of an invalid one before them; None if the
            rest of the file was not read and their number is unknown.
        rejections: The first ``LISTED`` invalid records.
        scenes: Number of new scenes of the records.
    """

    file: str
    format: str
    added: int = 0
    unchanged: int = 0
    rejected: int = 0
    unread: int | None = 0
    flags: Counter[str] = field(default_factory=Counter)
    rejections: list[ImportIssue] = field(default_factory=list)
    scenes: int = 0

    @property
    def records(self) -> int:
        """Number of records found in the file."""
        return self.added + self.unchanged + self.rejected

    def reject(self, rejected: ImportIssue) -> None:
        """Count one record that could not be taken."""
        self.rejected += 1
        if self.unread is not None:
            self.unread = None if rejected.unread is None else self.unread + rejected.unread
        if len(self.rejections) < LISTED:
            self.rejections.append(rejected)

    @property
    def total(self) -> int | None:
        """Number of records in the file, those included that were not read; None where it is not known."""
        return None if self.unread is None else self.records + self.unread

    def count(self, found: ImportedRecord, *, more: list[ImportedFlag], is_new: bool) -> None:
        """Count one record that was taken, with the flags that the project adds to the file's own."""
        self.added += is_new
        self.unchanged += not is_new
        self.flags.update(flag.kind for flag in (*found.flags, *more))

    def to_json(self) -> dict[str, Any]:
        """Return the report as values for JSON."""
        return {
            "file": self.file,
            "format": self.format,
            "records": self.records,
            "added": self.added,
            "unchanged": self.unchanged,
            "rejected": self.rejected,
            "unread": self.unread,
            "scenes": self.scenes,
            "flags": _flag_texts(self.flags),
        }


@dataclass(frozen=True)
class ImportReport:
    """What came of all files of an import.

    Attributes:
        files: The files that were read.
        skipped: Files of folders that look as if they were to be read, and were not.
    """

    files: tuple[FileReport, ...]
    skipped: tuple[SkippedFile, ...] = ()

    @property
    def records(self) -> int:
        """Number of records found."""
        return sum(file.records for file in self.files)

    @property
    def added(self) -> int:
        """Number of records that the project did not have."""
        return sum(file.added for file in self.files)

    @property
    def unchanged(self) -> int:
        """Number of records that the project had."""
        return sum(file.unchanged for file in self.files)

    @property
    def rejected(self) -> int:
        """Number of records that could not be taken."""
        return sum(file.rejected for file in self.files)

    @property
    def scenes(self) -> int:
        """Number of new scenes."""
        return sum(file.scenes for file in self.files)

    @property
    def incomplete(self) -> tuple[FileReport, ...]:
        """The files of which a part was not read."""
        return tuple(file for file in self.files if file.unread != 0)

    @property
    def flags(self) -> dict[str, int]:
        """Number of flags per kind, sorted; those of ``ALWAYS_TOLD`` also where it is 0."""
        total: Counter[str] = Counter()
        for file in self.files:
            total.update(file.flags)
        return _flag_texts(total)

    def to_json(self) -> dict[str, Any]:
        """Return the report as values for JSON."""
        return {
            "records": self.records,
            "added": self.added,
            "unchanged": self.unchanged,
            "rejected": self.rejected,
            "scenes": self.scenes,
            "flags": self.flags,
            "rejections": [
                {
                    "file": file.file,
                    "line": bad.line,
                    "locator": bad.locator,
                    "field": bad.field,
                    "message": bad.message,
                }
                for file in self.files
                for bad in file.rejections
            ],
            "files": [file.to_json() for file in self.files],
            "passed_over": [{"file": over.name, "reason": over.reason} for over in self.skipped],
        }


def _flag_texts(flags: Counter[str]) -> dict[str, int]:
    return {kind: flags[kind] for kind in sorted({*ALWAYS_TOLD, *flags})}
