"""The form below the comments: text, question, and what the comment answers, changes or points at."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QToolButton, QWidget

from annotator.commands.command import Command
from annotator.commands.comments import EditComment, WriteComment
from annotator.domain.comment import CommentPin
from annotator.domain.rows import CommentRow
from widgets import icons
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout
from widgets.comments.comment_field import CommentField
from widgets.labels import ElidedLabel
from widgets.record_reference import RecordReference
from widgets.translation import tr


@dataclass(frozen=True, kw_only=True)
class CommentDraft:
    """A comment that is not stored yet.

    Attributes:
        text: Its text.
        answered: The comment that it answers, None for none.
        edited: The comment that it changes, None for a new one.
        pin: The place that it is about, None for none.
        is_question: Whether it needs an answer.
    """

    text: str = ""
    answered: CommentRow | None = None
    edited: CommentRow | None = None
    pin: CommentPin | None = None
    is_question: bool = False


NO_DRAFT = CommentDraft()


class CommentForm(QWidget):
    """Writes, answers and edits comments; what is not sent stays with its record.

    Signals:
        commanded: A comment was sent; carries the command, the id of the record and the ``CommentDraft``,
            which ``restore`` takes back if the command fails.
        pin_requested: The user wants to point at a place in the image.
        left: Escape was pressed with nothing to cancel.
    """

    commanded = Signal(object, str, object)
    pin_requested = Signal()
    left = Signal()

    def __init__(self, *, registry: ActionRegistry, person: str) -> None:
        super().__init__()
        self._registry, self._person = registry, person
        self._subject: RecordReference | None = None
        self._target: RecordReference | None = None
        self._answered: CommentRow | None = None
        self._edited: CommentRow | None = None
        # By the record: its draft, and the new comment that an edit of another one interrupts.
        self._kept: dict[str, tuple[CommentDraft, CommentDraft]] = {}
        self._interrupted = NO_DRAFT
        self.pin: CommentPin | None = None
        self.field = CommentField()
        self.purpose = ElidedLabel(role="label")
        self.drop = QToolButton()
        self.drop.setIcon(icons.icon("close"))
        self.drop.setIconSize(icons.SMALL)
        self.drop.setToolTip(tr("Write a new comment without pin"))
        self.drop.setAccessibleName(self.drop.toolTip())
        self.is_question = QCheckBox(tr("Question"))
        self.is_question.setToolTip(tr("Needs an answer: the record is flagged until it is resolved"))
        self.place_pin = registry.button("comments.pin")
        self.send = QPushButton(tr("Comment"))
        self.send.setProperty("kind", "main")
        self.send.setToolTip(f"{tr('Comment')}  Ctrl+Enter")
        self._lay_out()
        self.drop.clicked.connect(self.begin)
        self.send.clicked.connect(self.submit)
        self.field.sent.connect(self.submit)
        self.field.left.connect(self._on_field_left)
        self.field.edit.textChanged.connect(self._show_purpose)
        self._show_purpose()

    def show_subject(self, subject: RecordReference | None, *, target: RecordReference | None = None) -> None:
        """Set the record of the next comment.

        Args:
            subject: The record whose comments are shown.
            target: A part of it that is selected, such as a region, which the comment is about instead.
        """
        before, self._subject, self._target = self._subject, subject, target
        if (before.id if before else "") != (subject.id if subject else ""):
            if before is not None:
                self._kept[before.id] = self._draft(), self._interrupted
            draft, self._interrupted = self._kept_of(subject.id if subject is not None else "")
            self._show_draft(draft)
        self._show_purpose()

    def take_keyboard(self) -> None:
        """Set the keyboard focus to the text."""
        self.field.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def answer(self, row: CommentRow) -> None:
        """Begin an answer to a comment."""
        if self._edited is not None:
            self._end_edit()
        self._answered = row
        self._show_purpose()
        self.take_keyboard()

    def edit(self, row: CommentRow) -> None:
        """Begin to edit a comment; a new one that is begun comes back afterwards."""
        if self._edited is None:
            self._interrupted = self._draft()
        # As stored: the present names of persons are found again when the text is saved.
        self._show_draft(CommentDraft(text=row.text, edited=row))
        self.take_keyboard()

    def show_pin(self, pin: CommentPin) -> None:
        """Set the place in the image that the comment is about."""
        self.pin = pin
        self._show_purpose()
        self.take_keyboard()

    def begin(self) -> None:
        """Begin a new comment: no answer, no edit, no pin; what is written stays."""
        if self._edited is not None:
            self._end_edit()
        else:
            self._show_draft(CommentDraft(text=self.field.text()))
        self.take_keyboard()

    def submit(self) -> None:
        """Send the comment, if there is text."""
        command = self._command()
        if command is not None and self._subject is not None:
            draft = self._draft()
            self._end_edit()
            self.commanded.emit(command, self._subject.id, draft)

    def restore(self, record: str, draft: CommentDraft) -> None:
        """Take back a comment that was not stored; a new one stands in front of what was written since.

        Args:
            record: Id of the record whose comments were shown.
            draft: The comment.
        """
        is_shown = self._subject is not None and self._subject.id == record
        since, interrupted = (self._draft(), self._interrupted) if is_shown else self._kept_of(record)
        if draft.edited is not None:
            interrupted = interrupted if since.edited is not None else since
        else:
            draft = replace(draft, text="\n".join(filter(None, (draft.text, since.text))))
        if is_shown:
            self._interrupted = interrupted
            self._show_draft(draft)
        else:
            self._kept[record] = draft, interrupted

    def _kept_of(self, record: str) -> tuple[CommentDraft, CommentDraft]:
        return self._kept.get(record, (NO_DRAFT, NO_DRAFT))

    def _draft(self) -> CommentDraft:
        return CommentDraft(
            text=self.field.text(),
            answered=self._answered,
            edited=self._edited,
            pin=self.pin,
            is_question=self.is_question.isChecked(),
        )

    def _show_draft(self, draft: CommentDraft) -> None:
        self._answered, self._edited, self.pin = draft.answered, draft.edited, draft.pin
        self.is_question.setChecked(draft.is_question)
        self.field.show_text(draft.text)
        self._show_purpose()

    def _end_edit(self) -> None:
        """Show the new comment that was begun before, or an empty one."""
        draft, self._interrupted = self._interrupted, NO_DRAFT
        self._show_draft(draft)

    def _command(self) -> Command | None:
        text, target = self.field.text(), self._target or self._subject
        if not text or target is None:
            return None
        if self._edited is not None:
            return EditComment(comment=self._edited.comment.id, text=text, person=self._person)
        answered = self._answered.comment if self._answered is not None else None
        return WriteComment(
            entity=answered.entity if answered else target.entity,
            target=answered.target if answered else target.id,
            text=text,
            person=self._person,
            pin=self.pin,
            parent=answered.id if answered else "",
            is_question=self.is_question.isChecked(),
        )

    def _show_purpose(self) -> None:
        parts = []
        if self._edited is not None:
            parts.append(tr("Edit comment"))
        elif self._answered is not None:
            parts.append(tr("Reply to {name}", name=self._answered.name))
        elif self._target is not None:
            parts.append(tr("About {name}", name=self._target.name))
        if self.pin is not None:
            parts.append(tr("Pin at {x}, {y}", x=f"{self.pin.x:,.0f}", y=f"{self.pin.y:,.0f}"))
        self.purpose.setText(" · ".join(parts))
        self.purpose.setVisible(bool(parts))
        self.drop.setVisible(self._edited is not None or self._answered is not None or self.pin is not None)
        self.is_question.setEnabled(self._edited is None)
        self.send.setText(tr("Save") if self._edited is not None else tr("Comment"))
        self.send.setEnabled(bool(self.field.text()) and self._subject is not None)
        self.setEnabled(self._subject is not None)

    def _lay_out(self) -> None:
        head, foot = QHBoxLayout(), QHBoxLayout()
        head.addWidget(self.purpose, 1)
        head.addWidget(self.drop)
        foot.setSpacing(8)
        foot.addWidget(self.place_pin)
        foot.addWidget(self.is_question)
        foot.addStretch()
        foot.addWidget(self.send)
        column = column_layout(self, margins_px=(12, 8, 12, 12), spacing_px=8)
        column.addLayout(head)
        column.addWidget(self.field)
        column.addLayout(foot)

    def _on_field_left(self) -> None:
        if self._edited is not None or self._answered is not None or self.pin is not None:
            self.begin()
        else:
            self.left.emit()
