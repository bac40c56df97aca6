"""Items that can be asked about, and the steps of asking without any worker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.eval_settings import EvalSettings
from annotator.domain.item import LETTERS, Item, Option
from annotator.domain.model_families import resolved_profile
from annotator.domain.profile import ModelProfile
from annotator.domain.record import new_id
from annotator.domain.run import Run
from annotator.domain.work import Claim, JobPlan
from annotator.jobs.job_type import WorkerContext
from annotator.jobs.job_types.evaluation import KIND
from annotator.progress import Progress
from annotator.session import Session

CHAT = ModelProfile(name="chat", adapter="openai", model="m", base_url="http://127.0.0.1:1/v1")
PROBE = ModelProfile(name="probe", adapter="probe")
TEXTS = ("a red car", "two white vans", "nobody at all", "the long bridge")


def choice(*texts: str, answer_key: str = "A", **fields: Any) -> Item:
    """Return a question with options."""
    options = tuple(Option(letter=LETTERS[n], text=text) for n, text in enumerate(texts or TEXTS))
    told = {
        "id": new_id(),
        "name": "Real2_OR_1_UAV1",
        "task_set": "aircop",
        "task": "object_recognition",
        "question": "Which of these can be seen?",
        "options": options,
        "answer_key": answer_key,
    }
    return Item(**(told | fields))


def open_question(answer_format: str, key: str, **fields: Any) -> Item:
    """Return a question without options."""
    told = {"id": new_id(), "name": "Q_1", "task_set": "spatialuav", "question": "Which one?"}
    return Item(**(told | {"answer_format": answer_format, "answer_key": key} | fields))


def a_run(settings: EvalSettings, *profiles: ModelProfile) -> Run:
    """Return a run that is in no project."""
    return Run(
        id=new_id(),
        kind="consensus" if settings.visual_input == "sighted" else "blind",
        models=tuple(profile.name for profile in profiles),
        settings=settings.to_json(),
        profiles={profile.name: msgspec.to_builtins(resolved_profile(profile)) for profile in profiles},
    )


def worker_context(session: Session, *profiles: ModelProfile) -> WorkerContext:
    """Return the worker_context of a run."""
    return WorkerContext(
        reader=session.reader,
        roots=session.roots,
        profiles={profile.name: resolved_profile(profile) for profile in profiles},
    )


def planned(session: Session, settings: EvalSettings, *profiles: ModelProfile) -> list[JobPlan]:
    """Return the jobs of a run."""
    run, context = a_run(settings, *profiles), worker_context(session, *profiles)
    return list(KIND.plan(run, context, progress=Progress()))


def claim_of(job: JobPlan, *, run: str = "r") -> Claim:
    """Return a job in the hands of a worker."""
    return Claim(
        job=1,
        fence=1,
        run=run,
        kind="blind",
        request_key=job.request_key,
        model=job.model,
        target=job.target,
        spec=msgspec.json.decode(msgspec.json.encode(job.spec)),
        worst_micro=job.worst_micro,
        attempts=0,
    )


def picture_file(folder: Path, name: str, *, colour: tuple[int, int, int] = (200, 30, 30)) -> Path:
    """Write a small picture and return where it is."""
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    Image.new("RGB", (80, 60), colour).save(path)
    return path
