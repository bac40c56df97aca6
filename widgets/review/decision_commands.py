"""The command of each decision on a case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from annotator.commands.command import Command
from annotator.commands.item_edits import SetAnswerKey
from annotator.commands.label_decisions import DecideLabels, FieldChoice
from annotator.commands.review import (
    CorrectRecord,
    ForkChoice,
    KeepRecord,
    MergeForks,
    RejectItem,
    SendBack,
)
from annotator.domain.comment import CommentPin
from annotator.domain.item_life import may_follow
from annotator.domain.review import is_about_key, is_blocking
from annotator.domain.shown_record import ShownRecord
from widgets.review.case_view import CaseView
from widgets.review.field_versions import FieldVersions
from widgets.translation import tr


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What a person decides on a case.

    Attributes:
        choice: Id of the decision.
        reason: Why.
        person: Id of the person.
        answer: The answer that becomes the key.
        accepts: Whether the item is accepted with it.
        pin: The place in an image that the reason is about, None for none.
        versions: Fields with the ids of the versions that are kept.
    """

    choice: str
    reason: str
    person: str
    answer: str = ""
    accepts: bool = False
    pin: CommentPin | None = None
    versions: Sequence[tuple[FieldVersions, str]] = ()


class _About(TypedDict):
    """What all decisions have."""

    entity: str
    target: str
    reason: str
    person: str
    shown: ShownRecord


def may_accept(view: CaseView, choice: str) -> bool:
    """Return whether the person can accept an item with a decision."""
    return _is_acceptable(view, choice) and not acceptance_note(view, choice)


def acceptance_note(view: CaseView, choice: str) -> str:
    """Return why another person has to accept an item that a decision makes acceptable, "" for no reason."""
    if view.limit == "none" or not _is_acceptable(view, choice):
        return ""
    if view.limit == "own_item":
        return tr("Another person accepts this item: you wrote or edited it last (review rules).")
    if choice == "change":
        return tr("Another person accepts this item: the change is yours (review rules).")
    return ""


def _is_acceptable(view: CaseView, choice: str) -> bool:
    """Return whether an item can be accepted with a decision: by its state and its other flags."""
    item = view.item
    if item is None or choice not in {"keep", "change", "resolve"} or view.forks:
        return False
    if not may_follow(item.state, "accepted"):
        return False
    # A decision on the answer key leaves the flags about other fields open.
    is_about = choice == "change" or (choice == "keep" and any(map(is_about_key, view.flags)))
    return not is_about or not any(is_blocking(flag) and not is_about_key(flag) for flag in view.flags)


def decision_command(view: CaseView, decision: Decision) -> Command:
    """Return the command of a decision on a case; it refuses what is no longer as it was shown."""
    about = _About(
        entity=view.case.entity,
        target=view.case.target,
        reason=decision.reason,
        person=decision.person,
        shown=view.basis,
    )
    if decision.choice == "change":
        edits = (SetAnswerKey(item=about["target"], text=decision.answer),)
        return CorrectRecord(edits=edits, accept=decision.accepts, **about)
    if decision.choice == "merge" and view.differing is not None:
        return _between_labels(decision.versions, about)
    if decision.choice == "merge":
        choices = tuple(
            ForkChoice(entity_id=one.entity_id, field=one.field, event=event)
            for one, event in decision.versions
        )
        return MergeForks(choices=choices, **about)
    if decision.choice == "send_back":
        return SendBack(pin=decision.pin, **about)
    if decision.choice == "reject":
        return RejectItem(**about)
    closes = KeepRecord if decision.choice == "keep" else CorrectRecord
    return closes(accept=decision.accepts, **about)


def _between_labels(versions: Sequence[tuple[FieldVersions, str]], about: _About) -> DecideLabels:
    # Where the labels agree, it does not matter which one is kept: that with the most chosen answers.
    keep = Counter(label for _, label in versions).most_common(1)[0][0]
    choices = tuple(FieldChoice(field=one.field, label=label) for one, label in versions if label != keep)
    return DecideLabels(keep=keep, choices=choices, **about)
