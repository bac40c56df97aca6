"""The registry of exporters: the forms that a release can be written in."""

from __future__ import annotations

from annotator.domain.registry import by_id
from annotator.errors import UserError
from annotator.release.exporter import Exporter
from annotator.release.exporters.aircop import AircopExporter
from annotator.release.exporters.aircop_labels import AircopLabelsExporter
from annotator.release.exporters.coco import CocoExporter
from annotator.release.exporters.cvat import CvatExporter
from annotator.release.exporters.huggingface import HuggingFaceExporter
from annotator.release.exporters.indooruav import IndoorUavExporter
from annotator.release.exporters.label_values import LabelValuesExporter
from annotator.release.exporters.native import NativeExporter
from annotator.release.exporters.sharegpt import ShareGptExporter
from annotator.release.exporters.spatialuav import SpatialUavExporter
from annotator.release.exporters.topviewrs import TopViewRsExporter
from annotator.release.exporters.urbanvideo import UrbanVideoExporter
from annotator.release.exporters.urbanvideo_parquet import UrbanVideoParquetExporter
from annotator.release.exporters.vlmevalkit import VlmEvalKitExporter

EXPORTER_CLASSES: tuple[type[Exporter], ...] = (
    AircopExporter,
    AircopLabelsExporter,
    CocoExporter,
    CvatExporter,
    HuggingFaceExporter,
    IndoorUavExporter,
    LabelValuesExporter,
    NativeExporter,
    ShareGptExporter,
    SpatialUavExporter,
    TopViewRsExporter,
    UrbanVideoExporter,
    UrbanVideoParquetExporter,
    VlmEvalKitExporter,
)
EXPORTERS = by_id(EXPORTER_CLASSES)
"""Every exporter by its id."""


def exporter_of(export_format: str) -> Exporter:
    """Return the exporter of a form.

    Raises:
        UserError: No exporter has this id; the message lists the valid ids.
    """
    if export_format not in EXPORTERS:
        raise UserError(
            f"Unknown export format {export_format!r}.", hint=f"Use one of: {', '.join(EXPORTERS)}."
        )
    return EXPORTERS[export_format]
