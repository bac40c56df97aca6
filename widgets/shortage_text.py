"""Names the items that too few persons may answer."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.quality.human_reference.sample import Shortage
from widgets.translation import join_texts, tr

SHORTAGES_SHOWN = 3


def shortage_text(shortages: Sequence[Shortage]) -> str:
    """Return the sentence that names the items, "" for none."""
    if not shortages:
        return ""
    names = [shortage.name for shortage in shortages[:SHORTAGES_SHOWN]]
    more = len(shortages) - len(names)
    named = join_texts([*names, tr("{n} more", n=f"{more:,}")] if more else names)
    return tr("Too few of these persons have not worked on: {items}. They are not assigned.", items=named)
