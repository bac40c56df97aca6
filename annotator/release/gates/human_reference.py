"""Gate, told only: people have answered the sample of the human reference."""

from __future__ import annotations

from annotator.domain.assignment import AssignmentRole
from annotator.domain.query import ItemQuery
from annotator.release.gates.gate import Gate, GateFinding, GateInput

ROLE: AssignmentRole = "reference"


class HumanReferenceGate(Gate):
    """Every item of the human reference has an answer of the person who was asked."""

    id = "reference"
    title = "Human reference is present"
    counted = "Items of the human reference without an answer: {n} of {total}"
    advice = "Assign a reference sample in the Library, and let the persons answer."
    is_informative = True

    def examine(self, given: GateInput) -> GateFinding:
        """Return the sampled items that wait for an answer."""
        sampled = given.reader.assigned.assigned_items(ROLE)
        numbers = given.among_members(given.reader.gates.numbers_of_items(sampled))
        ids = given.reader.gates.ids_of_items(numbers)
        given_by = {(answer.item, answer.person) for answer in given.reader.gates.answer_marks()}
        waiting = [item for item in ids if not any((item, one) in given_by for one in sampled[item])]
        query = ItemQuery(ids=tuple(waiting)) if waiting else None
        return GateFinding(failing=len(waiting), total=len(ids), is_applicable=bool(ids), query=query)
