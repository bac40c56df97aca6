"""The messages of the window, each in the workspace in which its task was started."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject

from annotator.errors import Cancelled
from widgets.action_registry import ActionRegistry
from widgets.banner import Banner, BannerMessage
from widgets.bridge import Bridge
from widgets.project_controller import ProjectController
from widgets.task import Task, while_exists
from widgets.translation import tr


class WindowMessages(QObject):
    """Shows failures, and removes each with the project or after the success of what was begun afterwards."""

    def __init__(
        self, banner: Banner, *, controller: ProjectController, bridge: Bridge, registry: ActionRegistry
    ) -> None:
        """Connect to the tasks of the window.

        Args:
            banner: Shows the messages.
            controller: Starts tasks, and reports those that fail.
            bridge: Reports queries that fail.
            registry: Provides the current workspace; owns this.
        """
        super().__init__(registry)
        self._banner, self._controller, self._registry = banner, controller, registry
        self._locations: dict[str, str] = {}
        controller.work_started.connect(self._on_work_started)
        controller.work_ended.connect(self._on_work_ended)
        controller.failed.connect(self._on_failed)
        controller.about_to_change.connect(banner.clear)
        bridge.failed.connect(self._on_failed)
        registry.refused.connect(banner.show_message)

    def _on_work_started(self, work: Task) -> None:
        self._locations[work.title] = self._registry.workspace
        if work.is_command:
            # Not what fails meanwhile: a screen may be unable to read what the command has changed.
            before = self._banner.message_of(self._registry.workspace)
            done = partial(self._on_succeeded, self._registry.workspace, before)
            work.finished.connect(while_exists(self, done))

    def _on_work_ended(self, work: Task) -> None:
        self._banner.end_cause(work)

    def _on_succeeded(self, location: str, before: BannerMessage | None, _result: object) -> None:
        self._banner.clear_message(location, before)

    def _on_failed(self, error: BaseException, during: str = "") -> None:
        location = self._locations.get(during, self._registry.workspace)
        if isinstance(error, Cancelled):
            self._banner.show_message(
                tr("{what} was stopped.", what=during),
                advice=tr("The project is unchanged.") if self._controller.session is not None else "",
                tone="good",
                workspace=location,
            )
        else:
            self._banner.show_error(error, during=during, workspace=location)


def ask_about_tasks(works: Sequence[Task], *, banner: Banner, close: Callable[[], object]) -> bool:
    """Ask whether to stop the tasks that run; return whether there are any.

    Args:
        works: All tasks.
        banner: Shows the question.
        close: Closes the window without asking again.
    """
    lasting = [work for work in works if not (work.is_gesture or work.ends_quietly)]
    if not lasting:
        return False
    banner.show_message(
        tr("{what} is still running.", what=lasting[-1].title),
        advice=tr(
            "Wait until it ends, or stop it. Stopping discards its changes; saved data is not affected."
        ),
        offer=tr("Stop and quit"),
        call=close,
        workspace="",
        cause=lasting[-1],
    )
    return True
