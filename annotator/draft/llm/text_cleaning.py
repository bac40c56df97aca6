"""Cleaning of texts from models for fields: no invisible characters, no wrapping, bounded length."""

from __future__ import annotations

import re
import unicodedata

_FENCE = re.compile(r"^\s*```[\w-]*\s*$", re.MULTILINE)
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")
_BOLD = re.compile(r"\A(\*\*|__|\*|_|`)(?!\s)(.+)(?<!\s)\1\Z", re.DOTALL)
_QUOTED = {'"': '"', "“": "”", "'": "'", "‘": "’", "「": "」"}
# Direction marks, joiners and other invisible characters can hide or reorder displayed text.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_JOINERS = "\u200c\u200d"
_JOINED = re.compile(r"[\u0600-\u06ff\u0900-\u0dff]")
"""Scripts in which joiners are part of the spelling."""


def remove_fences(text: str) -> str:
    """Return a reply without the lines of a code fence."""
    return _FENCE.sub("", text).strip()


def clean_text(text: str) -> str:
    """Return a text on one line, without invisible characters and without enclosing quotes or asterisks."""
    return _unwrapped(_BLANKS.sub(" ", clean_lines(text).replace("\n", " ")).strip())


def clean_lines(text: str) -> str:
    """Return a text without invisible characters, with its lines kept."""
    keeps = _JOINERS if _JOINED.search(text) else ""
    # NFC: equal words from two models must be equal text, since options are compared as text.
    seen = "".join([_seen(sign, keeps=keeps) for sign in unicodedata.normalize("NFC", text)])
    return _LINES.sub("\n", _BLANKS.sub(" ", seen)).strip()


def _seen(sign: str, *, keeps: str) -> str:
    if sign in "\n\u2028\u2029\r\v\f\x85":
        return "\n"
    if sign == "\t":
        return " "
    return "" if unicodedata.category(sign) in _UNSEEN and sign not in keeps else sign


def _unwrapped(text: str) -> str:
    if found := _BOLD.match(text):
        text = found[2].strip()
    closer = _QUOTED.get(text[:1])
    # "A" and "B" begins and ends with quotes that do not form a pair.
    if closer and len(text) > 1 and text.endswith(closer) and closer not in text[1:-1]:
        return text[1:-1].strip()
    return text
