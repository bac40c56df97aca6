"""Display texts of variants of items."""

from __future__ import annotations

from annotator.domain.item import VariantKind
from widgets.translation import mark, tr

TITLES: dict[VariantKind, str] = {
    "choice": mark("Multiple choice"),
    "resolution": mark("High resolution"),
    "map": mark("Other kind of map"),
}
"""English titles of the kinds of variants."""


def variant_text(kind: VariantKind, name: str) -> str:
    """Return the public id of a variant, or of its source, with the kind of the variant."""
    return tr("{name}, kind: {kind}", name=name, kind=tr(TITLES[kind]))
