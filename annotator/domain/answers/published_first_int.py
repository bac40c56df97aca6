"""SpatialUAV's reading of a single number: the first integer of the text, whatever it counts.

Source: SpatialUAV, eval_spatialuav.py, parse_oclock and parse_direction_label.
"""

from __future__ import annotations

from annotator.domain.answers.base import ParsedAnswer, Score, right_or_wrong, unreadable
from annotator.domain.answers.numerals import TOO_LONG, published_ints


def parse_first_int(text: str) -> ParsedAnswer[int]:
    """Return the first integer, which may lie outside the format's range."""
    numbers = published_ints(text)
    if numbers is None:
        return ParsedAnswer(reason=TOO_LONG)
    return ParsedAnswer(value=numbers[0]) if numbers else ParsedAnswer(reason="No integer was found.")


def score_first_int(prediction: str, key: str) -> Score:
    """Score as the script does: equal first integers are right, and so is none for a key that has none."""
    guess, truth = published_ints(prediction), published_ints(key)
    if guess is None or truth is None:
        return unreadable(TOO_LONG)
    # "2 of 3 regions: 5" reads 2; an empty list equals an empty list.
    is_correct = guess[:1] == truth[:1]
    if guess:
        return right_or_wrong(is_correct=is_correct)
    return unreadable("No integer was found.", is_correct=is_correct, score=float(is_correct))
