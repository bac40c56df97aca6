from __future__ import annotations

from pathlib import Path

import pytest

from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.verification import verify_project
from tests.bench import material
from tests.bench.material import project_of
from tests.bench.queries import FILTERS, SEARCHES

COUNT = 3000


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project_of(COUNT, folder=tmp_path_factory.mktemp("bench"), progress=Progress())


def test_project_when_made_then_it_holds_what_was_asked_for(project: Path) -> None:
    with Session.open(project) as session:
        counts = session.reader.counts()
        facets = session.reader.items.facets(ItemQuery())
    assert counts["item"] == COUNT
    assert counts["scene"] * material.ITEMS_PER_SCENE == COUNT
    assert len(facets["task"]) == 11
    assert len(facets["state"]) == 6
    assert sum(facet.count for facet in facets["flag"]) == pytest.approx(0.03 * COUNT, rel=0.3)


def test_project_when_verified_then_it_is_whole(project: Path) -> None:
    assert list(verify_project(project, progress=Progress())) == []


def test_items_when_made_then_they_look_like_real_ones(project: Path) -> None:
    with Session.open(project) as session:
        items = list(session.reader.records(Item))
    assert len({item.name for item in items}) == COUNT
    assert len({item.question for item in items}) > 0.7 * COUNT
    assert all(item.media and item.scene and item.answer_key for item in items)
    assert {len(item.options) for item in items} == {0, 4}
    assert sum(bool(item.provenance.source) for item in items) == pytest.approx(0.4 * COUNT, rel=0.1)


def test_queries_when_asked_then_they_go_from_everything_to_nothing(project: Path) -> None:
    with Session.open(project) as session:
        shares = [session.reader.items.count(query) / COUNT for query in FILTERS]
        hits = [session.reader.items.count(query) for query in SEARCHES]
    assert shares[0] == 1
    assert 0 < min(shares) < 0.01
    assert 0 in hits
    assert max(hits) > 0.1 * COUNT
    assert len({hit for hit in hits if 0 < hit < 100}) > 3


def test_project_when_made_before_then_it_is_used_again(project: Path) -> None:
    before = project.stat().st_mtime_ns
    assert project_of(COUNT, folder=project.parent, progress=Progress()) == project
    assert project.stat().st_mtime_ns == before


def test_project_when_its_recipe_changed_then_it_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = project_of(0, folder=tmp_path, progress=Progress())
    (tmp_path / "items-0-part.vantage").touch()
    monkeypatch.setattr(material, "_recipe", lambda: "other")
    new = project_of(0, folder=tmp_path, progress=Progress())
    assert new.name == "items-0-other.vantage"
    assert not old.exists()
    assert [p.suffix for p in tmp_path.iterdir()] == [".vantage"]
