"""Gate: the blind filter has asked models about every item."""

from __future__ import annotations

from annotator.domain.run import UNFINISHED
from annotator.release.gates.gate import GateInput, ItemGate, Numbers


class BlindFilterGate(ItemGate):
    """A finished run of the blind filter has an answer to every item as it is now."""

    id = "blind"
    title = "Blind filter is done"
    counted = "Items not answered without images as they are now: {n} of {total}"
    advice = "Start a blind run on these items in Runs, and apply its policy."

    def failing_items(self, given: GateInput) -> Numbers:
        """Return the items without an answer of a model that did not see the images."""
        runs = [
            run.id for run in given.reader.runs.all() if run.kind == "blind" and run.state not in UNFINISHED
        ]
        answered = given.reader.gates.answered_items(runs)
        # For a digest the whole item is read.
        digests = given.digests if runs else {}
        return given.members_without(n for n, shown in answered if digests.get(n) == shown)
