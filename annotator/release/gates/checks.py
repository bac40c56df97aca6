"""Gate: all checks could run, and find nothing, or each finding was dismissed with a reason."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain.query import ItemQuery
from annotator.release.gates.gate import Gate, GateFinding, GateInput
from annotator.release.gates.letter_balance import LetterBalanceGate
from annotator.release.release_filter import Finding


class ChecksGate(Gate):
    """The checks find no error and no warning that nobody has dismissed, and no file of checks is invalid."""

    id = "checks"
    title = "Checks are clean"
    unit = "findings"
    counted = "Findings neither corrected nor dismissed with a reason, and invalid files of checks: {n}"
    advice = (
        "Run the checks, correct the files that they cannot use, and correct the items "
        "or dismiss their flags with a reason in Review."
    )

    def examine(self, given: GateInput) -> GateFinding:
        """Return the findings about the items and their tasks."""
        if not len(given.members):
            return GateFinding(failing=0, is_applicable=False)
        found = list(self._undecided(given))
        numbers = given.among_members(given.reader.gates.numbers_of_items({one.target for one in found}))
        ids = given.reader.gates.ids_of_items(numbers)
        taken = {*ids, *given.reader.gates.tasks_of_items(given.members)}
        failing = sum(one.target in taken for one in found)
        # A finding about a whole task has no items of its own.
        query = ItemQuery(ids=ids) if failing else None
        # What an invalid file would find is unknown, so nobody can say that it does not matter.
        unknown = len(given.own_faults)
        return GateFinding(failing=failing + unknown, unwaivable=unknown, query=query)

    def _undecided(self, given: GateInput) -> Iterator[Finding]:
        """Yield the findings that nobody has dismissed; the balance of letters is a gate of its own."""
        dismissed = given.reader.gates.dismissed_flags()
        for one in given.findings:
            is_decided = one.severity == "note" or (one.target, one.check) in dismissed
            if not is_decided and one.check != LetterBalanceGate.check:
                yield one
