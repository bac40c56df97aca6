"""What people decide about the predictions of models: settled texts and labels of errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.error_label import ErrorLabel
from annotator.domain.event import CREATED, REMOVED, Edit
from annotator.domain.latest_decision import Decision
from annotator.domain.record import new_id
from annotator.domain.settled_text import SettledText
from annotator.errors import UserError
from annotator.importers.input_file import fault_of_text
from annotator.progress import Progress
from annotator.queries.reader import Reader

LONGEST_TEXT = 100_000
"""Characters of a reply that can be decided."""
LONGEST_ANSWER = 1_000
LONGEST_NOTE = 10_000
LONGEST_NAME = 500
_CLASS_ID = re.compile(r"[a-z0-9_]{1,64}")


class TextDecision(msgspec.Struct, frozen=True, kw_only=True):
    """What one reply means.

    Attributes:
        text: The reply as the model gave it.
        answer: The answer that it means, "" for none; None withdraws the decision.
        item: Public id of the item, "" for every item.
        model: Name of the model, "" for every model.
        answer_format: Id of the only answer format that it is about, "" for every format.
    """

    text: str
    answer: str | None
    item: str = ""
    model: str = ""
    answer_format: str = ""


class ErrorDecision(msgspec.Struct, frozen=True, kw_only=True):
    """The class of one error.

    Attributes:
        release: SHA-256 of the release, or the name of a published file of questions.
        item: Public id of the item.
        model: Name of the model, "" for a file that does not name it.
        error_class: Id of the class; "" withdraws the label.
        note: Plain text.
        reply_sha256: Digest of the reply, "" if it is not known.
    """

    release: str
    item: str
    model: str
    error_class: str
    note: str = ""
    reply_sha256: str = ""


@dataclass(frozen=True, kw_only=True)
class SettleTexts(Command):
    """Decide which answers some replies mean, in one step.

    Attributes:
        decisions: The replies; the last decision on a reply counts.
        person: Id of the person who decides.
    """

    decisions: tuple[TextDecision, ...]
    person: str = ""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        is_withdrawal = bool(self.decisions) and all(one.answer is None for one in self.decisions)
        code = "withdraw_settled_texts" if is_withdrawal else "settle_texts"
        return CommandSummary.of(code, count=len(self.decisions))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the records that are new or change.

        Raises:
            UserError: A text is empty or too long, or cannot be stored.
        """
        progress.begin(self.summary, total=len(self.decisions))
        for decision in self.decisions:
            _require_settleable(decision)
        now = _now()
        yield from _edits(
            reader.find(SettledText),
            (
                (
                    SettledText(
                        item=one.item,
                        text=one.text,
                        answer=(one.answer or "").strip(),
                        model=one.model,
                        answer_format=one.answer_format,
                        person=self.person,
                        decided_at=now,
                    ),
                    one.answer is None,
                )
                for one in self.decisions
            ),
            compared=("answer",),
            progress=progress,
        )


@dataclass(frozen=True, kw_only=True)
class LabelErrors(Command):
    """Label the errors of some predictions with their classes, in one step.

    Attributes:
        decisions: The predictions; the last label of a prediction counts.
        person: Id of the person who labels.
    """

    decisions: tuple[ErrorDecision, ...]
    person: str = ""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        is_withdrawal = bool(self.decisions) and not any(one.error_class for one in self.decisions)
        code = "withdraw_error_labels" if is_withdrawal else "label_errors"
        return CommandSummary.of(code, count=len(self.decisions))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the records that are new or change.

        Raises:
            UserError: A label names no release or item, its class is not an id, or its note is too long.
        """
        progress.begin(self.summary, total=len(self.decisions))
        for decision in self.decisions:
            _require_labelable(decision)
        now = _now()
        releases = {one.release for one in self.decisions}
        present = (
            label for release in sorted(releases) for label in reader.find(ErrorLabel, release=release)
        )
        yield from _edits(
            present,
            (
                (
                    ErrorLabel(
                        release=one.release,
                        item=one.item,
                        model=one.model,
                        error_class=one.error_class,
                        note=one.note.strip(),
                        reply_sha256=one.reply_sha256,
                        person=self.person,
                        labelled_at=now,
                    ),
                    not one.error_class,
                )
                for one in self.decisions
            ),
            compared=("error_class", "note", "reply_sha256"),
            progress=progress,
        )


def _edits(
    present: Iterable[Decision],
    wanted: Iterable[tuple[Decision, bool]],
    *,
    compared: tuple[str, ...],
    progress: Progress,
) -> Iterator[Edit]:
    """Yield what makes the present decisions the wanted ones.

    Args:
        present: The decisions of the project; two on one subject come from a merge.
        wanted: The new decisions, and whether each only withdraws what there is.
        compared: Fields that say what was decided; without a change in them nothing is written.
        progress: Advanced once per decision.
    """
    known: dict[tuple[str, ...], list[Decision]] = {}
    for one in present:
        known.setdefault(one.subject, []).append(one)
    for subject, (record, is_withdrawn) in {pair[0].subject: pair for pair in wanted}.items():
        progress.step()
        found = known.get(subject, [])
        if not is_withdrawn and _is_decided(found, record, compared=compared):
            continue
        # A new record in place of the old one: two workstations that decide anew have two decisions then, of
        # which the later one counts, and no fork that somebody has to resolve.
        for one in found:
            yield Edit(entity=one.table.entity, entity_id=one.id, field=REMOVED, value=True)
        if not is_withdrawn:
            made = msgspec.structs.replace(record, id=new_id())
            yield Edit(entity=made.table.entity, entity_id=made.id, field=CREATED, value=made)


def _is_decided(present: Sequence[Decision], wanted: Decision, *, compared: tuple[str, ...]) -> bool:
    """Return whether all present decisions, and there are some, say what the wanted one says."""
    return bool(present) and all(
        getattr(one, name) == getattr(wanted, name) for one in present for name in compared
    )


def _require_settleable(decision: TextDecision) -> None:
    if not decision.text.strip():
        raise UserError(
            "The reply is empty.", hint="An empty reply means no answer; only texts can be settled."
        )
    _require_text("reply", decision.text, longest=LONGEST_TEXT)
    _require_text("answer", decision.answer or "", longest=LONGEST_ANSWER)
    for field in ("item", "model", "answer_format"):
        _require_text(field, getattr(decision, field), longest=LONGEST_NAME)


def _require_labelable(decision: ErrorDecision) -> None:
    for field in ("release", "item"):
        if not getattr(decision, field).strip():
            raise UserError(
                f"The error label names no {field}.", hint="A label is of one item of one release."
            )
    if decision.error_class and not _CLASS_ID.fullmatch(decision.error_class):
        raise UserError(
            f"'{decision.error_class[:80]}' is not the id of an error class.",
            hint="An id consists of lower-case letters, digits and underscores.",
        )
    for field in ("release", "item", "model", "reply_sha256"):
        _require_text(field, getattr(decision, field), longest=LONGEST_NAME)
    _require_text("note", decision.note, longest=LONGEST_NOTE)


def _require_text(field: str, text: str, *, longest: int) -> None:
    if len(text) > longest:
        raise UserError(
            f"The {field} is longer than {longest:,} characters.", hint=f"Enter a shorter {field}."
        )
    if fault := fault_of_text(text):
        raise UserError(f"The {field} cannot be stored. {fault}")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
