"""The flag of an item that people answer differently: it follows from their answers alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from annotator.domain.answer_groups import group_responses
from annotator.domain.event import CREATED, REMOVED, Edit, edit_fields
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.domain.response import Response

DISAGREEMENT = "people_disagree"
RAISED_BY = "response"


def disagreement_edits(
    item: Item, responses: Sequence[Response], *, flags: Sequence[Flag], withdrawn: Collection[str] = ()
) -> Iterator[Edit]:
    """Yield the flag of an item that people answer differently, its new message, or its end.

    A flag that is decided comes back only with an answer that the decision did not know.

    Args:
        item: The item.
        responses: The answers to its present form, in order of arrival.
        flags: The flags of the item.
        withdrawn: Ids of the answers that are withdrawn.
    """
    groups = group_responses(item, responses)
    known = [flag for flag in flags if flag.kind == DISAGREEMENT]
    waiting = [flag for flag in known if flag.state == "open"]
    if len(groups) < 2:
        yield from _ended(waiting, withdrawn=withdrawn)
        return
    message = f"People answer differently: {', '.join(sorted(repr(group[0].answer) for group in groups))}."
    if not waiting and _has_news(groups, decided=known):
        yield response_flag(item, kind=DISAGREEMENT, message=message, responses=responses)
    for flag in waiting:
        yield from edit_fields(flag, message=message, evidence=_evidence(item, responses))


def response_flag(
    item: Item, *, kind: str, message: str, responses: Sequence[Response], field: str = "answer_key"
) -> Edit:
    """Return the creation of a flag that answers raise.

    Args:
        item: The item.
        kind: Why the flag is raised.
        message: The same as text.
        responses: The answers.
        field: What of the item is in doubt, "" for nothing in particular.
    """
    flag = Flag(
        id=new_id(),
        entity="item",
        target=item.id,
        kind=kind,
        message=message,
        field=field,
        raised_by=RAISED_BY,
        evidence=_evidence(item, responses),
    )
    return Edit(entity="flag", entity_id=flag.id, field=CREATED, value=flag)


def responses_behind(flag: Flag) -> frozenset[str]:
    """Return the ids of the answers that a flag follows from."""
    return frozenset(flag.evidence.get("responses", ()))


def _ended(flags: Iterable[Flag], *, withdrawn: Collection[str]) -> Iterator[Edit]:
    """Yield the removal of the flags that a withdrawn answer has raised."""
    for flag in flags:
        if not responses_behind(flag).isdisjoint(withdrawn):
            yield Edit(entity="flag", entity_id=flag.id, field=REMOVED, value=True)


def _has_news(groups: Sequence[Sequence[Response]], *, decided: Sequence[Flag]) -> bool:
    """Return whether nothing is decided yet, or a group of equal answers was not known to the decision."""
    seen = frozenset[str]().union(*map(responses_behind, decided))
    return any(seen.isdisjoint(response.id for response in group) for group in groups)


def _evidence(item: Item, responses: Sequence[Response]) -> dict[str, object]:
    return {"answer_key": item.answer_key, "responses": [response.id for response in responses]}
