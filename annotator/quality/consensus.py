"""Consensus of sighted models: the same answer against the key, no two alike, or a mind that changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from annotator.domain import answers
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.item import Item
from annotator.domain.record import ValueObject
from annotator.quality.accuracy import Accuracy, accuracy_of, model_accuracy
from annotator.quality.decision_basis import DecisionBasis, decision_bases
from annotator.quality.predictions import ItemPrediction, ItemPredictions

DisagreementKind = Literal["consensus_against_key", "consensus_ambiguous", "consensus_unstable"]
"""So many models give one and the same answer, which is not the key; every model is wrong, and they do not
agree on what is right; a model changes its mind when the options are turned or it is asked again."""
DISAGREEMENT_KINDS: tuple[DisagreementKind, ...] = (
    "consensus_against_key",
    "consensus_ambiguous",
    "consensus_unstable",
)
FEWEST_MODELS = 2
"""One model alone is no consensus."""


class ModelVote(ValueObject, frozen=True, kw_only=True):
    """The answer of one model to an item, over all rotations and samples.

    Attributes:
        model: Name of its profile.
        answer: Its most frequent answer, "" for none, or if two are equally frequent.
        is_right: Whether the answer matches the answer key, None without an answer.
        said: Beginning of a reply with that answer.
        asked: Number of requests.
        given: Number of answers.
        same: Number of answers equal to ``answer``.
    """

    model: str
    answer: str
    is_right: bool | None
    said: str
    asked: int
    given: int
    same: int

    @property
    def is_unstable(self) -> bool:
        """Whether it changes its mind."""
        return self.same < self.given


class Disagreement(ValueObject, frozen=True, kw_only=True):
    """A reason to look at an item.

    Attributes:
        heard: What the models said.
        kind: Why.
        answer: The answer that models agree on, "" for other reasons.
        models: Names of those that it is about.
        voices: All models.
    """

    heard: ItemPredictions
    kind: DisagreementKind
    answer: str
    models: tuple[str, ...]
    voices: tuple[ModelVote, ...]


class ConsensusReport(ValueObject, frozen=True, kw_only=True):
    """What the models of a run agree on.

    Attributes:
        items: Items asked about.
        judged: Items of which at least two models gave an answer.
        confirmed: Items on whose key all that answered agree.
        doubts: Number of items by suspicion.
        tasks: The same by task set and task.
        accuracy: Share of right answers of all models with its interval, None without a known answer.
        models: The same by model, in the order in which they were asked.
        bases: What the judgements rest on.
    """

    items: int
    judged: int
    confirmed: int
    doubts: dict[str, int]
    tasks: dict[str, dict[str, int]]
    accuracy: Accuracy | None = None
    models: tuple[tuple[str, Accuracy | None], ...] = ()
    bases: tuple[DecisionBasis, ...] = ()


def is_same(one: str, other: str, *, item: Item) -> bool:
    """Tell whether two canonical answers are the same: equal, or within the format's tolerance either way."""
    if one == other:
        return True
    form, context = answers.get(item.answer_format), answers.AnswerContext(options=item.options)
    return (
        # Both ways round: a score takes its second text for the key, and boxes are measured by its diagonal.
        form.score(one, other, context=context).is_correct
        and form.score(other, one, context=context).is_correct
    )


def model_votes(heard: ItemPredictions) -> list[ModelVote]:
    """Return what each model says about an item."""
    spoken: dict[str, list[ItemPrediction]] = {}
    for hearing in heard.hearings:
        spoken.setdefault(hearing.model, []).append(hearing)
    return [_model_vote(model, own, item=heard.item) for model, own in spoken.items()]


def find_disagreements(heard: ItemPredictions, *, agreeing: int | None = None) -> list[Disagreement]:
    """Return the reasons to review an item; agreement is only tested if at least two models answered.

    Args:
        heard: The models' predictions.
        agreeing: Number of models that have to give the same answer, at least two; None for all models.
    """
    voices = model_votes(heard)
    answered = [voice for voice in voices if voice.answer]
    # Of all that were asked: one that failed might have agreed with the key.
    needed = max(FEWEST_MODELS, agreeing or len(voices))
    doubts = []
    if len(answered) >= FEWEST_MODELS:
        against = [voice for voice in answered if voice.is_right is False]
        agreed = _largest_group(against, item=heard.item)
        if len(agreed) >= needed:
            doubts.append(
                _disagreement(heard, "consensus_against_key", agreed, voices, answer=agreed[0].answer)
            )
        # One that gave no answer might have been the one that is right.
        elif len(against) == len(voices) > len(agreed):
            doubts.append(_disagreement(heard, "consensus_ambiguous", against, voices))
    if unstable := [voice for voice in voices if voice.is_unstable]:
        doubts.append(_disagreement(heard, "consensus_unstable", unstable, voices))
    return doubts


def report_on(heard: Sequence[ItemPredictions], doubts: Iterable[Disagreement]) -> ConsensusReport:
    """Return the figures of a consensus run: in all and per task."""
    answered = [[voice for voice in model_votes(one) if voice.answer] for one in heard]
    judged = [voices for voices in answered if len(voices) >= FEWEST_MODELS]
    tasks: dict[str, dict[str, int]] = {}
    for one in heard:
        counts = tasks.setdefault(
            f"{one.item.task_set}/{one.item.task}", dict.fromkeys(("items", *DISAGREEMENT_KINDS), 0)
        )
        counts["items"] += 1
    total = dict.fromkeys(DISAGREEMENT_KINDS, 0)
    for doubt in doubts:
        total[doubt.kind] += 1
        tasks[f"{doubt.heard.item.task_set}/{doubt.heard.item.task}"][doubt.kind] += 1
    return ConsensusReport(
        items=len(heard),
        judged=len(judged),
        confirmed=sum(all(voice.is_right for voice in voices) for voices in judged),
        doubts={str(kind): count for kind, count in total.items()},
        tasks=tasks,
        accuracy=accuracy_of(one.hearings for one in heard),
        models=tuple((name, model_accuracy(name, heard)) for name in _models(heard)),
        bases=decision_bases(heard),
    )


def _models(heard: Sequence[ItemPredictions]) -> dict[str, None]:
    return dict.fromkeys(hearing.model for one in heard for hearing in one.hearings)


def evidence_of(doubt: Disagreement, *, run: str) -> dict[str, Any]:
    """Return the models' answers and reasons, for a flag (JSON)."""
    return {
        "run": run,
        "answer_key": doubt.heard.item.answer_key,
        "shown": prompt_digest(doubt.heard.item),
        "answer": doubt.answer,
        "about": list(doubt.models),
        "models": {
            voice.model: {
                "answer": voice.answer,
                "is_right": voice.is_right,
                "asked": voice.asked,
                "given": voice.given,
                "same": voice.same,
                "said": voice.said,
            }
            for voice in doubt.voices
        },
        "answers": [
            {"model": one.model, "order": one.order, "answer": one.answer, "kind": one.kind}
            for one in doubt.heard.hearings
        ],
    }


def _model_vote(model: str, hearings: Sequence[ItemPrediction], *, item: Item) -> ModelVote:
    given = [hearing for hearing in hearings if hearing.kind == "answer" and hearing.is_right is not None]
    groups = [[other for other in given if is_same(one.answer, other.answer, item=item)] for one in given]
    most = max(groups, key=len, default=[])
    # Half one answer and half another is no answer: which of them came first says nothing.
    rival = any(len(group) == len(most) and most[0] not in group for group in groups)
    chosen = most[:1] if not rival else []
    return ModelVote(
        model=model,
        answer=chosen[0].answer if chosen else "",
        is_right=chosen[0].is_right if chosen else None,
        said=most[0].said if most else "",
        asked=len(hearings),
        given=len(given),
        same=len(most),
    )


def _largest_group(voices: Sequence[ModelVote], *, item: Item) -> list[ModelVote]:
    """Return the voices that say the same as one of them; nearness is no equality, so each is tried."""
    groups = ([other for other in voices if is_same(one.answer, other.answer, item=item)] for one in voices)
    return max(groups, key=len, default=[])


def _disagreement(
    heard: ItemPredictions,
    kind: DisagreementKind,
    about: Sequence[ModelVote],
    voices: Sequence[ModelVote],
    *,
    answer: str = "",
) -> Disagreement:
    return Disagreement(
        heard=heard,
        kind=kind,
        answer=answer,
        models=tuple(voice.model for voice in about),
        voices=tuple(voices),
    )
