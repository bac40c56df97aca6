"""Objects of the open project: created when it is opened, deleted when it is closed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog, QWidget

from annotator.domain.changes import Changes
from annotator.session import Session
from widgets.action_registry import ActionRegistry
from widgets.banner import Banner
from widgets.bridge import Bridge
from widgets.bundles.bundle_actions import BundleActions
from widgets.bundles.bundle_files import BundleDrop, are_bundles
from widgets.bundles.exchange_actions import ExchangeActions
from widgets.comment_actions import CommentActions
from widgets.file_follower import FileFollower
from widgets.library.assigning import AssignActions
from widgets.library.folder_confirmation import FolderConfirmation
from widgets.library.record_types import Query
from widgets.library.workspace import LibraryWorkspace
from widgets.library_slot import LibrarySlot
from widgets.project_controller import ProjectController
from widgets.read_only import read_only_reason
from widgets.record_reference import RecordReference
from widgets.reference_sample import ReferenceSample
from widgets.refine.batch_edits import BatchEdits
from widgets.refine.slot import RefineSlot
from widgets.settings import Settings
from widgets.undo_location import UndoLocation
from widgets.workspace_slots import WorkspaceSlots


@dataclass(frozen=True, kw_only=True)
class ProjectPlace:
    """What is shown of a project.

    Attributes:
        kind: Kind of the visible list of the Library.
        query: Its query.
        number: Row number of its current record, None for none.
        record: The record in the other workspace that is shown, None for none and in the Library.
    """

    kind: str
    query: Query
    number: int | None
    record: RecordReference | None


class OpenProject(QObject):
    """Owns the workspaces of an open project with their models, threads and actions.

    Every object of a project is a Qt child of one of its workspaces, so that closing it ends all signal
    connections. A QObject without a parent whose signal is connected to a ``partial`` is never freed.
    """

    def __init__(
        self,
        session: Session,
        *,
        controller: ProjectController,
        bridge: Bridge,
        registry: ActionRegistry,
        settings: Settings,
        slots: WorkspaceSlots,
        banner: Banner,
        window: QWidget,
    ) -> None:
        """Create the Library; the content of other workspaces is created on demand.

        Args:
            session: The project; the controller closes it after this object.
            controller: Executes commands.
            bridge: Delivers results of other threads to the GUI thread.
            registry: The actions, which get their owners here.
            settings: Settings of the window.
            slots: The workspaces.
            banner: Reports what has been written.
            window: Parent of dialogs.
        """
        super().__init__(window)
        self._registry, self._window = registry, window
        self._slots, self._banner, self._bridge = slots, banner, bridge
        self.session = session
        self.library = LibraryWorkspace(
            session=session,
            controller=controller,
            bridge=bridge,
            registry=registry,
            settings=settings,
            window=window,
            pages=slots.pages,
        )
        self.folders = FolderConfirmation(
            session, controller=controller, bridge=bridge, window=window, parent=self
        )
        self.folders.confirmed.connect(self._on_folders_confirmed)
        self._add_exchange(controller, settings=settings)
        self._connect_owners(self._add_record_actions(controller, settings=settings))
        slots.serve(session, library=self.library)

    def _connect_owners(self, record_actions: Mapping[str, QObject]) -> None:
        owners = {
            "library": self.library,
            "lists": self.library.lists,
            "pages": self.library.pages,
            "batch": self.library.batch,
            "decisions": self.library.decisions,
            "saved_filters": self.library.saved_filters,
            "bundles": self.bundles,
            "exchange": self.exchange,
            **record_actions,
        }
        for name, owner in owners.items():
            self._registry.connect_owner(name, owner)

    def _add_exchange(self, controller: ProjectController, *, settings: Settings) -> None:
        """Create what takes in files, and exchanges bundles with others."""
        self.bundles = BundleActions(
            controller=controller,
            bridge=self._bridge,
            settings=settings,
            banner=self._banner,
            window=self._window,
            parent=self.library,
        )
        self.bundles.locate_requested.connect(self.library.batch.ask_locate)
        self.exchange = ExchangeActions(
            self.session,
            controller=controller,
            bridge=self._bridge,
            banner=self._banner,
            window=self._window,
            parent=self.library,
        )
        self.exchange.forks_requested.connect(self.bundles.ask_forks)
        self.file_follower = FileFollower(
            self.session, controller=controller, bridge=self._bridge, banner=self._banner, parent=self
        )
        drop = BundleDrop(self._window, parent=self.library)
        drop.dropped.connect(self._on_files_dropped)
        self.library.import_requested.connect(self._on_files_dropped)

    def _add_record_actions(self, controller: ProjectController, *, settings: Settings) -> dict[str, QObject]:
        """Create what changes records and comments on them; return it by the names of its actions' owner."""
        edits = BatchEdits(
            controller=controller,
            bridge=self._bridge,
            registry=self._registry,
            library=self.library,
            refine=self._slots.find(RefineSlot),
            window=self._window,
        )
        self.comments = CommentActions(
            self.session,
            controller=controller,
            bridge=self._bridge,
            registry=self._registry,
            library=self.library,
            slots=self._slots,
            settings=settings,
            parent=self,
        )
        sample = ReferenceSample(controller=controller, bridge=self._bridge, window=self._window, parent=self)
        assigning = AssignActions(
            self.session,
            controller=controller,
            bridge=self._bridge,
            library=self.library,
            window=self._window,
        )
        return {
            "batch_edits": edits,
            "comments": self.comments,
            "reference_sample": sample,
            "assigning": assigning,
        }

    def place(self) -> ProjectPlace:
        """Return what is shown, so that a copy of the project can show it, too."""
        current = self._slots.current
        # The Library chooses the record that the other workspace shows.
        current.hide()
        listing = self.library.listing()
        at, numbers = listing.table.current_position(), listing.model.numbers
        return ProjectPlace(
            kind=self.library.front,
            query=listing.query,
            number=int(numbers[at]) if 0 <= at < len(numbers) else None,
            record=None if isinstance(current, LibrarySlot) else current.comment_subject(),
        )

    def show_place(self, place: ProjectPlace) -> None:
        """Show what was shown of the project before its copy was opened."""
        self.library.listings[place.kind].find(place.query, number=place.number)
        self.library.show_list(place.kind)
        if place.record is not None:
            self._slots.current.show_record(place.record)

    def show_location(self, undo_location: UndoLocation) -> None:
        """Show the record of a command in the current workspace."""
        record = RecordReference(entity=undo_location.entity, name=undo_location.name)
        self._slots.current.show_record(record)

    def _on_folders_confirmed(self) -> None:
        # No record is changed, but the files of all media are at other places now.
        self._bridge.post_changes(Changes(kind="elsewhere", ids={"medium": None}))

    def _on_files_dropped(self, paths: tuple[Path, ...]) -> None:
        if reason := read_only_reason(self.session):
            self._banner.show_message(reason)
        elif are_bundles(paths):
            self.bundles.merge(paths)
        else:
            self.library.batch.offer_import(paths)

    def close(self) -> None:
        """Close the dialogs, stop background work, and delete all widgets of the project."""
        for dialog in self._window.findChildren(QDialog):
            # Not ``reject``, which asks about entries and leaves the dialog open meanwhile.
            dialog.done(QDialog.DialogCode.Rejected.value)
        self.folders.stop()
        self.comments.leave()
        self.exchange.end()
        self.file_follower.end()
        self._slots.leave()
        # The registry must not call deleted objects; the kept owners belong to the window.
        self._registry.forget_owners(kept=frozenset({"window", "controller", "dialogs", "people", "undo"}))
        self.deleteLater()
