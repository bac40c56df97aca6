"""The blind filter: the items that models answer correctly without images under a policy, with statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from annotator.domain.eval_settings import prompt_digest
from annotator.domain.record import ValueObject
from annotator.progress import Progress
from annotator.quality.accuracy import Accuracy, accuracy_of, model_accuracy
from annotator.quality.calibrated.decisions import (
    CalibratedItem,
    CalibrationReport,
    calibration_report,
    decide_calibrated,
)
from annotator.quality.chance_level import at_least
from annotator.quality.decision_basis import DecisionBasis, decision_bases
from annotator.quality.policy import Decision, Policy
from annotator.quality.policy_decision import PolicyTrial, decide, guessing_loss, p_value, stuck_loss
from annotator.quality.predictions import ItemPrediction, ItemPredictionKind, ItemPredictions

UNREAD: frozenset[ItemPredictionKind] = frozenset({"unparsed", "empty"})


class ItemDecision(ValueObject, frozen=True, kw_only=True):
    """The decision of a policy about one item.

    Attributes:
        item_predictions: The predictions for the item.
        decision: Guessed, kept, or undecided.
        right: Number of correct answers.
        known: Number of answers whose correctness is known.
        p: Probability of at least this number of correct answers by guessing, None without a known answer.
        loss: Probability that a good item is classified as guessed, with independent guesses.
        stuck_loss: The same for models that repeat one guess in all rotations and shuffles.
        calibrated: What the calibrated policy found, None under other policies and without options as text.
    """

    item_predictions: ItemPredictions
    decision: Decision
    right: int
    known: int
    p: float | None
    loss: float
    stuck_loss: float
    calibrated: CalibratedItem | None = None


class TaskFigures(ValueObject, frozen=True, kw_only=True):
    """The decisions about the items of one task.

    Attributes:
        task_set: Id of the task set.
        task: Id of the task.
        items: Number of items with requests.
        guessed: Number of items classified as guessed.
        kept: Number of items not classified as guessed.
        undecided: Number of items with too few known answers.
        expected: Expected number of guessed items if all were good: the sum of their losses.
        right: Number of correct answers of all models.
        known: Number of known answers of all models.
        by_chance: Expected number of correct answers by guessing.
        p: Probability of at least this number of correct answers by guessing; None without a known answer.
    """

    task_set: str
    task: str
    items: int
    guessed: int
    kept: int
    undecided: int
    expected: float
    right: int
    known: int
    by_chance: float
    p: float | None


class ModelFigures(ValueObject, frozen=True, kw_only=True):
    """The results of one model in a run.

    Attributes:
        model: Name of its profile.
        asked: Number of requests.
        right: Number of correct answers.
        known: Number of answers whose correctness is known.
        by_chance: Expected number of correct answers by guessing.
        p: Probability of at least this number of correct answers by guessing.
        kinds: Number of predictions by kind.
        accuracy: Share of correct answers with its interval, None without a known answer.
    """

    model: str
    asked: int
    right: int
    known: int
    by_chance: float
    p: float | None
    kinds: dict[str, int]
    accuracy: Accuracy | None = None


class BlindReport(ValueObject, frozen=True, kw_only=True):
    """The decisions of a policy about a run.

    Attributes:
        policy: The policy as text.
        version: Version of the rules of policies.
        items: Number of items with requests.
        guessed: Number of items classified as guessed.
        kept: Number of items not classified as guessed.
        undecided: Number of items with too few known answers.
        loss: Mean probability that a good item is lost by guessing.
        stuck_loss: The same for models that repeat one guess in all rotations and shuffles.
        models: Figures per model.
        tasks: Figures per task.
        accuracy: Share of correct answers of all models with its interval, None without a known answer.
        bases: The bases of the decisions.
        calibration: What the calibrated policy states about the set, None under other policies.
    """

    policy: str
    version: int
    items: int
    guessed: int
    kept: int
    undecided: int
    loss: float
    stuck_loss: float
    models: tuple[ModelFigures, ...]
    tasks: tuple[TaskFigures, ...]
    accuracy: Accuracy | None = None
    bases: tuple[DecisionBasis, ...] = ()
    calibration: CalibrationReport | None = None


def trials_of(item_predictions: ItemPredictions, policy: Policy) -> list[PolicyTrial]:
    """Return an item's predictions as trials of a policy; without an answer the outcome is unknown."""
    return [
        PolicyTrial(model=model, is_right=is_right, chance=chance)
        for model, chance, is_right in _pattern(item_predictions, policy)
    ]


def decide_all(
    item_predictions: Iterable[ItemPredictions], policy: Policy, *, progress: Progress | None = None
) -> list[ItemDecision]:
    """Return the decisions of a policy about items, from stored predictions only.

    Raises:
        Cancelled: The user stopped it.
    """
    entries = list(item_predictions)
    active_progress = progress or Progress()
    decided = []
    # Items with equal answers get equal decisions: there are few patterns, and a decision convolves
    # distributions for its losses.
    known: dict[tuple[tuple[str, float, bool | None], ...], ItemDecision] = {}
    for entry in entries:
        active_progress.step()
        pattern = _pattern(entry, policy)
        if pattern not in known:
            known[pattern] = _decided(entry, policy)
        decided.append(msgspec.structs.replace(known[pattern], item_predictions=entry))
    return _calibrated(decided, entries, policy) if policy.kind == "calibrated" else decided


class PolicyFigures(ValueObject, frozen=True, kw_only=True):
    """The decisions that another policy would make about the items of a run.

    Attributes:
        policy: The policy as text.
        loss: Mean probability that a good item is lost by guessing.
        stuck_loss: The same for models that repeat one guess in all rotations and shuffles.
        guessed: Number of items classified as guessed.
        kept: Number of items not classified as guessed.
        undecided: Number of items with too few known answers.
    """

    policy: str
    loss: float
    stuck_loss: float
    guessed: int
    kept: int
    undecided: int


def compare_policies(
    item_predictions: Sequence[ItemPredictions],
    policies: Iterable[Policy],
    *,
    progress: Progress | None = None,
) -> list[PolicyFigures]:
    """Return the decisions of each policy, from the same stored answers.

    Raises:
        Cancelled: The user stopped it.
    """
    figures = []
    for policy in policies:
        decided = decide_all(item_predictions, policy, progress=progress)
        counts = Counter(one.decision for one in decided)
        figures.append(
            PolicyFigures(
                policy=policy.text,
                loss=_mean([one.loss for one in decided]),
                stuck_loss=_mean([one.stuck_loss for one in decided]),
                guessed=counts["guessed"],
                kept=counts["kept"],
                undecided=counts["undecided"],
            )
        )
    return figures


def report_on(decided: Sequence[ItemDecision], policy: Policy) -> BlindReport:
    """Return the figures of a run under a policy: total, per model, per task."""
    decisions = Counter(one.decision for one in decided)
    tasks: dict[tuple[str, str], list[ItemDecision]] = {}
    for one in decided:
        tasks.setdefault((one.item_predictions.item.task_set, one.item_predictions.item.task), []).append(one)
    return BlindReport(
        policy=policy.text,
        version=policy.version,
        items=len(decided),
        guessed=decisions["guessed"],
        kept=decisions["kept"],
        undecided=decisions["undecided"],
        loss=_mean([one.loss for one in decided]),
        stuck_loss=_mean([one.stuck_loss for one in decided]),
        models=_model_figures(decided),
        tasks=tuple(_task_figures(task, own) for task, own in sorted(tasks.items())),
        accuracy=accuracy_of(one.item_predictions.predictions for one in decided),
        bases=decision_bases(one.item_predictions for one in decided if one.decision != "undecided"),
        calibration=_calibration(decided, policy),
    )


def evidence_of(decided: ItemDecision, *, run: str, policy: Policy) -> dict[str, Any]:
    """Return the number of correct answers per model, as evidence of a flag (JSON)."""
    models: dict[str, dict[str, Any]] = {}
    for prediction in decided.item_predictions.predictions:
        own = models.setdefault(prediction.model, {"asked": 0, "right": 0, "answers": {}})
        own["asked"] += 1
        own["right"] += bool(prediction.is_right)
        # Counted by answer: the predictions contain the rotations, and the flag stays small.
        text = prediction.answer if prediction.kind == "answer" else prediction.kind
        own["answers"][text] = own["answers"].get(text, 0) + 1
    return {
        "run": run,
        "policy": policy.text,
        "policy_version": policy.version,
        "unread_as_miss": policy.counts_unread,
        "decision": decided.decision,
        "answer_key": decided.item_predictions.item.answer_key,
        "shown": prompt_digest(decided.item_predictions.item),
        "chance": decided.item_predictions.chance,
        "right": decided.right,
        "known": decided.known,
        "p": decided.p,
        "loss": decided.loss,
        "stuck_loss": decided.stuck_loss,
        "models": models,
        **_calibrated_evidence(decided),
    }


def _calibrated_evidence(decided: ItemDecision) -> dict[str, Any]:
    return {} if decided.calibrated is None else {"calibrated": msgspec.to_builtins(decided.calibrated)}


def _pattern(item_predictions: ItemPredictions, policy: Policy) -> tuple[tuple[str, float, bool | None], ...]:
    """Return the values of an item's predictions that determine its decision."""
    return tuple(
        [
            (prediction.model, item_predictions.chance, _is_right(prediction, policy))
            for prediction in item_predictions.predictions
        ]
    )


def _is_right(prediction: ItemPrediction, policy: Policy) -> bool | None:
    # Errors are unknown under every policy: the model did not receive the question.
    return False if policy.counts_unread and prediction.kind in UNREAD else prediction.is_right


def _decided(item_predictions: ItemPredictions, policy: Policy) -> ItemDecision:
    trials = trials_of(item_predictions, policy)
    known = [trial for trial in trials if trial.is_right is not None]
    return ItemDecision(
        item_predictions=item_predictions,
        decision=decide(policy, trials),
        right=sum(bool(trial.is_right) for trial in known),
        known=len(known),
        p=p_value(known),
        loss=guessing_loss(policy, trials),
        stuck_loss=stuck_loss(policy, trials),
    )


def _calibrated(
    decided: list[ItemDecision], entries: Sequence[ItemPredictions], policy: Policy
) -> list[ItemDecision]:
    """Return the decisions in which those of items with options as text are the calibrated policy's."""
    found = decide_calibrated(entries, alpha=policy.alpha)
    return [
        _with_calibrated(one, found[one.item_predictions.item.id])
        if one.item_predictions.item.id in found
        else one
        for one in decided
    ]


def _with_calibrated(one: ItemDecision, own: CalibratedItem) -> ItemDecision:
    # Without a known answer, no model read the item as it is now: the run says nothing about it.
    decision: Decision = "undecided" if not one.known else "guessed" if own.is_guessed else "kept"
    return msgspec.structs.replace(one, decision=decision, calibrated=own)


def _calibration(decided: Sequence[ItemDecision], policy: Policy) -> CalibrationReport | None:
    if policy.kind != "calibrated":
        return None
    undecided = {one.item_predictions.item.id for one in decided if one.decision == "undecided"}
    entries = [one.item_predictions for one in decided]
    return calibration_report(entries, alpha=policy.alpha, undecided=undecided)


def _mean(losses: Sequence[float]) -> float:
    return sum(losses) / len(losses) if losses else 0.0


def _task_figures(task: tuple[str, str], decided: Sequence[ItemDecision]) -> TaskFigures:
    decisions = Counter(one.decision for one in decided)
    pairs = [(one.item_predictions, each) for one in decided for each in one.item_predictions.predictions]
    right, known, by_chance, p = _against_chance(pairs)
    return TaskFigures(
        task_set=task[0],
        task=task[1],
        items=len(decided),
        guessed=decisions["guessed"],
        kept=decisions["kept"],
        undecided=decisions["undecided"],
        expected=sum(one.loss for one in decided),
        right=right,
        known=known,
        by_chance=by_chance,
        p=p,
    )


def _model_figures(decided: Sequence[ItemDecision]) -> tuple[ModelFigures, ...]:
    by_model: dict[str, list[tuple[ItemPredictions, ItemPrediction]]] = {}
    for one in decided:
        for prediction in one.item_predictions.predictions:
            by_model.setdefault(prediction.model, []).append((one.item_predictions, prediction))
    figures = []
    for model, own in by_model.items():
        right, known, by_chance, p = _against_chance(own)
        kinds = Counter(prediction.kind for _, prediction in own)
        figures.append(
            ModelFigures(
                model=model,
                asked=len(own),
                right=right,
                known=known,
                by_chance=by_chance,
                p=p,
                kinds={str(kind): count for kind, count in kinds.items()},
                accuracy=model_accuracy(model, [item_predictions for item_predictions, _ in own]),
            )
        )
    return tuple(figures)


def _against_chance(
    by_model: Sequence[tuple[ItemPredictions, ItemPrediction]],
) -> tuple[int, int, float, float | None]:
    known = [
        (item_predictions, prediction)
        for item_predictions, prediction in by_model
        if prediction.is_right is not None
    ]
    right = sum(bool(prediction.is_right) for _, prediction in known)
    chances = [item_predictions.chance for item_predictions, _ in known]
    # The models' tries about one item hang together (they read the same words), so that this p is too small
    # where a model was asked about an item several times; it ranks tasks and models, and decides no item.
    return right, len(known), sum(chances), at_least(chances, right) if known else None
