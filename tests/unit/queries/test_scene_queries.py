"""Lists of scenes against a naive reading of the same scenes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotator.domain.assignment import Assignment
from annotator.domain.flag import Flag
from annotator.domain.link import Link
from annotator.domain.media_health import HEALTHS, health_of, worst_health
from annotator.domain.medium import Medium
from annotator.domain.query import SceneQuery
from annotator.domain.record import new_id
from annotator.domain.region import HAND, Box, Region
from annotator.domain.rows import FacetCount
from annotator.domain.scene import Scene
from annotator.domain.scene_progress import SETTLED, Annotation, Stage, annotation_of, stage_of
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
KINDS = ("doubt", "duplicate_id", "medium_missing", "medium_damaged")
TAGS = ("night", "rain, heavy", "雨")
STATES = ("drafted", "accepted", "rejected", "filtered")
FLAGGED = ("scene", "item", "event_label", "medium")


@dataclass(frozen=True)
class Known:
    """A scene as the test knows it, with its row number, its numbers of records and its open flags."""

    n: int
    scene: Scene
    labels: int
    labelled: int
    is_drawn: bool
    states: tuple[str, ...]
    health: str
    flags: frozenset[str]
    assignees: frozenset[str]

    @property
    def settled(self) -> int:
        return sum(state in SETTLED for state in self.states)

    @property
    def stage(self) -> str:
        counts = {"views": len(self.scene.views), "labelled": self.labelled}
        return stage_of(items=len(self.states), settled=self.settled, **counts)

    @property
    def values(self) -> dict[str, set[str]]:
        return {
            "dataset": {self.scene.dataset},
            "stage": {self.stage},
            "health": {self.health},
            "tag": {*self.scene.tags},
            "flag": {*self.flags},
            "annotation": {annotation_of(state=self.scene.state, is_begun=self.labels > 0 or self.is_drawn)},
            "assignee": {*self.assignees},
        }


FIELDS = {
    "dataset": "datasets",
    "stage": "stages",
    "health": "healths",
    "tag": "tags",
    "flag": "flags",
    "annotation": "annotations",
    "assignee": "assignees",
}


def _selects(query: SceneQuery, known: Known, *, skip: str = "") -> bool:
    def fits(facet: str) -> bool:
        wanted, values = getattr(query, FIELDS[facet]), known.values[facet]
        return not wanted or bool(values if "*" in wanted else values & {*wanted})

    return query.text.casefold() in known.scene.name.casefold() and all(
        fits(facet) for facet in FIELDS if facet != skip
    )


def _facets(query: SceneQuery, scenes: list[Known]) -> dict[str, list[FacetCount]]:
    counts = {
        facet: Counter(
            value for known in scenes if _selects(query, known, skip=facet) for value in known.values[facet]
        )
        for facet in FIELDS
    }
    facets = {
        name: [FacetCount(value=value, count=count) for value, count in sorted(found.items())]
        for name, found in counts.items()
    }
    for name in ("tag", "flag", "assignee"):
        count = sum(bool(known.values[name]) for known in scenes if _selects(query, known, skip=name))
        facets[f"{name}*"] = [FacetCount(value="*", count=count)]
    return facets


SCENES = st.fixed_dictionaries({
    "name": st.sampled_from(NAMES),
    "dataset": st.sampled_from(DATASETS),
    "files": st.lists(st.booleans(), max_size=3),
    "labels": st.integers(min_value=0, max_value=3),
    "items": st.lists(st.sampled_from(STATES), max_size=3),
    "tags": st.lists(st.sampled_from(TAGS), max_size=2),
    "flags": st.lists(
        st.tuples(st.sampled_from(FLAGGED), st.sampled_from(KINDS), st.sampled_from(["open", "dismissed"])),
        max_size=3,
    ),
    "state": st.sampled_from(["open", "finished"]),
    "drawn": st.sampled_from(["", "link", "hand", "detector"]),
    "assigned": st.lists(st.sampled_from(["annotate:anna", "review:ben"]), max_size=2),
    "life": st.sampled_from(["made", "changed", "removed"]),
})  # fmt: skip


def _some(values: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.one_of(st.just(()), st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple))


A_SCENE = {
    "name": NAMES[0],
    "dataset": DATASETS[0],
    "files": [True],
    "labels": 1,
    "items": ["drafted"],
    "tags": [TAGS[0]],
    "flags": [(entity, "doubt", "open") for entity in FLAGGED],
    "state": "open",
    "drawn": "hand",
    "assigned": ["annotate:anna"],
    "life": "made",
}
QUERIES = st.builds(
    SceneQuery,
    datasets=_some(DATASETS),
    stages=_some(get_args(Stage)),
    healths=_some((*HEALTHS, "")),
    tags=_some((*TAGS, "*")),
    flags=_some((*KINDS, "*")),
    annotations=_some(get_args(Annotation)),
    assignees=_some(("annotate:anna", "review:ben", "*")),
    text=st.one_of(st.just(""), st.sampled_from(TEXTS)),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """Give a project that all random examples share: each hides the scenes of the one before."""
    session = Session.create(tmp_path_factory.mktemp("lists") / "p.vantage", actor=ANNA)
    yield session
    session.close()


@pytest.fixture(scope="module", autouse=True)
def no_threads_of_the_project(home: Session) -> None:
    """Open the shared project before the guard of the first test counts threads."""


def _fill(session: Session, wanted: list[dict]) -> list[Known]:
    write(session, *(removed("scene", scene.id) for scene in session.reader.records(Scene)))
    made = [_make(session, fields) for fields in wanted]
    numbers = dict(session.reader._connection.execute("SELECT id, n FROM scene").fetchall())
    return [
        replace(known, n=numbers[known.scene.id])
        for fields, known in zip(wanted, made, strict=True)
        if fields["life"] != "removed"
    ]


def _make(session: Session, fields: dict) -> Known:
    media = [a_medium(name=f"{at}.jpg", sha256="a" * 64 * seen) for at, seen in enumerate(fields["files"])]
    scene = a_scene(
        *(medium.id for medium in media),
        name=fields["name"],
        dataset=fields["dataset"],
        tags=tuple(fields["tags"]),
        state=fields["state"],
    )
    # A label more than there are views is a second one of the first view.
    labels = [
        a_label(scene=scene.id, medium=media[number % len(media)].id)
        for number in range(fields["labels"] if media else 0)
    ]
    items = [an_item(scene=scene.id) for _ in fields["items"]]
    marks = _marks(scene, media, drawn=fields["drawn"])
    assigned = [_assigned(scene, assignee) for assignee in fields["assigned"]]
    of = {"scene": [scene], "item": items, "event_label": labels, "medium": media}
    flags = [
        # Nothing is accepted past an open warning, and the accepted items here have flags too.
        a_flag(record.id, entity=entity, kind=kind, state=state, severity="note")
        for entity, kind, state in fields["flags"]
        for record in of[entity][:1]
    ]
    records = [
        (entity, record) for entity in ("medium", "scene", "event_label", "item") for record in of[entity]
    ]
    records += [("flag", flag) for flag in flags]
    records += [(record.table.entity, record) for record in (*marks, *assigned)]
    write(session, *(created(entity, record) for entity, record in records))
    for item, state in zip(items, fields["items"], strict=True):
        write(session, *changed("item", item.id, state=state))
    labelled, states = len({label.medium for label in labels}), tuple(fields["items"])
    if fields["life"] == "removed":
        write(session, removed("scene", scene.id))
    if fields["life"] == "changed":
        write(session, *changed("scene", scene.id, name=NAMES[0], tags=(TAGS[1],)))
        # A label and an item that move away take nothing with them that was counted here.
        write(session, *(removed("event_label", label.id) for label in labels))
        write(session, *(edit for item in items for edit in changed("item", item.id, scene="")))
        write(session, *(removed(record.table.entity, record.id) for record in (*marks, *assigned)))
        labelled, states, labels, marks, assigned = 0, (), [], [], []
    return Known(
        n=0,
        scene=session.reader.get(Scene, scene.id) or scene,
        labels=len(labels),
        labelled=labelled,
        states=states,
        health=_health(media, flags),
        is_drawn=any(isinstance(mark, Link) or mark.made_by == HAND for mark in marks),
        assignees=frozenset(f"{one.role}:{one.person}" for one in assigned),
        flags=_kinds(flags, moved=("item",) if fields["life"] == "changed" else ()),
    )


def _marks(scene: Scene, media: list[Medium], *, drawn: str) -> list[Link | Region]:
    if drawn == "link":
        return [Link(id=new_id(), scene=scene.id, regions=("a", "b"))]
    if not drawn or not media:
        return []
    box = Box(x1=0.0, y1=0.0, x2=4.0, y2=4.0)
    return [Region(id=new_id(), medium=media[0].id, number=0, box=box, made_by=drawn)]


def _assigned(scene: Scene, assignee: str) -> Assignment:
    role, _, person = assignee.partition(":")
    return Assignment(id=new_id(), entity="scene", target=scene.id, person=person, role=role)


def _kinds(flags: list[Flag], *, moved: tuple[str, ...]) -> frozenset[str]:
    return frozenset(flag.kind for flag in flags if flag.state == "open" and flag.entity not in moved)


def _health(media: list[Medium], flags: list[Flag]) -> str:
    found = [
        health_of(
            sha256=medium.sha256,
            flags=[flag.kind for flag in flags if flag.target == medium.id and flag.state == "open"],
        )
        for medium in media
    ]
    return worst_health(found)


@settings(max_examples=20)
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
    found = reader.scenes.numbers(query)
    assert found.dtype == np.int64
    assert found.tolist() == numbers
    assert reader.scenes.count(query) == len(wanted)
    assert reader.scenes.facets(query) == _facets(query, scenes)
    pages = []
    while page := reader.scenes.page(query, after=pages[-1].n if pages else 0, limit=limit):
        assert len(page) <= limit
        pages += page
        assert len(pages) <= len(numbers)
    assert [row.n for row in pages] == numbers
    for row, known in zip(pages, wanted, strict=True):
        assert (row.id, row.name, row.dataset) == (known.scene.id, known.scene.name, known.scene.dataset)
        assert (row.views, row.labels, row.items) == (len(known.scene.views), known.labels, len(known.states))
        assert (row.labelled, row.settled) == (known.labelled, known.settled)
        assert {row.annotation} == known.values["annotation"]
        assert row.flags == tuple(sorted(known.flags))
        assert row.tags == tuple(sorted(set(known.scene.tags)))
        assert [shown.medium for shown in row.shown] == [view.medium for view in known.scene.views]
    assert reader.scenes.rows(reversed(numbers)) == pages[::-1]


@settings(max_examples=60)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
@example(text='a"b')
@example(text="ab\0c")
@example(text="\0\0\0")
@example(text='"""')
def test_lists_when_any_text_is_typed_then_are_no_error(home: Session, text: str) -> None:
    query = SceneQuery(text=text)
    assert home.reader.scenes.count(query) == len(home.reader.scenes.numbers(query))
    assert len(home.reader.scenes.page(query, limit=100)) <= 100
    assert set(home.reader.scenes.facets(query)) == {*FIELDS, "tag*", "flag*", "assignee*"}


def test_scene_rows_when_asked_for_more_than_can_be_bound_then_gives_all(session: Session) -> None:
    write(session, *(created("scene", a_scene(name=f"{number}")) for number in range(3)))
    assert [row.name for row in session.reader.scenes.rows(range(400_000))] == ["0", "1", "2"]
