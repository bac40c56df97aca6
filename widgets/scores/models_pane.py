"""The tab with what models have read in replies that no rule can read, and how they grade free texts."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from annotator.scoring.judged_scores import JudgedScores, ReaderFigures, RequestFigures
from annotator.scoring.score_report import ScoreReport
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout
from widgets.labels import caption, label
from widgets.message_text import message_text
from widgets.scores.grade_table import grade_rows, grade_table
from widgets.scores.request_text import cost_text, worst_cost_text
from widgets.translation import join_clauses, sentence, tr, trn


class ModelsPane(QWidget):
    """Says what models have added to the scores, and asks them."""

    def __init__(self, *, registry: ActionRegistry) -> None:
        super().__init__()
        self._problems: tuple[str, ...] = ()
        self._scored: tuple[str, ...] = ()
        self.note = label(role="dim", wrap=True)
        self.reader, self.judge = label(wrap=True, selectable=True), label(wrap=True, selectable=True)
        self.problem_label = label(role="warn", wrap=True, selectable=True)
        self._reader_title, self._judge_title = caption(tr("Read replies")), caption(tr("Graded free texts"))
        self.table = grade_table()
        action = "scores.ask_models"
        self.ask = QPushButton(f"{registry.action(action).text()}  {registry.key(action)}".strip())
        self.ask.clicked.connect(partial(registry.run, action))
        self._lay_out()
        self.setFocusProxy(self.ask)

    def show_report(self, report: ScoreReport, *, is_asked: bool) -> None:
        """Show what models have added.

        Args:
            report: The scores.
            is_asked: Whether requests were sent for them: what went wrong with those is shown until the next,
                or until other predictions are scored.
        """
        judged = report.judged
        before, self._scored = self._scored, (report.release_sha256, *(one.sha256 for one in report.models))
        if is_asked:
            self._problems = _problems(judged)
        elif self._scored != before or (judged.reader is None and judged.judge is None):
            self._problems = ()
        self.problem_label.setText("\n".join(self._problems))
        self.problem_label.setVisible(bool(self._problems))
        self.note.setText(_note(report))
        has_reader, has_judge = judged.reader is not None, judged.judge is not None
        for part in (self._reader_title, self.reader):
            part.setVisible(has_reader)
        for part in (self._judge_title, self.judge):
            part.setVisible(has_judge)
        self.table.setVisible(has_judge)
        self._space.setVisible(not has_judge)
        if judged.reader is not None:
            self.reader.setText(_reader_text(judged.reader))
        if judged.judge is not None:
            self.judge.setText(f"{sentence(judged.judge.name)} {_requests_text(judged.judge.requests)}")
            self.table.show_rows(grade_rows(judged.judge.models))

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.addWidget(self.ask)
        buttons.addStretch(1)
        self._space = QWidget()
        column = column_layout(self, margins_px=0, spacing_px=8)
        column.addWidget(self.note)
        column.addLayout(buttons)
        column.addWidget(self.problem_label)
        for part in (self._reader_title, self.reader, self._judge_title, self.judge):
            column.addWidget(part)
        column.addWidget(self.table, 1)
        column.addWidget(self._space, 1)


def _note(report: ScoreReport) -> str:
    unread = trn("{n} reply cannot be read", "{n} replies cannot be read", n=report.unreadable_count)
    texts = trn("{n} free text", "{n} free texts", n=report.free_texts)
    counts = sentence(join_clauses((unread, texts)))
    if report.judged.reader is None and report.judged.judge is None:
        offer = tr(
            "One of your models can read the replies that no rule can read, and grade free texts. "
            "Nothing is sent before you choose a model."
        )
        return f"{offer} {counts}"
    return counts


def _reader_text(reader: ReaderFigures) -> str:
    texts = reader.texts
    parts = [
        trn("an answer in {n} reply", "an answer in {n} replies", n=texts.read),
        trn("none in {n}", "none in {n}", n=texts.none),
        trn("{n} undecided", "{n} undecided", n=texts.undecided),
        trn("{n} without a reply of the model", "{n} without a reply of the model", n=texts.open),
    ]
    lines = [
        tr("{model} reads: {counts}.", model=reader.name, counts=join_clauses(parts)),
        _requests_text(reader.requests),
    ]
    if texts.with_people and texts.agreed.value is not None:
        agreed = tr(
            "People have settled {n} of them; the model says the same about {share}",
            n=f"{texts.with_people:,}",
            share=f"{texts.agreed.value:.1%}",
        )
        kappa = texts.kappa.value
        lines.append(sentence(agreed if kappa is None else f"{agreed} (Cohen's kappa {kappa:.3f})"))
    return "\n".join(filter(None, lines))


def _requests_text(requests: RequestFigures) -> str:
    parts = []
    if requests.sent:
        sent = trn("{n} request sent", "{n} requests sent", n=requests.sent)
        parts.append(f"{sent} ({cost_text(requests)})")
    if requests.cached:
        parts.append(trn("{n} reply kept from before", "{n} replies kept from before", n=requests.cached))
    if requests.not_sent:
        left = trn("{n} request is left", "{n} requests are left", n=requests.not_sent)
        parts.append(left if requests.sent else f"{left} ({worst_cost_text(requests)})")
    return sentence(join_clauses(parts)) if parts else ""


def _problems(judged: JudgedScores) -> tuple[str, ...]:
    found = [part.requests for part in (judged.reader, judged.judge) if part is not None]
    lines = []
    for requests in found:
        if requests.failed:
            failed = trn("{n} request has failed.", "{n} requests have failed.", n=requests.failed)
            lines.append(f"{failed} {message_text(requests.message)}".strip())
        if requests.not_sent:
            why = (
                tr("Too many failed one after the other. Correct the model, then ask again.")
                if requests.failed
                else tr("The cost limit is reached. Ask again with a higher limit.")
            )
            not_sent = trn("{n} request was not sent.", "{n} requests were not sent.", n=requests.not_sent)
            lines.append(f"{not_sent} {why}")
    return tuple(lines)
