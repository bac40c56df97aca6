from __future__ import annotations

from pathlib import Path

import pytest

from annotator.domain.query import ItemQuery
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.release import exporter as exporter_module
from annotator.release.exporter import ExportInput, selected_items
from annotator.release.exporters import EXPORTERS, exporter_of
from annotator.release.release_filter import ReleaseFilter
from annotator.session import Session
from tests.unit.release.samples import aircop_item, fill, spatialuav_item, urbanvideo_item


def test_form_of_when_the_id_is_known_then_it_is_that_form() -> None:
    assert list(EXPORTERS) == sorted(EXPORTERS)
    assert {"aircop", "aircop-labels", "native", "spatialuav", "urbanvideo"} <= EXPORTERS.keys()
    assert all(exporter_of(form_id).id == form_id for form_id in EXPORTERS)


def test_form_of_when_the_id_is_not_known_then_the_hint_lists_those_that_are() -> None:
    with pytest.raises(UserError, match=r"Unknown export format 'xml'.*aircop, aircop-labels, .*native"):
        exporter_of("xml")


def test_forms_when_listed_then_each_says_what_it_writes_and_what_it_cannot_say() -> None:
    for form in EXPORTERS.values():
        assert min(len(form.title), len(form.files), len(form.limits)) > 10


def test_size_when_counts_are_given_then_it_is_what_the_form_steps_through() -> None:
    counts = dict.fromkeys(("source", "medium", "scene", "region", "link", "path", "trajectory"), 1)
    counts |= {"event_label": 10, "item": 100}
    assert exporter_of("aircop").size(counts, items=7) == 7
    assert exporter_of("aircop-labels").size(counts, items=7) == 10
    assert exporter_of("native").size(counts, items=7) == 24


def test_selected_items_when_a_filter_is_set_then_they_come_in_order_of_arrival(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporter_module, "BATCH", 2)
    items = [aircop_item(name=f"q{n}") for n in range(5)]
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, items[0], urbanvideo_item(), *items[1:], spatialuav_item())
        chosen = list(selected_items(session.reader, ItemQuery(task_sets=("aircop",))))
        everything = list(selected_items(session.reader, ItemQuery()))
        material = ExportInput(
            reader=session.reader, release_filter=ReleaseFilter(), selection=ItemQuery(), progress=Progress()
        )
        assert list(material.items()) == everything
    assert chosen == items
    assert [item.name for item in everything] == [
        "q0",
        "1001",
        "q1",
        "q2",
        "q3",
        "q4",
        "Region_Recognition_00001",
    ]


def test_forms_when_looked_up_in_the_documents_then_each_has_its_section() -> None:
    text = (Path(__file__).parents[3] / "docs" / "releases.md").read_text(encoding="utf-8")
    assert [line.split("`")[1] for line in text.splitlines() if line.startswith("### `")] == list(EXPORTERS)
