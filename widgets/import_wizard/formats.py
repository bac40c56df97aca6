"""Display texts of import formats."""

from __future__ import annotations

from annotator.importers.registry import IMPORTERS
from widgets.translation import tr


def format_title(format_id: str) -> str:
    """Return the title of a format, its id where this version has no importer for it."""
    importer = IMPORTERS.get(format_id)
    return tr(importer.title) if importer else format_id
