"""Gate: no item has an open flag."""

from __future__ import annotations

from annotator.release.gates.gate import GateInput, ItemGate, Numbers


class OpenFlagsGate(ItemGate):
    """No item that the release takes has an open error or warning; a note does not count."""

    id = "flags"
    title = "No open flags"
    counted = "Items with an open error or warning: {n} of {total}"
    advice = "Decide on the flags in Review."

    def failing_items(self, given: GateInput) -> Numbers:
        """Return the items with an open flag."""
        return given.among_members(given.reader.gates.flagged_item_numbers())
