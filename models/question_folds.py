"""Divides questions into the parts that a text probe learns from and guesses."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from annotator.errors import UserError
from annotator.model_api import BlindQuestion
from models.probe_features import words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


TEMPLATE = 8
"""A stem that more items of a task share is a template of the task, not a near-duplicate."""


def folds_of(questions: Sequence[BlindQuestion], *, folds: int, seed: int) -> NDArray[np.int64]:
    """Put each question into a part; near-duplicates come into the same one.

    Questions of a task with the same words are one group. Where more than ``TEMPLATE`` share them they are a
    template: then those that also share all options are a group, and if even these are more, each item is a
    group, since habitual answers of a task are what the probe is to find.

    Returns:
        int64 (questions,), 0 to folds - 1.

    Raises:
        UserError: There is one group only.
    """
    groups = _groups(questions)
    if len(groups) < 2:
        raise UserError(
            f"{len(questions)} questions are too few to train and test a text probe.",
            hint="Select a larger set of items.",
        )
    order = list(groups)
    # Decides among groups of equal size: the sort below is stable.
    random.Random(seed).shuffle(order)
    # Largest group first, each into the smallest part, so that parts are of similar size.
    order.sort(key=len, reverse=True)
    sizes = [0] * min(folds, len(order))
    parts = np.zeros(len(questions), dtype=np.int64)
    for group in order:
        smallest = sizes.index(min(sizes))
        parts[group] = smallest
        sizes[smallest] += len(group)
    return parts


def _groups(questions: Sequence[BlindQuestion]) -> list[list[int]]:
    stems: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index, question in enumerate(questions):
        stems[question.task, *words_of(question.question)].append(index)
    found: list[list[int]] = []
    for members in stems.values():
        if len(members) <= TEMPLATE:
            found.append(members)
            continue
        alike: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for index in members:
            alike[tuple(sorted(questions[index].options))].append(index)
        for same in alike.values():
            found += [same] if len(same) <= TEMPLATE else [[index] for index in same]
    return found
