"""Gate: no field that workstations changed independently."""

from __future__ import annotations

from annotator.domain.query import ItemQuery
from annotator.release.gates.gate import Gate, GateFinding, GateInput
from annotator.release.release_snapshot import UNSEEN


class ForksGate(Gate):
    """No field of the items, or of the records that they refer to, has two values."""

    id = "forks"
    title = "No forks"
    unit = "fields"
    counted = "Fields with two values of different workstations: {n}"
    advice = "Choose a value for each in Review."

    def examine(self, given: GateInput) -> GateFinding:
        """Return the forked fields; those of items and flags count only if the release takes the item."""
        forks = [fork for fork in given.reader.reviews.forked_fields() if fork.entity not in UNSEEN]
        if not forks:
            return GateFinding(failing=0)
        items = given.reader.gates.item_ids_of(fork.entity_id for fork in forks)
        numbers = given.among_members(given.reader.gates.numbers_of_items(items.values()))
        taken = given.reader.gates.ids_of_items(numbers)
        # A fork of a medium or a region can concern any item.
        concerned = {*taken, None}
        failing = [fork for fork in forks if items.get(fork.entity_id) in concerned]
        query = ItemQuery(ids=taken) if taken else None
        return GateFinding(failing=len(failing), query=query)
