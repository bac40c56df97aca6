"""The check for an option that contains another one: a list beside one of its parts."""

from __future__ import annotations

import re

from annotator.domain.item import Item
from annotator.quality.check import CheckHit, ItemCheck
from annotator.quality.checks.choices import normalize_option
from annotator.quality.context import CheckContext

_JOIN = re.compile(r"\s*(?:[,;，、；&+/]|\band\b|和|与)\s*", re.IGNORECASE)


_ASKS_FOR_ALL = re.compile(r"\b(?:all|every|each|both|complete)\b|所有|全部|每[个一]|完整", re.IGNORECASE)


class OverlappingOptions(ItemCheck):
    """Finds lists of which a part is an option too."""

    id = "overlapping_options"
    severity = "warning"
    title = "Overlapping options"
    finds = "An option lists several things, and one of them is an option of its own: both can be right."
    advice = "Offer lists only, or single things only."
    threshold = (
        "not where the question asks for all; parts between commas, semicolons, slashes and 'and', equal "
        "after NFKC and case folding"
    )
    tasks = ("aircop/who_to_collaborate",)

    def check_item(self, item: Item, _context: CheckContext, /) -> CheckHit | None:
        """Name the first list with the option that it contains."""
        if _ASKS_FOR_ALL.search(item.question):
            return None
        letters = {normalize_option(option.text): option.letter for option in item.options}
        for index, option in enumerate(item.options):
            parts = [normalize_option(part) for part in _JOIN.split(option.text)]
            inner = [letters[part] for part in parts if part and part in letters]
            if len(parts) > 1 and inner:
                message = f"Option {option.letter} contains option {inner[0]}: {option.text.strip()!r}."
                return CheckHit(message=message, field="options", option_index=index)
        return None
