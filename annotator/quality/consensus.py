"""Consensus of models with images: agreement against the answer key, no agreement, or unstable answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeVar

from annotator.domain.answer_groups import is_same
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.item import Item
from annotator.domain.query import qualified_task
from annotator.domain.record import ValueObject
from annotator.quality.accuracy import Accuracy, accuracy_of, model_accuracy
from annotator.quality.decision_basis import DecisionBasis, decision_bases
from annotator.quality.predictions import ItemPrediction, ItemPredictions

DisagreementKind = Literal["consensus_against_key", "consensus_ambiguous", "consensus_unstable"]
"""A number of models give the same answer, which is not the answer key; all models are wrong and do not agree
on an answer; a model gives different answers for rotated options or repeated requests."""
DISAGREEMENT_KINDS: tuple[DisagreementKind, ...] = (
    "consensus_against_key",
    "consensus_ambiguous",
    "consensus_unstable",
)
FEWEST_MODELS = 2
"""Minimum number of models for a consensus."""


class ModelVote(ValueObject, frozen=True, kw_only=True):
    """The answer of one model to an item, over all rotations and samples.

    Attributes:
        model: Name of its profile.
        answer: Its most frequent answer, "" for none, or if two are equally frequent.
        is_right: Whether the answer matches the answer key, None without an answer.
        reply: Beginning of a reply with that answer.
        asked: Number of requests.
        given: Number of answers.
        same: Number of answers equal to ``answer``.
    """

    model: str
    answer: str
    is_right: bool | None
    reply: str
    asked: int
    given: int
    same: int

    @property
    def is_unstable(self) -> bool:
        """Whether its answers differ."""
        return self.same < self.given


class Disagreement(ValueObject, frozen=True, kw_only=True):
    """A reason to review an item.

    Attributes:
        item_predictions: The predictions for the item.
        kind: Kind of the disagreement.
        answer: The answer that models agree on, "" for other reasons.
        models: Names of the models concerned.
        votes: The votes of all models.
    """

    item_predictions: ItemPredictions
    kind: DisagreementKind
    answer: str
    models: tuple[str, ...]
    votes: tuple[ModelVote, ...]


class ConsensusReport(ValueObject, frozen=True, kw_only=True):
    """The figures of a consensus run.

    Attributes:
        items: Number of items with requests.
        judged: Number of items with answers of at least two models.
        confirmed: Number of items on whose answer key all answers agree.
        disagreements: Number of items by kind of disagreement.
        tasks: The same by task set and task.
        accuracy: Share of correct answers of all models with its interval, None without a known answer.
        models: The same by model, in the order of the requests.
        bases: The bases of the judgements.
    """

    items: int
    judged: int
    confirmed: int
    disagreements: dict[str, int]
    tasks: dict[str, dict[str, int]]
    accuracy: Accuracy | None = None
    models: tuple[tuple[str, Accuracy | None], ...] = ()
    bases: tuple[DecisionBasis, ...] = ()


G = TypeVar("G", ItemPrediction, ModelVote)


def model_votes(item_predictions: ItemPredictions) -> list[ModelVote]:
    """Return the vote of each model about an item."""
    by_model: dict[str, list[ItemPrediction]] = {}
    for prediction in item_predictions.predictions:
        by_model.setdefault(prediction.model, []).append(prediction)
    return [_model_vote(model, own, item=item_predictions.item) for model, own in by_model.items()]


def find_disagreements(
    item_predictions: ItemPredictions, *, agreeing: int | None = None
) -> list[Disagreement]:
    """Return the reasons to review an item; agreement is only tested if at least two models answered.

    Args:
        item_predictions: The predictions for the item.
        agreeing: Number of models that have to give the same answer, at least two; None for all models.
    """
    votes = model_votes(item_predictions)
    answered = _answered(votes)
    # Of all requested models: one that failed might have agreed with the key.
    needed = max(FEWEST_MODELS, agreeing or len(votes))
    disagreements = []
    if len(answered) >= FEWEST_MODELS:
        against = [vote for vote in answered if vote.is_right is False]
        agreed = max(_equal_groups(against, item=item_predictions.item), key=len, default=[])
        if len(agreed) >= needed:
            disagreements.append(
                _disagreement(
                    item_predictions, "consensus_against_key", agreed, votes, answer=agreed[0].answer
                )
            )
        # A model without an answer might have been correct.
        elif len(against) == len(votes) > len(agreed):
            disagreements.append(_disagreement(item_predictions, "consensus_ambiguous", against, votes))
    if unstable := [vote for vote in votes if vote.is_unstable]:
        disagreements.append(_disagreement(item_predictions, "consensus_unstable", unstable, votes))
    return disagreements


def report_on(
    item_predictions: Sequence[ItemPredictions], disagreements: Iterable[Disagreement]
) -> ConsensusReport:
    """Return the figures of a consensus run: total and per task."""
    answered = [_answered(model_votes(entry)) for entry in item_predictions]
    judged = [votes for votes in answered if len(votes) >= FEWEST_MODELS]
    tasks = _counts_by_task(item_predictions, disagreements)
    return ConsensusReport(
        items=len(item_predictions),
        judged=len(judged),
        confirmed=sum(all(vote.is_right for vote in votes) for votes in judged),
        disagreements={kind: sum(counts[kind] for counts in tasks.values()) for kind in DISAGREEMENT_KINDS},
        tasks=tasks,
        accuracy=accuracy_of(entry.predictions for entry in item_predictions),
        models=tuple((name, model_accuracy(name, item_predictions)) for name in _models(item_predictions)),
        bases=decision_bases(item_predictions),
    )


def _answered(votes: Iterable[ModelVote]) -> list[ModelVote]:
    return [vote for vote in votes if vote.answer]


def _counts_by_task(
    item_predictions: Iterable[ItemPredictions], disagreements: Iterable[Disagreement]
) -> dict[str, dict[str, int]]:
    """Return the number of items and of each kind of disagreement by task set and task."""
    tasks: dict[str, dict[str, int]] = {}
    for entry in item_predictions:
        counts = tasks.setdefault(_task_of(entry), dict.fromkeys(("items", *DISAGREEMENT_KINDS), 0))
        counts["items"] += 1
    for disagreement in disagreements:
        tasks[_task_of(disagreement.item_predictions)][disagreement.kind] += 1
    return tasks


def _task_of(entry: ItemPredictions) -> str:
    return qualified_task(entry.item.task_set, entry.item.task)


def _models(item_predictions: Sequence[ItemPredictions]) -> dict[str, None]:
    return dict.fromkeys(prediction.model for entry in item_predictions for prediction in entry.predictions)


def evidence_of(disagreement: Disagreement, *, run: str) -> dict[str, Any]:
    """Return the answers of the models, as evidence of a flag (JSON)."""
    return {
        "run": run,
        "answer_key": disagreement.item_predictions.item.answer_key,
        "shown": prompt_digest(disagreement.item_predictions.item),
        "answer": disagreement.answer,
        "about": list(disagreement.models),
        "models": {
            vote.model: {
                "answer": vote.answer,
                "is_right": vote.is_right,
                "asked": vote.asked,
                "given": vote.given,
                "same": vote.same,
                "said": vote.reply,
            }
            for vote in disagreement.votes
        },
        "answers": [
            {
                "model": prediction.model,
                "order": prediction.order,
                "answer": prediction.answer,
                "kind": prediction.kind,
            }
            for prediction in disagreement.item_predictions.predictions
        ],
    }


def _model_vote(model: str, predictions: Sequence[ItemPrediction], *, item: Item) -> ModelVote:
    given = [
        prediction
        for prediction in predictions
        if prediction.kind == "answer" and prediction.is_right is not None
    ]
    groups = _equal_groups(given, item=item)
    most = max(groups, key=len, default=[])
    # Two equally frequent answers are no answer: their order has no meaning.
    rival = any(len(group) == len(most) and most[0] not in group for group in groups)
    chosen = most[:1] if not rival else []
    return ModelVote(
        model=model,
        answer=chosen[0].answer if chosen else "",
        is_right=chosen[0].is_right if chosen else None,
        reply=most[0].reply if most else "",
        asked=len(predictions),
        given=len(given),
        same=len(most),
    )


def _equal_groups(given: Sequence[G], *, item: Item) -> list[list[G]]:
    """Return for each answer those that are equal to it; each is tried: tolerance is not transitive."""
    return [[other for other in given if is_same(one.answer, other.answer, item=item)] for one in given]


def _disagreement(
    item_predictions: ItemPredictions,
    kind: DisagreementKind,
    about: Sequence[ModelVote],
    votes: Sequence[ModelVote],
    *,
    answer: str = "",
) -> Disagreement:
    return Disagreement(
        item_predictions=item_predictions,
        kind=kind,
        answer=answer,
        models=tuple(vote.model for vote in about),
        votes=tuple(votes),
    )
