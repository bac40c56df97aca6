"""What reopens a finished scene: a change after which a person must look at it again."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain.event import Edit
from annotator.domain.scene import Scene
from annotator.queries.own_labels import annotations_of
from annotator.queries.reader import Reader


def reopened(scene: Scene) -> Iterator[Edit]:
    """Yield the state of a scene that is finished; nothing for an open one."""
    if scene.state == "finished":
        yield Edit(entity="scene", entity_id=scene.id, field="state", value="open")


def reopened_by(reader: Reader, scene: Scene, *, person: str) -> Iterator[Edit]:
    """Yield the state of a finished scene, and that a person has to hand in the independent labels again."""
    yield from reopened(scene)
    if person in reader.workload.independent_persons(scene.id):
        for one in annotations_of(reader, scene.id):
            if one.person == person and one.is_done:
                yield Edit(entity="assignment", entity_id=one.id, field="is_done", value=False)
