"""Questions that a model wrote for a task: what is wrong with one, its options, and their JSON schema."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from annotator.domain.task_set import Task, TaskSet
from annotator.draft.llm.question_parser import ParsedQuestion, RejectedReply

_OTHERS = re.compile(
    r"\b(?:all|both|none|neither|any) of (?:the )?(?:above|these|previous|other options)\b"
    r"|\b(?:options?|choices?|answers?) \(?[A-I]\b(?! \w)|\b[A-I] (?:and|or) [A-I]\b|以上(?:都|皆|全)",
    re.IGNORECASE,
)
_LETTER = re.compile(r"\W*[A-I]\W*", re.IGNORECASE)


def question_problems(written: ParsedQuestion, *, options: int) -> tuple[str, ...]:
    """Return the problems of a question whose options the model wrote, independent of language."""
    # All problems at once, because each further attempt costs a call.
    problems = [] if written.question else ["The question is missing."]
    count = 1 + len(written.wrong)
    if count != options:
        problems.append(
            f"It has {count} options; exactly {options} are required: one right, {options - 1} wrong."
        )
    texts = (written.right, *written.wrong)
    if not all(texts):
        problems.append("An option is empty.")
    elif all(_LETTER.fullmatch(text) for text in texts):
        problems.append("The options are only letters; write out each option as text.")
    if any(_OTHERS.search(text) for text in texts):
        problems.append(
            "An option refers to other options; letters are assigned later, so each must stand alone."
        )
    return tuple(problems)


def question_of_values(
    written: ParsedQuestion, *, values: tuple[str, ...], task: Task, task_set: TaskSet
) -> ParsedQuestion | RejectedReply:
    """Return a question whose options come from a list of values; the model only named the right one.

    Args:
        written: The question as the model wrote it.
        values: Texts of the values.
        task: The task.
        task_set: The task set, which has the values.
    """
    found = task_set.find_value(task.choices, written.right)
    right = found.title.en if found else ""
    if not written.question or right not in values:
        problem = "The question is missing." if not written.question else _not_listed(written.right, values)
        return RejectedReply(problems=(problem,))
    wrong = tuple(text for text in values if text != right)
    return ParsedQuestion(question=written.question, right=right, wrong=wrong, because=written.because)


def _not_listed(text: str, values: tuple[str, ...]) -> str:
    return f"The right answer {text[:80]!r} is none of: {'; '.join(values)}."


def question_schema(task: Task, *, values: Sequence[str] = ()) -> dict[str, Any] | None:
    """Return the JSON schema of a task's questions, None for tasks without options.

    Args:
        task: The task.
        values: Texts from which its options are chosen, none if the model writes them.
    """
    if task.option_count is None:
        return None
    text: dict[str, Any] = {"type": "string"}
    wrong = task.option_count.max - 1
    members: dict[str, Any] = {"question": text, "right": text}
    if values:
        members["right"] = {"type": "string", "enum": list(values)}
    else:
        members["wrong"] = {"type": "array", "items": text, "minItems": wrong, "maxItems": wrong}
    members["because"] = text
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}
