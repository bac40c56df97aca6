"""Commands on single fields of records: items' text and state, flags, comments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.comment import Comment
from annotator.domain.event import CREATED, Edit
from annotator.domain.flag import FlagState
from annotator.domain.item import Item, ItemState
from annotator.domain.record import new_id
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.store.reader import Reader

_STATE_CODES = {"rejected": "reject_items", "accepted": "accept_items", "drafted": "restore_items"}
_FLAG_CODES = {"resolved": "resolve_flags", "dismissed": "dismiss_flags", "open": "reopen_flags"}


@dataclass(frozen=True, kw_only=True)
class EditItem(Command):
    """Give one field of an item a new value.

    Attributes:
        item: Id of the item.
        field: Name of the field.
        value: The new value.
    """

    item: str
    field: str
    value: Any

    @property
    def summary(self) -> CommandSummary:
        """What it does, for the undo menu."""
        return CommandSummary.of("edit_field", name=self.field)

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the edit, nothing where the value is the same.

        Raises:
            UserError: There is no such item, or no such field.
        """
        progress.begin(self.summary, total=1)
        item = _existing(reader, "item", self.item)
        if self.field not in Item.__struct_fields__:
            raise UserError(f"An item has no field '{self.field}'.")
        # An edit of nothing would be a step for undo that nobody sees.
        if getattr(item, self.field) != self.value:
            yield Edit(entity="item", entity_id=self.item, field=self.field, value=self.value)


@dataclass(frozen=True, kw_only=True)
class ChangeState(Command):
    """Move items to another state of their life, for instance reject them.

    Attributes:
        items: Ids of the items.
        state: The new state.
        reason: Why, kept as a comment on each item; needed for a rejection.
    """

    items: tuple[str, ...]
    state: ItemState
    reason: str = ""

    @property
    def summary(self) -> CommandSummary:
        """What it does, for the undo menu."""
        if code := _STATE_CODES.get(self.state):
            return CommandSummary.of(code, count=len(self.items))
        return CommandSummary.of("set_state", count=len(self.items), state=self.state)

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield one edit per item that is not in that state yet.

        Raises:
            UserError: A rejection without a reason, or an unknown item.
        """
        if self.state == "rejected" and not self.reason.strip():
            raise UserError("A rejection needs a reason.", hint="Enter the reason.")
        progress.begin(self.summary, total=len(self.items))
        for item_id in self.items:
            progress.step()
            if getattr(_existing(reader, "item", item_id), "state") != self.state:  # noqa: B009 - Record has no state
                yield Edit(entity="item", entity_id=item_id, field="state", value=self.state)
                # With the change alone: an item that was rejected already has its reason.
                if self.reason.strip():
                    yield _comment("item", item_id, self.reason)


@dataclass(frozen=True, kw_only=True)
class DecideFlags(Command):
    """Close flags, or open them again.

    Attributes:
        flags: Ids of the flags.
        state: ``resolved`` (mended), ``dismissed`` (right as it is) or ``open``.
        resolution: Why.
    """

    flags: tuple[str, ...]
    state: FlagState
    resolution: str = ""

    @property
    def summary(self) -> CommandSummary:
        """What it does, for the undo menu."""
        return CommandSummary.of(_FLAG_CODES[self.state], count=len(self.flags))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the new state and reason of each flag, nothing where they are the same.

        Raises:
            UserError: A dismissal without a reason, or an unknown flag.
        """
        if self.state == "dismissed" and not self.resolution.strip():
            raise UserError("A dismissal needs a reason.", hint="Enter why the record is correct.")
        progress.begin(self.summary, total=len(self.flags))
        for flag_id in self.flags:
            progress.step()
            flag = _existing(reader, "flag", flag_id)
            for field, value in (("state", self.state), ("resolution", self.resolution.strip())):
                if getattr(flag, field) != value:
                    yield Edit(entity="flag", entity_id=flag_id, field=field, value=value)


@dataclass(frozen=True, kw_only=True)
class WriteComment(Command):
    """Say something about a record.

    Attributes:
        entity: Kind of the record.
        target: Id of the record.
        text: The words.
    """

    entity: str
    target: str
    text: str

    @property
    def summary(self) -> CommandSummary:
        """What it does, for the undo menu."""
        return CommandSummary.of("write_comment")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the comment.

        Raises:
            UserError: No words, or an unknown record.
        """
        progress.begin(self.summary, total=1)
        if not self.text.strip():
            raise UserError("The comment is empty.", hint="Enter the text of the comment.")
        _existing(reader, self.entity, self.target)
        yield _comment(self.entity, self.target, self.text)


def _comment(entity: str, target: str, text: str) -> Edit:
    comment = Comment(id=new_id(), entity=entity, target=target, text=text.strip())
    return Edit(entity="comment", entity_id=comment.id, field=CREATED, value=comment)


def _existing(reader: Reader, entity: str, entity_id: str) -> object:
    record = reader.get(entity, entity_id)
    if record is None:
        raise UserError(
            f"There is no {entity} {entity_id}.", hint="It may have been removed by an undo; reload the list."
        )
    return record
