"""Scoring of many predictions in one call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from annotator.domain.answers.base import NO_CONTEXT, AnswerContext, Mode, Score
from annotator.domain.answers.registry import get
from annotator.domain.record import ValueObject

if TYPE_CHECKING:
    from annotator.progress import Progress

# A progress step costs as much as scoring a letter, so there is one per thousand.
_CHUNK = 1000


class ScoringCase(ValueObject, frozen=True, kw_only=True):
    """One prediction to score.

    Attributes:
        prediction: The unmodified reply.
        key: The item's key.
        format_id: Id of the item's answer format.
        context: What the answer may refer to.
    """

    prediction: str
    key: str
    format_id: str
    context: AnswerContext = NO_CONTEXT


def score_all(
    cases: Iterable[ScoringCase], *, mode: Mode = Mode.STRICT, progress: Progress | None = None
) -> list[Score]:
    """Score predictions in their order.

    Args:
        cases: What to score; read once.
        mode: Whose rules apply.
        progress: Is stepped once per prediction, in chunks.

    Raises:
        UserError: A case names a format that does not exist.
        Cancelled: The user asked to stop.
    """
    scores: list[Score] = []
    for case in cases:
        score = get(case.format_id).score
        scores.append(score(case.prediction, case.key, context=case.context, mode=mode))
        if progress is not None and len(scores) % _CHUNK == 0:
            progress.step(_CHUNK)
    if progress is not None:
        progress.step(len(scores) % _CHUNK)
    return scores
