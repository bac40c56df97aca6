"""The wrong options of questions about top-view maps, and how alike two options may be."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable, Sequence

from annotator.domain.map_categories import map_categories
from annotator.draft.map_words import listed
from annotator.draft.seeded_random import SeededRandom

# TopViewRS's questions have four options.
WRONG_OPTIONS = 3


_ATTEMPTS = 8


_MOST_ALIKE = 0.85


def choose_wrong(
    candidates: Sequence[str],
    *,
    true: Iterable[str],
    draw: SeededRandom,
    are_rooms: bool = False,
    count: int = WRONG_OPTIONS,
) -> tuple[str, ...] | None:
    """Return wrong answers, the first candidates in random order, or None where too few are certain.

    Args:
        candidates: Categories to choose from; those on the map come before those that are not.
        true: Categories for which the answer would be right; what is similar to one is left out.
        draw: The random numbers.
        are_rooms: Whether they are kinds of rooms.
        count: Number of wrong answers.
    """
    alike, excluded = map_categories().are_alike, list(true)
    kept: list[str] = []
    for candidate in candidates:
        if len(kept) == count:
            break
        if not any(alike(candidate, one, are_rooms=are_rooms) for one in (*excluded, *kept)):
            kept.append(candidate)
    return tuple(draw.shuffled(kept)) if len(kept) == count else None


def candidates_in_order(*groups: Iterable[str], draw: SeededRandom) -> list[str]:
    """Return categories, each once: groups in order, each group in random order."""
    found: list[str] = []
    for group in groups:
        # A set would come in another order in each process.
        found += draw.shuffled(dict.fromkeys(sorted(group)))
    return list(dict.fromkeys(filter(None, found)))


def choose_lists(
    right: Sequence[str], candidates: Sequence[str], *, draw: SeededRandom
) -> tuple[tuple[str, ...], ...] | None:
    """Return three wrong lists of rooms of the length of the right one, or None where too few are certain.

    Two halves of the kinds are exchanged, one in the first list, the other one in the second, both in the
    third. Each kind then stands in two of the four lists: none can be told by what it shares with the others.

    Args:
        right: Kinds of rooms, each once.
        candidates: Kinds that are not right, the best first.
        draw: The random numbers.
    """
    half = max(1, len(right) // 2)
    # Lists that differ in a short name are too similar as texts: then with other candidates.
    for attempt in range(_ATTEMPTS):
        kinds = choose_wrong(
            candidates[attempt:],
            true=right,
            draw=draw,
            are_rooms=True,
            count=3 if len(right) == 1 else 2 * half,
        )
        if kinds is None:
            return None
        lists = _exchanged(draw.shuffled(right), kinds, half=half)
        if are_apart([listed(sorted(right)), *map(listed, lists)]):
            return lists
    return None


def _exchanged(right: Sequence[str], others: Sequence[str], *, half: int) -> tuple[tuple[str, ...], ...]:
    if len(right) == 1:
        return tuple((kind,) for kind in others)
    one = dict(zip(right[:half], others[:half], strict=True))
    two = dict(zip(right[half : 2 * half], others[half:], strict=True))
    return tuple(tuple(sorted(swap.get(kind, kind) for kind in right)) for swap in (one, two, one | two))


def are_apart(texts: Sequence[str]) -> bool:
    """Return whether no two options are so similar that the check of options reports them.

    Source: AirCopBench's draft check: difflib's ratio over 0.85, which depends on the order of the two.
    """
    pairs = itertools.permutations(texts, 2)
    return all(difflib.SequenceMatcher(None, one, two).ratio() <= _MOST_ALIKE for one, two in pairs)
