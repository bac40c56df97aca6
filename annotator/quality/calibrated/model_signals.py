"""Signals of an option from stored predictions: scores of language models and of text probes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from annotator.quality.checks.balance import uniform_chance
from annotator.quality.predictions import ItemPrediction, ItemPredictions

SMOOTHING = 0.5
"""Count that is added to the answers for each option, so that the logarithm of its share exists."""
LETTER_SIGNALS = ("letter", "answers")
"""Signals of models that were shown letters and named one."""
_METHODS_WITHOUT_LETTERS = ("text", "text-pmi", "probe")
LEAST_EVEN_CHANCE = 0.01
"""Probability of shown letters of the answer keys below which they count as uneven."""


def model_signals(entry: ItemPredictions) -> dict[tuple[str, str], list[float]]:
    """Return the signals of each option by model and kind, in the order of the item's options.

    ``total`` and ``per_character``: log-likelihood of the option's text; ``pmi``: how much the question
    raises it; ``letter``: log-probability of its letter; ``probe``: log-probability by a text probe;
    ``answers``: logarithm of the share of answers, for models that give no scores.
    """
    signals: dict[tuple[str, str], list[float]] = {}
    options = entry.item.options
    for model, predictions in _answers_by_model(entry).items():
        scored = [one for one in predictions if len(one.scores) == len(options)]
        if not scored:
            signals[model, "answers"] = _answer_shares(predictions, [option.letter for option in options])
            continue
        means = _mean_scores(scored)
        method = scored[0].method
        if method == "text":
            lengths = [max(1, len(option.text.strip())) for option in options]
            signals[model, "per_character"] = means
            signals[model, "total"] = [mean * length for mean, length in zip(means, lengths, strict=True)]
        else:
            signals[model, {"text-pmi": "pmi", "probe": "probe"}.get(method, "letter")] = means
    return signals


def unevenly_asked_models(entries: Sequence[ItemPredictions]) -> tuple[str, ...]:
    """Return the models to which answer keys were not shown under all letters alike, or too few to tell.

    A model's habit of one letter would count as a shortcut of the items whose key has this letter. Rotations
    and shuffles show the keys under all letters; without them the letters of the keys must be even.
    """
    shown: dict[str, dict[int, Counter[int]]] = {}
    for entry in entries:
        letters = "".join([option.letter for option in entry.item.options])
        # Several answers to one order are one showing: they say nothing more about the letters of the keys.
        positions = {
            (one.model, (one.order or letters).find(entry.item.answer_key))
            for one in entry.predictions
            if one.kind == "answer" and one.method not in _METHODS_WITHOUT_LETTERS
        }
        for model, index in positions:
            shown.setdefault(model, {}).setdefault(len(letters), Counter())[index] += 1
    return tuple(model for model, by_size in sorted(shown.items()) if not _is_even(by_size))


def _is_even(by_size: dict[int, Counter[int]]) -> bool:
    chances = [uniform_chance([counts[index] for index in range(size)]) for size, counts in by_size.items()]
    known = [chance for chance in chances if chance is not None]
    return min(known, default=0.0) >= LEAST_EVEN_CHANCE


def _answers_by_model(entry: ItemPredictions) -> dict[str, list[ItemPrediction]]:
    by_model: dict[str, list[ItemPrediction]] = {}
    for prediction in entry.predictions:
        if prediction.kind == "answer":
            by_model.setdefault(prediction.model, []).append(prediction)
    return by_model


def _mean_scores(scored: Sequence[ItemPrediction]) -> list[float]:
    """Return the mean score of each option, with finite numbers only."""
    by_option = zip(*(one.scores for one in scored), strict=True)
    return _finite([sum(own) / len(scored) for own in by_option])


def _answer_shares(predictions: Sequence[ItemPrediction], letters: Sequence[str]) -> list[float]:
    counts = [sum(one.answer == letter for one in predictions) for letter in letters]
    total = sum(counts) + SMOOTHING * len(letters)
    return [math.log((count + SMOOTHING) / total) for count in counts]


def _finite(values: list[float]) -> list[float]:
    # A server may give minus infinity for a letter that it does not list.
    least = min((value for value in values if math.isfinite(value)), default=0.0)
    return [value if math.isfinite(value) else least for value in values]
