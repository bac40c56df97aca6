"""The items whose answer key is probably wrong, the most probable first."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.actor import Actor
from annotator.domain.item import Item
from annotator.domain.query import qualified_task
from annotator.domain.record import ValueObject
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.key_errors.answers import collect_answers
from annotator.quality.key_errors.estimate import (
    KEY,
    Answered,
    KeyErrorEstimate,
    KeyErrorProbability,
    Respondent,
    estimate_key_errors,
)
from annotator.queries.reader import Reader

FEWEST_RESPONDENTS = 2


class KeyErrorFinding(ValueObject, frozen=True, kw_only=True):
    """One item whose key may be wrong.

    Attributes:
        item: Id of the item.
        name: Its public id.
        task: Its task as ``set/task``.
        answer_key: Its answer key.
        probability: Of a wrong key, 0 to 1.
        answer: The answer that is most probably right instead, "" for one that nobody gave.
        answers: The answer of each model and person.
    """

    item: str
    name: str
    task: str
    answer_key: str
    probability: float
    answer: str
    answers: dict[str, str]

    @property
    def text(self) -> str:
        """The finding in one sentence."""
        given = ", ".join(f"{name} {answer!r}" for name, answer in self.answers.items())
        key, percent = repr(self.answer_key), f"{100 * self.probability:.0f} %"
        return f"The answer key {key} is wrong with a probability of {percent}: {given}."


class KeyErrorReport(ValueObject, frozen=True, kw_only=True):
    """The findings, and what they rest on.

    Attributes:
        items: Number of items with answers.
        judged: Number of those with answers of two respondents at least.
        share_wrong: Estimated share of wrong keys among them.
        expected: Expected number of wrong keys.
        respondents: How reliable models and people are, and how much each counts.
        findings: The most probable errors, in order.
    """

    items: int
    judged: int
    share_wrong: float
    expected: float
    respondents: tuple[Respondent, ...]
    findings: tuple[KeyErrorFinding, ...]


def find_key_errors(
    reader: Reader,
    *,
    run_ids: Sequence[str] = (),
    limit: int | None = None,
    least: float = 0.0,
    progress: Progress,
) -> KeyErrorReport:
    """Estimate which answer keys are wrong, from the stored answers; nobody is asked.

    Args:
        reader: The project.
        run_ids: Ids of the only runs, () for all of models with images.
        limit: Number of findings, None for all.
        least: Smallest probability of a finding.
        progress: Counts what is read; may cancel.

    Raises:
        UserError: No item has answers of two models or people.
        Cancelled: The user stopped it.
    """
    answered, texts = collect_answers(reader, run_ids=run_ids, progress=progress)
    # One respondent alone who differs from the key is as probably wrong himself.
    judged = [one for one in answered if len(one.votes) >= FEWEST_RESPONDENTS]
    if not judged:
        raise UserError(
            "No item has answers of two models with images, or of people.",
            hint="Start a consensus run or an evaluation with two models at least, or let people answer.",
        )
    estimate = estimate_key_errors(judged)
    by_id = {one.item: one for one in judged}
    chosen = [error for error in estimate.probabilities if error.probability >= least][:limit]
    names = _names(reader, estimate)
    findings = [
        _finding(reader.require(Item, one.item), one, by_id[one.item], texts, names) for one in chosen
    ]
    return KeyErrorReport(
        items=len(answered),
        judged=len(judged),
        share_wrong=estimate.share_wrong,
        expected=estimate.expected,
        respondents=tuple(
            Respondent(name=names[one.name], items=one.items, right=one.right, weight=one.weight)
            for one in estimate.respondents
        ),
        findings=tuple(findings),
    )


def _names(reader: Reader, estimate: KeyErrorEstimate) -> dict[str, str]:
    people = {actor.id: actor.name for actor in reader.records(Actor)}
    return {one.name: people.get(one.name, one.name) for one in estimate.respondents}


def _finding(
    item: Item,
    error: KeyErrorProbability,
    answered: Answered,
    texts: dict[str, list[str]],
    names: dict[str, str],
) -> KeyErrorFinding:
    own = texts[item.id]
    return KeyErrorFinding(
        item=item.id,
        name=item.name,
        task=qualified_task(item.task_set, item.task),
        answer_key=item.answer_key,
        probability=error.probability,
        answer=own[error.group] if error.group > KEY else "",
        answers={names[vote.respondent]: own[vote.group] for vote in answered.votes},
    )
