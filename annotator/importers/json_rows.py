"""JSON lists of flat objects, and JSON lines, as tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from annotator.importers.json_text import JsonElement, JsonText
from annotator.importers.table_rows import Table, TableRow

LOOKED_AT = 100
"""Records whose keys make the columns; later records may have more."""


class JsonTable(Table):
    """A list of objects, or one object a line."""

    def __init__(self, text: str) -> None:
        self._json = JsonText(text)
        first = islice(self._json.top_elements(), LOOKED_AT)
        self.columns = tuple(
            dict.fromkeys(name for element in first if type(element.value) is dict for name in element.value)
        )

    def rows(self) -> Iterator[TableRow]:
        """Yield the objects; what is none has a fault."""
        for number, element in enumerate(self._json.top_elements(), start=1):
            yield self._row(element, number)

    def _row(self, element: JsonElement, number: int) -> TableRow:
        field, fault, at, unread = "", "", element.start, element.fault.unread if element.fault else 0
        if element.fault is not None:
            field, fault, at = element.fault.field, element.fault.message, element.fault.at
        elif type(element.value) is not dict:
            fault = "It should be an object with one value for each column."
        return TableRow(
            line=self._json.line_of(at),
            locator=f"record {number}",
            cells={} if fault else element.value,
            original=element.original,
            fault=fault,
            field=field,
            unread=unread,
        )


def first_keys(head: str) -> tuple[str, ...]:
    """Return the keys of the first object in the beginning of a text, none where there is no whole one."""
    json = JsonText(head)
    # A first record that is cut off has no keys to tell, and its end need not be looked for.
    if not json.begins_whole():
        return ()
    for element in json.top_elements():
        return tuple(element.value) if type(element.value) is dict else ()
    return ()
