"""The Library's pages of answer letters and of near-duplicates, in the real window."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.commands.findings import RecordFindings
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.session import Session
from tests.e2e.conftest import Open, Person
from tests.windows import AddRecords, make_item, make_project, option
from widgets.library.balance_page import BalancePage
from widgets.library.duplicates_page import DuplicatesPage

OPTIONS = tuple(
    option(letter, text) for letter, text in zip("ABC", ("a pond", "the lake", "a quay"), strict=True)
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write the small project with 30 items whose answer is always A, and with one of them twice."""
    path = make_project(tmp_path / "pilot.vantage")
    items = [
        make_item(
            100 + n,
            task="scene_description",
            question=f"What lies beside the {n} white barges of the harbour?",
            options=OPTIONS,
            answer_key="A",
        )
        for n in range(30)
    ]
    twin = make_item(
        999, task="scene_description", question=items[3].question[:-1], options=OPTIONS, answer_key="A"
    )
    with Session.open(path) as session:
        session.execute(AddRecords(records=[*items, twin])).result()
        session.execute(RecordFindings(checks=("near_duplicate",))).result()
    return path


def stored(person: Person) -> dict[str, Item]:
    assert person.window.controller.session is not None
    return {item.name: item for item in person.window.controller.session.reader.find(Item)}


def test_balance_page_when_letters_are_uneven_then_one_button_balances_them_and_undo_takes_it_back(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    person.press("Alt+L")
    person.settle()
    page = person.library.pages.shown
    assert isinstance(page, BalancePage)
    assert page.balances is not None
    index, balance = next(
        (n, each) for n, each in enumerate(page.balances) if each.task == "scene_description"
    )
    assert balance.is_uneven
    assert page.plots[index].heights()[:3] == [1.0, 0.0, 0.0]
    page.balance_buttons[index].click()
    person.settle()
    person.qtbot.waitUntil(lambda: page.balances is not None and page.balances[index].letters[0] < 12)
    assert sorted(page.balances[index].letters) == [10, 10, 11]
    person.press("Ctrl+Z")
    person.settle()
    person.qtbot.waitUntil(lambda: page.balances is not None and page.balances[index].letters == (31, 0, 0))
    assert all(item.answer_key == "A" for name, item in stored(person).items() if name >= "item_00100")


def test_duplicates_page_when_one_side_is_rejected_then_the_pair_leaves_and_undo_brings_it_back(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    person.press("Alt+N")
    person.settle()
    page = person.library.pages.shown
    assert isinstance(page, DuplicatesPage)
    (card,) = page.cards
    assert {card.pair.first.name, card.pair.second.name} == {"item_00103", "item_00999"}
    name = card.pair.second.name
    card.choices["second"].click()
    person.settle()
    person.qtbot.waitUntil(lambda: not page.cards)
    assert stored(person)[name].state == "rejected"
    person.press("Ctrl+Z")
    person.settle()
    person.qtbot.waitUntil(lambda: len(page.cards) == 1)


def test_duplicates_page_when_both_are_kept_or_shown_then_flags_close_and_the_list_has_both(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    person.press("Alt+N")
    person.settle()
    page = person.library.pages.shown
    assert isinstance(page, DuplicatesPage)
    pair = page.cards[0].pair
    page.cards[0].choices["keep"].click()
    person.settle()
    person.qtbot.waitUntil(lambda: not page.cards)
    assert person.window.controller.session is not None
    flags = person.window.controller.session.reader.find(Flag, kind="near_duplicate")
    assert {flag.state for flag in flags} == {"dismissed"}
    asked: list[ItemQuery] = []
    page.query_chosen.connect(asked.append)
    person.press("Ctrl+Z")
    person.settle()
    person.qtbot.waitUntil(lambda: len(page.cards) == 1)
    page.cards[0].choices["show"].click()
    person.settle()
    assert asked == [ItemQuery(ids=(pair.first.id, pair.second.id))]
    assert person.library.pages.shown is None
