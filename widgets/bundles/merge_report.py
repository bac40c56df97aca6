"""The report of a merge: what came in and from whom, what is missing, what forked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from widgets.bundles.record_text import entity_title
from widgets.field_titles import field_title
from widgets.library.reports import MISSING_SHOWN, OperationReport
from widgets.message_text import message_text
from widgets.report_dialog import ReportFigure, ReportSection
from widgets.translation import join_texts, tr

if TYPE_CHECKING:
    from annotator.exchange.merge_report import MergeOutcome, NamedFork


def merged(
    window: QWidget,
    outcome: MergeOutcome,
    *,
    show_forks: Callable[[], object],
    locate_media: Callable[[], object],
) -> OperationReport:
    """Return the report of a merge.

    Args:
        window: Parent window.
        outcome: What the merge did.
        show_forks: Opens the dialog of the forks.
        locate_media: Asks for a folder to search for missing media files.
    """
    sections = (
        _problems(outcome),
        _received(outcome),
        _bundles(outcome),
        _missing(outcome),
        _refused_runs(outcome),
        _refused_media(outcome),
        _missing_media(outcome, locate_media=locate_media),
        _set_back(outcome),
        _forks(outcome, show_forks=show_forks),
    )
    return OperationReport(
        window,
        title=_title(outcome),
        subtitle=_subtitle(outcome),
        figures=[
            ReportFigure(number=outcome.added, title=tr("new events"), tone="good"),
            ReportFigure(number=outcome.known, title=tr("already present")),
            ReportFigure(number=outcome.waiting, title=tr("wait for other bundles"), tone="warn"),
            ReportFigure(number=len(outcome.forks), title=tr("forks"), tone="warn"),
            *_media_figures(outcome),
            *_prediction_figures(outcome),
            ReportFigure(number=len(outcome.problems), title=tr("refused"), tone="bad"),
        ],
        sections=[section for section in sections if section is not None],
    )


def _title(outcome: MergeOutcome) -> str:
    if outcome.is_cancelled:
        return tr("Merge stopped")
    if outcome.problems and not outcome.reports:
        return tr("Bundle refused")
    return tr("Bundles merged")


def _subtitle(outcome: MergeOutcome) -> str:
    if outcome.is_cancelled:
        return tr("What was entered before stays. Merge the bundles again to enter the rest.")
    if not outcome.added and _received_runs(outcome):
        return tr("No record is changed. The answers of models are in Review and in the Library.")
    if not outcome.added:
        return tr("The project is unchanged.")
    return tr(
        "Undo does not take back a merge: it undoes your own edits. The project as it was before the merge "
        "is a backup in the folder {folder}, with 'before_merge' in its name.",
        folder=outcome.backup_folder,
    )


def _problems(outcome: MergeOutcome) -> ReportSection | None:
    if not outcome.problems:
        return None
    rows = tuple(
        (name, f"{message_text(message)} {message_text(hint)}".strip())
        for name, message, hint in outcome.problems
    )
    note = "\n".join(f"{name}: {text}" for name, text in rows)
    return ReportSection(title=tr("Refused bundles"), note=note)


def _received(outcome: MergeOutcome) -> ReportSection | None:
    rows = tuple((f"{row.records:,}", entity_title(row.entity), row.person) for row in outcome.received)
    if not rows and (outcome.problems or outcome.waiting or _received_runs(outcome)):
        return None
    return ReportSection(
        title=tr("Records with new events"),
        columns=(tr("Records"), tr("Kind"), tr("Person")),
        rows=rows,
        note="" if rows else tr("Everything was here already."),
    )


def _set_back(outcome: MergeOutcome) -> ReportSection | None:
    if not outcome.set_back:
        return None
    return ReportSection(
        title=tr("Accepted items that are refined again"),
        columns=(tr("Item"),),
        rows=tuple((name,) for name in outcome.set_back),
        note=tr(
            "Nobody has accepted the content that they have after the merge. Accept them again in Review."
        ),
    )


def _bundles(outcome: MergeOutcome) -> ReportSection | None:
    rows = tuple(
        (f"{one.added:,}", f"{one.known:,}", one.author, _signature_text(one.signature), one.bundle)
        for one in outcome.reports
    )
    newer = sum(one.newer for one in outcome.reports)
    note = tr(
        "{n} events are of a newer version of Vantage. They are kept and passed on, and appear after an "
        "update.",
        n=f"{newer:,}",
    )
    columns = (tr("New events"), tr("Known"), tr("Author"), tr("Signature"), tr("Bundle"))
    if not rows:
        return None
    notes = [note] if newer else []
    if people := sorted({name for one in outcome.reports for name in one.unsigned}):
        unsigned = tr(
            "Events of {people} came without a signature, although their key is trusted.",
            people=join_texts(people),
        )
        notes.append(unsigned)
    return ReportSection(title=tr("Bundles"), columns=columns, rows=rows, note="\n".join(notes))


def _signature_text(state: str) -> str:
    if state == "verified":
        return tr("Verified")
    return tr("Key not confirmed") if state == "unknown" else tr("Not signed")


def _missing(outcome: MergeOutcome) -> ReportSection | None:
    if not (outcome.missing or outcome.waiting):
        return None
    note = tr(
        "Events wait for these. They are kept, and entered when a bundle that has the missing ones is "
        "merged: ask these people for a bundle, or anybody who has merged theirs."
    )
    return ReportSection(
        title=tr("Missing events"),
        columns=(tr("Events"), tr("Person")),
        rows=tuple((f"{one.events:,}", one.person) for one in outcome.missing),
        note=note,
    )


def _media_figures(outcome: MergeOutcome) -> list[ReportFigure]:
    if outcome.media is None or not (outcome.media.taken or outcome.media.missing):
        return []
    return [
        ReportFigure(number=outcome.media.taken, title=tr("media files"), tone="good"),
        ReportFigure(number=len(outcome.media.missing), title=tr("media missing"), tone="warn"),
    ]


def _received_runs(outcome: MergeOutcome) -> int:
    return outcome.predictions.runs if outcome.predictions is not None else 0


def _prediction_figures(outcome: MergeOutcome) -> list[ReportFigure]:
    count = _received_runs(outcome)
    return [ReportFigure(number=count, title=tr("runs of models"), tone="good")] if count else []


def _refused_runs(outcome: MergeOutcome) -> ReportSection | None:
    if outcome.predictions is None or not outcome.predictions.refused:
        return None
    return ReportSection(
        title=tr("Runs not entered"),
        columns=(tr("Run"),),
        rows=tuple((title,) for title in outcome.predictions.refused),
        note=tr(
            "The project has runs of the same ids with other contents, which stay as they are. Run the "
            "command verify on both projects."
        ),
    )


def _refused_media(outcome: MergeOutcome) -> ReportSection | None:
    if outcome.media is None or not outcome.media.refused:
        return None
    return ReportSection(
        title=tr("Media files not taken"),
        columns=(tr("Name"),),
        rows=tuple((name,) for name in outcome.media.refused),
        note=tr("Their content in the bundle is not that of the project. Ask the author for a new bundle."),
    )


def _missing_media(outcome: MergeOutcome, *, locate_media: Callable[[], object]) -> ReportSection | None:
    if outcome.media is None or not (outcome.media.missing and outcome.added):
        return None
    return ReportSection(
        title=tr("Missing media"),
        columns=(tr("Name"),),
        rows=tuple((name,) for name in outcome.media.missing[:MISSING_SHOWN]),
        note=tr(
            "These media have no file on this computer. Double-click a line to search a folder for all of "
            "them, or choose 'Locate media in a folder…' in the menu: files are found by content."
        ),
        open_row=lambda _row: locate_media(),
    )


def _fork_row(one: NamedFork) -> tuple[str, ...]:
    people = ", ".join(dict.fromkeys(value.actor for value in one.fork.values))
    return (entity_title(one.fork.entity), one.name, field_title(one.fork.field), people)


def _forks(outcome: MergeOutcome, *, show_forks: Callable[[], object]) -> ReportSection | None:
    if not (outcome.forks and outcome.reports):
        return None
    rows = tuple(map(_fork_row, outcome.forks))
    return ReportSection(
        title=tr("Forks"),
        columns=(tr("Kind"), tr("Name"), tr("Field"), tr("Changed by")),
        rows=rows,
        note=tr(
            "Two people changed these fields independently; both values are kept. Double-click a line to "
            "choose the values, or choose 'Resolve forks…' in the menu."
        ),
        open_row=lambda _row: show_forks(),
    )
