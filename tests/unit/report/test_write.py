from __future__ import annotations

import os
from pathlib import Path

from annotator.progress import Progress
from annotator.report.report_order import ReportOrder
from annotator.report.write import write_report
from annotator.session import Session
from tests.unit.release.samples import aircop_item, fill, release


def test_report_when_earlier_ones_were_killed_then_old_partial_files_of_it_are_deleted(
    tmp_path: Path,
) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, aircop_item())
        release(session, tmp_path / "out", "native")
    old, young, other = (tmp_path / f".{name}.part" for name in ("r.html.1", "r.html.2", "s.html.1"))
    for file in (old, young, other):
        file.write_text("half")
    for file in (old, other):
        os.utime(file, (0, 0))

    order = ReportOrder(release=str(tmp_path / "out"), html=str(tmp_path / "r.html"))
    write_report(order, progress=Progress())

    assert [file.exists() for file in (old, young, other)] == [False, True, True]
    assert (tmp_path / "r.html").exists()
