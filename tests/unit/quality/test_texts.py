from __future__ import annotations

from collections.abc import Callable

from annotator.domain.item import Item
from annotator.quality.texts import texts_of


def test_texts_of_when_there_are_options_then_the_key_is_no_text(make_item: Callable[..., Item]) -> None:
    texts = texts_of(make_item("left", "right", question="Where?", answer_key="A"))
    assert texts == [("question", "Where?", None), ("options", "left", 0), ("options", "right", 1)]


def test_texts_of_when_there_are_no_options_then_the_key_is_read(make_item: Callable[..., Item]) -> None:
    texts = texts_of(make_item(question="How does it move?", options=(), answer_key="It rises."))
    assert texts == [("question", "How does it move?", None), ("answer_key", "It rises.", None)]
