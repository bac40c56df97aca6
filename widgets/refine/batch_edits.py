"""Edits of all selected items, in the Library's list and in the queue: each is one step of undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from annotator.commands.command import Command
from annotator.domain.changes import Changes
from annotator.domain.rows import ItemRow
from annotator.queries.reader import Reader
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.bridge import Bridge
from widgets.dialog import OPENING
from widgets.library import reports
from widgets.library.decisions import read_rows
from widgets.library.record_list import RecordList
from widgets.library.record_types import Numbers, RecordTypeView
from widgets.library.workspace import LibraryWorkspace
from widgets.project_controller import ProjectController
from widgets.refine.slot import RefineSlot
from widgets.task import while_exists

if TYPE_CHECKING:
    from annotator.commands.variants import MakeVariants

    # Dialogs are imported on demand, to keep the start of the window short.
    from widgets.refine.batch_dialog import BatchDialog

Rows = Sequence[ItemRow]


class BatchEdits(QObject):
    """Asks for the settings of an edit, and executes it on the selection of the list that is shown."""

    def __init__(
        self,
        *,
        controller: ProjectController,
        bridge: Bridge,
        registry: ActionRegistry,
        library: LibraryWorkspace,
        refine: RefineSlot,
        window: QWidget,
    ) -> None:
        """Set up.

        Args:
            controller: Executes the commands.
            bridge: Delivers results of other threads to the GUI thread.
            registry: Knows which workspace is shown.
            library: Has the list of items.
            refine: Has the queue.
            window: Parent of dialogs.
        """
        super().__init__(library)
        self._controller, self._bridge, self._registry = controller, bridge, registry
        self._library, self._refine, self._window = library, refine, window

    def ask_state(self) -> None:
        """Ask for the new state of the selected items."""
        self._with_rows(self._ask_state)

    def ask_issue_classes(self) -> None:
        """Ask what was wrong with the drafts of the selected items."""
        self._with_rows(self._ask_issue_classes)

    def ask_task(self) -> None:
        """Ask for the task of the selected items."""
        self._with_rows(self._ask_task)

    def ask_rebalance(self) -> None:
        """Ask for the seed of balanced option letters."""
        self._with_rows(self._ask_rebalance)

    def ask_replace(self) -> None:
        """Ask for a text to find and to replace in the selected items."""
        self._with_rows(self._ask_replace)

    def ask_variants(self) -> None:
        """Ask which variants of the selected items to make."""
        self._with_rows(self._ask_variants)

    def _ask_state(self, rows: Rows) -> None:
        from widgets.refine.batch_dialogs import StateDialog

        self._open(StateDialog(self._window, rows=rows))

    def _ask_issue_classes(self, rows: Rows) -> None:
        from widgets.refine.batch_dialogs import IssueClassDialog

        self._open(IssueClassDialog(self._window, items=_ids(rows)))

    def _ask_task(self, rows: Rows) -> None:
        from widgets.refine.batch_dialogs import TaskDialog

        session = self._controller.session
        if session is not None:
            self._open(TaskDialog(self._window, items=_ids(rows), project=session.path, shown=rows[0]))

    def _ask_rebalance(self, rows: Rows) -> None:
        from widgets.refine.rebalance_dialog import RebalanceDialog, count_letters

        session = self._controller.session
        if session is not None:
            dialog = RebalanceDialog(self._window, items=_ids(rows))
            # A function of the module: a method of the dialog could be its last reference, on that thread.
            question = partial(count_letters, ids=_ids(rows))
            self._bridge.query(session, question, done=dialog.show_letters)
            self._open(dialog)

    def _ask_replace(self, rows: Rows) -> None:
        from widgets.refine.replace_dialog import ReplaceDialog

        session = self._controller.session
        if session is not None:
            read = partial(self._bridge.query, session)
            self._open(ReplaceDialog(self._window, items=_ids(rows), read=read))

    def _ask_variants(self, rows: Rows) -> None:
        from widgets.refine.variant_dialog import VariantDialog

        session = self._controller.session
        if session is not None:
            read = partial(self._bridge.query, session)
            self._open(VariantDialog(self._window, items=_ids(rows), roots=session.roots, read=read))

    def _open(self, dialog: BatchDialog) -> None:
        dialog.submitted.connect(self._execute)
        dialog.open(dialog.first)

    def _execute(self, command: Command) -> None:
        from annotator.commands.variants import MakeVariants

        work = self._controller.execute(command, title=display_text.command_summary_text(command.summary))
        if isinstance(command, MakeVariants):
            work.finished.connect(while_exists(self, partial(self._on_variants_made, command)))

    def _on_variants_made(self, command: MakeVariants, _changes: Changes) -> None:
        reports.variants_made(self._window, command.report).open_report()

    def _with_rows(self, call: Callable[[Rows], None]) -> None:
        """Read the selected rows off the GUI thread, then ask."""
        session, listing = self._controller.session, self._listing()
        if session is not None and listing is not None:
            question = partial(_read_items, kind=listing.kind, numbers=listing.table.selected_numbers())
            self._bridge.query(session, question, done=partial(_call_with, call), channel=OPENING)

    def _listing(self) -> RecordList | None:
        if self._registry.workspace != "refine":
            return self._library.listings["item"]
        return self._refine.workspace.queue.listing if self._refine.workspace is not None else None


def _read_items(reader: Reader, *, kind: RecordTypeView, numbers: Numbers) -> list[ItemRow]:
    return [row for row in read_rows(reader, kind=kind, numbers=numbers) if isinstance(row, ItemRow)]


def _call_with(call: Callable[[Rows], None], rows: Rows) -> None:
    if rows:
        call(rows)


def _ids(rows: Rows) -> tuple[str, ...]:
    return tuple(row.id for row in rows)
