"""The dialog that makes a clip: name, range, text, source, and how it is cut."""

from __future__ import annotations

from typing import get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QLineEdit, QPlainTextEdit, QRadioButton, QSizePolicy, QWidget

from annotator.commands.clips import ClipRequest
from annotator.domain.medium import Footage
from annotator.edits.clip_content import FrameSpan
from annotator.errors import VantageError
from annotator.media.video.clip_plan import ClipPlan
from annotator.media.video.video import Video
from widgets import display_text
from widgets.annotate.clip_facts import ClipFacts
from widgets.annotate.clip_text import kept_text, plan_text, wider_text
from widgets.annotate.moment_field import MomentField
from widgets.combo_box import ComboBox
from widgets.dialog import FormDialog
from widgets.focus import mark_wrong
from widgets.labels import label
from widgets.message_text import error_text, message_text
from widgets.task import describe_duration
from widgets.translation import tr, trn

TEXT_PX = 56


class ClipDialog(FormDialog):
    """Form for a clip of a video.

    Signals:
        submitted: Emitted on acceptance; carries the ``ClipRequest``.
        plan_requested: Emitted when the range changes; carries first and last frame.
        name_changed: Emitted when the name changes; carries it.

    Attributes:
        plan: How the range can be cut, None until it is known.
    """

    submitted = Signal(object)
    plan_requested = Signal(int, int)
    name_changed = Signal(str)

    def __init__(self, window: QWidget, *, facts: ClipFacts, video: Video, first: int, last: int) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            facts: What the project knows about the video.
            video: The video.
            first: First frame of the marked range.
            last: Its last frame.
        """
        super().__init__(window, width=640, title=tr("Make clip"))
        self._facts, self._video = facts, video
        self.plan: ClipPlan | None = None
        self._times_s = video.times_s.tolist()
        self._is_name_checked, self._name_problem = True, ""
        self.name = QLineEdit(facts.name)
        self.begin = MomentField(tr("In point"), video=video, number=first)
        self.end = MomentField(tr("Out point"), video=video, number=last)
        self.length = label()
        # An empty text would give its row all the height that is left.
        self.length.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.text_kind, self.text, self.footage = ComboBox(), QPlainTextEdit(), ComboBox()
        self.exact, self.wider = QRadioButton(), QRadioButton()
        self.exact.setChecked(True)
        self.cut, self.kept = label(wrap=True), label(role="dim", wrap=True)
        self.problem_label = label(role="warn", wrap=True)
        self._lay_out()
        self.main = self.add_buttons(tr("Make clip"))
        self.main.clicked.connect(self._on_main_clicked)
        self.name.textEdited.connect(self._on_name_text_edited)
        for moment in (self.begin, self.end):
            moment.changed.connect(self._on_range_changed)
        self.wider.toggled.connect(self._refresh)
        self._show_plan()

    def ask_plan(self) -> None:
        """Ask how the range can be cut, as after each change of it."""
        first, last = self.begin.number, self.end.number
        self.plan = None
        if first is not None and last is not None and first <= last:
            self.plan_requested.emit(first, last)
        self._show_plan()

    def show_plan(self, plan: ClipPlan) -> None:
        """Show how the range can be cut."""
        # The answer to an earlier question can arrive while the user types.
        if (plan.first, plan.last) == (self.begin.number, self.end.number):
            self.plan = plan
            self._show_plan()

    def show_plan_error(self, error: BaseException) -> None:
        """Show why the range cannot be cut."""
        self.cut.setText(
            error_text(error) if isinstance(error, VantageError) else tr("The video cannot be cut.")
        )

    def show_name_problem(self, name: str, problem: str) -> None:
        """Show why the clip cannot have a name, "" if it can."""
        if name == self.name.text().strip():
            self._is_name_checked, self._name_problem = True, problem
            self._refresh()

    def shown_range(self) -> tuple[int, int] | None:
        """Return first and last frame of the clip as it will be, None while the range is invalid."""
        first, last = self.begin.number, self.end.number
        if first is None or last is None or first > last:
            return None
        is_wider = self.wider.isChecked() and self.plan is not None and self.plan.wider is not None
        return self.plan.wider if is_wider and self.plan is not None else (first, last)

    def _lay_out(self) -> None:
        self.name.setAccessibleName(tr("Name"))
        self.text.setAccessibleName(tr("Text"))
        self.text.setFixedHeight(TEXT_PX)
        self.text.setTabChangesFocus(True)
        self.text.setPlaceholderText(tr("For example: the red house by the river"))
        for text, data in ((tr("Goal"), "goal"), (tr("Route"), "route")):
            self.text_kind.addItem(text, data)
        for footage in get_args(Footage):
            self.footage.addItem(display_text.footage_title(footage), footage)
        self.text_kind.setAccessibleName(tr("Kind of text"))
        self.footage.setAccessibleName(tr("Footage"))
        self.footage.setCurrentIndex(max(0, self.footage.findData(self._facts.medium.footage)))
        fields = QFormLayout()
        fields.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        fields.setHorizontalSpacing(16)
        fields.setVerticalSpacing(8)
        for name, field in (
            (tr("Name"), self.name),
            (tr("In point"), self.begin),
            (tr("Out point"), self.end),
            (tr("Length"), self.length),
            (tr("Kind of text"), self.text_kind),
            (tr("Text"), self.text),
            (tr("Footage"), self.footage),
        ):
            fields.addRow(label(name, role="dim"), field)
        self.body.addLayout(fields)
        for button in (self.exact, self.wider):
            # The dialog keeps its size when the range changes to one without a choice.
            policy = button.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            button.setSizePolicy(policy)
        for part in (self.cut, self.exact, self.wider, self.kept):
            self.body.addWidget(part)
        message = tr(
            "The file is written to the folder 'clips' of the media folder. Undo removes the clip from the "
            "project and keeps the file."
        )
        self.body.addWidget(label(message, role="dim", wrap=True))
        self.body.addWidget(self.problem_label)
        self.body.addStretch()

    def _show_plan(self) -> None:
        plan = self.plan
        has_choice = plan is not None and plan.wider is not None and bool(plan.why)
        for button in (self.exact, self.wider):
            button.setVisible(has_choice)
        if plan is not None and has_choice:
            self.exact.setText(tr("Re-encode: begins exactly at frame {n}", n=f"{plan.first:,}"))
            self.wider.setText(wider_text(plan))
        self.cut.setText(plan_text(plan) if self.shown_range() is not None else "")
        self._refresh()

    def _refresh(self) -> None:
        problem = self._problem()
        self.problem_label.setText(problem)
        mark_wrong(self.name, is_wrong=bool(self._name_problem))
        self.main.setEnabled(not problem and self._is_name_checked and self.plan is not None)
        frames = self.shown_range()
        if frames is None:
            self.length.setText("")
            self.kept.setText("")
            return
        span = FrameSpan.of_times(
            self._times_s, duration_s=self._video.duration_s, first=frames[0], last=frames[1]
        )
        self.length.setText(self._length_text(span))
        self.kept.setText(kept_text(self._facts.content.counts(span)))

    def _problem(self) -> str:
        wrong = next((moment for moment in (self.begin, self.end) if moment.problem), None)
        # What is wrong stands at the field, here is what to do.
        problem = message_text(self._name_problem) or (wrong.advice if wrong is not None else "")
        if not problem and self.shown_range() is None:
            return tr("The in point must be before the out point.")
        return problem

    def _length_text(self, span: FrameSpan) -> str:
        length_s, limits = span.end_s - span.begin_s, self._facts.limits
        count = trn("{n} frame", "{n} frames", n=span.last - span.first + 1)
        text = f"{length_s:,.2f} s  ·  {count}"
        if limits is None or limits.contains(length_s):
            return text
        bounds = tr(
            "clips of {task_set} last {least} to {most}",
            task_set=self._facts.task_set,
            least=describe_duration(limits.min_s),
            most=describe_duration(limits.max_s),
        )
        return f"{text}  ·  ⚠ {bounds}"

    def _on_name_text_edited(self, text: str) -> None:
        self._is_name_checked = False
        self.name_changed.emit(text.strip())
        self._refresh()

    def _on_range_changed(self) -> None:
        self.ask_plan()

    def _on_main_clicked(self) -> None:
        first, last = self.begin.number, self.end.number
        if first is None or last is None:
            return
        request = ClipRequest(
            medium=self._facts.medium.id,
            scene=self._facts.scene,
            first=first,
            last=last,
            name=self.name.text().strip(),
            text_kind=self.text_kind.currentData(),
            text=self.text.toPlainText().strip(),
            footage=self.footage.currentData(),
            is_widened=self.wider.isChecked(),
        )
        self.accept()
        self.submitted.emit(request)
