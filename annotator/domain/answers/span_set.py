"""Span set: several of the item's option texts, such as all objects in a room (``["bed", "chair"]``)."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterable

import msgspec

from annotator.domain.answers.base import (
    NO_CONTEXT,
    AnswerContext,
    AnswerFormat,
    AnswerProblem,
    FormatDocs,
    MetricRule,
    ParsedAnswer,
    Score,
    chance_of_subset,
    unreadable,
    unreadable_key,
)
from annotator.domain.answers.distractors import exchange_members
from annotator.domain.answers.option_letter_parser import mentioned_letters
from annotator.domain.answers.reply_text import extract_answer, is_negated, without_bullets
from annotator.domain.answers.token_overlap import collapse, tokens
from annotator.domain.item import Option
from annotator.domain.random_source import RandomSource

# "A, C", "options A and C", "(B)": nothing but letters, which article and pronoun are then not.
# Possessive throughout: neither a mark nor "and" before a mark can be taken for a letter instead.
_LETTERS_ONLY = re.compile(
    r"[\W_]*+(?:(?:options?|choices?|answers?|选项|答案)[\W_]*+)?[A-I](?:(?:[^\w/~-]|_|and|和)++[A-I])*+[\W_]*+",
    re.IGNORECASE,
)
_LETTER = re.compile(r"(?<![A-Za-z])[A-I](?![A-Za-z])", re.IGNORECASE)
# Without the blanks around it, which would be searched anew from each blank of a row; spans are collapsed.
_JOIN = re.compile(r"[\n,;、，；]|\band\b|和|以及", re.IGNORECASE)
# "A or C", "A-C", "A/C": ambiguous: one of them, or those between.
_ALTERNATIVE = re.compile(
    r"\b(?:or|either|maybe|perhaps|possibly)\b|或|也许|可能|\b[A-I] ?(?:[-/~]|\bto\b|到|至) ?[A-I]\b",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:an?|the)\s+", re.IGNORECASE)
_ABSENT = re.compile(r"\bno\b|\bwithout\b|没有", re.IGNORECASE)
_STRINGS = msgspec.json.Decoder(list[str])


class SpanSet(AnswerFormat[frozenset[str]]):
    """Texts of options without order, scored by partial match (PM), right on an exact match (EM).

    PM is the number of words that both share over the number of words of the longer one, each counted once.

    Source: TopViewRS (arXiv 2406.02537), EM and PM of its evaluation measures. No script is published, so
    both modes use the strict reading of replies and differ only for a reply that names no option at all: its
    own words are compared in compatible mode, and it is unparsed in strict mode.
    """

    __slots__ = ()
    id = "span_set"
    title = "Set of words"
    meaning = "several of many short texts"
    prompt = "Reply with the letters of all right options ({letters}), separated by commas, and nothing else."
    metrics = (
        MetricRule(id="exact_match", meaning="1 if exactly the correct texts are given"),
        MetricRule(id="partial_match", meaning="common words / larger number of words"),
    )
    docs = FormatDocs(
        example='`["bed", "chair"]`',
        value="set of option texts",
        score="partial match of words",
        right_when="sets equal",
        baseline="mean over all selections of the same number of options",
        distractors="half of the texts or more exchanged for other options; partial match at most 0.5",
    )
    has_options = True
    scale = "set"
    nearest_score = 0.5

    def on_scale(self, value: frozenset[str]) -> frozenset[str]:
        """Return the texts."""
        return value

    def render(self, value: frozenset[str]) -> str:
        """Return a JSON array in alphabetical order."""
        return json.dumps(sorted(value), ensure_ascii=False)

    def guess_chance(self, key: str, *, context: AnswerContext = NO_CONTEXT) -> float | None:
        """Return the chance of one set among all of as many options."""
        truth = self.parse(key, context=context).value
        texts = {option.text for option in context.options}
        return None if truth is None else chance_of_subset(len(truth), of=len(texts))

    def has_repeats(self, text: str, /) -> bool:
        """Return whether a JSON array has one text twice."""
        listed = _json_list(text)
        return len(set(listed)) < len(listed)

    def option_text(self, value: frozenset[str]) -> str:
        """Return the texts as people list them."""
        return ", ".join(sorted(value))

    def perturbed(
        self,
        value: frozenset[str],
        *,
        key: frozenset[str],  # noqa: ARG002 - the value is as good
        random: RandomSource,
        context: AnswerContext,
    ) -> frozenset[str] | None:
        """Return a set with texts of other options in place of half of the texts or more."""
        pool = [option.text for option in context.options if tokens(option.text)]
        return exchange_members(value, pool=pool, random=random) or None

    def _parse_strict(self, text: str, context: AnswerContext, /) -> ParsedAnswer[frozenset[str]]:
        part = extract_answer(text)
        # The canonical text first, unmodified: an option's text may look like a marked answer.
        listed = _json_list(text) or _json_list(part)
        if context.options:
            return _read_options(part, listed, context.options)
        spans = listed or _JOIN.split(without_bullets(part))
        found = frozenset([collapse(span) for span in spans if tokens(span)])
        return ParsedAnswer(value=found) if found else ParsedAnswer(reason="The text contains no words.")

    def _parse_compatible(self, text: str, context: AnswerContext, /) -> ParsedAnswer[frozenset[str]]:
        return self._parse_strict(text, context)

    def _score_compatible(self, prediction: str, key: str, context: AnswerContext, /) -> Score:
        truth = self._parse_strict(key, context)
        if truth.value is None:
            return unreadable_key(truth.reason)
        guess = self._parse_strict(prediction, context)
        if guess.value is None:
            match = _partial_match(frozenset([prediction]), truth.value)
            return unreadable(guess.reason, score=match, details={"em": 0.0, "pm": match})
        return self._compare(guess.value, truth.value)

    def _compare(self, guess: frozenset[str], truth: frozenset[str], /) -> Score:
        is_correct = {tuple(tokens(span)) for span in guess} == {tuple(tokens(span)) for span in truth}
        match = _partial_match(guess, truth)
        return Score(score=match, is_correct=is_correct, details={"em": float(is_correct), "pm": match})

    def _problems(self, value: frozenset[str], context: AnswerContext, /) -> list[AnswerProblem]:
        if not value:
            return [
                AnswerProblem(
                    field="spans", message="No option is chosen.", advice="Choose at least one option."
                )
            ]
        known = {option.text for option in context.options}
        return [
            AnswerProblem(field="spans", message=f"{span!r} {problem}.", advice="Use the option texts.")
            for span in sorted(value)
            if (problem := _span_problem(span, known))
        ]

    def _baseline(self, truth: frozenset[str], context: AnswerContext, /) -> float | None:
        # Nine options at most, so at most 126 choices of as many as the key has.
        texts = sorted({option.text for option in context.options})
        choices = [frozenset(choice) for choice in itertools.combinations(texts, len(truth))]
        if not choices:
            return None
        return math.fsum(_partial_match(choice, truth) for choice in choices) / len(choices)


def _partial_match(guess: frozenset[str], truth: frozenset[str]) -> float:
    """Return the words shared over the words of the side that has more."""
    guessed, expected = _words(guess), _words(truth)
    return len(guessed & expected) / max(len(guessed), len(expected), 1)


def _words(spans: Iterable[str]) -> frozenset[str]:
    return frozenset(word for span in spans for word in tokens(span))


def _span_problem(span: str, known: set[str]) -> str:
    if known and span in known:
        return "" if span else "is empty"
    if known:
        return "is not an option"
    return "" if tokens(span) and collapse(span) == span else "has no words, or extra spaces"


def _json_list(text: str) -> list[str]:
    """Return the strings of a JSON array, none for anything else."""
    try:
        return _STRINGS.decode(text.strip())
    except (msgspec.MsgspecError, UnicodeError):
        return []


def _read_options(part: str, listed: list[str], options: tuple[Option, ...]) -> ParsedAnswer[frozenset[str]]:
    """Return the texts of the options that a reply names, by letter, by text, or both where they agree."""
    by_letter = {option.letter: option.text for option in options}
    if not listed and not _LETTERS_ONLY.fullmatch(part):
        return _read_prose(part, by_letter)
    by_words = {tuple(tokens(text)): text for text in by_letter.values() if tokens(text)}
    # Each name once: a reply can repeat one ten thousand times.
    names = set(listed or _LETTER.findall(part))
    chosen = frozenset([_option_text(name, by_letter, by_words) for name in names])
    return (
        ParsedAnswer(reason="The answer contains a text that is not an option.")
        if "" in chosen
        else ParsedAnswer(value=chosen)
    )


def _option_text(name: str, by_letter: dict[str, str], by_words: dict[tuple[str, ...], str]) -> str:
    """Return the text of the option that a name means: its text as it stands, its words, or its letter."""
    if name in by_letter.values():
        return name
    return by_words.get(tuple(tokens(name))) or by_letter.get(name.strip().upper(), "")


def _read_prose(part: str, by_letter: dict[str, str]) -> ParsedAnswer[frozenset[str]]:
    """Read a reply that is a sentence or a list of texts."""
    if _ALTERNATIVE.search(part) and not any(map(_ALTERNATIVE.search, by_letter.values())):
        return ParsedAnswer(reason="The answer contains alternatives or a range of options.")
    if _has_stranger(part, by_letter.values()):
        return ParsedAnswer(reason="The answer contains a text that is not an option.")
    return _read_sentence(part, by_letter)


def _has_stranger(part: str, texts: Iterable[str]) -> bool:
    """Return whether a plain list of texts ("bed, chair, sofa") has a short entry that is not an option."""
    known = {tuple(tokens(text)) for text in texts}
    entries = [tuple(tokens(_ARTICLE.sub("", entry.strip()))) for entry in _JOIN.split(without_bullets(part))]
    entries = [entry for entry in entries if entry]
    return any(entry in known for entry in entries) and any(
        entry not in known and len(entry) <= 2 and not _texts_in_sentence(" ".join(entry), texts)
        for entry in entries
    )


def _read_sentence(part: str, by_letter: dict[str, str]) -> ParsedAnswer[frozenset[str]]:
    found = _texts_in_sentence(part, by_letter.values())
    lettered = {by_letter.get(letter, "") for letter in mentioned_letters(part)}
    if found and lettered and found != lettered:
        return ParsedAnswer(reason="The letters and the texts refer to different options.")
    if _denies_any(part) and not any(map(_denies_any, found)):
        return ParsedAnswer(reason="The answer contains a negation.")
    chosen = (found or lettered) - {""}
    return (
        ParsedAnswer(value=frozenset(chosen))
        if chosen
        else ParsedAnswer(reason="The answer contains no option.")
    )


def _texts_in_sentence(part: str, texts: Iterable[str]) -> set[str]:
    """Return the texts whose words occur in a sentence."""
    rest, found = f" {' '.join(tokens(part))} ", set()
    # The longer first, and what was found is taken out: "dining table" does not name "table" as well.
    for text in sorted(texts, key=len, reverse=True):
        message = f" {' '.join(tokens(text))} "
        if message.strip() and message in rest:
            found.add(text)
            rest = rest.replace(message, "  ")
    return found


def _denies_any(text: str) -> bool:
    return is_negated(text) or _ABSENT.search(text) is not None
