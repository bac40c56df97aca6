"""The option letters that three benchmarks' scripts read from a reply, including their faults."""

from __future__ import annotations

import re

from annotator.domain.answers.base import LetterRules, ParsedAnswer, Score, right_or_wrong, unreadable

# SpatialUAV, eval_spatialuav.py, parse_option, on upper-cased text: the article "a" becomes option A.
_SPATIALUAV = re.compile(r"\b([A-D])\b")
# AirCopBench, evaluation.py, extract_answer, in this order on upper-cased text. The last one is written
# ([ABCD])\s*\.?\s*$ there: a blank that ends a line is followed by $ already, so that this form finds the
# same letters, and a long row of blanks is not tried in every cut.
_AIRCOP = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"ANSWER:\s*([ABCD])",
        r"THE ANSWER IS\s*([ABCD])",
        r"\(([ABCD])\)",
        r"^([ABCD]):",
        r"OPTION\s*([ABCD])",
        r"([ABCD])[^\S\n]*+(?:\.[^\S\n]*+)?+$",
    )
)
_AIRCOP_ANY = re.compile(r"[ABCD]")
# UrbanVideo-Bench, eval.py, extract_option_letter: Option:\s*[\[\s]*(\w), in one run of blanks and brackets.
_URBANVIDEO = re.compile(r"Option:[\[\s]*+(\w)")

# pandas 2, read_csv: these cells are "missing" by default, and UrbanVideo's script drops such rows.
PANDAS_MISSING = frozenset(
    (
        "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>",
        "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
    )
)  # fmt: skip

RANDOM_FALLBACK = (
    "The reply contains none of the letters A to D; the published script would answer at random."
)
LEFT_OUT = "The reply is empty; the published script excludes it from the count."


def published_letter(text: str, *, rules: LetterRules) -> ParsedAnswer[str]:
    """Return the letter that a benchmark's script reads from a reply.

    AirCopBench's script answers at random if a reply has no letter, which is not reproducible: such a reply
    is unparsed here, with that reason.
    """
    return _READERS[rules](text)


def score_published_letter(prediction: str, key: str, *, rules: LetterRules) -> Score:
    """Score as a benchmark's script does.

    SpatialUAV reads the key by the same rule as the prediction, so that "no letter" equals "no letter".
    AirCopBench and UrbanVideo-Bench compare with the key as it stands, so that "A, B" is never right.
    """
    guess = published_letter(prediction, rules=rules)
    truth = published_letter(key, rules=rules).value if rules is LetterRules.SPATIALUAV else key
    if guess.value is not None:
        return right_or_wrong(is_correct=guess.value == truth)
    if guess.reason == LEFT_OUT:
        return Score(score=0.0, is_correct=False, is_parsed=False, is_counted=False, reason=LEFT_OUT)
    return unreadable(guess.reason, is_correct=truth is None, score=float(truth is None))


def _spatialuav(text: str) -> ParsedAnswer[str]:
    match = _SPATIALUAV.search(text.upper())
    return (
        ParsedAnswer(value=match[1])
        if match
        else ParsedAnswer(reason="The reply contains no separate letter from A to D.")
    )


def _aircop(text: str) -> ParsedAnswer[str]:
    start = text.rfind("<think>")
    if start != -1:
        # The script looks for the opening mark but skips the length of the closing one: the reasoning stays.
        text = text[start + len("</think>") :]
    folded = text.strip().upper()
    matches = (pattern.search(folded) for pattern in _AIRCOP)
    match = next(filter(None, matches), None)
    if match:
        return ParsedAnswer(value=match[1])
    anywhere = _AIRCOP_ANY.search(folded)
    return ParsedAnswer(value=anywhere[0]) if anywhere else ParsedAnswer(reason=RANDOM_FALLBACK)


def _urbanvideo(text: str) -> ParsedAnswer[str]:
    if text in PANDAS_MISSING:
        return ParsedAnswer(reason=LEFT_OUT)
    match = _URBANVIDEO.search(text)
    return ParsedAnswer(value=match[1] if match else text[0].upper())


_READERS = {
    LetterRules.SPATIALUAV: _spatialuav,
    LetterRules.AIRCOP: _aircop,
    LetterRules.URBANVIDEO: _urbanvideo,
}
