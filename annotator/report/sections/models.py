"""The models with their versions, and what the blind filter and the consensus found."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.quality.accuracy import Accuracy
from annotator.release.document import DocumentTable, Mark, Section, present, table_of_counts
from annotator.report.figures import BlindRun, ConsensusRun, ProjectFigures

NO_RUNS = "No model worked on the items."


def model_sections(project: ProjectFigures) -> Iterator[Section]:
    """Yield the models, the runs of the blind filter and those with images."""
    if not project.models:
        yield Section(title="Models and policies", texts=(NO_RUNS,))
        return
    rows = tuple(
        (line.run, line.state, line.model, line.served, line.revision, line.settings)
        for line in project.models
    )
    head = ("Run", "state", "model", "name on the server", "revision", "settings")
    table = DocumentTable(title="", head=head, rows=rows, worded=frozenset({0, 1, 5}))
    yield Section(title="Models and policies", tables=(table,))
    for run in project.blind:
        yield _blind_section(run)
    for consensus in project.consensus:
        yield _consensus_section(consensus)


def _blind_section(run: BlindRun) -> Section:
    report = run.report
    text = (
        f"Policy '{report.policy}', version {report.version}: {report.guessed:,} of {report.items:,} items "
        f"count as guessed, {report.kept:,} are kept, {report.undecided:,} are undecided. Of good items, "
        f"{report.loss:.1%} are lost by guessing at best, {report.stuck_loss:.1%} at worst."
    )
    models = DocumentTable(
        title="Right answers without images, with 95 % intervals",
        head=("Model", "asked", "right", "by chance", "p"),
        rows=tuple(
            (
                one.model,
                f"{one.asked:,}",
                _accuracy_text(one.accuracy),
                f"{one.by_chance / one.known:.1%}" if one.known else "–",
                "–" if one.p is None else f"{one.p:.2g}",
            )
            for one in report.models
        ),
        numeric=frozenset(range(1, 5)),
        marks=tuple(_mark(one.accuracy) for one in report.models),
        plot="interval",
    )
    tasks = DocumentTable(
        title="Decisions by task",
        head=("Task", "items", "guessed", "expected by chance", "undecided", "right", "by chance"),
        rows=tuple(
            (
                f"{one.task_set}/{one.task}",
                f"{one.items:,}",
                f"{one.guessed:,}",
                f"{one.expected:.1f}",
                f"{one.undecided:,}",
                f"{one.right / one.known:.1%}" if one.known else "–",
                f"{one.by_chance / one.known:.1%}" if one.known else "–",
            )
            for one in report.tasks
        ),
        numeric=frozenset(range(1, 7)),
        marks=tuple(Mark(value=one.guessed / one.items if one.items else None) for one in report.tasks),
        plot="bar",
        note="The plot shows the share of guessed items; 0 to 1.",
    )
    return Section(title=f"Blind filter, run {run.number}", texts=(text,), tables=(models, tasks))


def _consensus_section(run: ConsensusRun) -> Section:
    report = run.report
    text = (
        f"{report.judged:,} of {report.items:,} items have answers of at least two models; all of them "
        f"confirm the answer key of {report.confirmed:,}."
    )
    models = DocumentTable(
        title="Right answers with images, with 95 % intervals",
        head=("Model", "right", "answers"),
        rows=tuple(
            (name, _accuracy_text(found), f"{found.known:,}" if found else "0")
            for name, found in report.models
        ),
        numeric=frozenset({1, 2}),
        marks=tuple(_mark(found) for _, found in report.models),
        plot="interval",
    )
    disagreements = table_of_counts(
        "Disagreements", report.disagreements, head=("Kind", "items"), is_worded=True
    )
    tables = present(models, disagreements)
    return Section(title=f"Consensus with images, run {run.number}", texts=(text,), tables=tables)


def _accuracy_text(found: Accuracy | None) -> str:
    return f"{found.share:.1%} [{found.low:.1%}, {found.high:.1%}]" if found is not None else "–"


def _mark(found: Accuracy | None) -> Mark:
    if found is None:
        return Mark(value=None)
    return Mark(value=found.share, low=found.low, high=found.high)
