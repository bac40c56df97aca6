"""Repairs texts in UTF-8 that were decoded as GBK, once or several times.

``hallway’s`` has the bytes E2 80 99 73 in UTF-8, which are two Chinese characters in GBK: ``hallway鈥檚``.
After a second time it is ``hallway閳ユ獨``. No information is lost: the reverse conversion restores the text.

Use it for fields of English prose; the caller keeps the original text in a ``FieldCorrection``. Do not use it
for names and paths, which must not change.

Source: IndoorUAV's ``test_vln_seen.json``, in which 81 of 5,622 texts are damaged, 14 of them twice over.
"""

from __future__ import annotations

import re
import unicodedata

from annotator.importers.input_file import is_utf8

MOST_ROUNDS = 3
"""Published files were damaged up to twice."""
REASON = "UTF-8 text decoded as GBK is repaired"

_HIGH = re.compile(r"[^\x00-\x7f]+")
# Every character of UTF-8 begins with a byte that begins a Chinese character in GBK.
_ASIAN = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[^\W\d_]+")
_MARKS = frozenset("‐‑‒–—―‘’‚“”„†•…′″‹›€™←↑→↓−×÷·«»\u00a0\u200b")
_DEGREES = re.compile(r"(?<![0-9])°")
# What is left of E2 80, with which most typographic marks begin, where the byte after it was lost.
_LEFT_OVER = re.compile("[鈥閳\ufffd]")


def mended(text: str) -> str | None:
    """Return the repaired text, or None if the text is not certainly damaged.

    It is certain if every run of non-ASCII characters that contains Chinese is valid UTF-8 when encoded as
    GBK, and the result consists of typographic marks, accented letters inside words, or degree signs after
    numbers. Other Chinese text and correct marks are not changed.
    """
    if not _ASIAN.search(text):
        return None
    # Each round undoes one program that read the text wrongly.
    seen = text
    for _ in range(MOST_ROUNDS):
        try:
            seen = _HIGH.sub(_one_round, seen)
        except UnicodeError:
            return None
        if not _ASIAN.search(seen):
            return seen if _is_plausible(seen, known=frozenset(text)) else None
    return None


def looks_damaged(text: str) -> bool:
    """Tell whether a text shows damage that cannot be mended, since bytes of it are lost."""
    return _LEFT_OVER.search(text) is not None and mended(text) is None


def gbk_text(text: str) -> str | None:
    """Return a text that is really GBK, or None where it is UTF-8 or that is not certain.

    Certain means: all of it is GBK, and every character beyond ASCII is a typographic mark, a letter with an
    accent, or stands in GB 2312, as those of real Chinese texts do. Western encodings give rare characters.

    Args:
        text: As ``InputFile.text`` gives it.
    """
    if is_utf8(text):
        return None
    try:
        decoded = text.encode("utf-8", errors="surrogateescape").decode("gbk")
        "".join(ch for ch in set(decoded) if ch not in _MARKS and not _is_accented(ch)).encode("gb2312")
    except UnicodeError:
        return None
    return decoded


def _one_round(run: re.Match[str]) -> str:
    """Return a run as it was before it was read as GBK; one without Chinese as it is."""
    if not _ASIAN.search(run[0]):
        return run[0]
    try:
        return run[0].encode("gbk").decode()
    except UnicodeError:
        # A mark that is right may stand right beside damage.
        inner = run[0].strip("".join(_MARKS))
        before, _, after = run[0].partition(inner)
        return f"{before}{inner.encode('gbk').decode()}{after}"


def _is_plausible(text: str, *, known: frozenset[str]) -> bool:
    """Tell whether every character that mending brought is one that English prose has where it stands."""
    # What was there before mending is not looked at again: it may be right as it is.
    new = {ch for ch in text if not ch.isascii()} - known - _MARKS
    if "°" in new:
        new.discard("°")
        if _DEGREES.search(text):
            # A degree sign that follows no number was something else once.
            return False
    if not all(_is_accented(ch) for ch in new):
        return False
    words = (word for word in _WORD.findall(text) if not new.isdisjoint(word))
    return all(_is_word(word) for word in words)


def _is_word(word: str) -> bool:
    """Tell whether a word with accents can be one: mostly plain letters, and small ones after the first."""
    accents = sum(not ch.isascii() for ch in word)
    return len(word) > 2 * accents and (word.isupper() or word[1:].islower())


def _is_accented(character: str) -> bool:
    return "\u00c0" <= character <= "\u017f" and unicodedata.category(character) in {"Lu", "Ll"}
