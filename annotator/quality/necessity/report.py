"""The result of a study of the input: gains per task and input, and the items that do not need a part."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from annotator.domain.record import ValueObject
from annotator.domain.run import Run
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.necessity.answers import InputComparison, compare_inputs
from annotator.quality.necessity.decision import MOST_FALSE, PartDecision, decide
from annotator.quality.necessity.paired import PairedGain, paired_gain
from annotator.quality.study_results import runs_of_study
from annotator.queries.reader import Reader

ALL_TASKS = ""


class TaskGain(ValueObject, frozen=True, kw_only=True):
    """The gain of a part of the input in one task.

    Attributes:
        task: Task set and task, "" for all tasks together.
        input: Title of the input without the part.
        gain: The items with the whole input against those without the part; an item is right if more than
            half of its answers are.
    """

    task: str
    input: str
    gain: PairedGain


class NecessityReport(ValueObject, frozen=True, kw_only=True):
    """What a study says about the need of the input.

    Attributes:
        runs: Ids of its runs, oldest first.
        models: Names of the models.
        gains: By input, over all tasks and then by task.
        decisions: By part of the input.
        asked: Ids of the items that were compared, by part.
    """

    runs: tuple[str, ...]
    models: tuple[str, ...]
    gains: tuple[TaskGain, ...]
    decisions: tuple[PartDecision, ...]
    asked: dict[str, tuple[str, ...]]


class StudyComparisons(ValueObject, frozen=True, kw_only=True):
    """The answers of a study, item by item, from which reports with any bound are made.

    Attributes:
        runs: Ids of its runs, oldest first.
        models: Names of the models.
        comparisons: Each item with the whole input and without a part of it; empty if no model answered both.
    """

    runs: tuple[str, ...]
    models: tuple[str, ...]
    comparisons: tuple[InputComparison, ...]


def compare_study(reader: Reader, run: Run, *, progress: Progress) -> StudyComparisons:
    """Return the comparisons of the runs that were started together with a run.

    Args:
        reader: The project.
        run: One of the runs.
        progress: Counts the answers; may cancel.

    Raises:
        Cancelled: The user stopped it.
    """
    runs = runs_of_study(reader.runs.all(), run)
    return StudyComparisons(
        runs=tuple(one.id for one in runs),
        models=tuple(dict.fromkeys(model for one in runs for model in one.models)),
        comparisons=tuple(compare_inputs(reader, runs, progress=progress)),
    )


def report_necessity(study: StudyComparisons, *, most_false: float = MOST_FALSE) -> NecessityReport:
    """Return what a study says.

    Args:
        study: The comparisons of its runs.
        most_false: Largest expected share of false flags, above 0.

    Raises:
        UserError: No item was answered both with the whole input and without a part of it.
    """
    if not study.comparisons:
        raise UserError(
            "No item has answers of one model with the whole input and without a part of it.",
            hint="Start such runs with: evaluate PROJECT --ablate PART,… Or wait until they are over.",
        )
    asked: dict[str, dict[str, None]] = defaultdict(dict)
    for comparison in study.comparisons:
        asked[comparison.part][comparison.item.id] = None
    return NecessityReport(
        runs=study.runs,
        models=study.models,
        gains=tuple(_gains(study.comparisons)),
        decisions=tuple(decide(study.comparisons, most_false=most_false)),
        asked={part: tuple(items) for part, items in asked.items()},
    )


def flagged_by_task(report: NecessityReport) -> Counter[tuple[str, str]]:
    """Return the number of flagged items by task and kind; the task "" counts all."""
    counts: Counter[tuple[str, str]] = Counter()
    for decision in report.decisions:
        for finding in decision.findings:
            counts.update([(ALL_TASKS, finding.kind), (_task_of(finding.comparisons[0]), finding.kind)])
    return counts


def _gains(comparisons: Sequence[InputComparison]) -> list[TaskGain]:
    found: dict[str, dict[str, list[tuple[bool, bool]]]] = defaultdict(lambda: defaultdict(list))
    for one in comparisons:
        for task in (ALL_TASKS, _task_of(one)):
            found[one.input][task].append((one.whole.is_right, one.without.is_right))
    return [
        TaskGain(task=task, input=title, gain=gain)
        for title, tasks in found.items()
        for task, pairs in sorted(tasks.items())
        if (gain := paired_gain(pairs)) is not None
    ]


def _task_of(comparison: InputComparison) -> str:
    return f"{comparison.item.task_set}/{comparison.item.task}"
