"""Event labels carried from an annotated frame to those in between, until a person confirms them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit, edit_differences
from annotator.domain.event_form import ANSWERS, copy_answers
from annotator.domain.event_label import EventLabel
from annotator.domain.frame_sequence import frame_position, frames_between
from annotator.domain.record import new_id
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.own_labels import own_labels
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class CarryLabels(Command):
    """Carry the event labels of a frame to the frames up to the next one that is annotated.

    Answers of a person stay. Answers that were carried before and are not confirmed follow, and fields that
    are still open in such a label are filled.

    Attributes:
        scene: Id of the scene of the frame.
    """

    scene: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("carry_labels")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield new and changed labels of the frames in between.

        Raises:
            UserError: The scene does not exist, has no event label, or no frame in between follows it.
        """
        progress.begin(self.summary, total=1)
        scene = reader.require(Scene, self.scene)
        labels = reader.labels_of(self.scene)
        if not labels:
            raise UserError("The scene has no event label.", hint="Fill in the form of a view first.")
        if not following_frames(reader, scene):
            raise UserError(
                "No frame in between follows this scene.",
                hint="Set the annotation step, and select a frame that is annotated.",
            )
        yield from carried_labels(reader, scene, labels)


@dataclass(frozen=True, kw_only=True)
class ConfirmScene(Command):
    """Confirm all copied, proposed and carried answers of a scene.

    Attributes:
        scene: Id of the scene.
        person: Id of the person who confirms, "" for nobody.
    """

    scene: str
    person: str = ""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("confirm_scene")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield each label without its marks.

        Raises:
            UserError: No answer of the scene waits for confirmation.
        """
        progress.begin(self.summary, total=1)
        known = own_labels(reader, scene=self.scene, person=self.person)
        waiting = [label for label in known if label.copied]
        if not waiting:
            raise UserError("No answer of this scene waits for confirmation.")
        for label in waiting:
            yield from edit_differences(label, msgspec.structs.replace(label, copied=()))


def following_frames(reader: Reader, scene: Scene) -> list[str]:
    """Return the ids of the scenes between a frame and the next one that is annotated."""
    step = reader.project.annotation_step
    if step < 2:
        return []
    named = reader.scenes.named(frame_position(scene.name).beginning, dataset=scene.dataset)
    return frames_between(dict(named), key=scene.id, step=step)


def carried_labels(reader: Reader, scene: Scene, labels: Sequence[EventLabel]) -> Iterator[Edit]:
    """Yield the labels of the frames in between as they follow from those of an annotated frame.

    Labels that several persons give independently are carried once a reviewer has decided between them, and
    none are carried to frames that several persons annotate.
    """
    if reader.workload.independent_persons(scene.id):
        labels = [label for label in labels if label.decided_from]
    views = Counter(label.view for label in labels)
    # Of two labels of one view, nobody has said which one is right.
    sources = [label for label in labels if views[label.view] == 1]
    for following in reader.records(Scene, ids=following_frames(reader, scene)):
        if not reader.workload.independent_persons(following.id):
            known = reader.labels_of(following.id)
            for source in sources:
                yield from _carried_to(following, source, known)


def _carried_to(scene: Scene, source: EventLabel, known: Sequence[EventLabel]) -> Iterator[Edit]:
    """Yield the label of a frame as it follows from that of another one; ``known`` are those of the frame."""
    own = [label for label in known if label.view == source.view]
    medium = scene.medium_of(source.view)
    if medium is None or len(own) > 1:
        return
    if not own:
        made = EventLabel(id=new_id(), scene=scene.id, view=source.view, medium=medium, state="open")
        carried = _carried(source, made, scene)
        yield Edit(entity="event_label", entity_id=carried.id, field=CREATED, value=carried)
    elif own[0].carried_from == source.id and own[0].state == "open":
        yield from edit_differences(own[0], _carried(source, own[0], scene))


def _carried(source: EventLabel, label: EventLabel, scene: Scene) -> EventLabel:
    """Return a label whose answers that no person gave or confirmed are those of another frame."""
    waiting = [name for name in ANSWERS if name in label.copied or getattr(label, name) is None]
    emptied = msgspec.structs.replace(label, **dict.fromkeys(waiting), copied=(), carried_from=source.id)
    others = [view.name for view in scene.views if view.name != label.view]
    return copy_answers(source, emptied, views=others, fields=waiting)
