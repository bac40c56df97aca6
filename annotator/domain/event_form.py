"""The event-level form: what it asks, what a person must still correct, and answers copied between labels.

Pure, so that a form can show it while somebody types. Source: AirCopBench, its annotation form.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec

from annotator.domain.contradictions import Contradiction, find_contradictions
from annotator.domain.event_label import EventLabel

ANSWERS = (
    "quality",
    "usable",
    "object_types",
    "count",
    "degradations",
    "other_degradation",
    "issue_boxes",
    "when",
    "what_boxes",
    "who",
    "why",
)
"""The fields that a person fills in, in the order of the form."""
NEEDS_HELP = frozenset({"what_boxes", "who", "why"})
"""Asked only where the view needs another one."""
_COUNT_MARK = "count_not_integer"


def is_asked(label: EventLabel, field: str) -> bool:
    """Return whether the form asks for a field; one that has a value is shown in any case."""
    if field in NEEDS_HELP:
        return label.when is True or bool(getattr(label, field))
    if field == "other_degradation":
        return "others" in (label.degradations or ()) or bool(label.other_degradation)
    return True


def find_form_problems(label: EventLabel, *, views: Collection[str]) -> Mapping[str, list[Contradiction]]:
    """Return what a person must correct before a label is finished, by field.

    An approximate number is an answer of the form; the rule that counts objects leaves it out.

    Args:
        label: The label.
        views: Names of all views of its scene.
    """
    problems: dict[str, list[Contradiction]] = {}
    for found in find_contradictions(label, views=views):
        is_mark = found.kind == _COUNT_MARK and label.count is not None and label.count.value is not None
        if found.severity != "note" and not is_mark:
            problems.setdefault(found.field.partition("[")[0], []).append(found)
    for field in label.copied:
        message = "The value was copied or proposed by rule, and is not confirmed."
        problems.setdefault(field, []).append(Contradiction(kind="copied", message=message, field=field))
    return problems


def copy_answers(
    source: EventLabel, target: EventLabel, *, views: Collection[str], fields: Collection[str] = ANSWERS
) -> EventLabel:
    """Return a label whose open fields are answered as in another label, and marked as copied.

    Args:
        source: The label of the previous frame or of another view.
        target: The label.
        views: Names of the views of the target's scene; others are no partners.
        fields: Names of the fields to copy.
    """
    answers = _open_answers(source, target, fields)
    if answers.get("when", target.when) is not True:
        # Where no other view is needed, what is needed, from whom and why would be contradictions.
        answers = {field: value for field, value in answers.items() if field not in NEEDS_HELP}
    if "who" in answers:
        answers["who"] = _partners(source, target, views=views)
    if "others" not in (answers.get("degradations", target.degradations) or ()):
        answers.pop("other_degradation", None)
    copied = tuple(field for field in ANSWERS if field in answers or field in target.copied)
    return msgspec.structs.replace(target, **answers, copied=copied)


def _open_answers(source: EventLabel, target: EventLabel, fields: Iterable[str]) -> dict[str, Any]:
    """Return the answers of one label to what another leaves open."""
    open_fields = [field for field in fields if getattr(target, field) is None]
    return {field: value for field in open_fields if (value := getattr(source, field)) is not None}


def _partners(source: EventLabel, target: EventLabel, *, views: Collection[str]) -> tuple[str, ...]:
    # Where another view asks this one for help, the two help each other.
    swapped = (source.view if name == target.view else name for name in source.who or ())
    return tuple(dict.fromkeys(name for name in swapped if name in views))
