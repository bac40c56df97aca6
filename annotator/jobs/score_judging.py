"""Models that help to score: they read texts that no rule can read, and grade free texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import msgspec

from annotator.domain.profile import SIGHTED_ADAPTERS, ModelProfile
from annotator.errors import UserError
from annotator.jobs.cached_chat import CachedChat, ChatEstimate, ReplyCache
from annotator.jobs.profile_file import read_profiles
from annotator.model_api import ChatModel, ChatRequest, ModelCatalog
from annotator.progress import Progress
from annotator.scoring.comparison import Comparison, ScoringSettings
from annotator.scoring.evaluation import Subject
from annotator.scoring.judge_prompt import GRADE_PROMPT, READ_PROMPT, judge_prompt
from annotator.scoring.judged_scores import (
    Compare,
    JudgedScores,
    JudgeFigures,
    JudgeOptions,
    ReaderFigures,
    RequestFigures,
)
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.text_grades import grading_requests, model_grades
from annotator.scoring.text_readings import reading_requests, text_readings, unreadable_texts


class JudgeNotes:
    """Hears what is sent; a command line prints it."""

    def estimated(self, name: str, estimate: ChatEstimate, *, what: str) -> None:
        """Requests are about to be sent."""

    def left_unsent(self, count: int, message: str) -> None:
        """Some were not sent, although they should have been."""


class ScoreJudging:
    """Scores with the help of models; an ``annotator.scoring.judged_scores.Judging``.

    Args:
        options: Which models, and at what cost.
        settings: Folder of the person's settings, with the model profiles.
        data: Folder of the kept replies.
        make_catalogue: Makes what opens models; called only if a request is sent.
        notes: Hears what is sent.
    """

    def __init__(
        self,
        options: JudgeOptions,
        *,
        settings: Path,
        data: Path,
        make_catalogue: Callable[[], ModelCatalog],
        notes: JudgeNotes | None = None,
    ) -> None:
        self._options, self._settings, self._data = options, settings, data
        self._make_catalogue, self._notes = make_catalogue, notes or JudgeNotes()
        self._left_micro = options.limit_micro

    def __call__(
        self, compare: Compare, released: ReleasedItems, settings: ScoringSettings, *, progress: Progress
    ) -> tuple[Comparison, JudgedScores]:
        """Return the scores with what the models of the options add.

        Raises:
            UserError: A model is unknown, cannot answer in words, or cannot be opened.
            EnvironmentFailure: The kept replies cannot be read or written.
            Cancelled: The user stopped it; replies so far are kept.
        """
        # One limit for both: what the reader has cost, the judge cannot spend.
        self._left_micro = self._options.limit_micro
        judged = JudgedScores()
        if self._options.reader:
            settings, read = self._read(compare, released, settings, progress=progress)
            judged = msgspec.structs.replace(judged, reader=read)
        comparison = compare(settings)
        if self._options.judge:
            graded = self._grade(comparison, released, progress=progress)
            judged = msgspec.structs.replace(judged, judge=graded)
        return comparison, judged

    def _read(
        self, compare: Compare, released: ReleasedItems, settings: ScoringSettings, *, progress: Progress
    ) -> tuple[ScoringSettings, ReaderFigures]:
        # Without decisions of people: on the texts that they have decided, the model is compared with them.
        subjects = unreadable_texts(compare(msgspec.structs.replace(settings, settled=None)))
        model = self._model(self._options.reader, READ_PROMPT)
        requests = reading_requests(subjects, released, max_tokens=model.chat.max_tokens)
        said, figures = self._ask(model, requests, what="texts to read", progress=progress)
        readings, report = text_readings(
            said, subjects, released, name=model.name, settled=settings.settled, seed=settings.seed
        )
        found = ReaderFigures(
            name=model.name, profile=self._options.reader, prompt=model.prompt, texts=report, requests=figures
        )
        return msgspec.structs.replace(settings, readings=readings), found

    def _grade(self, comparison: Comparison, released: ReleasedItems, *, progress: Progress) -> JudgeFigures:
        model = self._model(self._options.judge, GRADE_PROMPT)
        requests = grading_requests(comparison, released, max_tokens=model.chat.max_tokens)
        said, figures = self._ask(model, requests, what="free texts to grade", progress=progress)
        return JudgeFigures(
            name=model.name,
            profile=self._options.judge,
            prompt=model.prompt,
            models=model_grades(comparison, released, said),
            requests=figures,
        )

    def _model(self, name: str, prompt: str) -> _PromptedModel:
        profile = read_profiles(self._settings).get(name)
        if profile is None:
            raise UserError(
                f"There is no model {name!r}.",
                hint="Choose another model. The command 'models list' lists all.",
            )
        if profile.adapter not in SIGHTED_ADAPTERS:
            raise UserError(
                f"The model {name!r} does not answer questions in text.",
                hint="Choose a chat endpoint or a chat model.",
            )
        return _PromptedModel(profile, prompt, data=self._data, make_catalogue=self._make_catalogue)

    def _ask(
        self, model: _PromptedModel, requests: Mapping[Subject, ChatRequest], *, what: str, progress: Progress
    ) -> tuple[dict[Subject, str], RequestFigures]:
        """Say what the requests cost, then send them."""
        estimate = model.chat.estimate(requests)
        self._notes.estimated(model.name, estimate, what=what)
        said, replies = model.chat.ask(
            requests,
            limit_micro=self._left_micro,
            is_offline=self._options.is_offline,
            progress=progress,
        )
        if self._left_micro is not None:
            self._left_micro = max(0, self._left_micro - replies.cost_micro)
        # Offline nothing is sent on purpose, which is no news.
        if replies.not_sent and not self._options.is_offline:
            self._notes.left_unsent(replies.not_sent, replies.message)
        figures = RequestFigures(
            **msgspec.structs.asdict(replies),
            worst_micro=estimate.worst_micro,
            is_price_known=estimate.is_price_known,
        )
        return said, figures


class _PromptedModel:
    """One model with one prompt."""

    def __init__(
        self, profile: ModelProfile, prompt: str, *, data: Path, make_catalogue: Callable[[], ModelCatalog]
    ) -> None:
        self.prompt = judge_prompt(prompt).name
        self.name = f"{profile.name} ({profile.model or profile.path}, prompt {self.prompt})"

        def open_model(progress: Progress) -> ChatModel:
            opened = make_catalogue().open(msgspec.to_builtins(profile), progress=progress)
            return cast("ChatModel", opened)

        self.chat = CachedChat(profile, cache=ReplyCache(data), open_model=open_model)
