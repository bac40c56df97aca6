"""Checks of the choices against each other: the same text twice, and texts that are nearly the same."""

from __future__ import annotations

import difflib
import itertools
import unicodedata
from collections.abc import Iterator

from rapidfuzz.distance import Indel

from annotator.domain.item import Item, Option
from annotator.quality.check import CheckHit, ItemCheck
from annotator.quality.context import CheckContext

# Source: AirCopBench's draft check, difflib ratio over 0.85.
SIMILARITY_LIMIT = 0.85
# Nine options that are all alike make 36 pairs at 0.3 ms each: three tell enough, and typing stays smooth.
NAMED_PAIRS = 3
# Rounding of the filter below must not drop a pair that lies just above the threshold.
_SLACK = 1e-9


def normalize_option(text: str) -> str:
    """Return a text as two options are compared: NFKC, without case, blanks and a last full stop."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(folded.split()).rstrip(".。")


def similarity(one: str, two: str, *, above: float) -> float:
    """Return difflib's ratio of two texts, or 0.0 where it cannot exceed a threshold.

    difflib's matching blocks are a common subsequence, so that its ratio never exceeds the Indel
    similarity, which is computed a hundred times faster and decides first.
    """
    if Indel.normalized_similarity(one, two) <= above - _SLACK:
        return 0.0
    return difflib.SequenceMatcher(None, one, two).ratio()


class SimilarOptions(ItemCheck):
    """Finds options that are nearly the same."""

    id = "option_similarity"
    severity = "warning"
    title = "Similar options"
    finds = "Two options are so similar that the choice may be unclear."
    advice = "Reword the options so that they differ in meaning, or dismiss the flag if one word is enough."
    threshold = "difflib ratio > 0.85 (AirCopBench's draft check), or the task set's own"
    settings = ("above",)

    def check_item(self, item: Item, context: CheckContext, /) -> CheckHit | None:
        """Name pairs of options that are too alike to be told apart, the first three of them."""
        above = context.setting(item, "option_similarity", "above", default=SIMILARITY_LIMIT)
        pairs = list(itertools.islice(_alike(item, above=above), NAMED_PAIRS + 1))
        if not pairs:
            return None
        listed = ", ".join(text for text, _ in pairs[:NAMED_PAIRS])
        more = " and more" if len(pairs) > NAMED_PAIRS else ""
        message = f"Options that are too similar: {listed}{more}."
        return CheckHit(message=message, field="options", option_index=pairs[0][1])


def _alike(item: Item, *, above: float) -> Iterator[tuple[str, int]]:
    """Yield each pair of options that are alike, in words, with the place of the second."""
    for (_, one), (index, two) in itertools.combinations(enumerate(item.options), 2):
        if one.text.strip() and two.text.strip():
            ratio = similarity(one.text, two.text, above=above)
            if ratio > above:
                yield f"{one.letter} and {two.letter} ({ratio:.2f})", index


class DuplicateOptions(ItemCheck):
    """Finds options that are equal."""

    id = "duplicate_options"
    severity = "error"
    title = "Duplicate options"
    finds = "Two options are equal except for Unicode form, case, spaces and a final full stop."
    advice = "Replace one of the options with another wrong answer."
    threshold = "equal after NFKC and case folding"

    def check_item(self, item: Item, _context: CheckContext, /) -> CheckHit | None:
        """Name the options that say the same."""
        same: dict[str, list[Option]] = {}
        for option in item.options:
            same.setdefault(normalize_option(option.text), []).append(option)
        # An empty option is a missing one, not a repeated one.
        repeated = [options for text, options in same.items() if text and len(options) > 1]
        if not repeated:
            return None
        message = f"Duplicate options: {', '.join(map(_told, repeated))}."
        return CheckHit(message=message, field="options", option_index=_superfluous(item, repeated[0]))


def _superfluous(item: Item, options: list[Option]) -> int:
    """Return the place of the last of equal options, or of the one before if the last is the answer key."""
    others = [option for option in options if option.letter != item.answer_key]
    return item.options.index((others or options)[-1])


def _told(options: list[Option]) -> str:
    return f"{' and '.join(option.letter for option in options)} ({options[0].text.strip()!r})"
