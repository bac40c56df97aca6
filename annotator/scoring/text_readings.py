"""Which answers a model reads in replies that no rule can read, and how far it agrees with people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from annotator.domain import answers
from annotator.domain.settled_text import NO_ANSWER
from annotator.model_api import ChatRequest
from annotator.quality.agreement.coefficients import Coefficient, cohens_kappa, percent_agreement
from annotator.quality.agreement.ratings import Ratings
from annotator.scoring.comparison import Comparison
from annotator.scoring.evaluation import Subject, TextReadings
from annotator.scoring.judge_prompt import read_decision, reading_request
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.settled_texts import SettledTexts

PEOPLE, MODEL = "people", "model"


class ReadingReport(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the replies that no rule can read.

    Attributes:
        texts: Distinct replies that no rule can read.
        read: Those in which the model reads an answer.
        none: Those that give no answer, as it says.
        undecided: Those about which it said something else than an answer.
        open: Those about which it was not asked, or the request failed.
        with_people: Replies that people have decided and about which the model said an answer or none.
        agreed: Share of these on which both say the same.
        kappa: Cohen's kappa of people and the model over them.
    """

    texts: int
    read: int
    none: int
    undecided: int
    open: int
    with_people: int
    agreed: Coefficient
    kappa: Coefficient


def unreadable_texts(comparison: Comparison) -> dict[Subject, str]:
    """Return the distinct replies that cannot be read strictly, each with the first model that gave it.

    Args:
        comparison: The models, scored without decisions of people.
    """
    found: dict[Subject, str] = {}
    for one in comparison.models:
        for scored in one.evaluation.scored:
            if not scored.is_readable and scored.flight is None and scored.prediction.text.strip():
                subject = scored.position, scored.prediction.text
                found.setdefault(subject, scored.prediction.model or one.model)
    return found


def reading_requests(
    subjects: Iterable[Subject], released: ReleasedItems, *, max_tokens: int
) -> dict[Subject, ChatRequest]:
    """Return the request about each reply."""
    return {
        (index, text): reading_request(text, released.items[index], max_tokens=max_tokens)
        for index, text in subjects
    }


def text_readings(
    replies: Mapping[Subject, str],
    subjects: Mapping[Subject, str],
    released: ReleasedItems,
    *,
    name: str,
    settled: SettledTexts | None,
    seed: int,
) -> tuple[TextReadings, ReadingReport]:
    """Return what the model read, and how far it agrees with people.

    Args:
        replies: The words of the model about each reply that it was asked about.
        subjects: All replies that cannot be read, with a model that gave each.
        released: The items.
        name: Name of the model with that of the prompt.
        settled: The decisions of people.
        seed: Of the intervals.
    """
    found = {one: read_decision(text, released.items[one[0]]) for one, text in replies.items()}
    decided = {one: answer for one, answer in found.items() if answer is not None}
    none = sum(answer == NO_ANSWER for answer in decided.values())
    ratings = Ratings.of(_pairs(decided, subjects, released, settled=settled))
    is_paired = set(ratings.people) == {PEOPLE, MODEL}
    nothing = Coefficient(value=None, reason="No reply was decided by people and by the model.")
    both = ratings.between(PEOPLE, MODEL) if is_paired else ratings
    report = ReadingReport(
        texts=len(subjects),
        read=len(decided) - none,
        none=none,
        undecided=len(found) - len(decided),
        open=len(subjects) - len(found),
        with_people=both.units if is_paired else 0,
        agreed=percent_agreement(both, seed=seed) if is_paired else nothing,
        kappa=cohens_kappa(both, seed=seed) if is_paired else nothing,
    )
    return TextReadings(name=name, answers=decided), report


def _pairs(
    decided: Mapping[Subject, str],
    subjects: Mapping[Subject, str],
    released: ReleasedItems,
    *,
    settled: SettledTexts | None,
) -> Iterator[tuple[Subject, str, str]]:
    """Yield the answers of people and of the model to each reply that both have decided."""
    if settled is None:
        return
    for (index, text), answer in decided.items():
        one = released.items[index]
        human = settled.answer_for(
            text,
            item=one.item.name,
            answer_format=one.item.answer_format,
            context=one.context,
            model=subjects[index, text],
        )
        if human is not None:
            yield (index, text), PEOPLE, _canonical(human, index, released)
            yield (index, text), MODEL, answer


def _canonical(answer: str, index: int, released: ReleasedItems) -> str:
    if answer == NO_ANSWER:
        return answer
    one = released.items[index]
    form = answers.get(one.item.answer_format)
    value = form.parse(answer, context=one.context).value
    return answer if value is None else form.render(value)
