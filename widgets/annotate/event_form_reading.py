"""Reads the content of the event-level form of a view from the project."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.event_label import EventLabel
from annotator.domain.scene import Scene
from annotator.domain.task_set import TaskSet
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.queries.own_labels import own_labels
from annotator.queries.reader import Reader
from widgets import display_text
from widgets.annotate.event_form_data import FormData


def read_form(reader: Reader, *, scene: str, view: str, previous: str, person: str) -> FormData | None:
    """Return the form of a view; runs on the reading thread.

    Args:
        reader: The project.
        scene: Id of the scene.
        view: Name of the view.
        previous: Id of the previous scene, "" for none.
        person: Id of the person who fills it in.
    """
    found = reader.get(Scene, scene)
    if found is None or found.medium_of(view) is None:
        return None
    labels = own_labels(reader, scene=scene, person=person)
    own, others = _by_view(labels, view)
    before, _ = _by_view(own_labels(reader, scene=previous, person=person) if previous else [], view)
    shown = own[0] if own else EventLabel(view=view)
    return FormData(
        scene=found,
        view=view,
        task_set=_task_set(reader),
        label=shown,
        count=len(own),
        person=person,
        is_independent=not shown.decided_from and person in reader.workload.independent_persons(scene),
        previous=before[0].id if len(before) == 1 else "",
        other=others[0].id if others else "",
        carried_from=_origin(reader, shown),
    )


def _by_view(labels: Sequence[EventLabel], view: str) -> tuple[list[EventLabel], list[EventLabel]]:
    """Return the labels of a view, and those of other views."""
    return (
        [label for label in labels if label.view == view],
        [label for label in labels if label.view != view],
    )


def _task_set(reader: Reader) -> TaskSet:
    task_set = TaskSetCatalogue.of(reader.path).form_set(reader.project.task_set)
    display_text.load_task_set_titles_of(task_set)
    return task_set


def _origin(reader: Reader, label: EventLabel) -> str:
    """Return the name of the scene whose unconfirmed answers were carried to a label, "" for none."""
    source = reader.get(EventLabel, label.carried_from) if label.carried_from and label.copied else None
    scene = reader.get(Scene, source.scene) if source is not None else None
    return scene.name if scene is not None else ""
