"""What of a run of detection becomes regions: certainty, categories, and what was there before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QApplication

from annotator.domain.medium import Medium
from annotator.domain.record import ANY, new_id
from annotator.domain.region import Region
from annotator.domain.run import Prediction, Run
from annotator.domain.vision_settings import DetectedImage
from annotator.domain.work import CallFailure, JobOutcome, RunOrder
from annotator.model_api import Detection
from annotator.progress import Progress
from annotator.session import Session
from tests.gui.runs.conftest import FINDER, Person, Work
from tests.gui.stage.hands import write_picture
from tests.windows import make_project
from widgets.runs.detection_panel import DetectionPanel
from widgets.runs.detections import read_detections
from widgets.runs.predictions_table import ANSWER

FOUND = (("car", 0.9), ("car", 0.4), ("car", 0.1), ("person", 0.6), ("bird", 0.05))
"""Category and certainty of each thing in each picture."""
PICTURES = 2


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Open a project of pictures."""
    folder = tmp_path / "pilot.media"
    folder.mkdir()
    media = []
    for number in range(PICTURES):
        file = write_picture(folder / f"{number}.png", seed=number)
        media.append(Medium(id=new_id(), name=file.name, path=file.name, width_px=640, height_px=480))
    (tmp_path / "finder.onnx").write_bytes(b"weights")
    with Session.open(make_project(tmp_path / "pilot.vantage", [*media])) as opened:
        yield opened


def looked(work: Work, tmp_path: Path, *, shift_px: float = 0.0, failing: int = 0, **settings: object) -> Run:
    """Run a detector whose finds lie a bit elsewhere each time."""
    file = str(tmp_path / "finder.onnx")
    finder = msgspec.structs.replace(FINDER, path=file, revision=str(shift_px))
    work.session.runs.save_profiles({"Finder": finder})
    run, _planned = work.session.runs.start(
        RunOrder(kind="detect", models=("Finder",), settings=settings)
    ).result()
    claims = work.queue.claim("hand", run=run.id, model="Finder", count=100, now=work.moment)
    work.queue.mark_sent(claims, [b"{}"] * len(claims))
    found = tuple(
        Detection(box=(x, 10.0, x + 20.0, 30.0), category=category, score=score)
        for x, (category, score) in zip(range(10, 500, 50), FOUND, strict=False)
    )
    moved = tuple(msgspec.structs.replace(one, box=(one.box[0] + shift_px, *one.box[1:])) for one in found)
    answer = msgspec.json.encode(DetectedImage(width_px=640, height_px=480, found=moved)).decode()
    outcomes = []
    for index, claim in enumerate(claims):
        is_failed = index < failing
        prediction = Prediction(
            request_key=claim.request_key.hex(),
            kind="error" if is_failed else "answer",
            target=claim.target,
            spec=claim.spec,
            answer="" if is_failed else answer,
            model={"name": "Finder", "kind": "detector", "revision": str(shift_px)},
            run=claim.run,
        )
        failure = CallFailure(kind="model", message="No such output.") if is_failed else None
        outcomes.append(JobOutcome(claim=claim, prediction=prediction, failure=failure))
    work.queue.record(outcomes, now=work.moment)
    return run


def opened(person: Person, run: Run) -> DetectionPanel:
    person.open(run)
    person.press("O")
    part = person.runs.page.outcome.part
    assert isinstance(part, DetectionPanel)
    return part


def regions(person: Person) -> list[tuple[str, float]]:
    found = list(person.session.reader.find(Region, is_proposed=ANY))
    return sorted((one.category, one.box.x1) for one in found)


def test_finds_when_read_then_are_counted_for_any_certainty(work: Work, tmp_path: Path) -> None:
    found = read_detections(work.session, looked(work, tmp_path, failing=1), progress=Progress())
    assert (found.pictures, found.failed, found.total) == (1, 1, 5)
    assert list(found.scores) == ["car", "bird", "person"]
    assert [found.count("car", min_score=least) for least in (0.0, 0.4, 0.41, 1.0)] == [3, 2, 1, 0]


def test_prediction_when_it_is_of_an_image_then_is_counted_and_enter_shows_the_image(
    person: Person, work: Work, tmp_path: Path
) -> None:
    person.open(looked(work, tmp_path))
    table = person.runs.page.predictions.table
    assert person.rows(ANSWER) == ["5 results"] * PICTURES
    table.choose_row(1)
    person.settle()
    person.press("Return")
    assert person.window.workspace == "library"
    library = person.window.library
    assert library is not None
    row = library.listings["medium"].current_row()
    assert row is not None
    assert (library.front, row.name) == ("medium", "1.png")


def test_outcome_when_opened_then_offers_what_was_found_with_counts(
    person: Person, work: Work, tmp_path: Path
) -> None:
    part = opened(person, looked(work, tmp_path, failing=1))
    assert [box.text() for box in part.categories.values()] == [
        "car  2 of 3",
        "bird  0 of 1",
        "person  1 of 1",
    ]
    pane = person.runs.page.outcome
    assert pane.main.text() == "Add 3 proposals (Enter)"
    assert pane.summary.text().startswith(
        "Of 5 detections in 1 image, 3 are selected. 1 image has no result. "
    )
    part.score.setText("0.05")
    assert pane.main.text() == "Add 5 proposals (Enter)"
    part.score.setText("much")
    assert not pane.main.isEnabled()


def test_outcome_when_categories_are_chosen_then_only_those_become_regions(
    person: Person, work: Work, tmp_path: Path
) -> None:
    part = opened(person, looked(work, tmp_path))
    pane = person.runs.page.outcome
    part.none.click()
    assert not pane.main.isEnabled()
    part.categories["person"].setChecked(True)
    assert pane.main.text() == "Add 2 proposals (Enter)"
    assert QApplication.focusWidget() is pane
    person.press("Return")
    assert regions(person) == [("person", 160.0)] * PICTURES
    assert pane.applied.text() == "Applied: 2 new proposals · 8 skipped."
    person.window.controller.undo()
    person.settle()
    assert regions(person) == []
    part.every.click()
    assert pane.main.text() == "Add 6 proposals (Enter)"


def test_outcome_when_earlier_finds_are_replaced_then_they_go(
    person: Person, work: Work, tmp_path: Path
) -> None:
    opened(person, looked(work, tmp_path))
    person.press("Return")
    assert regions(person) == [("car", 10.0)] * 2 + [("car", 60.0)] * 2 + [("person", 160.0)] * 2
    part = opened(person, looked(work, tmp_path, shift_px=5.0))
    part.categories["person"].setChecked(False)
    part.replace.setChecked(True)
    person.press("Return")
    assert regions(person) == [("car", 15.0)] * 2 + [("car", 65.0)] * 2
    assert person.runs.page.outcome.applied.text() == (
        "Applied: 4 new proposals · 6 earlier regions removed · 6 skipped."
    )


def test_outcome_when_kept_twice_then_says_that_they_were_regions(
    person: Person, work: Work, tmp_path: Path
) -> None:
    opened(person, looked(work, tmp_path))
    person.press("Return")
    person.press("Return")
    assert person.runs.page.outcome.applied.text() == "Applied: 6 regions already present · 4 skipped."
    assert len(regions(person)) == 6


def test_outcome_when_detections_are_added_as_regions_then_nobody_has_to_accept_them(
    person: Person, work: Work, tmp_path: Path
) -> None:
    part = opened(person, looked(work, tmp_path))
    person.press("Return")
    assert person.session.reader.counts()["region"] == 0
    person.window.controller.undo()
    person.settle()
    part.proposing.setChecked(False)
    assert person.runs.page.outcome.main.text() == "Add 6 regions (Enter)"
    person.press("Return")
    assert person.session.reader.counts()["region"] == 6
