"""A reply, reduced to the part that contains the answer. Used by the strict rules of all formats."""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections.abc import Sequence

# NFKC keeps these distinct, although they are used interchangeably.
_TYPOGRAPHY = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u301c\u02d7", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc`", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u300c\u300d\u300e\u300f", '"'),
        "\u3002": ".",
        "\u3001": ",",
        "\u3010": "[",
        "\u3011": "]",
        "\u2192": "->",
        "\u2194": "<->",
        "\u00ad": "",
        "\u200b": "",
        "\ufeff": "",
    }
)
# Before NFKC, which makes "90½" into 901⁄2 and "10²" into 102.
_BEFORE_FOLDING = {
    **{
        code: f" {unicodedata.normalize('NFKC', chr(code))}"
        for code in (*range(0xBC, 0xBF), *range(0x2150, 0x215F))
    },
    **{ord(power): f"^{digit}" for digit, power in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
}
_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE)
_FENCE = "'''"
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.IGNORECASE | re.DOTALL)
_THOUGHT_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\s*\{([^{}]*)\}")
# Possessive where it can be: long hostile replies must not cause excessive backtracking.
_MARKER = re.compile(
    r"""(?: \banswer\b [*_"'\s]*+ (?: (?:is|should\ be|would\ be|must\ be)\b | [:=] )
          | \b(?:option|choice)\b [*_"'\s]*+ [:=]
          | 答案 \s*+ (?: (?:应该|应)? (?:是|为) | [:=] )
          | (?:选项|选择) \s*+ [:=]
        ) [*_\s:=]*+""",
    re.IGNORECASE | re.VERBOSE,
)
# Letters, regions and numbers of the reasons are not part of the answer.
_EXPLANATION = re.compile(
    r"\b(?:because|(?:reason|reasoning|explanation|rationale)\s*:)|因为|(?:理由|解释|原因)\s*:", re.IGNORECASE
)
# "cannot" and "no" are left out on purpose: "I cannot see it clearly, but 3 o'clock" is an answer.
_NEGATION = re.compile(
    r"\b(?:not|except|excluding|neither|nor|never|avoid(?:ing)?|instead of|rather than|other than|wrong"
    r"|incorrect|(?:any\w*|every\w*|all|nothing) but)\b|(?<!ca)n't\b|不是|并非|除了|排除|避开|避免|而非|错误",
    re.IGNORECASE,
)
# A case-insensitive pattern has no literal to look for first; asking for its words is ten times faster.
_MARKER_WORDS = ("answer", "option", "choice", "答案", "选")
_EXPLANATION_WORDS = ("because", "reason", "explanation", "rationale", "因为", "理由", "解释", "原因")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
# "3.5" and "-3" at the start of a line are numbers, so a blank must follow the mark.
_BULLET = re.compile(r"^[^\S\n]*(?:[-*\u2022\u00b7]|[0-9]{1,3}[.)])[^\S\n]+", re.MULTILINE)


def normalize_typography(text: str) -> str:
    """Return the text with full-width forms, dashes and quotes in plain forms (NFKC and ``_TYPOGRAPHY``)."""
    if text.isascii():
        return text.replace("`", "'") if "`" in text else text
    return unicodedata.normalize("NFKC", text.translate(_BEFORE_FOLDING)).translate(_TYPOGRAPHY)


def remove_reasoning(text: str) -> str:
    """Return a reply without the reasoning in ``<think>`` blocks.

    An unclosed block extends to the end. Some servers remove the opening tag, so a closing tag alone ends a
    block as well. Spaces around the answer are stripped only if there was a block.
    """
    if "<" not in text:
        return text
    left = _THOUGHT_END.split(_THOUGHT.sub("", text))[-1]
    return left if left == text else left.strip()


def extract_answer(text: str) -> str:
    r"""Return what a reply states as its answer, folded and stripped.

    That is the content of the last ``\boxed{}`` or ``<answer>``, else the paragraph after the last
    "answer is", "answer:", "option:", "答案：" or the like, else the whole reply; up to the first "because"
    or "reason:". The last statement counts, since replies correct themselves towards their end. A JSON object
    is read as its fields, or as its field "answer" alone.
    """
    folded = _fold(text)
    return _text_before_explanation(_text_after_marker(folded) or folded)


def extract_answer_line(text: str) -> str:
    """Return the same, but only the first line where the answer is marked: for answers of one word."""
    folded = _fold(text)
    return _text_before_explanation(_text_after_marker(folded).partition("\n")[0] or folded)


def contains_any(text: str, words: tuple[str, ...]) -> bool:
    """Return whether one of the words, given in lower case, occurs in the text in any case."""
    lowered = text.lower()
    # A loop: for these short tuples the generator of any() takes longer than the search.
    for word in words:  # noqa: SIM110 - see above
        if word in lowered:
            return True
    return False


def without_bullets(text: str) -> str:
    """Return the text without list marks ("- ", "2. ") at the start of its lines."""
    return _BULLET.sub("", text)


def has_bullet(text: str) -> bool:
    """Return whether the text starts with a list mark."""
    return _BULLET.match(text) is not None


def one_line(text: str) -> str:
    """Return the text with its lines joined by commas and without list marks."""
    return ", ".join([line.strip() for line in without_bullets(text).split("\n") if line.strip()])


def _fold(text: str) -> str:
    folded = normalize_typography(remove_reasoning(text)).strip()
    # A fence of three backticks has become three quotes.
    body = folded.removeprefix(_FENCE).removesuffix(_FENCE).removeprefix("json").strip()
    return _fields_of(body) or folded if body[:1] == "{" and body[-1:] == "}" else folded


def _fields_of(text: str) -> str:
    """Return the fields of a JSON object as "name: value, name: value"; "" for anything else."""
    try:
        fields = dict(json.loads(text, object_pairs_hook=_once_each))
    except (ValueError, RecursionError):
        return ""
    answer = [value for name, value in fields.items() if name.lower() in ("answer", "答案")]
    if len(answer) == 1:
        return _field_text(answer[0])
    return ", ".join([f"{name}: {_field_text(value)}" for name, value in fields.items()])


def _once_each(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("A name occurs twice.")
    return fields


def _field_text(value: object) -> str:
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _tagged(text: str) -> str:
    """Return what stands between the last ``<answer>`` and its end; "" without one."""
    tags = [*_TAG.finditer(text)] if "<" in text else []
    for opening, closing in reversed([*itertools.pairwise(tags)]):
        if not opening[1] and closing[1]:
            return text[opening.end() : closing.start()].strip()
    return ""


def _text_after_marker(text: str) -> str:
    """Return what the last box, tag, or marker that anything follows, points at; "" without one."""
    boxed = _BOXED.findall(text) if "\\boxed" in text else []
    marked = str(boxed[-1]).strip() if boxed else _tagged(text)
    if boxed or marked:
        return marked
    if not contains_any(text, _MARKER_WORDS):
        return ""
    for marker in reversed(list(_MARKER.finditer(text))):
        if marker.end() < len(text):
            return _BLANK_LINE.split(text[marker.end() :], maxsplit=1)[0].strip()
    return ""


def _text_before_explanation(text: str) -> str:
    explanation = _EXPLANATION.search(text) if contains_any(text, _EXPLANATION_WORDS) else None
    if explanation is None:
        return text
    return text[: explanation.start()].strip() or text


def is_negated(text: str) -> bool:
    """Return whether a reply states what the answer is not, which the strict rules do not interpret."""
    return _NEGATION.search(text) is not None
