"""The replies that no answer can be read from, and that nobody has settled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from annotator.scoring.comparison import ModelEvaluation
from annotator.scoring.released_items import ReleasedItems

TEXTS_SHOWN = 2_000
"""Unreadable texts that are handed over, the most frequent ones; all are counted."""


class UnreadableText(msgspec.Struct, frozen=True, kw_only=True):
    """A reply about one item that no answer can be read from.

    Attributes:
        item: Public id of the item.
        item_id: Its id in the project that it was released from, "" if the release does not say.
        text: The reply.
        models: Names of the models that gave it about this item.
        same_text: Replies with this text about any item of the same answer format.
        question: The question of the item.
        options: Letters and texts of its options.
        answer_format: Id of its answer format.
    """

    item: str
    item_id: str
    text: str
    models: tuple[str, ...]
    same_text: int
    question: str
    options: tuple[tuple[str, str], ...]
    answer_format: str


def unreadable_replies(models: Iterable[ModelEvaluation]) -> dict[tuple[int, str], list[str]]:
    """Return the models that gave each unreadable text, by item and text."""
    found: dict[tuple[int, str], list[str]] = {}
    for model in models:
        for one in model.evaluation.scored:
            is_open = not (one.is_readable or one.prediction.reply or one.flight is not None)
            if is_open and one.prediction.text.strip():
                found.setdefault((one.position, one.prediction.text), []).append(model.model)
    return found


def most_frequent_texts(
    found: Mapping[tuple[int, str], Sequence[str]], released: ReleasedItems
) -> list[UnreadableText]:
    """Return the unreadable texts, those that recur most first; the items of one text stay together."""
    counts: Counter[tuple[str, str]] = Counter()

    def subject(index: int, text: str) -> tuple[str, str]:
        # A decision for all replies with a text is about one answer format.
        return text, released.items[index].item.answer_format

    for one, models in found.items():
        counts[subject(*one)] += len(models)
    ordered = sorted(found, key=lambda one: (-counts[subject(*one)], subject(*one), -len(found[one]), one[0]))
    texts = []
    for index, text in ordered[:TEXTS_SHOWN]:
        item = released.items[index].item
        texts.append(
            UnreadableText(
                item=item.name,
                item_id=item.id,
                text=text,
                models=tuple(found[index, text]),
                same_text=counts[subject(index, text)],
                question=item.question,
                options=tuple((option.letter, option.text) for option in item.options),
                answer_format=item.answer_format,
            )
        )
    return texts
