"""Edits of one item: its question, options, answer key, task and issue classes. One class per gesture."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain import answers
from annotator.domain.event import Edit, edit_differences
from annotator.domain.item import IssueClass, Item, Option
from annotator.domain.item_life import state_after_edit
from annotator.domain.item_options import find_option, reletter
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.errors import ChangedElsewhereError, UserError
from annotator.progress import Progress
from annotator.quality.context import CheckContext, answer_context
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class ItemEdit(Command):
    """An edit of one item.

    Attributes:
        item: Id of the item.
        gesture: Edits of one kind with the same gesture that follow each other are one step for undo: the
            editor gives a new one after a pause, another field or Enter. "" for a step of its own.
    """

    item: str
    gesture: str = ""

    @property
    def merge_key(self) -> str:
        """Key of the gesture, for this kind of edit of this item."""
        return f"{type(self).__name__} {self.item} {self.gesture}" if self.gesture else ""

    @abstractmethod
    def edited(self, item: Item, reader: Reader, /) -> Item:
        """Return the item with the edit.

        Raises:
            UserError: The edit does not fit the item.
        """

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield each field that changes, and the state of an item that was a draft or accepted.

        Raises:
            UserError: There is no such item, or the edit does not fit it.
        """
        progress.begin(self.summary, total=1)
        before = reader.require(Item, self.item)
        yield from edit_differences(before, reopened(before, self.edited(before, reader)))


def require_seen(current: str, seen: tuple[str, ...], *, text: str) -> None:
    """Refuse to overwrite a text that was changed elsewhere and that the person has not seen.

    Args:
        current: The text as it is.
        seen: What the person has seen or written, () for no check.
        text: The new text.

    Raises:
        ChangedElsewhereError: It is another one.
    """
    if seen and current not in seen and current != text:
        raise ChangedElsewhereError(
            f"This text was changed elsewhere meanwhile: “{current}”.",
            hint="Keep one of the two texts.",
            current=current,
        )


@dataclass(frozen=True, kw_only=True)
class SetQuestion(ItemEdit):
    """Change the question of an item.

    Attributes:
        text: The new question, without options.
        seen: Texts that the person has seen or written before; () where another one is overwritten as well.
    """

    text: str
    seen: tuple[str, ...] = ()

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("edit_question")

    def edited(self, item: Item, _reader: Reader, /) -> Item:
        """Return the item with the question."""
        require_seen(item.question, self.seen, text=self.text)
        return msgspec.structs.replace(item, question=self.text)


@dataclass(frozen=True, kw_only=True)
class SetOptionText(ItemEdit):
    """Change the text of an option.

    Attributes:
        letter: Letter of the option.
        text: The new text.
        seen: As in ``SetQuestion``.
    """

    letter: str
    text: str
    seen: tuple[str, ...] = ()

    @property
    def merge_key(self) -> str:
        """Key of the gesture, for this option."""
        return f"{super().merge_key} {self.letter}" if self.gesture else ""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("edit_option", letter=self.letter)

    def edited(self, item: Item, _reader: Reader, /) -> Item:
        """Return the item with the option's text."""
        options = list(item.options)
        at = find_option(item, self.letter)
        require_seen(options[at].text, self.seen, text=self.text)
        options[at] = Option(letter=self.letter, text=self.text)
        return msgspec.structs.replace(item, options=tuple(options))


@dataclass(frozen=True, kw_only=True)
class AddOption(ItemEdit):
    """Add an option after the last.

    Attributes:
        text: Its text.
    """

    text: str = ""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("add_option")

    def edited(self, item: Item, _reader: Reader, /) -> Item:
        """Return the item with one option more."""
        if not answers.has_options(item.answer_format):
            raise UserError(
                f"{item.name} has an answer format without options.",
                hint="Choose a task whose answers are option letters.",
            )
        return reletter(item, [*item.options, Option(letter="", text=self.text)])


@dataclass(frozen=True, kw_only=True)
class RemoveOption(ItemEdit):
    """Remove an option; the answer key is empty where it was that option.

    Attributes:
        letter: Letter of the option.
    """

    letter: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("remove_option", letter=self.letter)

    def edited(self, item: Item, _reader: Reader, /) -> Item:
        """Return the item without the option."""
        options = list(item.options)
        del options[find_option(item, self.letter)]
        return reletter(item, options)


@dataclass(frozen=True, kw_only=True)
class MoveOption(ItemEdit):
    """Move an option to another place; the letters stay in order, the answer key follows its option.

    Attributes:
        letter: Letter of the option.
        index: Its new place from 0; beyond the ends it is the first or the last.
    """

    letter: str
    index: int

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("move_option", letter=self.letter)

    def edited(self, item: Item, _reader: Reader, /) -> Item:
        """Return the item with the option moved."""
        options = list(item.options)
        option = options.pop(find_option(item, self.letter))
        options.insert(min(max(self.index, 0), len(options)), option)
        return reletter(item, options)


@dataclass(frozen=True, kw_only=True)
class SwapOptions(ItemEdit):
    """Exchange the places of two options; the answer key follows its option.

    Attributes:
        letters: Letters of the two options.
    """

    letters: tuple[str, str]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("swap_options", first=self.letters[0], second=self.letters[1])

    def edited(self, item: Item, _reader: Reader, /) -> Item:
        """Return the item with the options exchanged."""
        options = list(item.options)
        first, second = (find_option(item, letter) for letter in self.letters)
        options[first], options[second] = options[second], options[first]
        return reletter(item, options)


@dataclass(frozen=True, kw_only=True)
class SetAnswerKey(ItemEdit):
    """Change the answer key.

    Attributes:
        text: The answer in the item's format, as entered; "" for no answer key.
    """

    text: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("edit_answer_key")

    def edited(self, item: Item, reader: Reader, /) -> Item:
        """Return the item with the answer key in its canonical form."""
        text = self.text.strip()
        if not text or not answers.is_known(item.answer_format):
            return msgspec.structs.replace(item, answer_key=text)
        context = answer_context(item, CheckContext.of(reader))
        answer_format = answers.get(item.answer_format)
        parsed = answer_format.parse(text, context=context)
        if parsed.value is None:
            raise UserError(
                f"{item.name}: {text!r} is not an answer. {parsed.reason}",
                hint=f"The answer is {answer_format.meaning}, for example {answer_format.docs.example}.",
            )
        if problems := answer_format.validate(parsed.value, context=context):
            raise UserError(f"{item.name}: {problems[0].message}", hint=problems[0].advice)
        return msgspec.structs.replace(item, answer_key=answer_format.render(parsed.value))


@dataclass(frozen=True, kw_only=True)
class SetTask(ItemEdit):
    """Move an item to another task of its task set, or of another one.

    Attributes:
        task_set: Id of the task set.
        task: Id of the task in it.
    """

    task_set: str
    task: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_task", name=self.task)

    def edited(self, item: Item, reader: Reader, /) -> Item:
        """Return the item in its new task; its answer format is one of the task's.

        An answer key that the new format cannot read is cleared, since it would be a wrong answer.
        """
        task = TaskSetCatalogue.of(reader.path).get(self.task_set).task(self.task)
        moved = msgspec.structs.replace(item, task_set=self.task_set, task=self.task)
        if item.answer_format in task.answer_format:
            return moved
        answer_format = answers.format_of_key(task.answer_format, key=item.answer_key)
        context = answers.AnswerContext(options=item.options)
        key = answers.get(answer_format).canonical(item.answer_key, context=context) or ""
        return msgspec.structs.replace(moved, answer_format=answer_format, answer_key=key)


@dataclass(frozen=True, kw_only=True)
class SetIssueClasses(ItemEdit):
    """Record what was wrong with the draft of an item.

    Attributes:
        issue_classes: The classes; none for a draft without issues.
    """

    issue_classes: tuple[IssueClass, ...]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_issue_classes")

    def edited(self, item: Item, _reader: Reader, /) -> Item:
        """Return the item with the classes in their usual order.

        Raises:
            UserError: There is no such class.
        """
        known = get_args(IssueClass)
        if unknown := sorted(set(self.issue_classes) - set(known)):
            raise UserError(f"There is no issue class {unknown[0]!r}.", hint=f"Classes: {', '.join(known)}.")
        classes = tuple(name for name in known if name in self.issue_classes)
        return msgspec.structs.replace(item, issue_classes=classes)


@dataclass(frozen=True, kw_only=True)
class ToggleIssueClass(ItemEdit):
    """Add or remove what was wrong with the draft of an item; keys in quick succession do not meet.

    Attributes:
        issue_class: The class.
    """

    issue_class: IssueClass

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_issue_classes")

    def edited(self, item: Item, _reader: Reader, /) -> Item:
        """Return the item with the class if it did not have it, else without."""
        known: tuple[IssueClass, ...] = get_args(IssueClass)
        classes = tuple(name for name in known if (name in item.issue_classes) != (name == self.issue_class))
        return msgspec.structs.replace(item, issue_classes=classes)


def reopened(before: Item, after: Item) -> Item:
    """Return an edited item in the state that the edit leaves it in."""
    if after == before:
        return after
    return msgspec.structs.replace(after, state=state_after_edit(before.state))
