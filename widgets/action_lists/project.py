"""Actions on whole projects."""

from __future__ import annotations

from widgets.action import ActionSpec
from widgets.translation import mark as _

PROJECT = (
    ActionSpec(
        id="project.new",
        text=_("New project…"),
        key="Ctrl+N",
        icon="plus",
        menu="Project",
        handler="controller.ask_new",
    ),
    ActionSpec(
        id="project.open",
        text=_("Open project…"),
        key="Ctrl+O",
        icon="folder",
        menu="Project",
        handler="controller.ask_open",
    ),
    ActionSpec(
        id="project.demo",
        text=_("Open demo project"),
        icon="demo",
        menu="Project",
        needs="demo",
        handler="controller.open_demo",
    ),
    ActionSpec(
        id="project.import",
        text=_("Import files…"),
        key="Ctrl+I",
        icon="import",
        menu="Project",
        needs="project",
        handler="batch.ask_import",
    ),
    ActionSpec(
        id="project.media",
        text=_("Find media files"),
        icon="picture",
        menu="Project",
        needs="project",
        handler="batch.find_media",
    ),
    ActionSpec(
        id="project.locate",
        text=_("Locate media in a folder…"),
        key="Ctrl+L",
        icon="folder",
        menu="Project",
        needs="project",
        handler="batch.ask_locate",
    ),
    ActionSpec(
        id="project.check",
        text=_("Run checks"),
        key="Ctrl+Shift+K",
        icon="check",
        menu="Project",
        needs="project",
        handler="batch.run_checks",
    ),
    ActionSpec(
        id="project.draft",
        text=_("Draft items by rule…"),
        key="Ctrl+Shift+D",
        icon="draft",
        menu="Project",
        needs="project",
        handler="batch.ask_draft",
    ),
    ActionSpec(
        id="project.release",
        text=_("Create release…"),
        key="Ctrl+Shift+E",
        icon="release",
        menu="Project",
        needs="project",
        handler="batch.ask_release",
    ),
    ActionSpec(
        id="project.close",
        text=_("Close project"),
        key="Ctrl+W",
        icon="close",
        menu="Project",
        needs="project",
        handler="controller.close_project",
    ),
    ActionSpec(
        id="app.person",
        text=_("Person…"),
        icon="person",
        menu="Project",
        handler="people.ask_person",
    ),
    ActionSpec(
        id="app.quit", text=_("Quit"), key="Ctrl+Q", icon="exit", menu="Project", handler="window.close"
    ),
)
