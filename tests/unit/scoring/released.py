"""Releases and files of predictions that the tests of scoring share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from annotator.domain.answers import Mode
from annotator.domain.item import Item
from annotator.domain.record import Record
from annotator.progress import Progress
from annotator.scoring.comparison import Comparison, ScoringSettings, compare_predictions
from annotator.scoring.evaluation import Evaluation
from annotator.scoring.prediction_file import PredictionFile
from annotator.scoring.released_items import ReleasedItems
from annotator.session import Session
from tests.unit.release.samples import aircop_item, fill, release


def letter_items(count: int) -> list[Item]:
    return [aircop_item(name=f"Real2_OC_UAV1_{n}", answer_key="ABCD"[n % 4]) for n in range(count)]


def made_release(path: Path, *records: Record, form: str = "native") -> Path:
    """Release records in a project of their own, and return the folder."""
    with Session.create(path / "p.vantage") as session:
        fill(session, *records)
        release(session, path / "out", form)
    return path / "out"


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def compared(
    folder: Path, *predictions: Path, mode: Mode = Mode.STRICT, form: str = "", **more: Any
) -> Comparison:
    released = ReleasedItems.read(folder, progress=Progress())
    files = [PredictionFile(path, form_id=form) for path in predictions]
    return compare_predictions(released, files, ScoringSettings(mode=mode, **more), progress=Progress())


def evaluated(folder: Path, predictions: Path, **more: Any) -> Evaluation:
    """Score the one model of a file."""
    (one,) = compared(folder, predictions, **more).models
    return one.evaluation


def kinds(evaluation: Evaluation | Comparison) -> dict[str, int]:
    return dict(evaluation.problems.counts)
