"""The check for variants whose source has changed since they were made."""

from __future__ import annotations

from annotator.domain.item import Item
from annotator.domain.item_variants import stale_reason
from annotator.quality.check import CheckHit, ItemCheck
from annotator.quality.context import CheckContext

STATE, GONE = "source_state", "removed"
"""Name and value in the evidence of a finding: state of the source, and that of a removed one."""


class StaleVariant(ItemCheck):
    """Finds variants that are out of date."""

    id = "stale_variant"
    severity = "error"
    title = "Variant out of date"
    finds = (
        "The source of a variant has another question, answer key or media now, or is rejected or removed."
    )
    advice = "Make the variant again; reject it if its source is rejected or removed."
    threshold = "any difference from what the variant was made of"

    def applies_to(self, item: Item, *, context: CheckContext) -> bool:  # noqa: ARG002 - whatever the task asks for
        """Return True: items of every task can have variants."""
        return True

    def check_item(self, item: Item, context: CheckContext, /) -> CheckHit | None:
        """Return why the variant is out of date."""
        if item.variant is None:
            return None
        source = context.item(item.variant.source)
        reason = stale_reason(item.variant, source)
        if not reason:
            return None
        state = GONE if source is None else source.state
        return CheckHit(message=reason, evidence={"item": item.variant.source, STATE: state})
