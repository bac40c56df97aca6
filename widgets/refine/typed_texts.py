"""What is typed into the fields of items and is not stored yet: saved while one types, and never lost."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from annotator.commands.item_edits import ItemEdit
from annotator.domain.record import new_id
from annotator.errors import ChangedElsewhereError, VantageError
from widgets.message_text import message_text
from widgets.task import Task, while_exists
from widgets.translation import tr

SAVE_AFTER_MS = 700
"""Delay after the first unsaved letter, ms: a crash loses at most the last second of typing."""
PAUSE_MS = 2_000
"""Pause after which further typing is another step of undo, ms."""
MakeEdit = Callable[[str, str, tuple[str, ...]], ItemEdit]
"""Makes the command from a text, a gesture, and the texts that the person has seen."""
Execute = Callable[[ItemEdit], Task]


@dataclass(kw_only=True)
class _TypedText:
    """The text of one field that is not stored yet.

    Attributes:
        text: As it was typed.
        make: Makes its command.
        seen: The text on which it is based, and those that were shown since.
        is_conflict: Whether the stored text was changed elsewhere: the person decides which one stays.
        is_sent: Whether exactly this text is being saved.
        problem: Why it could not be saved, "" for no reason so far.
    """

    text: str
    make: MakeEdit
    seen: tuple[str, ...]
    is_conflict: bool = False
    is_sent: bool = False
    problem: str = ""


class TypedTexts(QObject):
    """Turns typed text into commands: at most a second after the first letter, merged until a pause.

    Signals:
        saved: A text is stored; carries the id of its item.
        failed: A text could not be stored, and is kept; carries the id of its item.
    """

    saved = Signal(str)
    failed = Signal(str)

    def __init__(self, execute: Execute, *, parent: QObject) -> None:
        """Set up without text.

        Args:
            execute: Executes a command.
            parent: Owner.
        """
        super().__init__(parent)
        self._execute = execute
        self._texts: dict[tuple[str, str], _TypedText] = {}
        self._own: dict[tuple[str, str], str] = {}
        self._field_key: tuple[str, str] = ("", "")
        self._gesture = ""
        self._is_stopped = False
        self._save_timer = self._timer(SAVE_AFTER_MS, self.save)
        self._pause_timer = self._timer(PAUSE_MS, self.end)

    @property
    def is_in_gesture(self) -> bool:
        """Whether further typing in the same field belongs to the same step of undo."""
        return bool(self._gesture)

    def type_text(self, item: str, field: str, text: str, *, shown: str, make: MakeEdit) -> None:
        """Note a text that is being typed.

        Args:
            item: Id of the item.
            field: Name of the field; another one begins another step of undo.
            text: The whole text of the field.
            shown: The text that was shown before the person typed.
            make: Makes the command that stores it.
        """
        location = (item, field)
        if self._field_key != location:
            self.end()
            # Enter in the same field: what it stored may not be read by the screen yet.
            kept = {location, *self._texts}
            self._own = {known: own for known, own in self._own.items() if known in kept}
            self._field_key = location
        self._gesture = self._gesture or new_id()
        before = self._texts.get(location)
        typed = _TypedText(text=text, make=make, seen=(shown,) if before is None else before.seen)
        if before is not None and before.is_conflict:
            # Whoever goes on typing has not decided about the other text.
            typed.is_conflict, typed.problem = True, before.problem
        self._texts[location] = typed
        if not self._save_timer.isActive():
            self._save_timer.start()
        self._pause_timer.start()

    def text(self, item: str, field: str) -> str | None:
        """Return the text of a field that is not stored yet, None if there is none."""
        found = self._texts.get((item, field))
        return found.text if found is not None else None

    def problem(self, item: str, field: str) -> str:
        """Return why the text of a field could not be stored, "" if it could or was not tried."""
        found = self._texts.get((item, field))
        return found.problem if found is not None else ""

    def problem_of(self, item: str) -> str:
        """Return why a text of an item could not be stored, "" for none."""
        return next((one.problem for (of, _), one in self._texts.items() if of == item and one.problem), "")

    def conflict(self, item: str, field: str) -> str:
        """Return why a text waits for a decision between two texts, "" if it does not."""
        found = self._texts.get((item, field))
        return found.problem if found is not None and found.is_conflict else ""

    def decide(self, item: str, field: str, *, is_kept: bool) -> bool:
        """Decide about a text whose stored one was changed elsewhere; return whether there was one.

        Args:
            item: Id of the item.
            field: Name of the field.
            is_kept: Whether the typed text replaces the other one, which stays otherwise.
        """
        found = self._texts.get((item, field))
        if found is None or not found.is_conflict:
            return False
        if is_kept:
            found.is_conflict = False
            self._send((item, field), found)
        else:
            del self._texts[item, field]
        return True

    def end(self) -> None:
        """End the step of undo: Enter, another field, or a pause; save unsaved text, also after a failure."""
        self.save()
        self._pause_timer.stop()
        self._gesture, self._field_key = "", ("", "")

    def save(self) -> None:
        """Save all unsaved text now."""
        self._save_timer.stop()
        if self._is_stopped:
            return
        for location, typed in list(self._texts.items()):
            if not typed.is_sent and not typed.is_conflict:
                self._send(location, typed)

    def forget_others(self, item: str, *, fields: Collection[str]) -> None:
        """Forget refused texts of fields that an item no longer has, such as those of a removed option."""
        gone = [
            (of, field)
            for (of, field), typed in self._texts.items()
            if of == item and typed.problem and field not in fields
        ]
        for location in gone:
            del self._texts[location]

    def stop(self) -> None:
        """Save nothing from now on, because the project is being closed."""
        self._is_stopped = True
        self._save_timer.stop()
        self._pause_timer.stop()

    def _send(self, location: tuple[str, str], typed: _TypedText) -> None:
        typed.is_sent, typed.problem = True, ""
        # A text that failed before is a step of its own: other commands may have come between.
        gesture = self._gesture if location == self._field_key else ""
        # What was sent before may be stored, and not be read by the screen yet.
        own = (self._own[location],) if location in self._own else ()
        work = self._execute(typed.make(typed.text, gesture, (*typed.seen, *own)))
        self._own[location] = typed.text
        work.finished.connect(while_exists(self, partial(self._on_finished, location, typed)))
        work.failed.connect(while_exists(self, partial(self._on_failed, location, typed)))

    def _on_finished(self, location: tuple[str, str], typed: _TypedText, _changes: object) -> None:
        # More may have been typed meanwhile: that is another text, which is saved by its own.
        if self._texts.get(location) is typed:
            del self._texts[location]
        self.saved.emit(location[0])

    def _on_failed(self, location: tuple[str, str], typed: _TypedText, error: BaseException) -> None:
        typed.is_sent = False
        if isinstance(error, ChangedElsewhereError):
            typed.is_conflict, typed.seen = True, (*typed.seen, error.current)
            self._own.pop(location, None)
        if isinstance(error, VantageError):
            typed.problem = message_text(error.message)
        else:
            typed.problem = tr("An internal error occurred in Vantage.")
        self.failed.emit(location[0])

    def _timer(self, interval_ms: int, call: Callable[[], None]) -> QTimer:
        made = QTimer(self)
        made.setSingleShot(True)
        made.setInterval(interval_ms)
        made.timeout.connect(call)
        return made
