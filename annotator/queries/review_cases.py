"""Reads the review cases of a project: records with open flags or forks, and what they are filtered by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from msgspec import json

from annotator.domain.flag import Severity
from annotator.domain.query import qualified_task
from annotator.domain.review import SEVERITIES, ForkedField, ReviewReason, certainty, review_reason
from annotator.queries.item_queries import Facet
from annotator.store.connection import Connection
from annotator.store.facet_table import REMOVED_FACET
from annotator.store.projections import PROJECTIONS
from annotator.store.staged_rows import visible_sql

# main.flag, because INDEXED BY does not work on the reader's view of that name.
GROUPED = f"""
SELECT target, entity, min(n), count(*), max(scene), group_concat(kind || ':' || raised_by),
    sum(votes * (severity='error')), sum(votes * (severity='warning')), sum(votes * (severity='note'))
FROM main.flag INDEXED BY flag_of_case
WHERE state='open' AND removed=0 AND {visible_sql()} {{where}} GROUP BY target, entity
"""
ALL_GROUPS = GROUPED.format(where="")
SOME_GROUPS = GROUPED.format(where="AND target IN (SELECT value FROM json_each(?))")
FACETS_OF = "SELECT id, facet FROM item WHERE id IN (SELECT value FROM json_each(?))"
SCENE_ITEMS = "SELECT id, items FROM scene WHERE id IN (SELECT value FROM json_each(?))"
REGION_SCENES = """
SELECT r.id, min(v.scene) FROM region r JOIN scene_view v ON v.medium=r.medium
WHERE r.id IN (SELECT value FROM json_each(?)) GROUP BY r.id
"""
TARGETS_OF = {
    "flag": "SELECT target FROM flag WHERE id IN (SELECT value FROM json_each(?))",
    "response": "SELECT item FROM response WHERE id IN (SELECT value FROM json_each(?))",
    "assignment": "SELECT target FROM assignment WHERE id IN (SELECT value FROM json_each(?))",
}
"""Records about which others are."""
FLAG_TARGET = "SELECT entity, target, scene FROM flag WHERE id=?"
ORIGIN = "SELECT coalesce(min(n), 0) FROM event WHERE entity_id=?"
RecordKey = tuple[str, str]
"""Type and id of a record."""


@dataclass(frozen=True, eq=False, slots=True)
class Combination:
    """What cases are filtered by, but for the people who answered; fields as in ``ReviewCase``.

    There is one object of each (``Combinations``), so that thousands of cases are grouped by identity.
    """

    entity: str
    reasons: frozenset[ReviewReason]
    kinds: frozenset[str]
    severity: Severity
    task_set: str
    task: str
    source: str
    state: str
    assignees: frozenset[str]


class Case(NamedTuple):
    """A case before its name is looked up; fields as in ``ReviewCase``."""

    n: int
    target: str
    scene: str
    flags: int
    forks: tuple[ForkedField, ...]
    touched: int
    certainty: float
    facet: Combination

    @property
    def worth(self) -> float:
        """What the decision is worth."""
        return self.touched * self.certainty


class _Group(NamedTuple):
    """The open flags of one record; ``kinds`` is ``kind:origin`` of each flag, with commas."""

    n: int
    flags: int
    scene: str
    kinds: str
    votes: Mapping[Severity, int]


def read_cases(
    connection: Connection,
    *,
    forked: Iterable[ForkedField],
    facets: Sequence[Facet],
    combinations: Combinations,
    targets: Collection[str] | None = None,
) -> Iterator[Case]:
    """Yield the cases; records that were removed have none unless they are forked.

    Args:
        connection: The project.
        forked: Fields that workstations changed independently.
        facets: Combinations of items.
        combinations: Those of cases that the reader has seen.
        targets: Ids of the only records whose cases are read, None for all.
    """
    forks = _by_case(connection, forked)
    groups = _groups(connection, targets)
    for record in forks:
        if targets is None or record[1] in targets:
            number = connection.execute(ORIGIN, (record[1],)).fetchone()[0]
            # Negative: the number of the record's first event can be that of a flag of another case.
            groups.setdefault(record, _Group(-number, 0, "", "", {}))
    locations = _Places(connection, groups, facets)
    for record, group in groups.items():
        facet, fields = locations.facet(record), forks.get(record, ())
        if facet is None and not fields:
            continue
        yield Case(
            group.n,
            record[1],
            locations.scene(record),
            group.flags,
            fields,
            locations.touched(record),
            1.0 if fields else certainty(group.votes),
            combinations.of(record[0], group, facet, is_forked=bool(fields)),
        )


def touched_targets(
    connection: Connection, changed: Iterable[RecordKey], cases: Iterable[Case]
) -> frozenset[str]:
    """Return the ids of the records whose cases a change of some records can touch.

    Args:
        connection: The project after the change.
        changed: The changed records.
        cases: The cases before the change.
    """
    ids: defaultdict[str, set[str]] = defaultdict(set)
    for entity, entity_id in changed:
        ids[entity].add(entity_id)
    targets = set().union(*ids.values())
    for entity, select in TARGETS_OF.items():
        rows = connection.execute(select, (json.encode([*ids[entity]]).decode(),))
        targets |= {target for (target,) in rows if target}
    # An item more or less in a scene or task changes what a decision on these touches, and a scene gets or
    # loses media.
    if ids["item"] or ids["scene"]:
        targets |= {case.target for case in cases if case.facet.entity != "item"}
    return frozenset(targets)


def _by_case(
    connection: Connection, forked: Iterable[ForkedField]
) -> dict[RecordKey, tuple[ForkedField, ...]]:
    """Return forked fields by the record that they are decided with: those of a flag with its target."""
    found: defaultdict[RecordKey, list[ForkedField]] = defaultdict(list)
    for field in forked:
        record = (field.entity, field.entity_id)
        if field.entity == "flag":
            flag = connection.execute(FLAG_TARGET, (field.entity_id,)).fetchone()
            if flag is None:
                # Of a newer version: its events are kept, and it is in no table.
                continue
            record = (flag[0], flag[1])
        found[record].append(field)
    return {record: tuple(fields) for record, fields in found.items()}


def _groups(connection: Connection, targets: Collection[str] | None) -> dict[RecordKey, _Group]:
    """Return the open flags by the record that they are on."""
    if targets is None:
        rows = connection.execute(ALL_GROUPS)
    else:
        rows = connection.execute(SOME_GROUPS, (json.encode([*targets]).decode(),))
    found = {}
    for target, entity, n, flags, scene, kinds, *votes in rows:
        by_severity = dict(zip(SEVERITIES, votes, strict=True))
        found[entity, target] = _Group(n, flags, scene or "", kinds, by_severity)
    return found


class Combinations:
    """The only object of each combination that a reader has seen."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Combination] = {}

    def of(self, entity: str, group: _Group, facet: Facet | None, *, is_forked: bool) -> Combination:
        """Return the combination of a record with open flags or a fork."""
        severity = _severity(group, is_forked=is_forked)
        item: tuple[str, str, str, str, frozenset[str]] = ("", "", "", "", frozenset())
        if facet is not None:
            item = (facet.task_set, facet.task, facet.source, facet.state, facet.assignees)
        key = (entity, group.kinds, severity, is_forked, item)
        if key not in self._known:
            pairs = [text.partition(":") for text in group.kinds.split(",") if text]
            reasons = {review_reason(kind, origin) for kind, _, origin in pairs}
            reasons |= {"fork"} if is_forked else set()
            kinds = frozenset(kind for kind, *_ in pairs)
            self._known[key] = Combination(entity, frozenset(reasons), kinds, severity, *item)
        return self._known[key]


def _severity(group: _Group, *, is_forked: bool) -> Severity:
    """Return the severity of the strongest flag; a fork keeps its record from any edit, as an error would."""
    return "error" if is_forked else next((one for one in SEVERITIES if group.votes.get(one)), "note")


class _Places:
    """Where the records of cases belong, and how many items a decision on them touches."""

    def __init__(
        self, connection: Connection, groups: Mapping[RecordKey, _Group], facets: Sequence[Facet]
    ) -> None:
        self._connection = connection
        self._facets = {facet.id: facet for facet in facets}
        self._task_items: defaultdict[str, int] = defaultdict(int)
        for facet in facets:
            self._task_items[qualified_task(facet.task_set, facet.task)] += facet.items
        self._ids: defaultdict[str, list[str]] = defaultdict(list)
        for entity, target in groups:
            self._ids[entity].append(target)
        self._facet_of = self._looked_up(FACETS_OF, self._ids["item"])
        self._scenes = {record: group.scene for record, group in groups.items()}
        regions = self._looked_up(REGION_SCENES, self._ids["region"])
        self._scenes |= {("region", region): scene for region, scene in regions.items()}
        self._scene_items = self._looked_up(SCENE_ITEMS, sorted({*self._scenes.values()}))
        self._live = {entity: self._existing(entity) for entity in self._ids if entity != "item"}

    def facet(self, record: RecordKey) -> Facet | None:
        """Return what the record is filtered by, None where it was removed."""
        entity, target = record
        if entity == "item":
            return self._facets.get(self._facet_of.get(target, REMOVED_FACET))
        if target not in self._live[entity]:
            return None
        task_set, _, task = target.partition("/") if entity == "task" else ("", "", "")
        return Facet(REMOVED_FACET, task_set, task, "", "", frozenset(), frozenset(), 0)

    def scene(self, record: RecordKey) -> str:
        """Return the id of the record's scene, "" for none."""
        return record[1] if record[0] == "scene" else self._scenes.get(record, "")

    def touched(self, record: RecordKey) -> int:
        """Return how many items a decision on the record touches, at least 1."""
        entity, target = record
        if entity == "item":
            return 1
        count = self._task_items[target] if entity == "task" else self._scene_items.get(self.scene(record), 0)
        return max(1, count)

    def _existing(self, entity: str) -> frozenset[str]:
        """Return those records of a type that are not removed; a task is no record and is always there."""
        ids = self._ids[entity]
        if entity not in PROJECTIONS:
            return frozenset(ids)
        select = f"SELECT id, n FROM {entity} WHERE removed=0 AND id IN (SELECT value FROM json_each(?))"
        return frozenset(self._looked_up(select, ids))

    def _looked_up(self, select: str, ids: Sequence[str]) -> dict[str, Any]:
        return dict(self._connection.execute(select, (json.encode(ids).decode(),)).fetchall()) if ids else {}
