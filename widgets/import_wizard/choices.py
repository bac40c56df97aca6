"""The settings of each part of an import, and its results so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from annotator.commands.imports import ImportFiles
from annotator.importers.report import ImportReport
from annotator.importing.survey import FilePart, MediaPart
from annotator.media.naming_schemes import NamingScheme
from annotator.media.scene_grouping import Grouping

GroupingMethod = Literal["scheme", "pattern", "time", "table", "alone"]


@dataclass(eq=False)
class FileChoice:
    """A file, folder or archive of annotations or questions.

    Attributes:
        part: The detected input, read with the current format and mapping.
        is_selected: Whether it is imported.
        format: Id of the format that the user selected, "" to detect it.
        dataset: Name of the collection, "" to take it from the file.
        licence: Licence text.
        mapping: The file's field for each expected field that the user mapped.
        report: Expected result of the import, None until the records are counted.
        counted: Records counted so far, None while no count runs.
    """

    part: FilePart
    is_selected: bool = True
    format: str = ""
    dataset: str = ""
    licence: str = ""
    mapping: dict[str, str] = field(default_factory=dict)
    report: ImportReport | None = None
    counted: int | None = None

    @property
    def can_be_read(self) -> bool:
        """Whether it can be read."""
        return not self.part.fault

    @property
    def is_ready(self) -> bool:
        """Whether it can be imported now. The record count is not needed."""
        return self.can_be_read

    def command(self) -> ImportFiles:
        """Return the import command for the current settings."""
        return ImportFiles(
            paths=(self.part.path,),
            format=self.format,
            dataset=self.dataset,
            licence=self.licence,
            mapping=dict(self.mapping),
        )


@dataclass(eq=False)
class MediaChoice:
    """The images and videos, and how they are grouped into scenes.

    Attributes:
        part: The detected input.
        is_selected: Whether they are imported.
        method: How scenes are formed: by a preset naming scheme, a pattern, time, a CSV file, or each
            file alone.
        scheme: The preset, for grouping by preset.
        pattern: The pattern, for grouping by pattern.
        table: The CSV file, for grouping by table.
        tolerance_s: Maximum time difference of the images of a scene, for grouping by time.
        dataset: Name of the collection, "" to take it from the names.
        licence: Licence text.
        stays: Whether the files stay in their folder; else they are linked or copied into the project.
        grouping: Result of the grouping, None while it is computed.
        fault: Why the grouping failed, "" where it did not.
    """

    part: MediaPart
    is_selected: bool = True
    method: GroupingMethod = "alone"
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
        # A scheme that matches only a few files by chance would leave out all others.
        if best is not None and 2 * best.matched >= len(self.part.listing.names):
            self.method, self.scheme = "scheme", best.scheme

    @property
    def can_be_read(self) -> bool:
        """Whether it can be read."""
        return not self.fault

    @property
    def is_ready(self) -> bool:
        """Whether it can be imported now: its scenes are known, and there are some."""
        return self.grouping is not None and bool(self.grouping.scenes)


Choice = FileChoice | MediaChoice
