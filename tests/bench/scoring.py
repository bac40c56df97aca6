"""Figures of scoring: replies of models against keys, per second."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from annotator.domain.answers import AnswerContext
from annotator.domain.item import Item
from annotator.progress import Progress
from annotator.scoring.comparison import compare_predictions
from annotator.scoring.evaluation import Evaluator
from annotator.scoring.prediction_file import PredictionFile
from annotator.scoring.released_items import ReleasedItem, ReleasedItems
from annotator.scoring.result_table import result_tables
from annotator.scoring.table_text import table_text
from tests.bench.clock import interleaved, median
from tests.bench.figure import Figure
from tests.bench.ground import ROUNDS, Ground

CASES = 100_000
MODELS, ITEMS = 10, 10_000
"""Of a comparison; each model lacks some predictions, others than the other models."""
_LETTER = re.compile(r"\b([A-D])\b")
_REPLIES = (
    "{key}", "{key}.", "({key})", "Option: [{key}]; Reason: it is the only one that fits the picture.",
    "The answer is {key}.", "**{key}**", "Answer: {key}",
    "I think that it is {key}, since two cars are hidden.",
)  # fmt: skip
_MIXED = (
    ("region_set", "Region {a}, {b}", ("Region {a}, {b}", "Region {b}", "Regions {a} and {c}.")),
    ("region_label", "Region {a}", ("Region {a}", "It is Region {b}.", "Region {c}.")),
    ("clock", "{hour} o'clock", ("{hour} o'clock", "2 o'clock.", "At 11 o'clock")),
    ("direction_label", "Direction 3", ("Direction 3", "direction 1", "Direction 6.")),
    ("option_letter", "{letter}", ("B", "The answer is (C).", "Option: [A]; Reason: …")),
    ("pair_list", "{a}-{x}, {b}-{y}", ("{a}-{x}, {b}-{y}", "{x}-{y}, 2-9, {b}-{x}", "0-{x}")),
    (
        "bbox",
        "[{x}, {y}, 932, 949]",
        ("[{x}, {y}, 940, 930]", "[10, {x}, 640, 800]", "Box: 5, {y}, 700, 800"),
    ),
    ("angle", "{turn} degrees", ("{turn} degrees", "{x}.5 degrees", "-{y} degrees")),
    (
        "angle_distance",
        "{turn} degrees, -{x}.0 meters",
        ("{turn} degrees, -{y}.0 meters", "{x} degrees, {y} meters", "5.0 degrees, {a}.5 meters"),
    ),
    (
        "free_text",
        "The drone rises, turns left and ends facing bridge {x}.",
        ("The drone rises, turns left and ends facing bridge {y}.", "It flies ahead.", "It hovers."),
    ),
)


class _Case(msgspec.Struct, frozen=True, kw_only=True):
    """One prediction with the answer key of its item."""

    prediction: str
    key: str
    format_id: str


def measure_scoring(ground: Ground) -> Iterator[Figure]:
    """Score files of option letters, and of all formats of SpatialUAV in turn, strictly.

    From the file of predictions to the tables with their intervals; the release is in memory.
    """
    rng = random.Random(3)
    letters = _Material(ground, "letters", [_letter_case(rng) for _ in range(CASES)])
    mixed = _Material(ground, "mixed", [_mixed_case(rng, number) for number in range(CASES)])
    works = {
        "letters": letters.score,
        "mixed": mixed.score,
        "bare letters": letters.compare,
        "bare mixed": mixed.compare,
    }
    ground.begin("scoring", rounds=ROUNDS)
    times = interleaved(works, rounds=ROUNDS, progress=ground.progress)
    for name, what in (("score.letters_per_s", "letters"), ("score.mixed_per_s", "mixed")):
        value, bare = CASES / median(times[what]), CASES / median(times[f"bare {what}"])
        yield Figure(
            name=name, value=value, n=ROUNDS, baseline="one regular expression and a comparison each",
            baseline_value=bare, ratio=value / bare,
        )  # fmt: skip


def measure_comparison(ground: Ground) -> Iterator[Figure]:
    """Compare models on a release: from their files to the differences of all pairs and a table."""
    rng = random.Random(5)
    cases = [_mixed_case(rng, number) for number in range(ITEMS)]
    released = ReleasedItems([_released(case, f"q{n}") for n, case in enumerate(cases)])
    paths = [_model_file(ground.folder / f"model{n}.jsonl", cases, rng) for n in range(MODELS)]
    ground.begin("the comparison of models", rounds=ROUNDS)
    times = interleaved({"ours": lambda: _compare(released, paths)}, rounds=ROUNDS, progress=ground.progress)
    value = median(times["ours"])
    note = f"{MODELS * ITEMS / value:,.0f} predictions/s"
    yield Figure(name="score.compare_s", value=value, n=ROUNDS, note=note)


def _compare(released: ReleasedItems, paths: Sequence[Path]) -> None:
    comparison = compare_predictions(released, [PredictionFile(path) for path in paths], progress=Progress())
    table_text(result_tables(comparison, released), "latex", with_intervals=True)


def _model_file(path: Path, cases: Sequence[_Case], rng: random.Random) -> Path:
    rows = (
        {"item": f"q{n}", "prediction": (case if rng.random() < 0.5 else rng.choice(cases)).prediction}
        for n, case in enumerate(cases)
        if rng.random() < 0.98
    )
    path.write_bytes(b"".join([msgspec.json.encode(row) + b"\n" for row in rows]))
    return path


class _Material:
    """A file of predictions and the items that they are about."""

    def __init__(self, ground: Ground, name: str, cases: Sequence[_Case]) -> None:
        self._cases = cases
        self._path = ground.folder / f"predictions_{name}.jsonl"
        rows = ({"item": f"q{n}", "prediction": case.prediction} for n, case in enumerate(cases))
        self._path.write_bytes(b"".join([msgspec.json.encode(row) + b"\n" for row in rows]))
        self._released = ReleasedItems([_released(case, f"q{n}") for n, case in enumerate(cases)])

    def score(self) -> None:
        """Score the file."""
        entries = PredictionFile(self._path).read(progress=Progress())
        found = Evaluator(self._released).evaluate(entries, progress=Progress())
        if found.tables.overall.total != len(self._cases):
            raise RuntimeError("predictions are missing")

    def compare(self) -> int:
        """Do what no scoring can do without."""
        right = 0
        for case in self._cases:
            found = _LETTER.search(case.prediction)
            right += (found[1] if found else case.prediction) == case.key
        return right


def _letter_case(rng: random.Random) -> _Case:
    said, key = rng.choice("ABCD"), rng.choice("ABCD")
    return _Case(prediction=rng.choice(_REPLIES).format(key=said), key=key, format_id="option_letter")


def _mixed_case(rng: random.Random, number: int) -> _Case:
    format_id, key, texts = _MIXED[number % len(_MIXED)]
    numbers = {
        **{name: rng.randrange(20) for name in "abc"},
        **{name: rng.randrange(900) for name in "xy"},
        "hour": rng.randint(1, 12),
        "turn": round(rng.uniform(-180, 360), 1),
        "letter": rng.choice("ABCD"),
    }
    text = rng.choice(texts).format(**numbers)
    return _Case(prediction=text, key=key.format(**numbers), format_id=format_id)


def _released(case: _Case, name: str) -> ReleasedItem:
    item = Item(
        name=name,
        task_set="spatialuav",
        task=case.format_id,
        answer_format=case.format_id,
        answer_key=case.key,
    )
    return ReleasedItem(item=item, dataset="", footage="", context=AnswerContext())
