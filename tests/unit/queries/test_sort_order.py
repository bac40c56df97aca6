from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from annotator.domain.item import Item, ItemState
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery, MediumQuery, SceneQuery, SortOrder
from annotator.domain.record import Record
from annotator.domain.scene import Scene
from annotator.queries.sort_order import COLUMNS, KEPT_ORDERS, OF_ITEM, Numbers
from annotator.session import Session
from tests.unit.store.making import changed, created, removed, write
from tests.windows import make_flag, make_item, make_project, small_project

STATES = ("rejected", "drafted", "accepted", "flagged")


@pytest.fixture(scope="module")
def sortable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a project of items that differ in all that lists sort by, and of scenes and media."""
    items = [
        make_item(n, name=f"{'bB'[n % 2]}{n % 5}", state=STATES[n % 4], task=("b", "a", "")[n % 3])
        for n in range(24)
    ]
    flags = [make_flag("item", item.id, kind) for n, item in enumerate(items) for kind in ("x", "y")[: n % 3]]
    return make_project(tmp_path_factory.mktemp("sort") / "sort.vantage", [*small_project(), *items, *flags])


def names(session: Session, order: SortOrder, query: ItemQuery | None = None) -> list[str]:
    reader = session.reader
    numbers = reader.items.numbers(query or ItemQuery())
    return [row.name for row in reader.items.rows(reader.order.sorted_numbers(Item, numbers, order=order))]


def test_sorted_numbers_of_every_column_then_are_the_whole_selection_each_once(sortable: Path) -> None:
    with Session.open(sortable) as session:
        reader = session.reader
        selections: dict[type[Record], Numbers] = {
            Item: reader.items.numbers(ItemQuery(states=("drafted", "accepted"))),
            Scene: reader.scenes.numbers(SceneQuery()),
            Medium: reader.media.numbers(MediumQuery()),
        }
        for kind, numbers in selections.items():
            entity = kind.table.entity
            columns = {*COLUMNS[entity], *(OF_ITEM if entity == "item" else ()), ""}
            for column, is_descending in product(sorted(columns), (False, True)):
                order = SortOrder(column=column, is_descending=is_descending)
                found = reader.order.sorted_numbers(kind, numbers, order=order)
                assert sorted(found.tolist()) == numbers.tolist(), (entity, order)


def test_sorted_numbers_when_compared_with_python_then_are_in_the_same_order(sortable: Path) -> None:
    with Session.open(sortable) as session:
        rows = session.reader.items.rows(session.reader.items.numbers(ItemQuery()))
        workflow = get_args(ItemState)
        keys = {
            "name": lambda row: row.name.lower(),
            "state": lambda row: workflow.index(row.state),
            "task": lambda row: (row.task, row.task_set),
            "flags": lambda row: (len(row.flags), " ".join(row.flags)),
        }
        for column, key in keys.items():
            assert names(session, SortOrder(column=column)) == [row.name for row in sorted(rows, key=key)]
            falling = [row.name for row in sorted(rows, key=key, reverse=True)]
            backwards = names(session, SortOrder(column=column, is_descending=True))
            assert sorted(backwards) == sorted(falling)
            assert [key(r) for r in by_name(rows, backwards)] == [key(r) for r in by_name(rows, falling)]


def by_name(rows: list, wanted: list[str]) -> list:
    """Return rows by names that several may have, each row once."""
    left = list(rows)
    found = []
    for name in wanted:
        row = next(row for row in left if row.name == name)
        left.remove(row)
        found.append(row)
    return found


def test_sorted_numbers_when_a_record_changes_then_the_last_change_comes_first(session: Session) -> None:
    items = [make_item(n) for n in range(4)]
    write(session, *(created("item", item) for item in items))
    newest = SortOrder(column="changed", is_descending=True)
    write(session, *changed("item", items[1].id, state="accepted"))
    assert names(session, newest)[0] == "item_00001"
    row = session.reader.items.rows(session.reader.items.numbers(ItemQuery()))[1]
    assert row.changed_at == session.reader.history.of(items[1].id)[0].wall_time
    write(session, removed("item", items[1].id))
    assert "item_00001" not in names(session, newest)


def test_sorted_numbers_when_no_column_is_named_then_are_in_order_of_arrival(session: Session) -> None:
    numbers = np.array([3, 5, 9])
    order = SortOrder(is_descending=True)
    assert session.reader.order.sorted_numbers(Item, numbers, order=SortOrder()).tolist() == [3, 5, 9]
    assert session.reader.order.sorted_numbers(Item, numbers, order=order).tolist() == [9, 5, 3]


def test_orders_when_many_are_asked_for_then_only_some_stay_in_memory(sortable: Path) -> None:
    with Session.open(sortable) as session:
        for column in ("name", "state", "task", "task_set", "flags", "changed"):
            names(session, SortOrder(column=column))
        assert len(session.reader.order._orders) == KEPT_ORDERS


def test_sorted_numbers_when_the_column_is_unknown_then_is_an_error(session: Session) -> None:
    with pytest.raises(KeyError):
        session.reader.order.sorted_numbers(Item, np.array([1]), order=SortOrder(column="question"))
