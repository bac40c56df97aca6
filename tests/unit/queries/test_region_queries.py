"""Queries about regions that are answered from indexes."""

from __future__ import annotations

from annotator.domain.region import Box, Region
from annotator.session import Session
from tests.unit.store.making import a_medium, a_scene, an_item, created, removed, write

BOX = Box(x1=0, y1=0, x2=9, y2=9)


def put(session: Session, *regions: tuple[str, int, str]) -> None:
    made = [
        Region(id=f"r{index}", medium=medium, number=number, box=BOX, category=category, frame=index)
        for index, (medium, number, category) in enumerate(regions)
    ]
    write(session, *(created("region", region) for region in made))


def test_region_numbers_when_an_object_is_on_many_frames_then_its_number_comes_once(session: Session) -> None:
    put(session, ("m", 0, ""), ("m", 7, ""), ("m", 7, ""), ("m", 12, ""), ("other", 3, ""))
    write(session, removed("region", "r3"))
    assert session.reader.regions.numbers("m") == {0, 7}
    assert session.reader.regions.numbers("nobody") == frozenset()


def test_categories_of_when_regions_have_some_then_each_comes_once(session: Session) -> None:
    put(session, ("m", 0, "car"), ("m", 1, "bus"), ("m", 2, "car"), ("m", 3, ""), ("other", 3, "tree"))
    assert sorted(session.reader.regions.categories_of("m")) == ["bus", "car"]


def test_items_showing_when_a_scene_or_the_item_itself_names_a_medium_then_it_is_found(
    session: Session,
) -> None:
    items = [
        an_item(name="by scene", scene="s", media=("m1", "m2")),
        an_item(name="other view", scene="s", media=("m2",)),
        an_item(name="alone", media=("m1",)),
        an_item(name="in words only", question="What is in m1?"),
        an_item(name="gone", media=("m1",)),
    ]
    write(
        session,
        *(created("medium", a_medium(id=name)) for name in ("m1", "m2")),
        created("scene", a_scene("m1", "m2", id="s")),
        *(created("item", item) for item in items),
    )
    write(session, removed("item", items[-1].id))
    assert [item.name for item in session.reader.regions.items_showing("m1")] == ["by scene", "alone"]
