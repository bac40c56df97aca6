"""Figures of scoring: replies of models against keys, per second."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from annotator.domain.answers.batch import ScoringCase, score_all
from tests.bench.clock import interleaved, median
from tests.bench.figure import Figure
from tests.bench.ground import ROUNDS, Ground

LETTER_CASES, MIXED_CASES = 50_000, 20_000
_LETTER = re.compile(r"\b([A-D])\b")
_REPLIES = (
    "{key}", "{key}.", "({key})", "Option: [{key}]; Reason: it is the only one that fits the picture.",
    "The answer is {key}.", "**{key}**", "Answer: {key}",
    "I think that it is {key}, since two cars are hidden.",
)  # fmt: skip
_MIXED = (
    ("region_set", ("Region 3, 4", "Region 1", "Regions 2 and 5.")),
    ("region_label", ("Region 6", "It is Region 2.", "Region 11.")),
    ("clock", ("8 o'clock", "2 o'clock.", "At 11 o'clock")),
    ("direction_label", ("Direction 3", "direction 1", "Direction 6.")),
    ("option_letter", ("B", "The answer is (C).", "Option: [A]; Reason: …")),
    ("pair_list", ("3-15, 4-5", "6-11, 2-9, 4-12", "0-7")),
    ("bbox", ("[823, 189, 932, 249]", "[10, 20, 64, 80]", "Box: 5, 6, 70, 80")),
    ("angle", ("269.4 degrees", "88.0 degrees", "-160 degrees")),
    ("angle_distance", ("-160.0 degrees, -70.0 meters", "90 degrees, 12 meters", "5.0 degrees, 3.5 meters")),
    (
        "free_text",
        ("The drone rises, turns left and ends facing the bridge.", "It flies ahead.", "It hovers."),
    ),
)


def measure_scoring(ground: Ground) -> Iterator[Figure]:
    """Score option letters, then all formats of SpatialUAV in turn, strictly."""
    rng = random.Random(3)
    letters = [_letter_case(rng) for _ in range(LETTER_CASES)]
    mixed = [_mixed_case(rng, number) for number in range(MIXED_CASES)]
    works = {
        "letters": lambda: score_all(letters),
        "mixed": lambda: score_all(mixed),
        "bare letters": lambda: _compare(letters),
        "bare mixed": lambda: _compare(mixed),
    }
    ground.begin("scoring", rounds=ROUNDS)
    times = interleaved(works, rounds=ROUNDS, progress=ground.progress)
    for name, what, count in (
        ("score.letters_per_s", "letters", LETTER_CASES),
        ("score.mixed_per_s", "mixed", MIXED_CASES),
    ):
        value, bare = count / median(times[what]), count / median(times[f"bare {what}"])
        yield Figure(
            name=name, value=value, n=ROUNDS, baseline="one regular expression and a comparison each",
            baseline_value=bare, ratio=value / bare,
        )  # fmt: skip


def _letter_case(rng: random.Random) -> ScoringCase:
    said, key = rng.choice("ABCD"), rng.choice("ABCD")
    return ScoringCase(prediction=rng.choice(_REPLIES).format(key=said), key=key, format_id="option_letter")


def _mixed_case(rng: random.Random, number: int) -> ScoringCase:
    format_id, texts = _MIXED[number % len(_MIXED)]
    key = texts[0].rstrip(".") if format_id != "option_letter" else rng.choice("ABCD")
    return ScoringCase(prediction=rng.choice(texts), key=key, format_id=format_id)


def _compare(cases: Sequence[ScoringCase]) -> int:
    right = 0
    for case in cases:
        found = _LETTER.search(case.prediction)
        right += (found[1] if found else case.prediction) == case.key
    return right
