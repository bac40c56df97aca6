"""How the items were made, and why items left."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.release.document import DocumentTable, Section, present, table_of_counts
from annotator.report.figures import ProjectFigures

HIDDEN = (
    "The answer keys of {count:,} released items are hidden. Labels, regions and paths of what these items "
    "show, answers of models and people, and digests of the imported files are left out of this report, "
    "because the answer keys could be computed from them."
)


def making_sections(project: ProjectFigures) -> Iterator[Section]:
    """Yield how the items were made, and the items per state with the reasons of those that left."""
    text = (
        f"The project at the time of the release: scenes {project.scenes:,}, media files {project.media:,}, "
        f"persons {project.persons:,}, changes in the log {project.events:,}."
    )
    origins = table_of_counts(
        "Origin of the released items", project.origins, head=("Origin", "items"), is_worded=True
    )
    texts = (text, HIDDEN.format(count=project.hidden)) if project.hidden else (text,)
    yield Section(title="How it was made", texts=texts, tables=present(origins, _source_table(project)))
    states = table_of_counts(
        "Items of the project per state", project.states, head=("State", "items"), is_worded=True
    )
    reasons = table_of_counts(
        "Why items left", project.reasons, head=("State and reason", "items"), is_worded=True
    )
    yield Section(title="Life of the items", tables=present(states, reasons))


def _source_table(project: ProjectFigures) -> DocumentTable:
    if project.hidden:
        return DocumentTable(
            title="Imported files",
            head=("File", "format", "released items"),
            rows=tuple((line.name, line.format, f"{line.items:,}") for line in project.sources),
            numeric=frozenset({2}),
        )
    rows = tuple(
        (one.name, one.format, f"{one.records:,}", f"{one.rejected:,}", f"{one.items:,}", one.sha256[:12])
        for one in project.sources
    )
    head = ("File", "format", "records", "rejected", "released items", "SHA-256")
    return DocumentTable(title="Imported files", head=head, rows=rows, numeric=frozenset({2, 3, 4}))
