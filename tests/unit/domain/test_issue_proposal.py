from __future__ import annotations

import msgspec
import pytest

from annotator.domain.issue_proposal import is_changed, propose_issue_classes
from annotator.domain.item import Item, Option

DRAFT = Item(
    id="i",
    name="item",
    task_set="aircop",
    question="Is the car left of the bus?",
    options=(Option(letter="A", text="Yes"), Option(letter="B", text="No")),
    answer_key="A",
)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ()),
        ({"state": "refined"}, ()),
        ({"question": "Is the car near the bus?"}, ("question",)),
        ({"question": "Is the car right of the bus?"}, ("direction",)),
        ({"answer_key": "B"}, ("options",)),
        ({"options": (Option(letter="A", text="Yes"), Option(letter="B", text="Never"))}, ("options",)),
        ({"question": "What?", "answer_key": "B"}, ("question", "options")),
    ],
)
def test_classes_when_fields_change_then_are_proposed(
    changes: dict[str, object], expected: tuple[str, ...]
) -> None:
    item = msgspec.structs.replace(DRAFT, **changes)
    assert propose_issue_classes(DRAFT, item) == expected
    assert is_changed(DRAFT, item) == bool(expected)


def test_direction_when_chinese_then_is_recognised() -> None:
    draft = msgspec.structs.replace(DRAFT, question="车在左边吗？")
    item = msgspec.structs.replace(DRAFT, question="车在右边吗？")
    assert propose_issue_classes(draft, item) == ("direction",)
