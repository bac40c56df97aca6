"""Which option a language model finds most likely: by the options' own words, or by their letters.

A model of a hundred million parameters cannot answer with a letter, but it gives every token a probability.
docs/local-models.md lists which planted giveaways each method finds, and its cost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
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
FRAME = "Question: {}\nAnswer:"
ENDS = frozenset("?!.:;…。？！：")
"""A stem that does not end in one of these is a sentence that the options continue."""


class TokenModel(Protocol):
    """A language model, token by token."""

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text from its beginning, with the start token that the model expects."""

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
    evidence = _texts(model, prompt=cloze_prompt(stem), options=options)
    if method == "text":
        scores = tuple(
            per_character(logs, option=option) for logs, option in zip(evidence, options, strict=True)
        )
        return Ranking(method=method, scores=scores, evidence=evidence)
    prior = _texts(model, prompt=prior_prompt(stem), options=options)
    return Ranking(method=method, scores=gains(evidence, prior=prior), evidence=evidence, prior=prior)


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
    return stem if _is_continued(stem) else FRAME.format(stem)


def prior_prompt(stem: str) -> str:
    """Return the text before an option without the question, in the frame of ``cloze_prompt``."""
    return NO_QUESTION if _is_continued(stem.strip()) else FRAME.format(NO_QUESTION)


def letter_prompt(stem: str, options: Sequence[str]) -> str:
    """Return the text before an option's letter."""
    lines = [f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False)]
    return FRAME.format("\n".join([stem, *lines]))


def per_character(logs: Sequence[float], *, option: str) -> float:
    """Return the mean log-probability of a text per character, so that long options are not penalised."""
    return sum(logs) / max(1, len(option.strip()))


def gains(evidence: Sequence[Sequence[float]], *, prior: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Return how much likelier each text is with the question than without (pointwise mutual information)."""
    return tuple(sum(logs) - sum(without) for logs, without in zip(evidence, prior, strict=True))


def shared_start(context: Sequence[int], wholes: Sequence[Sequence[int]]) -> int:
    """Return how many tokens of a prompt stay the same whatever follows it.

    Tokenizers can join the end of a prompt and what follows into one token. Continuations are then evaluated
    from the last token before it, all from the same one.

    Args:
        context: Tokens of the prompt.
        wholes: Tokens of the prompt with each continuation.
    """
    most = len(context)
    for whole in wholes:
        same = (index for index, (a, b) in enumerate(zip(context, whole, strict=False)) if a != b)
        # At least one token is left to be evaluated.
        most = min(most, next(same, len(context)), len(whole) - 1)
    return most


def added_after(bare: Sequence[int], whole: Sequence[int]) -> int:
    """Return how many tokens a tokenizer adds after a text: an end token behind a prompt would end it.

    Args:
        bare: Tokens of any text without special tokens.
        whole: Tokens of the same text with them.
    """
    count = len(bare)
    starts = (at for at in range(len(whole)) if list(whole[at : at + count]) == list(bare))
    return len(whole) - count - next(starts, len(whole) - count)


def chosen(scores: Sequence[float]) -> int:
    """Return the index of the highest score, the first of equals."""
    return max(range(len(scores)), key=lambda index: scores[index])


def _texts(model: TokenModel, *, prompt: str, options: Sequence[str]) -> tuple[tuple[float, ...], ...]:
    # Prompt and option as one text: alone, SentencePiece would begin the option with a space of its own.
    wholes = [model.tokens(f"{prompt} {option.strip()}") for option in options]
    context = model.tokens(prompt)
    at = shared_start(context, wholes)
    known = _KnownLogs(model, prefix=context[:at])
    return tuple(known.logs(whole[at:]) for whole in wholes)


class _KnownLogs:
    """Log-probabilities of continuations of a prompt; tokens that several begin with are evaluated once.

    Args:
        model: The model; the prompt is evaluated at once.
        prefix: Tokens of the prompt.
    """

    def __init__(self, model: TokenModel, *, prefix: list[int]) -> None:
        self._model, self._prefix = model, prefix
        self._known: dict[tuple[int, ...], float] = {}
        self._known |= {(token,): log for token, log in model.start(prefix).items()}

    def logs(self, tokens: list[int]) -> tuple[float, ...]:
        """Return the log-probability of each token after those before it."""
        return tuple(self._log(tuple(tokens[: index + 1])) for index in range(len(tokens)))

    def _log(self, path: tuple[int, ...]) -> float:
        if path not in self._known:
            self._known[path] = self._model.log_probability([*self._prefix, *path[:-1]], path[-1])
        return self._known[path]


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
            # Rotated by ``turn``, the letter at ``index`` stands before the option so many further on.
            scores[(index + turn) % n] += (log - less) / n
    return Ranking(method=method, scores=tuple(scores), evidence=rows, prior=prior)


def _rotations(options: Sequence[str]) -> Iterator[list[str]]:
    for turn in range(len(options)):
        yield [*options[turn:], *options[:turn]]


def _letters(model: TokenModel, *, stem: str, options: Sequence[str]) -> tuple[float, ...]:
    prompt, letters = letter_prompt(stem, options), LETTERS[: len(options)]
    context = model.tokens(prompt)
    spelt = {letter: spellings(model.tokens, prompt=prompt, letter=letter) for letter in letters}
    at = shared_start(context, [found[0] for found in spelt.values()])
    known = _KnownLogs(model, prefix=context[:at])
    return tuple(
        log_sum([sum(known.logs(whole[at:])) for whole in found if whole[:at] == context[:at]])
        for found in spelt.values()
    )


def spellings(tokens: Callable[[str], list[int]], *, prompt: str, letter: str) -> list[list[int]]:
    """Return the tokens of a prompt with a letter after a space, and with the letter alone where they differ.

    Both are answers. A letter can be several tokens, and a tokenizer can have only one of the two.

    Args:
        tokens: Returns the tokens of a text from its beginning.
        prompt: The text before the letter.
        letter: The letter.
    """
    context, spaced, bare = tokens(prompt), tokens(f"{prompt} {letter}"), tokens(f"{prompt}{letter}")
    is_apart = bare[: len(context)] == context and bare != spaced
    return [spaced, bare] if is_apart else [spaced]


def log_sum(logs: Sequence[float]) -> float:
    """Return the log of a sum of probabilities."""
    # The largest is taken out first: ``exp`` of each alone would be 0. -inf minus itself is NaN.
    most = max(logs)
    return most + math.log(sum(math.exp(each - most) for each in logs)) if math.isfinite(most) else most


def _is_continued(stem: str) -> bool:
    return bool(stem) and stem[-1] not in ENDS
