"""The command that keeps what detectors found: regions with neutral numbers, their categories hidden."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.region_numbering import RegionNumbers
from annotator.commands.regions import RemoveRegions
from annotator.domain.event import CREATED, REMOVED, Edit
from annotator.domain.medium import Medium
from annotator.domain.record import ValueObject
from annotator.domain.region import Box, Region
from annotator.domain.run import Prediction
from annotator.domain.vision_settings import DetectedImage
from annotator.errors import UserError
from annotator.jobs.job_key import digest
from annotator.model_api import Detection, ModelIdentity
from annotator.progress import Progress
from annotator.store.reader import Reader

CODE = "keep_detections"
ID_LETTERS = 32
WHOLE_HISTORY = 1_000_000
"""More events than any one record gets."""
LEAST_SIDE_PX = 1.0
"""A thing of less than a pixel is a slip of the detector's arithmetic."""


class DetectionReport(ValueObject, frozen=True, kw_only=True):
    """What became of what a run found.

    Attributes:
        pictures: Pictures and frames with an answer.
        failed: Pictures and frames without one.
        found: Things found in all.
        kept: New regions.
        known: Things that are regions already.
        left_out: Things below the score, of other categories, or of no size.
        removed: Things whose regions people have removed; they do not come back.
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
    """Make regions of what the detectors of a run found; doing it twice adds nothing.

    What people drew or changed, and what other detectors found, is not touched.

    Attributes:
        run: Id of the run.
        min_score: What is less certain is left out, 0..1.
        categories: Only these, in the detector's words; empty for all.
        media: Only in media of these ids; empty for all of the run.
        replace: Remove earlier regions of the same detector in the pictures that were looked at, unless a
            person changed them.
        report: Filled while the command is done.
    """

    run: str
    min_score: float = 0.0
    categories: Sequence[str] = ()
    media: Sequence[str] = ()
    replace: bool = False
    report: DetectionReport = field(default_factory=DetectionReport)

    @property
    def summary(self) -> CommandSummary:
        """What it does, for the undo menu."""
        return CommandSummary.of(CODE)

    @property
    def details(self) -> dict[str, Any]:
        """Run, limits, and what became of it."""
        return {
            "run": self.run,
            "min_score": self.min_score,
            "categories": list(self.categories),
            "replace": self.replace,
        }

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the regions.

        Raises:
            UserError: There is no such run of detection.
            Cancelled: The user stopped it.
        """
        require_kind(reader, self.run, kind="detect")
        keeping = _DetectionStore(reader, self)
        progress.begin(self.summary, total=reader.run_progress(self.run).total)
        for verdict in reader.predictions(self.run):
            progress.step()
            if not self.media or verdict.target in self.media:
                yield from keeping.keep(verdict)
        progress.end()
        # All at once and at last: what goes holds its number until then, so that no new region takes it over,
        # and the links of a scene are gone through once.
        if keeping.gone:
            yield from RemoveRegions(regions=tuple(keeping.gone)).plan(reader, progress=progress)
        self.report = keeping.report()


class _DetectionStore:
    """Makes regions of verdicts and counts what becomes of them.

    Args:
        reader: The project.
        command: What is wanted.
    """

    def __init__(self, reader: Reader, command: StoreDetections) -> None:
        self._reader, self._command = reader, command
        self._book = _ExistingRegions(reader)
        self._counts: Counter[str] = Counter()
        self._categories: Counter[str] = Counter()
        self.gone: dict[str, None] = {}

    def keep(self, verdict: Prediction) -> Iterator[Edit]:
        """Yield the regions of one picture that are not there yet."""
        looked = _detected_image(verdict)
        medium = self._reader.get(Medium, verdict.target)
        if looked is None or medium is None:
            self._counts["failed"] += 1
            return
        wanted = [one for one in looked.found if self._is_wanted(one)]
        made = [_region(one, verdict, medium=medium, looked=looked) for one in wanted]
        self._counts.update(pictures=1, found=len(looked.found), left_out=len(looked.found) - len(made))
        if self._command.replace:
            self._replace(verdict, medium=medium.id, made=made)
        known = self._book.known(medium.id)
        # From left to right: a number must not tell how certain a detector was.
        for region in sorted(made, key=lambda one: (one.box.x1, one.box.y1)):
            if region.import_key in known:
                self._counts["known"] += 1
                continue
            known.add(region.import_key)
            edits = self._book.add(region)
            self._counts["kept" if edits else "removed"] += 1
            self._categories.update([region.category] if edits else [])
            yield from edits

    def report(self) -> DetectionReport:
        """Return what became of all of them."""
        return DetectionReport(
            **self._counts, replaced=len(self.gone), categories=dict(sorted(self._categories.items()))
        )

    def _replace(self, verdict: Prediction, *, medium: str, made: Sequence[Region]) -> None:
        keys = {region.import_key for region in made}
        earlier = self._book.earlier(verdict, medium=medium)
        self.gone.update((region.id, None) for region in earlier if region.import_key not in keys)

    def _is_wanted(self, one: Detection) -> bool:
        x1, y1, x2, y2 = one.box
        has_size = x2 - x1 >= LEAST_SIDE_PX and y2 - y1 >= LEAST_SIDE_PX
        categories = self._command.categories
        return (
            has_size
            and one.score >= self._command.min_score
            and one.category in (categories or (one.category,))
        )


class _ExistingRegions:
    """The regions that media have already.

    Args:
        reader: The project.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._numbers = RegionNumbers(reader)
        self._of: dict[str, list[Region]] = {}
        self._keys: dict[str, set[str]] = {}

    def known(self, medium: str) -> set[str]:
        """Return the keys of a medium's regions; what is added to it is known from then on."""
        if medium not in self._keys:
            self._keys[medium] = {region.import_key for region in self._regions(medium)}
        return self._keys[medium]

    def earlier(self, verdict: Prediction, *, medium: str) -> list[Region]:
        """Return the regions that the same detector, of any revision, left in a picture untouched."""
        name = str(verdict.model.get("name", ""))
        frame = verdict.spec.get("frame")
        return [
            region
            for region in self._regions(medium)
            if region.frame == frame and _is_of(region, detector=name) and self._is_untouched(region)
        ]

    def add(self, region: Region) -> list[Edit]:
        """Return what brings a region into sight under the next number; nothing where a person removed it."""
        # The newest event tells why it is out of sight: by undo and by 'replace' it may come back.
        past = self._reader.history(region.id, limit=1)
        if past and past[0].kind != "undo" and past[0].code != CODE:
            return []
        number = self._numbers.number_of(region.medium, track="")
        if not past:
            made = msgspec.structs.replace(region, number=number)
            return [Edit(entity="region", entity_id=region.id, field=CREATED, value=made)]
        return [
            Edit(entity="region", entity_id=region.id, field=REMOVED, value=False),
            Edit(entity="region", entity_id=region.id, field="number", value=number),
        ]

    def _is_untouched(self, region: Region) -> bool:
        """Tell whether a region is as this command made it: a person's work on it is kept.

        The log is asked and not ``original``: that one is in pixels of the picture which the detector saw.
        """
        (made, *_) = self._reader.history(region.id, limit=WHOLE_HISTORY)[::-1]
        if made.code != CODE:
            return False
        first = msgspec.json.decode(made.value, type=Region)
        # Its number is another one where it came back, and its depth is measured by a model.
        return first == msgspec.structs.replace(region, number=first.number, depth=first.depth)

    def _regions(self, medium: str) -> list[Region]:
        if medium not in self._of:
            found = self._reader.find(Region, medium=medium)
            self._of[medium] = list(found)
        return self._of[medium]


def require_kind(reader: Reader, run_id: str, *, kind: str) -> None:
    """Refuse what is no run of a kind.

    Raises:
        UserError: There is no such run.
    """
    run = reader.run(run_id)
    if run is None or run.kind != kind:
        raise UserError(
            f"There is no run of kind {kind} with that id.", hint="List them with: runs list PROJECT"
        )


def model_of(verdict: Prediction) -> str:
    """Return name and revision of the model that gave a verdict."""
    identity = msgspec.convert(verdict.model, ModelIdentity)
    return f"{identity.name} {identity.revision}".strip()


def _detected_image(verdict: Prediction) -> DetectedImage | None:
    if verdict.kind != "answer":
        return None
    return msgspec.json.decode(verdict.answer, type=DetectedImage)


def _region(one: Detection, verdict: Prediction, *, medium: Medium, looked: DetectedImage) -> Region:
    """Return a detection as a region without a number; its score and category are those of the detector."""
    x1, y1, x2, y2 = one.box
    # What the detector saw may be another size than the medium's: a file that was replaced by a smaller one.
    across = medium.width_px / looked.width_px if medium.width_px and looked.width_px else 1.0
    down = medium.height_px / looked.height_px if medium.height_px and looked.height_px else 1.0
    original = msgspec.json.encode(one)
    # With the verdict's key, not the run's id: a run that took an earlier answer over finds the same things.
    key = digest({"verdict": verdict.key, "found": original.decode()})
    return Region(
        # The same find has the same id wherever and whenever it is kept: what became of it is known.
        id=key[:ID_LETTERS],
        medium=medium.id,
        number=0,
        box=Box(x1=x1 * across, y1=y1 * down, x2=x2 * across, y2=y2 * down),
        frame=verdict.spec.get("frame"),
        category=one.category,
        score=one.score,
        made_by=model_of(verdict),
        original=msgspec.Raw(original),
        import_key=key,
    )


def _is_of(region: Region, *, detector: str) -> bool:
    return bool(detector) and (region.made_by == detector or region.made_by.startswith(f"{detector} "))
