"""Checks of answers against the event labels that they are about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from annotator.domain.event_label import EventLabel
from annotator.domain.item import Item
from annotator.quality.check import CheckHit, DatasetCheck, DatasetCollector, ItemCheck
from annotator.quality.context import CheckContext

# An approximate count is contradicted by nothing (the published scripts turn 'around 60' into 0), and by less
# than half or more than double of it.
_APPROXIMATE_FACTOR = 2
_NUMBER = re.compile(r"(?<![\w.])\d{1,6}(?![\w.]*\d)")
_LEVEL = re.compile(r"(?<![\d/])([1-5])(?:/5)?(?!\d)")
_YES, _NO = re.compile(r"\W*(?:yes|是|需要)", re.IGNORECASE), re.compile(r"\W*(?:no|否|不)", re.IGNORECASE)
_VIEW = re.compile(r"\bUAV\s?(\d{1,2})\b", re.IGNORECASE)
_DERIVED = re.compile(r"[-_](?:loss|noise|noisy)(?=\.\w+$|$)", re.IGNORECASE)


class LabelContradiction(ItemCheck):
    """Finds answers that the event label of the view contradicts."""

    id = "label_contradiction"
    severity = "error"
    title = "Answer contradicts the event label"
    finds = (
        "The right answer differs from the event label of the item's view: count, level, yes or no, partner."
    )
    advice = "Look at the images, and correct the answer or the label."
    threshold = "equal; an approximate count within half and double"
    tasks = (
        "aircop/object_counting",
        "aircop/quality_assessment",
        "aircop/usability_assessment",
        "aircop/when_to_collaborate",
        "aircop/who_to_collaborate",
    )

    def applies_to(self, item: Item, *, context: CheckContext) -> bool:  # noqa: ARG002 - the tasks alone decide
        """Return whether labels say what the task asks for."""
        return f"{item.task_set}/{item.task}" in self.tasks

    def check_item(self, item: Item, context: CheckContext, /) -> CheckHit | None:
        """Say what the label has, where every label of the view has something else."""
        answer = _answer_text(item)
        labels = [
            label for medium in item.media for label in context.labels(medium) if label.view == item.view
        ]
        if not answer or not labels:
            return None
        compare = _COMPARED[item.task]
        said = [compare(answer, label) for label in labels]
        if not all(said):
            return None
        return CheckHit(
            message=f"The answer is {answer!r}, the event label has {said[0]}.", field="answer_key"
        )


class CleanAnswer(DatasetCheck):
    """Finds items on copies with noise or loss that have the answer of the clean image."""

    id = "clean_answer"
    severity = "warning"
    title = "Answer of the clean image"
    finds = "The image is a copy with noise or loss, and the item has the answer of the original image."
    advice = "Look at the copy, and answer for what it shows."
    threshold = "names that differ in -loss, -noise or _noisy alone (AirCopBench's derived images)"
    tasks = ("aircop/quality_assessment", "aircop/usability_assessment", "aircop/when_to_collaborate")

    def applies_to(self, item: Item, *, context: CheckContext) -> bool:  # noqa: ARG002 - the tasks alone decide
        """Return whether the answer depends on how clean the image is."""
        return f"{item.task_set}/{item.task}" in self.tasks

    def start(self, context: CheckContext, /) -> DatasetCollector:
        """Return an empty collector."""
        return _CopyCollector(context)


class _CopyCollector(DatasetCollector):
    """Keeps the items on copies on the first pass, and the answers of their originals on the second."""

    def __init__(self, context: CheckContext) -> None:
        self._context = context
        self._copies: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
        self._clean: dict[tuple[str, str, str], tuple[str, str]] = {}

    def add(self, item: Item) -> None:
        """Keep an item on a copy."""
        for name, is_copy in self._images(item):
            if is_copy:
                key = (item.task, item.view, name)
                self._copies.setdefault(key, []).append((item.id, _answer_text(item)))

    @property
    def wants_second_pass(self) -> bool:
        """Whether there are copies."""
        return bool(self._copies)

    def add_again(self, item: Item) -> None:
        """Keep the answer of an item on the image of a copy."""
        for name, is_copy in self._images(item):
            key = (item.task, item.view, name)
            if not is_copy and key in self._copies:
                self._clean[key] = (item.name, _answer_text(item))

    def findings(self) -> Iterator[tuple[str, str, CheckHit]]:
        """Yield each item that has the answer of the clean image."""
        for key, copies in self._copies.items():
            name, clean = self._clean.get(key, ("", ""))
            for item, answer in copies:
                if clean and answer == clean:
                    message = f"The image is a copy with noise or loss, and the answer is that of {name}."
                    yield "item", item, CheckHit(message=message, field="answer_key")

    def _images(self, item: Item) -> Iterator[tuple[str, bool]]:
        """Yield the names of an item's images of its view without their mark, and whether they had one."""
        for medium in item.media:
            found = self._context.medium(medium)
            if found is not None and (len(item.media) == 1 or item.view in found.name):
                name = _DERIVED.sub("", found.name)
                yield name, name != found.name


def _answer_text(item: Item) -> str:
    texts = {option.letter: option.text.strip() for option in item.options}
    return texts.get(item.answer_key, "" if item.options else item.answer_key.strip())


def _compare_count(answer: str, label: EventLabel) -> str:
    """Return what the label has where an answer contradicts it, "" where it does not; so do the others."""
    found, count = _NUMBER.search(answer), label.count
    if found is None or count is None or count.value is None:
        return ""
    number, value = int(found.group()), count.value
    if not count.approximate:
        return "" if number == value else str(value)
    is_near = value <= number * _APPROXIMATE_FACTOR and number <= value * _APPROXIMATE_FACTOR
    return "" if is_near else f"about {value}"


def _compare_quality(answer: str, label: EventLabel) -> str:
    found = _LEVEL.search(answer)
    if found is None or label.quality is None or int(found[1]) == label.quality:
        return ""
    return f"level {label.quality}"


def _compare_truth(answer: str, *, truth: bool | None) -> str:
    if truth is None or not (_YES.match(answer) or _NO.match(answer)):
        return ""
    return "" if bool(_YES.match(answer)) == truth else ("yes" if truth else "no")


def _compare_usable(answer: str, label: EventLabel) -> str:
    return _compare_truth(answer, truth=label.usable)


def _compare_when(answer: str, label: EventLabel) -> str:
    return _compare_truth(answer, truth=label.when)


def _compare_who(answer: str, label: EventLabel) -> str:
    if not label.who:
        return ""
    named = {f"UAV{number}" for number in _VIEW.findall(answer)}
    return "" if named and named <= set(label.who) else ", ".join(label.who)


_COMPARED: Mapping[str, Callable[[str, EventLabel], str]] = {
    "object_counting": _compare_count,
    "quality_assessment": _compare_quality,
    "usability_assessment": _compare_usable,
    "when_to_collaborate": _compare_when,
    "who_to_collaborate": _compare_who,
}
