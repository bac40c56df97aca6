"""What a person saw of a record when deciding on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from annotator.domain.eval_settings import prompt_digest
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.record import Record
from annotator.errors import UserError

READ_AGAIN = "Read it again, then decide. Nothing was changed."


@dataclass(frozen=True, kw_only=True)
class ShownRecord:
    """What was on the screen: a decision holds for that alone.

    Attributes:
        answer_key: Answer key of an item, "" for another record.
        content: Digest of the other content of an item, "" for another record.
        flags: Ids of the open flags.
    """

    answer_key: str = ""
    content: str = ""
    flags: frozenset[str] = frozenset()

    @classmethod
    def of(cls, record: Record | None, flags: Iterable[Flag]) -> Self:
        """Return what is shown of a record with its flags."""
        is_open = frozenset(flag.id for flag in flags if flag.state == "open")
        if not isinstance(record, Item):
            return cls(flags=is_open)
        return cls(answer_key=record.answer_key, content=prompt_digest(record), flags=is_open)

    def require_same(self, now: ShownRecord, *, name: str) -> None:
        """Check that a record is as it was shown.

        Args:
            now: What would be shown.
            name: Of an item, "" for another record.

        Raises:
            UserError: It is not.
        """
        if now.answer_key != self.answer_key:
            raise UserError(
                f"The answer key of {name} has changed since it was shown: {now.answer_key or '-'}.",
                hint=READ_AGAIN,
            )
        if now.content != self.content:
            raise UserError(f"{name} has changed since it was shown.", hint=READ_AGAIN)
        if now.flags != self.flags:
            raise UserError("The open flags have changed since the record was shown.", hint=READ_AGAIN)
