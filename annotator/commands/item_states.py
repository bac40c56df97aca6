"""Commands that change the workflow state of items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.comments import comment_edit
from annotator.domain.assignment import AssignmentRole
from annotator.domain.event import Edit
from annotator.domain.item import Item, ItemState
from annotator.domain.item_life import FINISHED, NEXT_STATES, may_follow
from annotator.edits.hand_ins import hand_in_edits
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.completeness import find_defect
from annotator.quality.context import CheckContext
from annotator.queries.reader import Reader

_CODES = {
    "rejected": "reject_items",
    "accepted": "accept_items",
    "refined": "finish_items",
    "drafted": "restore_items",
    "in_refinement": "send_back_items",
}

_ROLES: dict[ItemState, tuple[AssignmentRole, ...]] = {
    "refined": ("refine",),
    "accepted": ("refine", "review"),
    "rejected": ("refine", "review"),
    "in_refinement": ("review",),
}
"""Roles in which a person is done with an item who gives it a state."""


@dataclass(frozen=True, kw_only=True)
class ChangeState(Command):
    """Change the workflow state of items, for instance reject them.

    Attributes:
        items: Ids of the items.
        state: The new state.
        reason: The reason, recorded as a comment on each item that changes; required for a rejection, and
            when an item is sent back to refinement.
        person: Id of the person who hands the items in, "" for nobody.
        active_s: Seconds of work on the item, where it is a single one.
    """

    items: tuple[str, ...]
    state: ItemState
    reason: str = ""
    person: str = ""
    active_s: float = 0.0

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        # Without a reason nothing is sent back: an item that the blind filter took out is taken in again.
        if self.state == "in_refinement" and not self.reason.strip():
            return CommandSummary.of("take_in_items", count=len(self.items))
        if code := _CODES.get(self.state):
            return CommandSummary.of(code, count=len(self.items))
        return CommandSummary.of("set_state", count=len(self.items), state=self.state)

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield one edit per item that is not in that state yet.

        Raises:
            UserError: A reason is missing, an item is unknown, the state cannot follow the item's own, or the
                item is not complete enough for it.
        """
        if self.state == "rejected":
            self._require_reason("A rejection needs a reason.")
        context = CheckContext.of(reader)
        progress.begin(self.summary, total=len(self.items))
        for item_id in self.items:
            progress.step()
            item = reader.require(Item, item_id)
            if item.state != self.state:
                require_transition(item, self.state, context=context, reason=self.reason)
                yield Edit(entity="item", entity_id=item_id, field="state", value=self.state)
                # Only with a state change: an item that was rejected already has its reason.
                if self.reason.strip():
                    yield comment_edit("item", item_id, self.reason)
                yield from hand_in_edits(
                    reader,
                    entity="item",
                    target=item_id,
                    person=self.person,
                    roles=_ROLES.get(self.state, ()),
                    active_s=self.active_s,
                )

    def _require_reason(self, message: str) -> None:
        if not self.reason.strip():
            raise UserError(message, hint="Enter the reason.")


def require_transition(
    item: Item, state: ItemState, *, context: CheckContext, reason: str, after: Item | None = None
) -> None:
    """Check that an item may get another state; whether it may be accepted the writer checks as well.

    Args:
        item: The item before the command.
        state: The new state.
        context: What the completeness of an item depends on.
        reason: The reason given, "" for none.
        after: The item as the command leaves it, None if only its state changes.

    Raises:
        UserError: The state cannot follow, it needs a reason, or the item is not complete enough for it.
    """
    if not may_follow(item.state, state):
        allowed = ", ".join(sorted(map(_title, NEXT_STATES[item.state])))
        now, wanted = _title(item.state), _title(state)
        raise UserError(
            f"{item.name} is in the state {now} and cannot be set to {wanted}.",
            hint=f"From {now} it can be set to: {allowed}.",
        )
    if state == "in_refinement" and item.state in FINISHED | {"flagged"} and not reason.strip():
        raise UserError("An item that is sent back needs a reason.", hint="Enter the reason.")
    if state in FINISHED and (defect := find_defect(after or item, context)):
        raise UserError(
            f"{item.name} is not complete: {defect}",
            hint="Complete the item, or reject it with a reason.",
        )


def _title(state: ItemState) -> str:
    return state.replace("_", " ")
