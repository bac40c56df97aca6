"""The registry of importers, and which of them a file is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotator.domain.registry import by_id
from annotator.errors import UserError
from annotator.importers.aircop_labels import AircopLabels
from annotator.importers.aircop_questions import AircopQuestions
from annotator.importers.aircop_responses import AircopResponses
from annotator.importers.aircop_review import AircopReview
from annotator.importers.airsim import AirSim
from annotator.importers.coco import Coco
from annotator.importers.coco_results import CocoResults
from annotator.importers.cvat import Cvat
from annotator.importers.format_ranking import most_similar
from annotator.importers.importer import FileImporter, FolderImporter
from annotator.importers.indooruav import IndoorUav
from annotator.importers.indooruav_folder import IndoorUavFolder
from annotator.importers.input_file import InputFile
from annotator.importers.input_folder import InputFolder
from annotator.importers.label_studio import LabelStudio
from annotator.importers.label_values import LabelValues
from annotator.importers.mm_uavbench import MmUavBench
from annotator.importers.native import Native
from annotator.importers.nuscenes import NuScenes
from annotator.importers.nuscenes_boxes import NuScenesBoxes
from annotator.importers.question_records import QuestionRecords
from annotator.importers.spatialuav import SpatialUav
from annotator.importers.spatialuav_tasks import SpatialUavTasks
from annotator.importers.table import TableImporter
from annotator.importers.topviewrs import TopViewRs
from annotator.importers.urbanvideo import UrbanVideo
from annotator.importers.urbanvideo_videos import UrbanVideoVideos
from annotator.importers.vlmevalkit import VlmEvalKit
from annotator.importers.yolo import Yolo

IMPORTER_CLASSES: tuple[type[FileImporter] | type[FolderImporter], ...] = (
    AircopLabels,
    AircopQuestions,
    AircopResponses,
    AircopReview,
    AirSim,
    Coco,
    CocoResults,
    Cvat,
    IndoorUav,
    IndoorUavFolder,
    LabelStudio,
    LabelValues,
    MmUavBench,
    Native,
    NuScenes,
    NuScenesBoxes,
    QuestionRecords,
    SpatialUav,
    SpatialUavTasks,
    TableImporter,
    TopViewRs,
    UrbanVideo,
    UrbanVideoVideos,
    VlmEvalKit,
    Yolo,
)
IMPORTERS: Mapping[str, FileImporter | FolderImporter] = by_id(IMPORTER_CLASSES)
"""Every importer by its id."""
FILE_IMPORTERS = tuple(reader for reader in IMPORTERS.values() if isinstance(reader, FileImporter))

BLANKS = "\0 \t\r\n\v\f\ufeff"
NO_RECORDS = frozenset({"[]", "{}"})
"""Texts of files that hold nothing to import, whatever their format."""


class UnknownFormatError(UserError):
    """Say that no importer takes a file for its own, and what to do.

    Attributes:
        similar: The importers whose files resemble it most.
    """

    def __init__(self, message: str, *, hint: str, similar: Sequence[FileImporter]) -> None:
        super().__init__(message, hint=hint)
        self.similar = similar


def get(format_id: str) -> FileImporter | FolderImporter:
    """Return the importer of a format.

    Raises:
        UserError: There is none with this id.
    """
    if format_id not in IMPORTERS:
        raise UserError(f"Unknown format '{format_id}'.", hint=_known())
    return IMPORTERS[format_id]


def detect_importers(file: InputFile) -> list[FileImporter]:
    """Return the importers that take a file for their own, by id."""
    found = [reader for reader in FILE_IMPORTERS if reader.recognizes(file)]
    if not found:
        # A table of questions is one's own only where it is of no other format.
        return [r for r in FILE_IMPORTERS if isinstance(r, TableImporter) and r.holds_questions(file)]
    # A native record carries the original of a label or question inside, which looks like one.
    return [reader for reader in found if reader.holds_others] or found


def detect_folder_importers(folder: InputFolder) -> list[FolderImporter]:
    """Return the importers that take a folder as a whole for their own, by id."""
    return [r for r in IMPORTERS.values() if isinstance(r, FolderImporter) and r.recognizes(folder)]


def detect(file: InputFile) -> FileImporter:
    """Return the importer that a file is for, found from its content.

    Raises:
        UserError: No importer, or more than one, takes it for its own.
    """
    require_content(file)
    if file.head.strip() in NO_RECORDS:
        raise UserError(f"{file.name} contains no records.", hint="There is nothing to import.")
    found = detect_importers(file)
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(reader.id for reader in found)
        raise UserError(
            f"{file.name} matches several formats: {ids}.", hint="Specify the format with --format."
        )
    similar = most_similar(file, IMPORTERS.values())
    titles = ", ".join(importer.title for importer in similar)
    hint = (
        f"The most similar formats: {titles}. Select one of them, or the format '{TableImporter.title}' for"
        " your own questions, and assign the fields."
    )
    raise UnknownFormatError(f"{file.name} has no supported format.", hint=hint, similar=similar)


def require_content(file: InputFile) -> None:
    """Raise where a file is empty.

    Raises:
        UserError: It contains nothing.
    """
    if not file.head.strip(BLANKS):
        hint = "Check whether it was saved and copied completely."
        raise UserError(f"{file.name} is empty.", hint=hint)


def _known() -> str:
    return (
        "Supported formats: "
        + ", ".join(f"{reader.id} ({reader.title})" for reader in IMPORTERS.values())
        + "."
    )
