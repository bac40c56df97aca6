"""Independent event labels: in a scene that several persons annotate, each sees and edits the own labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from annotator.domain.actor import Actor
from annotator.domain.assignment import Assignment
from annotator.domain.event_label import EventLabel
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.queries.reader import Reader


def annotations_of(reader: Reader, scene: str) -> list[Assignment]:
    """Return the assignments of a scene to be annotated, in order of arrival."""
    return list(reader.find(Assignment, target=scene, entity="scene", role="annotate"))


def begun_by(reader: Reader, labels: Iterable[EventLabel]) -> dict[str, str]:
    """Return the ids of who began labels here, by the ids of the labels; an imported label is nobody's."""
    return reader.history.creators([label.id for label in labels if not label.source])


def own_labels(reader: Reader, *, scene: str, person: str) -> list[EventLabel]:
    """Return the event labels of a scene that a person may see, in order of arrival.

    In a scene that several persons annotate, these are the own labels of one of them, and those that were
    decided in review; otherwise all labels.
    """
    return visible_labels(reader, reader.labels_of(scene), person=person)


def visible_labels(reader: Reader, labels: Sequence[EventLabel], *, person: str) -> list[EventLabel]:
    """Return those of some labels that a person may see, as ``own_labels``, in their order."""
    scenes = {label.scene for label in labels if person}
    hiding = {scene for scene in scenes if person in reader.workload.independent_persons(scene)}
    begun = begun_by(reader, [label for label in labels if label.scene in hiding])
    return [
        label
        for label in labels
        if label.scene not in hiding or label.decided_from or begun.get(label.id) == person
    ]


def persons_of(reader: Reader, labels: Sequence[EventLabel]) -> tuple[str, ...]:
    """Return the name of each label's annotator in the source, or of who began it; "" for none."""
    begun = begun_by(reader, labels)
    names = {actor.id: actor.name for actor in reader.records(Actor, ids=sorted({*begun.values()}))}
    return tuple(label.annotator or names.get(begun.get(label.id, ""), "") for label in labels)


def require_own(reader: Reader, label: EventLabel, *, person: str) -> None:
    """Check that a person may edit a label.

    Args:
        reader: The project.
        label: The label.
        person: Id of the person, "" where nobody is named.

    Raises:
        UserError: Several persons annotate the scene independently, and the label is not the person's.
    """
    if not person or label.decided_from or not reader.workload.independent_persons(label.scene):
        return
    if begun_by(reader, [label]).get(label.id) != person:
        raise UserError(
            "The label belongs to another person: several persons label this scene independently.",
            hint="Decide between the labels in Review after all of them have finished the scene.",
        )


def require_annotator(reader: Reader, scene: str, *, person: str) -> None:
    """Check that a person may begin or finish the labels of a scene.

    Raises:
        UserError: Several other persons annotate the scene independently.
    """
    persons = reader.workload.independent_persons(scene)
    if person and persons and person not in persons:
        raise UserError(
            "The scene is assigned to several other persons, who label it independently.",
            hint="Assign it to yourself as well, or end the assignments of all but one of them.",
        )


def is_handed_in(reader: Reader, scene: Scene, *, person: str) -> bool:
    """Return whether a person has nothing left to do in a scene: it is finished, or waits for others alone.

    Where all have handed it in and it is not finished, somebody has reopened it or sent it back.
    """
    if scene.state == "finished":
        return True
    found = annotations_of(reader, scene.id)
    return any(one.is_done for one in found if one.person == person) and not all(one.is_done for one in found)


def waits_for_others(reader: Reader, scene: str, *, person: str) -> bool:
    """Return whether other persons have not handed in a scene that they annotate independently."""
    if person not in reader.workload.independent_persons(scene):
        return False
    return any(not one.is_done for one in annotations_of(reader, scene) if one.person != person)
