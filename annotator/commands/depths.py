"""The command that stores depths measured by depth models in the measured regions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.detections import model_of, require_kind
from annotator.domain.event import Edit
from annotator.domain.record import ValueObject
from annotator.domain.region import Box, Region, RegionDepth
from annotator.domain.run import Prediction
from annotator.domain.vision_settings import DepthFigures, Depths
from annotator.progress import Progress
from annotator.queries.reader import Reader


class DepthReport(ValueObject, frozen=True, kw_only=True):
    """The outcome of storing a run's depths.

    Attributes:
        pictures: Pictures and frames with an answer.
        failed: Pictures and frames without one.
        kept: Regions whose depth is new or has changed.
        known: Regions that already had this depth.
        unknown: Regions without any pixel of known depth.
        outdated: Regions that were removed or moved since the measurement.
    """

    pictures: int = 0
    failed: int = 0
    kept: int = 0
    known: int = 0
    unknown: int = 0
    outdated: int = 0


@dataclass(kw_only=True)
class StoreDepths(Command):
    """Store the depth of the regions that a run measured. Repeating the command changes nothing.

    Attributes:
        run: Id of the run.
        report: Set by ``plan``.
    """

    run: str
    report: DepthReport = field(default_factory=DepthReport)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("keep_depths")

    @property
    def details(self) -> dict[str, Any]:
        """The run."""
        return {"run": self.run}

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the depths of regions.

        Raises:
            UserError: No depth run has this id.
            Cancelled: The user cancelled the operation.
        """
        require_kind(reader, self.run, kind="depth")
        counts = dict.fromkeys(DepthReport.__struct_fields__, 0)
        progress.begin(self.summary, total=reader.runs.progress(self.run).total)
        for prediction in reader.runs.predictions(self.run):
            progress.step()
            if prediction.kind == "answer":
                counts["pictures"] += 1
                yield from _depths(prediction, reader, counts=counts)
            else:
                counts["failed"] += 1
        progress.end()
        self.report = DepthReport(**counts)


def _depths(prediction: Prediction, reader: Reader, *, counts: dict[str, int]) -> Iterator[Edit]:
    depths = msgspec.json.decode(prediction.answer, type=Depths)
    for region_id, figures in depths.regions.items():
        region = reader.get(Region, region_id)
        box = depths.boxes[region_id]
        # Exact comparison is correct: the box is stored in the job's spec as JSON, which preserves floats.
        if region is None or region.box != box:
            counts["outdated"] += 1
        elif figures is None:
            counts["unknown"] += 1
        elif region.depth == (
            depth := _depth(figures, box=box, is_metric=depths.is_metric, prediction=prediction)
        ):
            counts["known"] += 1
        else:
            counts["kept"] += 1
            yield Edit(entity="region", entity_id=region_id, field="depth", value=depth)


def _depth(figures: DepthFigures, *, box: Box, is_metric: bool, prediction: Prediction) -> RegionDepth:
    return RegionDepth(
        median=figures.median,
        p10=figures.p10,
        p90=figures.p90,
        valid=figures.valid,
        is_metric=is_metric,
        box=box,
        made_by=model_of(prediction),
    )
