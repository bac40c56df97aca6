"""The values of IndoorUAV's files with the place where each stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from annotator.importers.imported_record import ImportedRecord, ImportIssue
from annotator.importers.input_file import InputFile, fault_of_text, printable
from annotator.importers.json_text import JsonElement, JsonFault, JsonText
from annotator.importers.mojibake import gbk_text
from annotator.importers.record_fields import RecordError


class LocatedValue(msgspec.Struct, frozen=True, kw_only=True):
    """One value that becomes a record.

    Attributes:
        json: The text that contains it.
        element: The value, or the reason why it is rejected.
        locator: Position in the file or folder.
        key: Its key in the object, "" for the only value of a file.
        is_gbk: Whether the file is encoded in GBK.
    """

    json: JsonText
    element: JsonElement
    locator: str
    key: str = ""
    is_gbk: bool = False

    @property
    def content(self) -> Any:  # noqa: ANN401 - JSON
        """The value itself."""
        return self.element.value

    @property
    def original(self) -> bytes:
        """The value as it came."""
        return self.element.original

    @property
    def line(self) -> int:
        """Line on which it begins, from 1."""
        return self.json.line_of(self.element.start)

    def taken(self, make: Callable[[LocatedValue], ImportedRecord]) -> ImportedRecord | ImportIssue:
        """Return what the value is made into, or why it cannot be taken."""
        fault = self.element.fault
        if fault is None:
            try:
                return make(self)
            except RecordError as refused:
                at = self.json.offset_of(refused.field, self.element)
                fault = JsonFault(at, refused.field, refused.message)
        return self._rejected(fault)

    def _rejected(self, fault: JsonFault) -> ImportIssue:
        line = self.json.line_of(fault.at)
        return fault.error().issue(line=line, locator=self.locator)


def whole_value(file: InputFile, *, locator: str) -> LocatedValue:
    """Return the one value of a file; more text after it is a fault.

    Raises:
        UserError: The file is too large.
        EnvironmentFailure: The disk refused.
    """
    json, is_gbk = _read(file)
    element = json.element(json.skip_blanks(0), limit=len(json.text))
    after = json.skip_blanks(element.end)
    if element.fault is None and after < len(json.text):
        element = replace(
            element, fault=JsonFault(after, "", "There is more text after the end of the value.")
        )
    return LocatedValue(json=json, element=element, locator=locator, is_gbk=is_gbk)


def keyed_values(file: InputFile) -> Iterator[LocatedValue]:
    """Yield the values of a file that is one object; a key that comes again is a fault.

    Raises:
        UserError: The file is too large.
        EnvironmentFailure: The disk refused.
    """
    json, is_gbk = _read(file)
    seen: set[str] = set()
    for number, (key, found) in enumerate(json.entries(), start=1):
        element, message = found, "The field name occurs twice." if key in seen else fault_of_text(key)
        if message and found.fault is None:
            element = replace(found, fault=JsonFault(found.start, printable(key[:80]), message))
        seen.add(key)
        yield LocatedValue(json=json, element=element, locator=f"entry {number}", key=key, is_gbk=is_gbk)


def _read(file: InputFile) -> tuple[JsonText, bool]:
    decoded = gbk_text(file.text)
    return JsonText(file.text if decoded is None else decoded), decoded is not None
