"""The Release workspace: the gates as a checklist, and what the release will be."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from annotator.commands.command import Command
from annotator.commands.release_gates import RequireGates, WaiveGate, WithdrawWaiver
from annotator.domain.changes import Changes
from annotator.domain.query import ItemQuery
from annotator.progress import Progress
from annotator.release.gates import REQUIRABLE
from annotator.release.preview import ACCEPTED
from annotator.release_examination.outlook import ReleaseOutlook, look_ahead
from annotator.release_examination.outlook_process import PROCESS_FROM, OutlookOrder, look_ahead_in_process
from annotator.session import Session
from widgets import display_text
from widgets.action import ActionNeed
from widgets.box_layout import column_layout, row_layout
from widgets.deferred_changes import DeferredChanges
from widgets.focus import focus_next
from widgets.kept_splitter import REST_PX, KeptSplitter
from widgets.labels import label, set_role
from widgets.read_only import disable_edits, read_only_reason
from widgets.release.gate_list import GateList
from widgets.release.gate_text import detail_text, number_text, standing_text
from widgets.release.outlook_pane import OutlookPane
from widgets.release.release_comparison import ReleaseComparison
from widgets.release.report_bar import ReportBar
from widgets.settings import Settings
from widgets.task import Task
from widgets.text_prompt import TextPrompt
from widgets.translation import tr
from widgets.workspace_services import WorkspaceServices
from widgets.workspace_widget import WorkspaceWidget

OUTLOOK_PX = 360
WRITING = ("waive", "withdraw", "require")
"""Buttons that change the project."""
NEEDS: tuple[ActionNeed, ...] = ("gate", "gate_fails", "gate_waived", "gate_rule")
"""Preconditions of the actions on gates; none is met in another workspace."""

PAGE_NEED: ActionNeed = "release_page"
"""Precondition of the actions on releases."""


class ReleaseWorkspace(WorkspaceWidget):
    """The workspace of one open project.

    Signals:
        query_requested: A list of what fails is to be shown; carries the query.
    """

    query_requested = Signal(object)

    def __init__(self, services: WorkspaceServices) -> None:
        super().__init__()
        session, controller, registry = services.session, services.controller, services.registry
        bridge, settings = services.bridge, services.settings
        self._session, self._controller, self._registry = session, controller, registry
        self._work: Task | None = None
        self._is_outdated = True
        self.outlook: ReleaseOutlook | None = None
        self.list = GateList()
        self.status, self.detail = label(role="body", wrap=True), label(wrap=True, selectable=True)
        self.number = label(role="strong", wrap=True)
        self.report = ReportBar(session=session, controller=controller, bridge=bridge, registry=registry)
        self.pane = OutlookPane(registry=registry, report=self.report)
        self._comparison = ReleaseComparison(self, controller=controller, bridge=bridge, settings=settings)
        self._changes = DeferredChanges(self, bridge=bridge, concerns=services.concerns)
        self._lay_out(settings)
        self._changes.arrived.connect(self._on_changes_arrived)
        self.list.row_chosen.connect(self._on_list_row_chosen)
        self.list.gate_opened.connect(self.show_failing)
        registry.connect_owner("release_gates", self)
        registry.add_shortcuts("release", self)

    def take_keyboard(self) -> None:
        """Set the keyboard focus to the checklist, or to the release if nothing stops it."""
        can_release = self.outlook is not None and self.outlook.items and not self.outlook.blocking
        (self.pane.main if can_release else self.list).setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_next_pane(self) -> None:
        """Set the keyboard focus to the other pane."""
        focus_next((self.left, self.list), (self.pane, self.pane.main))

    def is_settled(self) -> bool:
        """Return whether the gates are shown as they are, and no report is being made."""
        is_examined = self._work is None and not (self._is_outdated and self.isVisible())
        return is_examined and self.report.is_settled()

    def leave(self) -> None:
        """Stop background work, because the workspace is being closed."""
        self.report.leave()
        if self._work is not None:
            self._work.cancel()
        self.release_needs()

    def examine(self) -> None:
        """Examine the gates again; the old numbers stay until the new ones are there."""
        self._is_outdated = False
        if self._work is not None:
            # The one that runs may have read the project before the change; its end starts the next one.
            self._is_outdated = True
            return
        self.status.setText(tr("Examining gates…"))
        set_role(self.status, "dim")
        self._work = self._controller.run_query(_look_ahead, title=tr("Examining gates"))
        # It only reads: closing the window loses nothing.
        self._work.ends_quietly = True
        self._work.finished.connect(self._on_work_finished)
        self._work.failed.connect(self._on_work_failed)

    def show_failing(self) -> None:
        """Show in the Library what fails."""
        report = self.list.report
        if report is not None and report.query is not None:
            self.query_requested.emit(report.query)

    def ask_waive(self) -> None:
        """Ask why the release is right although the current gate fails."""
        report = self.list.report
        if report is None:
            return
        # As it is shown now: a waiver covers no more than what the person has seen.
        waivable = report.result.failing - report.unwaivable
        dialog = TextPrompt(
            self.window(),
            title=tr("Waive gate: {gate}", gate=tr(report.gate.title)),
            explanation=f"{number_text(report)}. "
            + tr(
                "The manifest of each release states the reason. If more fails later, the gate fails again."
            ),
            placeholder=tr("For example: pilot release, second look follows"),
            button=tr("Waive gate"),
        )
        dialog.answered.connect(partial(self._waive, report.gate.id, waivable))
        dialog.open(dialog.field)

    def withdraw(self) -> None:
        """Withdraw the waiver of the current gate."""
        if self.list.report is not None:
            self._execute(WithdrawWaiver(gate=self.list.report.gate.id))

    def toggle_required(self) -> None:
        """Require the current gate from now on, or no longer."""
        report, outlook = self.list.report, self.outlook
        if report is None or outlook is None:
            return
        required = {one.gate.id for one in outlook.reports if one.is_required} ^ {report.gate.id}
        self._execute(RequireGates(gates=tuple(gate for gate in REQUIRABLE if gate in required)))

    def ask_comparison(self) -> None:
        """Ask which releases to compare, and show what differs."""
        self._comparison.ask()

    def showEvent(self, event: QShowEvent) -> None:
        """Examine the gates if something has changed, and enable the actions."""
        super().showEvent(event)
        if not event.spontaneous():
            if self._is_outdated:
                self.examine()
            self._show_needs()

    def hideEvent(self, event: QHideEvent) -> None:
        """Disable the actions; a minimised window keeps them."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.release_needs()

    def release_needs(self) -> None:
        """Disable the actions on gates and releases."""
        for need in (*NEEDS, PAGE_NEED):
            self._registry.set_there(need, False)

    def _lay_out(self, settings: Settings) -> None:
        self.left = QWidget()
        self.left.setObjectName("pane")
        column = column_layout(self.left, margins_px=(16, 12, 16, 12), spacing_px=8)
        column.addWidget(label(tr("Gates"), role="big"))
        column.addWidget(self.status)
        column.addWidget(self.list, 1)
        column.addWidget(self.number)
        column.addWidget(self.detail)
        row = row_layout(spacing_px=8)
        self.buttons = {name: self._make_button(name) for name in ("show", "waive", "withdraw", "require")}
        for button in self.buttons.values():
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(row)
        self.panes = KeptSplitter(
            (self.left, self.pane),
            stretched=0,
            usual=(REST_PX, OUTLOOK_PX),
            settings=settings,
            name="release/splitter",
        )
        whole = column_layout(self, margins_px=0)
        whole.addWidget(self.panes)

    def _make_button(self, name: str) -> QPushButton:
        action = self._registry.action(f"release.{name}")
        key = "Enter" if name == "show" else self._registry.key(f"release.{name}")
        made = QPushButton(f"{action.text()}  {key}".strip())
        made.clicked.connect(partial(self._registry.run, f"release.{name}"))
        return made

    def _on_list_row_chosen(self, _index: int) -> None:
        self._show_current()

    def _show_current(self) -> None:
        report, outlook = self.list.report, self.outlook
        is_known = report is not None and outlook is not None
        self.number.setText(number_text(report) if report is not None else "")
        self.detail.setText(detail_text(report, outlook) if report and outlook else "")
        self.detail.setVisible(is_known and bool(self.detail.text()))
        self._show_needs()

    def _show_needs(self) -> None:
        report = self.list.report
        has = {
            "gate": report is not None and report.query is not None,
            "gate_fails": report is not None and report.can_be_waived,
            "gate_waived": report is not None and report.waiver is not None,
            "gate_rule": report is not None and not report.gate.is_informative,
        }
        if self.isVisible():
            self._registry.set_there(PAGE_NEED, True)
        for need, button in zip(NEEDS, self.buttons.values(), strict=True):
            button.setEnabled(has[need])
            if self.isVisible():
                self._registry.set_there(need, has[need])
        disable_edits(read_only_reason(self._session), *(self.buttons[name] for name in WRITING))
        is_required = report is not None and report.is_required
        text = tr("Do not require gate") if is_required else tr("Require gate")
        self.buttons["require"].setText(f"{text}  {self._registry.key('release.require')}".strip())

    def _on_work_finished(self, outlook: ReleaseOutlook) -> None:
        self._work = None
        is_first, self.outlook = self.outlook is None, outlook
        self.list.show_reports(outlook.reports)
        self.pane.show_outlook(outlook)
        set_role(self.status, "body")
        self.status.setText(standing_text(outlook))
        self._show_current()
        if is_first and self.isVisible():
            self.take_keyboard()
        self._examine_if_outdated()

    def _on_work_failed(self, _error: BaseException) -> None:
        # The window reports the failure.
        self._work = None
        self.status.setText(tr("The gates were not examined."))
        self._examine_if_outdated()

    def _on_changes_arrived(self, _changes: Changes) -> None:
        self._is_outdated = True
        self._examine_if_outdated()

    def _examine_if_outdated(self) -> None:
        if self._is_outdated and self.isVisible():
            self.examine()

    def _waive(self, gate: str, failing: int, reason: str) -> None:
        person = self._session.actor.id
        self._execute(WaiveGate(gate=gate, reason=reason, failing=failing, person=person))

    def _execute(self, command: Command) -> None:
        title = display_text.command_summary_text(command.summary)
        self._controller.execute(command, title=title, is_gesture=True)


def _look_ahead(session: Session, progress: Progress) -> ReleaseOutlook:
    """Examine the gates for the accepted items; called on another thread."""
    with session.reader.snapshot():
        # After a merge, a copy is made in the order of the log, which is as much Python as many checks.
        if session.reader.counts()["item"] < PROCESS_FROM and session.reader.log.is_in_log_order():
            return look_ahead(session.reader, ItemQuery(states=(ACCEPTED,)), progress=progress)
    order = OutlookOrder(
        project=session.path,
        selection=ItemQuery(states=(ACCEPTED,)),
        absent_media=session.readers.absent_media,
    )
    return look_ahead_in_process(order, progress=progress)
