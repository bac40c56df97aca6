"""The history of a record: user, time and change, with comments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from annotator.domain.event import CREATED, REMOVED
from annotator.domain.rows import HistoryEntry
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.box_layout import row_layout
from widgets.field_text import change_text
from widgets.labels import label
from widgets.library.flag_history import RAISED, FlagStep, flag_steps
from widgets.library.record_details import RecordDetail
from widgets.library.record_form import RecordForm
from widgets.message_text import message_text
from widgets.translation import tr

SHOWN = 60
COMMENTS = "record.comment"
"""Action that shows the comments."""


@dataclass(frozen=True, kw_only=True)
class HistoryRecord:
    """One command or comment in the history of a record.

    Attributes:
        wall_time: ISO 8601 UTC.
        person: Name of the user.
        what: Summary of the command.
        values: The new values of the fields.
        remark: Text of a comment, "" for none.
    """

    wall_time: str
    person: str
    what: str
    values: tuple[str, ...] = ()
    remark: str = ""


def history_records(detail: RecordDetail) -> list[HistoryRecord]:
    """Return commands, comments and decisions about flags of a record, newest first."""
    # One entry per command: its events are adjacent in the log.
    done = [
        _happening(list(entries)) for _, entries in groupby(detail.history, key=lambda entry: entry.command)
    ]
    comments = [
        HistoryRecord(wall_time=r.written_at, person=r.person, what=tr("Comment"), remark=r.comment.text)
        for r in detail.remarks
    ]
    return sorted(
        done + comments + [_flag_record(step) for step in flag_steps(detail, detail.flags)],
        key=lambda happening: happening.wall_time,
        reverse=True,
    )


class HistoryView(RecordForm):
    """The history of a record, newest first, and a button that shows the comments to write one."""

    def __init__(self, *, registry: ActionRegistry) -> None:
        super().__init__()
        self._registry = registry
        self.comments = QPushButton(self)
        # A placeholder: the button is made anew with each record.
        self.comments.hide()

    def show_detail(self, detail: RecordDetail) -> None:
        """Show the history of a record."""
        self.clear()
        self._add_comments_button()
        found = history_records(detail)
        for happening in found[:SHOWN]:
            self._add(happening)
        if len(found) > SHOWN:
            self.add_text(tr("and {n} more", n=f"{len(found) - SHOWN:,}"), role="dim")
        self.end()

    def _add_comments_button(self) -> None:
        self.comments = QPushButton(f"{tr('Comments')}   {self._registry.key(COMMENTS)}".rstrip())
        self.comments.clicked.connect(partial(self._registry.run, COMMENTS))
        part = QWidget()
        row = row_layout(part, margins_px=(0, 8, 0, 0))
        row.addWidget(self.comments)
        row.addStretch()
        self.add(part)

    def _add(self, happening: HistoryRecord) -> None:
        self.column.addSpacing(12)
        part = QWidget()
        row = row_layout(part, margins_px=0, spacing_px=8)
        row.addWidget(label(happening.what, role="strong", wrap=True), 1)
        time = label(display_text.local_time(happening.wall_time), role="label")
        row.addWidget(time, alignment=Qt.AlignmentFlag.AlignTop)
        self.add(part)
        if happening.remark:
            self.add_text(happening.remark)
        for value in happening.values:
            self.add_text(value, role="mono_dim")
        self.add_text(happening.person, role="label")


def _flag_record(step: FlagStep) -> HistoryRecord:
    return HistoryRecord(
        wall_time=step.wall_time,
        person=step.person,
        what=step.headline,
        remark=message_text(step.reason or (step.flag.message if step.step == RAISED else "")),
    )


def _happening(entries: list[HistoryEntry]) -> HistoryRecord:
    # Entries come newest first, but the values of one command are listed in the order of its events.
    first = entries[0]
    values = tuple(_value(entry) for entry in reversed(entries) if entry.field != CREATED)
    return HistoryRecord(
        wall_time=first.wall_time, person=first.actor, what=display_text.history_text(first), values=values
    )


def _value(entry: HistoryEntry) -> str:
    if entry.field == REMOVED:
        return tr("deleted") if entry.value == "true" else tr("restored")
    return change_text(entry.field, entry.value)
