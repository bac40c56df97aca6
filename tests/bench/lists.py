"""Figures of lists: opening a project of 10^6 items, pages, facets, searches."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter

from annotator.domain.item import Item
from annotator.domain.query import ItemQuery, SortOrder
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.bench.bare import BarePages
from tests.bench.clock import interleaved, median, p95, timed
from tests.bench.figure import Figure
from tests.bench.ground import MANY, ROUNDS, Ground
from tests.bench.process import PROBE, run_python
from tests.bench.queries import FILTERS, SEARCHES

PAGES_PER_ROUND = 30
SORTED = ("name", "state", "task", "flags", "changed")
"""Columns that the list of items is sorted by."""


def measure_opening(ground: Ground) -> Iterator[Figure]:
    """Open the project in a new process, up to the first page, in turn with a bare connection and page."""
    times: dict[str, list[float]] = {"open": [], "bare": []}
    ground.begin("opening", rounds=ROUNDS)
    for number in range(-1, ROUNDS):
        for what, taken in times.items():
            seconds = float(run_python([*PROBE, what, str(ground.many)]).lines[0])
            if number >= 0:
                taken.append(seconds)
        ground.progress.step()
    value, bare = median(times["open"]), median(times["bare"])
    yield Figure(
        name="store.open_s", value=value, n=ROUNDS, ratio=value / bare, baseline_value=bare,
        baseline="bare connection and keyset page",
    )  # fmt: skip


def measure_lists(ground: Ground) -> Iterator[Figure]:
    """Ask for pages and facets under filters."""
    with Session.open(ground.many) as session, BarePages(ground.many) as bare:
        yield _measure_pages(session.reader, bare, ground=ground)
        yield _measure_facets(session.reader, ground=ground)


def measure_sorting(ground: Ground) -> Iterator[Figure]:
    """Sort 10^5 items by each column, each time anew, and read pages of them."""
    rng = random.Random(5)
    pages: list[float] = []
    orders: list[float] = []
    ground.begin("sorted lists", rounds=ROUNDS * len(SORTED))
    for number in range(-1, ROUNDS):
        for column in SORTED:
            # A new reader has no order of the round before.
            with Session.open(ground.some) as session:
                reader, order = session.reader, SortOrder(column=column)
                everything = reader.items.numbers(ItemQuery())
                started = perf_counter()
                numbers = reader.order.sorted_numbers(Item, everything, order=order)
                took = (perf_counter() - started) * 1000
                starts = [rng.randrange(max(1, len(numbers) - 100)) for _ in range(PAGES_PER_ROUND)]
                read = [timed(reader.items.rows, numbers[at : at + 100]) * 1000 for at in starts]
            if number >= 0:
                orders.append(took)
                pages.extend(read)
            ground.progress.step()
    yield Figure(name="store.sorted_page_p95_ms", value=p95(pages), n=len(pages))
    yield Figure(name="store.sort_p95_ms", value=p95(orders), n=len(orders))


def measure_searches(ground: Ground) -> Iterator[Figure]:
    """Look for words: the first page, and all row numbers, which the scroll bar needs."""
    with Session.open(ground.many) as session:
        reader = session.reader
        yield _measure_search("store.search_p95_ms", reader.items.page, ground=ground)
        yield _measure_search("store.search_all_p95_ms", reader.items.numbers, ground=ground)


def _measure_pages(reader: Reader, bare: BarePages, *, ground: Ground) -> Figure:
    rng = random.Random(5)
    asked = [(rng.choice(FILTERS), rng.randrange(MANY)) for _ in range(PAGES_PER_ROUND)]
    pages: list[float] = []
    plain: list[float] = []
    ground.begin("pages of lists", rounds=ROUNDS)
    for number in range(-1, ROUNDS):
        for query, after in asked:
            times = timed(partial(reader.items.page, query, after=after)), timed(bare.page, after)
            if number >= 0:
                pages.append(times[0] * 1000)
                plain.append(times[1] * 1000)
        ground.progress.step()
    return Figure(
        name="store.page_p95_ms", value=p95(pages), n=len(pages), ratio=p95(pages) / p95(plain),
        baseline="bare keyset page without filter, p95", baseline_value=p95(plain),
    )  # fmt: skip


def _measure_facets(reader: Reader, *, ground: Ground) -> Figure:
    works = {str(number): partial(reader.items.facets, query) for number, query in enumerate(FILTERS)}
    ground.begin("facets", rounds=ROUNDS)
    times = interleaved(works, rounds=ROUNDS, progress=ground.progress)
    slowest = max(median(taken) for taken in times.values())
    return Figure(name="store.facets_ms", value=slowest * 1000, n=ROUNDS * len(FILTERS))


def _measure_search(name: str, ask: Callable[[ItemQuery], object], *, ground: Ground) -> Figure:
    times: list[tuple[float, str]] = []
    ground.begin(name, rounds=ROUNDS)
    for number in range(-1, ROUNDS):
        for query in SEARCHES:
            took = timed(ask, query)
            if number >= 0:
                times.append((took * 1000, query.text))
        ground.progress.step()
    slowest, text = max(times)
    return Figure(
        name=name,
        value=p95([took for took, _ in times]),
        n=len(times),
        note=f"slowest: '{text}', {slowest:.0f} ms",
    )
