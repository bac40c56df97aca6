"""Figures of the calibrated policy on generated sets: shortcuts found, sound items lost, bounds held.

No language model is asked: the evidence is the texts and what the text probe guesses.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from time import perf_counter

import msgspec

from annotator.domain.item import LETTERS, Option
from annotator.domain.probe_answer import ProbeGuess
from annotator.model_api import BlindQuestion
from annotator.progress import Progress
from annotator.quality.calibrated.calibration import calibrate
from annotator.quality.calibrated.decisions import decide_calibrated
from annotator.quality.predictions import ItemPredictions, probe_prediction
from models.text_probe import TextProbe
from tests.bench.claim_sets import CLAIMS
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.inspection_sets import INSPECTIONS
from tests.bench.reading_sets import READINGS
from tests.bench.shortcut_sets import STREETS, TOLD_APART, SetSource, generated_set, planted_in
from tests.bench.translated_sets import TRANSLATIONS

ALPHA, PLANTED = 0.02, 0.24
SIZES = (1_000, 2_000, 5_000)
SEEDS, BOUND_SEEDS, BOUND_ITEMS = 3, 100, 1_000
LARGE_SET, SMALL_SET, SMALL_SETS = 20_000, 100, 20
FOREIGN_SOURCES = (TRANSLATIONS, READINGS, CLAIMS)
"""Generators by which no signal was chosen: Chinese, numbers alone, yes or no, two to six options."""
BOUNDS = (
    ("bound_held", 0.0, (STREETS,), False),
    ("bound_held_other", 0.0, (INSPECTIONS,), False),
    ("bound_held_planted", PLANTED, (STREETS,), False),
    ("bound_held_mixed", 0.0, (STREETS,), True),
    ("bound_held_foreign", PLANTED, FOREIGN_SOURCES, False),
)
"""Name of the figure, share of planted shortcuts, what generates the sets in turn, and whether half of the
items have two options instead of four."""
PROBE = "Text probe"
FIGURES = (
    *(
        f"calibrated.{name}_{size}"
        for size in SIZES
        for by in ("", "probe_", "other_")
        for name in (f"{by}recall", f"{by}lost")
    ),
    "calibrated.told_apart_recall",
    "calibrated.bound_held",
    "calibrated.bound_held_other",
    "calibrated.bound_held_planted",
    "calibrated.bound_held_mixed",
    "calibrated.bound_held_foreign",
    *(f"calibrated.{source.name}_{what}" for source in FOREIGN_SOURCES for what in ("recall", "lost")),
    "calibrated.small_recall",
    "calibrated.small_lost",
    "calibrated.decide_s",
    "calibrated.redecide_s",
)


def measure_calibrated(ground: Ground) -> Iterator[Figure]:
    """Decide about generated sets by their texts, and by texts and probe."""
    told_apart: Counter[bool] = Counter()
    for size in SIZES:
        sets = [generated_set(items=size, planted=PLANTED, seed=seed) for seed in range(SEEDS)]
        cases = {
            "": sets,
            "probe_": [with_probe(entries) for entries in sets],
            "other_": _sets(INSPECTIONS, items=size, count=SEEDS),
        }
        for name, asked in cases.items():
            ground.begin(f"the calibrated policy on {size:,} items")
            found = _kinds_found(asked)
            told_apart.update(hit for kind, hit in found if kind in TOLD_APART and not name)
            yield from figures_of(f"calibrated.{name}{{}}_{size}", found)
    yield Figure(
        name="calibrated.told_apart_recall",
        value=told_apart[True] / told_apart.total(),
        n=told_apart.total(),
        note=f"{', '.join(TOLD_APART)}; the generated questions repeat: the set itself shows their keys",
    )
    for source in FOREIGN_SOURCES:
        ground.begin(f"the calibrated policy on {source.name}")
        foreign = _sets(source, items=BOUND_ITEMS, count=SEEDS)
        yield from figures_of(f"calibrated.{source.name}_{{}}", _kinds_found(foreign))
    for name, planted, sources, is_mixed in BOUNDS:
        ground.begin("the bound of the calibrated policy", rounds=BOUND_SEEDS)
        yield bound_figure(
            f"calibrated.{name}",
            planted=planted,
            sources=sources,
            is_mixed=is_mixed,
            progress=ground.progress,
        )
    small = _sets(INSPECTIONS, items=SMALL_SET, count=SMALL_SETS)
    yield from figures_of("calibrated.small_{}", _kinds_found(small))
    yield from _times()


def found_items(entries: Sequence[ItemPredictions]) -> Iterator[tuple[ItemPredictions, bool]]:
    """Yield each item and whether it is found."""
    calibration = calibrate(entries)
    threshold = calibration.threshold(ALPHA).value
    yield from zip(entries, (calibration.keys > threshold).tolist(), strict=True)


def figures_of(pattern: str, found: Sequence[tuple[str, bool]]) -> Iterator[Figure]:
    """Yield recall and loss.

    Args:
        pattern: Name of the figures, with a place for ``recall`` and ``lost``.
        found: Kind of the planted shortcut, "" for none, and whether the item is found.
    """
    kinds = Counter(kind for kind, _ in found)
    hits = Counter(kind for kind, hit in found if hit)
    learnable = [kind for kind in sorted(kinds) if kind and kind not in TOLD_APART]
    total = sum(kinds[kind] for kind in learnable)
    yield Figure(
        name=pattern.format("recall"),
        value=sum(hits[kind] for kind in learnable) / total,
        n=total,
        note=", ".join(f"{kind} {hits[kind] / kinds[kind]:.0%}" for kind in learnable),
    )
    yield Figure(name=pattern.format("lost"), value=hits[""] / kinds[""], n=kinds[""])


def bound_figure(
    name: str, *, planted: float, sources: Sequence[SetSource], progress: Progress, is_mixed: bool = False
) -> Figure:
    """Return in which share of seeds the promised loss was kept."""
    losses = []
    for seed in range(BOUND_SEEDS):
        source = sources[seed % len(sources)]
        entries = generated_set(items=BOUND_ITEMS, planted=planted, seed=1_000 + seed, source=source)
        if is_mixed:
            entries = with_two_options(entries, seed=seed)
        sound = [hit for one, hit in found_items(entries) if not planted_in(one.item)]
        losses.append(sum(sound) / len(sound))
        progress.step()
    return Figure(
        name=name,
        value=sum(loss <= ALPHA for loss in losses) / len(losses),
        n=len(losses),
        note=f"loss {sum(losses) / len(losses):.2%} in the mean, {max(losses):.2%} at most",
    )


def with_two_options(entries: Sequence[ItemPredictions], *, seed: int) -> list[ItemPredictions]:
    """Return items of which half, drawn, have the key and one drawn wrong option instead of all."""
    draw = random.Random(seed)
    return [_halved(entry, draw) if draw.random() < 0.5 else entry for entry in entries]


def _halved(entry: ItemPredictions, draw: random.Random) -> ItemPredictions:
    item = entry.item
    other = draw.choice([option for option in item.options if option.letter != item.answer_key])
    texts = [option.text for option in item.options if option.letter in (item.answer_key, other.letter)]
    options = tuple(Option(letter=letter, text=text) for letter, text in zip(LETTERS, texts, strict=False))
    key = next(one.letter for one in options if one.text != other.text)
    return msgspec.structs.replace(
        entry, chance=0.5, item=msgspec.structs.replace(item, options=options, answer_key=key)
    )


def with_probe(entries: Sequence[ItemPredictions]) -> list[ItemPredictions]:
    """Return items with the cross-validated guesses of the text probe."""
    questions = [
        BlindQuestion(
            item=one.item.id,
            task=one.item.task,
            question=one.item.question,
            options=tuple(option.text for option in one.item.options),
            key=LETTERS.index(one.item.answer_key),
        )
        for one in entries
    ]
    scores = TextProbe(name=PROBE, seed=0).scores(questions, progress=Progress())
    return [
        msgspec.structs.replace(
            one,
            predictions=(
                probe_prediction(
                    PROBE,
                    ProbeGuess(letter=LETTERS[score.chosen], probabilities=score.probabilities, shown=""),
                ),
            ),
        )
        for one, score in zip(entries, scores, strict=True)
    ]


def _sets(source: SetSource, *, items: int, count: int) -> list[list[ItemPredictions]]:
    return [generated_set(items=items, planted=PLANTED, seed=seed, source=source) for seed in range(count)]


def _kinds_found(sets: Sequence[Sequence[ItemPredictions]]) -> list[tuple[str, bool]]:
    """Return the kind of the planted shortcut of each item, "" for none, and whether it is found."""
    return [(planted_in(one.item), hit) for entries in sets for one, hit in found_items(entries)]


def _times() -> Iterator[Figure]:
    entries = generated_set(items=LARGE_SET, planted=PLANTED, seed=1)
    for name, alpha in (("decide_s", ALPHA), ("redecide_s", 2 * ALPHA)):
        start = perf_counter()
        decide_calibrated(entries, alpha=alpha)
        yield Figure(name=f"calibrated.{name}", value=perf_counter() - start, n=1)
