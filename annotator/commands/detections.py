"""The command that stores detections as regions with neutral numbers; models never see their categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.regions import RemoveRegions
from annotator.domain.event import CREATED, REMOVED, Edit
from annotator.domain.medium import Medium
from annotator.domain.record import ANY, ValueObject
from annotator.domain.region import Box, Region
from annotator.domain.run import Prediction
from annotator.domain.vision_settings import DetectedImage
from annotator.errors import UserError
from annotator.jobs.request_key import digest
from annotator.model_api import Detection, ModelIdentity
from annotator.progress import Progress
from annotator.queries.earlier_values import readable_value
from annotator.queries.reader import Reader
from annotator.queries.region_numbers import RegionNumbers

CODE = "keep_detections"
ID_LETTERS = 32
WHOLE_HISTORY = 1_000_000
"""Greater than the number of events of any record."""
LEAST_SIDE_PX = 1.0
"""Detections smaller than one pixel are rounding errors of the detector."""


class DetectionReport(ValueObject, frozen=True, kw_only=True):
    """The outcome of storing a run's detections.

    Attributes:
        pictures: Pictures and frames with an answer.
        failed: Pictures and frames without one.
        found: Number of detections.
        kept: New regions.
        known: Detections that are regions already.
        left_out: Detections below the score, of other categories, or without size.
        removed: Detections whose regions users have removed; they are not created again.
        replaced: Earlier regions of the detector that were removed.
        categories: New regions by category.
    """

    pictures: int = 0
    failed: int = 0
    found: int = 0
    kept: int = 0
    known: int = 0
    left_out: int = 0
    removed: int = 0
    replaced: int = 0
    categories: dict[str, int] = {}  # noqa: RUF012 - msgspec copies an empty default for each record


@dataclass(kw_only=True)
class StoreDetections(Command):
    """Create regions from the detections of a run. Repeating the command adds nothing.

    Regions that users drew or changed, and those of other detectors, stay unchanged.

    Attributes:
        run: Id of the run.
        min_score: Lowest score of a stored detection, 0..1.
        categories: Only these categories of the detector; empty for all.
        media: Only in media of these ids; empty for all of the run.
        replace: Remove earlier regions of the same detector in the images of the run, unless a user changed
            them.
        is_proposing: Whether the regions are proposals until a person accepts them.
        report: Set by ``plan``.
    """

    run: str
    min_score: float = 0.0
    categories: Sequence[str] = ()
    media: Sequence[str] = ()
    replace: bool = False
    is_proposing: bool = False
    report: DetectionReport = field(default_factory=DetectionReport)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of(CODE)

    @property
    def details(self) -> dict[str, Any]:
        """The run, the limits and the result."""
        return {
            "run": self.run,
            "min_score": self.min_score,
            "categories": list(self.categories),
            "replace": self.replace,
            "is_proposing": self.is_proposing,
        }

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the regions.

        Raises:
            UserError: No detection run has this id.
            Cancelled: The user cancelled the operation.
        """
        require_kind(reader, self.run, kind="detect")
        keeping = _DetectionStore(reader, self)
        progress.begin(self.summary, total=reader.runs.progress(self.run).total)
        for prediction in reader.runs.predictions(self.run):
            progress.step()
            if not self.media or prediction.target in self.media:
                yield from keeping.keep(prediction)
        progress.end()
        # Removals come last and together: a removed region keeps its number until then, so that no new region
        # takes it, and the links of a scene are read once.
        if keeping.gone:
            yield from RemoveRegions(regions=tuple(keeping.gone)).plan(reader, progress=progress)
        self.report = keeping.report()


class _DetectionStore:
    """Creates regions from detector predictions and counts the outcomes.

    Args:
        reader: The project.
        command: The limits and filters to apply.
    """

    def __init__(self, reader: Reader, command: StoreDetections) -> None:
        self._reader, self._command = reader, command
        self._book = _ExistingRegions(reader)
        self._counts: Counter[str] = Counter()
        self._categories: Counter[str] = Counter()
        self.gone: dict[str, None] = {}

    def keep(self, prediction: Prediction) -> Iterator[Edit]:
        """Yield the new regions of one image."""
        detected = _detected_image(prediction)
        medium = self._reader.get(Medium, prediction.target)
        if detected is None or medium is None:
            self._counts["failed"] += 1
            return
        made = list(self._regions(detected, prediction, medium=medium))
        self._counts.update(pictures=1, found=len(detected.found), left_out=len(detected.found) - len(made))
        if self._command.replace:
            self._replace(prediction, medium=medium.id, made=made)
        known = self._book.known(medium.id)
        # Numbers follow the position from left to right: they must not reveal the detector's confidence.
        for region in sorted(made, key=lambda one: (one.box.x1, one.box.y1)):
            if region.import_key in known:
                self._counts["known"] += 1
                continue
            known.add(region.import_key)
            edits = self._book.add(region)
            self._counts["kept" if edits else "removed"] += 1
            self._categories.update([region.category] if edits else [])
            yield from edits

    def _regions(
        self, detected: DetectedImage, prediction: Prediction, *, medium: Medium
    ) -> Iterator[Region]:
        for one in filter(self._is_wanted, detected.found):
            region = _region(one, prediction, medium=medium, detected=detected)
            yield msgspec.structs.replace(region, is_proposed=self._command.is_proposing)

    def report(self) -> DetectionReport:
        """Return the counts of all outcomes."""
        return DetectionReport(
            **self._counts, replaced=len(self.gone), categories=dict(sorted(self._categories.items()))
        )

    def _replace(self, prediction: Prediction, *, medium: str, made: Sequence[Region]) -> None:
        keys = {region.import_key for region in made}
        earlier = self._book.earlier(prediction, medium=medium)
        self.gone.update((region.id, None) for region in earlier if region.import_key not in keys)

    def _is_wanted(self, detection: Detection) -> bool:
        x1, y1, x2, y2 = detection.box
        has_size = x2 - x1 >= LEAST_SIDE_PX and y2 - y1 >= LEAST_SIDE_PX
        categories = self._command.categories
        return (
            has_size
            and detection.score >= self._command.min_score
            and detection.category in (categories or (detection.category,))
        )


class _ExistingRegions:
    """The regions that media already have.

    Args:
        reader: The project.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._numbers = RegionNumbers(reader)
        self._of: dict[str, list[Region]] = {}
        self._keys: dict[str, set[str]] = {}

    def known(self, medium: str) -> set[str]:
        """Return the keys of a medium's regions. Keys added to the set are known in later calls."""
        if medium not in self._keys:
            self._keys[medium] = {region.import_key for region in self._regions(medium)}
        return self._keys[medium]

    def earlier(self, prediction: Prediction, *, medium: str) -> list[Region]:
        """Return the unmodified regions that any revision of the same detector left in an image."""
        name = str(prediction.model.get("name", ""))
        frame = prediction.spec.get("frame")
        return [
            region
            for region in self._regions(medium)
            if region.frame == frame and _is_of(region, detector=name) and self._is_untouched(region)
        ]

    def add(self, region: Region) -> list[Edit]:
        """Return the edits that show a region under the next number, or none if a user removed it."""
        # The newest event shows why the region is hidden: it may return after undo and after ``replace``, but
        # not after a removal by a user.
        past = self._reader.history.of(region.id, limit=1)
        if past and past[0].kind != "undo" and past[0].code != CODE:
            return []
        number = self._numbers.number_of(region.medium, track="")
        if not past:
            made = msgspec.structs.replace(region, number=number)
            return [Edit(entity="region", entity_id=region.id, field=CREATED, value=made)]
        return [
            Edit(entity="region", entity_id=region.id, field=REMOVED, value=False),
            Edit(entity="region", entity_id=region.id, field="number", value=number),
            Edit(entity="region", entity_id=region.id, field="is_proposed", value=region.is_proposed),
        ]

    def _is_untouched(self, region: Region) -> bool:
        """Return whether a region is as this command created it; edited regions are kept.

        The log is read because ``original`` is in pixels of the image that the detector read.
        """
        (made, *_) = self._reader.history.of(region.id, limit=WHOLE_HISTORY)[::-1]
        if made.code != CODE:
            return False
        first = msgspec.json.decode(readable_value("region", made.value), type=Region)
        # A region that returned has another number, and its depth is set by a model; neither is a user's
        # edit.
        return first == msgspec.structs.replace(region, number=first.number, depth=first.depth)

    def _regions(self, medium: str) -> list[Region]:
        if medium not in self._of:
            found = self._reader.find(Region, medium=medium, is_proposed=ANY)
            self._of[medium] = list(found)
        return self._of[medium]


def require_kind(reader: Reader, run_id: str, *, kind: str) -> None:
    """Refuse a run that does not exist or is of another kind.

    Raises:
        UserError: No run of this kind has this id.
    """
    run = reader.runs.get(run_id)
    if run is None or run.kind != kind:
        raise UserError(
            f"There is no run of kind {kind} with that id.", hint="List them with: runs list PROJECT"
        )


def model_of(prediction: Prediction) -> str:
    """Return the name and revision of the model that made a prediction."""
    identity = msgspec.convert(prediction.model, ModelIdentity)
    return f"{identity.name} {identity.revision}".strip()


def _detected_image(prediction: Prediction) -> DetectedImage | None:
    if prediction.kind != "answer":
        return None
    return msgspec.json.decode(prediction.answer, type=DetectedImage)


def _region(
    detection: Detection, prediction: Prediction, *, medium: Medium, detected: DetectedImage
) -> Region:
    """Return a detection as a region without a number, with the detector's score and category."""
    x1, y1, x2, y2 = detection.box
    # If the file was replaced by a smaller one, the detector's image size differs from that of the medium.
    across = medium.width_px / detected.width_px if medium.width_px and detected.width_px else 1.0
    down = medium.height_px / detected.height_px if medium.height_px and detected.height_px else 1.0
    original = msgspec.json.encode(detection)
    # Use the request key, not the id of the run: a run that reuses an earlier answer finds the same objects.
    # The names of the members are part of the id, so they stay as they were in earlier versions.
    key = digest({"verdict": prediction.request_key, "found": original.decode()})
    return Region(
        # The id is the same for the same detection in every project, so that a removed region is recognised.
        id=key[:ID_LETTERS],
        medium=medium.id,
        number=0,
        box=Box(x1=x1 * across, y1=y1 * down, x2=x2 * across, y2=y2 * down),
        frame=prediction.spec.get("frame"),
        category=detection.category,
        score=detection.score,
        made_by=model_of(prediction),
        original=msgspec.Raw(original),
        import_key=key,
    )


def _is_of(region: Region, *, detector: str) -> bool:
    return bool(detector) and (region.made_by == detector or region.made_by.startswith(f"{detector} "))
