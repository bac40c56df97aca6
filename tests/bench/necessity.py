"""The figures of the need of the input: whether the promised share of false flags is kept."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.quality.necessity.decision import MOST_FALSE, decide
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.planted_needs import false_share, planted_needs, planted_partial

ITEMS, SEEDS = 500, 100


def measure_necessity(ground: Ground) -> Iterator[Figure]:
    """Measure false flags and found items over many sets, half of whose items need the part."""
    ground.begin("planted needs", rounds=SEEDS)
    false, found = [], []
    for seed in range(SEEDS):
        comparisons, needing = planted_needs(ITEMS, seed=seed)
        (decision,) = decide(comparisons)
        false.append(false_share(decision, needing))
        flagged = {finding.item.id for finding in decision.findings}
        found.append(len(flagged - needing) / (ITEMS - len(needing)))
        ground.progress.step()
    note = f"{MOST_FALSE:.2f} promised, {max(false):.3f} in the worst set"
    yield Figure(name="quality.necessity_false", value=sum(false) / SEEDS, n=SEEDS, note=note)
    yield Figure(name="quality.necessity_found", value=sum(found) / SEEDS, n=SEEDS)
    partial = [len(decide(planted_partial(ITEMS, seed=seed))[0].findings) / ITEMS for seed in range(10)]
    yield Figure(name="quality.necessity_partial", value=sum(partial) / len(partial), n=len(partial))
