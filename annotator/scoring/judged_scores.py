"""What models add to scores: answers in replies that no rule can read, and grades of free texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from annotator.progress import Progress
from annotator.scoring.comparison import Comparison, ScoringSettings
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.text_grades import ModelGrades
from annotator.scoring.text_readings import ReadingReport


class JudgeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which models help to score.

    Attributes:
        reader: Profile that reads texts that no rule can read, "" for none.
        judge: Profile that grades free texts, "" for none.
        limit_micro: Maximum cost of both in millionths, None for no limit.
        is_offline: Whether only kept replies are used.
    """

    reader: str = ""
    judge: str = ""
    limit_micro: int | None = None
    is_offline: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether no model helps."""
        return not (self.reader or self.judge)


class RequestFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What came of the requests to a model.

    Attributes:
        sent: Number of requests that were sent.
        cached: Number of requests with a kept reply.
        failed: Number of requests without a reply after the last attempt.
        not_sent: Number that was not sent: offline, over the limit, or after too many failures.
        cost_micro: Cost in millionths.
        maximum_micro: The part of it that is a maximum: replies without token counts, and failed requests
            that the server may have charged.
        message: The last failure, "" for none.
        worst_micro: Maximum cost of those without a kept reply, before they were sent, in millionths.
        is_price_known: Whether a price is stated, without which no cost is known.
    """

    sent: int
    cached: int
    failed: int
    not_sent: int
    cost_micro: int
    message: str
    worst_micro: int
    is_price_known: bool = True
    maximum_micro: int = 0


class ReaderFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What a model has read.

    Attributes:
        name: Name of the model with that of the prompt and its version.
        profile: Name of its profile.
        prompt: Name of the prompt and its version.
        texts: What became of the texts.
        requests: What became of the requests.
    """

    name: str
    profile: str
    prompt: str
    texts: ReadingReport
    requests: RequestFigures


class JudgeFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What a model has graded.

    Attributes:
        name: Name of the model with that of the prompt and its version.
        profile: Name of its profile.
        prompt: Name of the prompt and its version.
        models: The grades of each model.
        requests: What became of the requests.
    """

    name: str
    profile: str
    prompt: str
    models: Sequence[ModelGrades]
    requests: RequestFigures


class JudgedScores(msgspec.Struct, frozen=True, kw_only=True):
    """What models have added to a comparison.

    Attributes:
        reader: What was read, None without a reader.
        judge: What was graded, None without a judge.
    """

    reader: ReaderFigures | None = None
    judge: JudgeFigures | None = None


Compare = Callable[[ScoringSettings], Comparison]
"""Scores the predictions with some settings."""


class Judging(Protocol):
    """Scores with the help of models."""

    def __call__(
        self, compare: Compare, released: ReleasedItems, settings: ScoringSettings, *, progress: Progress
    ) -> tuple[Comparison, JudgedScores]:
        """Return the scores with what the models add.

        Raises:
            UserError: A model is unknown, cannot answer in words, or cannot be opened.
            EnvironmentFailure: The kept replies cannot be read or written.
            Cancelled: The user stopped it; replies so far are kept.
        """
