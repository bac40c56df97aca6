"""Review cases: records that wait for a decision, and what the decision is worth."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

import msgspec

from annotator.domain.flag import Flag, Severity
from annotator.domain.record import ValueObject

ReviewReason = Literal[
    "fork",
    "people_disagree",
    "person_against_key",
    "models_against_key",
    "failed_check",
    "blind_filter",
    "import_problem",
    "question",
    "by_hand",
]
"""Why a record waits for a decision."""
AcceptanceLimit = Literal["none", "own_edits", "own_item"]
"""When a person must not accept an item: never, together with an edit of it, or at all."""
MEANINGS: Mapping[ReviewReason, str] = MappingProxyType(
    {
        "fork": "workstations changed the same field independently",
        "people_disagree": "people gave different answers",
        "person_against_key": "a person's answer differs from the answer key, or a person objects to it",
        "models_against_key": "models with the images disagree with the answer key, or with each other",
        "failed_check": "a check found a problem",
        "blind_filter": "models answered without the images, or without a part of them",
        "import_problem": "an import found a problem in its source",
        "question": "a person asks a question in a comment",
        "by_hand": "a person raised a flag",
    }
)
"""What each reason says."""
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From the strongest on."""
BLOCKING: frozenset[Severity] = frozenset({"error", "warning"})
"""Severities of open flags that keep an item from being accepted. A note informs and decides nothing."""
CERTAINTY: Mapping[Severity, float] = MappingProxyType({"error": 0.9, "warning": 0.5, "note": 0.1})
"""Probability that a flag of one vote is right, by its severity: an order of decisions, not a measurement."""
RESTING: tuple[str, ...] = ("in_refinement", "rejected")
"""States of items that wait for their author, or for nobody: a usual queue leaves them out."""
PHRASES: tuple[str, ...] = (
    "The answer key is right.",
    "The answer key is wrong.",
    "More than one option is right.",
    "The question is ambiguous.",
    "What is asked about is not visible.",
    "The question can be answered without the images.",
    "The check does not apply here.",
)
"""Usual reasons of decisions; a project can have its own."""
ANY = "*"
"""Chosen as state: items in any state; as assignee: assigned to anybody."""
_BY_KIND: Mapping[str, ReviewReason] = MappingProxyType(
    {
        "people_disagree": "people_disagree",
        "labels_differ": "people_disagree",
        "person_against_key": "person_against_key",
        "comment_open": "question",
    }
)
_BY_ORIGIN: Mapping[str, ReviewReason] = MappingProxyType(
    {
        "response": "person_against_key",
        "consensus": "models_against_key",
        "key_errors": "models_against_key",
        "check": "failed_check",
        "blind": "blind_filter",
        "necessity": "blind_filter",
        "import": "import_problem",
    }
)
_DOUBT_KEY = frozenset({"response", "consensus", "key_errors"})
"""Origins of flags that compare answers with the answer key."""
REPORTED = "person_reports_issue"
"""Kind of flag of an issue that a person reports: no change of a field, no decision on the key answers it."""


def review_reason(kind: str, raised_by: str) -> ReviewReason:
    """Return why a record waits for a decision, from the kind and the origin of a flag on it."""
    return _BY_KIND.get(kind) or _BY_ORIGIN.get(raised_by, "by_hand")


def is_blocking(flag: Flag) -> bool:
    """Return whether a flag keeps its item from being accepted."""
    return flag.state == "open" and flag.severity in BLOCKING


def is_about_key(flag: Flag) -> bool:
    """Return whether a flag doubts the answer key of its item."""
    if flag.entity != "item" or flag.kind == REPORTED:
        return False
    return flag.field == "answer_key" or flag.raised_by in _DOUBT_KEY


def certainty(votes: Mapping[Severity, int]) -> float:
    """Return how sure it is that a record needs a change, 0 to 1.

    The votes are taken as independent: each leaves the doubt that all others are wrong.

    Args:
        votes: Number of people, models or checks behind the open flags, by severity.
    """
    doubt = 1.0
    for severity, count in votes.items():
        doubt *= (1 - CERTAINTY[severity]) ** count
    return 1 - doubt


class ReviewQuery(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """A selection of review cases; empty tuples select everything but resting items.

    Attributes:
        reasons: Why the record waits, any of them.
        kinds: Kinds of open flags, any of them.
        severities: Severity of the strongest open flag, any of them; a fork counts as ``error``.
        entities: Types of record, any of them.
        task_sets: Ids of task sets, any of them.
        tasks: Tasks as ``set/task``, any of them.
        sources: Ids of the sources of items, any of them; "" for items created here.
        states: States of items, any of them; empty for all but ``RESTING``, ``"*"`` for all. Other
            records have the state "".
        persons: Ids of people who answered the item, any of them.
        assignees: Roles with persons (``domain.assignment.assignee``), any of them; ``"*"`` for any at all.
    """

    reasons: tuple[ReviewReason, ...] = ()
    kinds: tuple[str, ...] = ()
    severities: tuple[Severity, ...] = ()
    entities: tuple[str, ...] = ()
    task_sets: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    assignees: tuple[str, ...] = ()


class ForkedField(msgspec.Struct, frozen=True):
    """A field that workstations changed independently, of the case's record or of a flag on it.

    Attributes:
        entity: Type of the record.
        entity_id: Id of the record.
        field: Name of the field.
    """

    entity: str
    entity_id: str
    field: str


class ReviewCase(msgspec.Struct, frozen=True, kw_only=True):
    """One record with all that waits for a decision on it.

    Attributes:
        n: Number of the case, unique in the project; negative where the record has forks but no open flag.
        entity: Type of the record.
        target: Id of the record.
        name: Name of the record; that of its scene where it has none.
        task_set: Task set of an item, else "".
        task: Task of an item, else "".
        state: State of an item, else "".
        source: Source of an item, else "".
        scene: Id of the scene that it belongs to, "" for none.
        reasons: Why it waits, in the order of ``ReviewReason``.
        kinds: Kinds of its open flags, sorted.
        severity: Severity of the strongest.
        flags: Number of open flags.
        forks: Fields that workstations changed independently.
        touched: Number of items that the decision touches.
        certainty: How sure the evidence is, 0 to 1.
        worth: ``touched`` times ``certainty``; the queue begins with the largest.
    """

    n: int
    entity: str
    target: str
    name: str
    task_set: str
    task: str
    state: str
    source: str
    scene: str
    reasons: tuple[ReviewReason, ...]
    kinds: tuple[str, ...]
    severity: Severity
    flags: int
    forks: tuple[ForkedField, ...]
    touched: int
    certainty: float
    worth: float

    @property
    def id(self) -> str:
        """Id of the record, which is what lists know a row by."""
        return self.target


class ReviewOutcome(msgspec.Struct, frozen=True):
    """What one person decided on the items of one task.

    Attributes:
        task_set: Id of the task set.
        task: Id of the task.
        person: Id of the actor.
        name: Name of the person.
        accepted: Number of items that the person accepted.
        sent_back: Number of items that the person sent back.
        rejected: Number of items that the person rejected.
    """

    task_set: str
    task: str
    person: str
    name: str
    accepted: int
    sent_back: int
    rejected: int
