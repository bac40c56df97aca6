"""What policies make of a blind run, and what a consensus run doubts: worked out off the GUI thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.run import Run
from annotator.progress import Progress
from annotator.quality.blind import BlindReport, ItemDecision, compare_policies, decide_all, report_on
from annotator.quality.consensus import (
    FEWEST_MODELS,
    ConsensusReport,
    Disagreement,
    ModelVote,
    find_disagreements,
    model_votes,
)
from annotator.quality.consensus import report_on as report_on_doubts
from annotator.quality.policy import Policy, PolicyKind, PolicyTrial, guessing_loss, stuck_loss
from annotator.quality.predictions import ItemPredictions, collect_predictions
from annotator.session import Session


@dataclass(frozen=True, kw_only=True)
class GuessingLoss:
    """Share of good items that guessing alone would lose, 0 to 1; the truth lies between the two.

    Attributes:
        guessed_anew: Where each answer is a guess of its own.
        guessed_once: Where a model guesses once about an item and keeps to it in all rotations and shuffles.
    """

    guessed_anew: float
    guessed_once: float


@dataclass(frozen=True, kw_only=True)
class BlindOutcome:
    """What policies make of what the models said.

    Attributes:
        policy: The policy chosen.
        decided: What it makes of each item.
        report: Its figures.
        guessed: Items that each kind of policy would take out.
        losses: Share of good items that guessing alone would lose, by kind of policy.
    """

    policy: Policy
    decided: tuple[ItemDecision, ...]
    report: BlindReport
    guessed: dict[PolicyKind, int]
    losses: dict[PolicyKind, GuessingLoss]


@dataclass(frozen=True, kw_only=True)
class ConsensusOutcome:
    """What a consensus run doubts.

    Attributes:
        items: Ids of the items asked about.
        kept: Ids of those that enough models answered, without a doubt.
        unjudged: Ids of those that too few models answered, without a doubt.
        doubts: Reasons to look at items.
        report: Figures.
    """

    items: tuple[str, ...]
    kept: tuple[str, ...]
    unjudged: tuple[str, ...]
    doubts: tuple[Disagreement, ...]
    report: ConsensusReport


def collect_run_predictions(session: Session, run: Run, *, progress: Progress) -> list[ItemPredictions]:
    """Return what the models said about each item of a run.

    Raises:
        Cancelled: The user stopped it.
    """
    return collect_predictions(session.reader, run, progress=progress)


def blind_outcome(
    heard: Sequence[ItemPredictions],
    policy: Policy,
    *,
    policies: Mapping[PolicyKind, Policy],
    progress: Progress,
) -> BlindOutcome:
    """Return what policies make of what models said; nobody is asked again.

    Args:
        heard: What they said.
        policy: The policy chosen.
        policies: All, for comparison.
        progress: Told of each item and policy.

    Raises:
        Cancelled: Another policy was chosen meanwhile.
    """
    # From what was heard once: no policy asks a model again, nor reads the answers anew.
    decided = decide_all(heard, policy, progress=progress)
    figures = dict(zip(policies, compare_policies(heard, policies.values(), progress=progress), strict=True))
    return BlindOutcome(
        policy=policy,
        decided=tuple(decided),
        report=report_on(decided, policy),
        guessed={kind: found.guessed for kind, found in figures.items()},
        losses={
            kind: GuessingLoss(guessed_anew=found.loss, guessed_once=found.stuck_loss)
            for kind, found in figures.items()
        },
    )


def losses_of_design(
    policies: Mapping[PolicyKind, Policy], *, models: int, tries: int, options: int
) -> dict[PolicyKind, GuessingLoss]:
    """Return what guessing alone would lose under each policy, before anybody is asked.

    Args:
        policies: The policies, by kind.
        models: How many models are asked.
        tries: How often each is asked about an item: rotations times shuffles.
        options: How many answers an item has; chance is 1 of them.
    """
    trials = [
        PolicyTrial(model=str(model), is_right=None, chance=1.0 / options)
        for model in range(models)
        for _ in range(tries)
    ]
    return {
        kind: GuessingLoss(
            guessed_anew=guessing_loss(policy, trials), guessed_once=stuck_loss(policy, trials)
        )
        for kind, policy in policies.items()
    }


def consensus_outcome(heard: Sequence[ItemPredictions], *, agreeing: int | None) -> ConsensusOutcome:
    """Return what the models of a consensus run doubt.

    Args:
        heard: What they said.
        agreeing: So many models have to agree; None for all.
    """
    doubts = [doubt for one in heard for doubt in find_disagreements(one, agreeing=agreeing)]
    doubted = {doubt.heard.item.id for doubt in doubts}
    sound = [one for one in heard if one.item.id not in doubted]
    judged = {one.item.id for one in sound if sum(map(_has_answer, model_votes(one))) >= FEWEST_MODELS}
    return ConsensusOutcome(
        items=tuple(one.item.id for one in heard),
        kept=tuple(one.item.id for one in sound if one.item.id in judged),
        unjudged=tuple(one.item.id for one in sound if one.item.id not in judged),
        doubts=tuple(doubts),
        report=report_on_doubts(heard, doubts),
    )


def _has_answer(vote: ModelVote) -> bool:
    return bool(vote.answer)
