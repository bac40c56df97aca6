"""The gates from a child process: the same as here, with steps, cancellable, and with errors in words."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from annotator.domain.query import ItemQuery
from annotator.errors import Cancelled, UserError
from annotator.progress import Progress
from annotator.release_examination.outlook import look_ahead
from annotator.release_examination.outlook_process import OutlookOrder, look_ahead_in_process
from annotator.session import Session
from tests.unit.release.samples import PLACES, UAV1, UAV2, aircop_item, fill, flag

ALL = ItemQuery()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three items, of which one has an open error, and one is rejected."""
    path = tmp_path_factory.mktemp("gates") / "p.vantage"
    with Session.create(path) as session:
        items = [
            aircop_item(name=name, question=f"How many {name} can be seen?") for name in ("cars", "vans")
        ]
        media = [msgspec.structs.replace(one, sha256="1" * 64) for one in (UAV1, UAV2)]
        positions = (*media, *PLACES[2:])
        fill(session, *items, flag(items[1]), aircop_item(name="out", state="rejected"), positions=positions)
    return path


def test_outlook_when_examined_in_a_process_then_is_that_of_this_one(project: Path) -> None:
    phases = []
    progress = Progress(lambda step: phases.append(step.what))
    found = look_ahead_in_process(OutlookOrder(project=project, selection=ALL), progress=progress)
    with Session.open_for_reading(project) as session, session.reader.snapshot():
        here = look_ahead(session.reader, ALL, progress=Progress())
    assert [report.result for report in found.reports] == [report.result for report in here.reports]
    assert [report.query for report in found.reports] == [report.query for report in here.reports]
    assert (found.tasks, found.withheld, found.preview) == (here.tasks, here.withheld, here.preview)
    assert found.withheld == {"flag:key_wrong": 1, "state:rejected": 1}
    assert "Examining gates" in phases


def test_outlook_when_media_are_absent_here_then_the_process_knows_it(project: Path) -> None:
    def failing(absent: frozenset[str]) -> int:
        order = OutlookOrder(project=project, selection=ALL, absent_media=absent)
        found = look_ahead_in_process(order, progress=Progress())
        return next(report.result.failing for report in found.reports if report.gate.id == "media")

    assert (failing(frozenset()), failing(frozenset({UAV1.id}))) == (0, 1)


def test_examining_when_cancelled_then_ends(project: Path) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        look_ahead_in_process(OutlookOrder(project=project, selection=ALL), progress=progress)


def test_examining_when_the_file_is_no_project_then_says_so(tmp_path: Path) -> None:
    path = tmp_path / "no.vantage"
    path.write_text("no project")
    with pytest.raises(UserError, match=r"no\.vantage"):
        look_ahead_in_process(OutlookOrder(project=path, selection=ALL), progress=Progress())
