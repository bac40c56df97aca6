"""Sets with shortcuts that the text alone does not show, and scripted models that know most of them.

No network is used: what a model would say is made directly, in each form that stored predictions have.
``tests/unit/cli/test_model_evidence.py`` asks servers that behave the same.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from annotator.domain.item import Item
from annotator.quality.calibrated.calibration import calibrate
from annotator.quality.policy import DEFAULT_LOSS
from annotator.quality.predictions import ItemPrediction, ItemPredictions
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.shortcut_sets import OPTIONS, STREETS, Draft, SetSource, generated_set, planted_in

ACCURACY = 0.9
"""Share of the planted shortcuts that a scripted model knows; about all other items it guesses."""
ROTATIONS = 4
ITEMS, PLANTED, SEEDS = 1_000, 0.24, 3
_SYLLABLES = (
    "ba",
    "dor",
    "vel",
    "mun",
    "kes",
    "tir",
    "lo",
    "san",
    "gri",
    "pal",
    "hun",
    "zet",
    "om",
    "ruk",
    "fi",
)
_COLOURS = (
    ("red", "crimson", "scarlet", "ruby"),
    ("blue", "azure", "navy", "cobalt"),
    ("grey", "ashen", "slate"),
)
_VEHICLES = (
    ("lorry", "truck", "hauler", "rig"),
    ("coach", "bus", "omnibus", "shuttle"),
    ("skiff", "boat", "dinghy", "launch"),
)


def _name(draw: random.Random) -> str:
    return "".join(draw.choice(_SYLLABLES) for _ in range(3)).capitalize()


def _knowledge(draft: Draft, key: int, draw: random.Random) -> Draft:
    """Ask for a fact that no other question repeats."""
    del draft, key
    names = tuple({_name(draw): None for _ in range(3 * OPTIONS)})[:OPTIONS]
    return Draft(question=f"Which river flows through the old town of {_name(draw)}?", options=names)


def _convergence(draft: Draft, key: int, draw: random.Random) -> Draft:
    """Vary the key in one property each, by other words: no two options have a word in common."""
    del draft
    (own, other), (vehicle, second) = draw.sample(_COLOURS, 2), draw.sample(_VEHICLES, 2)
    hues, names = draw.sample(own, 3), draw.sample(vehicle, 3)
    variants = [f"{hues[1]} {second[0]}", f"{other[0]} {names[1]}", f"{hues[2]} {names[2]} trailer"]
    draw.shuffle(variants)
    variants.insert(key, f"{hues[0]} {names[0]}")
    return Draft(question=f"What passes the {_name(draw)} gate last?", options=tuple(variants))


LOOKUPS = SetSource(
    name="lookups",
    draft=STREETS.draft,
    shortcuts={"knowledge": _knowledge, "convergence": _convergence},
)


@dataclass(frozen=True, kw_only=True)
class Belief:
    """What a model takes for the answer to an item.

    Attributes:
        index: Of the option.
        nats: By how much it finds the option likelier than the others.
        steadiness: Probability of naming it in a rotation; else it names any option.
    """

    index: int
    nats: float
    steadiness: float


KNOWLEDGE, GUESS, STUBBORN_GUESS = (4.0, 0.95), (1.0, 0.4), (4.0, 0.95)
"""Nats and steadiness. No statistic tells a guess of the last kind from knowledge by one model's answers."""
Script = Callable[[str, Item, Belief, random.Random], tuple[ItemPrediction, ...]]


def asked(
    entries: Sequence[ItemPredictions], form: str, *, seed: int, models: int = 1, is_stubborn: bool = False
) -> list[ItemPredictions]:
    """Return items with the predictions of scripted models.

    Args:
        entries: The items.
        form: One of ``FORMS``.
        seed: Draws what each model knows and how it guesses.
        models: Their number; they are independent.
        is_stubborn: Whether they are as sure of guesses as of what they know.
    """
    draw = random.Random(seed)
    guess = STUBBORN_GUESS if is_stubborn else GUESS
    names = [f"Scripted {number + 1}" for number in range(models)]
    return [
        msgspec.structs.replace(
            entry,
            predictions=tuple(
                prediction
                for name in names
                for prediction in FORMS[form](name, entry.item, belief(entry.item, draw, guess=guess), draw)
            ),
        )
        for entry in entries
    ]


def belief(item: Item, draw: random.Random, *, guess: tuple[float, float] = GUESS) -> Belief:
    """Return what a model knows of an item, or its guess."""
    if planted_in(item) and draw.random() < ACCURACY:
        index = [option.letter for option in item.options].index(item.answer_key)
        return Belief(index=index, nats=KNOWLEDGE[0], steadiness=KNOWLEDGE[1])
    return Belief(index=draw.randrange(len(item.options)), nats=guess[0], steadiness=guess[1])


def _likelihood(model: str, item: Item, own: Belief, draw: random.Random) -> tuple[ItemPrediction, ...]:
    lengths = [max(1, len(option.text)) for option in item.options]
    # A text is the less likely the longer it is; what is believed is likelier as a whole.
    totals = [-1.2 * length + draw.gauss(0.0, 1.0) for length in lengths]
    totals[own.index] += own.nats
    scores = tuple(total / length for total, length in zip(totals, lengths, strict=True))
    return (_prediction(model, item, scores, method="text"),)


def _pmi(model: str, item: Item, own: Belief, draw: random.Random) -> tuple[ItemPrediction, ...]:
    scores = [draw.gauss(0.0, 1.0) for _ in item.options]
    scores[own.index] += own.nats
    return (_prediction(model, item, tuple(scores), method="text-pmi"),)


def _letters(model: str, item: Item, own: Belief, draw: random.Random) -> tuple[ItemPrediction, ...]:
    found = []
    for first in range(ROTATIONS):
        scores = [draw.gauss(0.0, 1.0) for _ in item.options]
        scores[own.index] += own.nats
        # What is shown first is favoured.
        scores[first % len(scores)] += 1.0
        total = math.log(sum(map(math.exp, scores)))
        scored = tuple(score - total for score in scores)
        found.append(_prediction(model, item, scored, method="letters", order=_order(item, first)))
    return tuple(found)


def _answers(model: str, item: Item, own: Belief, draw: random.Random) -> tuple[ItemPrediction, ...]:
    found = []
    for first in range(ROTATIONS):
        index = own.index if draw.random() < own.steadiness else draw.randrange(len(item.options))
        letter = item.options[index].letter
        found.append(
            ItemPrediction(
                model=model,
                kind="answer",
                order=_order(item, first),
                answer=letter,
                is_right=letter == item.answer_key,
            )
        )
    return tuple(found)


def _order(item: Item, first: int) -> str:
    """Return the letters in the rotation that begins with an option."""
    letters = "".join([option.letter for option in item.options])
    start = first % len(letters)
    return letters[start:] + letters[:start]


def _prediction(
    model: str, item: Item, scores: tuple[float, ...], *, method: str, order: str = ""
) -> ItemPrediction:
    letter = item.options[max(range(len(scores)), key=lambda index: scores[index])].letter
    return ItemPrediction(
        model=model,
        kind="answer",
        order=order,
        answer=letter,
        is_right=letter == item.answer_key,
        scores=scores,
        method=method,
    )


FORMS: dict[str, Script] = {
    "likelihood": _likelihood,
    "pmi": _pmi,
    "letters": _letters,
    "answers": _answers,
}
"""Log-likelihood of texts in total and per character, PMI, log-probabilities of letters in rotations, and
answers in rotations of a model without log-probabilities."""
CASES: tuple[tuple[str, str, int, bool], ...] = (
    ("text", "", 0, False),
    *((form, form, 1, False) for form in FORMS),
    ("stubborn", "answers", 1, True),
    ("three_stubborn", "answers", 3, True),
)
"""Name of the figures, form, number of models, and whether they are as sure of their guesses."""
FIGURES = tuple(f"model_evidence.{name}_{what}" for name, *_ in CASES for what in ("recall", "lost"))


def measure_model_evidence(ground: Ground) -> Iterator[Figure]:
    """Decide about sets whose shortcuts the text does not show, by text alone and with each evidence."""
    for name, form, models, is_stubborn in CASES:
        ground.begin(f"evidence of models: {name}", rounds=SEEDS)
        hits: dict[str, list[bool]] = {}
        for seed in range(SEEDS):
            entries = generated_set(items=ITEMS, planted=PLANTED, seed=seed, source=LOOKUPS)
            if form:
                entries = asked(entries, form, seed=seed, models=models, is_stubborn=is_stubborn)
            calibration = calibrate(entries)
            found = (calibration.keys > calibration.threshold(DEFAULT_LOSS).value).tolist()
            for entry, is_found in zip(entries, found, strict=True):
                hits.setdefault(planted_in(entry.item), []).append(is_found)
            ground.progress.step()
        planted = [hit for kind in LOOKUPS.shortcuts for hit in hits[kind]]
        note = ", ".join(f"{kind} {sum(hits[kind]) / len(hits[kind]):.0%}" for kind in LOOKUPS.shortcuts)
        recall, lost = sum(planted) / len(planted), sum(hits[""]) / len(hits[""])
        yield Figure(name=f"model_evidence.{name}_recall", value=recall, n=len(planted), note=note)
        yield Figure(name=f"model_evidence.{name}_lost", value=lost, n=len(hits[""]))
