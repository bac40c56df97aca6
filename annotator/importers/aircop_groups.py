"""Where the questions stand in AirCopBench's question files: alone, in groups, in groups per UAV.

Source: the files VQA_<Dataset>_<Task>.json that the generation scripts write, and evaluation.py's test files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from annotator.importers.aircop_names import view_name
from annotator.importers.json_text import JsonElement, JsonFault, JsonSpan, JsonText

_LISTS = frozenset({"results", "questions", "questions_per_uav"})
_IN_GROUPS = re.compile(r'"questions(?:_per_uav)?"\s*:\s*[\[{]')
_VIEW_KEY = re.compile(r"uav[ _-]?([0-9]+)", re.IGNORECASE)


class QuestionGroup(msgspec.Struct, frozen=True):
    """What the questions of one group share.

    Attributes:
        members: The group's own fields.
        dataset: Name that the file states, "" where it does not.
        location: "group 3" or "group 3, UAV1" for locators, "" for questions that stand alone.
        view: The view that they are listed under, "" for none.
    """

    members: dict[str, Any] = {}
    dataset: str = ""
    location: str = ""
    view: str = ""


class GroupedQuestion(msgspec.Struct, frozen=True):
    """One question where it stands.

    Attributes:
        element: The question, or a broken part of a group.
        group: What it shares with others.
        locator: Where it is: "group 3, question 5".
    """

    element: JsonElement
    group: QuestionGroup
    locator: str


def iterate_questions(json: JsonText) -> Iterator[GroupedQuestion]:
    """Yield every question of a file in its order."""
    whole = JsonSpan(json.skip_blanks(0), len(json.text))
    if json.text.startswith("[", whole.start):
        yield from _list(json, whole, QuestionGroup())
        return
    if not json.text.startswith("{", whole.start):
        yield from _alone(json.top_elements(), QuestionGroup())
        return
    # Group by group and not as one value: one broken question must not take the file along.
    parts = _parts(json, whole)
    if not parts.lists:
        yield from _alone(json.top_elements(), QuestionGroup())
        return
    yield from _broken(parts, QuestionGroup())
    dataset = parts.members.get("dataset")
    group = QuestionGroup(dataset=dataset if isinstance(dataset, str) else "")
    if "results" in parts.lists:
        yield from _list(json, parts.lists["results"], group)
    else:
        yield from _lists(json, parts, replace(group, members=parts.members, location="group 1"))


# Files name a handful of views over and over.
@lru_cache(maxsize=1024)
def view_of_key(key: str) -> str:
    """Return the view that a key such as ``UAV1`` names, or the key itself."""
    number = _VIEW_KEY.fullmatch(key)
    return view_name(number[1]) if number else key


class _Parts(msgspec.Struct, frozen=True):
    """An object's members: those decoded, the lists of questions by their place, and what is broken."""

    members: dict[str, Any]
    lists: dict[str, JsonElement]
    broken: list[JsonElement]


def _parts(json: JsonText, span: JsonSpan) -> _Parts:
    parts = _Parts({}, {}, [])
    for name, element in json.members(span, undecoded=_LISTS.__contains__):
        if name in parts.members or name in parts.lists:
            fault = JsonFault(element.start, name, "The field name occurs twice.")
            parts.broken.append(replace(element, value=None, fault=fault))
        elif element.fault is not None:
            field = f"{name}.{element.fault.field}".strip(".")
            parts.broken.append(replace(element, fault=replace(element.fault, field=field)))
        elif name in _LISTS:
            parts.lists[name] = element
        else:
            parts.members[name] = element.value
    return parts


def _list(json: JsonText, span: JsonSpan, group: QuestionGroup) -> Iterator[GroupedQuestion]:
    """Yield from a list of groups or of questions; what is no list counts as a question itself."""
    if not json.text.startswith("[", span.start):
        yield GroupedQuestion(json.element(span.start, limit=span.end), group, group.location or "record 1")
    # Looked for in the text: nothing has been decoded yet.
    elif not _IN_GROUPS.search(json.text, span.start, span.end):
        yield from _alone(json.elements(span.start, limit=span.end), group)
    else:
        for number, part in enumerate(json.spans(span.start, limit=span.end), start=1):
            yield from _group(json, part, replace(group, location=f"group {number}"))


def _alone(elements: Iterable[JsonElement], group: QuestionGroup) -> Iterator[GroupedQuestion]:
    before = f"{group.location}, question" if group.location else "record"
    for number, element in enumerate(elements, start=1):
        yield GroupedQuestion(element, group, f"{before} {number}")


def _broken(parts: _Parts, group: QuestionGroup) -> Iterator[GroupedQuestion]:
    for element in parts.broken:
        yield GroupedQuestion(element, group, group.location or "the whole file")


def _group(json: JsonText, span: JsonSpan, group: QuestionGroup) -> Iterator[GroupedQuestion]:
    """Yield the questions of a group; one without lists is a question itself."""
    parts = _parts(json, span) if json.text.startswith("{", span.start) else _Parts({}, {}, [])
    if not parts.lists:
        yield GroupedQuestion(json.element(span.start, limit=span.end), group, group.location)
        return
    yield from _broken(parts, group)
    yield from _lists(json, parts, replace(group, members={**group.members, **parts.members}))


def _lists(json: JsonText, parts: _Parts, group: QuestionGroup) -> Iterator[GroupedQuestion]:
    if questions := parts.lists.get("questions"):
        yield from _questions(json, questions, group)
    if per_view := parts.lists.get("questions_per_uav"):
        for key, part in json.members(per_view, undecoded=lambda _: True):
            view = view_of_key(key)
            inner = replace(group, location=f"{group.location}, {view}", view=view)
            if part.fault is not None:
                yield GroupedQuestion(part, inner, inner.location)
            elif json.text.startswith("[", part.start):
                yield from _questions(json, part, inner)
            else:
                yield from _group(json, part, inner)


def _questions(json: JsonText, span: JsonSpan, group: QuestionGroup) -> Iterator[GroupedQuestion]:
    if json.text.startswith("[", span.start):
        yield from _alone(json.elements(span.start, limit=span.end), group)
    else:
        yield GroupedQuestion(json.element(span.start, limit=span.end), group, group.location)
