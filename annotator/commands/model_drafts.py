"""The command that keeps what a model drafted in a run as items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.item import Item, Provenance
from annotator.domain.record import new_id
from annotator.domain.run import Prediction, Run
from annotator.domain.work import JobPrediction
from annotator.draft.llm.pipeline import DraftSubject, Pipeline
from annotator.draft.llm.pipelines import pipeline_of
from annotator.draft.llm.settings import DraftingSettings
from annotator.draft.llm.step_result import ATTEMPT, STEP, AttemptHistory, StepResult, attempt_history
from annotator.errors import UserError
from annotator.jobs.job_types.drafting_input import find_problems, settings_of, subject_of
from annotator.progress import Progress
from annotator.quality.context import CheckContext
from annotator.store.reader import Reader

LONGEST_REASON = 120
"""Letters of a reason in the report; the verdict has all of it."""
NOT_REQUESTED = {
    "failed": "the call to the model failed",
    "cancelled": "the run was cancelled",
}
STILL_OPEN = "not asked yet"
NAME_TAKEN = "the public id is taken by another item"
NOTHING = "an earlier step has no result"


@dataclass(kw_only=True)
class TaskDrafts:
    """What came of one task in a drafting run.

    Attributes:
        drafted: New items.
        unchanged: Items that were there already and stay as they are.
        attempts: How many attempts the new items took, by their number.
        rejected: Drafts that became no item, by the reason.
    """

    drafted: int = 0
    unchanged: int = 0
    attempts: Counter[int] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Any]:
        """Return the counts as the object that ``draft --json`` prints."""
        return {
            "drafted": self.drafted,
            "unchanged": self.unchanged,
            "rejected": self.rejected.total(),
            "attempts": {str(attempt): count for attempt, count in sorted(self.attempts.items())},
            "reasons": dict(self.rejected.most_common()),
        }


@dataclass(kw_only=True)
class ModelDraftReport:
    """What came of a drafting run, task by task."""

    tasks: dict[str, TaskDrafts] = field(default_factory=dict)

    def of(self, task: str) -> TaskDrafts:
        """Return the counts of a task."""
        return self.tasks.setdefault(task, TaskDrafts())

    @property
    def drafted(self) -> int:
        """Number of new items."""
        return sum(task.drafted for task in self.tasks.values())

    @property
    def rejected(self) -> int:
        """Number of drafts that became no item."""
        return sum(task.rejected.total() for task in self.tasks.values())

    def to_json(self) -> dict[str, Any]:
        """Return the counts as the object that ``draft --json`` prints."""
        return {
            "drafted": self.drafted,
            "unchanged": sum(task.unchanged for task in self.tasks.values()),
            "rejected": self.rejected,
            "tasks": {name: task.to_json() for name, task in self.tasks.items()},
        }


@dataclass(kw_only=True)
class StoreModelDrafts(Command):
    """Keep the drafts of a run that passed the checks; what is there already stays as it is.

    An item is known by its public id: to keep a run again, or another one over the same scenes, adds nothing
    twice. Every draft is checked once more, since the project may be another one by now.

    Attributes:
        run: Id of a drafting run.
        report: Filled while the command is done.
    """

    run: str
    report: ModelDraftReport = field(default_factory=ModelDraftReport)

    @property
    def summary(self) -> CommandSummary:
        """What it does, for the undo menu."""
        return CommandSummary.of("keep_model_drafts")

    @property
    def details(self) -> dict[str, Any]:
        """Which run they come from."""
        return {"run": self.run}

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the new items in the order of the run's jobs.

        Raises:
            UserError: There is no such run, or it drafts nothing.
            Cancelled: The user stopped it.
        """
        self.report = ModelDraftReport()
        run = _drafting_run(reader, self.run)
        keeper = _DraftStore(reader, run)
        progress.begin(self.summary, total=reader.run_progress(run.id).total)
        for job in reader.run_jobs(run.id):
            progress.step()
            # Each step has one job per attempt, one after the other; the last one's trail leads back to the
            # attempt that passed. Steps without a task only prepare others.
            if job.spec["task"] and job.spec["is_last"]:
                yield from self._kept(job, keeper)
        progress.end()

    def _kept(self, job: JobPrediction, keeper: _DraftStore) -> Iterator[Edit]:
        """Yield the making of an item, nothing where there is none to make."""
        task = self.report.of(job.spec["task"])
        found = keeper.made_of(job)
        if isinstance(found, str):
            task.rejected[found[:LONGEST_REASON]] += 1
            return
        holder = keeper.holder(found.item)
        if holder is None:
            item = keeper.keep(found.item)
            task.drafted += 1
            task.attempts[found.attempt] += 1
            yield Edit(entity="item", entity_id=item.id, field=CREATED, value=item)
        elif _is_same(holder, found.item):
            task.unchanged += 1
        else:
            task.rejected[NAME_TAKEN] += 1


@dataclass(frozen=True, kw_only=True)
class _DraftedItem:
    item: Item
    attempt: int


class _DraftStore:
    """Makes items of verdicts, and knows which public ids are taken."""

    def __init__(self, reader: Reader, run: Run) -> None:
        self._reader, self._run = reader, run
        self._settings: DraftingSettings = settings_of(run)
        self._recipe: Pipeline = pipeline_of(self._settings.task_set)
        self._context = CheckContext.of(reader)
        self._names: dict[str, Item] = {}

    def made_of(self, job: JobPrediction) -> _DraftedItem | str:
        """Return the item that a job's verdict is, or why it is none."""
        if job.verdict is None or job.state != "done":
            return NOT_REQUESTED.get(job.state, STILL_OPEN)
        if job.verdict.kind == "empty":
            return NOTHING
        if job.verdict.kind != "answer":
            return (*StepResult.of(job.verdict).problems, job.verdict.words)[0]
        trail = attempt_history(job.verdict.key, find=self._reader.prediction_of)
        try:
            item = self._item(job, self._subject(job), trail)
        except UserError as error:
            return error.message
        problems = find_problems(item, self._context)
        attempt: int = trail.verdicts[0].spec[ATTEMPT]
        return problems[0] if problems else _DraftedItem(item=item, attempt=attempt)

    def holder(self, item: Item) -> Item | None:
        """Return the item that has a public id, None where it is free."""
        if item.name in self._names:
            return self._names[item.name]
        # What this command made so far is in no reader: that sees the project as it was before.
        return next(self._reader.find(Item, name=item.name), None)

    def keep(self, item: Item) -> Item:
        """Return the item with an id of its own, its name taken from now on."""
        kept = msgspec.structs.replace(item, id=new_id())
        self._names[item.name] = kept
        return kept

    def _subject(self, job: JobPrediction) -> DraftSubject:
        return subject_of(
            self._reader,
            self._recipe,
            scene=job.spec["scene"],
            target=job.target,
            view=job.spec["view"],
            seed=self._settings.seed,
        )

    def _item(self, job: JobPrediction, subject: DraftSubject, trail: AttemptHistory) -> Item:
        tasks = self._recipe.wanted(self._settings.tasks)
        steps = {step.id: step for step in self._recipe.steps(subject, tasks=tasks)}
        step = steps.get(job.spec[STEP])
        newest = trail.verdicts[0]
        if step is None:
            raise UserError("The records of this question were changed after the run was planned.")
        item = self._recipe.item(
            step,
            trail.values[step.id],
            subject=subject,
            values=trail.values,
            seed=self._settings.seed,
        )
        made = Provenance(
            made_by="llm",
            maker=f"{newest.spec['prompt']} {_model_words(newest)}".strip(),
            labels=subject.labels,
            seed=self._settings.seed,
            run=self._run.id,
            predictions=tuple(verdict.key for verdict in trail.verdicts),
        )
        return msgspec.structs.replace(item, provenance=made)


def _drafting_run(reader: Reader, run_id: str) -> Run:
    run = reader.run(run_id)
    if run is None:
        raise UserError("There is no such run.", hint="List them with: runs list PROJECT")
    if run.kind != "draft":
        raise UserError("This run is not a drafting run.", hint="Choose a drafting run.")
    return run


def _is_same(one: Item, two: Item) -> bool:
    return (one.task_set, one.task, one.scene, one.view) == (two.task_set, two.task, two.scene, two.view)


def _model_words(verdict: Prediction) -> str:
    words = (str(verdict.model.get(name, "")) for name in ("name", "revision"))
    return "@".join(filter(None, words))
