"""Figures of the checks that run while somebody types, in a project of 100,000 items."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

import msgspec

from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.quality.live_checks import run_live_checks
from annotator.quality.near_duplicates import find_near_duplicates
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.bench.clock import p95
from tests.bench.figure import Figure
from tests.bench.ground import SOME, Ground

EDITED, WARM_UP = 60, 5
SEED = 20_261_125


def measure_live_checks(ground: Ground) -> Iterator[Figure]:
    """Check items in a form that is not saved yet, as after each keystroke."""
    ground.begin("live checks", rounds=2)
    with Session.open(ground.some) as session:
        reader = session.reader
        items = list(_edited_items(reader))
        yield _figure("refine.live_checks_ms", run_live_checks, reader=reader, items=items)
        ground.progress.step()
        yield _figure("refine.near_duplicates_ms", find_near_duplicates, reader=reader, items=items)
        ground.progress.step()


def _figure(
    name: str, check: Callable[[Reader, Item], object], *, reader: Reader, items: list[Item]
) -> Figure:
    times = [_cpu_ms(check, reader, item) for item in items][WARM_UP:]
    return Figure(name=name, value=p95(times), n=len(times), note=f"worst {max(times):.1f} ms")


def _cpu_ms(check: Callable[[Reader, Item], object], reader: Reader, item: Item) -> float:
    # CPU time: a busy machine must not count.
    began = time.process_time()
    check(reader, item)
    return (time.process_time() - began) * 1000


def _edited_items(reader: Reader) -> Iterator[Item]:
    numbers = reader.items.numbers(ItemQuery())
    chosen = random.Random(SEED).sample(range(min(SOME, len(numbers))), WARM_UP + EDITED)
    rows = reader.items.rows(numbers[chosen])
    for item in reader.records(Item, ids=[row.id for row in rows]):
        yield msgspec.structs.replace(item, question=f"{item.question} now")
