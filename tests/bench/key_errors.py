"""The figures of probably wrong answer keys: how many of the most probable errors are real."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.planted_errors import planted_errors, precision_at

ITEMS, SEEDS = 2_000, 10


def measure_key_errors(ground: Ground) -> Iterator[Figure]:
    """Measure the share of planted errors among the 50 most probable, one request to each model."""
    ground.begin("planted key errors", rounds=SEEDS)
    found = []
    for seed in range(SEEDS):
        found.append(precision_at(*planted_errors(ITEMS, seed=seed)))
        ground.progress.step()
    real, expected = (sum(values) / SEEDS for values in zip(*found, strict=True))
    rotated = [precision_at(*planted_errors(ITEMS, seed=seed, requests=4))[0] for seed in range(2)]
    note = f"with four rotations of independent mistakes {sum(rotated) / 2:.2f}"
    yield Figure(name="quality.key_errors_at_50", value=real, n=SEEDS, note=note)
    yield Figure(name="quality.key_errors_gap", value=abs(real - expected), n=SEEDS)
