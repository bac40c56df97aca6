"""The list of review cases: the most worth first, with counts by reason and task."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from annotator.domain.query import SortOrder
from annotator.domain.review import ReviewCase, ReviewQuery
from annotator.queries.reader import Reader
from widgets import display_text
from widgets.library.facet_menu import task_of_facet
from widgets.library.record_types import FoundRecords, Query, RecordColumn, RecordFacet, RecordTypeView
from widgets.translation import join_texts, tr
from widgets.translation import mark as _

REASONS: dict[str, str] = {
    "fork": _("Two versions"),
    "people_disagree": _("People disagree"),
    "person_against_key": _("People ≠ answer key"),
    "models_against_key": _("Models ≠ answer key"),
    "failed_check": _("Failed checks"),
    "blind_filter": _("Blind filter"),
    "import_problem": _("Import problem"),
    "question": _("Questions in comments"),
    "by_hand": _("Raised by hand"),
}
"""English titles of the reasons of cases, in the order of the queue's filters."""
RECORDS = {
    "item": _("Item"),
    "scene": _("Scene"),
    "medium": _("Media file"),
    "event_label": _("Event label"),
    "region": _("Region"),
    "link": _("Link"),
    "path": _("Path"),
    "trajectory": _("Trajectory"),
    "task": _("Task"),
    "project": _("Project"),
}
"""English titles of the kinds of records that cases are about."""


def reason_title(reason: str) -> str:
    """Return the title of a reason."""
    return tr(REASONS.get(reason, display_text.plain(reason)))


def record_kind_title(entity: str) -> str:
    """Return the title of a kind of record."""
    return tr(RECORDS.get(entity, display_text.plain(entity)))


def case_task_title(value: str) -> str:
    """Return the title of a task that cases are counted by, for the value of its facet."""
    task, task_set = task_of_facet(value)
    return display_text.task_title(task, task_set) if task else tr("No task")


def severity_title(value: str) -> str:
    """Return the title of a severity."""
    known: dict[str, str] = {**display_text.SEVERITIES}
    return tr(known.get(value, value))


def case_state_title(value: str) -> str:
    """Return the title of a state that cases are counted by; records that are no items have none."""
    return display_text.item_state_title(value) if value else tr("No state")


def case_title(case: ReviewCase) -> str:
    """Return why a record waits for a decision; for a record that is no item, also its kind."""
    reasons = join_texts(map(reason_title, case.reasons))
    return reasons if case.entity == "item" else f"{record_kind_title(case.entity)} · {reasons}"


def as_query(query: ReviewQuery) -> Query:
    """Return a selection of cases as what a list takes; it lacks the search text of the Library."""
    return cast("Query", query)


def find_cases(reader: Reader, query: ReviewQuery, order: SortOrder) -> FoundRecords:
    """Query cases, with all figures from one snapshot; their order is that of their worth."""
    with reader.snapshot():
        facets = reader.reviews.facets(query)
        display_text.load_task_set_titles((one.value for one in facets["task_set"]), project=reader.path)
        return FoundRecords(
            query=as_query(query),
            order=order,
            numbers=reader.reviews.numbers(query),
            total=reader.reviews.count(ReviewQuery()),
            facets=facets,
            sources={},
        )


def read_cases(reader: Reader, numbers: Iterable[int]) -> list[ReviewCase]:
    """Return cases by their numbers."""
    return reader.reviews.rows(numbers)


CASES = RecordTypeView(
    id="review",
    title=_("Review cases"),
    everything=as_query(ReviewQuery()),
    columns=(
        RecordColumn(
            id="case",
            title=_("Case"),
            width_px=0,
            text=lambda case: f"{case_title(case)}  {case.name}",
            is_sortable=False,
        ),
    ),
    facets=(
        RecordFacet(
            id="reason",
            title=_("Reason"),
            field="reasons",
            title_of=lambda value, _found: reason_title(value),
            order=tuple(REASONS),
        ),
    ),
    find=find_cases,
    rows=read_cases,
    depends_on={
        "flag": ("target", "kind", "state", "severity", "raised_by", "evidence"),
        "item": None,
        "response": None,
        "assignment": None,
        "scene": ("name", "views"),
        "medium": ("name",),
    },
)
"""The list of the queue."""
