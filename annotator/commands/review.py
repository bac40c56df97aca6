"""Decisions of a reviewer on one record, each with a reason and one undo step."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.comments import WriteComment, comment_edit
from annotator.commands.forks import ResolveFork
from annotator.commands.item_edits import ItemEdit, SetAnswerKey
from annotator.commands.item_states import require_transition
from annotator.domain.comment import CommentPin
from annotator.domain.event import Edit, edit_differences, edit_fields
from annotator.domain.flag import Flag, FlagState
from annotator.domain.item import Item, ItemState
from annotator.domain.item_life import state_after_edit
from annotator.domain.record import Record, ValueObject
from annotator.domain.record_types import RECORD_TYPES, record_type
from annotator.domain.review import REPORTED, is_about_key, is_blocking
from annotator.domain.scene import Scene
from annotator.domain.shown_record import ShownRecord
from annotator.edits.hand_ins import hand_in_edits
from annotator.edits.scene_reopening import reopened
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.context import CheckContext
from annotator.queries.reader import Reader

_RECORDS = frozenset(record.table.entity for record in RECORD_TYPES)
RETURNABLE = frozenset({"item", "scene", "event_label", "link"})
"""Types of records that go back to the person who works on them."""


@dataclass(frozen=True, kw_only=True)
class ReviewDecision(Command):
    """A decision on one record; the log has the reason and the person.

    Attributes:
        entity: Type of the record.
        target: Id of the record.
        reason: Why.
        person: Id of the person whose review of the record is done with it, "" for nobody.
        active_s: Seconds of work on the decision.
        shown: What the person saw; the decision is refused where the record is no longer like that. None
            where nothing was shown, as in a script.
    """

    entity: str = "item"
    target: str
    reason: str
    person: str = ""
    active_s: float = 0.0
    shown: ShownRecord | None = None

    @property
    def details(self) -> dict[str, Any]:
        """The record and the reason."""
        return {"entity": self.entity, "target": self.target, "reason": self.reason.strip()}

    @abstractmethod
    def decided(self, reader: Reader, record: Record | None, reason: str, /) -> Iterator[Edit]:
        """Yield what the decision changes.

        Args:
            reader: The project before the command.
            record: The record; None for a task, which is none.
            reason: The reason, not empty.

        Raises:
            UserError: The decision does not fit the record.
        """

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the decision, and that the person's review is done.

        Raises:
            UserError: The reason is missing, the record is unknown or was shown differently, or the decision
                does not fit it.
        """
        progress.begin(self.summary, total=1)
        reason = self.reason.strip()
        if not reason:
            raise UserError("A decision needs a reason.", hint="Enter the reason, or choose a phrase.")
        record = self._record(reader)
        if self.shown is not None:
            now = ShownRecord.of(record, reader.flags_of(self.target))
            self.shown.require_same(now, name=getattr(record, "name", ""))
        yield from self.decided(reader, record, reason)
        yield from hand_in_edits(
            reader,
            entity=self.entity,
            target=self.target,
            person=self.person,
            roles=("review",),
            active_s=self.active_s,
        )

    def _record(self, reader: Reader) -> Record | None:
        return reader.require(record_type(self.entity), self.target) if self.entity in _RECORDS else None


@dataclass(frozen=True, kw_only=True)
class _FlagDecision(ReviewDecision):
    """A decision that closes flags, and accepts the item if it is told to.

    Attributes:
        flags: Ids of the flags that it answers, () for those that it is usually about.
        accept: Whether the item is accepted with it.
    """

    flags: tuple[str, ...] = ()
    accept: bool = False

    closes: ClassVar[FlagState]

    def _answered(self, known: Iterable[Flag], *, usual: Iterable[Flag]) -> list[Flag]:
        if not self.flags:
            return list(usual)
        by_id = {flag.id: flag for flag in known}
        if unknown := [flag for flag in self.flags if flag not in by_id]:
            raise UserError(
                f"The record has no flag {unknown[0]}.", hint="Somebody may have removed it. List the flags."
            )
        return [by_id[flag] for flag in self.flags]

    def _closed(
        self, reader: Reader, before: Record | None, after: Record | None, answered: list[Flag], reason: str
    ) -> Iterator[Edit]:
        """Yield the changes of the record, with the state that an item gets, and the closed flags."""
        if isinstance(before, Item) and isinstance(after, Item):
            answered_ids = {flag.id for flag in answered}
            left = [flag for flag in reader.flags_of(self.target) if flag.id not in answered_ids]
            state = self._state(before, after, is_blocked=any(map(is_blocking, left)))
            if state != before.state:
                require_transition(before, state, after=after, reason=reason, context=CheckContext.of(reader))
            yield from edit_differences(before, msgspec.structs.replace(after, state=state))
        for flag in answered:
            yield from edit_fields(flag, state=self.closes, resolution=reason)

    def _state(self, before: Item, after: Item, *, is_blocked: bool) -> ItemState:
        state = before.state if after == before else state_after_edit(before.state)
        if self.accept:
            return "accepted"
        # What remains open is for another decision; without it the item is where it was before its flags.
        return "refined" if state == "flagged" and not is_blocked else state


@dataclass(frozen=True, kw_only=True)
class KeepRecord(_FlagDecision):
    """Keep a record as it is, for an item its answer key: dismisses the flags that this answers.

    Usually these are an item's open flags about the answer key; those of another kind where it has none of
    them, and all open flags of another record.
    """

    closes = "dismissed"

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("keep_record")

    def decided(self, reader: Reader, record: Record | None, reason: str, /) -> Iterator[Edit]:
        """Yield the closed flags, and the state of an item that has no other reason to wait.

        Raises:
            UserError: No flag is open, or the item cannot be accepted.
        """
        known = reader.flags_of(self.target)
        waiting = [flag for flag in known if flag.state == "open"]
        about_key = [flag for flag in waiting if is_about_key(flag)]
        answered = self._answered(known, usual=about_key or waiting)
        if not answered and not self.accept:
            raise UserError(
                "The record has no open flag.", hint="Choose the values of its forks, or accept the item."
            )
        yield from self._closed(reader, record, record, answered, reason)


@dataclass(frozen=True, kw_only=True)
class CorrectRecord(_FlagDecision):
    """Correct an item, or state that a record was corrected: resolves the flags that this answers.

    Usually these are the open flags about the changed fields, and without changes all open flags.

    Attributes:
        edits: The changes of the item; they fit its format, as in Refine.
    """

    edits: tuple[ItemEdit, ...] = ()

    closes = "resolved"

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("correct_record")

    def decided(self, reader: Reader, record: Record | None, reason: str, /) -> Iterator[Edit]:
        """Yield the changes, the closed flags and the state of the item.

        Raises:
            UserError: A change does not fit the item or changes nothing, or the item cannot be accepted.
        """
        after = self._edited(reader, record)
        known = reader.flags_of(self.target)
        waiting = [flag for flag in known if flag.state == "open"]
        usual = [flag for flag in waiting if not self.edits or _concerns(flag, record, after)]
        yield from self._closed(reader, record, after, self._answered(known, usual=usual), reason)

    def _edited(self, reader: Reader, record: Record | None) -> Record | None:
        if not self.edits:
            return record
        if not isinstance(record, Item) or any(edit.item != self.target for edit in self.edits):
            raise UserError(
                "Only the item of the decision can be changed.", hint="Decide each item by itself."
            )
        after = record
        for edit in self.edits:
            after = edit.edited(after, reader)
        if after == record:
            raise UserError(
                f"{record.name} has these values already.", hint="Keep the item as it is, with a reason."
            )
        return after


def change_key(*, target: str, text: str, reason: str, **fields: Any) -> CorrectRecord:  # noqa: ANN401 - as the class
    """Return the decision that gives an item another answer key.

    Args:
        target: Id of the item.
        text: The answer in the item's format.
        reason: Why.
        fields: Other attributes of ``CorrectRecord``.
    """
    edits = (SetAnswerKey(item=target, text=text),)
    return CorrectRecord(target=target, reason=reason, edits=edits, **fields)


@dataclass(frozen=True, kw_only=True)
class SendBack(ReviewDecision):
    """Send a record back to the person who works on it; the reason becomes a comment.

    An item is in refinement again, the scene of another record is open again. Flags stay open: they are
    decided when the record comes back.

    Attributes:
        pin: The place in an image that the reason is about, None for the whole record.
    """

    pin: CommentPin | None = None

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("send_back_record")

    def decided(self, reader: Reader, record: Record | None, reason: str, /) -> Iterator[Edit]:
        """Yield the state and the comment.

        Raises:
            UserError: Nobody works on such a record, the item's state does not allow it, or the pin is
                outside its image.
        """
        if isinstance(record, Item):
            if record.state != "in_refinement":
                require_transition(record, "in_refinement", reason=reason, context=CheckContext.of(reader))
                yield Edit(entity="item", entity_id=self.target, field="state", value="in_refinement")
        else:
            yield from reopened(self._scene(reader, record))
        comment = WriteComment(
            entity=self.entity, target=self.target, text=reason, person=self.person, pin=self.pin
        )
        yield from comment.plan(reader, progress=Progress())

    def _scene(self, reader: Reader, record: Record | None) -> Scene:
        if self.entity not in RETURNABLE:
            raise UserError(
                "Only items, scenes, event labels and links can be sent back.",
                hint="Keep the record, or correct it.",
            )
        return reader.require(Scene, getattr(record, "scene", self.target))


@dataclass(frozen=True, kw_only=True)
class RejectItem(ReviewDecision):
    """Reject an item; the reason becomes a comment, and its flags rest as long as it is rejected."""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("reject_items", count=1)

    def decided(self, reader: Reader, record: Record | None, reason: str, /) -> Iterator[Edit]:
        """Yield the state and the comment.

        Raises:
            UserError: The record is no item, or is rejected already.
        """
        if not isinstance(record, Item):
            raise UserError("Only an item can be rejected.", hint="Correct the record, or send it back.")
        require_transition(record, "rejected", reason=reason, context=CheckContext.of(reader))
        yield Edit(entity="item", entity_id=self.target, field="state", value="rejected")
        yield comment_edit("item", self.target, reason)


class ForkChoice(ValueObject, frozen=True, kw_only=True):
    """The value that a forked field keeps.

    Attributes:
        entity_id: Id of the record of the field: that of the decision, or of a flag on it.
        field: Name of the field.
        event: Id of the event whose value is kept.
    """

    entity_id: str
    field: str
    event: str


@dataclass(frozen=True, kw_only=True)
class MergeForks(ReviewDecision):
    """Choose a value for each field that workstations changed independently.

    Attributes:
        choices: The values, one per field; fields that are not named stay forked.
    """

    choices: tuple[ForkChoice, ...]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("merge_forks", count=len(self.choices))

    def _record(self, reader: Reader) -> Record | None:
        # One workstation may have removed it: whether it stays is then the choice.
        return reader.get(record_type(self.entity), self.target) if self.entity in _RECORDS else None

    def decided(self, reader: Reader, record: Record | None, reason: str, /) -> Iterator[Edit]:
        """Yield the chosen values and the reason as a comment.

        Raises:
            UserError: There is no choice, two for one field, or a field has no such value.
        """
        fields = {(choice.entity_id, choice.field) for choice in self.choices}
        if not fields or len(fields) < len(self.choices):
            raise UserError("Each forked field needs one choice.", hint="Choose one value per field.")
        for one in self.choices:
            command = ResolveFork(entity_id=one.entity_id, field=one.field, event=one.event)
            yield from command.plan(reader, progress=Progress())
        if record is not None:
            yield comment_edit(self.entity, self.target, reason)


def _concerns(flag: Flag, before: Record | None, after: Record | None) -> bool:
    """Return whether a flag is about a field that differs between two versions of its record."""
    if flag.kind == REPORTED:
        return False
    if is_about_key(flag):
        return getattr(before, "answer_key", "") != getattr(after, "answer_key", "")
    return not flag.field or getattr(before, flag.field, None) != getattr(after, flag.field, None)
