"""The check for items that ask nearly the same, over all items of a run."""

from __future__ import annotations

import hashlib
import itertools
import zlib
from array import array
from collections.abc import Iterator

import msgspec
import numpy as np
import numpy.typing as npt

from annotator.domain.item import Item
from annotator.domain.text_search import digest_of_words, words_of
from annotator.quality.check import CheckHit, DatasetCheck, DatasetCollector
from annotator.quality.context import CheckContext
from annotator.quality.near_duplicates import (
    SHARED_WORDS,
    SHORTEST_WORDS,
    TEMPLATE_SCENES,
    ComparedItem,
    compare_items,
    duplicate_message,
    has_fixed_question,
    rare_words_needed,
)

LARGEST_INPUT = 200
"""Items about the same images that are all compared with each other."""
LARGEST_BUCKET = 60
"""Items with the same rare word that are all compared with each other; a word of more is common."""
Integers = npt.NDArray[np.int64]


class DuplicateCollector(DatasetCollector):
    """Finds pairs of items that ask nearly the same: about 100 bytes an item on the first pass.

    The first pass keeps digests of words and images, from which pairs with many common words follow. The
    second pass keeps the items of these pairs, whose texts are then compared.
    """

    def __init__(self, context: CheckContext) -> None:
        self._context = context
        self._is_fixed = array("B")
        # Arrays and not lists, whose integers take several times the memory.
        self._words, self._ends = array("I"), array("Q")
        self._digests, self._inputs, self._scenes = array("q"), array("q"), array("q")
        self._pairs: list[tuple[int, int]] | None = None
        self._wanted: frozenset[int] = frozenset()
        self._suspects: dict[int, ComparedItem] = {}
        self._passed = -1

    def add(self, item: Item) -> None:
        """Keep digests of an item's words and images."""
        words = words_of(item.question)
        # Two words of one checksum make a pair too many, which the comparison of the texts rejects.
        self._words.extend(sorted({zlib.crc32(word.encode(errors="replace")) for word in words}))
        self._ends.append(len(self._words))
        self._is_fixed.append(has_fixed_question(self._context.task(item)))
        self._digests.append(digest_of_words(words))
        self._inputs.append(_digest(*item.media, item.view))
        self._scenes.append(_digest(item.scene))

    @property
    def wants_second_pass(self) -> bool:
        """Whether there are pairs whose texts have to be compared."""
        return bool(self._find_pairs())

    def add_again(self, item: Item) -> None:
        """Keep an item that is one of a pair."""
        if self._passed < 0:
            self._wanted = frozenset(itertools.chain.from_iterable(self._find_pairs()))
        self._passed += 1
        if self._passed in self._wanted:
            # Without what an import kept, which is most of an item and is not compared.
            light = msgspec.structs.replace(item, original=msgspec.Raw(b"null"), extras={})
            self._suspects[self._passed] = ComparedItem.of(light, find_medium=self._context.medium)

    def findings(self) -> Iterator[tuple[str, str, CheckHit]]:
        """Yield each item that repeats another, with the one that it is most similar to."""
        best: dict[int, tuple[float, int]] = {}
        for one, other in self._find_pairs():
            if similarity := compare_items(self._suspects[one], self._suspects[other]):
                best[one] = max(best.get(one, (0.0, -1)), (similarity, other))
                best[other] = max(best.get(other, (0.0, -1)), (similarity, one))
        for index, (similarity, other) in sorted(best.items()):
            message = duplicate_message(self._suspects[other].item.name, similarity=similarity)
            evidence = {"item": self._suspects[other].item.id}
            hit = CheckHit(message=message, field="question", evidence=evidence)
            yield "item", self._suspects[index].item.id, hit

    def _find_pairs(self) -> list[tuple[int, int]]:
        if self._pairs is None:
            groups = itertools.chain(self._same_input(), self._same_rare_word())
            similar = (
                pair
                for group in groups
                for pair in itertools.combinations(group, 2)
                if _share_words(self._words_of(pair[0]), self._words_of(pair[1]))
            )
            self._pairs = sorted({*similar, *self._same_question()})
        return self._pairs

    def _words_of(self, index: int) -> frozenset[int]:
        start = self._ends[index - 1] if index else 0
        return frozenset(self._words[start : self._ends[index]])

    def _same_input(self) -> Iterator[list[int]]:
        """Yield the items about the same images, where they are few."""
        groups = _groups(np.frombuffer(self._inputs, dtype=np.int64))
        yield from (group.tolist() for group in groups if len(group) <= LARGEST_INPUT)

    def _same_question(self) -> Iterator[tuple[int, int]]:
        """Yield each item with the next one of the same question about the same images."""
        inputs, digests = (np.frombuffer(kept, dtype=np.int64) for kept in (self._inputs, self._digests))
        # The sum of two digests is as good as their pair: both are spread over all integers.
        for group in _groups(inputs + digests):
            yield from itertools.pairwise(group.tolist())

    def _same_rare_word(self) -> Iterator[list[int]]:
        """Yield the items that share one of their rarest words, without questions of templates."""
        words = np.frombuffer(self._words, dtype=np.uint32)
        ends = np.frombuffer(self._ends, dtype=np.uint64).astype(np.int64)
        sizes = np.diff(ends, prepend=0)
        indices = np.repeat(np.arange(len(ends)), sizes)
        _, known, counts = np.unique(words, return_inverse=True, return_counts=True)
        # The last key of lexsort is the first to sort by: item, then rarity, then the word itself.
        order = np.lexsort((known, counts[known], indices))
        # The rank of each word among those of its item, the rarest first.
        ranks = np.arange(len(words)) - np.repeat(ends - sizes, sizes)
        needed = np.array([rare_words_needed(size) for size in range(int(sizes.max(initial=0)) + 1)])
        chosen = order[(ranks < needed[sizes[indices]]) & self._is_compared(sizes)[indices]]
        for group in _groups(known[chosen].astype(np.int64)):
            if len(group) <= LARGEST_BUCKET:
                yield sorted(indices[chosen[group]].tolist())

    def _is_compared(self, sizes: Integers) -> npt.NDArray[np.bool_]:
        """Return which items are compared with those about other images, bool (items,)."""
        digests = np.frombuffer(self._digests, dtype=np.int64)
        scenes = np.frombuffer(self._scenes, dtype=np.int64)
        asked = np.unique(np.stack([digests, scenes], axis=1), axis=0)[:, 0]
        questions, counts = np.unique(asked, return_counts=True)
        is_template = np.isin(digests, questions[counts >= TEMPLATE_SCENES])
        is_fixed = np.frombuffer(self._is_fixed, dtype=np.bool_)
        return ~is_template & ~is_fixed & (sizes >= SHORTEST_WORDS)


def _groups(values: Integers) -> Iterator[Integers]:
    """Yield the places of equal values, two or more, in rising order."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order])) + 1
    yield from (group for group in np.split(order, starts) if len(group) > 1)


def _share_words(one: frozenset[int], other: frozenset[int]) -> bool:
    shared = len(one & other)
    return shared > 0 and shared >= SHARED_WORDS * (len(one) + len(other) - shared)


def _digest(*texts: str) -> int:
    text = "\n".join(texts).encode(errors="replace")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), signed=True)


class NearDuplicates(DatasetCheck):
    """Finds items that ask nearly the same."""

    id = "near_duplicate"
    severity = "warning"
    title = "Near-duplicates"
    finds = (
        "Two items ask nearly the same about the same images, or the same with the same answers about others."
    )
    advice = "Ask something else, or reject one of the two items."
    threshold = (
        "similarity 0.85 about the same images, 0.9 about others; not with other numbers or another content "
        "word; for other images not where a rule asks the question, or 3 or more scenes share it"
    )

    def start(self, context: CheckContext, /) -> DatasetCollector:
        """Return an empty collector."""
        return DuplicateCollector(context)
