"""How many honeypots each person answers right: items whose answer is known, mixed among the others."""

from __future__ import annotations

from collections import Counter, defaultdict

from annotator.domain.answers import registry
from annotator.domain.assignment import Assignment
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.item import Item
from annotator.domain.record import ValueObject
from annotator.domain.response import Response
from annotator.quality.context import CheckContext, answer_context
from annotator.queries.reader import Reader


class HoneypotScore(ValueObject, frozen=True, kw_only=True):
    """The answers of a person to honeypots.

    Attributes:
        person: Id of the actor.
        honeypots: Number of honeypots that the person has.
        answered: Number of those with an answer to the present form that can be compared with the key.
        correct: Number of first answers that the answer key counts as right.
    """

    person: str
    honeypots: int
    answered: int
    correct: int


def score_honeypots(reader: Reader) -> list[HoneypotScore]:
    """Return the answers of each person with honeypots, sorted by person."""
    having: dict[str, set[str]] = defaultdict(set)
    for found in reader.find(Assignment, entity="item", is_honeypot=1):
        having[found.person].add(found.target)
    items = {item.id: item for item in reader.records(Item, ids=list(set().union(*having.values())))}
    context = CheckContext.of(reader)
    answered, correct = Counter[str](), Counter[str]()
    for item in items.values():
        for person, answer in _first_answers(reader, item).items():
            if item.id in having[person]:
                is_correct = _is_correct(answer, item, context=context)
                answered[person] += is_correct is not None
                correct[person] += bool(is_correct)
    return [
        HoneypotScore(person=person, honeypots=len(items), answered=answered[person], correct=correct[person])
        for person, items in sorted(having.items())
        if items
    ]


def _first_answers(reader: Reader, item: Item) -> dict[str, str]:
    """Return the first answer of each person to the present form of an item; the key is that of this form."""
    shown, first = prompt_digest(item), dict[str, str]()
    for response in reader.find(Response, item=item.id, shown=shown):
        first.setdefault(response.person, response.answer)
    return first


def _is_correct(answer: str, item: Item, *, context: CheckContext) -> bool | None:
    """Return whether an answer is right, None where the answer key cannot be read."""
    if not registry.is_known(item.answer_format):
        return None
    answers = registry.get(item.answer_format)
    score = answers.score(answer, item.answer_key, context=answer_context(item, context))
    return score.is_correct if score.is_key_parsed else None
