"""Texts and table rows for the results of an import scan."""

from __future__ import annotations

from pathlib import Path as FilePath

from annotator.domain.event_label import EventLabel
from annotator.domain.item import Item
from annotator.domain.polyline import Polyline
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Trajectory
from annotator.importers.imported_record import ImportedRecord
from widgets import display_text
from widgets.import_wizard.choices import Choice, FileChoice, MediaChoice
from widgets.import_wizard.formats import format_title
from widgets.translation import join_texts, mark, tr, trn

KINDS: dict[type, str] = {
    Item: mark("Item"),
    EventLabel: mark("Label"),
    Region: mark("Region"),
    Trajectory: mark("Trajectory"),
    Polyline: mark("Path"),
    Scene: mark("Scene"),
}
"""English titles of the kinds of records in files."""


def title_of(choice: Choice) -> str:
    """Return the name of a part."""
    if isinstance(choice, FileChoice):
        return choice.part.path.name
    media = trn("{n} media file", "{n} media files", n=len(choice.part.listing.names))
    return f"{choice.part.folder} · {media}" if choice.part.folder else media


def summary_of(choice: Choice) -> str:
    """Return a short summary of a part."""
    return _file_summary(choice) if isinstance(choice, FileChoice) else _media_summary(choice)


def _file_summary(choice: FileChoice) -> str:
    if choice.part.fault:
        return tr("Cannot be read")
    form = join_texts(dict.fromkeys(format_title(preview.format) for preview in choice.part.previews))
    if choice.report is not None:
        report = choice.report
        # First, since the end of the summary may be cut off in a narrow list.
        parts = [display_text.unread_text(file) for file in report.incomplete[:1]]
        parts.append(trn("{n} new", "{n} new", n=report.added))
        if report.unchanged:
            parts.append(tr("{n} already present", n=f"{report.unchanged:,}"))
        if flags := sum(report.flags.values()):
            parts.append(trn("{n} flag", "{n} flags", n=flags))
        if report.rejected:
            parts.append(tr("{n} rejected", n=f"{report.rejected:,}"))
        return f"{' · '.join(parts)} · {form}"
    if choice.counted is not None:
        return f"{tr('counting… {n}', n=f'{choice.counted:,}')} · {form}"
    return form


def _media_summary(choice: MediaChoice) -> str:
    if choice.fault:
        return choice.fault
    if choice.grouping is None:
        return tr("grouping…")
    scenes = trn("{n} scene", "{n} scenes", n=len(choice.grouping.scenes))
    left = len(choice.grouping.unmatched)
    return f"{scenes} · {tr('{n} not grouped', n=f'{left:,}')}" if left else scenes


def record_row(found: ImportedRecord) -> tuple[str, ...]:
    """Return one record as texts: line, kind, name, media, content."""
    record = found.record
    kind = tr(KINDS.get(type(record), type(record).__name__))
    media = join_texts(FilePath(medium.name).name for medium in found.media[:3])
    more = len(found.media) - 3
    shown = f"{media} +{more}" if more > 0 else media
    return (str(found.line), kind, _name(found), shown, _saying(found))


def _name(found: ImportedRecord) -> str:
    record = found.record
    if isinstance(record, Item | Scene):
        return record.name
    if isinstance(record, Region):
        return record.track
    return found.scene.name if found.scene else ""


def _saying(found: ImportedRecord) -> str:
    record = found.record
    if isinstance(record, Item):
        task = display_text.task_title(record.task, record.task_set) if record.task else tr("task unknown")
        return f"{task} · {' '.join(record.question.split())[:160]} → {record.answer_key[:40]}"
    if isinstance(record, Region):
        box = record.box
        return f"{record.category} · {box.x1:.0f}, {box.y1:.0f}, {box.x2:.0f}, {box.y2:.0f}"
    if isinstance(record, Trajectory):
        return trn("{n} pose", "{n} poses", n=len(record.poses))
    if isinstance(record, Scene):
        return join_texts(f"{name}: {value}" for name, value in record.metadata.items())[:200]
    return _label_saying(record) if isinstance(record, EventLabel) else ""


def _label_saying(label: EventLabel) -> str:
    when = {
        True: tr("needs another view"),
        False: tr("needs no other view"),
        None: tr("no answer to ‘when’"),
    }
    quality = tr("quality {n} of 5", n=label.quality) if label.quality else ""
    return " · ".join(part for part in (when[label.when], join_texts(label.who or ()), quality) if part)
