"""Parsing of a question in a model's reply, in any of the usual forms, into fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.domain.answers.reply_text import remove_reasoning
from annotator.domain.record import ValueObject
from annotator.draft.llm.json_parser import LONGEST_REPLY, values_in
from annotator.draft.llm.option_parser import (
    ParsedOption,
    answer_in,
    field_text,
    find_answer_option,
    first_option_at,
    member_of,
    named_members,
    options_in,
    read_options,
    without_mark,
)
from annotator.draft.llm.text_cleaning import clean_lines, clean_text

LONGEST_QUESTION, LONGEST_OPTION, LONGEST_REASON = 2_000, 600, 1_500
"""Limits in characters; a longer draft is faulty.

Source of the first: UrbanVideo-Bench's stems may contain a whole route; the others are several times the
longest text of its files.
"""
MOST_NESTED = 4
TOO_LONG = f"The reply is longer than {LONGEST_REPLY:,} characters."
_QUESTION = frozenset({"question", "stem", "questiontext", "questionstem", "query", "q"})
_OPTIONS = frozenset({"options", "choices", "alternatives", "candidates", "answers", "choice", "option"})
_RIGHT = frozenset(
    {"right", "answer", "correctanswer", "rightanswer", "correct", "correctoption", "key", "solution"}
)
_WRONG = frozenset({"wrong", "wronganswers", "distractors", "incorrect", "incorrectanswers", "wrongoptions"})
_BECAUSE = frozenset({"because", "reason", "explanation", "rationale", "evidence"})
_STEM_MARK = re.compile(r"^\W{0,4}(?:question|stem|问题)\s*\d{0,3}\W{0,4}[:\uff1a]\W{0,3}\s*", re.IGNORECASE)
_CHOICES_MARK = re.compile(r"[\s*_#>-]*\b(?:options?|choices?|choose)\s*[:\uff1a]\W*$", re.IGNORECASE)


class ParsedQuestion(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """A question as the model wrote it, before the options are shuffled.

    Attributes:
        question: The stem, "" if the model does not write it.
        right: Text of the right option.
        wrong: Texts of the others.
        because: The model's reason.
    """

    question: str = ""
    right: str = ""
    wrong: tuple[str, ...] = ()
    because: str = ""


@dataclass(frozen=True, kw_only=True)
class RejectedReply:
    """A reply that cannot be used.

    Attributes:
        problems: The problems, as text that is sent to the model with the next attempt.
    """

    problems: tuple[str, ...]


ParseResult = ParsedQuestion | RejectedReply | None


def parse_question(text: str, *, not_this: str = "") -> ParsedQuestion | RejectedReply:
    """Return the question of a reply.

    JSON is searched first, then lines such as ``Question: …``, ``A. …``, ``ParsedReply: B``.

    Args:
        text: The reply.
        not_this: Question of the prompt's example, which models often repeat.
    """
    reply = remove_reasoning(text).strip()
    if not reply:
        return RejectedReply(problems=("The reply is empty.",))
    found = list(filter(None, _candidates(reply[:LONGEST_REPLY])))
    example = clean_text(not_this)
    own = [
        one for one in found if isinstance(one, ParsedQuestion) and not (example and one.question == example)
    ]
    if own:
        return _bounded(own[0])
    if not found:
        too_long = (TOO_LONG,) if len(reply) > LONGEST_REPLY else ()
        return RejectedReply(problems=("There is no question with options in the reply.", *too_long))
    if isinstance(found[0], RejectedReply):
        return found[0]
    return RejectedReply(problems=("It repeats the example instead of asking about this material.",))


def _candidates(text: str) -> Iterator[ParseResult]:
    for value in values_in(text):
        yield from map(_from_members, _objects(value))
    yield _from_lines(text)


def _objects(value: object, *, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in a value that could be a question, outer before inner."""
    if depth > MOST_NESTED:
        return
    if isinstance(value, str) and value.lstrip()[:1] in {"{", "["}:
        # JSON that was encoded as a string once more.
        value = next(values_in(value), None)
    if not isinstance(value, dict | list):
        return
    if isinstance(value, dict):
        yield named_members(value)
    for entry in value.values() if isinstance(value, dict) else value:
        yield from _objects(entry, depth=depth + 1)


def _from_members(members: Mapping[str, Any]) -> ParseResult:
    """Return the question in an object, or its problems; None if the object is not a question."""
    stem = member_of(members, _QUESTION)
    right, wrong = member_of(members, _RIGHT), member_of(members, _WRONG)
    because = field_text(member_of(members, _BECAUSE))
    options = read_options(member_of(members, _OPTIONS))
    if options:
        return _chosen(field_text(stem), options, answer=right, because=because)
    if isinstance(wrong, list | dict):
        texts = tuple(option.text for option in read_options(wrong))
        return _answered(field_text(stem), without_mark(field_text(right)), wrong=texts, because=because)
    if isinstance(stem, str) and (inside := _from_lines(stem, answer=right, because=because)):
        return inside
    # A question whose options come from a list of values contains only the right one.
    return _answered(field_text(stem), field_text(right), because=because) if field_text(stem) else None


def _from_lines(text: str, *, answer: object = None, because: str = "") -> ParseResult:
    """Return a question written in lines; the answer is in the lines or given."""
    options = options_in(text)
    if len(options) < 2:
        return None
    stem = _CHOICES_MARK.sub("", text[: first_option_at(text)])
    said = answer_in(text) if answer is None else answer
    return _chosen(_last_stem(stem), options, answer=said, because=because)


def _last_stem(text: str) -> str:
    """Return the question in lines of prose: the last line marked as one, else the last line."""
    lines = [line for line in clean_lines(text).split("\n") if line]
    marked = [line for line in lines if _STEM_MARK.match(line)]
    return clean_text(_STEM_MARK.sub("", (marked or lines or [""])[-1]))


def _chosen(question: str, options: Sequence[ParsedOption], *, answer: object, because: str) -> ParseResult:
    chosen = find_answer_option(answer, options)
    if isinstance(chosen, str):
        return RejectedReply(problems=(chosen,))
    others = tuple(option.text for index, option in enumerate(options) if index != chosen)
    return ParsedQuestion(question=question, right=options[chosen].text, wrong=others, because=because)


def _answered(question: str, right: str, *, wrong: tuple[str, ...] = (), because: str) -> ParseResult:
    return ParsedQuestion(question=question, right=right, wrong=wrong, because=because) if right else None


def _bounded(written: ParsedQuestion) -> ParsedQuestion | RejectedReply:
    limits = [
        ("The question", written.question, LONGEST_QUESTION),
        ("The reason", written.because, LONGEST_REASON),
    ]
    limits += [("An option", option, LONGEST_OPTION) for option in (written.right, *written.wrong)]
    problems = [
        f"{what} is longer than {limit} characters." for what, text, limit in limits if len(text) > limit
    ]
    return RejectedReply(problems=tuple(dict.fromkeys(problems))) if problems else written
