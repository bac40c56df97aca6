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
from annotator.scoring.evaluation import Evaluation, Evaluator
from annotator.scoring.prediction_file import PredictionFile
from annotator.scoring.released_items import ReleasedItems
from annotator.session import Session
from tests.unit.release.samples import aircop_item, fill, release


def letter_items(count: int) -> list[Item]:
    return [aircop_item(name=f"Real2_OC_UAV1_{n}", answer_key="ABCD"[n % 4]) for n in range(count)]


def made_release(place: Path, *records: Record, form: str = "native") -> Path:
    """Release records in a project of their own, and return the folder."""
    with Session.create(place / "p.vantage") as session:
        fill(session, *records)
        release(session, place / "out", form)
    return place / "out"


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def evaluated(
    folder: Path, predictions: Path, *, mode: Mode = Mode.STRICT, form: str = "", **more: Any
) -> Evaluation:
    released = ReleasedItems.read(folder, progress=Progress())
    file = PredictionFile(predictions, form_id=form)
    evaluator = Evaluator(released, mode=mode, **more)
    return evaluator.evaluate(file.read(progress=Progress()), progress=Progress())


def kinds(evaluation: Evaluation) -> dict[str, int]:
    return dict(evaluation.problems.counts)
