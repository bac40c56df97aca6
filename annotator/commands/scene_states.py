"""Commands that finish the annotation of a scene, and reopen it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.carried_labels import carried_labels
from annotator.commands.command import Command
from annotator.commands.event_label_steps import resolved_flags
from annotator.commands.event_labels import added_time
from annotator.commands.label_decisions import compared_labels
from annotator.domain.event import Edit, edit_differences
from annotator.domain.event_label import EventLabel
from annotator.domain.link import Link
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.domain.scene_problems import SceneFacts, SceneProblem, find_scene_problems
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.edits.hand_ins import hand_in_edits
from annotator.edits.scene_reopening import reopened_by
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.own_labels import own_labels, require_annotator, waits_for_others
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class FinishScene(Command):
    """Finish the annotation of a scene, with the event labels that a person works on.

    The labels of an annotated frame are carried to the frames up to the next one. Where several persons
    annotate the scene independently, each finishes the own labels; the last one finishes the scene, which
    compares the labels.

    Attributes:
        scene: Id of the scene.
        active_s: Name of views, and seconds of work on them since the last edit of their event labels.
        person: Id of the person who hands the scene in, "" for nobody.
    """

    scene: str
    active_s: tuple[tuple[str, float], ...] = ()
    person: str = ""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("finish_scene")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the state of the scene and of its open labels, and of the flags that corrections settled.

        Raises:
            UserError: The scene does not exist, is assigned to other persons who annotate it independently,
                or something is missing or contradicts itself.
        """
        progress.begin(self.summary, total=1)
        scene = reader.require(Scene, self.scene)
        require_annotator(reader, self.scene, person=self.person)
        if problems := read_scene_problems(reader, scene=self.scene, person=self.person):
            raise UserError(
                f"The scene cannot be finished: {len(problems)} open problems.", hint=problems[0].message
            )
        labels = own_labels(reader, scene=self.scene, person=self.person)
        yield from carried_labels(reader, scene, labels)
        yield from self._finished(labels, reader)
        yield from hand_in_edits(
            reader, entity="scene", target=self.scene, person=self.person, roles=("annotate",)
        )
        if waits_for_others(reader, self.scene, person=self.person):
            return
        if scene.state != "finished":
            yield Edit(entity="scene", entity_id=self.scene, field="state", value="finished")
        yield from compared_labels(reader, scene)

    def _finished(self, labels: Iterable[EventLabel], reader: Reader) -> Iterator[Edit]:
        for label in labels:
            if label.state == "open":
                seconds = added_time(label, dict(self.active_s).get(label.view, 0.0))
                finished = msgspec.structs.replace(label, state="finished", active_time_s=seconds)
                yield from edit_differences(label, finished)
                yield from resolved_flags(label, reader)


@dataclass(frozen=True, kw_only=True)
class ReopenScene(Command):
    """Reopen the annotation of a finished scene; its event labels stay as they are.

    Attributes:
        scene: Id of the scene.
        person: Id of the person who reopens it, "" for nobody: of a scene that several persons annotate
            independently, the part of this person.
    """

    scene: str
    person: str = ""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("reopen_scene")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the state of the scene.

        Raises:
            UserError: The scene does not exist.
        """
        progress.begin(self.summary, total=1)
        yield from reopened_by(reader, reader.require(Scene, self.scene), person=self.person)


def read_scene_problems(reader: Reader, *, scene: str, person: str = "") -> list[SceneProblem]:
    """Return what must be corrected before a scene is finished, nothing for an unknown scene.

    Args:
        reader: The project.
        scene: Id of the scene.
        person: Id of the person who finishes it, "" for nobody.
    """
    found = reader.get(Scene, scene)
    if found is None:
        return []
    labels, links = own_labels(reader, scene=scene, person=person), tuple(reader.find(Link, scene=scene))
    regions = reader.records(Region, ids=[region for link in links for region in link.regions])
    task_set = TaskSetCatalogue.of(reader.path).find(reader.project.task_set)
    facts = SceneFacts(
        scene=found,
        labels=tuple(labels),
        links=links,
        regions={region.id: region for region in regions},
        flags={record.id: tuple(reader.flags_of(record.id)) for record in (*labels, *links)},
        has_form=task_set is not None and bool(task_set.form_fields),
    )
    return find_scene_problems(facts)
