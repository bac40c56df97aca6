"""The counts of one drafting."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from annotator.draft.rule_result import DraftedItem


@dataclass(kw_only=True)
class DraftReport:
    """Counts of a drafting.

    For rules that read event labels, ``drafted + unchanged + skipped`` is labels times tasks.

    Attributes:
        scenes: Scenes read.
        labels: Event labels read.
        existing: Existing items per task; they stay unchanged.
        reasons: Subjects without an item, per "<task>: <reason>".
        tasks: New items per task.
        letters: New answer keys per task and letter, of questions with options.
        answers: New answer keys per task and right answer, whatever its wording.
    """

    scenes: int = 0
    labels: int = 0
    existing: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    tasks: Counter[str] = field(default_factory=Counter)
    letters: dict[str, Counter[str]] = field(default_factory=dict)
    answers: dict[str, Counter[str]] = field(default_factory=dict)

    @property
    def drafted(self) -> int:
        """Number of new items."""
        return self.tasks.total()

    @property
    def unchanged(self) -> int:
        """Number of existing items."""
        return self.existing.total()

    @property
    def skipped(self) -> int:
        """Number of subjects that gave no item."""
        return self.reasons.total()

    def add(self, drafted: DraftedItem) -> None:
        """Count a new item."""
        task = drafted.item.task
        self.tasks[task] += 1
        if drafted.item.answer_format == "option_letter":
            self.letters.setdefault(task, Counter())[drafted.item.answer_key] += 1
        self.answers.setdefault(task, Counter())[drafted.answer] += 1

    def skip(self, task: str, reason: str) -> None:
        """Count a subject without an item."""
        self.reasons[f"{task}: {reason}"] += 1

    def reasons_of(self, task: str) -> dict[str, int]:
        """Return the number of subjects of a task without an item per reason, the most frequent first."""
        begin = f"{task}: "
        reasons = self.reasons.most_common()
        return {text.removeprefix(begin): count for text, count in reasons if text.startswith(begin)}

    def best_constant_answer(self, task: str) -> float:
        """Return the share of new items that the best constant answer gets right, 0.0 without items."""
        answers = self.answers.get(task)
        return max(answers.values()) / answers.total() if answers else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the counts as the object that ``draft --json`` prints."""
        return {
            "scenes": self.scenes,
            "labels": self.labels,
            "drafted": self.drafted,
            "unchanged": self.unchanged,
            "skipped": self.skipped,
            "reasons": dict(self.reasons.most_common()),
            "tasks": dict(self.tasks),
            "letters": {task: dict(sorted(letters.items())) for task, letters in self.letters.items()},
            "best_constant_answer": {task: round(self.best_constant_answer(task), 4) for task in self.tasks},
        }
