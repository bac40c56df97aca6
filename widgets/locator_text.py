"""Places of records in imported files, in the language of the window."""

from __future__ import annotations

import re

from widgets.translation import tr

_COUNTED = re.compile(r"(line|record|row|entry|pose) (\d+)")
_IN_SHEET = re.compile(r"sheet (.+?)(?: row (\d+))?")


def locator_text(locator: str) -> str:
    """Return a locator such as ``line 12`` or ``sheet Route row 3`` as it is shown; others as they are."""
    if found := _COUNTED.fullmatch(locator):
        return _counted(found[1], found[2])
    if found := _IN_SHEET.fullmatch(locator):
        sheet = tr("sheet {name}", name=found[1])
        return f"{sheet}, {_counted('row', found[2])}" if found[2] else sheet
    if locator == "the whole file":
        return tr("the whole file")
    return locator


def _counted(what: str, number: str) -> str:
    texts = {
        "line": tr("line {n}", n=number),
        "record": tr("record {n}", n=number),
        "row": tr("row {n}", n=number),
        "entry": tr("entry {n}", n=number),
        "pose": tr("pose {n}", n=number),
    }
    return texts[what]
