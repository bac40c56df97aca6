"""Rows of lists: the few fields of a record that a list shows, ready to paint."""

from __future__ import annotations

import msgspec

from annotator.command_summary import CommandSummary
from annotator.domain.comment import Comment
from annotator.domain.mention import with_present_names


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
        changed_at: ISO 8601 UTC of its last change.
    """

    n: int
    id: str
    name: str
    task_set: str
    task: str
    state: str
    flags: tuple[str, ...]
    question: str
    changed_at: str = ""


class QueuedItem(msgspec.Struct, frozen=True, kw_only=True):
    """One item that waits for an independent answer; nothing in it shows the answer key or other people.

    Attributes:
        n: Row number in order of arrival.
        id: Id of the item.
        name: Public id.
        task_set: Id of the task set.
        task: Id of the task.
    """

    n: int
    id: str
    name: str
    task_set: str
    task: str


class ViewThumbnail(msgspec.Struct, frozen=True):
    """The properties of a view's medium that its thumbnail depends on.

    Attributes:
        view: Name of the view, "" for none.
        medium: Id of the medium.
        name: File name.
        path: Last known path relative to the media root, "" if only the name is known.
        media_type: Type of the medium.
        sha256: Digest of its content, "" until the file was read.
        health: Health of its file.
        duration_s: Length of a video, 0 for everything else and while unknown.
        frames: Number of frames of a video or frame folder, 0 for stills and while unknown.
    """

    view: str
    medium: str
    name: str
    path: str
    media_type: str
    sha256: str
    health: str
    duration_s: float = 0.0
    frames: int = 0


class SceneRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the list of scenes.

    Attributes:
        n: Row number in order of arrival.
        id: Id of the scene.
        name: Name of the scene.
        dataset: Its collection.
        views: Number of views.
        labels: Number of event labels.
        labelled: Number of views with an event label.
        items: Number of items.
        settled: Number of items that wait for nobody (``domain.scene_progress.SETTLED``).
        tags: Its tags, sorted.
        flags: Kinds of open flags on it, its media, labels and items, sorted.
        annotation: State of its annotation (``domain.scene_progress``).
        shown: Its views in order of their names.
        changed_at: ISO 8601 UTC of its last change.
    """

    n: int
    id: str
    name: str
    dataset: str
    views: int
    labels: int
    labelled: int
    items: int
    settled: int
    tags: tuple[str, ...]
    flags: tuple[str, ...]
    shown: tuple[ViewThumbnail, ...]
    annotation: str = "to_do"
    changed_at: str = ""


class MediumRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the list of media.

    Attributes:
        n: Row number in order of arrival.
        id: Id of the medium.
        name: File name.
        dataset: Its collection.
        media_type: Type of the medium.
        health: Whether its file is there.
        licence: Licence stated by the source, "" for none.
        size_bytes: Size of its file, 0 while it has not been seen.
        source: Id of the imported file that it came with, "" for none.
        scene: Name of the first scene that shows it, "" for none.
        shown: Itself, as what a thumbnail is made of.
        flags: None; media are filtered by health.
        changed_at: ISO 8601 UTC of its last change.
    """

    n: int
    id: str
    name: str
    dataset: str
    media_type: str
    health: str
    licence: str
    size_bytes: int
    source: str
    scene: str
    shown: tuple[ViewThumbnail, ...]
    flags: tuple[str, ...] = ()
    changed_at: str = ""


class MediaTotal(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of media of one combination.

    Attributes:
        dataset: Name of the dataset.
        media_type: Type of the medium.
        health: Health of the files.
        licence: Licence stated by the source, "" for none.
        media: Number of media.
        size_bytes: Bytes of their files, as far as they have been seen.
    """

    dataset: str
    media_type: str
    health: str
    licence: str
    media: int
    size_bytes: int


class TaskProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far the items of one task are.

    Attributes:
        task_set: Id of the task set.
        task: Id of the task.
        states: Number of items per state; states without items are left out.
    """

    task_set: str
    task: str
    states: dict[str, int]


class DatasetProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far the scenes of one dataset are.

    Attributes:
        dataset: Name of the dataset.
        stages: Number of scenes per stage; stages without scenes are left out.
        annotations: Number of scenes per state of their annotation; those without scenes are left out.
        views: Number of views of all its scenes.
        labelled: Number of those with an event label.
        items: Number of items of its scenes.
        settled: Number of those that wait for nobody.
    """

    dataset: str
    stages: dict[str, int]
    annotations: dict[str, int]
    views: int
    labelled: int
    items: int
    settled: int


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
        code: What the command did: a code of ``annotator.command_summary``, "" where there was no command.
        parameters: Values of the places in the sentence of the code.
        kind: ``do``, ``undo`` or ``redo``.
        actor: Name of who did it.
        wall_time: ISO 8601 UTC.
        field: Field that changed, ``*`` for the making, ``-`` for removal.
        value: JSON text of the new value, of a long one the beginning, "" for one that cannot be read.
            The text of the making is whole.
    """

    event: str
    command: str
    code: str
    parameters: dict[str, str | int]
    kind: str
    actor: str
    wall_time: str
    field: str
    value: str

    @property
    def summary(self) -> CommandSummary:
        """What the command did."""
        return CommandSummary(self.code, self.parameters)


class CommentRow(msgspec.Struct, frozen=True, kw_only=True):
    """A comment with its author, time and state.

    Attributes:
        comment: The comment.
        author: Id of the actor who wrote it.
        name: Present name of the author.
        written_at: ISO 8601 UTC.
        names: Present names of the persons whom it mentions, by their ids.
        subject: Name of the record that it is about, "" for none.
        question: State of the flag that it raised as a question, "" for a note.
        is_edited: Whether its text has changed since.
    """

    comment: Comment
    author: str
    name: str
    written_at: str
    names: dict[str, str]
    subject: str = ""
    question: str = ""
    is_edited: bool = False

    @property
    def text(self) -> str:
        """Its text with the present names of the persons whom it mentions."""
        return with_present_names(self.comment.text, self.comment.mentions, self.names)

    @property
    def thread(self) -> str:
        """Id of the first comment of its thread."""
        return self.comment.parent or self.comment.id


class UnreadComment(msgspec.Struct, frozen=True, kw_only=True):
    """A comment of another person that a person has not seen.

    Attributes:
        id: Id of the comment.
        entity: Kind of the record that shows it: ``item``, ``scene`` or ``medium``; the scene shows those on
            its regions, labels, links and flights.
        target: Id of that record.
        mentions_person: Whether it mentions the person.
    """

    id: str
    entity: str
    target: str
    mentions_person: bool


class ResponseRow(msgspec.Struct, frozen=True):
    """One independent answer, with what agreement needs of its item.

    Attributes:
        task: Task set and task, ``aircop/object_counting``.
        answer_format: Id of the item's answer format.
        item: Id of the item.
        person: Id of the actor.
        answer: The answer.
        shown: Digest of what the person saw.
    """

    task: str
    answer_format: str
    item: str
    person: str
    answer: str
    shown: str


class ForkValue(msgspec.Struct, frozen=True, kw_only=True):
    """One of the values of a fork.

    Attributes:
        event: Id of the event that set it.
        value: JSON text.
        actor: Name of who set it.
        wall_time: ISO 8601 UTC, by the clock of that workstation.
    """

    event: str
    value: str
    actor: str
    wall_time: str


class Fork(msgspec.Struct, frozen=True, kw_only=True):
    """A field that workstations changed without having seen each other's change.

    Attributes:
        entity: Record type.
        entity_id: Id of the record.
        field: The field.
        values: Its newest values; the first is the one shown.
    """

    entity: str
    entity_id: str
    field: str
    values: tuple[ForkValue, ...]
