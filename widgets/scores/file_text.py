"""Texts about the release and the files of predictions that are scored."""

from __future__ import annotations

from pathlib import Path

from annotator.scoring.forms import FORMS
from annotator.scoring.score_report import ModelScore, ScoreReport, UnusedSource
from widgets.message_text import message_text
from widgets.scores.file_table import FileRow
from widgets.scores.score_choice import ScoreChoice
from widgets.scores.score_grid import percent_text
from widgets.translation import join_clauses, join_texts, tr, trn

FOUND_BY = "fields "
"""Beginning of the reason of a form that was found from the fields of the file."""


def release_note(choice: ScoreChoice, report: ScoreReport | None, *, scored: ScoreChoice) -> str:
    """Return what is known about the release.

    Args:
        choice: What is scored.
        report: Its scores, None while there are none.
        scored: What was scored the last time.
    """
    if report is None:
        return tr("Hidden answer keys of {folder}", folder=Path(choice.keys).name) if choice.keys else ""
    notes = [trn("{n} item", "{n} items", n=report.items)]
    if not report.release_sha256:
        notes.append(tr("without a manifest"))
    if scored.release == choice.release and scored.release_sha256 not in {"", report.release_sha256}:
        notes.append(tr("another release than the last time"))
    if report.hidden:
        notes.append(trn("{n} answer key is hidden", "{n} answer keys are hidden", n=report.hidden))
    if choice.keys:
        notes.append(tr("hidden answer keys of {folder}", folder=Path(choice.keys).name))
    return join_clauses(notes)


def file_rows(choice: ScoreChoice, report: ScoreReport | None, *, scored: ScoreChoice) -> list[FileRow]:
    """Return the rows of the files; the arguments are those of ``release_note``."""
    return [_file_row(choice, at, report, scored=scored) for at in range(len(choice.files))]


def _file_row(choice: ScoreChoice, at: int, report: ScoreReport | None, *, scored: ScoreChoice) -> FileRow:
    file = choice.files[at]
    name = file.name or Path(file.path).name
    if report is None:
        return FileRow(name=name, state=tr("Not scored"))
    if _unused(report, at) is not None:
        return FileRow(name=name, state=tr("Not usable"), token="bad")
    models = _models(report, at)
    if not models:
        return FileRow(name=name, state=tr("Not scored"))
    shown = join_texts(model.name for model in models)
    if _has_changed(choice, at, report, scored=scored):
        return FileRow(name=shown, state=tr("Changed"), token="warn")
    if len(models) > 1:
        return FileRow(name=shown, state=trn("{n} model", "{n} models", n=len(models)))
    return FileRow(name=shown, state=f"{percent_text(models[0].tables.overall.score_pct)} %")


def file_detail(choice: ScoreChoice, at: int, report: ScoreReport | None, *, scored: ScoreChoice) -> str:
    """Return what is known about one file, line by line."""
    lines = [choice.files[at].path]
    if report is None:
        return lines[0]
    if (unused := _unused(report, at)) is not None:
        return "\n".join([*lines, message_text(unused.message), message_text(unused.hint)]).strip()
    models = _models(report, at)
    if models:
        lines.append(f"{tr(FORMS[models[0].form_id].title)}: {_reason(models[0].form_reason)}")
    if _has_changed(choice, at, report, scored=scored):
        lines.append(tr("The file has changed since it was scored the last time."))
    return "\n".join(lines)


def _reason(reason: str) -> str:
    """Return why a file counts as of its form, in the language of the window."""
    names = reason.removeprefix(FOUND_BY)
    return (
        tr("found from the fields {fields}", fields=names) if names != reason else tr("the form was chosen")
    )


def _models(report: ScoreReport, at: int) -> list[ModelScore]:
    return [model for model in report.models if model.source == at]


def _unused(report: ScoreReport, at: int) -> UnusedSource | None:
    return next((one for one in report.unused if one.source == at), None)


def _has_changed(choice: ScoreChoice, at: int, report: ScoreReport, *, scored: ScoreChoice) -> bool:
    """Return whether a file has another content than the last time."""
    before = {file.path: file.sha256 for file in scored.files}.get(choice.files[at].path, "")
    return bool(before) and any(model.sha256 != before for model in _models(report, at))
