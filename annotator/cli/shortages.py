"""Prints the items that too few persons may answer."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.cli.console import Console
from annotator.quality.human_reference.sample import Shortage

SHORTAGES_SHOWN = 20


def print_shortages(shortages: Sequence[Shortage], *, console: Console) -> None:
    """Print the first items that too few persons may answer, and the number of the others."""
    for shortage in shortages[:SHORTAGES_SHOWN]:
        console.print(
            f"{shortage.name} ({shortage.task}): {shortage.missing} more persons are required who have not "
            "worked on it."
        )
    if (hidden := len(shortages) - SHORTAGES_SHOWN) > 0:
        console.print(f"{hidden:,} more items have too few persons; --json lists all.")
