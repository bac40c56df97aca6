from __future__ import annotations

from pathlib import Path

import pytest

from annotator.domain.query import MediumQuery
from annotator.progress import Progress
from annotator.session import Session
from tests.bench.grid import _SCROLLING, make_grid_project
from tests.bench.process import run_python
from tests.bench.screen import OFFSCREEN


def test_grid_project_when_made_then_every_medium_has_a_picture(tmp_path: Path) -> None:
    project = make_grid_project(tmp_path, progress=Progress(), count=9, pictures=4)
    with Session.open(project) as session:
        rows = session.reader.media.page(MediumQuery())
        files = [session.roots.file_of(row.shown[0].path) for row in rows]
    assert len({row.name for row in rows}) == 9
    assert len(set(files)) == 4
    assert all(file is not None and file.is_file() for file in files)


@pytest.mark.slow
def test_grid_when_scrolled_in_a_process_of_its_own_then_prints_every_frame(tmp_path: Path) -> None:
    project = make_grid_project(tmp_path, progress=Progress(), count=400, pictures=4)
    ran = run_python((*_SCROLLING, str(project)), environment=OFFSCREEN)
    assert len(ran.lines) == 360
    assert all(0 < float(line) < 60_000 for line in ran.lines)
