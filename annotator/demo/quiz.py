"""Questions before they become items, with right and wrong options; the letters are assigned here."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from annotator.domain import task_set_files
from annotator.domain.item import LETTERS
from annotator.draft.seeded_random import SeededRandom

_ALIKE = 0.85


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question whose answer is known.

    Attributes:
        task_set: Id of the task set.
        task: Id of the task in it.
        text: The stem.
        media: Names of the media shown, in order.
        key: The answer of a format without options, "" for one with.
        right: The right option, "" for a format without.
        wrong: The wrong options.
        answer_format: Id of the format.
        scene: Name of the scene that it is about.
        view: Name of the view that it asks about, "" for none or all.
        extras: What else belongs to the item (JSON).
    """

    task_set: str
    task: str
    text: str
    media: tuple[str, ...]
    key: str = ""
    right: str = ""
    wrong: tuple[str, ...] = ()
    answer_format: str = "option_letter"
    scene: str = ""
    view: str = ""
    extras: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Posed:
    """A question with its letters and its number.

    Attributes:
        question: What is asked.
        number: From 1 within its task.
        options: Texts in the order of their letters, empty for a format without options.
        key: The right letter, or the answer.
    """

    question: Question
    number: int
    options: tuple[str, ...]
    key: str


def ask(task_set: str, task: str, *, template: str = "", **slots: str) -> str:
    """Return a question of a task set's own template with its slots filled.

    Args:
        task_set: Id of the task set.
        task: Id of the task.
        template: Id of the template, "" for the first.
        **slots: Values of its slots.
    """
    templates = task_set_files.builtin(task_set).task(task).templates
    found = next(t for t in templates if t.id == template) if template else templates[0]
    return found.fill(slots)


def pose(questions: Iterable[Question], *, seed: int) -> Iterator[Posed]:
    """Give questions numbers and letters: each letter is right equally often in every task.

    Right letters are dealt like cards, each once before any comes again, so that they come out even in
    small sets too.
    """
    numbers: dict[tuple[str, str], int] = defaultdict(int)
    for question in questions:
        key = question.task_set, question.task
        numbers[key] += 1
        options = _options(question, number=numbers[key], seed=seed)
        letter = LETTERS[options.index(question.right)] if options else question.key
        yield Posed(question=question, number=numbers[key], options=options, key=letter)


def _options(question: Question, *, number: int, seed: int) -> tuple[str, ...]:
    if not question.right:
        return ()
    count = len(question.wrong) + 1
    # By the number and not the text: a better wording of a question must not deal its letters anew.
    draw = SeededRandom(seed, question.task_set, question.task, number)
    dealt = SeededRandom(seed, question.task_set, question.task, "deal", count, (number - 1) // count)
    texts = draw.shuffled(question.wrong)
    texts.insert(dealt.shuffled(range(count))[(number - 1) % count], question.right)
    return tuple(texts)


def choose_wrong(
    right: str, candidates: Iterable[str], *, count: int, draw: SeededRandom
) -> tuple[str, ...] | None:
    """Return wrong options out of candidates of the same kind, None where there are too few.

    None is so similar to another, or to the right one, that the check of options would report it.
    """
    kept = [right]
    # A set would come in another order in each process.
    for text in draw.shuffled(dict.fromkeys(candidates)):
        if len(kept) <= count and all(_is_apart(text, other) for other in kept):
            kept.append(text)
    return tuple(kept[1:]) if len(kept) > count else None


def choose_others(
    task_set: str, task: str, *, right: str, others: Iterable[str], count: int, draw: SeededRandom
) -> tuple[str, ...]:
    """Return wrong options for a task, none where too few are fit.

    Options that the task set lists are taken as they are, however alike the benchmark made them.
    """
    if task_set_files.builtin(task_set).task(task).choices:
        listed = draw.sample([text for text in dict.fromkeys(others) if text != right], count)
        return tuple(listed) if len(listed) == count else ()
    return choose_wrong(right, others, count=count, draw=draw) or ()


def _is_apart(one: str, two: str) -> bool:
    # difflib is not symmetric: its ratio may change with the order of the texts.
    return one != two and max(_likeness(one, two), _likeness(two, one)) <= _ALIKE


def _likeness(one: str, two: str) -> float:
    """Return how alike two texts are, 0 to 1. Source: AirCopBench's draft check compares with difflib."""
    return difflib.SequenceMatcher(None, one, two).ratio()
