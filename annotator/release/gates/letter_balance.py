"""Gate: the letters of the answer keys are evenly spread."""

from __future__ import annotations

from collections import Counter, defaultdict

from annotator.domain.item import LETTERS
from annotator.domain.query import ItemQuery
from annotator.release.gates.gate import Gate, GateFinding, GateInput


class LetterBalanceGate(Gate):
    """In no task does somebody gain who always answers with the same letter."""

    id = "letters"
    title = "Letters are balanced"
    unit = "tasks"
    counted = "Tasks whose letters give the answer away: {n} of {total}"
    advice = "Balance the letters of these tasks in the Library."
    check = "letter_balance"
    """Id of the check that finds the same over a whole project."""

    def examine(self, given: GateInput) -> GateFinding:
        """Return the tasks whose letters are uneven among the items that the release takes."""
        counts: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
        for task, shape, count in given.reader.gates.letter_counts(given.members):
            # A letter and the number of options, which is a digit: formats have nine letters at most.
            counts[task, int(shape[1])][shape[0]] += count
        uneven = {
            task
            for (task, options), found in counts.items()
            if given.is_uneven([found[letter] for letter in LETTERS[:options]])
        }
        tasks = {task for task, _ in counts}
        query = ItemQuery(tasks=tuple(sorted(uneven))) if uneven else None
        return GateFinding(failing=len(uneven), total=len(tasks), is_applicable=bool(tasks), query=query)
