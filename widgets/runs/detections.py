"""What a run of detection found, by category and certainty: counted once, for any limit of certainty."""

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
    """What the detectors of a run found.

    Attributes:
        pictures: Pictures and frames with an answer.
        failed: Pictures and frames without one.
        scores: Scores of the things of each category, 0..1, rising; the most frequent category first.
    """

    pictures: int
    failed: int
    scores: dict[str, tuple[float, ...]]

    @property
    def total(self) -> int:
        """Number of things of any certainty."""
        return sum(map(len, self.scores.values()))

    def count(self, category: str, *, min_score: float) -> int:
        """Return how many things of a category are at least so certain, 0..1."""
        scores = self.scores[category]
        # Sorted once: while a person moves the limit, a million scores are not looked through again.
        return len(scores) - bisect_left(scores, min_score)


def read_detections(session: Session, run: Run, *, progress: Progress) -> DetectionCounts:
    """Return what a run found, without things of no size.

    Raises:
        Cancelled: The user stopped it.
    """
    reader = session.reader
    scores: defaultdict[str, list[float]] = defaultdict(list)
    pictures = failed = 0
    progress.begin("Reading answers", total=reader.run_progress(run.id).total)
    for verdict in reader.predictions(run.id):
        progress.step()
        if verdict.kind != "answer":
            failed += 1
            continue
        pictures += 1
        for one in msgspec.json.decode(verdict.answer, type=DetectedImage).found:
            if _has_size(one):
                scores[one.category].append(one.score)
    progress.end()
    frequent = sorted(scores, key=lambda category: (-len(scores[category]), category))
    return DetectionCounts(
        pictures=pictures,
        failed=failed,
        scores={category: tuple(sorted(scores[category])) for category in frequent},
    )


def _has_size(one: Detection) -> bool:
    x1, y1, x2, y2 = one.box
    return x2 - x1 >= LEAST_SIDE_PX and y2 - y1 >= LEAST_SIDE_PX
