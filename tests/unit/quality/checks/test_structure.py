from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from annotator.domain.item import Item, Option
from annotator.quality.checks.structure import KeyInOptions, OptionLetters, RequiredFields
from annotator.quality.context import CheckContext


@pytest.mark.parametrize("field", ["name", "task", "question", "answer_key"])
def test_required_fields_when_one_is_blank_then_it_is_named(
    make_item: Callable[..., Item], context: CheckContext, field: str
) -> None:
    hit = RequiredFields().check_item(make_item(**{field: "  "}), context)
    assert hit is not None
    assert (hit.message, hit.field) == (f"Empty: {'answer key' if field == 'answer_key' else field}.", field)


def test_required_fields_when_all_are_there_then_nothing_is_said(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    assert RequiredFields().check_item(make_item(), context) is None


def test_required_fields_when_several_are_blank_then_all_are_named(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    hit = RequiredFields().check_item(make_item(question="", answer_key="", options=()), context)
    assert hit is not None
    assert hit.message == "Empty: question, answer key, options."


def test_required_fields_when_a_published_row_has_no_options_then_they_are_missing(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    row = make_item(task_set="urbanvideo", task="causal", options=(), answer_key="B")
    hit = RequiredFields().check_item(row, context)
    assert hit is not None
    assert hit.field == "options"


@pytest.mark.parametrize(
    ("task", "answer_format"),
    [("region_recognition", "region_set"), ("a2a_collaboration_recognition", "option_letter")],
)
def test_required_fields_when_the_format_or_task_has_no_option_texts_then_none_are_asked_for(
    make_item: Callable[..., Item], context: CheckContext, task: str, answer_format: str
) -> None:
    item = make_item(
        task_set="spatialuav", task=task, answer_format=answer_format, options=(), answer_key="B"
    )
    assert RequiredFields().check_item(item, context) is None


def _relettered(item: Item, letters: str) -> Item:
    options = [Option(letter=letter, text=o.text) for o, letter in zip(item.options, letters, strict=True)]
    return msgspec.structs.replace(item, options=tuple(options))


@pytest.mark.parametrize("letters", ["BCDE", "ABDE", "ACBD", "abcd", "AABC"])
def test_option_keys_when_letters_are_not_a_to_d_in_order_then_they_are_shown(
    make_item: Callable[..., Item], context: CheckContext, letters: str
) -> None:
    hit = OptionLetters().check_item(_relettered(make_item(), letters), context)
    assert hit is not None
    assert ", ".join(letters) in hit.message
    assert "exactly A to D" in hit.message


def test_option_keys_when_aircop_has_three_options_then_it_is_said(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    assert OptionLetters().check_item(make_item("4", "5", "6"), context) is not None


def test_option_keys_when_the_task_is_not_known_then_two_to_nine_will_do(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    for count in range(2, 10):
        texts = [f"choice {n}" for n in range(count)]
        assert OptionLetters().check_item(make_item(*texts, task_set="ours", task="odd"), context) is None
    assert OptionLetters().check_item(make_item("only one", task_set="ours", task="odd"), context) is not None


def test_option_keys_when_the_set_has_three_options_for_a_task_then_three_are_right(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    item = make_item("decreases", "increases", "constant", task_set="urbanvideo", task="proximity")
    assert OptionLetters().check_item(item, context) is None


def test_option_keys_when_the_format_has_no_options_then_nothing_is_said(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    item = make_item("one", task_set="spatialuav", task="region_recognition", answer_format="region_set")
    assert OptionLetters().check_item(item, context) is None


@pytest.mark.parametrize(
    ("key", "phrase"),
    [("E", "is not among the options"), ("a", "is not among the options"), ("A, B", "several options")],
)
def test_key_in_options_when_the_key_is_no_option_then_the_message_quotes_it(
    make_item: Callable[..., Item], context: CheckContext, key: str, phrase: str
) -> None:
    hit = KeyInOptions().check_item(make_item(answer_key=key), context)
    assert hit is not None
    assert hit.field == "answer_key"
    assert repr(key) in hit.message
    assert phrase in hit.message


@pytest.mark.parametrize(
    "fields",
    [
        {"answer_key": "D"},
        {"answer_key": ""},
        {"answer_key": "X", "options": ()},
        {"answer_key": "Region 3", "answer_format": "region_set"},
    ],
)
def test_key_in_options_when_key_is_right_or_not_a_letter_then_nothing_is_said(
    make_item: Callable[..., Item], context: CheckContext, fields: dict[str, object]
) -> None:
    assert KeyInOptions().check_item(make_item(**fields), context) is None
