"""Lists of scenes against a naive reading of the same scenes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotator.domain.query import SceneQuery
from annotator.domain.rows import FacetCount
from annotator.domain.scene import Scene
from annotator.session import Session
from tests.unit.store.making import (
    ANNA,
    a_flag,
    a_label,
    a_medium,
    a_scene,
    an_item,
    changed,
    created,
    removed,
    write,
)

NAMES = (
    "scene_001 frame_005",
    "scene_002 frame_005",
    "00000012",
    "停车场 东门",
    "Town*",
    'the "old" port',
    "x",
)
DATASETS = ("Real_2_UAVs", "Sim_3_UAVs", "")
TEXTS = (
    "scene",
    "SCENE_001",
    "frame_005",
    "0",
    "00",
    "12",
    "停",
    "停车",
    "停车场",
    "*",
    '"',
    '"old"',
    "n*",
    "zzz",
    "-",
)
KINDS = ("doubt", "duplicate_id", "partner_missing")
FLAGGED = ("scene", "item", "event_label", "medium")


@dataclass(frozen=True)
class Known:
    """A scene as the test knows it, with its row number, its numbers of records and its open flags."""

    n: int
    scene: Scene
    labels: int
    items: int
    flags: frozenset[str]


def _selects(query: SceneQuery, known: Known, *, skip: str = "") -> bool:
    tests = {
        "dataset": not query.datasets or known.scene.dataset in query.datasets,
        "flag": not query.flags or bool(known.flags if "*" in query.flags else known.flags & {*query.flags}),
        "text": query.text.casefold() in known.scene.name.casefold(),
    }
    return all(held for name, held in tests.items() if name != skip)


def _facets(query: SceneQuery, scenes: list[Known]) -> dict[str, list[FacetCount]]:
    datasets = Counter(known.scene.dataset for known in scenes if _selects(query, known, skip="dataset"))
    flags = Counter(kind for known in scenes if _selects(query, known, skip="flag") for kind in known.flags)
    return {
        name: [FacetCount(value=value, count=count) for value, count in sorted(counts.items())]
        for name, counts in (("dataset", datasets), ("flag", flags))
    }


SCENES = st.fixed_dictionaries({
    "name": st.sampled_from(NAMES),
    "dataset": st.sampled_from(DATASETS),
    "views": st.integers(min_value=0, max_value=3),
    "labels": st.integers(min_value=0, max_value=2),
    "items": st.integers(min_value=0, max_value=2),
    "flags": st.lists(
        st.tuples(st.sampled_from(FLAGGED), st.sampled_from(KINDS), st.sampled_from(["open", "dismissed"])),
        max_size=3,
    ),
    "life": st.sampled_from(["made", "renamed", "removed"]),
})  # fmt: skip


def _some(values: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.one_of(st.just(()), st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple))


A_SCENE = {
    "name": NAMES[0],
    "dataset": DATASETS[0],
    "views": 1,
    "labels": 1,
    "items": 1,
    "flags": [(entity, "doubt", "open") for entity in FLAGGED],
    "life": "made",
}
QUERIES = st.builds(
    SceneQuery,
    datasets=_some(DATASETS),
    flags=_some((*KINDS, "*")),
    text=st.one_of(st.just(""), st.sampled_from(TEXTS)),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """Give a project that all random examples share: each takes the scenes of the one before out of sight."""
    session = Session.create(tmp_path_factory.mktemp("lists") / "p.vantage", actor=ANNA)
    yield session
    session.close()


@pytest.fixture(scope="module", autouse=True)
def no_threads_of_the_project(home: Session) -> None:
    """Open the shared project before the guard of the first test counts threads."""


def _fill(session: Session, wanted: list[dict]) -> list[Known]:
    write(session, *(removed("scene", scene.id) for scene in session.reader.records("scene")))
    made = [_make(session, fields) for fields in wanted]
    numbers = dict(session.reader._connection.execute("SELECT id, n FROM scene").fetchall())
    return [
        Known(numbers[scene.id], scene, fields["labels"], fields["items"], flags)
        for fields, (scene, flags) in zip(wanted, made, strict=True)
        if fields["life"] != "removed"
    ]


def _make(session: Session, fields: dict) -> tuple[Scene, frozenset[str]]:
    media = [a_medium(name=f"{place}.jpg") for place in range(fields["views"])]
    scene = a_scene(*(medium.id for medium in media), name=fields["name"], dataset=fields["dataset"])
    labels = [a_label(scene=scene.id) for _ in range(fields["labels"])]
    items = [an_item(scene=scene.id) for _ in range(fields["items"])]
    of = {"scene": [scene], "item": items, "event_label": labels, "medium": media}
    flags = [
        a_flag(record.id, entity=entity, kind=kind, state=state)
        for entity, kind, state in fields["flags"]
        for record in of[entity][:1]
    ]
    records = [
        (entity, record) for entity in ("medium", "scene", "event_label", "item") for record in of[entity]
    ]
    write(session, *(created(entity, record) for entity, record in (*records, *(("flag", f) for f in flags))))
    if fields["life"] == "removed":
        write(session, removed("scene", scene.id))
    if fields["life"] == "renamed":
        write(session, *changed("scene", scene.id, name=NAMES[0]))
    kept = session.reader.get("scene", scene.id)
    return kept or scene, frozenset(flag.kind for flag in flags if flag.state == "open")


@settings(max_examples=40)
@given(
    wanted=st.lists(SCENES, max_size=8),
    queries=st.lists(QUERIES, min_size=1, max_size=12),
    limit=st.integers(min_value=1, max_value=4),
)
@example(wanted=[], queries=[SceneQuery(), SceneQuery(text="abc"), SceneQuery(flags=("*",))], limit=1)
@example(wanted=[A_SCENE], queries=[SceneQuery(text=text) for text in TEXTS], limit=1)
def test_lists_when_asked_anything_then_agree_with_a_naive_reading(
    home: Session, wanted: list[dict], queries: list[SceneQuery], limit: int
) -> None:
    scenes = _fill(home, wanted)
    for query in queries:
        _compare(home, query, scenes, limit=limit)


def _compare(session: Session, query: SceneQuery, scenes: list[Known], *, limit: int) -> None:
    reader = session.reader
    wanted = [known for known in scenes if _selects(query, known)]
    numbers = [known.n for known in wanted]
    found = reader.scene_numbers(query)
    assert found.dtype == np.int64
    assert found.tolist() == numbers
    assert reader.scene_count(query) == len(wanted)
    assert reader.scene_facets(query) == _facets(query, scenes)
    pages = []
    while page := reader.scene_page(query, after=pages[-1].n if pages else 0, limit=limit):
        assert len(page) <= limit
        pages += page
        assert len(pages) <= len(numbers)
    assert [row.n for row in pages] == numbers
    for row, known in zip(pages, wanted, strict=True):
        assert (row.id, row.name, row.dataset) == (known.scene.id, known.scene.name, known.scene.dataset)
        assert (row.views, row.labels, row.items) == (len(known.scene.views), known.labels, known.items)
        assert row.flags == tuple(sorted(known.flags))
    assert reader.scene_rows(reversed(numbers)) == pages[::-1]


@settings(max_examples=200)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
@example(text='a"b')
@example(text="ab\0c")
@example(text="\0\0\0")
@example(text='"""')
def test_lists_when_any_text_is_typed_then_are_no_error(home: Session, text: str) -> None:
    query = SceneQuery(text=text)
    assert home.reader.scene_count(query) == len(home.reader.scene_numbers(query))
    assert len(home.reader.scene_page(query, limit=100)) <= 100
    assert set(home.reader.scene_facets(query)) == {"dataset", "flag"}


def test_scene_rows_when_asked_for_more_than_can_be_bound_then_gives_all(session: Session) -> None:
    write(session, *(created("scene", a_scene(name=f"{number}")) for number in range(3)))
    assert [row.name for row in session.reader.scene_rows(range(400_000))] == ["0", "1", "2"]
