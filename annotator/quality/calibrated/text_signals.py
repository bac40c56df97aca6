"""Signals of an option's own text, beside the question and the other options. No answer key is used."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from annotator.domain.text_search import words_of

ABSOLUTES = frozenset(
    {"all", "always", "every", "only", "completely", "entirely", "must", "any", "never", "none", "impossible"}
    | {"totally", "exactly", "都", "总", "全", "必"}
)
HEDGES = frozenset(
    {"usually", "often", "may", "might", "can", "could", "likely", "probably", "generally", "some", "mostly"}
    | {"sometimes", "about", "approximately", "partly", "可", "约", "部"}
)
NEGATIONS = frozenset({"not", "no", "none", "never", "neither", "nor", "without", "cannot", "不", "没", "无"})
FUNCTION_WORDS = frozenset((
    "a", "an", "the", "of", "in", "on", "at", "to", "for", "from", "by", "with", "and", "or", "is",
    "are", "was", "were", "be", "been", "it", "its", "this", "that", "these", "those", "which",
    "what", "who", "where", "when", "how", "does", "do", "did", "as", "than", "there", "their",
    "his", "her", "he", "she", "they", "into",
))  # fmt: skip
"""Words that a question and an option share without meaning anything."""
PLURAL_VERBS, SINGULAR_VERBS = (
    frozenset({"are", "were", "have", "do"}),
    frozenset({"is", "was", "has", "does"}),
)
_TOTALITY = re.compile(r"\b(?:all|none|both|neither|any) of (?:the|these|them|those)\b|以上", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ARTICLE = re.compile(r"\b(an?)\s*(?:_+|\.{2,}|…|:)?\s*$", re.IGNORECASE)
_END_MARKS = frozenset(".!?。！？;；")

TEXT_SIGNALS = (
    "length",
    "word_length",
    "overlap",
    "coverage",
    "quoted",
    "similarity",
    "least_similarity",
    "article",
    "agreement",
    "absolute",
    "hedge",
    "negation",
    "totality",
    "capital",
    "end_mark",
    "punctuation",
    "digits",
    "middle_number",
    "large_number",
    "precise_number",
)
"""Names of the signals, in the order of ``text_signals``."""


@dataclass(frozen=True, kw_only=True)
class OptionText:
    """What is read of one option's text, whichever question it belongs to.

    Attributes:
        text: The text without blanks at both ends.
        words: Its words in small letters.
        different_words: The same, each once.
        word_set: The same as a set.
        content_count: Number of different words that are no function words.
        number: Its first number, NaN without one.
        own: The signals that need no other text, in the order of ``_OWN``.
    """

    text: str
    words: tuple[str, ...]
    different_words: tuple[str, ...]
    word_set: frozenset[str]
    content_count: int
    number: float
    own: tuple[float, ...]


@lru_cache(maxsize=65_536)
def read_option(text: str) -> OptionText:
    """Return what is read of an option's text."""
    text = text.strip()
    words = tuple(words_of(text))
    found = _NUMBER.search(text)
    return OptionText(
        text=text,
        words=words,
        different_words=tuple(dict.fromkeys(words)),
        word_set=frozenset(words),
        content_count=len(frozenset(words) - FUNCTION_WORDS),
        number=float(found.group().replace(",", "")) if found and _is_float(found.group()) else math.nan,
        own=(
            math.log1p(len(text)),
            sum(map(len, words)) / max(1, len(words)),
            float(sum(word in ABSOLUTES for word in words)),
            float(sum(word in HEDGES for word in words)),
            float(sum(word in NEGATIONS for word in words)),
            float(_TOTALITY.search(text) is not None),
            float(text[:1].isupper()),
            float(text[-1:] in _END_MARKS),
            float(sum(not char.isalnum() and not char.isspace() for char in text[:-1])),
            float(found is not None),
            float(len(found.group().rstrip("0").replace(".", "").strip(",")) if found else 0),
        ),
    )


def text_signals(question: str, options: Sequence[OptionText]) -> list[tuple[float, ...]]:
    """Return the signals of each option, in the order of ``TEXT_SIGNALS``; "overlap" counts words."""
    asked = words_of(question)
    content = frozenset(asked) - FUNCTION_WORDS
    similar, least = _similarities([option.word_set for option in options])
    articles = _articles(question, options)
    numbers = _agreements(asked, options)
    middle, large = _number_positions([option.number for option in options])
    rows = []
    for index, option in enumerate(options):
        own, common = option.own, len(content & option.word_set)
        rows.append(
            (
                own[0],
                own[1],
                float(common),
                common / max(1, option.content_count),
                float(0 < common == option.content_count),
                similar[index],
                least[index],
                articles[index],
                numbers[index],
                *own[2:10],
                middle[index],
                large[index],
                own[10],
            )
        )
    return rows


def _similarities(words: list[frozenset[str]]) -> tuple[list[float], list[float]]:
    """Return the mean and the least share of common words of each option with the others (Jaccard index)."""
    shares: list[list[float]] = [[] for _ in words]
    for first, one in enumerate(words):
        for second in range(first):
            other = words[second]
            common = len(one & other)
            share = common / (len(one) + len(other) - common) if common else 0.0
            shares[first].append(share)
            shares[second].append(share)
    return [sum(own) / len(own) for own in shares], [min(own) for own in shares]


def _articles(question: str, options: Sequence[OptionText]) -> list[float]:
    """Return 1 where an option fits the "a" or "an" that the question ends with, -1 where it does not."""
    found = _ARTICLE.search(question)
    if found is None:
        return [0.0] * len(options)
    is_vowel = found.group(1).lower() == "an"
    return [1.0 if (option.text[:1].lower() in "aeiou") == is_vowel else -1.0 for option in options]


def _agreements(asked: Sequence[str], options: Sequence[OptionText]) -> list[float]:
    """Return 1 where an option has the number (singular, plural) of the question's last verb, -1 else."""
    verb = next((word for word in reversed(asked) if word in PLURAL_VERBS or word in SINGULAR_VERBS), "")
    if not verb:
        return [0.0] * len(options)
    is_plural = verb in PLURAL_VERBS
    return [1.0 if _is_plural(option) == is_plural else -1.0 for option in options]


def _is_plural(option: OptionText) -> bool:
    # The head of a short noun phrase is the last word before a preposition.
    head = ""
    for word in option.words:
        if head and word in FUNCTION_WORDS:
            break
        if word not in FUNCTION_WORDS:
            head = word
    return head.endswith("s") and not head.endswith(("ss", "us", "is"))


def _number_positions(numbers: list[float]) -> tuple[list[float], list[float]]:
    """Return how near each number is to the middle of all, and its rank, both 0 to 1; 0 without numbers."""
    # Of two numbers none is in the middle.
    if any(map(math.isnan, numbers)) or len(set(numbers)) < 3:
        return [0.0] * len(numbers), [0.0] * len(numbers)
    last = len(numbers) - 1
    ranks = [sum(other < number for other in numbers) / last for number in numbers]
    return [1.0 - 2.0 * abs(rank - 0.5) for rank in ranks], ranks


def _is_float(text: str) -> bool:
    return text.count(".") <= 1
