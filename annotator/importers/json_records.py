"""JSON records, one item each: reading on after a broken one, and telling where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from annotator.importers.imported_record import ImportedRecord, ImportIssue
from annotator.importers.importer import ImportContext
from annotator.importers.json_text import JsonElement, JsonText
from annotator.importers.record_fields import RecordError

Take = Callable[[JsonElement, int, str], ImportedRecord]
"""Gives the record of an element, from its line and locator; raises RecordError where there is none."""


def read_records(
    json: JsonText, *, elements: Iterator[JsonElement], take: Take, context: ImportContext
) -> Iterator[ImportedRecord | ImportIssue]:
    """Yield what the elements hold, in their order."""
    for number, element in enumerate(elements, start=1):
        context.progress.step()
        line, locator = json.line_of(element.start), f"record {number}"
        try:
            if element.fault is not None:
                raise element.fault.error()
            yield take(element, line, locator)
        except RecordError as fault:
            at = element.fault.at if element.fault else json.offset_of(fault.field, element)
            yield fault.issue(line=json.line_of(at), locator=locator)
