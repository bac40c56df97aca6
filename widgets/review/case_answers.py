"""What people and models answer to an item in its present form, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotator.domain.actor import Actor
from annotator.domain.answer_groups import is_same
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.item import Item
from annotator.domain.response import Response
from annotator.quality.consensus import model_votes
from annotator.quality.predictions import ItemPrediction, ItemPredictions
from annotator.queries.reader import Reader
from widgets.library.predictions import PredictionEvidence
from widgets.message_text import message_text
from widgets.translation import tr


@dataclass(frozen=True, kw_only=True)
class CaseAnswer:
    """The answer of one person or one model.

    Attributes:
        who: Name of the person or the model.
        is_person: Whether a person gave it.
        answer: The answer, "" where a model gives none.
        when: ISO 8601 UTC.
        duration_s: Seconds of work, 0 for a model.
        reason: What the person objects to, or the beginning of the model's reply.
        is_present: Whether it is about the present form of the item.
        repeats: Of a model with several answers, how many are equal and how many there are; None for one.
    """

    who: str
    is_person: bool
    answer: str
    when: str = ""
    duration_s: float = 0.0
    reason: str = ""
    is_present: bool = True
    repeats: tuple[int, int] | None = None


@dataclass(frozen=True, kw_only=True)
class AnswerGroup:
    """Equal answers.

    Attributes:
        answer: The answer.
        people: Number of people who gave it.
        models: Number of models that gave it.
        is_key: Whether it is the answer key.
    """

    answer: str
    people: int
    models: int
    is_key: bool


def read_answers(
    reader: Reader, item: Item, evidence: Sequence[PredictionEvidence]
) -> tuple[CaseAnswer, ...]:
    """Return the answers of people in order of arrival, then those of models with images."""
    shown = prompt_digest(item)
    responses = list(reader.find(Response, item=item.id))
    names = {actor.id: actor.name for actor in reader.records(Actor, ids=[one.person for one in responses])}
    people = tuple(
        CaseAnswer(
            who=names.get(one.person, ""),
            is_person=True,
            answer=one.answer,
            when=reader.history.of(one.id)[-1].wall_time,
            duration_s=one.duration_s,
            reason=one.reason,
            is_present=one.shown in {"", shown},
        )
        for one in responses
    )
    return (*people, *_model_answers(item, evidence, shown=shown))


def group_answers(item: Item, given: Iterable[CaseAnswer]) -> tuple[AnswerGroup, ...]:
    """Return the different answers to the present item: those of most people first, then of most models."""
    groups: list[list[CaseAnswer]] = []
    for one in given:
        if not one.is_present or not one.answer:
            continue
        same = next((group for group in groups if is_same(group[0].answer, one.answer, item=item)), None)
        if same is None:
            groups.append([one])
        else:
            same.append(one)
    made = [
        AnswerGroup(
            answer=group[0].answer,
            people=sum(one.is_person for one in group),
            models=sum(not one.is_person for one in group),
            is_key=bool(item.answer_key) and is_same(group[0].answer, item.answer_key, item=item),
        )
        for group in groups
    ]
    return tuple(sorted(made, key=lambda group: (group.people, group.models), reverse=True))


def most_given(groups: Sequence[AnswerGroup]) -> str:
    """Return the answer against the key that most gave, "" for none; people count before models."""
    return next((group.answer for group in groups if not group.is_key), "")


def _model_answers(
    item: Item, evidence: Sequence[PredictionEvidence], *, shown: str
) -> tuple[CaseAnswer, ...]:
    """Return one answer per model, of its newest consensus run."""
    newest: dict[str, list[PredictionEvidence]] = {}
    for one in evidence:
        # Answers without images say nothing about what the images show.
        if one.run is None or one.run.kind != "consensus":
            continue
        known = newest.get(one.model)
        if known is not None and known[0].prediction.run == one.prediction.run:
            known.append(one)
        else:
            newest[one.model] = [one]
    return tuple(_model_answer(item, model, own, shown=shown) for model, own in newest.items())


def _model_answer(
    item: Item, model: str, evidence: Sequence[PredictionEvidence], *, shown: str
) -> CaseAnswer:
    predictions = tuple(
        ItemPrediction(
            model=model,
            kind=one.prediction.kind,
            order=str(one.prediction.spec.get("order", "")),
            answer=one.prediction.answer,
            is_right=one.is_right,
            reply=one.prediction.text or message_text(one.prediction.message),
        )
        for one in evidence
    )
    vote = model_votes(ItemPredictions(item=item, chance=0.0, predictions=predictions))[0]
    last, run = evidence[-1].prediction, evidence[-1].run
    is_received = run is not None and run.state == "received"
    return CaseAnswer(
        who=tr("{model} (from elsewhere)", model=model) if is_received else model,
        is_person=False,
        answer=vote.answer,
        when=last.made_at,
        reason=vote.reply or predictions[-1].reply,
        is_present=str(last.spec.get("shown", shown)) == shown,
        repeats=(vote.same, vote.given) if vote.given > 1 else None,
    )
