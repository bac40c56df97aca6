"""The fields of an item: question, options, answer and issue classes; input becomes commands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.commands.item_edits import (
    AddOption,
    ItemEdit,
    MoveOption,
    RemoveOption,
    SetAnswerKey,
    SetOptionText,
    SetQuestion,
    SwapOptions,
    ToggleIssueClass,
)
from annotator.domain import answers
from annotator.domain.issue_proposal import propose_issue_classes
from annotator.domain.item import IssueClass, Item
from widgets.box_layout import column_layout
from widgets.labels import caption
from widgets.refine.answer_host import AnswerHost
from widgets.refine.draft_changes import DraftChanges
from widgets.refine.field_note import FieldNote
from widgets.refine.issue_class_bar import IssueClassBar
from widgets.refine.item_view import ItemView
from widgets.refine.live_checks_pane import LiveChecksPane
from widgets.refine.option_list import OptionList
from widgets.refine.text_field import TextField
from widgets.refine.typed_texts import TypedTexts
from widgets.stage.stage import Stage
from widgets.translation import tr

_OPTION_INDEX = re.compile(r"options\[(\d+)\]")
LETTER = "option_letter"
"""The answer format whose answer is chosen on the rows of the options."""
QUESTION = "question"
"""Name of the field of the question; that of an option is ``option B``."""


class QuestionForm(QWidget):
    """Shows an item, and requests its edits.

    Signals:
        commanded: A gesture has created a command; carries it.
        left: The keyboard focus goes back to the editor.
    """

    commanded = Signal(object)
    left = Signal()

    def __init__(self, *, typed: TypedTexts, stage: Stage, checks: LiveChecksPane) -> None:
        """Create the form without an item.

        Args:
            typed: Saves what is typed.
            stage: On which answers are picked.
            checks: Checks the item as it is typed.
        """
        super().__init__()
        self._typed = typed
        self.view: ItemView | None = None
        self.has_tints = True
        self._is_asked = False
        self._awaited: int | None = None
        self.question = TextField(name=tr("Question"), least_lines=3, most_lines=14)
        self.question_note = FieldNote()
        self.options = OptionList()
        self.answer = AnswerHost(stage)
        self.classes = IssueClassBar()
        self.checks, self.changes = checks, DraftChanges()
        self.headings = {
            "question": caption(tr("Question")),
            "options": caption(tr("Options")),
            "answer": caption(tr("Answer")),
            "classes": caption(tr("What was wrong with the draft")),
        }
        self._lay_out()
        self._connect()

    @property
    def item(self) -> Item | None:
        """The stored item that is shown."""
        return self.view.item if self.view is not None else None

    def show_view(self, view: ItemView | None, *, is_read_only: bool = False) -> None:
        """Show an item; text that is being typed stays.

        Args:
            view: The item, None for none.
            is_read_only: Whether the project cannot be changed.
        """
        is_other = self.view is None or view is None or self.view.item.id != view.item.id
        if is_other:
            self._is_asked, self._awaited = False, None
        self.view = view
        self.setVisible(view is not None)
        if view is None:
            self.answer.clear()
            self.checks.show_item(None)
            return
        self._show_fields(view)
        self.answer.setEnabled(not is_read_only)
        self.question.setReadOnly(is_read_only)
        self.options.set_read_only(is_read_only)
        self.classes.setEnabled(not is_read_only)
        self._show_classes()
        self._show_changes(view)
        self._check()
        if is_other:
            # What was found in another item goes at once.
            self.show_notes()

    def _show_fields(self, view: ItemView) -> None:
        item = view.item
        fields = {QUESTION, *(_option_field(option.letter) for option in item.options)}
        self._typed.forget_others(item.id, fields=fields)
        has_options = answers.has_options(item.answer_format) or bool(item.options)
        self._show_text(self.question, QUESTION, stored=item.question, draft=view.draft.question)
        self._show_options(view)
        # An option letter is set on the rows of the options themselves.
        is_letter = item.answer_format == LETTER
        if is_letter:
            self.answer.clear()
        else:
            self.answer.show_item(item, view.shown if view.shown.media else None)
        for name, is_shown in (("options", has_options), ("answer", not is_letter)):
            self.headings[name].setVisible(is_shown)
        self.options.setVisible(has_options)
        self.answer.setVisible(not is_letter)

    def _show_changes(self, view: ItemView) -> None:
        self.changes.show_changes(view.draft, view.item)
        self.changes.setVisible(self.has_tints and self.changes.has_changes)

    def repair(self) -> None:
        """Do the first repair that the checks offer."""
        self.checks.repair_first()

    def jump_to(self, field: str) -> None:
        """Set the keyboard focus to a field that a check names."""
        match = _OPTION_INDEX.fullmatch(field)
        if match is not None and int(match[1]) < len(self.options.rows):
            self.options.edit(self.options.rows[int(match[1])].letter)
        elif field == "question":
            self.edit_question()
        elif not self.edit_answer():
            self.left.emit()

    def ask_for_class(self) -> None:
        """Ask for the issue class that the item needs before it is accepted."""
        self._is_asked = True
        self._show_classes()

    @property
    def is_class_asked(self) -> bool:
        """Whether the item was to be accepted without a class that it needs."""
        return self._is_asked

    def toggle_tints(self) -> None:
        """Show or hide what differs from the draft."""
        self.has_tints = not self.has_tints
        if self.view is not None:
            self.show_view(self.view, is_read_only=self.question.isReadOnly())

    def edit_question(self) -> None:
        """Set the keyboard focus to the question."""
        self.question.take_keyboard()

    def edit_answer(self) -> bool:
        """Set the keyboard focus to the answer; return whether it has a field of its own."""
        return self.answer.edit()

    def set_key(self, letter: str) -> None:
        """Request an option as the answer key."""
        if self.item is not None and self.item.answer_format == LETTER:
            self._command(SetAnswerKey(item=self.item.id, text=letter))

    def toggle_class(self, name: IssueClass) -> None:
        """Request an issue class to be set or removed."""
        if self.item is not None:
            self._command(ToggleIssueClass(item=self.item.id, issue_class=name))

    def add_option(self) -> None:
        """Request another option, and edit it when it is there."""
        if self.item is not None and answers.has_options(self.item.answer_format):
            self._awaited = len(self.item.options)
            self._command(AddOption(item=self.item.id))

    def remove_option(self) -> None:
        """Request the removal of the option in use."""
        if self.item is not None and (letter := self.options.letter_at_hand()):
            self.left.emit()
            self._command(RemoveOption(item=self.item.id, letter=letter))

    def move_option(self, step: str) -> None:
        """Request the option in use to be moved up ("-1") or down ("1"); the keyboard focus follows it."""
        letters = self.options.letters()
        letter = self.options.letter_at_hand()
        index = letters.find(letter) + int(step) if letter else -1
        if self.item is not None and 0 <= index < len(letters):
            self._command(MoveOption(item=self.item.id, letter=letter, index=index))
            # At once: the next letter is typed into the row that has the focus, on top of its text.
            self.options.exchange_texts(letter, letters[index])
            self.options.edit(letters[index])

    def swap_option(self, letter: str) -> None:
        """Request the option in use, else that of the answer key, to be exchanged with another one."""
        item, own = self.item, self.options.letter_at_hand()
        own = own or (item.answer_key if item is not None else "")
        letters = self.options.letters()
        if item is not None and own in letters and letter in letters and own not in {"", letter}:
            self._command(SwapOptions(item=item.id, letters=(own, letter)))
            self.options.exchange_texts(own, letter)

    def _command(self, command: ItemEdit) -> None:
        # What is typed belongs to the letters as they are now.
        self._typed.end()
        self.commanded.emit(command)

    def _show_options(self, view: ItemView) -> None:
        drafts = {option.letter: option.text for option in view.draft.options}
        stored = {option.letter: option.text for option in view.item.options}
        self.options.show_item(view.item)
        for row in self.options.rows:
            draft = drafts.get(row.letter, "")
            self._show_text(row.field, _option_field(row.letter), stored=stored[row.letter], draft=draft)
        if self._awaited is not None and len(self.options.rows) > self._awaited:
            self.options.edit(self.options.rows[self._awaited].letter)
            self._awaited = None

    def _show_text(self, field: TextField, name: str, *, stored: str, draft: str) -> None:
        item = self.view.item.id if self.view is not None else ""
        typed = self._typed.text(item, name)
        field.show_text(stored if typed is None else typed)
        field.compare_with(draft if self.has_tints else None)
        problem = self._typed.problem(item, name)
        field.mark_wrong(tr("Not saved: {reason}", reason=problem) if problem else "")

    def _show_classes(self) -> None:
        view = self.view
        if view is not None:
            proposed = propose_issue_classes(view.draft, view.item)
            self.classes.show_classes(view.item.issue_classes, proposed=proposed, is_asked=self._is_asked)

    def _lay_out(self) -> None:
        column = column_layout(self, margins_px=(16, 8, 16, 16), spacing_px=8)
        for name, part in (
            ("question", self.question),
            ("", self.question_note),
            ("options", self.options),
            ("answer", self.answer),
            ("classes", self.classes),
        ):
            if name:
                column.addWidget(self.headings[name])
            column.addWidget(part)
        column.addWidget(self.checks)
        column.addWidget(self.changes)
        column.addStretch(1)

    def _connect(self) -> None:
        self.question.typed.connect(self._on_question_typed)
        self.options.typed.connect(self._on_option_typed)
        for part in (self.question, self.options):
            part.ended.connect(self._typed.end)
            part.left.connect(self.left)
        self.question.decided.connect(partial(self._on_decided, ""))
        self.options.decided.connect(self._on_decided)
        self.options.key_requested.connect(self.set_key)
        self.options.add_requested.connect(self.add_option)
        self.answer.committed.connect(self._on_answer_committed)
        self.classes.toggled.connect(self.toggle_class)
        self.checks.checked.connect(self.show_notes)
        self.checks.jump_requested.connect(self.jump_to)
        self.checks.repair_requested.connect(self._command)

    def _on_question_typed(self) -> None:
        if self.item is not None:
            make = partial(_question_edit, self.item.id)
            text, shown = self.question.text(), self.question.shown
            self._typed.type_text(self.item.id, QUESTION, text, shown=shown, make=make)
            self._check()

    def _on_option_typed(self, letter: str) -> None:
        row = self.options.row(letter)
        if self.item is not None and row is not None:
            make = partial(_option_edit, self.item.id, letter)
            name, text = _option_field(letter), row.field.text()
            # Not the option of the item, whose letters another command may just have changed.
            self._typed.type_text(self.item.id, name, text, shown=row.field.shown, make=make)
            self._check()

    def _on_decided(self, letter: str, is_kept: bool) -> None:
        name = _option_field(letter) if letter else QUESTION
        if self.item is not None and self._typed.decide(self.item.id, name, is_kept=is_kept):
            self.show_view(self.view)
            self.show_notes()

    def _check(self) -> None:
        self.checks.show_item(_as_typed(self.item, self._typed))

    def show_notes(self) -> None:
        """Show what the checks found, and decisions between two texts, below the fields."""
        item = self.item.id if self.item is not None else ""
        conflict = self._typed.conflict(item, QUESTION)
        self.question_note.show_messages(_notes(conflict, self.checks.messages_of("question")))
        self.question.underline(_doubted(self.checks, "question"))
        for at, row in enumerate(self.options.rows):
            conflict = self._typed.conflict(item, _option_field(row.letter))
            row.note.show_messages(_notes(conflict, self.checks.messages_of(f"options[{at}]")))
            row.field.underline(_doubted(self.checks, f"options[{at}]"))

    def _on_answer_committed(self, text: str) -> None:
        if self.item is not None:
            self._command(SetAnswerKey(item=self.item.id, text=text))


def _as_typed(item: Item | None, typed: TypedTexts) -> Item | None:
    """Return an item with its texts that are not stored yet."""
    if item is None:
        return None
    texts = [typed.text(item.id, _option_field(option.letter)) for option in item.options]
    options = tuple(
        option if text is None else msgspec.structs.replace(option, text=text)
        for option, text in zip(item.options, texts, strict=True)
    )
    question = typed.text(item.id, QUESTION)
    question = item.question if question is None else question
    return msgspec.structs.replace(item, question=question, options=options)


def _notes(conflict: str, messages: Iterable[str]) -> list[str]:
    """Return what is to be said below a field: a decision between two texts first."""
    choice = tr("Enter keeps your text, Escape takes the other one.")
    return [*([f"{conflict} {choice}"] if conflict else []), *messages]


def _doubted(checks: LiveChecksPane, field: str) -> list[tuple[int, int]]:
    found = checks.checks.unmarked if checks.checks is not None else ()
    return [(one.start, one.end - one.start) for one in found if one.field_path == field]


def _option_field(letter: str) -> str:
    return f"option {letter}"


def _question_edit(item: str, text: str, gesture: str, seen: tuple[str, ...]) -> SetQuestion:
    return SetQuestion(item=item, text=text, seen=seen, gesture=gesture)


def _option_edit(item: str, letter: str, text: str, gesture: str, seen: tuple[str, ...]) -> SetOptionText:
    return SetOptionText(item=item, letter=letter, text=text, seen=seen, gesture=gesture)
