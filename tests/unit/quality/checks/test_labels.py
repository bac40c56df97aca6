"""Answers against the event labels of their views."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from annotator.domain.event_label import EventLabel, ObjectCount
from annotator.domain.item import Item
from annotator.quality.checks.labels import LabelContradiction
from annotator.quality.context import CheckContext

MakeItem = Callable[..., Item]


def said(item: Item, *labels: EventLabel) -> str:
    context = CheckContext(
        find_medium=lambda _: None, find_regions=lambda _: frozenset(), find_labels=lambda _: labels
    )
    hit = LabelContradiction().check_item(item, context)
    return hit.message if hit else ""


def label(**fields: object) -> EventLabel:
    return EventLabel(view="UAV1", **fields)  # type: ignore[arg-type]


COUNT = {"value": 60, "approximate": True}


@pytest.mark.parametrize(
    ("task", "answer", "fields", "has"),
    [
        ("object_counting", "12", {"count": ObjectCount(value=12)}, ""),
        ("object_counting", "13 vehicles", {"count": ObjectCount(value=12)}, "12"),
        ("object_counting", "0", {"count": ObjectCount(**COUNT)}, "about 60"),
        ("object_counting", "55", {"count": ObjectCount(**COUNT)}, ""),
        ("object_counting", "many", {"count": ObjectCount(value=12)}, ""),
        ("object_counting", "12", {"count": ObjectCount()}, ""),
        ("quality_assessment", "4 (good)", {"quality": 4}, ""),
        ("quality_assessment", "Good (4/5)", {"quality": 2}, "level 2"),
        ("usability_assessment", "No, not usable", {"usable": True}, "yes"),
        ("usability_assessment", "Yes, barely usable", {"usable": True}, ""),
        ("when_to_collaborate", "Yes, it is occluded", {"when": False}, "no"),
        ("when_to_collaborate", "Perhaps", {"when": False}, ""),
        ("who_to_collaborate", "UAV2 and UAV3", {"who": ("UAV2", "UAV3")}, ""),
        ("who_to_collaborate", "None", {"who": ("UAV2",)}, "UAV2"),
        ("who_to_collaborate", "UAV4", {"who": ("UAV2", "UAV3")}, "UAV2, UAV3"),
    ],
)
def test_label_contradiction_when_the_label_has_something_else_then_it_says_what(
    make_item: MakeItem, task: str, answer: str, fields: dict[str, object], has: str
) -> None:
    item = make_item(answer, "something else", task=task, view="UAV1", answer_key="A")
    expected = f"The answer is {answer!r}, the event label has {has}." if has else ""
    assert said(item, label(**fields)) == expected


def test_label_contradiction_when_one_of_two_labels_agrees_or_is_of_another_view_then_nothing_is_said(
    make_item: MakeItem,
) -> None:
    item = make_item("3", "4", task="object_counting", view="UAV1", answer_key="A")
    agrees, differs = label(count=ObjectCount(value=3)), label(count=ObjectCount(value=4))
    assert said(item, differs, agrees) == ""
    assert said(item, EventLabel(view="UAV2", count=ObjectCount(value=4))) == ""
    assert said(item) == ""
    assert said(item, differs) != ""
