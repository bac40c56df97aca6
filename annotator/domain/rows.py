"""Rows of lists: the few fields of a record that a list shows, ready to paint."""

from __future__ import annotations

import msgspec


class ItemRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the list of items.

    Attributes:
        n: Row number in order of arrival; the key of paging.
        id: Id of the item.
        name: Public id.
        task_set: Id of the task set.
        task: Id of the task.
        state: State of the item.
        flags: Kinds of open flags, sorted.
        question: The stem.
    """

    n: int
    id: str
    name: str
    task_set: str
    task: str
    state: str
    flags: tuple[str, ...]
    question: str


class SceneRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the list of scenes.

    Attributes:
        n: Row number in order of arrival.
        id: Id of the scene.
        name: Name of the scene.
        dataset: Its collection.
        views: Number of views.
        labels: Number of event labels.
        items: Number of items.
        flags: Kinds of open flags on it, its media, labels and items, sorted.
    """

    n: int
    id: str
    name: str
    dataset: str
    views: int
    labels: int
    items: int
    flags: tuple[str, ...]


class FacetCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many records have one value of one facet, under the other filters.

    Attributes:
        value: Value of the facet: a task id, a state, a flag kind, a source id.
        count: Number of records.
    """

    value: str
    count: int


class HistoryEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One event about a record, as people read it.

    Attributes:
        event: Id of the event.
        command: Id of its command.
        label: What the command did.
        kind: ``do``, ``undo`` or ``redo``.
        actor: Name of who did it.
        wall_time: ISO 8601 UTC.
        field: Field that changed, ``*`` for the making, ``-`` for removal.
        value: JSON text of the new value.
    """

    event: str
    command: str
    label: str
    kind: str
    actor: str
    wall_time: str
    field: str
    value: str
