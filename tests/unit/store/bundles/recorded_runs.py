"""Runs about an item whose answers are recorded, with a profile that says more than a bundle may."""

from __future__ import annotations

import hashlib
from contextlib import closing

from annotator.domain.eval_settings import prompt_digest
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.domain.run import Prediction, Run, RunKind
from annotator.domain.work import CallFailure, JobOutcome, JobPlan
from annotator.progress import Progress
from annotator.store.work.queue import WorkQueue
from tests.unit.store.bundles.workstations import Workstation

NOW = 1_800_000_000.0
SECRET = "http://10.0.0.7:8000/v1"
PROFILE = {
    "name": "Qwen",
    "adapter": "openai",
    "model": "qwen-vl",
    "base_url": SECRET,
    "key_from": "env:TEAM_KEY",
    "path": "/srv/weights",
    "options": {"arguments": ["--port", "9"]},
}


def ask(
    person: Workstation,
    asked: Item,
    *answers: str,
    kind: RunKind = "consensus",
    run_id: str = "",
    is_finished: bool = True,
) -> Run:
    """Record a run with one answer per rotation; an answer of "" is a failed call."""
    run = Run(
        id=run_id or new_id(),
        kind=kind,
        models=("Qwen",),
        profiles={"Qwen": PROFILE},
        created_at="2026-05-02T08:00:00+00:00",
    )
    shown = prompt_digest(asked)
    jobs = [
        JobPlan(
            request_key=hashlib.sha256(f"{run.id} {turn}".encode()).digest(),
            model="Qwen",
            target=asked.id,
            spec={"shown": shown, "order": "ABC", "rotation": turn, "sample": 0, "prompt": "ask 1"},
        )
        for turn in range(len(answers))
    ]
    with closing(WorkQueue.open(person.path)) as queue:
        queue.runs.plan(run, jobs, progress=Progress())
        if is_finished:
            record_answers(queue, run, answers)
    return run


def record_answers(queue: WorkQueue, run: Run, answers: tuple[str, ...]) -> None:
    """Answer the waiting jobs of a run, each as its rotation says."""
    for claim in queue.claim("w", run=run.id, model="Qwen", count=len(answers), now=NOW):
        answer = answers[claim.spec["rotation"]]
        failure = None if answer else CallFailure(kind="server", message=f"No answer from {SECRET}.")
        prediction = Prediction(
            request_key=claim.request_key.hex(),
            kind="answer" if answer else "error",
            target=claim.target,
            model={"name": "qwen-vl", "kind": "chat", "base_url": SECRET, "parameters": {"path": "/srv"}},
            spec=claim.spec,
            answer=answer,
            text=f"It is red: {answer}." if answer else "",
            message=failure.message if failure else "",
            run=run.id,
            made_at="2026-05-02T08:00:00+00:00",
        )
        queue.mark_sent([claim], [b"?"])
        queue.record([JobOutcome(claim=claim, prediction=prediction, failure=failure)], now=NOW)
