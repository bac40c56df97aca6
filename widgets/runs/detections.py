"""Detections of a run, counted once by category and score so that any threshold can be applied quickly."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass

import msgspec

from annotator.commands.detections import LEAST_SIDE_PX
from annotator.domain.run import Run
from annotator.domain.vision_settings import DetectedImage
from annotator.model_api import Detection
from annotator.progress import Progress
from annotator.session import Session


@dataclass(frozen=True, kw_only=True)
class DetectionCounts:
    """Detections of a run, by category.

    Attributes:
        pictures: Number of images and frames with a reply.
        failed: Number of images and frames without a reply.
        scores: Sorted scores of each category, 0 to 1; the most frequent category comes first.
    """

    pictures: int
    failed: int
    scores: dict[str, tuple[float, ...]]

    @property
    def total(self) -> int:
        """Number of detections, regardless of their score."""
        return sum(map(len, self.scores.values()))

    def count(self, category: str, *, min_score: float) -> int:
        """Return the number of detections of a category with at least this score, 0 to 1."""
        scores = self.scores[category]
        # Binary search in sorted scores: a linear scan of a million scores would make the slider stutter.
        return len(scores) - bisect_left(scores, min_score)


def read_detections(session: Session, run: Run, *, progress: Progress) -> DetectionCounts:
    """Return the detections of a run, without boxes of zero size.

    Raises:
        Cancelled: The user cancelled the operation. Call it again to read the detections.
    """
    reader = session.reader
    scores: defaultdict[str, list[float]] = defaultdict(list)
    pictures = failed = 0
    progress.begin("Reading answers", total=reader.runs.progress(run.id).total)
    for prediction in reader.runs.predictions(run.id):
        progress.step()
        if prediction.kind != "answer":
            failed += 1
            continue
        pictures += 1
        for one in msgspec.json.decode(prediction.answer, type=DetectedImage).found:
            if _has_size(one):
                scores[one.category].append(one.score)
    progress.end()
    # Ties are sorted by name, so that the order of the check boxes is stable.
    frequent = sorted(scores, key=lambda category: (-len(scores[category]), category))
    return DetectionCounts(
        pictures=pictures,
        failed=failed,
        scores={category: tuple(sorted(scores[category])) for category in frequent},
    )


def _has_size(detection: Detection) -> bool:
    x1, y1, x2, y2 = detection.box
    return x2 - x1 >= LEAST_SIDE_PX and y2 - y1 >= LEAST_SIDE_PX
