"""What Annotate shows in place of a stage that has nothing to display: why, and the first step."""

from __future__ import annotations

from widgets.action_registry import ActionRegistry
from widgets.empty_state import EmptyState, scene_without_images
from widgets.translation import tr


def annotate_empty_states(registry: ActionRegistry) -> dict[str, EmptyState]:
    """Return the page of each reason: those of ``SceneQueue.absence``, and two of the workspace."""
    return {
        "no_scene": EmptyState(
            icon="scene",
            headline=tr("No scenes"),
            text=tr(
                "A scene contains the images of one moment, one per view. Import annotations to create "
                "scenes."
            ),
            registry=registry,
            steps=("project.import",),
        ),
        "nothing": EmptyState(
            icon="search",
            headline=tr("No matches"),
            text=tr("No scene name contains this text."),
            registry=registry,
        ),
        "all_finished": EmptyState(
            icon="check",
            headline=tr("All scenes are finished"),
            text=tr("Every scene of this list is finished. The chip All shows them."),
            registry=registry,
        ),
        "none_assigned": EmptyState(
            icon="person",
            headline=tr("No scene is assigned to you"),
            text=tr(
                "Scenes are assigned in the context menu of the list, or with the command assign. The chip "
                "All shows all of them."
            ),
            registry=registry,
        ),
        "no_record_scene": EmptyState(
            icon="scene",
            headline=tr("No scene contains this record"),
            text=tr(
                "Annotations belong to the images of a scene. Select a scene in the list, or another "
                "record in the Library."
            ),
            registry=registry,
            steps=("go.library",),
        ),
        "no_picture": scene_without_images(registry),
    }
