"""46 replies for each answer format, labelled by hand: read as a person reads them, or unparsed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.domain import answers
from annotator.domain.answers import AnswerContext
from annotator.domain.item import LETTERS, Option

REPLIES = Path(__file__).parent / "replies"
TEXTS = {
    "option_letter": ("a red car", "a blue bus", "a white van", "a bicycle"),
    "span_set": ("bed", "chair", "dining table", "table", "lamp", "sofa"),
}
ESCAPES = {r"\n": "\n", r"\r": "\r", r"\t": "\t"}


def unescape(text: str) -> str:
    for escape, character in ESCAPES.items():
        text = text.replace(escape, character)
    return text


def replies_of(format_id: str) -> Iterator[tuple[str, str]]:
    """Yield each reply of a format with the canonical text of its answer, or "unparsed"."""
    for line in (REPLIES / f"{format_id}.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            reply, _, answer = line.rpartition(" => ")
            yield unescape(reply), unescape(answer)


CASES = [(format_id, *case) for format_id in answers.formats() for case in replies_of(format_id)]


@pytest.mark.parametrize(("format_id", "reply", "answer"), CASES)
def test_strict_reply_when_labelled_by_hand_then_read_so_or_unparsed(
    format_id: str, reply: str, answer: str
) -> None:
    options = tuple(
        Option(letter=letter, text=text)
        for letter, text in zip(LETTERS, TEXTS.get(format_id, ()), strict=False)
    )
    read = answers.get(format_id).canonical(reply, context=AnswerContext(options=options))
    assert (read or "unparsed") == answer


def test_replies_when_counted_then_each_format_has_46_different_ones() -> None:
    counts = {format_id: len(dict(replies_of(format_id))) for format_id in answers.formats()}
    assert counts == dict.fromkeys(answers.formats(), 46)
