"""Checks over a task: what somebody who never sees a picture could gain from letters and lengths."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from annotator.domain.item import LETTERS, Item
from annotator.quality.check import CheckHit, DatasetCheck, DatasetCollector
from annotator.quality.checks.structure import has_plain_letters
from annotator.quality.context import CheckContext

# One false alarm in a thousand tasks whose letters are drawn at random.
SIGNIFICANCE = 0.001
# Cochran's rule for the chi-square test: at least five expected in each cell.
EXPECTED_AT_LEAST = 5
# Over a hundred thousand items, chance alone makes tiny gains significant; below these nobody gains anything.
LETTER_GAIN, LENGTH_GAIN = 0.02, 0.05


@dataclass(frozen=True, order=True)
class ComparedItems:
    """Items that are compared with each other: of one task, with one number of options."""

    task_set: str
    task: str
    options: int


def chi_square_tail(statistic: float, *, degrees: int) -> float:
    """Return the probability of a chi-square statistic this large or larger.

    Args:
        statistic: 0.0 or more.
        degrees: Degrees of freedom, 1 or more.

    Source: the closed forms of the upper incomplete gamma function at whole and half numbers.
    """
    if statistic <= 0:
        return 1.0
    half = statistic / 2
    is_odd = degrees % 2 == 1
    tail = math.erfc(math.sqrt(half)) if is_odd else 0.0
    for step in range(degrees // 2):
        # Each term through its logarithm: powers and factorials of large statistics overflow.
        power = step + 0.5 * is_odd
        tail += math.exp(power * math.log(half) - half - math.lgamma(power + 1))
    return min(1.0, tail)


def uniform_chance(counts: list[int]) -> float | None:
    """Return the probability of counts this uneven under a uniform draw, None where there are too few."""
    expected = sum(counts) / len(counts)
    if expected < EXPECTED_AT_LEAST:
        return None
    statistic = sum((count - expected) ** 2 for count in counts) / expected
    return chi_square_tail(statistic, degrees=len(counts) - 1)


def is_uneven(counts: list[int]) -> bool:
    """Return whether somebody who always answers one letter gains from letters with these counts."""
    chance = uniform_chance(counts) if sum(counts) else None
    return (
        chance is not None
        and chance < SIGNIFICANCE
        and max(counts) / sum(counts) - 1 / len(counts) >= LETTER_GAIN
    )


def is_biased(hits: int, *, items: int, options: int) -> bool:
    """Return whether somebody who always answers with the longest option gains.

    Args:
        hits: Items whose longest option is right.
        items: Items that have one longest option.
        options: Options of each item.
    """
    chance = 1 / options
    expected = items * chance
    if expected < EXPECTED_AT_LEAST or hits / items - chance < LENGTH_GAIN:
        return False
    statistic = (hits - expected) ** 2 / expected + (expected - hits) ** 2 / (items - expected)
    # The chi-square test has two sides, this question one.
    return chi_square_tail(statistic, degrees=1) / 2 < SIGNIFICANCE


class LetterCollector(DatasetCollector):
    """Counts the letters of the keys."""

    def __init__(self) -> None:
        self._letters: dict[ComparedItems, Counter[str]] = {}

    def add(self, item: Item) -> None:
        """Count the key's letter."""
        if _has_letter_key(item):
            group = ComparedItems(item.task_set, item.task, len(item.options))
            self._letters.setdefault(group, Counter())[item.answer_key] += 1

    def findings(self) -> Iterator[tuple[str, str, CheckHit]]:
        """Yield the tasks whose letters are uneven."""
        for task, groups in _by_task(self._letters):
            words = [self._told(group) for group in groups if self._is_uneven(group)]
            if words:
                yield "task", task, CheckHit(message=" ".join(words), field="answer_key")

    def _is_uneven(self, group: ComparedItems) -> bool:
        return is_uneven(self._counts(group))

    def _told(self, group: ComparedItems) -> str:
        counts = self._counts(group)
        total = sum(counts)
        shares = ", ".join(f"{LETTERS[n]} {count / total:.1%}" for n, count in enumerate(counts))
        even = f"{1 / group.options:.1%}"
        return f"Answer keys of {total:,} items with {group.options} options: {shares}; uniform: {even} each."

    def _counts(self, group: ComparedItems) -> list[int]:
        return [self._letters[group][letter] for letter in LETTERS[: group.options]]


class LengthCollector(DatasetCollector):
    """Counts how often the strictly longest option is the right one."""

    def __init__(self, context: CheckContext) -> None:
        self._context = context
        self._items: Counter[ComparedItems] = Counter()
        self._longest: Counter[ComparedItems] = Counter()

    def add(self, item: Item) -> None:
        """Count an item that has one longest option, unless its options come from a closed list."""
        if not _has_letter_key(item) or self._is_closed_list(item):
            return
        lengths = [len(option.text.strip()) for option in item.options]
        longest = max(lengths)
        if lengths.count(longest) > 1:
            return
        group = ComparedItems(item.task_set, item.task, len(item.options))
        self._items[group] += 1
        self._longest[group] += item.options[lengths.index(longest)].letter == item.answer_key

    def findings(self) -> Iterator[tuple[str, str, CheckHit]]:
        """Yield the tasks in which the longest option is right too often."""
        for task, groups in _by_task(self._items):
            words = [self._told(group) for group in groups if self._is_biased(group)]
            if words:
                yield "task", task, CheckHit(message=" ".join(words), field="options")

    def _is_closed_list(self, item: Item) -> bool:
        # "Yes, partially usable" is long because the list says so, and number lengths are the numbers'.
        task = self._context.task(item)
        if task is not None and task.choices:
            return True
        return all(option.text.strip().isdecimal() for option in item.options)

    def _is_biased(self, group: ComparedItems) -> bool:
        return is_biased(self._longest[group], items=self._items[group], options=group.options)

    def _told(self, group: ComparedItems) -> str:
        items, hits = self._items[group], self._longest[group]
        share, chance = f"{hits / items:.1%}", f"{1 / group.options:.1%}"
        return (
            f"In {items:,} items with {group.options} options and one longest option, "
            f"the longest is correct in {share}; the chance level is {chance}."
        )


def _has_letter_key(item: Item) -> bool:
    if item.answer_format != "option_letter" or len(item.options) < 2:
        return False
    return item.answer_key in [option.letter for option in item.options] and has_plain_letters(item)


def _by_task(groups: Iterable[ComparedItems]) -> Iterator[tuple[str, list[ComparedItems]]]:
    """Yield each task as ``<task set>/<task>`` with its groups, in order of their names."""
    tasks: dict[str, list[ComparedItems]] = {}
    for group in sorted(groups):
        tasks.setdefault(f"{group.task_set}/{group.task}", []).append(group)
    yield from tasks.items()


class LetterBalance(DatasetCheck):
    """Finds tasks whose keys favour a letter."""

    id = "letter_balance"
    severity = "warning"
    title = "Letter balance"
    finds = (
        "Some letters are the answer key more often than others, so guessing a letter scores above chance."
    )
    advice = "Shuffle the options of this task again."
    threshold = (
        "per task and number of options: chi-square against uniform, p < 0.001, at least 5 "
        "expected per letter (Cochran), and the best letter gains 2 points or more (TopViewRS: below 1)"
    )

    def start(self, _context: CheckContext, /) -> DatasetCollector:
        """Return an empty collector."""
        return LetterCollector()


class LongestOption(DatasetCheck):
    """Finds tasks in which the longest option is the key too often."""

    id = "longest_option"
    severity = "warning"
    title = "Longest option"
    finds = "The longest option is correct more often than chance, so guessing it scores above chance."
    advice = "Lengthen wrong options or shorten correct ones until length does not predict the answer."
    threshold = (
        "per task and number of options, among items with one strictly longest: p < 0.001 "
        "(one side), at least 5 expected, 5 points or more over chance; not for closed lists and numbers"
    )

    def start(self, context: CheckContext, /) -> DatasetCollector:
        """Return an empty collector."""
        return LengthCollector(context)
