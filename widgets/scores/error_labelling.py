"""Labels the error of the prediction that is shown, with the classes of a set."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent

from annotator.commands.prediction_decisions import ErrorDecision, LabelErrors
from annotator.domain.error_classes import ErrorClassCatalogue, ErrorClassSet
from annotator.domain.error_label import ErrorLabel, reply_digest
from annotator.domain.latest_decision import latest_decisions
from annotator.queries.reader import Reader
from annotator.scoring.scored_rows import ScoredRows
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.paged_model import Numbers
from widgets.project_controller import ProjectController
from widgets.record_edits import RecordEdits
from widgets.record_loader import RecordLoader
from widgets.scores.error_class_bar import ErrorClassBar
from widgets.scores.error_view import ErrorView
from widgets.translation import tr


class ErrorLabelling(QObject):
    """Executes labels, and takes those of the project into the file of predictions.

    Attributes:
        file: The file of predictions, None before one is shown.
        catalogue: The sets of error classes.

    Signals:
        labels_used: The file has the labels of the project.
    """

    labels_used = Signal()

    def __init__(
        self,
        bar: ErrorClassBar,
        *,
        selected: Callable[[], Numbers],
        loader: RecordLoader[ErrorView],
        session: Session,
        controller: ProjectController,
        bridge: Bridge,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._selected = selected
        self._bar, self._loader, self._session, self._bridge = bar, loader, session, bridge
        self.file: ScoredRows | None = None
        self.catalogue = ErrorClassCatalogue()
        self._set = ""
        self._reading = 0
        self._edits = RecordEdits(controller=controller, loader=loader, parent=self)
        bar.chosen.connect(self.label_error)
        bar.noted.connect(self._on_bar_noted)

    @property
    def can_label(self) -> bool:
        """Whether a prediction is shown and the project can be written."""
        return self._loader.view is not None and not self._session.is_read_only

    def is_settled(self) -> bool:
        """Return whether every label is stored, and taken into the file."""
        return not self._reading and self._edits.is_settled()

    def show(self) -> None:
        """Show the classes for the current prediction, and its label."""
        view = self._loader.view
        self._bar.show_set(self._shown_set())
        self._bar.show_label(view.label if view is not None else None, can_label=self.can_label)
        self._bar.show_hint(_hint(view, selected=len(self._selected())))

    def next_set(self) -> None:
        """Show the next set of error classes, after the last one the first."""
        names = [one.id for one in self.catalogue.sets]
        at = names.index(self._shown_set().id)
        self._set = names[(at + 1) % len(names)]
        self._bar.show_set(self._shown_set())

    def label_error(self, name: str) -> None:
        """Label the errors of the selected predictions; "" withdraws their labels."""
        numbers = self._selected()
        if len(numbers) > 1 and self.file is not None:
            self._reading += 1
            question = partial(_decisions, file=self.file, numbers=numbers, error_class=name)
            self._bridge.query(self._session, question, done=self._on_decided, failed=self._on_reading_failed)
            return
        view = self._loader.view
        note = view.label.note if view is not None and view.label is not None else ""
        self._label(name, note=note)

    def digit_of(self, event: QKeyEvent) -> int | None:
        """Return the digit of a key that chooses a class now, None for another key."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        digit = event.key() - Qt.Key.Key_0
        is_plain = modifiers == Qt.KeyboardModifier.NoModifier
        return digit if is_plain and 0 <= digit <= len(self._bar.buttons) and self.can_label else None

    def use_labels(self) -> None:
        """Take the labels of the project into the file of predictions."""
        if self.file is not None:
            self._reading += 1
            question = partial(read_labels, file=self.file)
            self._bridge.query(
                self._session, question, done=self._on_labels_read, failed=self._on_reading_failed
            )

    def _label(self, name: str, *, note: str) -> None:
        view, file = self._loader.view, self.file
        if view is None or file is None:
            return
        decision = ErrorDecision(
            release=file.release_id,
            item=view.row.item,
            model=view.row.model,
            error_class=name,
            note=note if name else "",
            reply_sha256=reply_digest(view.row.text),
        )
        self._execute((decision,))

    def _execute(self, decisions: tuple[ErrorDecision, ...]) -> None:
        command = LabelErrors(decisions=decisions, person=self._session.actor.id)
        self._edits.execute(command).finished.connect(self._on_labelled)

    def _on_decided(self, decisions: tuple[ErrorDecision, ...]) -> None:
        self._reading -= 1
        self._execute(decisions)

    def _on_reading_failed(self, error: BaseException) -> None:
        self._reading -= 1
        self._bridge.failed.emit(error)

    def _shown_set(self) -> ErrorClassSet:
        view = self._loader.view
        usual = self.catalogue.for_task(view.row.task if view is not None else "")
        return self.catalogue.get(self._set) or usual

    def _on_bar_noted(self, note: str) -> None:
        view = self._loader.view
        if view is not None and view.label is not None:
            self._label(view.label.error_class, note=note)

    def _on_labelled(self, _changes: object) -> None:
        self.use_labels()

    def _on_labels_read(self, _answer: object) -> None:
        self._reading -= 1
        self.labels_used.emit()


def read_labels(reader: Reader, *, file: ScoredRows) -> None:
    """Take the labels of a project into a file of predictions; called on the reading thread."""
    file.use_labels(reader.find(ErrorLabel, release=file.release_id))


def _decisions(
    reader: Reader, *, file: ScoredRows, numbers: Numbers, error_class: str
) -> tuple[ErrorDecision, ...]:
    """Return the same decision on several predictions; their notes stay. Called on the reading thread."""
    known = latest_decisions(reader.find(ErrorLabel, release=file.release_id))
    labels = {(one.item, one.model): one for one in known}
    found = []
    for row in file.rows(numbers):
        label = labels.get((row.item, row.model))
        is_kept = bool(error_class) and label is not None and label.is_about(row.text)
        found.append(
            ErrorDecision(
                release=file.release_id,
                item=row.item,
                model=row.model,
                error_class=error_class,
                note=label.note if label is not None and is_kept else "",
                reply_sha256=reply_digest(row.text),
            )
        )
    return tuple(found)


def _hint(view: ErrorView | None, *, selected: int) -> str:
    """Return what must be known before a class is chosen."""
    if selected > 1:
        return tr("A class is set for all {n} selected predictions.", n=f"{selected:,}")
    if view is None:
        return ""
    if view.has_other_label:
        return tr("Another reply under this name is labelled; its label does not count for this one.")
    if view.label is not None and not view.label.reply_sha256:
        return tr("This label does not say which reply it is about. Choose the class again to confirm it.")
    return ""
