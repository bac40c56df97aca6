"""From items and media to their scenes, and back."""

from __future__ import annotations

import pytest

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery, MediumQuery, RelatedSceneQuery, SortOrder
from annotator.domain.record import Record
from annotator.domain.record_types import record_type
from annotator.domain.scene import Scene, SceneView
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.unit.store.making import an_item, created, removed, write


@pytest.fixture
def reader(session: Session) -> Reader:
    """Four scenes; the items of the third come first, one item has a medium of the second and no scene."""
    media = [Medium(id=f"m{n}", name=f"{n}.png", path=f"{n}.png") for n in range(1, 5)]
    scenes = [
        Scene(id=f"s{n}", name=f"scene {n}", views=(SceneView(name="UAV1", medium=f"m{n}"),))
        for n in range(1, 5)
    ]
    items = [
        an_item(id="i1", scene="s3", state="accepted"),
        an_item(id="i2", scene="s1", state="accepted"),
        an_item(id="i3", scene="s3", state="accepted"),
        an_item(id="i4", scene="", media=("m2",), state="accepted"),
        an_item(id="i5", scene="", state="accepted"),
        an_item(id="i6", scene="s4", state="drafted"),
    ]
    records: list[tuple[str, Record]] = [
        *(("medium", one) for one in media),
        *(("scene", one) for one in scenes),
        *(("item", one) for one in items),
    ]
    write(session, *(created(entity, record) for entity, record in records))
    return session.reader


def names(reader: Reader, query: RelatedSceneQuery) -> list[str]:
    return [row.id for row in reader.scenes.rows(reader.related.scene_numbers(query))]


def test_scenes_of_items_when_filtered_then_come_in_the_order_of_the_items_and_each_once(
    reader: Reader,
) -> None:
    accepted = ItemQuery(states=("accepted",))
    assert names(reader, RelatedSceneQuery(items=accepted)) == ["s3", "s1", "s2"]
    assert names(reader, RelatedSceneQuery(items=accepted, text="scene 1")) == ["s1"]


def test_scenes_when_the_list_is_sorted_then_come_in_its_order_and_those_without_items_last(
    reader: Reader,
) -> None:
    latest = SortOrder(is_descending=True)
    accepted = ItemQuery(states=("accepted",))
    assert names(reader, RelatedSceneQuery(items=accepted, order=latest)) == ["s2", "s3", "s1"]
    assert names(reader, RelatedSceneQuery(order=latest)) == ["s4", "s3", "s2", "s1"]
    assert names(reader, RelatedSceneQuery(items=ItemQuery(), order=latest)) == ["s4", "s2", "s3", "s1"]
    by_name = SortOrder(column="name", is_descending=True)
    assert names(reader, RelatedSceneQuery(media=MediumQuery(), order=by_name)) == ["s4", "s3", "s2", "s1"]


def test_scenes_of_media_when_filtered_then_are_those_that_show_them(reader: Reader) -> None:
    assert names(reader, RelatedSceneQuery(media=MediumQuery(text="2.png"))) == ["s2"]


@pytest.mark.parametrize(
    "query",
    [RelatedSceneQuery(), RelatedSceneQuery(items=ItemQuery()), RelatedSceneQuery(media=MediumQuery())],
)
def test_scenes_when_nothing_is_filtered_then_are_all(reader: Reader, query: RelatedSceneQuery) -> None:
    assert names(reader, query) == ["s1", "s2", "s3", "s4"]


def test_scenes_when_one_is_removed_then_it_is_left_out(session: Session, reader: Reader) -> None:
    write(session, removed("scene", "s3"))
    assert names(reader, RelatedSceneQuery(items=ItemQuery(states=("accepted",)))) == ["s1", "s2"]


def test_scene_of_a_record_when_asked_then_is_its_own_or_that_of_its_first_medium(reader: Reader) -> None:
    found = {}
    for entity, record in (("item", "i1"), ("item", "i4"), ("item", "i5"), ("medium", "m4"), ("scene", "s2")):
        number = reader.order.arrival_number(record_type(entity), record)
        assert number is not None
        scene, medium = reader.related.scene_of(record_type(entity), number)
        found[record] = ([row.id for row in reader.scenes.rows([scene])], medium)
    assert found == {
        "i1": (["s3"], ""),
        "i4": (["s2"], "m2"),
        "i5": ([], ""),
        "m4": (["s4"], "m4"),
        "s2": (["s2"], ""),
    }
    assert reader.related.scene_of(Item, 1_000_000) == (0, "")


def test_records_of_a_scene_when_asked_then_are_those_that_lead_to_it(reader: Reader) -> None:
    found = {
        scene: {row.id for row in reader.items.rows(reader.related.numbers_of_scene(Item, scene))}
        for scene in ("s1", "s2", "s3")
    }
    assert found == {"s1": {"i2"}, "s2": {"i4"}, "s3": {"i1", "i3"}}
    assert [row.id for row in reader.media.rows(reader.related.numbers_of_scene(Medium, "s2"))] == ["m2"]
