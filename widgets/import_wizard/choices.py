"""What a person has chosen for each part of an import, and what is known of it so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from annotator.commands.import_survey import FilePart, MediaPart
from annotator.commands.imports import ImportFiles
from annotator.importers.report import ImportReport
from annotator.media.naming_schemes import NamingScheme
from annotator.media.scene_grouping import Grouping

GroupingMethod = Literal["scheme", "pattern", "time", "table", "alone"]


@dataclass(eq=False)
class FileChoice:
    """A file, folder or archive of annotations or questions.

    Attributes:
        part: What was found, read by the present format and mapping.
        is_taken: Whether it is going to be imported.
        format: Id of the format that a person set, "" to have it found.
        dataset: Name of the collection, "" to take it from the file.
        licence: Licence words.
        mapping: The file's field for an expected one, where a person redirected it.
        report: What the import will come to, None until it was counted.
        counted: Records counted so far, None while nobody counts.
    """

    part: FilePart
    is_taken: bool = True
    format: str = ""
    dataset: str = ""
    licence: str = ""
    mapping: dict[str, str] = field(default_factory=dict)
    report: ImportReport | None = None
    counted: int | None = None

    @property
    def can_be_read(self) -> bool:
        """Whether anything can come of it."""
        return not self.part.fault

    @property
    def is_ready(self) -> bool:
        """Whether it can be imported now; nobody has to wait for the counting."""
        return self.can_be_read

    def command(self) -> ImportFiles:
        """Return the import as it is chosen now."""
        return ImportFiles(
            paths=(self.part.path,),
            format=self.format,
            dataset=self.dataset,
            licence=self.licence,
            mapping=dict(self.mapping),
        )


@dataclass(eq=False)
class MediaChoice:
    """The pictures and videos, and how they are grouped into scenes.

    Attributes:
        part: What was found.
        is_taken: Whether they are going to be imported.
        way: How scenes are told: by a preset scheme of names, a typed pattern, time, a CSV table, or each
            file alone.
        scheme: The preset, for that way.
        pattern: The text, for that way.
        table: The CSV file, for that way.
        tolerance_s: How far apart pictures of one moment may be, for the way of time.
        dataset: Name of the collection, "" to take it from the names.
        licence: Licence words.
        stays: Whether the files stay where they are; else they are linked or copied into the project's own.
        grouping: What it comes to, None while it is being worked out.
        fault: Why it comes to nothing, "" where it does.
    """

    part: MediaPart
    is_taken: bool = True
    way: GroupingMethod = "alone"
    scheme: NamingScheme | None = None
    pattern: str = ""
    table: Path | None = None
    tolerance_s: float = 0.5
    dataset: str = ""
    licence: str = ""
    stays: bool = True
    grouping: Grouping | None = None
    fault: str = ""

    def __post_init__(self) -> None:
        best = max(self.part.recognised, key=lambda found: found.matched, default=None)
        # A scheme that fits a few of many files by chance would leave out the rest.
        if best is not None and 2 * best.matched >= len(self.part.listing.names):
            self.way, self.scheme = "scheme", best.scheme

    @property
    def can_be_read(self) -> bool:
        """Whether anything can come of it."""
        return not self.fault

    @property
    def is_ready(self) -> bool:
        """Whether it can be imported now: its scenes are known, and there are some."""
        return self.grouping is not None and bool(self.grouping.scenes)


Choice = FileChoice | MediaChoice
