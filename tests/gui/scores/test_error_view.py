"""What the error browser reads of a prediction: the item of the project, or what the release has of it."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from PIL import Image
from PySide6.QtWidgets import QLabel

from annotator.domain.answers import Mode
from annotator.domain.item import Item
from annotator.progress import Progress
from annotator.release.images import ImageSettings
from annotator.scoring.comparison import compare_predictions
from annotator.scoring.prediction_file import PredictionFile
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.row_file import write_scored_rows
from annotator.scoring.scored_row import scored_rows
from annotator.scoring.scored_rows import ScoredRows
from annotator.session import Session
from tests.guards_qt import PatientBot
from tests.unit.release.samples import UAV1, UAV2, aircop_item, fill, release
from tests.unit.scoring.released import write_lines
from widgets.scores.error_view import ErrorView, read_error_view
from widgets.scores.prediction_form import PredictionForm


def scored(path: Path, folder: Path, *names: str) -> ScoredRows:
    """Score a model that answers A, and return the file of its predictions."""
    released = ReleasedItems.read(folder, progress=Progress())
    lines = [{"item": name, "prediction": "A", "model": "m"} for name in names]
    file = PredictionFile(write_lines(path / "p.jsonl", lines))
    (model,) = compare_predictions(released, [file], progress=Progress()).models
    rows = scored_rows(model.evaluation, released, model=model.model, mode=Mode.STRICT)
    write_scored_rows(path / "rows.db", rows, released=released)
    return ScoredRows(path / "rows.db")


def made_project(path: Path, *items: Item) -> Session:
    """Make a project with the images of two views."""
    path.mkdir(exist_ok=True)
    session = Session.create(path / "p.vantage")
    fill(session, *items)
    session.media_root.mkdir(parents=True, exist_ok=True)
    for medium in (UAV1, UAV2):
        Image.new("RGB", (64, 48), (90, 120, 90)).save(session.media_root / medium.name)
    return session


def view_of(session: Session, rows: ScoredRows) -> ErrorView:
    return read_error_view(session.reader, number=1, rows=rows, roots=session.roots)


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Session]:
    made = made_project(tmp_path / "source", aircop_item())
    yield made
    made.close()


@pytest.mark.parametrize("form", ["native", "aircop"])
def test_view_when_the_project_does_not_have_the_item_then_shows_what_the_release_has(
    source: Session, tmp_path: Path, form: str
) -> None:
    pictures = ImageSettings(rendering="annotated", roots=source.roots)
    release(source, tmp_path / "out", form, pictures=pictures)
    rows = scored(tmp_path, tmp_path / "out", "Real2_OC_UAV1_1")
    with Session.create(tmp_path / "other.vantage") as other:
        view = view_of(other, rows)
        assert not view.is_of_project
        assert view.item is not None
        assert view.item.question == "How many cars can be seen in the picture of UAV1?"
        assert [option.text for option in view.item.options] == ["4", "5", "6", "7"]
        files = [one.file for one in view.shown.media]
        assert [file.parent for file in files if file is not None] == [tmp_path / "out" / "pictures"] * 2
        assert all(file is not None and file.exists() for file in files)
    rows.close()


def test_view_when_the_project_has_the_item_then_shows_its_own_images_unless_they_are_absent(
    source: Session, tmp_path: Path
) -> None:
    pictures = ImageSettings(rendering="clean", roots=source.roots)
    release(source, tmp_path / "out", "aircop", pictures=pictures)
    rows = scored(tmp_path, tmp_path / "out", "Real2_OC_UAV1_1")
    view = view_of(source, rows)
    assert view.is_of_project
    assert [one.file for one in view.shown.media] == [
        source.media_root / UAV1.name, source.media_root / UAV2.name,
    ]  # fmt: skip
    shutil.rmtree(source.media_root)
    absent = view_of(source, rows)
    assert absent.is_of_project
    assert {one.file.parent for one in absent.shown.media if one.file} == {tmp_path / "out" / "pictures"}
    rows.close()


@pytest.mark.parametrize(
    ("is_exact", "message", "tone"),
    [(True, "Right (read by a model)", "good"), (False, "Wrong (read by a model)", "bad")],
)
def test_form_when_a_model_has_read_the_reply_then_its_outcome_says_so(
    source: Session, tmp_path: Path, qtbot: PatientBot, is_exact: bool, message: str, tone: str
) -> None:
    release(source, tmp_path / "out", "native")
    rows = scored(tmp_path, tmp_path / "out", "Real2_OC_UAV1_1")
    view = view_of(source, rows)
    row = msgspec.structs.replace(view.row, exact=is_exact, read_by_model=True)
    form = PredictionForm()
    qtbot.addWidget(form)
    form.show_view(dataclasses.replace(view, row=row, others=(row,)))
    assert (form.outcome.text(), form.outcome.property("chip")) == (message, tone)
    assert message in [chip.text() for chip in form.others.findChildren(QLabel)]
    rows.close()


def test_view_when_neither_has_an_image_then_says_what_is_asked(source: Session, tmp_path: Path) -> None:
    release(source, tmp_path / "out", "native")
    rows = scored(tmp_path, tmp_path / "out", "Real2_OC_UAV1_1")
    with Session.create(tmp_path / "other.vantage") as other:
        view = view_of(other, rows)
        assert view.shown.media == ()
        assert view.item is not None
    rows.close()


def test_view_when_another_benchmark_has_an_item_of_the_name_then_it_is_not_taken(
    source: Session, tmp_path: Path
) -> None:
    release(source, tmp_path / "out", "aircop")
    rows = scored(tmp_path, tmp_path / "out", "Real2_OC_UAV1_1")
    with made_project(tmp_path / "b", aircop_item(task="causal_assessment")) as other:
        assert not view_of(other, rows).is_of_project
    rows.close()
