from __future__ import annotations

import pytest

from annotator.domain.typed_links import NumberedView, parse_links
from annotator.errors import UserError

VIEWS = (
    NumberedView(name="UAV1", regions={3: "a3", 4: "a4"}),
    NumberedView(name="UAV2", regions={15: "b15", 5: "b5"}),
    NumberedView(name="ground", regions={0: "c0"}),
)


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("3-15", (("a3", "b15"),)),
        (" 3 - 15 , 4–5-0", (("a3", "b15"), ("a4", "b5", "c0"))),
        ("3--0", (("a3", "c0"),)),
        ("-15-0; 3-5", (("b15", "c0"), ("a3", "b5"))),
        ("03-015", (("a3", "b15"),)),
    ],
)
def test_links_when_typed_then_are_the_regions_of_the_views_in_order(
    text: str, links: tuple[tuple[str, ...], ...]
) -> None:
    assert parse_links(text, views=VIEWS) == links


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "No link", "3-15"),
        ("3", "names one region", "3-15"),
        ("3-4-5-6", "4 numbers", "3-15"),
        ("3-b", "not a link", "3-15"),
        ("3-99", "UAV2 has no region 99", "Region 5 to 15"),
        ("3-15, 3-5", "in two of the links", "once"),
    ],
)
def test_links_when_they_cannot_be_then_words_say_why_and_what_to_type(
    text: str, message: str, hint: str
) -> None:
    with pytest.raises(UserError, match=message) as raised:
        parse_links(text, views=VIEWS)
    assert hint in raised.value.hint


def test_link_when_a_view_has_no_regions_then_says_what_to_do() -> None:
    with pytest.raises(UserError) as raised:
        parse_links("1-2", views=(NumberedView(name="UAV1", regions={}), VIEWS[1]))
    assert raised.value.hint == "Mark its regions first."
