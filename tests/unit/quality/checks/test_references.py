from __future__ import annotations

from collections.abc import Callable

import pytest

from annotator.domain.item import Item
from annotator.quality.checks.references import MissingMedia, UnknownRegions
from annotator.quality.context import CheckContext
from tests.hangs import soon


def _item(make_item: Callable[..., Item], **fields: object) -> Item:
    sound = {
        "task_set": "spatialuav",
        "task": "region_recognition",
        "options": (),
        "answer_format": "region_set",
    }
    return make_item(
        **(sound | {"question": "Which regions contain a car?", "answer_key": "Region 3, 4."} | fields)
    )


def test_unknown_region_when_the_key_names_one_that_is_not_there_then_it_is_named(
    make_item: Callable[..., Item], make_context: Callable[..., CheckContext]
) -> None:
    hit = UnknownRegions().check_item(_item(make_item), make_context(seen={0, 1, 3}))
    assert hit is not None
    assert (hit.message, hit.field) == ("No media file of this item contains Region 4.", "answer_key")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"question": "What is in Region 9?"}, "question"),
        ({"question": "Compare regions 3, 4 and 17."}, "question"),
        ({"question": "区域 9 里有什么？"}, "question"),
    ],
)
def test_unknown_region_when_the_question_names_one_then_the_question_is_named(
    make_item: Callable[..., Item],
    make_context: Callable[..., CheckContext],
    fields: dict[str, object],
    field: str,
) -> None:
    hit = UnknownRegions().check_item(_item(make_item, **fields), make_context(seen={3, 4}))
    assert hit is not None
    assert hit.field == field


def test_unknown_region_when_an_option_names_one_then_options_are_named(
    make_item: Callable[..., Item], make_context: Callable[..., CheckContext]
) -> None:
    hit = UnknownRegions().check_item(make_item("Region 3", "Region 8"), make_context(seen={3}))
    assert hit is not None
    assert (hit.message, hit.field) == ("No media file of this item contains Region 8.", "options")


def test_unknown_region_when_the_media_have_no_regions_then_nothing_is_said(
    make_item: Callable[..., Item], make_context: Callable[..., CheckContext]
) -> None:
    assert UnknownRegions().check_item(_item(make_item), make_context()) is None


def test_unknown_region_when_the_region_is_in_another_view_of_the_item_then_nothing_is_said(
    make_item: Callable[..., Item], make_context: Callable[..., CheckContext]
) -> None:
    item = _item(make_item, media=("seen", "unseen"))
    assert UnknownRegions().check_item(item, make_context(seen={3}, unseen={4})) is None


@pytest.mark.parametrize(
    "question",
    [
        "Which regions hold a car? Answer formatted exactly like `Region 1, 2`.",
        "Which regions hold a car? Give them like Region 1, 2.",
        "Which regions hold a car, e.g. Region 7?",
    ],
)
def test_unknown_region_when_a_region_is_only_an_example_then_nothing_is_said(
    make_item: Callable[..., Item], make_context: Callable[..., CheckContext], question: str
) -> None:
    assert UnknownRegions().check_item(_item(make_item, question=question), make_context(seen={3, 4})) is None


def test_unknown_region_when_no_region_is_spoken_of_then_media_are_not_asked(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    asked = []
    context.regions = lambda medium: asked.append(medium) or frozenset()
    assert UnknownRegions().check_item(make_item(), context) is None
    assert asked == []


def test_unknown_region_when_a_pair_is_the_wrong_way_round_then_the_pair_is_named(
    make_item: Callable[..., Item], make_context: Callable[..., CheckContext]
) -> None:
    surroundings = make_context(seen={3, 4}, unseen={5, 15})
    pairs = {"answer_format": "pair_list", "media": ("seen", "unseen"), "question": "Which pairs are shared?"}
    assert (
        UnknownRegions().check_item(_item(make_item, answer_key="3-15, 4-5", **pairs), surroundings) is None
    )
    hit = UnknownRegions().check_item(_item(make_item, answer_key="3-15, 5-4", **pairs), surroundings)
    assert hit is not None
    assert (hit.message, hit.field) == ("The two views do not contain these regions: 5-4.", "answer_key")


@pytest.mark.parametrize(
    ("media", "text"),
    [
        ((), "The item has no image or video."),
        (("seen", "unseen"), "Files not in the project: unseen.jpg."),
        (("gone",), "Files not in the project: a removed media file."),
        (("unseen",) * 5, "Files not in the project: unseen.jpg, unseen.jpg, unseen.jpg and 2 more."),
    ],
)
def test_missing_media_when_a_file_was_not_seen_then_it_is_named(
    make_item: Callable[..., Item], context: CheckContext, media: tuple[str, ...], text: str
) -> None:
    hit = MissingMedia().check_item(make_item(media=media), context)
    assert hit is not None
    assert hit.message == text


def test_missing_media_when_the_item_is_of_no_task_set_then_may_be_about_text(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    assert MissingMedia().check_item(make_item(media=(), task_set="", task=""), context) is None


def test_missing_media_when_all_were_seen_then_nothing_is_said(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    assert MissingMedia().check_item(make_item(), context) is None


def test_unknown_region_when_a_number_has_thousands_of_digits_then_is_a_finding_like_any(
    make_item: Callable[..., Item], make_context: Callable[..., CheckContext]
) -> None:
    surroundings = make_context(seen={3, 4}, unseen={5})
    pairs = {"answer_format": "pair_list", "media": ("seen", "unseen"), "question": "Which pairs are shared?"}
    endless = "1" * 50_000
    with soon():
        asked = UnknownRegions().check_item(_item(make_item, question=f"Region {endless}?"), surroundings)
        keyed = UnknownRegions().check_item(
            _item(make_item, answer_key=f"{endless}! 3-4", **pairs), surroundings
        )
    assert asked is not None
    assert asked.field == "question"
    assert keyed is not None
    assert keyed.message == "The two views do not contain these regions: 3-4."
