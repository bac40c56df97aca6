"""The registry of the workspaces beside the Library: opens them, and carries the current record over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from annotator.domain.query import MediumQuery
from annotator.session import Session
from widgets.action_registry import ActionRegistry
from widgets.annotate.slot import AnnotateSlot
from widgets.banner import Banner
from widgets.bridge import Bridge
from widgets.focus import TakesKeyboard
from widgets.library.record_list import RecordList
from widgets.library.workspace import LibraryWorkspace
from widgets.project_controller import ProjectController
from widgets.refine.slot import RefineSlot
from widgets.release.slot import ReleaseSlot
from widgets.review.slot import ReviewSlot
from widgets.runs.slot import RunsSlot
from widgets.scores.slot import ScoresSlot
from widgets.second_look.slot import SecondLookSlot
from widgets.settings import Settings
from widgets.workspace_slot import StageSlot

if TYPE_CHECKING:
    # Imported on first use, to keep startup fast.
    from widgets.review.case_view import CaseView


class WorkspaceSlots(QObject):
    """Holds the slot of each workspace that needs an open project.

    Signals:
        name_changed: A workspace displays another record.
    """

    name_changed = Signal()

    def __init__(
        self,
        pages: QStackedWidget,
        *,
        registry: ActionRegistry,
        controller: ProjectController,
        bridge: Bridge,
        settings: Settings,
        window: QWidget,
        banner: Banner,
    ) -> None:
        """Create the slots with their placeholder pages.

        Args:
            pages: One page per workspace, in the order of the rail.
            registry: The actions.
            controller: Executes commands.
            bridge: Delivers results of other threads to the GUI thread.
            settings: Settings of the window.
            window: Parent of dialogs.
            banner: Shows messages.
        """
        super().__init__(pages)
        self._registry = registry
        self.annotate = AnnotateSlot(
            pages, registry=registry, controller=controller, bridge=bridge, settings=settings
        )
        self.refine = RefineSlot(
            pages, registry=registry, controller=controller, bridge=bridge, settings=settings
        )
        self.second_look = SecondLookSlot(
            pages, registry=registry, controller=controller, bridge=bridge, settings=settings
        )
        self.review = ReviewSlot(
            pages, registry=registry, controller=controller, bridge=bridge, settings=settings
        )
        self.review.edit_requested.connect(self._on_review_edit_requested)
        self.runs = RunsSlot(
            pages,
            registry=registry,
            controller=controller,
            bridge=bridge,
            window=window,
            banner=banner,
            settings=settings,
        )
        self.release = ReleaseSlot(
            pages, registry=registry, controller=controller, bridge=bridge, settings=settings
        )
        self.scores = ScoresSlot(
            pages, registry=registry, controller=controller, bridge=bridge, settings=settings
        )
        self._following: dict[str, AnnotateSlot | RefineSlot | SecondLookSlot | ReviewSlot] = {
            "annotate": self.annotate,
            "refine": self.refine,
            "second_look": self.second_look,
            "review": self.review,
        }
        for slot in self._slots():
            slot.name_changed.connect(self.name_changed)

    def serve(self, session: Session, *, library: LibraryWorkspace) -> None:
        """Begin to follow a project that was opened."""
        self.runs.serve(session, library=library)

    def change(self, before: str, workspace: str, *, library: LibraryWorkspace | None) -> None:
        """Let the Library select the record of the workspace that is left, and open another one."""
        if library is not None and before != workspace and before in self._following:
            self._following[before].hand_back(library)
        if library is not None and workspace in self._following:
            self._following[workspace].open(library)
        if workspace == "runs":
            self.runs.open()
        if workspace == "release":
            self.release.open()
        if workspace == "scores" and library is not None:
            self.scores.open(library)
        if workspace == "library" and library is not None:
            library.show_needs()

    def handler(self, workspace: str) -> TakesKeyboard | None:
        """Return the object that executes the actions of a workspace, None for an empty one."""
        slot = self._following.get(workspace)
        if slot is not None:
            return slot.workspace.navigation if slot.workspace is not None else None
        own: dict[str, TakesKeyboard | None] = {
            "runs": self.runs.workspace,
            "release": self.release.workspace,
            "scores": self.scores.pages,
        }
        return own.get(workspace)

    def following(self, workspace: str) -> StageSlot[Any] | None:
        """Return the slot of a workspace that shows one record, None for another workspace."""
        return self._following.get(workspace)

    def queues(self) -> Iterator[tuple[str, RecordList]]:
        """Yield the queues of the workspaces that were opened, each with its kind of records."""
        for slot in self._following.values():
            if (queue := slot.queue()) is not None:
                yield slot.entity, queue

    def name(self, workspace: str) -> str:
        """Return the title of the record that a workspace displays, "" for none."""
        slots = {**self._following, "runs": self.runs}
        return slots[workspace].name if workspace in slots else ""

    def is_settled(self) -> bool:
        """Return whether all requested content is loaded."""
        return all(slot.is_settled() for slot in self._slots())

    def leave(self) -> None:
        """Replace all workspaces by their placeholder pages, because the project is being closed."""
        for slot in self._slots():
            slot.leave()

    def _slots(
        self,
    ) -> tuple[
        AnnotateSlot | RefineSlot | SecondLookSlot | ReviewSlot | RunsSlot | ReleaseSlot | ScoresSlot, ...
    ]:
        return *self._following.values(), self.runs, self.release, self.scores

    def _on_review_edit_requested(self, view: CaseView) -> None:
        """Open the record of a case: an item in Refine, a medium in the Library, another one in its scene."""
        if view.item is not None:
            self._registry.run("go.refine")
            self.refine.show_item(view.item.id)
        elif view.case.entity == "medium":
            library = self._registry.owner("library")
            if isinstance(library, LibraryWorkspace):
                self._registry.run("go.library")
                library.show_query(MediumQuery(text=view.case.name))
        elif view.shown.scene.id:
            self._registry.run("go.annotate")
            self.annotate.show_scene(view.shown.scene.name)
