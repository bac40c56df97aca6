"""Signals of an option from the other items of its set: how often its text and words are keys elsewhere.

Answer keys are counted without the fold of the item and without the fold for which weights are learnt
(nested cross-fitting): no item's key has an effect on its own signals, nor on the weights that score it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from annotator.quality.calibrated.option_logit import margins

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from annotator.quality.calibrated.option_logit import Array, Indices, OptionRows

SET_SIGNALS = ("repeated", "pool", "leak", "word_keys", "usual_words")
"""How many other items have the same option; whether it is right or wrong in them; how often at least all
other options are wrong in other items, if they are never right there and it is never wrong; whether its words
are words of keys elsewhere; how usual its words are in the set."""
PRIOR = 2.0
"""Counts that are added to those of a text or word, shared as keys and wrong options are in the whole set."""


@dataclass(frozen=True, kw_only=True)
class OptionIds:
    """Which options and words of a set are the same; read once for all folds.

    Attributes:
        texts: int64 (rows,), the same for options that are the same elsewhere.
        word_rows: int64 (words,), the option of each word.
        words: int64 (words,), the same for equal words.
    """

    texts: Indices
    word_rows: Indices
    words: Indices

    @classmethod
    def of(cls, *, texts: Sequence[str], words: Sequence[Sequence[str]]) -> OptionIds:
        """Return the numbers of options and words.

        Args:
            texts: Text of each option: what is the same option elsewhere.
            words: Different words of each option, in an order that is the same everywhere.
        """
        word_rows, word_ids = _incidence(words)
        return cls(texts=_ids(texts), word_rows=word_rows, words=word_ids)


def set_signals(rows: OptionRows, ids: OptionIds, *, held_out: int, folds: Indices) -> Array:
    """Return the signals of each option, float64 (rows, 5), in the order of ``SET_SIGNALS``.

    Args:
        rows: The options.
        ids: Which of them, and of their words, are the same.
        held_out: The fold whose items are scored: its answer keys are not counted.
        folds: int64 (items,), the fold of each item.
    """
    row_folds = folds[rows.items]
    is_key = ~rows.is_wrong
    keys, wrong = _counts_elsewhere(ids.texts, row_folds, is_key, held_out=held_out)
    fair = _fair_share(rows)
    word_rows = ids.word_rows
    word_keys, wrong_text = _counts_elsewhere(
        ids.words, row_folds[word_rows], is_key[word_rows], held_out=held_out
    )
    odds = _log_odds(word_keys, wrong_text, fair=fair[word_rows])
    # Chance makes a sum of n words grow with the root of n: divided by it, long options do not stand out.
    counts = np.maximum(1.0, np.bincount(word_rows, minlength=len(rows.items)))
    sums = np.bincount(word_rows, weights=odds, minlength=len(rows.items))
    usual = np.bincount(word_rows, weights=np.log1p(word_keys + wrong_text), minlength=len(rows.items))
    return np.column_stack(
        (
            np.log1p(keys + wrong),
            _log_odds(keys, wrong, fair=fair),
            _leaks(rows, keys, wrong),
            sums / np.sqrt(counts),
            usual / counts,
        )
    )


def never_wrong_elsewhere(rows: OptionRows, *, texts: Sequence[str]) -> NDArray[np.bool_]:
    """Return which items leak their pool.

    Every wrong option is wrong in other items too and never right, and the right option is never wrong.

    Returns:
        bool (items,).
    """
    ids = _ids(texts)
    is_wrong = rows.is_wrong
    right = np.bincount(ids, weights=~is_wrong)[ids]
    wrong = np.bincount(ids, weights=is_wrong)[ids]
    # More than once: a wrong option is counted in its own item, too.
    is_telling = np.where(is_wrong, (right == 0) & (wrong > 1), wrong == 0)
    leaks: NDArray[np.bool_] = np.logical_and.reduceat(is_telling, rows.starts)
    return leaks


def _leaks(rows: OptionRows, keys: Array, wrong: Array) -> Array:
    """Return how often all other options are wrong elsewhere, 0 where an option contradicts a pool leak."""
    pool = np.where(keys == 0.0, np.log1p(wrong), 0.0)
    # ``margins`` subtracts the largest of the others. Of negated values that is minus the smallest, so that
    # what is left here is how often the rarest of the others is wrong: one option from no pool is enough
    # for 0.
    others: Array = pool + margins(rows, -pool)
    return np.where(wrong == 0.0, others, 0.0)


def _counts_elsewhere(
    ids: Indices, folds: Indices, is_key: NDArray[np.bool_], *, held_out: int
) -> tuple[Array, Array]:
    """Return how often each entry is a key, and a wrong option, outside its own fold and the held-out one."""
    found = []
    # An option that counted its own item would see the label that it is to predict. Its whole fold is left
    # out, because the weights that score it come from the same folds. Pairs of id and fold are counted as
    # one number.
    width = int(folds.max(initial=0)) + 1
    is_other = folds != held_out
    for chosen in (is_key, ~is_key):
        all_counts = np.bincount(ids, weights=chosen & is_other)
        own = np.bincount(ids * width + folds, weights=chosen & is_other, minlength=len(all_counts) * width)
        found.append(all_counts[ids] - own[ids * width + folds])
    return found[0], found[1]


def _log_odds(keys: Array, wrong: Array, *, fair: Array) -> Array:
    # Relative to a guess, and with counts added in the same ratio: a text that is nowhere else has the odds
    # 0.
    odds: Array = np.log((keys + PRIOR * fair) / (wrong + PRIOR * (1.0 - fair)) * (1.0 - fair) / fair)
    return odds


def _fair_share(rows: OptionRows) -> Array:
    shares: Array = 1.0 / rows.sizes[rows.items]
    return shares


def _ids(texts: Sequence[str]) -> Indices:
    """Return a number for each text, the same for equal ones."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.int64)


def _incidence(words: Sequence[Sequence[str]]) -> tuple[Indices, Indices]:
    """Return row and id of each word of each option."""
    ids: dict[str, int] = {}
    columns: list[int] = []
    for own in words:
        columns += [ids.setdefault(word, len(ids)) for word in own]
    sizes = [len(own) for own in words]
    return np.repeat(np.arange(len(words)), sizes), np.array(columns, dtype=np.int64)
