"""Commands of a second look: independent answers to items, and a person's decision on the answer key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.actor import Actor
from annotator.domain.answers import registry
from annotator.domain.assignment import AssignmentRole
from annotator.domain.disagreement import disagreement_edits, response_flag, responses_behind
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.event import CREATED, Edit, edit_fields
from annotator.domain.flag import Flag
from annotator.domain.item import IssueClass, Item
from annotator.domain.record import ValueObject, new_id
from annotator.domain.response import KeyDecision, Response
from annotator.domain.review import REPORTED
from annotator.edits.hand_ins import hand_in_edits
from annotator.edits.people import adding_edits
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.context import CheckContext, answer_context
from annotator.queries.reader import Reader

AGAINST_KEY = "person_against_key"
ANSWERING_ROLES: tuple[AssignmentRole, ...] = ("validate", "reference")
"""Roles of the assignments that an answer completes."""
KEPT = "The person keeps the answer key after comparing it with their own answer."


class GivenAnswer(ValueObject, frozen=True, kw_only=True):
    """A person's answer to an item whose key the person has not seen.

    Attributes:
        item: Id of the item.
        answer: The answer as text; stored in its canonical form where it can be read.
        person: Id of the actor.
        duration_s: Seconds of work, without idle time.
        reason: What is wrong with the item, "" for nothing.
        issue_classes: The same as issue classes.
        is_key_shown: Whether the answer key is shown as soon as the answer is recorded: the person can then
            decide on the key, and cannot give another answer.
    """

    item: str
    answer: str
    person: str
    duration_s: float = 0.0
    reason: str = ""
    issue_classes: tuple[IssueClass, ...] = ()
    is_key_shown: bool = False


@dataclass(frozen=True, kw_only=True)
class AddResponses(Command):
    """Record independent answers.

    An answer that the key counts as wrong flags the item (``person_against_key``), and so do people with
    different answers (``people_disagree``) and issue classes (``person_reports_issue``). The assignment of an
    answer is done, unless the person still has to decide on the answer key.

    Attributes:
        answers: The answers.
        people: Actors that the project does not contain yet.
    """

    answers: tuple[GivenAnswer, ...]
    people: tuple[Actor, ...] = ()

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        is_key_shown = bool(self.answers) and all(given.is_key_shown for given in self.answers)
        return CommandSummary.of(
            "answer_before_key" if is_key_shown else "add_responses", count=len(self.answers)
        )

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the responses, and the flags that follow from them.

        Raises:
            UserError: An item is unknown, an answer is empty, or a person has already answered the item in
                its present form, or has seen its answer key.
        """
        yield from adding_edits(self.people, reader)
        context = CheckContext.of(reader)
        by_item: dict[str, list[GivenAnswer]] = defaultdict(list)
        for given in self.answers:
            by_item[given.item].append(given)
        progress.begin(self.summary, total=len(by_item))
        for item_id, answers in by_item.items():
            progress.step()
            yield from self._item(reader.require(Item, item_id), answers, reader=reader, context=context)
        progress.end()

    def _item(
        self, item: Item, answers: Sequence[GivenAnswer], *, reader: Reader, context: CheckContext
    ) -> Iterator[Edit]:
        shown = prompt_digest(item)
        known = [one for one in reader.find(Response, item=item.id) if one.shown == shown]
        for given in answers:
            _require_independent(given, item=item, known=known, reader=reader)
            answer = _canonical(given.answer, item=item, context=context)
            response = _response(given, answer=answer, shown=shown)
            known.append(response)
            yield Edit(entity="response", entity_id=response.id, field=CREATED, value=response)
            if is_against_key(response.answer, item, context=context):
                message = f"A person answers {response.answer!r}, the answer key is {item.answer_key!r}."
                yield response_flag(item, kind=AGAINST_KEY, message=message, responses=[response])
            if response.issue_classes:
                message = f"A person reports an issue: {', '.join(response.issue_classes)}."
                yield response_flag(item, kind=REPORTED, message=message, responses=[response], field="")
            if not response.is_key_shown:
                yield from _hand_in(response, reader=reader)
        yield from disagreement_edits(item, known, flags=reader.flags_of(item.id))


@dataclass(frozen=True, kw_only=True)
class DecideKey(Command):
    """Keep the answer key after one's own answer, or object to it.

    To keep the key closes the flag that this person's own answer raised, if it is still open; to object
    raises one.

    Attributes:
        response: Id of the person's response.
        decision: ``keep`` or ``object``.
        reason: Why; required for an objection.
    """

    response: str
    decision: KeyDecision
    reason: str = ""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("object_to_key" if self.decision == "object" else "keep_key")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the decision, and the flag that it raises or closes.

        Raises:
            UserError: The response is unknown, or an objection has no reason.
        """
        progress.begin(self.summary, total=1)
        response = reader.require(Response, self.response)
        reason = self.reason.strip()
        if self.decision == "object" and not (reason or response.reason or response.issue_classes):
            raise UserError("An objection needs a reason.", hint="Enter what is wrong with the answer key.")
        yield from edit_fields(response, decision=self.decision, reason=reason or response.reason)
        yield from self._flag(response, reader=reader, reason=reason)
        yield from _hand_in(response, reader=reader)

    def _flag(self, response: Response, *, reader: Reader, reason: str) -> Iterator[Edit]:
        """Yield what the decision changes in the flag that the response raised."""
        item = reader.require(Item, response.item)
        own = _own_flag(reader.flags_of(item.id), response)
        if own is None:
            if self.decision == "object":
                why = reason or response.reason or ", ".join(response.issue_classes)
                yield response_flag(
                    item,
                    kind=AGAINST_KEY,
                    message=f"A person objects to the answer key {item.answer_key!r}: {why}",
                    responses=[response],
                )
            return
        if self.decision == "object":
            yield from edit_fields(own, state="open")
        # Where somebody has decided on it, that decision and its reason stand.
        elif own.state == "open":
            yield from edit_fields(own, state="dismissed", resolution=reason or KEPT)


def is_against_key(answer: str, item: Item, *, context: CheckContext) -> bool:
    """Return whether an answer is wrong by the item's key; False where the key cannot be read."""
    if not registry.is_known(item.answer_format):
        return False
    answers = registry.get(item.answer_format)
    score = answers.score(answer, item.answer_key, context=answer_context(item, context))
    return score.is_key_parsed and not score.is_correct


def _require_independent(
    given: GivenAnswer, *, item: Item, known: Sequence[Response], reader: Reader
) -> None:
    """Check that a person has not answered an item in its present form, and has not seen its key."""
    if any(one.person == given.person for one in known):
        raise UserError(
            f"This person has already answered {item.name}.",
            hint="A second answer of a person is not independent. Undo the first one to change it.",
        )
    if reader.responses.has_seen_key(item.id, person=given.person):
        raise UserError(
            f"This person has seen the answer key of {item.name}.",
            hint="A further answer is not independent. Redo brings a withdrawn answer back.",
        )


def _response(given: GivenAnswer, *, answer: str, shown: str) -> Response:
    return Response(
        id=new_id(),
        item=given.item,
        answer=answer,
        person=given.person,
        duration_s=round(given.duration_s, 1),
        reason=given.reason.strip(),
        shown=shown,
        issue_classes=given.issue_classes,
        is_key_shown=given.is_key_shown,
    )


def _hand_in(response: Response, *, reader: Reader) -> Iterator[Edit]:
    return hand_in_edits(
        reader, entity="item", target=response.item, person=response.person, roles=ANSWERING_ROLES
    )


def _canonical(answer: str, *, item: Item, context: CheckContext) -> str:
    text = answer.strip()
    if not text:
        raise UserError(f"The answer to {item.name} is empty.", hint="Answer the question, or skip the item.")
    if not registry.is_known(item.answer_format):
        return text
    return registry.get(item.answer_format).canonical(text, context=answer_context(item, context)) or text


def _own_flag(flags: Sequence[Flag], response: Response) -> Flag | None:
    return next(
        (flag for flag in flags if flag.kind == AGAINST_KEY and response.id in responses_behind(flag)),
        None,
    )
