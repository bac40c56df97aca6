"""Estimates the probability that each answer key is wrong, and how reliable each respondent is.

A mixture model in the manner of Dawid and Skene (1979), with the answer key as a further statement about the
truth: the true answer of an item is the key with probability 1 - π, otherwise another one. A respondent gives
the true answer with a probability of his own for each level of confidence, and a wrong one else. π and these
probabilities are estimated together by expectation maximisation. Respondents that make the same mistakes
count less than independent ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from annotator.domain.record import ValueObject

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
V = TypeVar("V")
Confidence = Literal["single", "unanimous", "most", "split"]
"""One request; the same answer to all; to two thirds at least; to fewer."""

ROUNDS = 200
TOLERANCE = 1e-6
PRIOR_WRONG = (1.0, 19.0)
"""Beta prior of π: one wrong key in twenty, worth twenty items."""
PRIOR_RIGHT = (2.0, 2.0)
"""Beta prior of the share of right answers of a respondent."""
PRIOR_LEVEL = 4.0
"""Number of answers that the respondent's share is worth as the prior of each level of confidence."""
IMAGINED_PAIRS = 4.0
"""Pairs of mistakes without a common one: a few items prove no dependence."""
SIGNIFICANT = 2.0
"""Standard errors from which on common mistakes are no chance."""
# At 0 or 1 no further answer could change an estimate, and its logarithm would be infinite.
LEAST, MOST = 1e-6, 1 - 1e-6
KEY = 0
"""Number of the group of answers that are equal to the answer key."""
UNSEEN = -1
"""Number of the possible true answer that nobody has given."""


@dataclass(frozen=True, kw_only=True)
class Vote:
    """The answer of one respondent to one item, over all requests.

    Attributes:
        respondent: A model or a person.
        group: Number of the group of equal answers to which its most frequent answer belongs.
        confidence: How many of its answers are equal to it.
    """

    respondent: str
    group: int
    confidence: Confidence = "single"


@dataclass(frozen=True, kw_only=True)
class Answered:
    """The answers to one item.

    Attributes:
        item: Id of the item.
        groups: Number of groups of equal answers; the first one are answers equal to the key.
        chance: Probability that a wrong answer is a given one: 1 / 3 for four options.
        votes: One per respondent.
    """

    item: str
    groups: int
    chance: float
    votes: tuple[Vote, ...]


class Respondent(ValueObject, frozen=True, kw_only=True):
    """How reliable a model or a person is.

    Attributes:
        name: The model, or the person.
        items: Number of items answered.
        right: Estimated share of right answers, 0 to 1; a key itself may be wrong.
        weight: How much an answer counts, 0 to 1: less than 1 if others make the same mistakes.
    """

    name: str
    items: int
    right: float
    weight: float


class KeyErrorProbability(ValueObject, frozen=True, kw_only=True):
    """How probable it is that one answer key is wrong.

    Attributes:
        item: Id of the item.
        probability: Of a wrong key, 0 to 1.
        group: Number of the group whose answer is most probably right if the key is not; -1 for none of them.
    """

    item: str
    probability: float
    group: int


class KeyErrorEstimate(ValueObject, frozen=True, kw_only=True):
    """The estimate over all items.

    Attributes:
        probabilities: One per item, the most probable error first.
        share_wrong: Estimated share of wrong keys, π.
        respondents: How reliable each is.
    """

    probabilities: tuple[KeyErrorProbability, ...]
    share_wrong: float
    respondents: tuple[Respondent, ...]

    @property
    def expected(self) -> float:
        """Expected number of wrong keys among the items."""
        return sum(error.probability for error in self.probabilities)


def estimate_key_errors(answered: Sequence[Answered]) -> KeyErrorEstimate:
    """Estimate which answer keys are wrong.

    Args:
        answered: The items with at least one vote each; equal input gives equal output.
    """
    if not answered:
        return KeyErrorEstimate(probabilities=(), share_wrong=_share(PRIOR_WRONG), respondents=())
    table = _Table(answered)
    # Wrong keys and common mistakes look alike, and estimated together each explains the other away: common
    # mistakes are what is left where one key in twenty is wrong.
    usual = _fitted(table, np.ones(len(table.names)), share_wrong=_share(PRIOR_WRONG))
    weights = table.weights(usual.posterior)
    fit = _fitted(table, weights)
    return KeyErrorEstimate(
        probabilities=table.probabilities(fit.posterior),
        share_wrong=fit.wrong,
        respondents=tuple(
            Respondent(name=name, items=int(count), right=float(share), weight=float(weight))
            for name, count, share, weight in zip(
                table.names, table.counts, table.shares_right(fit.posterior), weights, strict=True
            )
        ),
    )


@dataclass(frozen=True, kw_only=True)
class _Fit:
    """A fit of the model: the probability of each possible truth, and the share of wrong keys."""

    posterior: Floats
    wrong: float


def _fitted(table: _Table, weights: Floats, *, share_wrong: float | None = None) -> _Fit:
    """Fit the model.

    Args:
        table: The answers.
        weights: How much each respondent counts.
        share_wrong: Share of wrong keys, None to estimate it.
    """
    wrong = share_wrong or _share(PRIOR_WRONG)
    posterior = table.posterior_of_keys()
    for _ in range(ROUNDS):
        right, new_wrong = table.maximised(posterior)
        new_wrong = share_wrong or new_wrong
        before, posterior = posterior, table.posterior(right, new_wrong, weights)
        moved = max(float(np.abs(posterior - before).max()), abs(new_wrong - wrong))
        wrong = new_wrong
        if moved < TOLERANCE:
            break
    return _Fit(posterior=posterior, wrong=wrong)


def _numbered(values: Sequence[V]) -> dict[V, int]:
    return {value: number for number, value in enumerate(values)}


class _Table:
    """All items as arrays: one row per vote, one per possible truth, and one cell for each pair of them."""

    def __init__(self, answered: Sequence[Answered]) -> None:
        self._answered = answered
        given = [(at, vote) for at, one in enumerate(answered) for vote in one.votes]
        self.names = sorted({vote.respondent for _, vote in given})
        number = _numbered(self.names)
        levels = sorted({(number[vote.respondent], vote.confidence) for _, vote in given})
        level = _numbered(levels)
        self._who_of_level = np.array([who for who, _ in levels], dtype=np.int64)
        # A possible truth is the key, each other group, and one that nobody has given.
        self._sizes = np.array([one.groups + 1 for one in answered], dtype=np.int64)
        self._first = np.concatenate(([0], np.cumsum(self._sizes)))[:-1]
        self._truth = np.concatenate([[*range(one.groups), UNSEEN] for one in answered]).astype(np.int64)
        self._item_of_truth = np.repeat(np.arange(len(answered)), self._sizes)
        self._chance = np.array([one.chance for one in answered])
        votes = [
            (at, number[vote.respondent], level[number[vote.respondent], vote.confidence], vote.group)
            for at, vote in given
        ]
        self._item, self._who, self._level, self._group = np.array(votes, dtype=np.int64).T
        self.counts = np.bincount(self._who, minlength=len(self.names))
        # One cell per vote and possible truth of its item.
        sizes = self._sizes[self._item]
        self._vote = np.repeat(np.arange(len(votes)), sizes)
        within = np.arange(len(self._vote)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        self._cell = self._first[self._item[self._vote]] + within
        self._is_hit = self._truth[self._cell] == self._group[self._vote]

    def posterior_of_keys(self) -> Floats:
        """Return the truth as the keys say it, where the estimate begins."""
        return np.where(self._truth == KEY, 1.0, 0.0)

    def posterior(self, right: Floats, wrong: float, weights: Floats) -> Floats:
        """Return the probability of each possible truth; they sum to 1 for each item.

        Args:
            right: Share of right answers by level of confidence.
            wrong: Share of wrong keys.
            weights: How much each respondent counts.
        """
        own = right[self._level[self._vote]]
        chance = self._chance[self._item[self._vote]]
        logs = np.log(np.where(self._is_hit, own, (1 - own) * chance)) * weights[self._who[self._vote]]
        totals = np.bincount(self._cell, weights=logs, minlength=len(self._truth)) + self._log_prior(wrong)
        # The largest is taken out first: the product of many answers would be 0.
        highest = np.maximum.reduceat(totals, self._first)
        shares = np.exp(totals - highest[self._item_of_truth])
        return np.asarray(shares / np.add.reduceat(shares, self._first)[self._item_of_truth])

    def maximised(self, posterior: Floats) -> tuple[Floats, float]:
        """Return the shares of right answers by level, and of wrong keys, that fit the truths best."""
        hits = self._hits(posterior)
        overall = self.shares_right(posterior)[self._who_of_level]
        found = np.bincount(self._level, weights=hits, minlength=len(self._who_of_level))
        counts = np.bincount(self._level, minlength=len(self._who_of_level))
        right = np.clip((found + PRIOR_LEVEL * overall) / (counts + PRIOR_LEVEL), LEAST, MOST)
        mass = float((1 - posterior[self._first]).sum())
        wrong = (mass + PRIOR_WRONG[0]) / (len(self._answered) + sum(PRIOR_WRONG))
        return np.asarray(right), float(np.clip(wrong, LEAST, 0.5))

    def shares_right(self, posterior: Floats) -> Floats:
        """Return the share of right answers of each respondent, at all levels."""
        found = np.bincount(self._who, weights=self._hits(posterior), minlength=len(self.names))
        return np.asarray(np.clip((found + PRIOR_RIGHT[0]) / (self.counts + sum(PRIOR_RIGHT)), LEAST, MOST))

    def weights(self, posterior: Floats) -> Floats:
        """Return how much each respondent counts: 1 / (1 + common mistakes with the others).

        Common mistakes of two respondents are the share of equal answers among the items on which both differ
        from a key that is right, beyond chance: 0 for independent ones, 1 for copies.
        """
        size, sound = len(self.names), posterior[self._first]
        answers = np.full((len(self._answered), size), KEY)
        answers[self._item, self._who] = self._group
        common = np.zeros((size, size))
        for one in range(size):
            for other in range(one):
                both = (answers[:, one] != KEY) & (answers[:, other] != KEY)
                mass, chance = sound[both], self._chance[both]
                same = float(mass[answers[both, one] == answers[both, other]].sum())
                expected = float((mass * chance).sum())
                spread = float(np.sqrt((mass * chance * (1 - chance)).sum()))
                if same > expected + SIGNIFICANT * spread:
                    beyond = (same - expected) / (float(mass.sum()) - expected + IMAGINED_PAIRS)
                    common[one, other] = common[other, one] = min(max(beyond, 0.0), 1.0)
        return np.asarray(1.0 / (1.0 + common.sum(axis=1)))

    def probabilities(self, posterior: Floats) -> tuple[KeyErrorProbability, ...]:
        """Return the probabilities, the most probable error first, equal ones in the order of the items."""
        found = []
        for at, one in enumerate(self._answered):
            first = int(self._first[at])
            own = posterior[first : first + int(self._sizes[at])]
            group = int(self._truth[first + int(np.argmax(own[1:])) + 1])
            found.append(KeyErrorProbability(item=one.item, probability=float(1 - own[0]), group=group))
        return tuple(sorted(found, key=lambda error: -error.probability))

    def _hits(self, posterior: Floats) -> Floats:
        """Return the probability that each vote is right."""
        cells = np.where(self._is_hit, posterior[self._cell], 0.0)
        return np.asarray(np.bincount(self._vote, weights=cells, minlength=len(self._item)), dtype=np.float64)

    def _log_prior(self, wrong: float) -> Floats:
        """Return the probability of each possible truth before anybody answers, as a logarithm."""
        chance = self._chance[self._item_of_truth]
        # 0 where every wrong option was given; its logarithm is kept finite below.
        unseen = 1 - (self._sizes[self._item_of_truth] - 2) * chance
        other = wrong * np.where(self._truth == UNSEEN, unseen, chance)
        return np.asarray(np.log(np.maximum(np.where(self._truth == KEY, 1 - wrong, other), LEAST**2)))


def _share(prior: tuple[float, float]) -> float:
    return prior[0] / sum(prior)
