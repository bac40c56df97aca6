"""Words for the formats that files are read as."""

from __future__ import annotations

from annotator.importers.registry import IMPORTERS
from widgets.translation import tr


def format_word(format_id: str) -> str:
    """Return a format's words, its id where no importer of this version has it."""
    importer = IMPORTERS.get(format_id)
    return tr(importer.title) if importer else format_id
