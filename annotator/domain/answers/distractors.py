"""Wrong options for multiple-choice variants of items, drawn by perturbing the answer key.

Each format says in ``perturbed`` how a value is changed and in ``are_apart`` how far. What holds for all of
them is here. A wrong option is made from an option drawn so far, not always from the right one, and all
options keep the same distance from each other. Otherwise the right option could be told without the images:
as the one that is most like the others, or as the only one at a distance. What is left of that is balanced:
options are drawn again until the right one has a rank of likeness that is drawn beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from annotator.domain.answers.base import NO_CONTEXT, AnswerContext, AnswerFormat
from annotator.domain.random_source import RandomSource

T = TypeVar("T", str, int)
V = TypeVar("V")

ATTEMPTS = 200
"""Most values drawn for each wrong option; for a box as large as its image, one in twenty is far enough."""
SETS = 12
"""Sets of options drawn at most: the right one then has the wanted rank in 97 of 100 items with 4 options."""
SPARE_NUMBERS = 4
"""Numbers after the highest of an answer key that regions can have where those of the views are unknown."""
STEPS = (10.0, 5.0, 1.0, 0.5, 0.1, 0.01)


def choice_texts(
    form: AnswerFormat[Any],
    key: str,
    *,
    wrong: int,
    random: RandomSource,
    context: AnswerContext = NO_CONTEXT,
) -> tuple[str, ...]:
    """Return the texts of the right option and of wrong ones, the right one first.

    No wrong option is right or nearly right for the answer key under the format's metric, and no two options
    are for each other; all are valid, and different as they are displayed.

    Args:
        form: Format of the answer key.
        key: A valid answer key.
        wrong: Number of wrong options; fewer are returned where there are no more.
        random: The draw.
        context: What answers can refer to.
    """
    truth = form.parse(key, context=context).value
    if truth is None:
        return ()
    rank = random.below(wrong + 1)
    for _ in range(SETS):
        options = _draw_options(form, truth, wrong=wrong, random=random, context=context)
        if len(options) <= wrong or _rank_of_first(options, form=form, random=random) == rank:
            break
    return tuple(form.option_text(option) for option in options)


def _draw_options(
    form: AnswerFormat[V], truth: V, *, wrong: int, random: RandomSource, context: AnswerContext
) -> list[V]:
    """Return the right option and the wrong ones, of which there may be fewer."""
    options = [truth]
    for _ in range(ATTEMPTS * wrong):
        if len(options) > wrong:
            break
        drawn = form.perturbed(random.choose(options), key=truth, random=random, context=context)
        if drawn is not None and _is_new(drawn, options, form=form, context=context):
            options.append(drawn)
    return options


def _rank_of_first(options: list[V], *, form: AnswerFormat[V], random: RandomSource) -> int:
    """Return how many options are more like the others than the first one; equal ones are drawn."""
    totals = [sum(form.likeness(one, other) for other in options if other is not one) for one in options]
    equal = sum(total == totals[0] for total in totals[1:])
    return sum(total > totals[0] for total in totals) + random.below(equal + 1)


def exchange_members(members: Iterable[T], *, pool: Iterable[T], random: RandomSource) -> frozenset[T]:
    """Return a set of the same size in which half of the members or more are exchanged for others of a pool.

    It is empty where the pool has too few others: the largest of the options would be the right one.
    """
    old = sorted(members)
    others = sorted(set(pool) - set(old))
    fewest, most = max(0, len(old) - len(others)), len(old) // 2
    if fewest > most:
        return frozenset()
    kept = random.sample(old, random.between(fewest, most))
    return frozenset(kept) | frozenset(random.sample(others, len(old) - len(kept)))


def region_pool(named: Iterable[int], *, views: Iterable[frozenset[int]]) -> list[int]:
    """Return the regions that a wrong answer can name.

    Args:
        named: Regions of the answer key.
        views: Regions of each view, an empty set where they are not known.

    Returns:
        Those of the views that have all named regions. Where they are not known, the numbers from 1 (or from
        the lowest named one) to four after the highest.
    """
    ids = set(named)
    known = sorted(frozenset().union(*(view for view in views if ids <= view)))
    return known or list(range(min(1, *ids), max(ids) + SPARE_NUMBERS + 1))


def step_of(number: float) -> float:
    """Return the roundest step that a number is a multiple of: options of other steps would tell it."""
    return next((step for step in STEPS if abs(number / step - round(number / step)) < 1e-6), STEPS[-1])


def _is_new(drawn: V, options: list[V], *, form: AnswerFormat[V], context: AnswerContext) -> bool:
    # The text last: most values that are drawn are too near.
    return (
        all(form.are_apart(drawn, option) for option in options)
        and not form.validate(drawn, context=context)
        and _shown(form, drawn) not in {_shown(form, option) for option in options}
    )


def _shown(form: AnswerFormat[V], value: V) -> str:
    return form.option_text(value).casefold()
