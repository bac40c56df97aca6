"""Which items of what was chosen are asked, and why others are not."""

from __future__ import annotations

import pytest

from annotator.domain.asking import AskSettings, LeftOut
from annotator.domain.item import Item, Option

OPTIONS = (Option(letter="A", text="a red car"), Option(letter="B", text="a bus"))


def an_item(*, key: str = "A", answer_format: str = "option_letter", state: str = "drafted") -> Item:
    return Item(
        name="q1",
        task_set="aircop",
        task="Scene_Description",
        state=state,  # type: ignore[arg-type]
        options=OPTIONS if answer_format == "option_letter" else (),
        answer_format=answer_format,
        key=key,
    )


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (an_item(), None),
        (an_item(key=""), LeftOut.NO_KEY),
        (an_item(key=" \n"), LeftOut.NO_KEY),
        (an_item(key="C"), LeftOut.BAD_KEY),
        (an_item(key="A, B"), LeftOut.BAD_KEY),
        (an_item(answer_format="clock", key="2 o'clock"), None),
        (an_item(answer_format="trajectory", key="1 2 3"), LeftOut.FORMAT),
        (an_item(answer_format="free_text", key="It rises."), LeftOut.WORDS),
        (an_item(answer_format="instruction_text", key=""), LeftOut.WORDS),
    ],
)
def test_left_out_when_an_item_lies_in_what_was_chosen_then_says_why(
    item: Item, reason: LeftOut | None
) -> None:
    assert AskSettings().is_about(item)
    assert AskSettings().left_out(item) is reason


@pytest.mark.parametrize("settings", [AskSettings(formats=("free_text",)), AskSettings(items=("1" * 32,))])
def test_left_out_when_somebody_asks_for_texts_then_they_are_asked(settings: AskSettings) -> None:
    assert settings.left_out(an_item(answer_format="free_text", key="It rises.")) is None
    assert settings.left_out(an_item(answer_format="free_text", key="?!")) is LeftOut.BAD_KEY


@pytest.mark.parametrize(
    ("settings", "item", "is_about"),
    [
        (AskSettings(task_sets=("spatialuav",)), an_item(), False),
        (AskSettings(task_sets=("aircop",)), an_item(), True),
        (AskSettings(tasks=("Counting",)), an_item(), False),
        (AskSettings(formats=("clock",)), an_item(), False),
        (AskSettings(), an_item(state="filtered"), False),
        (AskSettings(), an_item(state="rejected"), False),
        (AskSettings(states=("filtered",)), an_item(state="filtered"), True),
        (AskSettings(states=("filtered",)), an_item(), False),
    ],
)
def test_is_about_when_a_part_is_chosen_then_only_its_items_are(
    settings: AskSettings, item: Item, is_about: bool
) -> None:
    assert settings.is_about(item) is is_about
