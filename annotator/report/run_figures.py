"""The figures of a report about models: their versions, the blind filter and the consensus."""

from __future__ import annotations

from typing import Any

from annotator.domain.run import Run
from annotator.progress import Progress
from annotator.quality import blind, consensus
from annotator.quality.policy import stored_policy
from annotator.quality.predictions import collect_predictions
from annotator.queries.reader import Reader
from annotator.report.figures import BlindRun, ConsensusRun, ModelLine


def model_lines(reader: Reader) -> tuple[ModelLine, ...]:
    """Return the models of all runs, the oldest run first; neither addresses nor paths."""
    return tuple(_line(run, name) for run in reversed(reader.runs.all()) for name in run.models)


def blind_runs(reader: Reader, *, progress: Progress) -> tuple[BlindRun, ...]:
    """Return the decisions of the policy of each run of the blind filter, the oldest first.

    Raises:
        Cancelled: The user cancelled the operation.
    """
    return tuple(
        BlindRun(number=run.number, report=_blind_report(reader, run, progress=progress))
        for run in _runs(reader, "blind")
    )


def consensus_runs(reader: Reader, *, progress: Progress) -> tuple[ConsensusRun, ...]:
    """Return the figures of each run of models with images, the oldest first.

    Raises:
        Cancelled: The user cancelled the operation.
    """
    found = []
    for run in _runs(reader, "consensus"):
        entries = collect_predictions(reader, run, progress=progress)
        disagreements = [one for entry in entries for one in consensus.find_disagreements(entry)]
        report = consensus.report_on(entries, disagreements)
        found.append(ConsensusRun(number=run.number, report=report))
    return tuple(found)


def _runs(reader: Reader, kind: str) -> list[Run]:
    return [run for run in reversed(reader.runs.all()) if run.kind == kind]


def _blind_report(reader: Reader, run: Run, *, progress: Progress) -> blind.BlindReport:
    policy = stored_policy(str(run.settings.get("policy", "")))
    entries = collect_predictions(reader, run, progress=progress)
    return blind.report_on(blind.decide_all(entries, policy, progress=progress), policy)


def _line(run: Run, name: str) -> ModelLine:
    profile: dict[str, Any] = run.profiles.get(name, {})
    parts = (("temperature", "temperature"), ("max_tokens", "tokens"), ("seed", "seed"))
    settings = ", ".join(f"{title} {profile[key]}" for key, title in parts if profile.get(key) is not None)
    return ModelLine(
        run=f"{run.kind} {run.number}",
        state=run.state,
        model=name,
        served=str(profile.get("model") or ""),
        revision=str(profile.get("revision") or ""),
        settings=settings,
    )
