"""Which questions are near-duplicates, found for one item and over a project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from annotator.domain.image_recipe import AIRCOP_NOISE, ImageRecipe
from annotator.domain.item import Item, Option
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.quality.near_duplicates import ComparedItem, compare_items, find_near_duplicates
from annotator.quality.run import run_checks
from annotator.session import Session
from tests.unit.store.making import ANNA, created, write

QUESTION = "Which vehicle is parked closest to the fountain beside the old harbour crane?"
OPTIONS = ("the red truck", "the white van", "the black taxi", "the yellow bus")


def an_item(question: str = QUESTION, **fields: object) -> Item:
    texts = fields.pop("texts", OPTIONS)
    options = tuple(Option(letter=letter, text=text) for letter, text in zip("ABCD", texts, strict=False))
    usual = {"id": new_id(), "name": f"q_{new_id()[-6:]}", "task_set": "own", "options": options}
    usual |= {"answer_key": "B", "media": ("clip",), "scene": "one", "question": question}
    return msgspec.convert(msgspec.structs.asdict(Item(**usual)) | fields, Item)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as opened:
        yield opened


def put(session: Session, *items: Item) -> None:
    write(session, *(created("item", item) for item in items))


def found_by_check(session: Session) -> set[str]:
    return {finding.target for finding in run_checks(session.reader, checks=["near_duplicate"])}


@pytest.mark.parametrize(
    "question",
    [
        QUESTION.upper(),
        "Which vehicle is parked closest to the fountain, beside the old harbour crane",
        "Which vehicles are parked closest to the fountain beside the old harbour crane?",
        "Which vehicle is parked the closest to the fountain beside that old harbour crane?",
    ],
)
def test_compare_items_when_only_form_differs_then_they_are_alike(question: str) -> None:
    assert compare_items(ComparedItem(an_item()), ComparedItem(an_item(question))) >= 0.85


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How many red cars does UAV1 see there?", "How many red cars does UAV2 see there?"),
        ("How far is Region 3 from the camera now?", "How far is Region 5 from the camera now?"),
        (QUESTION, QUESTION.replace("closest", "furthest")),
        (QUESTION.replace("parked", "not parked"), QUESTION),
        ("Which street lies beside Talnimore Bridge?", "Which street lies beside Taldimore Bridge?"),
        ("喷泉旁边的红色汽车有多少辆停在路边？", "喷泉旁边的蓝色汽车有多少辆停在路边？"),
        ("", ""),
    ],
)
def test_compare_items_when_the_content_differs_then_they_are_not(one: str, other: str) -> None:
    answers = {"texts": ("one", "two", "three")}
    assert compare_items(ComparedItem(an_item(one)), ComparedItem(an_item(other, **answers))) == 0.0


def test_compare_items_when_a_word_is_replaced_then_equal_answers_tell_a_synonym() -> None:
    other = QUESTION.replace("vehicle", "automobile")
    assert compare_items(ComparedItem(an_item()), ComparedItem(an_item(other))) > 0
    assert compare_items(ComparedItem(an_item()), ComparedItem(an_item(other, answer_key="A"))) == 0.0


def test_compare_items_when_the_images_differ_then_the_answers_must_be_the_same() -> None:
    far = {"media": ("another",), "scene": "two"}
    shuffled = an_item(texts=OPTIONS[::-1], answer_key="C", **far)
    assert compare_items(ComparedItem(an_item()), ComparedItem(shuffled)) == 1.0
    assert compare_items(ComparedItem(an_item()), ComparedItem(an_item(answer_key="A", **far))) == 0.0


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"media": ("another",), "scene": "two"},
        {"media": (), "scene": ""},
        {"question": QUESTION.replace("parked", "parked there"), "media": ("another",), "scene": "two"},
    ],
    ids=["same clip", "other clip", "no media", "other clip, a word more"],
)
def test_near_duplicates_when_an_item_repeats_another_then_both_ways_find_it(
    session: Session, fields: dict[str, object]
) -> None:
    first = an_item(media=(), scene="") if fields.get("media") == () else an_item()
    copy = an_item(**fields)
    others = [an_item(f"Which of the {n} boats left the {n}th pier after noon?") for n in range(9)]
    put(session, first, copy, *others)
    (duplicate,) = find_near_duplicates(session.reader, copy)
    assert (duplicate.item, duplicate.name) == (first.id, first.name)
    assert duplicate.is_same_input == (first.media == copy.media)
    assert found_by_check(session) == {first.id, copy.id}


def test_near_duplicates_when_a_question_is_a_template_then_only_the_same_images_count(
    session: Session,
) -> None:
    items = [an_item(media=(f"clip {n}",), scene=f"scene {n}") for n in range(6)]
    copy = an_item(media=("clip 3",), scene="scene 3")
    put(session, *items, copy)
    assert [found.item for found in find_near_duplicates(session.reader, copy)] == [items[3].id]
    assert find_near_duplicates(session.reader, items[0]) == []
    assert found_by_check(session) == {items[3].id, copy.id}


def test_near_duplicates_when_an_item_is_rejected_then_it_is_not_compared(session: Session) -> None:
    kept = an_item()
    put(session, kept, an_item(state="rejected"))
    assert find_near_duplicates(session.reader, kept) == []
    assert found_by_check(session) == set()


def test_near_duplicates_when_a_project_is_empty_then_nothing_is_found(session: Session) -> None:
    assert found_by_check(session) == set()
    assert find_near_duplicates(session.reader, an_item()) == []


def test_near_duplicates_when_very_many_ask_the_same_about_one_input_then_each_is_found(
    session: Session,
) -> None:
    items = [an_item(name=f"copy {n}") for n in range(230)]
    put(session, *items)
    assert found_by_check(session) == {item.id for item in items}


def test_near_duplicates_when_ten_thousand_characters_are_pasted_then_it_is_compared(
    session: Session,
) -> None:
    long = " ".join(f"word{n}" for n in range(1_500))
    kept = an_item(long)
    put(session, kept)
    (duplicate,) = find_near_duplicates(
        session.reader, an_item(long + " \u202e<b>'\"*", media=("x",), scene="y")
    )
    assert duplicate.item == kept.id


@pytest.mark.parametrize("is_degraded", [True, False])
def test_near_duplicates_when_one_image_is_the_degraded_other_then_both_questions_stand(
    session: Session, is_degraded: bool
) -> None:
    clean, other = (Medium(id=new_id(), name=name) for name in ("a.jpg", "b.png"))
    if is_degraded:
        recipe = ImageRecipe(steps=AIRCOP_NOISE)
        other = msgspec.structs.replace(other, derived_from=clean.id, recipe=recipe)
    write(session, created("medium", clean), created("medium", other))
    items = [an_item(media=(medium.id,), scene=medium.id) for medium in (clean, other)]
    put(session, *items)
    assert found_by_check(session) == (set() if is_degraded else {item.id for item in items})
    assert bool(find_near_duplicates(session.reader, items[1])) != is_degraded
