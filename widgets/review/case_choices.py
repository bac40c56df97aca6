"""The decisions on a case, and the reasons that are offered for each."""

from __future__ import annotations

from dataclasses import dataclass

from widgets.review.case_answers import most_given
from widgets.review.case_view import CaseView
from widgets.review.headline import short_answer
from widgets.translation import mark as _
from widgets.translation import tr

LABEL_REASONS = (
    _("The images show it clearly."),
    _("The other label overlooks something."),
    _("The authors agreed on it."),
)
"""English reasons of a decision between event labels."""
IMPOSSIBLE = {
    "send_back": _("Only an item, or a label that several persons gave differently, can be sent back."),
    "reject": _("Only an item can be rejected."),
    "change": _("Only an item has an answer key."),
    "edit": _("The record belongs to no item and no scene that could be opened."),
    "merge": _("There is one version of each field: nothing has to be chosen."),
}
"""English reasons why a decision is not possible for a record."""
BIG = 3
"""Number of decisions that have a big key."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One decision.

    Attributes:
        id: Name; its action is ``review.`` with this name.
        text: English text of its button.
        question: English question for the reason, "" for a decision without one.
        reasons: English reasons that a digit chooses.
    """

    id: str
    text: str
    question: str = ""
    reasons: tuple[str, ...] = ()


CHOICES = {
    choice.id: choice
    for choice in (
        Choice(
            id="keep",
            text=_("Keep as it is"),
            question=_("Why is it right as it is?"),
            reasons=(
                _("The images show it clearly."),
                _("The other answers overlook a part of the question."),
                _("It is an exception that the check does not know."),
            ),
        ),
        Choice(
            id="change",
            text=_("Change answer key"),
            question=_("Why is the answer key changed?"),
            reasons=(
                _("The images show the other answer clearly."),
                _("The former answer key was a mistake."),
                _("The question was understood differently."),
            ),
        ),
        Choice(id="edit", text=_("Edit")),
        Choice(
            id="send_back",
            text=_("Send back"),
            question=_("What has to be corrected?"),
            reasons=(
                _("The question is ambiguous."),
                _("More than one option is correct."),
                _("The images do not show the answer."),
                _("The options are too similar."),
            ),
        ),
        Choice(
            id="reject",
            text=_("Reject"),
            question=_("Why is the item rejected?"),
            reasons=(
                _("The question cannot be answered from the images."),
                _("It is a duplicate of another item."),
                _("The images cannot be used."),
            ),
        ),
        Choice(
            id="resolve",
            text=_("Corrected"),
            question=_("What was corrected?"),
            reasons=(_("The record was corrected."), _("The file was replaced.")),
        ),
        Choice(
            id="merge",
            text=_("Merge"),
            question=_("Why these versions?"),
            reasons=(
                _("It is the newer version."),
                _("It is the complete version."),
                _("The authors agreed on it."),
            ),
        ),
    )
}
"""All decisions by their id."""


def likely_choices(view: CaseView) -> tuple[str, ...]:
    """Return the decisions that get the big keys, the most likely first."""
    if view.differing is not None:
        return "merge", "edit", "send_back"
    if view.forks:
        return ("merge", "edit", "send_back") if view.item is not None else ("merge", "edit", "keep")
    if view.item is None:
        return "keep", "resolve", "edit"
    if most_given(view.groups):
        return "keep", "change", "send_back"
    return "keep", "edit", "send_back"


def possible_choices(view: CaseView) -> frozenset[str]:
    """Return the decisions that make sense for a case."""
    found = {"keep", "resolve"} if view.flags else set[str]()
    if view.item is not None or view.shown.scene.id:
        found |= {"edit"}
    if view.item is not None:
        found |= {"change", "send_back", "reject"}
    if view.differing is not None:
        found |= {"send_back"}
    if view.forks or view.differing is not None:
        found |= {"merge"}
        # Nothing is decided past values of which nobody knows which one is meant.
        found -= {"keep", "change", "resolve"}
    return frozenset(found)


def impossible_text(choice: str, view: CaseView) -> str:
    """Return why a decision is not possible for a case, and what to do."""
    if (view.forks or view.differing is not None) and choice in {"keep", "change", "resolve"}:
        return tr("Choose the versions of the fields first.")
    if choice in IMPOSSIBLE:
        reason = tr(IMPOSSIBLE[choice])
        if choice in {"edit", "merge"} or "edit" not in possible_choices(view):
            return reason
        return " ".join([reason, tr("Correct the record with “{edit}”.", edit=choice_text("edit", view))])
    return tr("The record has no open flag.")


def choice_reasons(choice: str, view: CaseView) -> tuple[str, ...]:
    """Return the reasons that a digit chooses: the project's own, or the usual ones."""
    if view.phrases:
        return view.phrases
    is_about_labels = choice == "merge" and view.differing is not None
    return tuple(map(tr, LABEL_REASONS if is_about_labels else CHOICES[choice].reasons))


def choice_text(choice: str, view: CaseView, *, answer: str = "") -> str:
    """Return the text of a decision for a case: 'Keep D', 'Change to B'.

    Args:
        choice: Id of the decision.
        view: The case.
        answer: The answer that becomes the key, "" for that which most gave.
    """
    item = view.item
    if choice == "keep" and item is not None and view.groups and item.answer_key:
        return tr("Keep {answer}", answer=short_answer(item.answer_key))
    wanted = answer or most_given(view.groups)
    if choice == "change" and wanted:
        return tr("Change to {answer}", answer=short_answer(wanted))
    if choice == "edit":
        return _edit_text(view)
    if choice == "merge" and view.differing is not None:
        return tr("Decide label")
    return tr(CHOICES[choice].text)


def _edit_text(view: CaseView) -> str:
    if view.item is not None:
        return tr("Edit in Refine")
    return tr("Show file") if view.case.entity == "medium" else tr("Edit scene")
