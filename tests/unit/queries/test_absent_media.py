"""Media that are absent are listed and counted as if a search had entered them as missing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from annotator.domain.medium import Medium
from annotator.domain.query import MediumQuery, SceneQuery
from annotator.domain.record import Record, new_id
from annotator.domain.scene import Scene, SceneView
from annotator.session import Session
from tests.unit.store.making import created, write
from tests.windows import make_flag, make_project

MEDIA = [
    Medium(
        id=new_id(),
        name=f"{'ab'[n % 2]}-{n}.png",
        path=f"{'ab'[n % 2]}/{n}.png",
        dataset=("north", "south")[n % 2],
        sha256="" if n == 0 else f"{n:064x}",
        size_bytes=n * 10,
    )
    for n in range(9)
]
SCENES = [
    Scene(
        id=new_id(),
        name=f"scene {at}",
        views=tuple(SceneView(name=f"UAV{n}", medium=m.id) for n, m in enumerate(MEDIA[at : at + 2])),
    )
    for at in range(0, 8, 2)
]
ABSENT = frozenset(medium.id for medium in (MEDIA[0], MEDIA[1], MEDIA[2], MEDIA[5], MEDIA[8]))
DAMAGED = make_flag("medium", MEDIA[8].id, "medium_damaged")


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Session, Session]]:
    """Give a project that is told of absent media, and its twin in which they were entered as missing."""
    records: list[Record] = [*MEDIA, *SCENES, DAMAGED]
    folder = tmp_path_factory.mktemp("absent")
    with (
        Session.open(make_project(folder / "told.vantage", records)) as told,
        Session.open(make_project(folder / "entered.vantage", records)) as entered,
    ):
        # One that was never found, and one that is damaged, stay what they are.
        missing = [m for m in MEDIA if m.id in ABSENT and m.sha256 and m.id != DAMAGED.target]
        write(entered, *(created("flag", make_flag("medium", m.id, "medium_missing")) for m in missing))
        told.readers.absent_media = ABSENT
        yield told, entered


@pytest.fixture(scope="module", autouse=True)
def no_threads_of_the_projects(twins: tuple[Session, Session]) -> None:
    """Open the projects before the guard of the first test counts threads."""


HEALTHS = ((), ("missing",), ("found",), ("missing", "found"), ("unseen",), ("damaged", "missing"))


@pytest.mark.parametrize("text", ["", "a-", "b"])
def test_media_when_absent_then_are_as_if_entered_as_missing(
    twins: tuple[Session, Session], text: str
) -> None:
    told, entered = (session.reader for session in twins)
    for healths, datasets in product(HEALTHS, ((), ("north",), ("north", "south"))):
        query = MediumQuery(healths=healths, datasets=datasets, text=text)
        assert told.media.facets(query) == entered.media.facets(query)
        assert told.media.count(query) == entered.media.count(query)
        numbers = told.media.numbers(query)
        assert numbers.tolist() == entered.media.numbers(query).tolist()
        for after, limit in ((0, 100), (0, 2), (3, 2)):
            pages = [reader.media.page(query, after=after, limit=limit) for reader in (told, entered)]
            assert [(row.name, row.health, row.shown[0].health) for row in pages[0]] == [
                (row.name, row.health, row.shown[0].health) for row in pages[1]
            ]
    assert told.media.totals() == entered.media.totals()


@pytest.mark.parametrize("text", ["", "scene", "4"])
def test_scenes_when_their_media_are_absent_then_are_as_if_these_were_entered_as_missing(
    twins: tuple[Session, Session], text: str
) -> None:
    told, entered = (session.reader for session in twins)
    for healths in HEALTHS:
        query = SceneQuery(healths=healths, text=text)
        found, wanted = told.scenes.facets(query), entered.scenes.facets(query)
        # Flags are what somebody raised; nobody raised one here.
        raised = {"flag", "flag*"}
        assert {n: c for n, c in found.items() if n not in raised} == {
            n: c for n, c in wanted.items() if n not in raised
        }
        assert told.scenes.numbers(query).tolist() == entered.scenes.numbers(query).tolist()
        shown = [
            [[view.health for view in row.shown] for row in reader.scenes.page(query)]
            for reader in (told, entered)
        ]
        assert shown[0] == shown[1]


def test_media_when_back_then_are_found_again(tmp_path: Path) -> None:
    with Session.open(make_project(tmp_path / "back.vantage", [MEDIA[1], MEDIA[3]])) as session:
        session.readers.absent_media = frozenset({MEDIA[1].id})
        assert session.reader.media.healths([MEDIA[1].id, MEDIA[3].id]) == {
            MEDIA[1].id: "missing",
            MEDIA[3].id: "found",
        }
        assert session.reader.media.count(MediumQuery(healths=("missing",))) == 1
        session.readers.absent_media = frozenset()
        assert session.reader.media.count(MediumQuery(healths=("missing",))) == 0
