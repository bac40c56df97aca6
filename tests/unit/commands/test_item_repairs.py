"""Repairs of findings: each removes its cause in one step, which undo takes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.item_repairs import balancing_swap, repair_of
from annotator.domain.item import Item, Option
from annotator.quality.live_checks import run_live_checks
from annotator.session import Session
from tests.unit.store.making import ANNA, an_item, created, write


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        yield session


def add_item(session: Session, *options: tuple[str, str], answer_key: str = "B", **fields: object) -> Item:
    shown = tuple(Option(letter=letter, text=text) for letter, text in options)
    plain = {"task_set": "own", "task": "any", "question": "Which of these colours is it?"}
    item = an_item(**{**plain, "options": shown, "answer_key": answer_key, **fields})
    write(session, created("item", item))
    return item


def stored(session: Session, item: Item) -> Item:
    found = session.reader.get(Item, item.id)
    assert found is not None
    return found


def repairs(session: Session, item: Item) -> dict[str, object]:
    found = run_live_checks(session.reader, item).findings
    return {finding.check: repair_of(finding, item) for finding in found}


PLAIN = (("A", "red"), ("B", "green"), ("C", "blue"))
REPAIRS = {
    "duplicate": ("duplicate_options", (*PLAIN, ("D", "Green.")), "B", "A:red B:green C:blue = B"),
    "duplicate of the key": (
        "duplicate_options",
        (*PLAIN, ("D", "Green.")),
        "D",
        "A:red B:blue C:Green. = C",
    ),
    "letters": (
        "option_keys",
        (("A", "red"), ("C", "green"), ("F", "blue")),
        "F",
        "A:red B:green C:blue = C",
    ),
    "key as text": ("key_in_options", PLAIN, "Blue.", "A:red B:green C:blue = C"),
    "key as sentence": ("key_in_options", PLAIN, "The answer is (c)", "A:red B:green C:blue = C"),
    "spaces": ("stray_characters", (*PLAIN[:2], ("C", "blue \u200b")), "B", "A:red B:green C:blue = B"),
}


@pytest.mark.parametrize(("check", "options", "key", "after"), REPAIRS.values(), ids=REPAIRS)
def test_repair_of_when_done_then_the_finding_is_gone_and_undo_brings_it_back(
    session: Session, check: str, options: tuple[tuple[str, str], ...], key: str, after: str
) -> None:
    item = add_item(session, *options, answer_key=key)
    repair = repairs(session, item)[check]
    assert repair is not None
    session.execute(repair).result()  # type: ignore[arg-type]
    now = stored(session, item)
    assert " ".join(f"{each.letter}:{each.text}" for each in now.options) + f" = {now.answer_key}" == after
    assert check not in repairs(session, now)
    session.undo().result()
    assert stored(session, item) == item


@pytest.mark.parametrize(
    ("check", "options", "key"),
    [
        ("duplicate_options", (("A", "red"), ("B", "Red")), "B"),
        ("option_keys", (("A", "red"), ("A", "green"), ("B", "blue")), "A"),
        ("key_in_options", PLAIN, "purple"),
        ("key_in_options", (*PLAIN, ("D", "blue")), "blue"),
        ("required_fields", PLAIN, ""),
    ],
)
def test_repair_of_when_a_person_has_to_decide_then_there_is_none(
    session: Session, check: str, options: tuple[tuple[str, str], ...], key: str
) -> None:
    assert repairs(session, add_item(session, *options, answer_key=key))[check] is None


def test_balancing_swap_when_the_letter_is_too_frequent_then_the_rarest_takes_its_place(
    session: Session,
) -> None:
    item = add_item(session, *PLAIN)
    swap = balancing_swap(item, counts={"A": 9, "B": 20, "C": 1})
    assert swap is not None
    session.execute(swap).result()
    assert stored(session, item).answer_key == "C"
    assert balancing_swap(item, counts={"A": 9, "B": 9, "C": 9}) is None
    assert balancing_swap(item, counts={"A": 20, "B": 5, "C": 5}) is None
