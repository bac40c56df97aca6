"""The figures of people from a child process: the same as here, cancellable, with errors in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.commands.assignments import AssignRecords
from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.errors import Cancelled, UserError
from annotator.progress import Progress
from annotator.quality.people_figures import COLUMNS, PeopleFigures, people_figures
from annotator.quality.people_process import measure_in_process
from annotator.session import Session
from tests.unit.commands.test_responses import ITEM
from tests.unit.store.bundles.workstations import joined
from tests.unit.store.making import ANNA, BEN, a_scene, created, write


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One item that Anna and Ben answered differently, Ben for the human reference."""
    path = tmp_path_factory.mktemp("people") / "p.vantage"
    with Session.create(path) as session:
        write(session, created("item", ITEM), created("actor", ANNA), created("actor", BEN))
        session.execute(AssignRecords(entity="item", role="reference", pairs=((ITEM.id, BEN.id),))).result()
        answers = (
            GivenAnswer(item=ITEM.id, person=ANNA.id, answer="C"),
            GivenAnswer(item=ITEM.id, person=BEN.id, answer="B"),
        )
        session.execute(AddResponses(answers=answers)).result()
    return path


def test_figures_when_measured_in_a_process_then_are_those_of_this_one(project: Path) -> None:
    found = measure_in_process(project, progress=Progress())
    with Session.open_for_reading(project) as session:
        assert found == people_figures(session.reader)
    (subject,), (task,) = found.agreement, found.reference
    assert (subject.percent.value, found.names_of(subject.pairs[0].people)) == (0.0, "Anna / Ben")
    assert task.people.score.value == 1.0


def test_rows_when_listed_then_each_figure_has_one_with_its_people(project: Path) -> None:
    with Session.open_for_reading(project) as session:
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in people_figures(session.reader).rows()]
    by_figure = {(row["part"], row["who"], row["figure"]): row for row in rows}
    assert len(by_figure) == len(rows)
    assert by_figure["agreement", "", "percent"]["value"] == "0.0"
    assert by_figure["pair", "Anna / Ben", "cohens_kappa"]["value"] == "0.0"
    assert by_figure["reference", "people", "score"]["value"] == "1.0"
    assert by_figure["reference", "random", "right"]["value"] == "0.25"


def test_measuring_when_cancelled_then_ends(project: Path) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        measure_in_process(project, progress=progress)


def test_measuring_when_the_file_is_no_project_then_says_so(tmp_path: Path) -> None:
    path = tmp_path / "no.vantage"
    path.write_text("no project")
    with pytest.raises(UserError, match=r"no\.vantage"):
        measure_in_process(path, progress=Progress())


def test_shared_items_when_two_people_answered_then_are_listed(project: Path) -> None:
    with Session.open_for_reading(project) as session:
        task = "aircop/object_counting"
        assert session.reader.responses.shared_items(task) == [ITEM.id]
        assert session.reader.responses.shared_items(task, people=(ANNA.id, BEN.id)) == [ITEM.id]
        assert session.reader.responses.shared_items(task, people=(ANNA.id, "nobody")) == []
        assert session.reader.responses.shared_items("aircop/other") == []


def test_figures_when_nobody_answered_then_are_empty(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        write(session, created("scene", a_scene()))
        found = people_figures(session.reader)
    assert found == PeopleFigures(names={ANNA.id: "Anna"})


def test_figures_when_bundles_were_merged_in_another_order_then_the_same_answer_is_the_first(
    tmp_path: Path,
) -> None:
    ann, bob, one, other = joined(tmp_path, "ann", "bob", "one", "other")
    ann.add(ITEM)
    start = ann.bundle()
    for station in (bob, one, other):
        station.merge(start)
    # One person answered on two computers: C first, and B later.
    for station, person, answer in ((ann, ANNA, "C"), (bob, BEN, "B"), (bob, ANNA, "B")):
        given = GivenAnswer(item=ITEM.id, person=person.id, answer=answer)
        with station.open() as session:
            session.execute(AddResponses(answers=(given,))).result()
    handed = [ann.bundle(), bob.bundle()]
    for station, bundles in ((one, handed), (other, handed[::-1])):
        for bundle in bundles:
            station.merge(bundle)
    found = []
    for station in (one, other):
        with station.open() as session:
            (subject,) = people_figures(session.reader).agreement
            found.append(subject.percent.value)
    assert found == [0.0, 0.0]
