"""Which option a language model finds most likely: by the options' own words, or by their letters.

A model of a hundred million parameters cannot answer with a letter, but it gives every token a probability.
docs/local-models.md lists which planted giveaways each method finds, and its cost.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from annotator.domain.item import LETTERS

ScoringMethod = Literal["text", "text-pmi", "letters", "letters-prior"]
"""``text``: mean log-likelihood of the option's text per character. ``text-pmi``: how much the question
raises the likelihood of the whole text (pointwise mutual information). ``letters``: log-probability of the
option's letter, averaged over all rotations. ``letters-prior``: the same minus the value of the letter for
the question N/A. Source: per character, L. Gao et al., lm-evaluation-harness (acc_norm); PMI, A. Holtzman et
al., Surface form competition, EMNLP 2021; content-free prior, T. Zhao et al., Calibrate before use, ICML
2021; rotations, Y. Liu et al., MMBench (circular evaluation)."""
DEFAULT: ScoringMethod = "text"
TOP = 500
"""Tokens whose probabilities the first call of a prompt returns: 4 ms more, and most options need no further
call for their first token (measured with SmolLM2-135M).
"""
NO_QUESTION = "N/A"
"""A question without content. Source: Zhao et al. 2021, contextual calibration."""
ENDS = frozenset("?!.:;…。？！：")
"""A stem that does not end in one of these is a sentence that the options continue."""


class TokenModel(Protocol):
    """A language model, token by token."""

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text."""

    def start(self, prompt: list[int]) -> Mapping[int, float]:
        """Read a prompt from its beginning and return the log-probabilities of its likeliest next tokens."""

    def log_probability(self, prefix: list[int], token: int) -> float:
        """Return the log-probability of a token after a prefix that begins with the last prompt."""


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """The ranking of options by a model, with its evidence.

    Attributes:
        method: The scoring method.
        scores: Of each option in the order shown, larger is likelier.
        evidence: Log-probabilities: of each token of each option, or of each letter per rotation.
        prior: The same without the question; empty where the method needs none.
    """

    method: ScoringMethod
    scores: tuple[float, ...]
    evidence: tuple[tuple[float, ...], ...]
    prior: tuple[tuple[float, ...], ...] = ()


def rank(model: TokenModel, *, stem: str, options: Sequence[str], method: ScoringMethod = DEFAULT) -> Ranking:
    """Return the ranking of the options of a question.

    Args:
        model: The model; used by one thread at a time.
        stem: The question without its options.
        options: Their texts.
        method: The scoring method.
    """
    if method in {"letters", "letters-prior"}:
        return _by_letters(model, stem=stem, options=options, method=method)
    prefix = cloze_prompt(stem)
    evidence = _texts(model, prompt=prefix, options=options)
    if method == "text":
        scores = tuple(
            per_character(logs, option=option) for logs, option in zip(evidence, options, strict=True)
        )
        return Ranking(method=method, scores=scores, evidence=evidence)
    without_stem = prefix.replace(stem.strip(), NO_QUESTION)
    prior = _texts(model, prompt=without_stem, options=options)
    scores = tuple(sum(logs) - sum(without) for logs, without in zip(evidence, prior, strict=True))
    return Ranking(method=method, scores=scores, evidence=evidence, prior=prior)


def stem_of(text: str, options: Sequence[str]) -> str:
    """Return the question without lettered options and reply instructions after it."""
    if options:
        listed = [text.find(f"\n{LETTERS[0]}{mark}{options[0]}".rstrip()) for mark in (". ", ") ", ": ")]
        starts = [at for at in listed if at > 0]
        if starts:
            return text[: min(starts)].strip()
    return text.strip()


def cloze_prompt(stem: str) -> str:
    """Return the text before an option: the stem itself if the options continue it."""
    stem = stem.strip()
    return f"Question: {stem}\nAnswer:" if not stem or stem[-1] in ENDS else stem


def letter_prompt(stem: str, options: Sequence[str]) -> str:
    """Return the text before an option's letter."""
    lines = "\n".join([f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False)])
    return f"Question: {stem}\n{lines}\nAnswer:"


def per_character(logs: Sequence[float], *, option: str) -> float:
    """Return the mean log-probability of a text per character, so that long options are not penalised."""
    return sum(logs) / max(1, len(option.strip()))


def chosen(scores: Sequence[float]) -> int:
    """Return the index of the highest score, the first of equals."""
    return max(range(len(scores)), key=lambda place: scores[place])


def _texts(model: TokenModel, *, prompt: str, options: Sequence[str]) -> tuple[tuple[float, ...], ...]:
    prefix = model.tokens(prompt)
    first = model.start(prefix)
    # Options often begin alike ("It turns ..."): their common tokens are evaluated once.
    known: dict[tuple[int, ...], float] = {}

    def logs(tokens: list[int]) -> Iterator[float]:
        for place, token in enumerate(tokens):
            path = tuple(tokens[: place + 1])
            if path not in known:
                score = first.get(token) if place == 0 else None
                known[path] = (
                    model.log_probability(prefix + tokens[:place], token) if score is None else score
                )
            yield known[path]

    return tuple(tuple(logs(model.tokens(f" {option.strip()}"))) for option in options)


def _by_letters(model: TokenModel, *, stem: str, options: Sequence[str], method: ScoringMethod) -> Ranking:
    rows = tuple(_letters(model, stem=stem, options=turned) for turned in _rotations(options))
    prior: tuple[tuple[float, ...], ...] = ()
    if method == "letters-prior":
        prior = tuple(_letters(model, stem=NO_QUESTION, options=turned) for turned in _rotations(options))
    n = len(options)
    scores = [0.0] * n
    for turn, row in enumerate(rows):
        for index, log in enumerate(row):
            less = prior[turn][index] if prior else 0.0
            scores[(index + turn) % n] += (log - less) / n
    return Ranking(method=method, scores=tuple(scores), evidence=rows, prior=prior)


def _rotations(options: Sequence[str]) -> Iterator[list[str]]:
    for turn in range(len(options)):
        yield [*options[turn:], *options[:turn]]


def _letters(model: TokenModel, *, stem: str, options: Sequence[str]) -> tuple[float, ...]:
    prefix = model.tokens(letter_prompt(stem, options))
    first = model.start(prefix)

    def log(letter: str) -> float:
        # A letter is one token with a space before it and another one without; both are answers.
        found = []
        for text in (f" {letter}", letter):
            token, *_ = model.tokens(text)
            score = first.get(token)
            found.append(model.log_probability(prefix, token) if score is None else score)
        return math.log(sum(math.exp(each) for each in found))

    return tuple(log(letter) for letter, _ in zip(LETTERS, options, strict=False))
