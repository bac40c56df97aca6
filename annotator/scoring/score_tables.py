"""Adds up scores: overall, and by task, group, answer format and origin of the images."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from operator import attrgetter

import msgspec
import numpy as np

from annotator.domain import answers
from annotator.domain.task_set_files import builtin, builtin_ids
from annotator.progress import Progress
from annotator.quality.agreement.coefficients import Coefficient, mean_score
from annotator.quality.chance_level import GRADED
from annotator.scoring.released_items import ReleasedItem, ReleasedItems
from annotator.scoring.scorer import ScoredPrediction

PERCENT = 100.0
UNKNOWN = "unknown"
NO_VARIANT = "none"


class ScoreTotal(msgspec.Struct, frozen=True, kw_only=True):
    """The score of all predictions.

    Attributes:
        total: Number of predictions that it is computed over.
        score_pct: Mean score in percent, None without predictions.
        exact_pct: Share of right answers in percent, None without predictions.
    """

    total: int
    score_pct: float | None
    exact_pct: float | None


class GroupScore(ScoreTotal, frozen=True, kw_only=True):
    """The score of some predictions.

    Attributes:
        unparsed: Predictions that no answer could be read from; they score 0, except where a published script
            takes nothing for right.
    """

    unparsed: int


class ScoreInterval(msgspec.Struct, frozen=True, kw_only=True):
    """The 95 % bootstrap interval of a score, in percent; None where all predictions score the same."""

    score_low: float | None
    score_high: float | None
    exact_low: float | None
    exact_high: float | None


class FormatRate(msgspec.Struct, frozen=True, kw_only=True):
    """How many replies have the form that was asked for: an answer can be read from them strictly.

    Attributes:
        total: Number of replies.
        correct_pct: Share of them, in percent; None without replies.
        low: Lower end of the 95 % bootstrap interval, None where all replies are alike.
        high: Upper end.
    """

    total: int
    correct_pct: float | None
    low: float | None
    high: float | None


class MeasureInterval(msgspec.Struct, frozen=True, kw_only=True):
    """The 95 % bootstrap interval of a mean; None where all flights have the same value."""

    low: float | None
    high: float | None


class NavigationScore(msgspec.Struct, frozen=True, kw_only=True):
    """The measures of the flights of one task.

    Attributes:
        episodes: Number of flights that count.
        left_out: Flights that the task leaves out, by the reason why they ended.
        ne_m: Mean distance of the ends in metres.
        sr_pct: Flights that ended near the goal.
        osr_pct: Flights that came near the goal, None where the task has no such measure.
        ndtw_pct: Mean similarity to the recorded flights, over those for which it is defined.
        ndtw_episodes: Number of those.
        intervals: Of each of these measures that is defined, by the name of its attribute.
    """

    episodes: int
    left_out: int
    ne_m: float | None
    sr_pct: float | None
    osr_pct: float | None
    ndtw_pct: float | None
    ndtw_episodes: int
    intervals: Mapping[str, MeasureInterval]


class ScoreTables(msgspec.Struct, frozen=True, kw_only=True):
    """The scores in all groupings.

    Attributes:
        overall: All predictions.
        tasks: By task, ``set/task``.
        groups: By group of tasks, ``set/group``.
        formats: By answer format.
        sources: By origin of the images: ``real``, ``simulated`` or ``unknown``.
        variants: By kind of variant, ``none`` for items of their own; empty where no item is a variant.
        format_correct: Replies of the right form, whatever the mode.
        task_format_correct: The same by task.
        overall_interval: Interval of all predictions.
        task_intervals: Intervals by task.
        group_intervals: Intervals by group.
        format_intervals: Intervals by answer format.
        source_intervals: Intervals by origin of the images.
        navigation: Measures of flights by task.
    """

    overall: ScoreTotal
    tasks: Mapping[str, GroupScore]
    groups: Mapping[str, GroupScore]
    formats: Mapping[str, GroupScore]
    sources: Mapping[str, GroupScore]
    variants: Mapping[str, GroupScore]
    format_correct: FormatRate
    task_format_correct: Mapping[str, FormatRate]
    overall_interval: ScoreInterval
    task_intervals: Mapping[str, ScoreInterval]
    group_intervals: Mapping[str, ScoreInterval]
    format_intervals: Mapping[str, ScoreInterval]
    source_intervals: Mapping[str, ScoreInterval]
    variant_intervals: Mapping[str, ScoreInterval]
    navigation: Mapping[str, NavigationScore]


def score_tables(scored: Sequence[ScoredPrediction], released: ReleasedItems, *, seed: int) -> ScoreTables:
    """Return the scores in all groupings.

    Args:
        scored: The predictions; those that do not count are left out.
        released: The items.
        seed: Of the intervals.
    """
    items = released.items
    counted = [one for one in scored if one.is_counted]
    tasks = _grouped(counted, lambda one: items[one.position].task)
    groups = _grouped(counted, lambda one: task_group(items[one.position]))
    formats = _grouped(counted, lambda one: items[one.position].item.answer_format)
    sources = _grouped(counted, lambda one: items[one.position].footage or UNKNOWN)
    variants = _grouped(counted, lambda one: variant_kind(items[one.position]))
    # Where there are none, the one group would repeat the overall score.
    variants = {} if variants.keys() <= {NO_VARIANT} else variants
    flights = [one for one in scored if one.flight is not None]
    replies = _grouped(scored, lambda one: items[one.position].task)
    return ScoreTables(
        overall=_total(counted),
        tasks=_scores(tasks),
        groups=_scores(groups),
        formats=_scores(formats),
        sources=_scores(sources),
        variants=_scores(variants),
        format_correct=_format_rate(scored, seed=seed),
        task_format_correct={task: _format_rate(group, seed=seed) for task, group in replies.items()},
        overall_interval=_interval(counted, seed=seed),
        task_intervals=_intervals(tasks, seed=seed),
        group_intervals=_intervals(groups, seed=seed),
        format_intervals=_intervals(formats, seed=seed),
        source_intervals=_intervals(sources, seed=seed),
        variant_intervals=_intervals(variants, seed=seed),
        navigation={
            task: _navigation(group, seed=seed)
            for task, group in _grouped(flights, lambda one: items[one.position].task).items()
        },
    )


def random_chances(
    released: ReleasedItems, indices: Sequence[int], *, progress: Progress
) -> dict[int, tuple[float, float]]:
    """Return mean score and chance to be right of a random answer, 0 to 1, by the place of the item.

    The random answer is that of the answer format, which knows the form of the answer key. Items of formats
    without one are left out.

    Raises:
        Cancelled: The user stopped it.
    """
    chances: dict[int, tuple[float, float]] = {}
    progress.begin("Scoring random answers", total=len(indices))
    for index in indices:
        # Each: random boxes are drawn and compared for each box, which takes 60 ms.
        progress.step()
        chance = _random_score(released.items[index])
        if chance is not None:
            chances[index] = chance
    progress.end()
    return chances


def random_tables(
    released: ReleasedItems, indices: Sequence[int], *, progress: Progress
) -> tuple[ScoreTotal, dict[str, ScoreTotal]]:
    """Return what random answers to some items score, overall and by task.

    Raises:
        Cancelled: The user stopped it.
    """
    return random_totals(random_chances(released, indices, progress=progress), released)


def random_totals(
    chances: Mapping[int, tuple[float, float]], released: ReleasedItems
) -> tuple[ScoreTotal, dict[str, ScoreTotal]]:
    """Return the sums of the chances of random answers, overall and by task."""
    tasks: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for index, chance in chances.items():
        tasks[released.items[index].task].append(chance)
    return _random(list(chances.values())), {task: _random(tasks[task]) for task in sorted(tasks)}


def _random_score(released: ReleasedItem) -> tuple[float, float] | None:
    """Return mean score and chance of a random answer, None where they are not defined."""
    item = released.item
    if not answers.is_known(item.answer_format):
        return None
    form = answers.get(item.answer_format)
    baseline = form.random_baseline(item.answer_key, context=released.context)
    if baseline is None or item.answer_format not in GRADED:
        return None if baseline is None else (baseline, baseline)
    return baseline, form.guess_chance(item.answer_key, context=released.context) or 0.0


def variant_kind(released: ReleasedItem) -> str:
    """Return how an item differs from the one that it is a version of, ``none`` for an item of its own."""
    return released.item.variant.kind if released.item.variant is not None else NO_VARIANT


def task_group(released: ReleasedItem) -> str:
    """Return the group of an item's task as ``set/group``."""
    return _group_of(released.item.task_set, released.item.task)


@cache
def _group_of(task_set: str, name: str) -> str:
    task = builtin(task_set).find(name) if task_set in builtin_ids() else None
    return f"{task_set}/{task.group if task is not None else UNKNOWN}"


def _grouped(
    scored: Iterable[ScoredPrediction], name_of: Callable[[ScoredPrediction], str]
) -> dict[str, list[ScoredPrediction]]:
    groups: dict[str, list[ScoredPrediction]] = defaultdict(list)
    for one in scored:
        groups[name_of(one)].append(one)
    return {name: groups[name] for name in sorted(groups)}


def _scores(groups: Mapping[str, Sequence[ScoredPrediction]]) -> dict[str, GroupScore]:
    return {
        name: GroupScore(
            total=len(group),
            score_pct=_percent([one.score for one in group]),
            exact_pct=_percent([one.is_correct for one in group]),
            unparsed=sum(not one.is_parsed and not one.is_missing for one in group),
        )
        for name, group in groups.items()
    }


def _total(scored: Sequence[ScoredPrediction]) -> ScoreTotal:
    return ScoreTotal(
        total=len(scored),
        score_pct=_percent([one.score for one in scored]),
        exact_pct=_percent([one.is_correct for one in scored]),
    )


def _random(chances: Sequence[tuple[float, float]]) -> ScoreTotal:
    return ScoreTotal(
        total=len(chances),
        score_pct=_percent([score for score, _ in chances]),
        exact_pct=_percent([exact for _, exact in chances]),
    )


def _interval(scored: Sequence[ScoredPrediction], *, seed: int) -> ScoreInterval:
    score = mean_score(np.array([one.score for one in scored], dtype=float), seed=seed)
    exact = mean_score(np.array([one.is_correct for one in scored], dtype=float), seed=seed)
    ends = (score.low, score.high, exact.low, exact.high)
    low, high, exact_low, exact_high = (None if end is None else PERCENT * end for end in ends)
    return ScoreInterval(score_low=low, score_high=high, exact_low=exact_low, exact_high=exact_high)


def _intervals(groups: Mapping[str, Sequence[ScoredPrediction]], *, seed: int) -> dict[str, ScoreInterval]:
    return {name: _interval(group, seed=seed) for name, group in groups.items()}


def _format_rate(scored: Sequence[ScoredPrediction], *, seed: int) -> FormatRate:
    # An item without a prediction has no reply that could have the form.
    replies = [one.is_readable for one in scored if not one.is_missing]
    rate = mean_score(np.array(replies, dtype=float), seed=seed)
    value, low, high = (
        None if part is None else PERCENT * part for part in (rate.value, rate.low, rate.high)
    )
    return FormatRate(total=len(replies), correct_pct=value, low=low, high=high)


def _navigation(scored: Sequence[ScoredPrediction], *, seed: int) -> NavigationScore:
    flights = [one.flight for one in scored if one.flight is not None]
    counted = [flight for flight in flights if flight.is_counted]
    found = {
        name: _mean_of(map(attrgetter(field), counted), scale=scale, seed=seed)
        for name, field, scale in _FLIGHT_MEASURES
    }
    return NavigationScore(
        episodes=len(counted),
        left_out=len(flights) - len(counted),
        ndtw_episodes=found["ndtw_pct"].units,
        intervals={
            name: MeasureInterval(low=one.low, high=one.high) for name, one in found.items() if one.units
        },
        **{name: one.value for name, one in found.items()},
    )


_FLIGHT_MEASURES = (
    ("ne_m", "ne_m", 1.0),
    ("sr_pct", "is_success", PERCENT),
    ("osr_pct", "is_near", PERCENT),
    ("ndtw_pct", "ndtw", PERCENT),
)
"""Measures with the field of a flight that each is the mean of, and its scale."""


def _mean_of(values: Iterable[float | None], *, scale: float = 1.0, seed: int) -> Coefficient:
    """Return the mean of the values that are defined, with its interval."""
    known = [scale * value for value in values if value is not None]
    return mean_score(np.array(known, dtype=float), seed=seed)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _percent(values: Sequence[float]) -> float | None:
    mean = _mean(values)
    return None if mean is None else PERCENT * mean
