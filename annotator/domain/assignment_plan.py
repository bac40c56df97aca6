"""Decides who gets which records: balanced, and reproducible by a seed. Pure."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from annotator.errors import UserError

ROUNDING = 1e-9
"""0.2 of 15 is 3: the product of the two floating-point numbers is a little larger."""


class PlannedAssignments(NamedTuple):
    """Who gets which records.

    Attributes:
        pairs: Pairs of record and person.
        missing: Number of persons who are missing, by the id of a record that too few may have.
    """

    pairs: list[tuple[str, str]]
    missing: dict[str, int]


def plan_assignments(
    groups: Sequence[Collection[str]],
    persons: Sequence[str],
    *,
    share: float = 1.0,
    overlap: int = 1,
    overlap_share: float = 1.0,
    seed: int = 0,
    taken: Mapping[str, Collection[str]] | None = None,
    excluded: Mapping[str, Collection[str]] | None = None,
) -> PlannedAssignments:
    """Return new pairs of record and person, in the order of the records, and the records that are left out.

    The result depends on the ids and the seed alone, not on the order in which records and persons are given;
    a second call with what the first one gave as ``taken`` gives nothing. Without taken records and barred
    persons, the numbers of any two persons differ by one at most. A record that too few persons may have is
    left out.

    Args:
        groups: Ids of records, for instance of one task each; the share is taken of every group.
        persons: Ids of persons.
        share: Share of each group that is assigned, above 0 and up to 1; rounded up to whole records.
        overlap: Number of persons per record.
        overlap_share: Share of each group's chosen records that have ``overlap`` persons, from 0 to 1 and
            rounded up; the others have one.
        seed: Seed of the choice.
        taken: Persons who have a record already, by its id; they count for the overlap and the balance.
        excluded: Persons who must not get a record, such as its author, by the id of the record.

    Raises:
        UserError: A number is out of range, or there are fewer persons than the overlap.
    """
    people = sorted(set(persons))
    _require_valid(len(people), share=share, overlap=overlap, overlap_share=overlap_share)
    chance = random.Random(seed)
    # A list: the choice of the records must not depend on who has which of them already.
    chosen = list(_chosen(groups, share=share, overlap_share=overlap_share, chance=chance))
    plan = _distributed(
        [(target, overlap if is_shared else 1) for target, is_shared in chosen],
        people,
        taken=taken or {},
        excluded=excluded or {},
        chance=chance,
    )
    order = {target: index for index, target in enumerate(one for group in groups for one in group)}
    return plan._replace(pairs=sorted(plan.pairs, key=lambda pair: (order[pair[0]], pair[1])))


def plan_honeypots(
    known: Collection[str],
    counts: Mapping[str, int],
    *,
    share: float,
    seed: int,
    excluded: Mapping[str, Collection[str]],
) -> list[tuple[str, str]]:
    """Return pairs of a honeypot and a person: to each person as many as a share of what the person gets.

    A person gets fewer where too few honeypots are left. The result depends on the ids and the seed alone.

    Args:
        known: Ids of the records whose answer is known.
        counts: Number of new records by the id of the person.
        share: Share of the new records, from 0 to 1; rounded up.
        seed: Seed of the choice.
        excluded: Persons who must not get a record, by the id of the record.

    Raises:
        UserError: The share is out of range.
    """
    if not 0 <= share <= 1:
        raise UserError(f"The share of honeypots {share:g} is not from 0 to 1.", hint="Enter 0.1 for 10 %.")
    pairs = []
    for person, count in sorted(counts.items()):
        free = sorted(target for target in set(known) if person not in excluded.get(target, ()))
        wanted = min(math.ceil(share * count - ROUNDING), len(free))
        pairs += [(target, person) for target in random.Random(f"{seed} {person}").sample(free, wanted)]
    return sorted(pairs)


def _chosen(
    groups: Sequence[Collection[str]], *, share: float, overlap_share: float, chance: random.Random
) -> Iterator[tuple[str, bool]]:
    """Yield the chosen records, and whether several persons get each."""
    for group in sorted(sorted(set(one)) for one in groups):
        chosen = chance.sample(group, math.ceil(share * len(group) - ROUNDING))
        shared = math.ceil(overlap_share * len(chosen) - ROUNDING)
        # In the order of the sample, which is random.
        yield from ((target, index < shared) for index, target in enumerate(chosen))


def _distributed(
    wanted: Sequence[tuple[str, int]],
    people: Sequence[str],
    *,
    taken: Mapping[str, Collection[str]],
    excluded: Mapping[str, Collection[str]],
    chance: random.Random,
) -> PlannedAssignments:
    """Return who gets which records, each given with the number of its persons, in that order."""
    loads = Counter(person for having in taken.values() for person in having)
    pairs, missing = list[tuple[str, str]](), dict[str, int]()
    for target, count in wanted:
        having = set(taken.get(target, ()))
        allowed = [person for person in people if person not in having | set(excluded.get(target, ()))]
        if len(having) + len(allowed) < count:
            missing[target] = count - len(having) - len(allowed)
            continue
        # The least loaded persons, in random order: with an overlap, all pairs of persons meet.
        chance.shuffle(allowed)
        for person in sorted(allowed, key=loads.__getitem__)[: max(0, count - len(having))]:
            loads[person] += 1
            pairs.append((target, person))
    return PlannedAssignments(pairs=pairs, missing=missing)


def _require_valid(people: int, *, share: float, overlap: int, overlap_share: float) -> None:
    if not 0 < share <= 1:
        raise UserError(f"The share {share:g} is not above 0 and up to 1.", hint="Enter 0.2 for 20 %.")
    if not 0 <= overlap_share <= 1:
        raise UserError(f"The share of overlap {overlap_share:g} is not from 0 to 1.")
    if overlap < 1:
        raise UserError(f"The overlap {overlap} is not 1 or more.")
    if people < overlap:
        raise UserError(
            f"{overlap} persons are required for each record, but {people} can have it.",
            hint="Add persons, or reduce the overlap.",
        )
