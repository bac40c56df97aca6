"""JSON records, one item each: reading on after a broken one, and telling where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from annotator.sources.fields import RecordFault
from annotator.sources.found import Found, Rejected
from annotator.sources.importer import ReadContext
from annotator.sources.json_text import Element, JsonText

Take = Callable[[Element, int, str], Found]
"""Gives the record of an element, from its line and locator; raises RecordFault where there is none."""


def read_records(
    json: JsonText, *, elements: Iterator[Element], take: Take, context: ReadContext
) -> Iterator[Found | Rejected]:
    """Yield what the elements hold, in their order."""
    for number, element in enumerate(elements, start=1):
        context.progress.step()
        line, locator = json.line_of(element.start), f"record {number}"
        try:
            if element.fault is not None:
                raise RecordFault(element.fault.field, element.fault.message)
            yield take(element, line, locator)
        except RecordFault as fault:
            at = element.fault.at if element.fault else json.offset_of(fault.field, element)
            yield Rejected(line=json.line_of(at), locator=locator, field=fault.field, message=fault.message)
