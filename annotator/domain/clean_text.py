"""Characters in texts that nobody sees: blanks at the ends and in runs, and invisible characters."""

from __future__ import annotations

import re

# Zero-width space, word joiner, byte order mark, and the marks that change the direction of writing. Not the
# zero-width joiners, which Persian and emoji need.
_INVISIBLE = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_RUN = re.compile(r"(?<=\S)[^\S\n]{2,}(?=\S)")


def find_invisible(text: str) -> list[str]:
    """Return the code points of the invisible characters of a text, each once: ``U+200B``."""
    return [f"U+{ord(sign):04X}" for sign in dict.fromkeys(_INVISIBLE.findall(text))]


def clean_text(text: str) -> str:
    """Return a text without invisible characters, blanks at its ends, and runs of blanks in a line."""
    return _RUN.sub(" ", _INVISIBLE.sub("", text).strip())
