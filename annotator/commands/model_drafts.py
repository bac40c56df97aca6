"""The command that stores the drafts of a model run as items."""

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
from annotator.draft.seeded_random import keyed_seed
from annotator.errors import UserError
from annotator.jobs.job_types.drafting_input import find_problems, settings_of, subject_of
from annotator.progress import Progress
from annotator.quality.context import CheckContext
from annotator.queries.reader import Reader

LONGEST_REASON = 120
"""Characters of a reason in the report; the prediction contains the full text."""
NOT_REQUESTED = {
    "failed": "the call to the model failed",
    "cancelled": "the run was cancelled",
}
STILL_OPEN = "not asked yet"
NAME_TAKEN = "the public id is taken by another item"
NOTHING = "an earlier step has no result"


@dataclass(kw_only=True)
class TaskDrafts:
    """The result of one task in a drafting run.

    Attributes:
        drafted: New items.
        unchanged: Existing items; they stay unchanged.
        attempts: Number of new items by the number of attempts that they took.
        rejected: Drafts that did not become items, by reason.
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
    """The result of a drafting run, by task."""

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
    """Store the drafts of a run that passed the checks. Existing items stay unchanged.

    Items are identified by their public id: storing a run again, or another run over the same scenes, adds
    nothing twice. Every draft is checked once more, since the project may have changed since the run.

    Attributes:
        run: Id of a drafting run.
        report: Set by ``plan``.
    """

    run: str
    report: ModelDraftReport = field(default_factory=ModelDraftReport)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("keep_model_drafts")

    @property
    def details(self) -> dict[str, Any]:
        """The run of the drafts."""
        return {"run": self.run}

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the new items in the order of the run's jobs.

        Raises:
            UserError: No run has this id, or it is not a drafting run.
            Cancelled: The user cancelled the operation.
        """
        self.report = ModelDraftReport()
        run = _drafting_run(reader, self.run)
        keeper = _DraftStore(reader, run)
        progress.begin(self.summary, total=reader.runs.progress(run.id).total)
        for job in reader.runs.jobs(run.id):
            progress.step()
            # Each step has one job per attempt, in sequence; the history of the last job leads to the attempt
            # that passed. Steps without a task only prepare other steps.
            if job.spec["task"] and job.spec["is_last"]:
                yield from self._kept(job, keeper)
        progress.end()

    def _kept(self, job: JobPrediction, keeper: _DraftStore) -> Iterator[Edit]:
        """Yield the edit that creates an item, or nothing if there is none to create."""
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
    """Creates items from predictions, and keeps the public ids in use."""

    def __init__(self, reader: Reader, run: Run) -> None:
        self._reader, self._run = reader, run
        self._settings: DraftingSettings = settings_of(run)
        self._recipe: Pipeline = pipeline_of(self._settings.task_set)
        self._context = CheckContext.of(reader)
        self._names: dict[str, Item] = {}

    def made_of(self, job: JobPrediction) -> _DraftedItem | str:
        """Return the item in a job's prediction, or the reason why there is none."""
        if job.prediction is None or job.state != "done":
            return NOT_REQUESTED.get(job.state, STILL_OPEN)
        if job.prediction.kind == "empty":
            return NOTHING
        if job.prediction.kind != "answer":
            return (*StepResult.of(job.prediction).problems, job.prediction.message)[0]
        trail = attempt_history(job.prediction.request_key, find=self._reader.runs.prediction_of)
        try:
            item = self._item(job, self._subject(job), trail)
        except UserError as error:
            return error.message
        problems = find_problems(item, self._context)
        attempt: int = trail.predictions[0].spec[ATTEMPT]
        return problems[0] if problems else _DraftedItem(item=item, attempt=attempt)

    def holder(self, item: Item) -> Item | None:
        """Return the item that has a public id, None if the id is free."""
        if item.name in self._names:
            return self._names[item.name]
        # The reader shows the project before the command, without the items created so far.
        return next(self._reader.find(Item, name=item.name), None)

    def keep(self, item: Item) -> Item:
        """Return the item with an id of its own, and reserve its public id."""
        kept = msgspec.structs.replace(item, id=new_id())
        self._names[item.name] = kept
        return kept

    @property
    def _draw_seed(self) -> str:
        return keyed_seed(self._settings.seed, project=self._reader.project.id)

    def _subject(self, job: JobPrediction) -> DraftSubject:
        return subject_of(
            self._reader,
            self._recipe,
            scene=job.spec["scene"],
            target=job.target,
            view=job.spec["view"],
            seed=self._draw_seed,
        )

    def _item(self, job: JobPrediction, subject: DraftSubject, trail: AttemptHistory) -> Item:
        tasks = self._recipe.wanted(self._settings.tasks)
        steps = {step.id: step for step in self._recipe.steps(subject, tasks=tasks)}
        step = steps.get(job.spec[STEP])
        newest = trail.predictions[0]
        if step is None:
            raise UserError("The records of this question were changed after the run was planned.")
        item = self._recipe.item(
            step,
            trail.values[step.id],
            subject=subject,
            values=trail.values,
            seed=self._draw_seed,
        )
        made = Provenance(
            made_by="llm",
            maker=f"{newest.spec['prompt']} {_model_text(newest)}".strip(),
            labels=subject.labels,
            seed=self._settings.seed,
            is_keyed=True,
            run=self._run.id,
            predictions=tuple(prediction.request_key for prediction in trail.predictions),
        )
        return msgspec.structs.replace(item, provenance=made)


def _drafting_run(reader: Reader, run_id: str) -> Run:
    run = reader.runs.get(run_id)
    if run is None:
        raise UserError("There is no such run.", hint="List them with: runs list PROJECT")
    if run.kind != "draft":
        raise UserError("This run is not a drafting run.", hint="Choose a drafting run.")
    return run


def _is_same(one: Item, two: Item) -> bool:
    return (one.task_set, one.task, one.scene, one.view) == (two.task_set, two.task, two.scene, two.view)


def _model_text(prediction: Prediction) -> str:
    words = (str(prediction.model.get(name, "")) for name in ("name", "revision"))
    return "@".join(filter(None, words))
