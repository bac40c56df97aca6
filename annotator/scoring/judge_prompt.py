"""What a judge model is asked about a reply, and what counts as its answer.

Replies are texts of other models, which may contain instructions to the judge. They stand between two lines
with a code that depends on the reply itself, so that no reply can contain the line that ends it. What the
judge says is used only if it is exactly an answer of the format, the word ``none``, or one digit.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from functools import cache

import msgspec

import resources
from annotator.domain import answers
from annotator.domain.answers.reply_text import remove_reasoning
from annotator.domain.settled_text import NO_ANSWER
from annotator.model_api import ChatRequest
from annotator.scoring.released_items import ReleasedItem

READ_PROMPT, GRADE_PROMPT = "prompts/read_reply.toml", "prompts/grade_reply.toml"
HIGHEST_GRADE = 5
LONGEST_REPLY = 8_000
"""Characters of a reply that the judge is shown: the first and the last half of them."""
MARK_DIGITS = 16
_GRADE = re.compile(rf"[0-{HIGHEST_GRADE}]")
_LETTERS = re.compile(r"[A-Z](?: ?, ?[A-Z])*")
_FIELD = re.compile(r"\{(\w+)\}")
NONE = "none"


class JudgePrompt(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The words around a reply.

    Attributes:
        id: Name of the prompt.
        version: Another one with any change of words.
        system: What the judge is told to be.
        text: The request, with fields in braces.
    """

    id: str
    version: str
    system: str
    text: str

    @property
    def name(self) -> str:
        """Id and version."""
        return f"{self.id} {self.version}"


@cache
def judge_prompt(path: str) -> JudgePrompt:
    """Return a prompt of the package."""
    return msgspec.convert(tomllib.loads(resources.path(path).read_text(encoding="utf-8")), JudgePrompt)


def reading_request(reply: str, released: ReleasedItem, *, max_tokens: int) -> ChatRequest:
    """Return the question which answer a reply gives; the answer key is not part of it."""
    item = released.item
    letters = ", ".join([option.letter for option in item.options]) or "A, B, C, D"
    form = answers.get(item.answer_format).prompt.replace("{letters}", letters)
    fields = {"question": _question(released), "reply": _shortened(reply), "form": form}
    return _request(judge_prompt(READ_PROMPT), fields, max_tokens=max_tokens)


def grading_request(reply: str, released: ReleasedItem, *, max_tokens: int) -> ChatRequest:
    """Return the question how far a reply says what the answer key says."""
    fields = {
        "question": _question(released),
        "key": released.item.answer_key,
        "reply": _shortened(reply),
    }
    return _request(judge_prompt(GRADE_PROMPT), fields, max_tokens=max_tokens)


def read_decision(reply: str, released: ReleasedItem) -> str | None:
    """Return the answer that the judge names, ``NO_ANSWER`` for none, None for anything else.

    Args:
        reply: The words of the judge.
        released: The item.
    """
    text = remove_reasoning(reply).strip()
    if text.casefold() == NONE:
        return NO_ANSWER
    form = answers.get(released.item.answer_format)
    value = form.parse(text, context=released.context).value
    if value is None:
        return None
    answer = form.render(value)
    # The answer and not a text that contains it: a reply of the judge in sentences decides nothing.
    is_exact = answer.casefold() == text.casefold() or (form.has_options and _LETTERS.fullmatch(text))
    return answer if is_exact else None


def read_grade(reply: str) -> int | None:
    """Return the grade that the judge gives, None where its words are anything but one digit."""
    text = remove_reasoning(reply).strip()
    return int(text) if _GRADE.fullmatch(text) else None


def _request(prompt: JudgePrompt, fields: dict[str, str], *, max_tokens: int) -> ChatRequest:
    mark = hashlib.sha256(msgspec.json.encode([prompt.name, fields])).hexdigest()[:MARK_DIGITS]
    known = {**fields, "mark": mark}
    # In one pass: a reply that contains "{key}" stays as it is.
    text = _FIELD.sub(lambda found: known.get(found[1], found[0]), prompt.text)
    return ChatRequest(text=text, system=prompt.system, temperature=0.0, max_tokens=max_tokens)


def _question(released: ReleasedItem) -> str:
    item = released.item
    options = [f"{option.letter}. {option.text}".rstrip() for option in item.options]
    return "\n".join([item.question.strip(), *options])


def _shortened(reply: str) -> str:
    if len(reply) <= LONGEST_REPLY:
        return reply
    half = LONGEST_REPLY // 2
    return f"{reply[:half]}\n[…]\n{reply[-half:]}"
