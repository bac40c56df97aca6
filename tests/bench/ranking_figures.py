"""How well a model that ranks options finds planted giveaways, and what it costs.

``python -m tests.bench.ranking_figures`` writes JSON: the table in docs/local-models.md is made of it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import get_args

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.model_api import ChatModel, ChatRequest
from annotator.progress import Progress
from models.option_scoring import ScoringMethod, chosen
from models.smollm import open_model
from tests.bench.planted import GIVEAWAYS, Planted, planted_items

TIMEOUT_S = 60.0


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a model found.

    Attributes:
        way: How it ranked.
        right: Share of right answers by kind of giveaway, 0..1; ``fair`` for items without one.
        recall: Mean of the kinds with a giveaway.
        false_alarm: Share of right answers where nothing gives the key away: chance is all there should be.
        wall_s: Per item.
        cpu_s: Per item, of this process.
    """

    method: str
    right: dict[str, float]
    recall: float
    false_alarm: float
    wall_s: float
    cpu_s: float


def measure(model: ChatModel, items: Sequence[Planted], *, method: str, progress: Progress) -> Found:
    """Ask a model about planted items and count what it gets right.

    Raises:
        CallFailed: The model gave no answer.
        Cancelled: The user stopped it.
    """
    right: dict[str, list[bool]] = defaultdict(list)
    progress.begin(f"Ranking by {method}", total=len(items))
    wall, cpu = time.perf_counter(), time.process_time()
    for item in items:
        question = item.question
        reply = model.ask(ChatRequest(text=question.question, options=question.options), timeout_s=TIMEOUT_S)
        right[item.giveaway or "fair"].append(chosen(reply.option_scores) == question.key)
        progress.step()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    progress.end()
    shares = {kind: sum(told) / len(told) for kind, told in right.items()}
    kinds = [shares[kind] for kind in GIVEAWAYS if kind in shares]
    return Found(
        method=method,
        right=shares,
        recall=sum(kinds) / max(1, len(kinds)),
        false_alarm=shares.get("fair", 0.0),
        wall_s=wall / len(items),
        cpu_s=cpu / len(items),
    )


def main() -> None:
    """Measure the embedded model in each way that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--ways", nargs="+", choices=get_args(ScoringMethod), default=list(get_args(ScoringMethod))
    )
    parser.add_argument("--fair", type=int, default=200)
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--path", default="", help="a GGUF file instead of the embedded model")
    asked = parser.parse_args()
    items = planted_items(fair=asked.fair, each=asked.each)
    for method in asked.ways:
        profile = ModelProfile(name="figures", adapter="smollm", path=asked.path, options={"ranking": method})
        model = open_model(profile)
        try:
            found = measure(model, items, method=method, progress=Progress())
        finally:
            model.close()
        sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
