"""The parts of the window that workspaces use."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QStackedWidget, QWidget

from widgets.action_registry import ActionRegistry
from widgets.banner import Banner
from widgets.bridge import Bridge
from widgets.project_controller import ProjectController
from widgets.settings import Settings


@dataclass(frozen=True, kw_only=True)
class WorkspaceParts:
    """What the window gives each workspace, whether a project is open or not.

    Attributes:
        pages: One page per workspace; each workspace adds its own.
        registry: The actions.
        controller: Executes commands.
        bridge: Delivers results of other threads to the GUI thread.
        settings: Settings of the window.
        window: Parent of dialogs.
        banner: Shows messages.
    """

    pages: QStackedWidget
    registry: ActionRegistry
    controller: ProjectController
    bridge: Bridge
    settings: Settings
    window: QWidget
    banner: Banner
