"""Typed reading of one record's fields: what fits is taken, what does not is named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotator.domain.record import FieldCorrection
from annotator.importers.imported_record import ImportIssue

_WORDS = {
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}


class RecordError(Exception):
    """A record is invalid.

    Attributes:
        field: Path of the field in the file.
        message: What is wrong.
        unread: Number of following records that cannot be read because of it; None if unknown.
    """

    def __init__(self, field: str, message: str, *, unread: int | None = 0) -> None:
        super().__init__(message)
        self.field = field
        self.message = message
        self.unread = unread

    def issue(self, *, line: int, locator: str) -> ImportIssue:
        """Return it as a reader tells it of a record."""
        return ImportIssue(
            line=line, locator=locator, field=self.field, message=self.message, unread=self.unread
        )


def wrong_type(field: str, value: object, *, expected: str) -> RecordError:
    """Return the fault of a field whose value is of another type than expected."""
    return RecordError(field, f"It should be {expected} and is {_WORDS.get(type(value), 'nothing')}.")


class RecordFields:
    """The members of one record. Remembers which were read and what was corrected.

    Absent, ``null`` and empty-object members are the same: not given.

    Args:
        members: The record.
        where: Path of the record inside its own, "" at the top.
        mapping: Name of the member in the file for the name that is asked for, where they differ.
    """

    __slots__ = ("_mapping", "_read", "_where", "corrections", "members")

    def __init__(self, members: object, *, where: str = "", mapping: Mapping[str, str] | None = None) -> None:
        if not isinstance(members, dict):
            raise wrong_type(where, members, expected="an object")
        self.members: Mapping[str, Any] = members
        self.corrections: list[FieldCorrection] = []
        self._where = f"{where}." if where else ""
        self._mapping = mapping or {}
        self._read: set[str] = set()

    def has(self, name: str) -> bool:
        """Tell whether the record has a member, be it null."""
        return self._mapping.get(name, name) in self.members

    def get(self, name: str) -> object:
        """Return a member as it came, None where it is not given."""
        if self._mapping:
            name = self._mapping.get(name, name)
        # Marked as read even if missing: fields that are not marked are kept as extras.
        self._read.add(name)
        return self.members.get(name)

    def text(self, name: str) -> str | None:
        """Return a member as text.

        Raises:
            RecordError: It is of another type.
        """
        if self._mapping:
            value = self.get(name)
        else:
            # As ``get`` does: readers ask for some ten texts a record, and a call is half the work of one.
            self._read.add(name)
            value = self.members.get(name)
        if value is None or isinstance(value, str):
            return value
        raise wrong_type(self._where + name, value, expected="text")

    def text_or_number(self, name: str) -> str | None:
        """Return a member as text; a number is taken as its digits.

        Raises:
            RecordError: It is of another type.
        """
        value = self.get(name)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong_type(self._where + name, value, expected="text")
        self.note(name, original=value, value=str(value), reason="a number instead of text")
        return str(value)

    def required_text(self, name: str) -> str:
        """Return a member as text that must be there and not blank.

        Raises:
            RecordError: It is missing, blank or of another type.
        """
        value = self.text(name)
        if value is None or not value.strip():
            raise RecordError(self._where + name, "It is missing." if value is None else "It is blank.")
        return value

    def integer(self, name: str) -> int | None:
        """Return a member as a whole number; text of digits is taken as one.

        Raises:
            RecordError: It is of another type.
        """
        value = self.get(name)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        number = _whole(value)
        if number is None:
            raise wrong_type(self._where + name, value, expected="a whole number")
        self.note(name, original=value, value=number, reason="a whole number in another notation")
        return number

    def number(self, name: str) -> float | None:
        """Return a member as a number.

        Raises:
            RecordError: It is of another type.
        """
        value = self.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong_type(self._where + name, value, expected="a number")
        return float(value)

    def listing(self, name: str) -> list[Any] | None:
        """Return a member that is a list.

        Raises:
            RecordError: It is of another type.
        """
        value = self.get(name)
        if value is None or isinstance(value, list):
            return value
        raise wrong_type(self._where + name, value, expected="a list")

    def rest(self) -> dict[str, Any]:
        """Return the members that nobody read."""
        read = self._read
        if read.issuperset(self.members):
            return {}
        return {name: value for name, value in self.members.items() if name not in read}

    def note(self, field: str, *, original: object, value: object, reason: str) -> None:
        """Record that a value was changed on the way in."""
        self.corrections.append(FieldCorrection(field=field, original=original, value=value, reason=reason))


def _whole(value: object) -> int | None:
    # Above 2**53 a float cannot represent every integer.
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    # 18 digits fit 64 bits for sure.
    digits = value.strip() if isinstance(value, str) else ""
    return int(digits) if digits.isdecimal() and len(digits) <= 18 else None
