"""The registry of job types: one module per type of model work."""

from __future__ import annotations

from functools import cache

from annotator.domain.run import RunKind
from annotator.jobs.job_type import JobType


@cache
def job_type_of(run_kind: RunKind) -> JobType:
    """Return the job type of a kind of run.

    Modules are imported on first use: they need images and prompts, which the start of the window does
    without.
    """
    if run_kind == "draft":
        from annotator.jobs.job_types import drafting

        return drafting.KIND
    if run_kind == "detect":
        from annotator.jobs.job_types import detect

        return detect.KIND
    if run_kind == "depth":
        from annotator.jobs.job_types import depth

        return depth.KIND
    from annotator.jobs.job_types import evaluation

    return evaluation.KIND
