"""Features of options for the conditional logit: how each signal stands out among the options of its item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from annotator.domain.item import Item
from annotator.domain.text_search import text_digest
from annotator.quality.calibrated.model_signals import (
    LETTER_SIGNALS,
    model_signals,
    unevenly_asked_models,
)
from annotator.quality.calibrated.option_logit import OptionRows, assign_folds, fold_draws, margins
from annotator.quality.calibrated.set_signals import SET_SIGNALS, OptionIds, set_signals
from annotator.quality.calibrated.text_signals import (
    TEXT_SIGNALS,
    OptionText,
    read_option,
    text_signals,
)
from annotator.quality.predictions import ItemPredictions

if TYPE_CHECKING:
    from annotator.quality.calibrated.option_logit import Array, Indices

SHAPES = 4
"""Features of a signal: its difference from the mean of the item, by how much it exceeds all other options,
the square of this, and by how much it falls below all others."""
LARGEST_FEATURE = 4.0
"""A single extreme value must not decide alone; features have unit spread."""
_LEAST_SPREAD = 1e-9
TEMPLATE = 8
"""Items with one question, or with one question and the same options, from which on it is a template, whose
items are no near-duplicates."""


@dataclass(frozen=True, kw_only=True)
class Signal:
    """A signal of options.

    Attributes:
        name: A text or set signal, or the kind of a model's signal.
        model: Name of the model's profile, "" for signals of the text.
    """

    name: str
    model: str = ""


@dataclass(frozen=True, kw_only=True)
class FoldDraw:
    """One assignment of items to folds, with the signals of the set that belong to it.

    Attributes:
        folds: int64 (items,), the fold of each item.
        by_fold: float64 (folds, rows, set signals), as they are when the items of each fold are scored.
    """

    folds: Indices
    by_fold: Array

    def own_values(self, rows: OptionRows) -> Array:
        """Return the signals as they are when an item's own fold is scored, float64 (rows, set signals)."""
        own: Array = self.by_fold[self.folds[rows.items], np.arange(len(rows.items))]
        return own


@dataclass(frozen=True, kw_only=True)
class OptionSignals:
    """The signals of all options of a set.

    Attributes:
        entries: The items with their predictions.
        rows: Their options.
        signals: What the columns are; those of ``SET_SIGNALS`` are the last ones.
        values: float64 (rows, signals), those of the set as they are in the first draw of folds.
        draws: Assignments of the items to folds.
        texts: Task set and text of each option.
        unused_models: Names of models whose letters and answers are no signal.
    """

    entries: Sequence[ItemPredictions]
    rows: OptionRows
    signals: tuple[Signal, ...]
    values: Array
    draws: tuple[FoldDraw, ...]
    texts: Sequence[str]
    unused_models: tuple[str, ...] = ()


def has_option_texts(item: Item) -> bool:
    """Return whether an item has two or more options as text, exactly one of which is the answer key."""
    letters = [option.letter for option in item.options]
    return len(letters) >= 2 and letters.count(item.answer_key) == 1 and all(o.text for o in item.options)


def collect_signals(entries: Sequence[ItemPredictions], *, seed: int) -> OptionSignals:
    """Return the signals of the options of items.

    Args:
        entries: Items for which ``has_option_texts`` holds, at least one.
        seed: Draws the folds.
    """
    items = [entry.item for entry in entries]
    rows = _rows_of(items)
    options = [[read_option(option.text) for option in item.options] for item in items]
    own = np.array(
        [row for item, read in zip(items, options, strict=True) for row in text_signals(item.question, read)]
    )
    texts = list(chain.from_iterable(map(_texts_of, items, options)))
    words = [option.different_words for read in options for option in read]
    ids, groups = OptionIds.of(texts=texts, words=words), _groups(items)
    draws = tuple(
        _fold_draw(rows, ids, groups=groups, seed=seed + number) for number in range(fold_draws(len(items)))
    )
    unused = unevenly_asked_models(entries)
    names, asked = _model_columns(entries, rows, unused=unused)
    return OptionSignals(
        entries=entries,
        rows=rows,
        signals=(*map(_own_signal, TEXT_SIGNALS), *names, *map(_own_signal, SET_SIGNALS)),
        values=np.column_stack((own, asked, draws[0].own_values(rows))),
        draws=draws,
        texts=texts,
        unused_models=unused,
    )


def _fold_draw(rows: OptionRows, ids: OptionIds, *, groups: list[str], seed: int) -> FoldDraw:
    folds = assign_folds(groups, seed=seed)
    count = int(folds.max()) + 1
    by_fold = [set_signals(rows, ids, held_out=fold, folds=folds) for fold in range(count)]
    return FoldDraw(folds=folds, by_fold=np.array(by_fold))


def _rows_of(items: Sequence[Item]) -> OptionRows:
    return OptionRows.of(
        [len(item.options) for item in items],
        [[option.letter for option in item.options].index(item.answer_key) for item in items],
    )


def _texts_of(item: Item, options: Sequence[OptionText]) -> list[str]:
    """Return task set and text of each option: what is the same option in another item."""
    # Not its task: distractors of several tasks come from one pool, and small tasks alone do not show it.
    return [f"{item.task_set}\n{' '.join(one.words) or one.text}" for one in options]


def features_of(rows: OptionRows, values: Array, *, scales: Array | None = None) -> tuple[Array, Array]:
    """Return the features of signals and their scales.

    Args:
        rows: The options.
        values: float64 (rows, signals).
        scales: Scales of an earlier set, None for those of this one.

    Returns:
        float64 (rows, ``SHAPES`` x signals), the features of a signal beside each other; and the scales.
    """
    sizes = rows.sizes[rows.items]
    columns = []
    for column in values.T:
        means = np.add.reduceat(column, rows.starts)[rows.items] / sizes
        above = np.maximum(0.0, margins(rows, column))
        below = np.maximum(0.0, margins(rows, -column))
        columns += [column - means, above, above * above, below]
    features = np.column_stack(columns)
    if scales is None:
        scales = _spreads(features)
    return np.clip(features / scales, -LARGEST_FEATURE, LARGEST_FEATURE), scales


def _spreads(features: Array) -> Array:
    """Return the root mean square of each feature where it is not 0; 1 for one that is 0 everywhere."""
    counts = np.maximum(1, (np.abs(features) > 1e-12).sum(axis=0))
    spreads: Array = np.sqrt((features * features).sum(axis=0) / counts)
    return np.where(spreads > _LEAST_SPREAD, spreads, 1.0)


def _model_columns(
    entries: Sequence[ItemPredictions], rows: OptionRows, *, unused: Collection[str]
) -> tuple[list[Signal], Array]:
    """Return the signals of models; 0 for all options of an item about which a model gave no answer.

    Args:
        entries: The items.
        rows: Their options.
        unused: Models whose letters say nothing.
    """
    found = [_used_signals(entry, unused=unused) for entry in entries]
    names = sorted({name for signals in found for name in signals})
    values = np.zeros((len(rows.items), len(names)))
    positions = {name: index for index, name in enumerate(names)}
    for start, signals in zip(rows.starts.tolist(), found, strict=True):
        for name, own in signals.items():
            values[start : start + len(own), positions[name]] = own
    return [Signal(name=kind, model=model) for model, kind in names], values


def _used_signals(entry: ItemPredictions, *, unused: Collection[str]) -> dict[tuple[str, str], list[float]]:
    return {
        (model, kind): own
        for (model, kind), own in model_signals(entry).items()
        if kind not in LETTER_SIGNALS or model not in unused
    }


def _own_signal(name: str) -> Signal:
    return Signal(name=name)


def _groups(items: Sequence[Item]) -> list[str]:
    """Return the group of near-duplicates of each item; items of a template are groups of their own."""
    stems = [f"{item.task_set}/{text_digest(item.question)}" for item in items]
    same_options = [
        f"{stem}/{sorted(option.text for option in item.options)}"
        for stem, item in zip(stems, items, strict=True)
    ]
    groups = _split_large(stems, same_options)
    # A question that always has the same options would be one group, and nothing would be left to learn from.
    return _split_large(groups, [f"{group}/{item.id}" for group, item in zip(groups, items, strict=True)])


def _split_large(groups: Sequence[str], finer: Sequence[str]) -> list[str]:
    """Return the groups, with the finer ones in place of those that are as large as a template."""
    sizes = Counter(groups)
    return [own if sizes[group] >= TEMPLATE else group for group, own in zip(groups, finer, strict=True)]
