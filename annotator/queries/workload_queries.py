"""The work of people: what is assigned to them, and the active time on records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from annotator.domain.workload import AssignedRow, TimeRow
from annotator.queries.answering_conditions import (
    MACHINE,
    has_seen_key_sql,
    has_worked_sql,
    is_asked,
    is_other_form,
    outdated_sql,
    undecided_sql,
)
from annotator.store.connection import Connection

# A scene that a person has handed in waits for the others, until all have handed it in: then it was reopened.
WAITS_FOR_OTHERS = """(a.is_done AND EXISTS (
        SELECT 1 FROM assignment o WHERE o.target=a.target AND o.entity='scene' AND o.role=a.role
        AND o.removed=0 AND o.is_done=0
    ))"""
# As in the queues: whoever cannot answer an item independently any more has nothing left to do on it.
FREE = f"NOT ({has_seen_key_sql('a.person')} OR {has_worked_sql('a.person', machine='?1')})"
MAY_DECIDE = "a.role='validate' AND NOT a.is_done AND i.state<>'rejected'"
UNDECIDED = f"CASE WHEN {MAY_DECIDE} THEN {undecided_sql('a.person')} END"
OUTDATED = f"""CASE WHEN a.is_done AND a.role IN ('validate', 'reference') AND i.state<>'rejected' AND {FREE}
    THEN {outdated_sql("a.person")} END"""
RECORD = f"""CASE WHEN {MAY_DECIDE} AND {undecided_sql("a.person")} IS NOT NULL OR {OUTDATED} IS NOT NULL
    THEN i.record END"""
ASSIGNED = f"""
SELECT a.person, a.role, i.task_set || '/' || i.task, a.target, a.is_done, CASE a.role
    WHEN 'refine' THEN i.state IN ('drafted', 'in_refinement')
    WHEN 'review' THEN NOT a.is_done AND i.state<>'rejected'
    ELSE NOT a.is_done AND i.state<>'rejected' AND {FREE} END, a.is_honeypot, {UNDECIDED}, {RECORD},
    {OUTDATED}
FROM assignment a JOIN item i ON i.id=a.target
WHERE a.entity='item' AND a.removed=0 AND i.removed=0
UNION ALL
SELECT a.person, a.role, s.dataset, a.target, a.is_done,
    s.state<>'finished' AND NOT {WAITS_FOR_OTHERS}, a.is_honeypot, NULL, NULL, NULL
FROM assignment a JOIN scene s ON s.id=a.target
WHERE a.entity='scene' AND a.removed=0 AND s.removed=0
"""
ANNOTATORS = """
SELECT person FROM assignment WHERE target=? AND entity='scene' AND role='annotate' AND removed=0
GROUP BY person ORDER BY min(n)
"""
HANDED_IN = f"""
SELECT s.n FROM assignment a JOIN scene s ON s.id=a.target
WHERE a.person=? AND a.entity='scene' AND a.role='annotate' AND a.removed=0 AND s.state<>'finished'
    AND {WAITS_FOR_OTHERS}
"""
# Also of records that were removed, and of steps that were undone: the time was spent. No key is ever
# shown in the reference.
TIMES = """
SELECT t.person, t.role, i.task_set || '/' || i.task, t.target, i.name, t.seconds
FROM time_entry t JOIN item i ON i.id=t.target WHERE t.entity='item'
UNION ALL
SELECT r.person, CASE WHEN NOT coalesce(r.record ->> 'is_key_shown', 0) AND EXISTS (
    SELECT 1 FROM assignment a WHERE a.target=r.item AND a.person=r.person AND a.role='reference'
) THEN 'reference' ELSE 'validate' END, i.task_set || '/' || i.task, r.item, i.name, r.record ->> 'duration_s'
FROM response r JOIN item i ON i.id=r.item WHERE r.record ->> 'duration_s'>0
"""
# The field of a label is a sum over all persons; the log says who added what.
LABEL_TIMES = """
SELECT l.scene, s.dataset, s.name, l.id, e.actor, coalesce(c.kind, 'do'),
    CASE e.field WHEN '*' THEN coalesce(e.value ->> 'active_time_s', 0) ELSE CAST(e.value AS REAL) END
FROM event_label l JOIN scene s ON s.id=l.scene CROSS JOIN event e ON e.entity_id=l.id
LEFT JOIN command c ON c.id=e.command
WHERE l.record ->> 'active_time_s'>0 AND e.field IN ('*', 'active_time_s') ORDER BY l.id, e.n
"""


class WorkloadQueries:
    """The part of a reader that lists assignments and active time."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def assigned_rows(self) -> Iterator[AssignedRow]:
        """Yield the assignments of records that exist."""
        for *row, undecided, record, outdated in self._connection.execute(ASSIGNED, (MACHINE,)):
            person, role, task, target, is_done, is_free, is_honeypot = row
            is_open = is_asked(is_free=bool(is_free), undecided=undecided, record=record, shows_key=True)
            is_open = is_open or (outdated is not None and is_other_form(record, outdated))
            yield AssignedRow(
                person=person,
                role=role,
                task=task,
                target=target,
                is_done=bool(is_done) and not is_open,
                is_open=is_open,
                is_honeypot=bool(is_honeypot),
            )

    def independent_persons(self, scene: str) -> tuple[str, ...]:
        """Return the ids of the persons who label a scene independently; () where fewer than two have it."""
        persons = tuple(row[0] for row in self._connection.execute(ANNOTATORS, (scene,)))
        return persons if len(persons) > 1 else ()

    def handed_in_scenes(self, person: str) -> set[int]:
        """Return the row numbers of the scenes that a person has handed in and that wait for others."""
        return {row[0] for row in self._connection.execute(HANDED_IN, (person,))}

    def time_rows(self) -> Iterator[TimeRow]:
        """Yield the active time of each person on each record, in each role."""
        seconds: dict[tuple[str, str, str, str, str], float] = defaultdict(float)
        for *key, spent in (*self._connection.execute(TIMES), *self._label_times()):
            seconds[tuple(key)] += spent
        for (person, role, task, target, name), spent in seconds.items():
            yield TimeRow(person=person, role=role, task=task, target=target, name=name, seconds=spent)

    def _label_times(self) -> Iterator[tuple[str, str, str, str, str, float]]:
        """Yield what a person added to the active time of a label of a scene."""
        before = ("", 0.0)
        for scene, dataset, name, label, actor, kind, total in self._connection.execute(LABEL_TIMES):
            added = total - (before[1] if before[0] == label else 0.0)
            before = (label, total)
            # Undo and redo set the sum back and forth, which is no work.
            if kind == "do" and added > 0:
                yield actor, "annotate", dataset, scene, name, added
