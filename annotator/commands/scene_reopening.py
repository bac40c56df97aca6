"""What reopens a finished scene: a change after which a person must look at it again."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain.event import Edit
from annotator.domain.scene import Scene


def reopened(scene: Scene) -> Iterator[Edit]:
    """Yield the state of a scene that is finished; nothing for an open one."""
    if scene.state == "finished":
        yield Edit(entity="scene", entity_id=scene.id, field="state", value="open")
