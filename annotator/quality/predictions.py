"""The predictions of a run for each item, collected from the project."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal

import msgspec

from annotator.domain.eval_settings import prompt_digest
from annotator.domain.item import Item
from annotator.domain.probe_answer import PROBE_SET, ProbeAnswer, ProbeGuess
from annotator.domain.record import ValueObject
from annotator.domain.run import Prediction, Run
from annotator.domain.work import JobPrediction
from annotator.errors import UserError
from annotator.model_api import ProbeReport
from annotator.progress import Progress
from annotator.quality.answer_scores import score_answer
from annotator.quality.chance_level import ChanceLevels
from annotator.quality.context import CheckContext
from annotator.queries.past_records import ReleasedRecords
from annotator.queries.reader import Reader

ItemPredictionKind = Literal["answer", "unparsed", "empty", "error", "unasked", "outdated"]
"""The kind of the prediction, or: not requested yet; requested for an earlier version of the item."""
MAX_REPLY_LENGTH = 500
"""Number of characters of a reply that are kept as evidence."""


LEAST_CHANCE = 1e-9
"""A probe's probabilities are stored as they are and may be 0."""


class ItemPrediction(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """The prediction of one model for one request about an item.

    Attributes:
        model: Name of its profile.
        kind: Kind of the prediction.
        order: The item's letters in the order in which the options were shown.
        answer: In canonical form with the item's own letters, "" for none.
        is_right: Whether it matches the answer key; None if unknown.
        reply: Beginning of the reply.
        scores: Score of each option in the order of the item, empty if the model gives none.
        method: What the scores are: a scoring method of language models, ``probe``, or ``letters``.
    """

    model: str
    kind: ItemPredictionKind
    order: str = ""
    answer: str = ""
    is_right: bool | None = None
    reply: str = ""
    scores: tuple[float, ...] = ()
    method: str = ""


class ItemPredictions(ValueObject, frozen=True, kw_only=True):
    """The predictions of a run for one item.

    Attributes:
        item: The present item.
        chance: Probability of a correct guess, 0 to 1.
        predictions: One per request, in the order of the requests.
    """

    item: Item
    chance: float
    predictions: tuple[ItemPrediction, ...]

    def of_model(self, model: str) -> list[ItemPrediction]:
        """Return the predictions of one model, by the name of its profile."""
        return [prediction for prediction in self.predictions if prediction.model == model]


def existing_run(reader: Reader, run_id: str, *, kinds: tuple[str, ...]) -> Run:
    """Return a run by its id, a prefix of its id, or ``last``.

    Raises:
        UserError: The run does not exist, the prefix is ambiguous, or the run has another kind.
    """
    runs = reader.runs.all()
    if run_id in {"", "last"}:
        # Runs come with the newest first.
        found = [run for run in runs if run.kind in kinds][:1]
    else:
        found = [run for run in runs if run.id.startswith(run_id)]
    if not found:
        raise UserError(f"Run {run_id!r} does not exist.", hint="List the runs with: runs list PROJECT")
    if len(found) > 1:
        raise UserError(
            f"{len(found)} runs have ids that start with {run_id!r}.", hint="Enter more characters of the id."
        )
    if found[0].kind not in kinds:
        raise UserError(f"The run has the type {found[0].kind}; {' or '.join(kinds)} is required.")
    return found[0]


def collect_predictions(
    reader: Reader, run: Run, *, progress: Progress, only: Collection[str] | None = None
) -> list[ItemPredictions]:
    """Return the predictions of a run for each of its items, in the order of the requests.

    Items that no longer exist are left out; predictions for an earlier version of an item are ``outdated``.

    Args:
        reader: The project.
        run: The run.
        progress: Counts the predictions and the items; may cancel.
        only: Ids of the only items, None for all.

    Raises:
        Cancelled: The user stopped it.
    """
    by_item: dict[str, list[tuple[ItemPrediction, str]]] = {}
    progress.begin("Reading answers", total=None)
    for job in reader.runs.jobs(run.id):
        progress.step()
        for target, prediction, shown in _predictions(job):
            if only is not None and target not in only:
                continue
            by_item.setdefault(target, []).append((prediction, shown))
    progress.end()
    items = {item.id: item for item in asked_items(reader, run, list(by_item))}
    # All items first: without a baseline, the chance follows from the answer keys of the whole task.
    chances = ChanceLevels(items.values(), context=CheckContext.of(reader))
    progress.begin("Judging answers", total=len(items))
    item_predictions = []
    for item in items.values():
        progress.step()
        judged = tuple(_judged(prediction, item, shown=shown) for prediction, shown in by_item[item.id])
        item_predictions.append(ItemPredictions(item=item, chance=chances.of(item), predictions=judged))
    progress.end()
    return item_predictions


def asked_items(reader: Reader, run: Run, ids: list[str]) -> Iterator[Item]:
    """Yield the items of a run: those of a release as they were released."""
    given = run.settings.get("given") or {}
    if not given.get("release"):
        yield from reader.records(Item, ids=ids)
        return
    yield from ReleasedRecords(reader, given["release"]).records(Item, ids)


def probe_reports(reader: Reader, run: Run) -> dict[str, ProbeReport]:
    """Return the reports of a run's probes about the whole set, by the names of their profiles."""
    found = {}
    for job in reader.runs.jobs(run.id):
        if job.target == PROBE_SET and job.prediction is not None and job.prediction.kind == "answer":
            found[job.model] = read_probe(job.prediction.answer).report
    return found


def read_probe(answer: str) -> ProbeAnswer:
    """Return the decoded answer of a probe's prediction."""
    return msgspec.json.decode(answer, type=ProbeAnswer)


def _predictions(job: JobPrediction) -> Iterator[tuple[str, ItemPrediction, str]]:
    if job.target == PROBE_SET:
        yield from _probed(job)
    else:
        yield job.target, _prediction(job), str(job.spec.get("shown", ""))


def _prediction(job: JobPrediction) -> ItemPrediction:
    prediction, order = job.prediction, str(job.spec.get("order", ""))
    if prediction is None:
        return ItemPrediction(model=job.model, kind="unasked", order=order)
    if prediction.kind != "answer":
        text = prediction.text or prediction.message
        return ItemPrediction(
            model=job.model, kind=prediction.kind, order=order, reply=text[:MAX_REPLY_LENGTH]
        )
    return ItemPrediction(
        model=job.model,
        kind="answer",
        order=order,
        answer=prediction.answer,
        reply=prediction.text[:MAX_REPLY_LENGTH],
        scores=prediction.scores,
        method=_method(prediction) if prediction.scores else "",
    )


def _method(prediction: Prediction) -> str:
    # Models that answer over a network give log-probabilities of letters and have no setting for it.
    return str((prediction.model.get("parameters") or {}).get("ranking", "letters"))


def _probed(job: JobPrediction) -> Iterator[tuple[str, ItemPrediction, str]]:
    prediction = job.prediction
    if prediction is None or prediction.kind != "answer":
        # An error also for an unreadable reply: a probe that failed has read no item, and a policy can count
        # an unreadable reply as wrong.
        kind: ItemPredictionKind = "unasked" if prediction is None else "error"
        for item, shown in _probe_items(job.spec):
            yield item, ItemPrediction(model=job.model, kind=kind, reply=_text(prediction)), shown
        return
    for item, guess in read_probe(prediction.answer).items.items():
        yield item, probe_prediction(job.model, guess), guess.shown


def probe_prediction(model: str, guess: ProbeGuess) -> ItemPrediction:
    """Return the guess of a text probe as a prediction that is not judged yet."""
    logs = tuple(math.log(max(chance, LEAST_CHANCE)) for chance in guess.probabilities)
    return ItemPrediction(model=model, kind="answer", answer=guess.letter, scores=logs, method="probe")


def _probe_items(spec: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(str(item), str(shown)) for item, shown in spec.get("items", {}).items()]


def _text(prediction: Prediction | None) -> str:
    return prediction.message[:MAX_REPLY_LENGTH] if prediction is not None else ""


def _judged(prediction: ItemPrediction, item: Item, *, shown: str) -> ItemPrediction:
    # Compared with the present answer key: the prompt digest does not cover it, so after a correction of the
    # key the same answers are judged again. A changed question makes them outdated.
    if shown != prompt_digest(item):
        return msgspec.structs.replace(prediction, kind="outdated", is_right=None)
    if prediction.kind != "answer":
        return prediction
    score = score_answer(prediction.answer, item)
    is_right = score.is_correct if score and score.is_key_parsed and score.is_parsed else None
    return msgspec.structs.replace(prediction, is_right=is_right)
