"""A blind probe over the whole set of a run: one job, whose answer holds a guess of each item."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import cast

import msgspec

from annotator.domain.eval_settings import item_for_model, prompt_digest
from annotator.domain.item import Item
from annotator.domain.probe_answer import PROBE_SET, ProbeAnswer, ProbeGuess
from annotator.domain.profile import ModelProfile
from annotator.domain.run import Run
from annotator.domain.task_set import Task
from annotator.domain.work import Claim, JobPlan
from annotator.errors import UserError
from annotator.jobs.job_type import BatchJobType, ParsedReply, WorkerContext
from annotator.jobs.request_key import compute_request_key, digest
from annotator.model_api import BlindProbe, BlindQuestion, CallFailed, Model, ProbeReport, ProbeScore
from annotator.progress import Progress
from annotator.quality.context import CheckContext


class ProbeJob(BatchJobType):
    """Hands all items of a run with options and a letter for a key to a probe."""

    id = ("blind",)

    def plan(self, run: Run, worker_context: WorkerContext, *, progress: Progress) -> Iterator[JobPlan]:
        """Yield nothing: the jobs of a probe are planned among those of its run, by ``plan_probe``."""
        del run, worker_context, progress
        yield from ()

    def batch_of(self, profile: ModelProfile) -> int:  # noqa: ARG002 - the same for every probe
        """One job has all items already."""
        return 1

    def material(self, claim: Claim, worker_context: WorkerContext) -> object:
        """Return the questions of a job.

        Raises:
            UserError: An item is gone, or was changed since the run was planned.
        """
        return tuple(_question(item) for item in _items_of(claim, worker_context))

    def predict(self, model: Model, materials: Sequence[object], *, progress: Progress) -> list[object]:
        """Return what a probe says of each set.

        Raises:
            CallFailed: There is too little to learn from.
            Cancelled: The worker is being stopped.
        """
        probe = cast("BlindProbe", model)
        return [
            _run_probe(probe, cast("Sequence[BlindQuestion]", material), progress=progress)
            for material in materials
        ]

    def read(self, claim: Claim, result: object, worker_context: WorkerContext) -> ParsedReply:  # noqa: ARG002 - the claim has it all
        """Return the guesses, in each item's own letters, and the report as JSON."""
        probed = cast("ProbeResult", result)
        shown: dict[str, str] = claim.spec["items"]
        letters: dict[str, str] = claim.spec["letters"]
        guesses = {
            score.item: ProbeGuess(
                letter=letters[score.item][score.chosen],
                probabilities=score.probabilities,
                shown=shown[score.item],
            )
            for score in probed.scores
            if score.item in shown
        }
        if len(guesses) < len(shown):
            return ParsedReply(
                kind="unparsed", message=f"The probe scored {len(guesses)} of {len(shown)} items."
            )
        answer = ProbeAnswer(items=guesses, report=probed.report)
        return ParsedReply(kind="answer", answer=msgspec.json.encode(answer).decode())


class ProbeResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a probe on a set of items: per item and in total."""

    scores: tuple[ProbeScore, ...]
    report: ProbeReport


PROBE = ProbeJob()


def can_be_probed(item: Item, task: Task | None) -> bool:
    """Return whether a probe can take an item of a task: an option is the key, and they have texts."""
    letters = [option.letter for option in item.options]
    is_letter = item.answer_format == "option_letter" and item.answer_key in letters
    return (
        is_letter and len(letters) > 1 and any(option.text for option in item_for_model(item, task).options)
    )


def plan_probe(items: Sequence[Item], profile: ModelProfile, *, context: CheckContext) -> JobPlan:
    """Return the one job that a probe has in a run.

    Raises:
        UserError: No item can be probed.
    """
    taken = [item for item in items if can_be_probed(item, context.task(item))]
    if not taken:
        raise UserError(
            f"{profile.name!r} accepts only items with options, and there are none.",
            hint="Remove it from this run.",
        )
    questions = msgspec.json.encode([_question(item) for item in taken])
    spec = {
        "items": {item.id: prompt_digest(item) for item in taken},
        "letters": {item.id: "".join([option.letter for option in item.options]) for item in taken},
    }
    key = compute_request_key(questions=hashlib.sha256(questions).hexdigest(), model=digest(profile.decides))
    return JobPlan(request_key=key, model=profile.name, target=PROBE_SET, spec=spec)


def _run_probe(probe: BlindProbe, questions: Sequence[BlindQuestion], *, progress: Progress) -> ProbeResult:
    try:
        scores = probe.scores(questions, progress=progress)
        report = probe.report(questions, scores, progress=progress)
    except UserError as error:
        raise CallFailed(str(error), kind="refused", is_retryable=False, was_sent=False) from error
    return ProbeResult(scores=tuple(scores), report=report)


def _items_of(claim: Claim, worker_context: WorkerContext) -> Iterator[Item]:
    context = CheckContext.of(worker_context.reader)
    for item_id, shown in claim.spec["items"].items():
        item = worker_context.reader.get(Item, item_id)
        if item is None or prompt_digest(item) != shown or not can_be_probed(item, context.task(item)):
            raise UserError(
                "An item of the set was changed since the run was planned.", hint="Start a new run."
            )
        yield item


def _question(item: Item) -> BlindQuestion:
    letters = [option.letter for option in item.options]
    return BlindQuestion(
        item=item.id,
        task=f"{item.task_set}/{item.task}",
        question=item.question,
        options=tuple(option.text for option in item.options),
        key=letters.index(item.answer_key),
    )
