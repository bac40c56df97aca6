"""The review queue: records with open flags or forks, by the worth of the decision.

Nothing is stored: the worth of a case depends on records that come and go after its flags, such as the items
of its scene. All cases are grouped from one index (``flag_of_case``) when a reader is first asked; after a
commit it reads those of the changed records again. Filters and counts work on combinations, as for items.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, get_args

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import json

from annotator.domain.query import qualified_task, selects_task
from annotator.domain.record import Record
from annotator.domain.review import (
    ANY,
    RESTING,
    ForkedField,
    ReviewCase,
    ReviewQuery,
    ReviewReason,
)
from annotator.domain.rows import FacetCount
from annotator.queries.acceptance_queries import AcceptanceQueries
from annotator.queries.fork_queries import ForkQueries
from annotator.queries.item_queries import ItemQueries
from annotator.queries.review_cases import (
    Case,
    Combination,
    Combinations,
    RecordKey,
    read_cases,
    touched_targets,
)
from annotator.queries.review_outcomes import ReviewOutcomes
from annotator.store.connection import Connection
from annotator.store.projections import PROJECTIONS

ANSWERED = """
SELECT DISTINCT item, person FROM response WHERE removed=0 AND item IN (SELECT value FROM json_each(?))
"""
LAST = "SELECT coalesce(max(n), 0) FROM event"
CHANGED = "SELECT DISTINCT entity, entity_id FROM event WHERE n>? LIMIT ?"
MOST_CHANGES = 500
"""Changed records up to which only their cases are read again; more of them take as long as all cases."""
LAST_MERGE = "SELECT coalesce(max(n), 0) FROM command WHERE kind='merge'"
LAST_UNDO = "SELECT coalesce(max(n), 0) FROM command WHERE kind='undo'"
# Both values of a fork that an undo opens again are its events.
REOPENED = """
SELECT h.entity_id, h.field FROM command c JOIN main.event e ON e.command=c.id
JOIN head h ON h.entity_id=e.entity_id AND h.field=e.field AND h.event=e.id
WHERE c.kind='undo' AND c.n>? GROUP BY 1, 2 HAVING count(*)>1
"""
NO_PERSONS: frozenset[str] = frozenset()


class _ForkKeys(NamedTuple):
    """Fields that may be forked, as of the last merge and the last undo; in the order found."""

    merged: int
    undone: int
    keys: dict[tuple[str, str], None]


class _CaseList:
    """All cases in order of worth, as of one position of the log.

    Attributes:
        position: Arrival number of the last event that it has seen.
        merged: Arrival number of the last merge that it has seen.
        cases: The cases.
        by_number: Each case by its number.
        by_record: Each case by type and id of its record.
    """

    def __init__(self, cases: Iterable[Case] = (), *, position: int = -1, merged: int = -1) -> None:
        self.position, self.merged = position, merged
        self.cases = sorted(cases, key=_order)
        self.by_number = {case.n: case for case in self.cases}
        self.by_record = {(case.facet.entity, case.target): case for case in self.cases}

    def replace(self, records: Iterable[RecordKey], cases: Iterable[Case]) -> None:
        """Give some records the cases that they have now."""
        for record in records:
            if (case := self.by_record.pop(record, None)) is not None:
                del self.by_number[case.n]
                del self.cases[bisect_left(self.cases, _order(case), key=_order)]
        for case in cases:
            self.by_record[case.facet.entity, case.target] = self.by_number[case.n] = case
            insort(self.cases, case, key=_order)


class ReviewQueries(ReviewOutcomes, AcceptanceQueries):
    """The part of a reader that lists review cases."""

    def __init__(self, connection: Connection, *, items: ItemQueries, forks: ForkQueries) -> None:
        super().__init__(connection)
        self._items, self._forks = items, forks
        self._combinations = Combinations()
        self._known_cases: tuple[int, _CaseList] = (-1, _CaseList())
        self._fork_keys = _ForkKeys(merged=0, undone=0, keys={})
        self._known_answerers: dict[str, frozenset[str]] = {}

    def numbers(self, query: ReviewQuery) -> npt.NDArray[np.int64]:
        """Return the numbers of the selected cases, int64 (n,), the most worth first."""
        return np.fromiter((case.n for case in self._selected(query)), dtype=np.int64)

    def rows(self, numbers: Iterable[int]) -> list[ReviewCase]:
        """Return cases by their numbers, in the order given; those that are decided are skipped."""
        known = self._cases().by_number
        found = (known.get(int(number)) for number in numbers)
        return self._rows([case for case in found if case is not None])

    def next_case(self, query: ReviewQuery, *, after: ReviewCase | None = None) -> ReviewCase | None:
        """Return the case to decide next, None at the end of the queue.

        Args:
            query: The selection.
            after: The case decided or skipped last; it need not be in the queue any more. None for the first.
        """
        selected = self._selected(query)
        index = 0 if after is None else bisect_right(selected, _order(after), key=_order)
        found = self._rows(selected[index : index + 1])
        return found[0] if found else None

    def case(self, kind: type[Record], target: str) -> ReviewCase | None:
        """Return the case of a record, None where nothing waits for a decision on it."""
        case = self._cases().by_record.get((kind.table.entity, target))
        return None if case is None else self._rows([case])[0]

    def count(self, query: ReviewQuery) -> int:
        """Return the size of a selection."""
        return len(self._selected(query))

    def facets(self, query: ReviewQuery) -> dict[str, list[FacetCount]]:
        """Return counts per value of each facet, each under the other filters of the query.

        The facets are ``reason``, ``kind``, ``severity``, ``entity``, ``task_set``, ``task`` (as
        ``set/task``), ``source``, ``state``, ``assignee`` and ``person``.
        """
        numbers = Counter(case.facet for case in self._answered(frozenset(query.persons)))
        found = {}
        for name, values in _VALUES.items():
            counts: Counter[str] = Counter()
            for facet in _chosen(numbers, query, skip=name):
                counts.update(dict.fromkeys(values(facet), numbers[facet]))
            found[name] = _counted(counts)
        people: Counter[str] = Counter()
        for case in self._selected(msgspec.structs.replace(query, persons=())):
            people.update(self._answerers(case))
        return found | {"person": _counted(people)}

    def _selected(self, query: ReviewQuery) -> list[Case]:
        cases = self._answered(frozenset(query.persons))
        chosen = _chosen({case.facet for case in cases}, query)
        return [case for case in cases if case.facet in chosen]

    def _answered(self, persons: frozenset[str]) -> list[Case]:
        """Return all cases, or those of the items that some people have answered."""
        cases = self._cases().cases
        return [case for case in cases if persons & self._answerers(case)] if persons else cases

    def _answerers(self, case: Case) -> frozenset[str]:
        if case.target not in self._known_answerers and case.facet.entity == "item":
            self._read_answerers()
        return self._known_answerers.get(case.target, NO_PERSONS)

    def _read_answerers(self) -> None:
        """Read who answered the items of all cases of which that is not known."""
        items = (case.target for case in self._cases().cases if case.facet.entity == "item")
        missing = [item for item in items if item not in self._known_answerers]
        people: dict[str, set[str]] = {item: set() for item in missing}
        for item, person in self._connection.execute(ANSWERED, (json.encode(missing).decode(),)):
            people[item].add(person)
        self._known_answerers |= {item: frozenset(found) for item, found in people.items()}

    def _cases(self) -> _CaseList:
        """Return all cases as the file has them now; after a few changes only those touched are read."""
        # The version before the rows: what others commit in between is looked at again next time.
        version, known = self._connection.execute("PRAGMA data_version").fetchone()[0], self._known_cases[1]
        if version == self._known_cases[0]:
            return known
        merged, position = (self._connection.execute(select).fetchone()[0] for select in (LAST_MERGE, LAST))
        changed = self._connection.execute(CHANGED, (known.position, MOST_CHANGES + 1)).fetchall()
        if known.position < 0 or merged != known.merged or len(changed) > MOST_CHANGES:
            self._known_answerers.clear()
            known = _CaseList(self._read_cases(), position=position, merged=merged)
        else:
            self._read_changed(known, changed)
            known.position = position
        self._known_cases = (version, known)
        return known

    def _read_changed(self, known: _CaseList, changed: Iterable[tuple[str, str]]) -> None:
        targets = touched_targets(self._connection, changed, known.by_record.values())
        if not targets:
            return
        for target in targets:
            self._known_answerers.pop(target, None)
        read = self._read_cases(targets)
        known.replace([record for record in known.by_record if record[1] in targets], read)

    def _read_cases(self, targets: Collection[str] | None = None) -> Iterator[Case]:
        return read_cases(
            self._connection,
            forked=self.forked_fields(),
            facets=self._items.known_facets(),
            combinations=self._combinations,
            targets=targets,
        )

    def forked_fields(self) -> Iterator[ForkedField]:
        """Yield the forked fields.

        A merge makes forks, and the undo of a choice opens one again: the long log is read once after each
        merge, and of an undo only its own events.
        """
        known = self._fork_keys
        merged, undone = (self._connection.execute(last).fetchone()[0] for last in (LAST_MERGE, LAST_UNDO))
        if merged != known.merged:
            found = dict.fromkeys(self._forks.fields())
            known = self._fork_keys = _ForkKeys(merged, undone, found)
        elif undone != known.undone:
            reopened = dict.fromkeys(self._connection.execute(REOPENED, (known.undone,)).fetchall())
            known = self._fork_keys = _ForkKeys(merged, undone, known.keys | reopened)
        for entity_id, name in known.keys:
            # Chosen values leave the list unread.
            if (fork := self._forks.get(entity_id, field=name)) is not None:
                yield ForkedField(fork.entity, entity_id, name)

    def _rows(self, cases: Sequence[Case]) -> list[ReviewCase]:
        names = self._names(cases)
        return [_row(case, names.get((case.facet.entity, case.target), "")) for case in cases]

    def _names(self, cases: Sequence[Case]) -> dict[tuple[str, str], str]:
        """Return the names of the records of cases, or those of their scenes."""
        wanted: defaultdict[str, set[str]] = defaultdict(set)
        for case in cases:
            wanted[case.facet.entity].add(case.target)
            wanted["scene"].add(case.scene)
        named = {entity: self._named(entity, ids) for entity, ids in wanted.items()}
        return {
            (case.facet.entity, case.target): named[case.facet.entity].get(case.target)
            or named["scene"].get(case.scene)
            or case.target
            for case in cases
        }

    def _named(self, entity: str, ids: set[str]) -> dict[str, str]:
        has_name = entity in PROJECTIONS and "name" in PROJECTIONS[entity].column_names
        if not has_name:
            return {}
        select = f"SELECT id, name FROM {entity} WHERE id IN (SELECT value FROM json_each(?))"
        return dict(self._connection.execute(select, (json.encode(sorted(ids)).decode(),)).fetchall())


_VALUES: dict[str, Callable[[Combination], Collection[str]]] = {
    "reason": lambda facet: facet.reasons,
    "kind": lambda facet: facet.kinds,
    "severity": lambda facet: (facet.severity,),
    "entity": lambda facet: (facet.entity,),
    "task_set": lambda facet: (facet.task_set,) if facet.task_set else (),
    "task": lambda facet: (qualified_task(facet.task_set, facet.task),) if facet.task_set else (),
    "source": lambda facet: (facet.source,) if facet.entity == "item" else (),
    "state": lambda facet: (facet.state,),
    "assignee": lambda facet: facet.assignees,
}


def _tests(query: ReviewQuery) -> dict[str, Callable[[Combination], bool]]:
    """Return the filters of a query by facet; the state has one in any case."""
    wanted: dict[str, Collection[str]] = {
        "reason": query.reasons,
        "kind": query.kinds,
        "severity": query.severities,
        "entity": query.entities,
        "task_set": query.task_sets,
        "task": query.tasks,
        "source": query.sources,
        "assignee": query.assignees,
    }
    tests = {name: _test(name, frozenset(values)) for name, values in wanted.items() if values}
    if not query.states:
        tests["state"] = lambda facet: facet.state not in RESTING
    elif ANY not in query.states:
        tests["state"] = _test("state", frozenset(query.states))
    return tests


def _chosen(facets: Iterable[Combination], query: ReviewQuery, *, skip: str = "") -> frozenset[Combination]:
    """Return the combinations that pass the filters of a query, except that of the facet ``skip``."""
    tests = [test for name, test in _tests(query).items() if name != skip]
    return frozenset(facet for facet in facets if all(test(facet) for test in tests))


def _test(name: str, wanted: frozenset[str]) -> Callable[[Combination], bool]:
    values = _VALUES[name]
    if name == "assignee" and ANY in wanted:
        return lambda facet: bool(facet.assignees)
    if name == "task":
        return lambda facet: selects_task(wanted, task_set=facet.task_set, task=facet.task)
    return lambda facet: not wanted.isdisjoint(values(facet))


def _order(case: Case | ReviewCase) -> tuple[float, int]:
    return -case.worth, case.n


def _counted(counts: Mapping[str, int]) -> list[FacetCount]:
    return [FacetCount(value=value, count=count) for value, count in sorted(counts.items())]


def _row(case: Case, name: str) -> ReviewCase:
    facet = case.facet
    return ReviewCase(
        n=case.n,
        entity=facet.entity,
        target=case.target,
        name=name,
        task_set=facet.task_set,
        task=facet.task,
        state=facet.state,
        source=facet.source,
        scene=case.scene,
        reasons=tuple(one for one in get_args(ReviewReason) if one in facet.reasons),
        kinds=tuple(sorted(facet.kinds)),
        severity=facet.severity,
        flags=case.flags,
        forks=case.forks,
        touched=case.touched,
        certainty=case.certainty,
        worth=case.worth,
    )
