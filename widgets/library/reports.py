"""Reports of long operations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from annotator.domain.flag import Flag
from widgets import display_text
from widgets.import_wizard.formats import format_title
from widgets.locator_text import locator_text
from widgets.message_text import message_text
from widgets.report_dialog import ReportDialog, ReportFigure, ReportSection
from widgets.translation import tr, trn

if TYPE_CHECKING:
    # Imported for type checking only, to keep the start of the window short.
    from annotator.commands.media_import import MediaImportReport
    from annotator.commands.releases import ReleaseReport
    from annotator.commands.variants import VariantReport
    from annotator.draft.report import DraftReport
    from annotator.importers.report import ImportReport
    from annotator.quality.report import CheckReport
    from annotator.queries.media_survey import MediaSurvey
    from annotator.release.manifest import Manifest

ShowKind = Callable[[str], object]
MISSING_SHOWN = 500
"""Maximum number of missing media listed by name; the figure above the list counts all."""


class OperationReport(ReportDialog):
    """A report dialog whose initial focus is on 'Close'."""

    def open_report(self) -> None:
        """Show the dialog."""
        self.open(self.close_button)


def imported(
    window: QWidget, report: ImportReport | None, *, media: MediaImportReport | None, show_kind: ShowKind
) -> OperationReport:
    """Return the report of an import.

    Args:
        window: Parent window.
        report: Figures of the files, None for none.
        media: Figures of the media, None for none.
        show_kind: Shows the records with one kind of flag.
    """
    sections = [
        *([_media_section(media)] if media is not None else []),
        *(_file_sections(report, show_kind=show_kind) if report is not None else []),
    ]
    return OperationReport(
        window,
        title=tr("Import finished"),
        subtitle=tr("Undo reverts the import step by step."),
        figures=[*_media_figures(media), *_file_figures(report), *_scene_figures(report, media)],
        sections=sections,
    )


def _file_figures(report: ImportReport | None) -> list[ReportFigure]:
    if report is None:
        return []
    return [
        ReportFigure(number=report.records, title=tr("records found")),
        ReportFigure(number=report.added, title=tr("added"), tone="good"),
        ReportFigure(number=report.unchanged, title=tr("already present")),
        ReportFigure(number=report.rejected, title=tr("could not be imported"), tone="bad"),
        ReportFigure(number=sum(report.flags.values()), title=tr("flags"), tone="warn"),
    ]


def _media_figures(media: MediaImportReport | None) -> list[ReportFigure]:
    if media is None:
        return []
    return [
        ReportFigure(number=media.media_added + media.media_filled, title=tr("media files"), tone="good"),
    ]


def _scene_figures(report: ImportReport | None, media: MediaImportReport | None) -> list[ReportFigure]:
    # Records and media both create scenes: one figure, which matches the list.
    scenes = (report.scenes if report else 0) + (media.scenes_added if media else 0)
    return [ReportFigure(number=scenes, title=tr("new scenes"), tone="good")] if scenes or media else []


def _media_section(media: MediaImportReport) -> ReportSection:
    counts = (
        (media.scenes_extended, tr("scenes with added views")),
        (media.media_filled, tr("files already referenced by labels")),
        (media.media_known, tr("files already in the project")),
        (media.damaged, tr("damaged files, each with a flag")),
        (media.left_out, tr("files without a scene, not imported")),
    )
    rows = [(f"{count:,}", words_) for count, words_ in counts if count]
    rows += [(name, message_text(why)) for name, why in media.rejected]
    note = "" if rows else tr("All files are new and belong to a scene.")
    return ReportSection(
        title=tr("Media files"), columns=(tr("Files"), tr("Result")), rows=tuple(rows), note=note
    )


def _file_sections(report: ImportReport, *, show_kind: ShowKind) -> list[ReportSection]:
    rejections = tuple(
        (file.file, str(bad.line), locator_text(bad.locator), bad.field, message_text(bad.message))
        for file in report.files
        for bad in file.rejections
    )
    files = tuple(
        (
            file.file,
            format_title(file.format),
            f"{file.records:,}",
            f"{file.added:,}",
            f"{file.unchanged:,}",
            f"{file.rejected:,}",
        )
        for file in report.files
    )
    sections = [_flags(report.flags, show_kind=show_kind, none=tr("No contradictions."))]
    if report.incomplete:
        lines = tuple((file.file, display_text.unread_text(file)) for file in report.incomplete)
        title = tr("Files that were not read to the end")
        sections.insert(0, ReportSection(title=title, columns=(tr("File"), tr("Problem")), rows=lines))
    if rejections:
        bad = (tr("File"), tr("Line"), tr("Record"), tr("Field"), tr("Problem"))
        title = tr("Records that could not be imported")
        sections.insert(0, ReportSection(title=title, columns=bad, rows=rejections))
    columns = (tr("File"), tr("Format"), tr("Records"), tr("Added"), tr("Unchanged"), tr("Not imported"))
    sections.append(ReportSection(title=tr("Files"), columns=columns, rows=files))
    return sections


def surveyed(window: QWidget, survey: MediaSurvey) -> OperationReport:
    """Return the report of a media search."""
    counts = survey.counts
    missing = survey.of("missing")[:MISSING_SHOWN]
    rows = tuple((entry.name, entry.path) for entry in missing)
    note = tr(
        "Put the files into the media folder under any name, then search again. Files are identified by "
        "their content."
    )
    return OperationReport(
        window,
        title=tr("Media files"),
        subtitle=tr("Searched folder: {folder}", folder=survey.root),
        figures=[
            ReportFigure(number=counts.get("found", 0), title=tr("found"), tone="good"),
            ReportFigure(number=counts.get("missing", 0), title=tr("missing"), tone="warn"),
            ReportFigure(number=counts.get("changed", 0), title=tr("changed"), tone="bad"),
            ReportFigure(number=counts.get("ambiguous", 0), title=tr("several files match"), tone="bad"),
        ],
        sections=[
            ReportSection(
                title=tr("Missing"), columns=(tr("Name"), tr("Expected path")), rows=rows, note=note
            )
        ]
        if rows
        else [],
    )


def checked(
    window: QWidget, report: CheckReport, *, task_flags: list[Flag], show_kind: ShowKind
) -> OperationReport:
    """Return the report of the checks.

    Args:
        window: The parent window.
        report: The figures.
        task_flags: Open flags on tasks as a whole.
        show_kind: Shows the records with one kind of flag.
    """
    sections = [_flags(dict(report.checks), show_kind=show_kind, none=tr("The checks found no problems."))]
    if task_flags:
        rows = tuple(
            (_task(flag.target), display_text.flag_kind_title(flag.kind), message_text(flag.message))
            for flag in task_flags
        )
        columns = (tr("Task"), tr("Flag"), tr("Finding"))
        sections.append(ReportSection(title=tr("Flags on tasks"), columns=columns, rows=rows))
    if report.file_faults:
        sections.append(_own_faults(report))
    return OperationReport(
        window,
        title=tr("Checks finished"),
        subtitle=tr(
            "{added} flags added, {updated} updated, {resolved} resolved because their cause no longer "
            "exists.",
            added=f"{report.flags_added:,}",
            updated=f"{report.flags_updated:,}",
            resolved=f"{report.flags_resolved:,}",
        ),
        figures=[
            ReportFigure(number=report.items, title=tr("items checked")),
            ReportFigure(number=report.severities["error"], title=tr("must be decided"), tone="bad"),
            ReportFigure(number=report.severities["warning"], title=tr("should be looked at"), tone="warn"),
        ],
        sections=sections,
    )


def _own_faults(report: CheckReport) -> ReportSection:
    return ReportSection(
        title=tr("Project files with errors"),
        columns=(tr("File"), tr("Error")),
        rows=tuple((fault.where, message_text(fault.message)) for fault in report.file_faults),
    )


def drafted(window: QWidget, report: DraftReport) -> OperationReport:
    """Return the report of drafting by rule."""
    tasks = tuple(
        (f"{count:,}", display_text.task_title(task), f"{100 * report.best_constant_answer(task):.0f} %")
        for task, count in report.tasks.most_common()
    )
    reasons = tuple((f"{count:,}", _reason(text)) for text, count in report.reasons.most_common())
    columns = (tr("Items"), tr("Task"), tr("Accuracy of a constant answer"))
    sections = [
        ReportSection(
            title=tr("New items"), columns=columns, rows=tasks, note="" if tasks else tr("No new items.")
        )
    ]
    if reasons:
        sections.append(
            ReportSection(
                title=tr("Reasons for missing items"),
                columns=(tr("Count"), tr("Task and reason")),
                rows=reasons,
            )
        )
    return OperationReport(
        window,
        title=tr("Drafting finished"),
        subtitle=tr("A scene gives an item only if its records determine the answer without doubt."),
        figures=[
            ReportFigure(number=report.scenes, title=tr("scenes checked")),
            ReportFigure(number=report.drafted, title=tr("items drafted"), tone="good"),
            ReportFigure(number=report.unchanged, title=tr("already present")),
            ReportFigure(number=report.skipped, title=tr("produced no item"), tone="warn"),
        ],
        sections=sections,
    )


def variants_made(window: QWidget, report: VariantReport) -> OperationReport:
    """Return the report of variants that were made."""
    reasons = tuple((f"{count:,}", message_text(reason)) for reason, count in report.skipped.most_common())
    section = ReportSection(
        title=tr("Reasons for missing variants"), columns=(tr("Count"), tr("Reason")), rows=reasons
    )
    return OperationReport(
        window,
        title=tr("Variants made"),
        subtitle=tr("New variants are drafts: they are refined and filtered like other items."),
        figures=[
            ReportFigure(number=len(report.made), title=tr("new variants"), tone="good"),
            ReportFigure(number=len(report.updated), title=tr("made again")),
            ReportFigure(number=len(report.linked), title=tr("pairs linked")),
            ReportFigure(number=len(report.rejected), title=tr("duplicates rejected")),
            ReportFigure(number=report.known, title=tr("already present")),
            ReportFigure(number=report.skipped.total(), title=tr("without a variant"), tone="warn"),
        ],
        sections=[section] if reasons else [],
    )


def released(window: QWidget, report: ReleaseReport) -> OperationReport:
    """Return the report of a release."""
    manifest = report.manifest
    files = ReportSection(
        title=tr("Files"),
        columns=(tr("Name"), tr("Records"), "SHA-256"),
        rows=tuple((file.name, f"{file.records:,}", file.sha256) for file in manifest.files),
    )
    sections = [
        ReportSection(
            title=tr("Released items"), columns=(tr("Items"), tr("State")), rows=_state_rows(manifest)
        ),
        files,
        ReportSection(
            title=tr("Reasons for withheld records"),
            columns=(tr("Records"), tr("Reason")),
            rows=_withheld_rows(manifest),
        ),
        ReportSection(
            title=tr("Splits"),
            columns=(tr("Items"), tr("Split")),
            rows=_division_rows(manifest),
            note=_keys_note(report),
        ),
        ReportSection(
            title=tr("Waived gates"),
            columns=(tr("Gate"), tr("Number left"), tr("Reason")),
            rows=_waived_rows(manifest),
        ),
    ]
    unchanged = tr("The folder already contains this release.") if report.is_unchanged else ""
    return OperationReport(
        window,
        title=tr("Release written"),
        subtitle="\n".join(filter(None, (str(report.folder), f"SHA-256 {manifest.sha256}", unchanged))),
        figures=[
            ReportFigure(number=manifest.records, title=_released_text(report.export_format), tone="good"),
            ReportFigure(number=manifest.withheld.records, title=tr("withheld"), tone="warn"),
        ],
        sections=[section for section in sections if section.rows or section is files],
    )


def _state_rows(manifest: Manifest) -> tuple[tuple[str, str], ...]:
    """Return the numbers of released items by state."""
    states = manifest.counts.get("state") or {}
    return tuple((f"{count:,}", display_text.item_state_title(state)) for state, count in states.items())


def _withheld_rows(manifest: Manifest) -> tuple[tuple[str, str], ...]:
    """Return the numbers of withheld records by reason."""
    reasons = manifest.withheld.reasons.items()
    return tuple((f"{count:,}", display_text.withheld_reason_text(kind)) for kind, count in reasons)


def _waived_rows(manifest: Manifest) -> tuple[tuple[str, str, str], ...]:
    """Return the waived gates, with what they leave and why."""
    waived = (gate for gate in manifest.gates or () if gate.state == "waived")
    return tuple((display_text.gate_title(gate.gate), f"{gate.failing:,}", gate.reason) for gate in waived)


def _division_rows(manifest: Manifest) -> tuple[tuple[str, str], ...]:
    """Return the numbers of items of the splits and of the subset."""
    rows = list(manifest.splits.items.items()) if manifest.splits else []
    if manifest.subset:
        rows.append((tr("Subset"), manifest.subset.items))
    return tuple((f"{count:,}", name) for name, count in rows)


def _keys_note(report: ReleaseReport) -> str:
    """Return where the hidden answer keys are, "" for none."""
    if report.keys_folder is None:
        return ""
    return tr("Hidden answer keys are in {folder}. Keep this folder private.", folder=report.keys_folder)


def _released_text(export_format: str) -> str:
    from annotator.release.exporters import EXPORTERS

    return tr("items released") if EXPORTERS[export_format].holds_items else tr("event labels released")


def _flags(counts: dict[str, int], *, show_kind: ShowKind, none: str) -> ReportSection:
    kinds = sorted((kind for kind in counts if counts[kind]), key=lambda kind: -counts[kind])
    total = sum(counts[kind] for kind in kinds)
    return ReportSection(
        title=tr("Flags"),
        columns=(tr("Count"), tr("Flag")),
        rows=tuple((f"{counts[kind]:,}", display_text.flag_kind_title(kind)) for kind in kinds),
        note=trn(
            "{n} flag. Double-click a line to see its records.",
            "{n} flags. Double-click a line to see its records.",
            n=total,
        )
        if kinds
        else none,
        open_row=partial(_open_kind, kinds, show_kind),
    )


def _open_kind(kinds: list[str], show_kind: ShowKind, row: int) -> None:
    show_kind(kinds[row])


def _reason(text: str) -> str:
    task, _, reason = text.partition(": ")
    return f"{display_text.task_title(task)}: {message_text(reason)}"


def _task(target: str) -> str:
    task_set, _, task = target.partition("/")
    return display_text.task_title(task, task_set)
