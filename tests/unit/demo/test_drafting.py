"""Drafts SpatialUAV items from the demo city, and recomputes every answer key from its truth."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.demo import EnterTruth, MeasureDepths
from annotator.commands.drafts import DraftItems
from annotator.commands.findings import RecordFindings
from annotator.commands.media import RegisterMedia
from annotator.demo.captures import Captures
from annotator.demo.entries import truth_records
from annotator.demo.pictures import DEPTH_PER_M
from annotator.demo.project import FILES_FOLDER, make_demo
from annotator.demo.truth_file import FOLDER, truth_files
from annotator.domain.item import Item
from annotator.progress import Progress
from annotator.queries.media_survey import survey_media
from annotator.session import Session
from tests.unit.demo.draft_truth import TruthCheck

TASK_SET = "spatialuav"


@pytest.fixture(scope="module")
def drafted(
    small_demo: tuple[Captures, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Session, Path]]:
    captures, media = small_demo
    folder = tmp_path_factory.mktemp("drafted")
    (folder / FOLDER).mkdir()
    for name, content in truth_files(captures).items():
        (folder / FOLDER / name).write_bytes(content)
    with Session.create(folder / "p.vantage") as session:
        shutil.copytree(media, session.media_root, dirs_exist_ok=True)
        truth = tuple(truth_records(captures, dataset="d", dataset_of_flights="f"))
        session.execute(EnterTruth(records=truth, scenes=len(captures.moments()))).result()
        survey = survey_media(session.reader, root=session.media_root, progress=Progress())
        session.execute(RegisterMedia(survey=survey)).result()
        session.execute(MeasureDepths(depth_maps=captures.depth_maps(media), unit_m=1 / DEPTH_PER_M)).result()
        session.execute(DraftItems(task_set=TASK_SET)).result()
        yield session, folder / FOLDER


def _items(session: Session) -> list[Item]:
    made = (item for item in session.reader.records(Item) if item.task_set == TASK_SET)
    return [item for item in made if item.provenance.made_by == "rule" and item.provenance.subject]


def test_items_when_drafted_from_the_small_demo_then_every_key_is_the_truth(
    drafted: tuple[Session, Path],
) -> None:
    session, truth = drafted
    check = TruthCheck(session.reader, folder=truth)
    assert list(check.problems(iter(_items(session)))) == []
    assert check.checked.keys() == {
        "region_recognition",
        "direction_recognition",
        "a2a_shared_association",
        "object_matching",
        "camera_transformation",
    }


def test_items_when_drafted_then_they_have_published_ids_and_evidence_and_pass_the_checks(
    drafted: tuple[Session, Path],
) -> None:
    session, _ = drafted
    items = _items(session)
    assert len({item.name for item in items}) == len(items)
    assert {"Region_Recognition_00001", "A2A_Camera_Transformation_00002"} <= {item.name for item in items}
    assert all(item.provenance.labels for item in items)
    command = RecordFindings(task_sets=(TASK_SET,))
    session.execute(command).result()
    # Two scenes of one place give equal questions with equal keys; from four scenes on they are templates.
    assert {check for check, found in command.report.checks.items() if found} <= {"near_duplicate"}


def test_items_when_drafted_again_with_another_seed_then_nothing_is_added(
    drafted: tuple[Session, Path],
) -> None:
    session, _ = drafted
    before = _items(session)
    command = DraftItems(task_set=TASK_SET, seed=9)
    session.execute(command).result()
    assert (command.report.drafted, command.report.unchanged) == (0, len(before))
    assert _items(session) == before


@pytest.mark.slow
def test_items_when_drafted_from_the_standard_demo_then_every_key_of_every_task_is_the_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VANTAGE_HOME", str(tmp_path / "home"))
    project = make_demo(tmp_path / "demo", progress=Progress(), size="standard")
    with Session.open(project) as session:
        for seed in (0, 1, 2):
            session.execute(DraftItems(task_set=TASK_SET, seed=seed)).result()
            check = TruthCheck(session.reader, folder=project.parent / FILES_FOLDER / FOLDER)
            assert list(check.problems(iter(_items(session)))) == []
            assert len(check.checked) == 14
            session.undo().result()
