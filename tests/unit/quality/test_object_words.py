"""Words for objects that no region of the scene stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.quality.live_checks import run_live_checks
from annotator.quality.object_words import find_unmarked_objects
from annotator.session import Session
from tests.unit.store.making import ANNA, created, write

BOX = Box(x1=0, y1=0, x2=9, y2=9)
MakeItem = Callable[..., Item]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as opened:
        yield opened


def mark(session: Session, medium: str, *categories: str) -> None:
    regions = [
        Region(id=f"{medium}{number}", medium=medium, number=number, box=BOX, category=category)
        for number, category in enumerate(categories)
    ]
    found = Medium(id=medium, name=f"{medium}.jpg", sha256="ab" * 32)
    write(session, created("medium", found), *(created("region", region) for region in regions))


def unmarked(session: Session, item: Item) -> list[tuple[str, str]]:
    return [(each.field_path, each.word) for each in find_unmarked_objects(session.reader, item)]


@pytest.mark.parametrize(
    ("categories", "question", "words"),
    [
        (("car", "pedestrian"), "Which bus waits behind the cars?", ["bus"]),
        (("car",), "Which taxi and which sedans stand still?", []),
        (("vehicle",), "Which bus waits behind the cars?", []),
        (("car", "bus"), "How many vehicles stand beside the Bus?", []),
        (("car",), "Is the fountain behind the trees?", []),
        (("Awning_Tricycle", "car"), "Is the rickshaw behind the LORRY?", ["LORRY"]),
        (("car",), "图中的公交车和汽车在哪里？", ["公交车"]),
        (("carport",), "Where is the car?", []),
    ],
)
def test_find_unmarked_objects_when_a_scene_has_categories_then_only_what_would_be_marked_is_found(
    session: Session, make_item: MakeItem, categories: tuple[str, ...], question: str, words: list[str]
) -> None:
    mark(session, "seen", *categories)
    item = make_item("here", "there", question=question)
    assert unmarked(session, item) == [("question", word) for word in words]


def test_find_unmarked_objects_when_another_scene_has_a_category_then_the_project_marks_such_things(
    session: Session, make_item: MakeItem
) -> None:
    mark(session, "seen", "car")
    mark(session, "other", "fountain", "hot dog stand")
    item = make_item(
        "the fountain", "a tree", question="Is the car beside the hot dog stand?", answer_key="A"
    )
    assert unmarked(session, item) == [("question", "hot dog stand"), ("options[0]", "fountain")]
    # A wrong option may name what is not there.
    assert unmarked(session, make_item("a tree", "the fountain", question="?", answer_key="A")) == []


def test_find_unmarked_objects_when_the_scene_has_no_categories_then_nothing_is_found(
    session: Session, make_item: MakeItem
) -> None:
    mark(session, "seen", "")
    mark(session, "other", "bus")
    assert unmarked(session, make_item(question="Where is the bus?")) == []


def test_live_checks_when_an_object_is_not_marked_then_its_place_is_given_for_the_underline(
    session: Session, make_item: MakeItem
) -> None:
    mark(session, "seen", "car")
    question = "Where does the bus wait, and the other bus?"
    checks = run_live_checks(session.reader, make_item("left", "right", question=question))
    (finding,) = checks.of_field("question")
    assert (finding.check, finding.message) == ("unmarked_object", "No region of the images is: bus.")
    assert [question[each.start : each.end] for each in checks.unmarked] == ["bus", "bus"]
