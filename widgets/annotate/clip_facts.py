"""Queries for the dialog that makes a clip."""

from __future__ import annotations

from dataclasses import dataclass, field

from annotator.commands.clips import name_problem, propose_name
from annotator.domain.medium import Medium
from annotator.domain.scene import Scene
from annotator.domain.task_set import ClipLength
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.edits.clip_content import ClipContent, read_clip_content
from annotator.queries.reader import Reader
from widgets import display_text


@dataclass(frozen=True, kw_only=True)
class ClipFacts:
    """What the project knows about a video of which a clip is made.

    Attributes:
        medium: The video.
        scene: Id of the scene on the stage.
        name: Proposed name of the clip.
        content: Annotations and poses of its frames.
        limits: How long a clip of the project's task set is, None if it states no length.
        task_set: Title of the task set, "" for none.
    """

    medium: Medium
    scene: str
    name: str
    content: ClipContent
    limits: ClipLength | None = None
    task_set: str = field(default="")


def read_clip_facts(reader: Reader, *, medium: str, scene: str) -> ClipFacts:
    """Return what the dialog shows and checks.

    Args:
        reader: The project.
        medium: Id of the video.
        scene: Id of the scene on the stage.
    """
    video = reader.require(Medium, medium)
    task_set_id = reader.project.task_set
    task_set = TaskSetCatalogue.of(reader.path).get(task_set_id) if task_set_id else None
    if task_set is not None:
        display_text.load_task_set_titles_of(task_set)
    return ClipFacts(
        medium=video,
        scene=scene,
        name=propose_name(video, reader),
        content=read_clip_content(reader, video, scene=reader.get(Scene, scene)),
        limits=task_set.clip_length if task_set is not None else None,
        task_set=display_text.task_set_title(task_set_id) if task_set_id else "",
    )


def read_name_problem(reader: Reader, *, name: str, dataset: str) -> str:
    """Return why a clip cannot have a name, "" if it can."""
    return name_problem(name, reader, dataset=dataset)
