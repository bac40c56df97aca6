"""Computes the outcomes of blind, consensus and evaluation runs, off the GUI thread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.run import Run
from annotator.domain.study import variants_of
from annotator.progress import Progress
from annotator.quality.blind import BlindReport, ItemDecision, compare_policies, decide_all, report_on
from annotator.quality.calibrated.distribution import StatisticDistribution, distribution_of
from annotator.quality.consensus import (
    FEWEST_MODELS,
    ConsensusReport,
    Disagreement,
    find_disagreements,
    model_votes,
)
from annotator.quality.consensus import report_on as report_on_disagreements
from annotator.quality.necessity.report import (
    NecessityReport,
    StudyComparisons,
    compare_study,
    report_necessity,
)
from annotator.quality.policy import Policy, PolicyKind
from annotator.quality.policy_decision import guessing_loss, stuck_loss, trials_of_design
from annotator.quality.predictions import ItemPredictions, collect_predictions
from annotator.quality.study_results import VariantResult, runs_of_study, study_results
from annotator.session import Session


@dataclass(frozen=True, kw_only=True)
class GuessingLoss:
    """Share of valid items that guessing alone removes, 0 to 1. The true value lies between the two.

    Attributes:
        guessed_anew: Share if each prediction is an independent guess.
        guessed_once: Share if a model guesses once per item and repeats it in all rotations and shuffles.
    """

    guessed_anew: float
    guessed_once: float


@dataclass(frozen=True, kw_only=True)
class BlindOutcome:
    """Decisions of the policies about the predictions of a run.

    Attributes:
        policy: The current policy.
        decided: Decision of the policy for each item.
        report: Figures of the current policy.
        guessed: Number of items that each kind of policy removes.
        losses: Share of valid items that guessing alone removes, by kind of policy.
        distribution: Statistics of the calibrated policy, None under the others.
    """

    policy: Policy
    decided: tuple[ItemDecision, ...]
    report: BlindReport
    guessed: dict[PolicyKind, int]
    losses: dict[PolicyKind, GuessingLoss]
    distribution: StatisticDistribution | None = None


@dataclass(frozen=True, kw_only=True)
class ConsensusOutcome:
    """Disagreements of the models of a consensus run with the answer keys.

    Attributes:
        items: Ids of the requested items.
        kept: Ids of items with enough predictions and no disagreement.
        unjudged: Ids of items with too few predictions and no disagreement.
        disagreements: Disagreements, by item.
        report: Figures of the run.
    """

    items: tuple[str, ...]
    kept: tuple[str, ...]
    unjudged: tuple[str, ...]
    disagreements: tuple[Disagreement, ...]
    report: ConsensusReport


@dataclass(frozen=True, kw_only=True)
class StudyAnswers:
    """What the outcome of evaluation runs that were started together is computed from.

    Attributes:
        results: Accuracies by model and input variant.
        comparisons: Items with the whole input and without a part, None if no run takes a part away.
    """

    results: tuple[VariantResult, ...]
    comparisons: StudyComparisons | None


@dataclass(frozen=True, kw_only=True)
class EvaluationOutcome:
    """Accuracies of evaluation runs, and the items that do not need a part of their input.

    Attributes:
        results: Accuracies by model and input variant.
        report: Gains and decisions; None without items that were answered with and without a part.
        lacks_pairs: Whether runs take a part away, but no item was answered with and without it yet.
    """

    results: tuple[VariantResult, ...]
    report: NecessityReport | None
    lacks_pairs: bool = False


def collect_run_predictions(session: Session, run: Run, *, progress: Progress) -> list[ItemPredictions]:
    """Return the predictions of the models for each item of a run.

    Raises:
        Cancelled: The user cancelled the operation. Call it again to read the predictions.
    """
    return collect_predictions(session.reader, run, progress=progress)


def blind_outcome(
    item_predictions: Sequence[ItemPredictions],
    policy: Policy,
    *,
    policies: Mapping[PolicyKind, Policy],
    progress: Progress,
) -> BlindOutcome:
    """Return the decisions of the policies. No request is sent to a model.

    Args:
        item_predictions: Predictions by item.
        policy: The current policy.
        policies: All policies, for the comparison.
        progress: Updated for each item and policy.

    Raises:
        Cancelled: The operation was cancelled, for instance because the policy changed.
    """
    # All policies share the predictions that were read once.
    decided = decide_all(item_predictions, policy, progress=progress)
    figures = dict(
        zip(policies, compare_policies(item_predictions, policies.values(), progress=progress), strict=True)
    )
    return BlindOutcome(
        policy=policy,
        decided=tuple(decided),
        report=report_on(decided, policy),
        guessed={kind: found.guessed for kind, found in figures.items()},
        losses={
            kind: GuessingLoss(guessed_anew=found.loss, guessed_once=found.stuck_loss)
            for kind, found in figures.items()
        },
        distribution=distribution_of([one.calibrated for one in decided if one.calibrated is not None]),
    )


def losses_of_design(
    policies: Mapping[PolicyKind, Policy], *, models: int, attempts: int, options: int
) -> dict[PolicyKind, GuessingLoss]:
    """Return the share of valid items that each policy loses to guessing, before the run starts.

    Args:
        policies: The policies, by kind.
        models: Number of models.
        attempts: Number of requests per item and model: rotations times shuffles.
        options: Number of options of an item; the chance level is its reciprocal.
    """
    trials = trials_of_design(models=models, attempts=attempts, options=options)
    return {
        kind: GuessingLoss(
            guessed_anew=guessing_loss(policy, trials), guessed_once=stuck_loss(policy, trials)
        )
        for kind, policy in policies.items()
    }


def consensus_outcome(
    item_predictions: Sequence[ItemPredictions], *, agreeing: int | None
) -> ConsensusOutcome:
    """Return the disagreements of the models of a consensus run with the answer keys.

    Args:
        item_predictions: Predictions by item.
        agreeing: Number of models that have to agree; None for all.
    """
    disagreements = [
        disagreement
        for entry in item_predictions
        for disagreement in find_disagreements(entry, agreeing=agreeing)
    ]
    doubted = {disagreement.item_predictions.item.id for disagreement in disagreements}
    sound = [entry for entry in item_predictions if entry.item.id not in doubted]
    kept = _item_ids(filter(_is_judged, sound))
    judged = frozenset(kept)
    return ConsensusOutcome(
        items=_item_ids(item_predictions),
        kept=kept,
        unjudged=_item_ids(one for one in sound if one.item.id not in judged),
        disagreements=tuple(disagreements),
        report=report_on_disagreements(item_predictions, disagreements),
    )


def _item_ids(item_predictions: Iterable[ItemPredictions]) -> tuple[str, ...]:
    return tuple(one.item.id for one in item_predictions)


def _is_judged(one: ItemPredictions) -> bool:
    """Return whether enough models have answered an item."""
    return sum(bool(vote.answer) for vote in model_votes(one)) >= FEWEST_MODELS


def collect_study_answers(session: Session, run: Run, *, progress: Progress) -> StudyAnswers:
    """Return the answers of the runs that were started together with a run.

    Raises:
        Cancelled: The user stopped it.
    """
    reader = session.reader
    is_ablated = any(
        variant.ablates for one in runs_of_study(reader.runs.all(), run) for variant in variants_of(one)
    )
    return StudyAnswers(
        results=tuple(study_results(reader, run, progress=progress)),
        comparisons=compare_study(reader, run, progress=progress) if is_ablated else None,
    )


def evaluation_outcome(found: StudyAnswers, *, most_false: float) -> EvaluationOutcome:
    """Return the outcome of evaluation runs.

    Args:
        found: Their answers.
        most_false: Largest expected share of false flags, above 0.
    """
    study = found.comparisons
    has_pairs = study is not None and bool(study.comparisons)
    return EvaluationOutcome(
        results=found.results,
        report=report_necessity(study, most_false=most_false) if study is not None and has_pairs else None,
        lacks_pairs=study is not None and not has_pairs,
    )
