"""Equal answers to an item: the same, or within the tolerance of its format."""

from __future__ import annotations

from collections.abc import Iterable

from annotator.domain import answers
from annotator.domain.item import Item
from annotator.domain.response import Response


def is_same(one: str, other: str, *, item: Item) -> bool:
    """Return whether two canonical answers are equal, or within the format's tolerance in either order."""
    if one == other or not answers.is_known(item.answer_format):
        return one == other
    form, context = answers.get(item.answer_format), answers.AnswerContext(options=item.options)
    return (
        # In both orders: a score treats its second text as the key, and box tolerances depend on its
        # diagonal.
        form.score(one, other, context=context).is_correct
        and form.score(other, one, context=context).is_correct
    )


def group_responses(item: Item, responses: Iterable[Response]) -> list[list[Response]]:
    """Return responses to one form of an item in groups of equal answers, in order of arrival."""
    groups: list[list[Response]] = []
    for response in responses:
        same = (group for group in groups if is_same(group[0].answer, response.answer, item=item))
        found = next(same, None)
        if found is None:
            groups.append([response])
        else:
            found.append(response)
    return groups
