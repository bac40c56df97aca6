"""Which items of what was chosen are asked, and why others are not."""

from __future__ import annotations

import msgspec
import pytest

from annotator.domain.eval_settings import EvalSettings, EvaluationSettings, ExclusionReason
from annotator.domain.item import Item, Option

OPTIONS = (Option(letter="A", text="a red car"), Option(letter="B", text="a bus"))


def an_item(*, answer_key: str = "A", answer_format: str = "option_letter", state: str = "drafted") -> Item:
    return Item(
        name="q1",
        task_set="aircop",
        task="Scene_Description",
        state=state,  # type: ignore[arg-type]
        options=OPTIONS if answer_format == "option_letter" else (),
        answer_format=answer_format,
        answer_key=answer_key,
    )


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (an_item(), None),
        (an_item(answer_key=""), ExclusionReason.NO_KEY),
        (an_item(answer_key=" \n"), ExclusionReason.NO_KEY),
        (an_item(answer_key="C"), ExclusionReason.BAD_KEY),
        (an_item(answer_key="A, B"), ExclusionReason.BAD_KEY),
        (an_item(answer_format="clock", answer_key="2 o'clock"), None),
        (an_item(answer_format="trajectory", answer_key="1 2 3"), ExclusionReason.FORMAT),
        (an_item(answer_format="free_text", answer_key="It rises."), ExclusionReason.WORDS),
        (an_item(answer_format="instruction_text", answer_key=""), ExclusionReason.WORDS),
    ],
)
def test_left_out_when_an_item_lies_in_what_was_chosen_then_says_why(
    item: Item, reason: ExclusionReason | None
) -> None:
    assert EvalSettings().selects(item)
    assert EvalSettings().exclusion_reason(item) is reason


@pytest.mark.parametrize("settings", [EvalSettings(formats=("free_text",)), EvalSettings(items=("1" * 32,))])
def test_left_out_when_somebody_asks_for_texts_then_they_are_asked(settings: EvalSettings) -> None:
    assert settings.exclusion_reason(an_item(answer_format="free_text", answer_key="It rises.")) is None
    assert (
        settings.exclusion_reason(an_item(answer_format="free_text", answer_key="?!"))
        is ExclusionReason.BAD_KEY
    )


@pytest.mark.parametrize(
    ("settings", "item", "is_about"),
    [
        (EvalSettings(task_sets=("spatialuav",)), an_item(), False),
        (EvalSettings(task_sets=("aircop",)), an_item(), True),
        (EvalSettings(tasks=("Counting",)), an_item(), False),
        (EvalSettings(formats=("clock",)), an_item(), False),
        (EvalSettings(), an_item(state="filtered"), False),
        (EvalSettings(), an_item(state="rejected"), False),
        (EvalSettings(states=("filtered",)), an_item(state="filtered"), True),
        (EvalSettings(states=("filtered",)), an_item(), False),
    ],
)
def test_is_about_when_a_part_is_chosen_then_only_its_items_are(
    settings: EvalSettings, item: Item, is_about: bool
) -> None:
    assert settings.selects(item) is is_about


def test_settings_when_they_are_stored_then_the_visual_input_has_the_name_of_earlier_versions():
    settings = EvaluationSettings(visual_input="blind")
    assert settings.to_json()["sight"] == "blind"
    assert msgspec.convert({"sight": "sighted"}, EvalSettings).visual_input == "sighted"
