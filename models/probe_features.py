"""Features of options for text probes: hashed words, pairs of words, differences from the other options."""

from __future__ import annotations

import re
import statistics
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from annotator.model_api import BlindQuestion
from annotator.progress import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint32]

BITS = 18
"""Features are hashed into 2 ** 18 buckets: 2,000 items of four options in six tasks fill 18,000 of them."""
MOST_WORDS = 24
"""Words of a question and of an option that form pairs; the number of pairs grows with the squared length."""
PAIR_VALUE = 0.5
"""An option has a few words and up to 24 x 24 pairs, which would otherwise dominate."""
NEGATIONS = frozenset(
    {"not", "no", "none", "never", "neither", "nothing", "without", "cannot", "不", "没有", "无"}
)
ABSOLUTES = frozenset(
    {"all", "always", "every", "only", "completely", "entirely", "must", "any", "都", "总是", "完全"}
)
# A run of letters and digits; for Chinese each character, since there are no spaces between words.
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, kw_only=True)
class Features:
    """A sparse matrix, one row an option, and where each item's rows begin.

    Attributes:
        buckets: int32 (columns,), the hash bucket that each column stands for; columns are those that occur.
        columns: int64 (entries,), column of each entry.
        values: float64 (entries,).
        row_starts: int64 (rows,), first entry of each row; no row is empty.
        item_starts: int64 (items,), first row of each item.
        row_items: int64 (rows,), item of each row.
        keys: int64 (items,), row of each item's right option.
    """

    buckets: NDArray[np.int32]
    columns: NDArray[np.int64]
    values: NDArray[np.float64]
    row_starts: NDArray[np.int64]
    item_starts: NDArray[np.int64]
    row_items: NDArray[np.int64]
    keys: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class _Named:
    name: str
    value: float = 1.0


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters."""
    return _WORD.findall(text.lower())


def encode(questions: Sequence[BlindQuestion], *, progress: Progress) -> Features:
    """Make the features of all options.

    With several tasks every feature exists twice, once shared and once for its task, so that one training
    learns general and task-specific patterns. Source: H. Daumé III, Frustratingly easy domain adaptation, ACL
    2007.

    Args:
        questions: With two options or more each.
        progress: Counts questions.

    Raises:
        Cancelled: The user cancelled the operation.
    """
    hashes: list[Hashes] = []
    values: list[NDArray[np.float64]] = []
    progress.begin("Reading the questions", total=len(questions))
    for question in questions:
        for row in _rows(question):
            hashes.append(row.hashes)
            values.append(row.values)
        progress.step()
    counts = np.array([len(question.options) for question in questions])
    lengths = np.array([len(row) for row in hashes])
    row_items = np.repeat(np.arange(len(questions)), counts)
    tasks = np.array([_hash(question.task) for question in questions], dtype=np.uint32)
    whole, amounts = np.concatenate(hashes), np.concatenate(values)
    whole_columns, weights, widths = _column(whole), amounts, lengths
    if len(set(tasks.tolist())) > 1:
        own = _column(_mix(whole, np.repeat(tasks[row_items], lengths)))
        # A stable sort by row places both copies of each row together.
        order = np.argsort(np.tile(np.repeat(np.arange(len(lengths)), lengths), 2), kind="stable")
        whole_columns = np.concatenate((whole_columns, own))[order]
        weights = np.tile(amounts, 2)[order]
        widths = lengths * 2
    starts = _starts(counts)
    # The cost of a training step grows with the number of weights, so only occurring buckets get one.
    buckets, columns = np.unique(whole_columns, return_inverse=True)
    return Features(
        buckets=buckets,
        columns=columns,
        values=weights,
        row_starts=_starts(widths),
        item_starts=starts,
        row_items=row_items,
        keys=starts + np.array([question.key for question in questions]),
    )


def names_of(
    questions: Sequence[BlindQuestion], *, buckets: set[int], is_by_task: bool
) -> dict[int, tuple[str, str]]:
    """Return the words of a few buckets: task ("" for all) and what it is; the most frequent of each bucket.

    Args:
        questions: The ones that were encoded.
        buckets: Of interest.
        is_by_task: Whether ``encode`` made features of their own for tasks.
    """
    counts: dict[int, Counter[tuple[str, str]]] = {bucket: Counter() for bucket in buckets}
    for question in questions:
        task = np.full(1, _hash(question.task), dtype=np.uint32)
        for row in _rows(question):
            indices = [("", _column(row.hashes))]
            if is_by_task:
                indices.append((question.task, _column(_mix(row.hashes, task))))
            for owner, columns in indices:
                for at in np.flatnonzero(np.isin(columns, list(buckets))):
                    counts[int(columns[at])][owner, row.name(int(at))] += 1
    return {bucket: counted.most_common(1)[0][0] for bucket, counted in counts.items() if counted}


@dataclass(frozen=True, kw_only=True)
class _Row:
    named: list[_Named]
    question_words: list[str]
    option_words: list[str]
    hashes: Hashes
    values: NDArray[np.float64]

    def name(self, at: int) -> str:
        if at < len(self.named):
            return self.named[at].name
        question_at, option_at = divmod(at - len(self.named), max(1, len(self.option_words)))
        return (
            f"'{self.option_words[option_at]}' if the question contains '{self.question_words[question_at]}'"
        )


def _rows(question: BlindQuestion) -> Iterator[_Row]:
    question_words = sorted(set(words_of(question.question)))[:MOST_WORDS]
    asked_hashes = _hashes(question_words)
    words_of_options = [words_of(option) for option in question.options]
    for index, words in enumerate(words_of_options):
        named = [
            *_comparisons(question, words_of_options, index=index),
            *_grams(question.options[index], words),
        ]
        chosen = sorted(set(words))[:MOST_WORDS]
        pairs = _mix(asked_hashes[:, None], _hashes(chosen)[None, :]).ravel()
        yield _Row(
            named=named,
            question_words=question_words,
            option_words=chosen,
            hashes=np.concatenate((_hashes([each.name for each in named]), pairs)),
            values=np.concatenate(([each.value for each in named], np.full(len(pairs), PAIR_VALUE))),
        )


def _grams(option: str, words: list[str]) -> list[_Named]:
    names = {f"the option is '{option.strip().lower()[:200]}'"}
    names |= {f"'{word}'" for word in words}
    names |= {f"'{first} {second}'" for first, second in pairwise(words)}
    if words:
        names |= {f"begins with '{words[0]}'", f"ends with '{words[-1]}'"}
    return [_Named(name=name) for name in sorted(names)]


def _comparisons(
    question: BlindQuestion, words_of_options: list[list[str]], *, index: int
) -> Iterator[_Named]:
    words = words_of_options[index]
    yield _Named(name=f"position {index + 1} of {len(words_of_options)}")
    yield from _length(question.options, index=index)
    question_words = set(words_of(question.question))
    shares = [len(question_words & set(each)) / max(1, len(set(each))) for each in words_of_options]
    yield _Named(name="repeats words of the question", value=2 * (shares[index] - statistics.fmean(shares)))
    if shares[index] > max((share for at, share in enumerate(shares) if at != index), default=0.0):
        yield _Named(name="repeats most words of the question")
    likeness = [
        _likeness(each, [other for other in words_of_options if other is not each])
        for each in words_of_options
    ]
    yield _Named(
        name="is similar to the other options", value=2 * (likeness[index] - statistics.fmean(likeness))
    )
    yield from _number(question.options, index=index)
    for name, listed in (("contains a negation", NEGATIONS), ("contains an absolute word", ABSOLUTES)):
        if listed & set(words):
            yield _Named(name=name)


def _length(options: tuple[str, ...], *, index: int) -> Iterator[_Named]:
    lengths = [len(option) for option in options]
    own, others = lengths[index], lengths[:index] + lengths[index + 1 :]
    spread = statistics.pstdev(lengths)
    if spread:
        yield _Named(name="is longer than the others", value=(own - statistics.fmean(lengths)) / spread)
    if others and own > max(others):
        yield _Named(name="is the longest")
    if others and own < min(others):
        yield _Named(name="is the shortest")


def _likeness(words: list[str], others: list[list[str]]) -> float:
    own = set(words)
    return statistics.fmean([len(own & set(each)) / max(1, len(own | set(each))) for each in others] or [0.0])


def _number(options: tuple[str, ...], *, index: int) -> Iterator[_Named]:
    found = [_NUMBER.search(option) for option in options]
    if found[index] is not None:
        yield _Named(name="contains a number")
    if all(found):
        numbers = [float(each.group()) for each in found if each is not None]
        yield _Named(name=f"number {sorted(numbers).index(numbers[index]) + 1} by size of {len(numbers)}")


def _hash(text: str) -> int:
    # Not ``hash``, which gives the same text another number in each process.
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def _hashes(texts: Sequence[str]) -> Hashes:
    return np.array([_hash(text) for text in texts], dtype=np.uint32)


def _mix(first: Hashes, second: Hashes) -> Hashes:
    # Two odd constants of multiplicative hashing; overflow at 32 bits is intended.
    mixed: Hashes = first * np.uint32(0x9E3779B1) ^ (second * np.uint32(0x85EBCA77) + np.uint32(0x27D4EB2F))
    return mixed


def _column(hashes: Hashes) -> NDArray[np.int32]:
    # The upper bits of the product, which all bits of the hash have an effect on.
    return ((hashes * np.uint32(0x9E3779B1)) >> np.uint32(32 - BITS)).astype(np.int32)


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    starts: NDArray[np.int64] = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    return starts
