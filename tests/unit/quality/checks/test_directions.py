from __future__ import annotations

from collections.abc import Callable

import pytest

from annotator.domain.item import Item
from annotator.quality.checks.directions import AbsoluteDirection, find_directions
from annotator.quality.context import CheckContext


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The drone flies north over the lake.", ["north"]),
        ("It turns South-East, then north west.", ["South-East", "north west"]),
        ("to the northeastern corner, heading westwards", ["northeastern", "westwards"]),
        ("North of the building, then eastbound", ["North", "eastbound"]),
        ("north or south", ["north", "south"]),
        ("north south", ["north", "south"]),
        ("无人机向北飞行", ["向北"]),
        ("在建筑物的东北方", ["东北方"]),
        ("位于西侧，往南走", ["西侧", "往南"]),
        ("北", ["北"]),
        ("the tree on the left side of the map", ["left side of the map"]),
        ("It is at the upper right of the map.", ["upper right of the map"]),
        ("在地图左上角", ["地图左上角"]),
    ],
)
def test_find_directions_when_the_compass_is_named_then_each_word_is_found(
    text: str, found: list[str]
) -> None:
    assert find_directions(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "It turns left at North Street towards East Gate.",
        "a Western-style roof and an eastern restaurant",
        "Southampton and a weste",
        "这些东西在北京的路上",
        "地图上有几个房间",
        "What does the map show to the left of the lake?",
        "ahead, to its left, behind it",
    ],
)
def test_find_directions_when_it_is_a_name_or_manner_then_nothing_is_found(text: str) -> None:
    assert find_directions(text) == []


def test_find_directions_when_a_name_is_written_small_then_it_is_taken_for_a_direction() -> None:
    assert find_directions("along north street") == ["north"]


def test_absolute_direction_when_it_stands_in_an_option_then_words_come_once(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    hit = AbsoluteDirection().check_item(make_item("I fly north and north again", "I fly left"), context)
    assert hit is not None
    assert (hit.message, hit.field) == ("Compass directions: north.", "options")


def test_absolute_direction_when_the_key_is_a_text_then_it_is_read(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    item = make_item(options=(), answer_format="instruction_text", answer_key="Fly north along the road.")
    hit = AbsoluteDirection().check_item(item, context)
    assert hit is not None
    assert hit.field == "answer_key"


def test_absolute_direction_when_all_is_relative_then_nothing_is_said(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    assert AbsoluteDirection().check_item(make_item("I turn left", "I fly ahead"), context) is None
