"""Figures of model work: planning, the pace of calls, and what a job costs beside its call.

A server in a process of its own answers each question after a fixed 500 ms; 32 calls at once can make 64 a
second then. The worker is the program itself, a process too, with a blind run over real items.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from annotator.domain.item import Item
from annotator.domain.profile import ModelProfile
from annotator.domain.run import Run
from annotator.domain.work import RunOrder
from annotator.errors import EnvironmentFailure
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.bench.clock import median
from tests.bench.figure import Figure
from tests.bench.fixed_answer import DELAY_S, IN_FLIGHT
from tests.bench.fixed_server import answering
from tests.bench.ground import Ground
from tests.bench.process import run_python

PER_RUN = 1_280
"""Twenty seconds of work at full pace."""
PLANNED = 100_000
ROUNDS = 3
MODEL = "fixed"
BEST_PER_S = IN_FLIGHT / DELAY_S
_PROBE = ("-m", "tests.bench.jobs_probe")


def measure_jobs(ground: Ground) -> Iterator[Figure]:
    """Plan a large run, work smaller ones off over HTTP, and others with a model that only sleeps."""
    ground.begin("model work", rounds=3 * ROUNDS)
    project = ground.scratch / "jobs" / "jobs.vantage"
    project.parent.mkdir()
    shutil.copy(ground.some, project)
    settings = project.parent / "settings"
    with answering() as address, _settings_at(settings), Session.open(project) as session:
        profile = ModelProfile(
            name=MODEL, adapter="openai", model=MODEL, base_url=address, in_flight=IN_FLIGHT, max_tokens=5
        )
        session.runs.save_profiles({MODEL: profile})
        yield _plan(session, ground)
        items = _letter_items(session.reader, count=PER_RUN * 3 * ROUNDS)
        yield from _work(session, items, address=address, ground=ground)


def _plan(session: Session, ground: Ground) -> Figure:
    times_s, jobs = [], 0
    for _ in range(ROUNDS):
        began = time.perf_counter()
        run, planned = session.runs.start(RunOrder(kind="blind", models=(MODEL,))).result()
        times_s.append((time.perf_counter() - began) * PLANNED / planned.jobs)
        jobs = planned.jobs
        session.runs.cancel(run.id).result()
        ground.progress.step()
    note = f"a blind run over {jobs:,} items, planned and entered, scaled to {PLANNED:,} jobs"
    return Figure(name="jobs.plan_s", value=median(times_s), n=ROUNDS, note=note)


def _work(session: Session, items: list[str], *, address: str, ground: Ground) -> Iterator[Figure]:
    shares, bare, http_ms = [], [], []
    own_ms: dict[str, list[float]] = {"plain": [], "items": []}
    for turn in range(ROUNDS):
        parts = [items[n * PER_RUN : (n + 1) * PER_RUN] for n in range(turn * 3, turn * 3 + 3)]
        began = time.time()
        run = _run_of(session, parts[0])
        ended = run_python(
            ("main.py", "worker", str(session.path), "--until-done", "--run", run.id, "--json")
        )
        http_ms.append(json.loads(ended.lines[-1])["cpu_s"] * 1000 / PER_RUN)
        shares.append(_pace(session.reader, run, began=began) / BEST_PER_S)
        told = run_python((*_PROBE, "bare", address, str(PER_RUN)))
        bare.append(float(told.lines[-1]) / BEST_PER_S)
        ground.progress.step()
        for what, part in zip(own_ms, parts[1:], strict=True):
            run = _run_of(session, part)
            told = run_python((*_PROBE, what, str(session.path), run.id))
            own_ms[what].append(float(told.lines[-1]))
        ground.progress.step()
    share, best = median(shares), median(bare)
    over_http, plain, asking = median(http_ms), median(own_ms["plain"]), median(own_ms["items"])
    yield Figure(
        name="jobs.rate_share",
        value=share,
        n=ROUNDS,
        baseline=f"threads that only ask, of {BEST_PER_S:.0f}/s",
        baseline_value=best,
        ratio=share / best,
        note=f"blind runs of {PER_RUN:,} items over HTTP, from the first answer recorded to the last",
    )
    yield Figure(
        name="jobs.cpu_ms",
        value=over_http,
        n=ROUNDS,
        baseline="the same with a model that sleeps",
        baseline_value=asking,
        ratio=over_http / asking,
        note="all threads of a blind worker with its HTTP client, its start left out; queue and dispatcher "
        f"alone: {plain:.2f} ms",
    )


def _run_of(session: Session, items: list[str]) -> Run:
    order = RunOrder(kind="blind", models=(MODEL,), settings={"items": items})
    return session.runs.start(order).result()[0]


def _pace(reader: Reader, run: Run, *, began: float) -> float:
    """Return answers per second between the first commit of answers and the last.

    Raises:
        EnvironmentFailure: The run was not answered.
    """
    keys = [
        bytes.fromhex(prediction.request_key)
        for prediction in reader.runs.predictions(run.id)
        if prediction.kind != "error"
    ]
    # Items of the same words share a key: one of them is asked, and what an earlier run asked is no pace.
    moments = [one.ended_at or 0.0 for key in set(keys) for one in reader.runs.attempts_of(key)]
    ends = sorted(moment for moment in moments if moment > began)
    if len(keys) < PER_RUN or len(ends) < PER_RUN / 2:
        raise EnvironmentFailure(
            f"Only {len(keys):,} of {PER_RUN:,} questions were answered, {len(ends):,} now."
        )
    return sum(end > ends[0] for end in ends) / (ends[-1] - ends[0])


def _letter_items(reader: Reader, *, count: int) -> list[str]:
    """Return ids of items that are asked about and answered with a letter."""
    found: list[str] = []
    for item in reader.records(Item):
        if item.answer_format == "option_letter" and item.state not in {"rejected", "filtered"}:
            found.append(item.id)
        if len(found) == count:
            break
    return found


@contextmanager
def _settings_at(folder: Path) -> Iterator[None]:
    """Keep the bench's model out of the person's settings."""
    before = os.environ.get("VANTAGE_CONFIG")
    os.environ["VANTAGE_CONFIG"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["VANTAGE_CONFIG"]
        else:
            os.environ["VANTAGE_CONFIG"] = before
