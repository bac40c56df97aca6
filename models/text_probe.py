"""A text probe: learns from part of a set which words reveal answer keys, and guesses the rest.

Idea: train a model without images on the set's own text; a set that it can solve is biased. It finds patterns
that single guesses of a language model cannot show: a preferred position of the answer key, a length, a word
that is always right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np

from annotator.domain.profile import ModelProfile
from annotator.errors import UserError
from annotator.model_api import BlindQuestion, ModelIdentity, ProbeAccuracy, ProbeCue, ProbeReport, ProbeScore
from annotator.progress import Progress
from models.chance_level import exact_interval, p_value
from models.conditional_logit import log_probabilities, option_scores, train
from models.probe_features import Features, encode, names_of
from models.profile_options import options_of
from models.question_folds import folds_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSION = "1"
"""Version; changed whenever the same set would get other guesses."""
FOLDS = 5
PENALTY = 3.0
STEPS = 40
"""At most: descent mostly ends sooner by itself, where no choice changes any more
(``conditional_logit.ENOUGH``)."""
GIVEAWAYS = 12
ANY_TASK = ""


class TextProbe:
    """A cross-validated classifier of options by their words alone.

    Args:
        name: Displayed name.
        folds: Parts of the set; each is guessed after training on the others.
        seed: Of the parts and of ties.
        penalty: L2 penalty of weights; larger values fit the set less closely.
    """

    def __init__(
        self, *, name: str = "Text probe", folds: int = FOLDS, seed: int = 0, penalty: float = PENALTY
    ) -> None:
        self._name, self._folds, self._seed, self._penalty = name, folds, seed, penalty

    @property
    def identity(self) -> ModelIdentity:
        """The probe with all settings that affect its guesses."""
        settings = {"folds": self._folds, "seed": self._seed, "penalty": self._penalty, "steps": STEPS}
        return ModelIdentity(name=self._name, kind="probe", revision=VERSION, parameters=settings)

    def scores(self, questions: Sequence[BlindQuestion], *, progress: Progress) -> list[ProbeScore]:
        """Return a guess for each question by what was learnt from the other parts, in their order.

        Raises:
            UserError: There are too few questions to train and guess, or one has no answer key.
            Cancelled: The user cancelled the operation.
        """
        _require_sound(questions)
        parts = folds_of(questions, folds=self._folds, seed=self._seed)
        features = encode(questions, progress=progress)
        folds = int(parts.max()) + 1
        progress.begin("Training the text probe", total=folds * STEPS)
        guessed = np.zeros(len(features.row_items))
        for fold in range(folds):
            weights = self._train(features, trained_on=parts != fold, progress=progress)
            logs = log_probabilities(features, scores=option_scores(features, weights=weights))
            guessed = np.where(parts[features.row_items] == fold, logs, guessed)
        progress.end()
        return self._report(questions, features=features, guessed=guessed)

    def report(
        self, questions: Sequence[BlindQuestion], scores: Sequence[ProbeScore], *, progress: Progress
    ) -> ProbeReport:
        """Report accuracy and chance, by task and in total, and the words that reveal answer keys.

        Args:
            questions: That were guessed.
            scores: What ``scores`` returned for them.
            progress: Counts steps of training.

        Raises:
            Cancelled: The user cancelled the operation.
        """
        by_task: dict[str, list[tuple[BlindQuestion, ProbeScore]]] = defaultdict(list)
        pairs = list(zip(questions, scores, strict=True))
        for question, score in pairs:
            by_task[question.task].append((question, score))
        return ProbeReport(
            whole=accuracy_of(ANY_TASK, pairs),
            tasks=tuple(accuracy_of(task, found) for task, found in sorted(by_task.items())),
            giveaways=self._giveaways(questions, progress=progress),
        )

    def close(self) -> None:
        """Do nothing: weights exist only during a call."""

    def _train(
        self, features: Features, *, trained_on: NDArray[np.bool_], progress: Progress
    ) -> NDArray[np.float64]:
        return train(
            features, trained_on=trained_on, penalty=self._penalty, most_steps=STEPS, on_step=progress.step
        )

    def _report(
        self, questions: Sequence[BlindQuestion], *, features: Features, guessed: NDArray[np.float64]
    ) -> list[ProbeScore]:
        # Ties are broken at random: choosing the first would be a guess at the position of the answer key.
        ties = np.random.default_rng(self._seed).random(len(guessed)) * 1e-9
        parts = np.split(guessed, features.item_starts[1:])
        return [
            ProbeScore(
                item=question.item,
                chosen=int(np.argmax(own + tie)),
                probabilities=tuple(np.exp(own).tolist()),
            )
            for question, own, tie in zip(
                questions, parts, np.split(ties, features.item_starts[1:]), strict=True
            )
        ]

    def _giveaways(self, questions: Sequence[BlindQuestion], *, progress: Progress) -> tuple[ProbeCue, ...]:
        features = encode(questions, progress=progress)
        progress.begin("Finding giveaways of the answer key", total=STEPS)
        weights = self._train(features, trained_on=np.ones(len(questions), dtype=np.bool_), progress=progress)
        progress.end()
        # The effect of a feature on the whole set is its weight times its imbalance between answer keys and
        # others.
        entry_rows = np.repeat(
            np.arange(len(features.row_items)), np.diff(features.row_starts, append=len(features.columns))
        )
        fair = 1.0 / np.diff(features.item_starts, append=len(features.row_items))
        surplus = -fair[features.row_items]
        surplus[features.keys] += 1.0
        pull = np.bincount(
            features.columns, weights=features.values * surplus[entry_rows], minlength=len(weights)
        )
        strength = weights * pull / len(questions)
        best = [at for at in np.argsort(-strength, kind="stable")[:GIVEAWAYS].tolist() if strength[at] > 0]
        is_by_task = len({question.task for question in questions}) > 1
        buckets = {at: int(features.buckets[at]) for at in best}
        names = names_of(questions, buckets=set(buckets.values()), is_by_task=is_by_task)
        return tuple(
            ProbeCue(
                task=names[buckets[at]][0],
                text=names[buckets[at]][1],
                weight=float(weights[at]),
                strength=float(strength[at]),
            )
            for at in best
        )


class ProbeOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the options of a profile may say.

    Attributes:
        folds: Parts of the set.
        penalty: L2 penalty of weights; larger values fit the set less closely.
    """

    folds: Annotated[int, msgspec.Meta(ge=2, le=50)] = FOLDS
    penalty: Annotated[float, msgspec.Meta(gt=0)] = PENALTY


def open_model(profile: ModelProfile) -> TextProbe:
    """Return the probe of a profile.

    Raises:
        UserError: An option is invalid.
    """
    options = options_of(profile, ProbeOptions)
    return TextProbe(
        name=profile.model or profile.name,
        folds=options.folds,
        penalty=options.penalty,
        seed=profile.seed or 0,
    )


def accuracy_of(task: str, pairs: Iterable[tuple[BlindQuestion, ProbeScore]]) -> ProbeAccuracy:
    """Return the number of right guesses, compared with chance."""
    scored = list(pairs)
    chances = [1.0 / len(question.options) for question, _ in scored]
    correct = sum(score.chosen == question.key for question, score in scored)
    interval = exact_interval(correct, n=len(scored))
    return ProbeAccuracy(
        task=task,
        items=len(scored),
        correct=correct,
        chance=sum(chances) / max(1, len(scored)),
        p_value=p_value(correct, chances=chances),
        low=interval.low,
        high=interval.high,
    )


def _require_sound(questions: Sequence[BlindQuestion]) -> None:
    for question in questions:
        if len(question.options) < 2 or not 0 <= question.key < len(question.options):
            raise UserError(
                f"Item {question.item}: a probe needs two or more options, and one of them must be correct."
            )
