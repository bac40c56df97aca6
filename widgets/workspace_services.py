"""What the workspaces of an open project have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from annotator.domain.changes import Changes
from annotator.session import Session
from widgets.action_registry import ActionRegistry
from widgets.bridge import Bridge
from widgets.library.thumbnails import ThumbnailLoader
from widgets.project_controller import ProjectController
from widgets.settings import Settings
from widgets.stage.stage_media import StageMedia


@dataclass(frozen=True, kw_only=True)
class WorkspaceServices:
    """What a workspace reads from, writes to and shows media with.

    Attributes:
        session: The project.
        controller: Executes commands.
        bridge: Delivers results of other threads to the GUI thread.
        registry: The actions.
        settings: Settings of the window.
        stage_media: Images and videos of the project.
        thumbnails: Thumbnails of the project.
        concerns: Returns whether changes of the project can affect what the workspace shows.
        pages: The stack that the workspace becomes a page of, and its parent from the beginning.
    """

    session: Session
    controller: ProjectController
    bridge: Bridge
    registry: ActionRegistry
    settings: Settings
    stage_media: StageMedia
    thumbnails: ThumbnailLoader
    concerns: Callable[[Changes], bool]
    pages: QWidget
