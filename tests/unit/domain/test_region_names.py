"""Names of regions in texts: numbers, their views, and texts with another number."""

from __future__ import annotations

import msgspec
import pytest

from annotator.domain.item import Item, Option
from annotator.domain.region_names import find_key_names, find_region_names, names_by_field, with_new_number

VIEWS = ("UAV1", "UAV2")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which region shows the same car as Region 7 in UAV1?", [(7, 0)]),
        ("Is Region 7 of the second image larger than region 12 (UAV1)?", [(7, 1), (12, 0)]),
        ("In UAV2, Region 3 hides UAV1's Region 4.", [(3, 1), (4, 0)]),
        ("Regions 3, 4 and 15 of image 2 stand still.", [(3, 1), (4, 1), (15, 1)]),
        ("Region #8 [Region 9] region_10", [(8, None), (9, None), (10, None)]),
        ("第二张图中的区域7和区域8", [(7, 1), (8, None)]),
        ("The UAV7 passes 7 regions in 7 s.", []),
        ("Region 70 in UAV12", [(70, None)]),
        ("Region 3, 20 m ahead", [(3, None)]),
        ("Region 3 and 5 cars", [(3, None)]),
        ("Regions 3 and 5 show cars", [(3, None), (5, None)]),
    ],
)
def test_find_region_names_when_regions_are_named_then_numbers_and_views_are_found(
    text: str, expected: list[tuple[int, int | None]]
) -> None:
    found = find_region_names(text, views=VIEWS)
    assert [(name.number, name.view) for name in found] == expected
    assert all(text[name.start : name.end] == str(name.number) for name in found)


def test_find_region_names_when_the_form_of_the_answer_is_described_then_examples_are_no_names() -> None:
    text = "Which region is nearest to Region 2? Answer formatted exactly like `Region 1`."
    assert [name.number for name in find_region_names(text, has_examples=True)] == [2]
    assert [name.number for name in find_region_names(text)] == [2, 1]


def test_find_region_names_when_a_region_looks_like_another_then_both_are_names() -> None:
    text = "Which region looks most like Region 3? Answer with a list like Region 1, Region 2."
    assert [name.number for name in find_region_names(text, has_examples=True)] == [3]


@pytest.mark.parametrize(
    ("answer_format", "key", "expected"),
    [
        ("region_set", "Region 3, 14", [(3, None), (14, None)]),
        ("pair_list", "3-15, 4-5", [(3, 0), (15, 1), (4, 0), (5, 1)]),
        ("free_text", "Region 3 moves past 4 cars.", [(3, None)]),
        ("clock", "3 o'clock", []),
        ("trajectory", "3 4 5", []),
    ],
)
def test_find_key_names_when_a_key_names_regions_then_a_pair_has_its_views(
    answer_format: str, key: str, expected: list[tuple[int, int | None]]
) -> None:
    item = Item(name="i", task_set="own", answer_format=answer_format, answer_key=key)
    assert [(name.number, name.view) for name in find_key_names(item)] == expected


def test_with_new_number_when_a_region_is_named_in_each_field_then_all_follow() -> None:
    options = (Option(letter="A", text="Region 7"), Option(letter="B", text="Region 77 and 7"))
    item = Item(name="i", task_set="own", question="Is Region 7 7 m from Region 8?", options=options)
    item = msgspec.structs.replace(item, answer_key="B")
    after = with_new_number(item, number=123, concerns=lambda name: name.number == 7)
    assert after.question == "Is Region 123 7 m from Region 8?"
    assert [option.text for option in after.options] == ["Region 123", "Region 77 and 123"]
    assert after.answer_key == "B"
    assert [field for field, _ in names_by_field(item)] == [
        "question",
        "options[0]",
        "options[1]",
        "answer_key",
    ]
    pair = Item(name="p", task_set="own", answer_format="pair_list", answer_key="7-7, 8-7")
    moved = with_new_number(pair, number=9, concerns=lambda name: name.number == 7 and name.view == 1)
    assert moved.answer_key == "7-9, 8-9"
