"""Which signals carried the removal of an item, in English words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from annotator.domain.record import ValueObject
from annotator.quality.calibrated.calibration import Calibration
from annotator.quality.calibrated.option_features import Signal

MOST_REASONS = 3
LEAST_SHARE = 0.15
"""Share of all that speaks for the answer key from which a signal is named."""
LARGEST_RATIO = 1_000_000.0


class Reason(ValueObject, frozen=True, kw_only=True):
    """A signal that points at the answer key.

    Attributes:
        signal: Name of the signal.
        model: Name of the model, "" for signals of the text.
        share: Part of all that speaks for the answer key, 0 to 1.
        text: In words.
    """

    signal: str
    model: str
    share: float
    text: str


@dataclass(frozen=True, kw_only=True)
class _Comparison:
    """The value of a signal of an answer key beside those of the other options.

    Attributes:
        key: Of the answer key.
        others: Of the other options.
        model: Name of the model, "" for signals of the text.
    """

    key: float
    others: tuple[float, ...]
    model: str = ""

    @property
    def is_above(self) -> bool:
        return self.key > sum(self.others) / len(self.others)

    @property
    def factor(self) -> float:
        """How many times likelier the answer key is than any other option, of logarithms."""
        return math.exp(min(self.key - max(self.others), math.log(LARGEST_RATIO)))


def reasons_of(calibration: Calibration, index: int) -> tuple[Reason, ...]:
    """Return the signals that carried an item's statistic, the strongest first.

    Args:
        calibration: The calibrated set.
        index: Place of the item in the set.
    """
    signals = calibration.signals
    rows = signals.rows
    start, key = int(rows.starts[index]), int(rows.keys[index])
    own = np.arange(start, start + int(rows.sizes[index]))
    others = own[own != key]
    rival = others[int(np.argmax(calibration.contributions[others].sum(axis=1)))]
    by_signal = calibration.contributions[key] - calibration.contributions[rival]
    total = float(by_signal[by_signal > 0].sum())
    found = []
    for column in np.argsort(-by_signal, kind="stable")[:MOST_REASONS].tolist():
        share = float(by_signal[column]) / total if total > 0 else 0.0
        if share < LEAST_SHARE:
            break
        signal = signals.signals[column]
        compared = _Comparison(
            key=float(signals.values[key, column]),
            others=tuple(signals.values[others, column].tolist()),
            model=signal.model,
        )
        found.append(
            Reason(
                signal=signal.name, model=signal.model, share=round(share, 3), text=_text(signal, compared)
            )
        )
    return tuple(found)


def _text(signal: Signal, compared: _Comparison) -> str:
    return _TEXTS[signal.name](compared)


def _length(compared: _Comparison) -> str:
    lengths = [round(math.expm1(value)) for value in (compared.key, *compared.others)]
    if lengths[0] > max(lengths[1:]):
        return f"it is longest by {lengths[0] - max(lengths[1:])} characters"
    if lengths[0] < min(lengths[1:]):
        return f"it is shortest by {min(lengths[1:]) - lengths[0]} characters"
    return "its length differs from that of the others"


def _overlap(compared: _Comparison) -> str:
    if compared.is_above:
        return f"it repeats words of the question ({compared.key:.0f})"
    return "it repeats fewer words of the question than the others"


def _likelihood(compared: _Comparison) -> str:
    if compared.factor > 1.05:
        return f"{compared.model} finds it {compared.factor:,.1f} times likelier than any other option"
    return f"{compared.model} finds the other options less likely"


def _fluency(compared: _Comparison) -> str:
    if compared.is_above:
        return f"{compared.model} finds its characters likelier"
    return f"{compared.model} finds its characters less likely"


def _either(above: str, below: str) -> Callable[[_Comparison], str]:
    return lambda compared: above if compared.is_above else below


_TEXTS: dict[str, Callable[[_Comparison], str]] = {
    "length": _length,
    "word_length": _either("its words are longer", "its words are shorter"),
    "overlap": _overlap,
    "coverage": _either("most of its words are in the question", "few of its words are in the question"),
    "quoted": _either("all of its words are in the question", "all words of another are in the question"),
    "similarity": _either("it is most similar to the other options", "it is unlike the other options"),
    "least_similarity": _either("it shares words with every option", "an option shares no word with it"),
    "article": _either("it fits the article of the question", "it does not fit the article of the question"),
    "agreement": _either("it agrees with the verb of the question", "it does not agree with the verb"),
    "absolute": _either("it has absolute words", "only the others have absolute words"),
    "hedge": _either("it has words of caution", "only the others have words of caution"),
    "negation": _either("it has a negation", "only the others have a negation"),
    "totality": _either("it stands for all or none of the options", "another stands for all or none of them"),
    "capital": _either("it begins with a capital letter", "only the others begin with a capital letter"),
    "end_mark": _either("it ends with a full stop", "only the others end with a full stop"),
    "punctuation": _either("it has more punctuation", "it has less punctuation"),
    "digits": _either("it has a number", "only the others have a number"),
    "middle_number": _either("its number is in the middle", "its number is at an end"),
    "large_number": _either("its number is large", "its number is small"),
    "precise_number": _either("its number is more precise", "its number is rounder"),
    "repeated": _either("it is an option of more items", "it is an option of fewer items"),
    "pool": _either(
        "it is right in other items, or the others are wrong there", "it is wrong in other items"
    ),
    "leak": _either(
        "the others are wrong in other items and never right, it is never wrong",
        "it is wrong in other items and never right",
    ),
    "word_keys": _either("its words are words of answer keys", "the words of the others are rarely right"),
    "usual_words": _either("its words are usual in the set", "its words are unusual in the set"),
    "total": _likelihood,
    "per_character": _fluency,
    "pmi": _likelihood,
    "letter": _likelihood,
    "probe": _likelihood,
    "answers": _likelihood,
}
