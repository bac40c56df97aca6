"""What the release contains: tasks, answers, distributions and degradations."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from annotator.release.card import NOT_STATED
from annotator.release.dataset_figures import DatasetFigure
from annotator.release.document import DocumentTable, Mark, Section, present, table_of_counts
from annotator.report.figures import LabelFigures, ProjectFigures, ReportFigures

MOST_BARS = 24
"""Words and answers of a distribution: those that most items have."""
TITLES = {
    "issue_classes": "Issue classes of the drafts",
    "frames": "Frames per item",
    "path": "Length of the flight path",
    "words": "Words per question",
    "question_words": "Most frequent words of questions",
    "option_words": "Most frequent words of options",
    "regions": "Regions per image",
    "answers": "Answer keys",
}
"""Titles of the distributions; ``items`` is in the table of tasks."""
_COUNTED = {"task": "Task", "dataset": "Data set", "state": "State", "entity": "Record"}
"""Titles of the columns of the table of a composition, by what is counted."""
ISSUE_CLASSES = {
    "question": "Invalid or ambiguous question",
    "hallucination": "Urban element hallucination",
    "direction": "Direction",
    "options": "Options",
}


def content_sections(figures: ReportFigures) -> Iterator[Section]:
    """Yield the composition of the release, and the statistics of its items."""
    counts = figures.card.counts
    tables = [
        table_of_counts(
            "", _named(counts.get(name, {})), head=(title, "records"), is_worded=name in {"state", "entity"}
        )
        for name, title in _COUNTED.items()
    ]
    yield Section(title="Composition", tables=present(*tables))
    if figures.project is not None:
        yield Section(title="Questions and answers", tables=_task_tables(figures.project))
        yield Section(title="Distributions", tables=_distributions(figures.project))
        yield _label_section(figures.project.labels)


def _named(counts: dict[str, int]) -> dict[str, int]:
    return {value or NOT_STATED: n for value, n in counts.items()}


def _task_tables(project: ProjectFigures) -> tuple[DocumentTable, ...]:
    most = max((line.words["max"] for line in project.tasks), default=0.0)
    words = DocumentTable(
        title="Words per question, answer formats and options, by task",
        head=("Task", "items", "answer formats", "median", "mean", "min", "max", "options"),
        rows=tuple(
            (
                line.task,
                f"{line.items:,}",
                ", ".join(line.answer_formats),
                *(f"{line.words[name]:.1f}" for name in ("median", "mean")),
                *(f"{line.words[name]:.0f}" for name in ("min", "max")),
                _range(line.options),
            )
            for line in project.tasks
        ),
        numeric=frozenset({1, 3, 4, 5, 6, 7}),
        marks=tuple(
            Mark(value=line.words["median"], low=line.words["min"], high=line.words["max"])
            for line in project.tasks
        ),
        plot="interval",
        high=float(most),
        note="The plot shows the median and the range of the words per question.",
        worded=frozenset({7}),
    )
    return present(words, _letter_table(project))


def _range(numbers: dict[str, float]) -> str:
    low, high = numbers["min"], numbers["max"]
    return f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}"


def _letter_table(project: ProjectFigures) -> DocumentTable:
    lettered = [line for line in project.tasks if line.letters]
    letters = sorted({letter for line in lettered for letter in line.letters})
    rows = []
    for line in lettered:
        total = sum(line.letters.values())
        shares = (f"{line.letters.get(letter, 0) / total:.1%}" for letter in letters)
        rows.append((line.task, f"{total:,}", *shares))
    return DocumentTable(
        title="Letters of the answer keys",
        head=("Task", "items", *letters),
        rows=tuple(rows),
        numeric=frozenset(range(1, len(letters) + 2)),
    )


def _distributions(project: ProjectFigures) -> tuple[DocumentTable, ...]:
    lettered = {line.task for line in project.tasks if line.letters}
    return tuple(_distribution(one) for one in project.distributions if _is_shown(one, lettered=lettered))


def _is_shown(figure: DatasetFigure, *, lettered: Collection[str]) -> bool:
    """Return whether a distribution says more than the tables by task."""
    is_told = figure.task in lettered or (figure.subject == "words" and figure.task != "")
    return figure.subject in TITLES and not is_told


def _distribution(figure: DatasetFigure) -> DocumentTable:
    title = TITLES[figure.subject]
    names = ISSUE_CLASSES if figure.subject == "issue_classes" else {}
    bars = figure.bars[:MOST_BARS]
    return DocumentTable(
        title=f"{title}: {figure.task}" if figure.task else title,
        head=(figure.unit or "value", "number", "share"),
        rows=tuple((names.get(bar.name, bar.name), f"{bar.count:,}", f"{bar.share:.1%}") for bar in bars),
        numeric=frozenset({1, 2}),
        marks=tuple(Mark(value=float(bar.count)) for bar in bars),
        plot="bar",
        high=float(max(bar.count for bar in bars)),
        worded=frozenset({0}) if names else frozenset(),
    )


def _label_section(labels: LabelFigures) -> Section:
    if not labels.labels:
        return Section(title="Visual degradations")
    text = (
        f"{labels.labels:,} event labels of the released images; {labels.unusable:,} say that the image is "
        "not usable."
    )
    degradations = table_of_counts(
        "Degradations",
        labels.degradations,
        head=("Degradation", "labels"),
        note="A label may have several.",
        is_worded=True,
    )
    quality = table_of_counts("Quality of the images", labels.quality, head=("Grade", "labels"))
    return Section(title="Visual degradations", texts=(text,), tables=present(degradations, quality))
