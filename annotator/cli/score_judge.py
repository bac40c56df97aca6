"""The options of ``score`` that ask a model: about texts that no rule can read, and about free texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Protocol, cast

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import model_catalog
from annotator.cli.run_execution import limit_micro
from annotator.domain.profile import SIGHTED_ADAPTERS
from annotator.domain.run import MICRO
from annotator.errors import UserError
from annotator.jobs.cached_chat import CachedChat, ChatReplies, ReplyCache
from annotator.jobs.profile_file import read_profiles
from annotator.model_api import ChatModel, ChatRequest
from annotator.progress import Progress
from annotator.scoring.comparison import Comparison, ScoringSettings
from annotator.scoring.evaluation import Subject
from annotator.scoring.judge_prompt import GRADE_PROMPT, READ_PROMPT, judge_prompt
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.text_grades import ModelGrades, grading_requests, model_grades
from annotator.scoring.text_readings import (
    ReadingReport,
    reading_requests,
    text_readings,
    unreadable_texts,
)
from annotator.user_profile import config_folder, data_folder

Verb = Callable[..., int]
NONE = "–"


class Compare(Protocol):
    """Scores the predictions with some settings."""

    def __call__(self, settings: ScoringSettings) -> Comparison:
        """Return the scores."""


class JudgeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which models help to score.

    Attributes:
        reader: Profile that reads texts that no rule can read, "" for none.
        judge: Profile that grades free texts, "" for none.
        limit_micro: Maximum cost of both in millionths, None for no limit.
        is_offline: Whether only kept replies are used.
    """

    reader: str
    judge: str
    limit_micro: int | None
    is_offline: bool


class JudgedScores(msgspec.Struct, frozen=True, kw_only=True):
    """What models have added to a comparison, for the JSON of ``score``.

    Attributes:
        reader: Name of the model and prompt, figures of the texts and of the requests; None without one.
        judge: Name of the model and prompt, the grades and figures of the requests; None without one.
    """

    reader: dict[str, Any] | None = None
    judge: dict[str, Any] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no model was asked."""
        return self.reader is None and self.judge is None


def judged_comparison(
    compare: Compare,
    released: ReleasedItems,
    settings: ScoringSettings,
    options: JudgeOptions,
    *,
    console: Console,
    progress: Progress,
) -> tuple[Comparison, JudgedScores]:
    """Return the scores with what the models of the options add.

    Raises:
        UserError: A model is unknown, cannot answer in words, or cannot be opened.
        Cancelled: The user stopped it; replies so far are kept.
    """
    judged, left_micro = JudgedScores(), options.limit_micro
    if options.reader:
        # Without decisions of people: on the texts that they have decided, the model is compared with them.
        undecided = compare(msgspec.structs.replace(settings, settled=None))
        subjects = unreadable_texts(undecided)
        asking = _Asking(options, options.reader, READ_PROMPT, console=console)
        requests = reading_requests(subjects, released, max_tokens=asking.chat.max_tokens)
        said, replies = asking.ask(requests, what="texts to read", limit=left_micro, progress=progress)
        left_micro = None if left_micro is None else max(0, left_micro - replies.cost_micro)
        readings, report = text_readings(
            said, subjects, released, name=asking.name, settled=settings.settled, seed=settings.seed
        )
        settings = msgspec.structs.replace(settings, readings=readings)
        judged = JudgedScores(reader=_reader_json(asking.name, report, replies))
    comparison = compare(settings)
    if options.judge:
        asking = _Asking(options, options.judge, GRADE_PROMPT, console=console)
        requests = grading_requests(comparison, released, max_tokens=asking.chat.max_tokens)
        said, replies = asking.ask(requests, what="free texts to grade", limit=left_micro, progress=progress)
        grades = model_grades(comparison, released, said)
        judged = msgspec.structs.replace(judged, judge=_judge_json(asking.name, grades, replies))
    return comparison, judged


class _Asking:
    """One model with one prompt."""

    def __init__(self, options: JudgeOptions, name: str, prompt: str, *, console: Console) -> None:
        profile = read_profiles(config_folder()).get(name)
        if profile is None:
            raise UserError(f"There is no model {name!r}.", hint="List all models with: models list")
        if profile.adapter not in SIGHTED_ADAPTERS:
            raise UserError(
                f"The model {name!r} cannot be asked in words.",
                hint="Choose a chat endpoint or a chat model.",
            )
        self.name = f"{name} ({profile.model or profile.path}, prompt {judge_prompt(prompt).name})"
        self._options, self._console = options, console

        def open_model(progress: Progress) -> ChatModel:
            opened = model_catalog().open(msgspec.to_builtins(profile), progress=progress)
            return cast("ChatModel", opened)

        self.chat = CachedChat(profile, cache=ReplyCache(data_folder()), open_model=open_model)

    def ask(
        self,
        requests: Mapping[Subject, ChatRequest],
        *,
        what: str,
        limit: int | None,
        progress: Progress,
    ) -> tuple[dict[Subject, str], ChatReplies]:
        """Say what the requests cost, then send them."""
        found = self.chat.estimate(requests)
        self._console.warn(
            f"{self.name}: {found.requests:,} {what}, {found.cached:,} of them answered before. "
            f"Maximum cost of the others: {found.worst_micro / MICRO:,.4f}."
        )
        said, replies = self.chat.ask(
            requests, limit_micro=limit, is_offline=self._options.is_offline, progress=progress
        )
        if replies.not_sent and not self._options.is_offline:
            self._console.warn(f"{replies.not_sent:,} requests were not sent. {replies.message}".strip())
        return said, replies


def print_judged(judged: JudgedScores, *, console: Console) -> None:
    """Print what models have added."""
    reader, judge = judged.reader, judged.judge
    if reader is not None:
        texts = reader["texts"]
        console.print(
            f"Texts that no rule can read: {texts['texts']:,}. {reader['name']} reads an answer in "
            f"{texts['read']:,} and none in {texts['none']:,}; {texts['undecided']:,} are undecided and "
            f"{texts['open']:,} open."
        )
        if texts["with_people"]:
            kappa = texts["kappa"]["value"]
            console.print(
                f"People have decided {texts['with_people']:,} of them. Agreement with the model: "
                f"{texts['agreed']['value']:.1%}, Cohen's kappa {NONE if kappa is None else f'{kappa:.3f}'}."
            )
    if judge is not None:
        console.print(f"Free texts are graded by {judge['name']}; the scores above do not contain grades.")
        rows = [
            (one["model"], task or "all tasks", f"{total['total']:,}", f"{total['graded']:,}",
             NONE if total["grade_pct"] is None else f"{total['grade_pct']:.1f}",
             f"{total['undecided']:,}", f"{total['open']:,}")
            for one in judge["models"]
            for task, total in [*one["tasks"].items(), ("", one["overall"])]
        ]  # fmt: skip
        head = ("model", "task", "free texts", "graded", "grade %", "undecided", "open")
        console.table("Grades of free texts", head=head, rows=rows)


def _reader_json(name: str, report: ReadingReport, replies: ChatReplies) -> dict[str, Any]:
    return {
        "name": name,
        "prompt": judge_prompt(READ_PROMPT).name,
        "texts": msgspec.to_builtins(report),
        "requests": _requests_json(replies),
    }


def _judge_json(name: str, grades: list[ModelGrades], replies: ChatReplies) -> dict[str, Any]:
    return {
        "name": name,
        "prompt": judge_prompt(GRADE_PROMPT).name,
        "models": msgspec.to_builtins(grades),
        "requests": _requests_json(replies),
    }


def _requests_json(replies: ChatReplies) -> dict[str, Any]:
    return {**msgspec.to_builtins(replies), "cost": replies.cost_micro / MICRO}


def judge_options(function: Verb) -> Verb:
    """Add the options of models that help to score to a command, passed as ``asked``."""

    @wraps(function)
    def with_models(
        *arguments: Any,  # noqa: ANN401 - what click hands over
        read_with: str,
        judge: str,
        limit_cost: float | None,
        offline: bool,
        **others: Any,  # noqa: ANN401 - the same
    ) -> int:
        asked = JudgeOptions(
            reader=read_with, judge=judge, limit_micro=limit_micro(limit_cost), is_offline=offline
        )
        return function(*arguments, asked=asked, **others)

    verb: Verb = with_models
    for option in reversed(_OPTIONS):
        verb = option(verb)
    return verb


_OPTIONS = (
    click.option(
        "--read-with",
        default="",
        metavar="MODEL",
        help="Let this model read texts that no rule can read and that nobody has settled.",
    ),
    click.option(
        "--judge", default="", metavar="MODEL", help="Let this model grade free texts, beside their score."
    ),
    click.option(
        "--limit-cost", type=float, metavar="X", help="Maximum cost of the requests to these models."
    ),
    click.option(
        "--offline", is_flag=True, help="Send no requests to these models; use only replies kept from before."
    ),
)
