"""What to list: filters, words and order of a page of records."""

from __future__ import annotations

from collections.abc import Container

from annotator.domain.record import ValueObject


def qualified_task(task_set: str, task: str) -> str:
    """Return the name of a task among those of all task sets: ``set/task``.

    Ids of tasks are unique within their task set alone.
    """
    return f"{task_set}/{task}"


def selects_task(wanted: Container[str], *, task_set: str, task: str) -> bool:
    """Return whether a selection of tasks, each ``set/task`` or the bare id for every set, has a task."""
    return task in wanted or qualified_task(task_set, task) in wanted


class ItemQuery(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """A selection of items; empty tuples and texts select everything.

    Attributes:
        task_sets: Ids of task sets, any of them.
        tasks: Tasks as ``set/task``, or as their ids for the tasks of every set; any of them.
        states: States, any of them.
        flags: Kinds of open flags, any of them; ``"*"`` for any kind.
        sources: Ids of sources, any of them; "" for items created here.
        assignees: Roles with persons (``domain.assignment.assignee``), any of them; ``"*"`` for any at all.
        scene: Id of one scene.
        text: Words of the question, options or name; the last word is a prefix.
        ids: Ids of items, any of them; empty for any item.
        mentions: Ids of persons whom a comment on it mentions, any of them.
    """

    task_sets: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    assignees: tuple[str, ...] = ()
    scene: str = ""
    text: str = ""
    ids: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()

    @property
    def names_items(self) -> bool:
        """Whether it selects by more than facets and words."""
        return bool(self.scene or self.ids or self.mentions)


class SortOrder(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """The order of a list.

    Attributes:
        column: Id of the column, "" for the order of arrival.
        is_descending: Whether the last comes first.
    """

    column: str = ""
    is_descending: bool = False


class SceneQuery(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """A selection of scenes; empty tuples and texts select everything.

    Attributes:
        datasets: Names of datasets, any of them.
        stages: Stages of progress (``domain.scene_progress``), any of them.
        healths: Worst health of its media (``domain.media_health``), any of them; "" for no media.
        tags: Tags, any of them; ``"*"`` for any tag at all.
        flags: Kinds of open flags on its labels, items or media, any of them; ``"*"`` for any.
        annotations: States of its annotation (``domain.scene_progress``), any of them.
        assignees: Roles with persons (``domain.assignment.assignee``), any of them; ``"*"`` for any at all.
        text: Part of the scene's name, at least one character.
        mentions: Ids of persons whom a comment on it or on what belongs to it mentions, any of them.
    """

    datasets: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    healths: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    annotations: tuple[str, ...] = ()
    assignees: tuple[str, ...] = ()
    text: str = ""
    mentions: tuple[str, ...] = ()


class MediumQuery(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """A selection of media; empty tuples and texts select everything.

    Attributes:
        datasets: Names of datasets, any of them.
        media_types: Types of media, any of them.
        healths: Healths (``domain.media_health``), any of them.
        licences: Words of licences, any of them; "" for none stated.
        text: Part of the medium's name, at least one character.
    """

    datasets: tuple[str, ...] = ()
    media_types: tuple[str, ...] = ()
    healths: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()
    text: str = ""


class RelatedSceneQuery(SceneQuery, frozen=True, kw_only=True, omit_defaults=True):
    """The scenes of a selection of items or media, in the order in which those are listed.

    Items or media that are not filtered stand for all scenes, those without any of them last.

    Attributes:
        items: Selection of items, None for none.
        media: Selection of media, None for none.
        order: Order in which the items, the media, or else the scenes are listed.
    """

    items: ItemQuery | None = None
    media: MediumQuery | None = None
    order: SortOrder = SortOrder()
