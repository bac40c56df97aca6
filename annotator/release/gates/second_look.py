"""Gate: somebody else has answered every item."""

from __future__ import annotations

from annotator.release.gates.gate import GateInput, ItemGate, Numbers


class SecondLookGate(ItemGate):
    """Every item as it is now has an independent answer of a person who had not worked on it."""

    id = "second-look"
    title = "Second look is done"
    counted = "Items without an answer of a person who had not worked on them: {n} of {total}"
    advice = "Assign these items for the second look."
    evidence = frozenset({"response"})

    def failing_items(self, given: GateInput) -> Numbers:
        """Return the items without an independent answer."""
        answers = given.reader.gates.answer_marks()
        work = given.reader.assigned.item_work({answer.item for answer in answers})
        digests = given.digests if answers else {}
        return given.members_without(
            answer.n
            for answer in answers
            if digests.get(answer.n) == answer.shown
            # Work counts from its first event on: whoever edits after the answer had not worked on the
            # item before.
            and work.get(answer.item, {}).get(answer.person, answer.position) >= answer.position
        )
