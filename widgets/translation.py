"""Translation of the user interface.

English is the source language: the text in the code is the key in ``resources/translations/<code>.toml``.
A text without an entry is shown in English; a test lists such texts.
"""

from __future__ import annotations

import locale
import tomllib
from collections.abc import Iterable

import resources

LANGUAGES = {"en": "English", "zh": "中文"}
"""Code and native name of every available language."""

_SPOKEN: dict[str, str] = {"code": "en"}
_TEXTS: dict[str, str] = {}


def set_language(code: str) -> None:
    """Set the language; widgets that already exist keep their texts until they are rebuilt.

    Args:
        code: One of ``LANGUAGES``, or "" for the language of the system where it is one of them.
    """
    chosen = code or system_language()
    _SPOKEN["code"] = chosen if chosen in LANGUAGES else "en"
    _TEXTS.clear()
    if _SPOKEN["code"] != "en":
        _TEXTS.update(catalogue(_SPOKEN["code"]))


def language() -> str:
    """Return the code of the current language."""
    return _SPOKEN["code"]


def system_language() -> str:
    """Return the two-letter code of the system's language, "en" if it is unknown."""
    name = locale.getlocale()[0] or ""
    # Windows uses names such as 'Chinese (Simplified)_China'.
    return "zh" if name.lower().startswith(("zh", "chinese")) else "en"


def catalogue(code: str) -> dict[str, str]:
    """Read the texts of a language, by their English source."""
    with resources.path(f"translations/{code}.toml").open("rb") as file:
        texts: dict[str, str] = tomllib.load(file)["text"]
    return texts


def tr(text: str, **values: object) -> str:
    """Return a text in the current language.

    Args:
        text: English source with ``{name}`` placeholders.
        values: Values of the placeholders. They are never interpreted as patterns.
    """
    found = _TEXTS.get(text, text)
    return found.format(**values) if values else found


def trn(one: str, many: str, *, n: int, **values: object) -> str:
    """Return a text about a number of objects.

    Args:
        one: English source for exactly one.
        many: English source for any other number; the key of the catalogue.
        n: The number; replaces ``{n}``, with thousands separators.
        values: Values of the other placeholders.
    """
    source = one if n == 1 and _SPOKEN["code"] == "en" else many
    return tr(source, n=f"{n:,}", **values)


def join_texts(texts: Iterable[str]) -> str:
    """Return texts as one list: with commas, in Chinese with enumeration commas."""
    return ("、" if language() == "zh" else ", ").join(texts)


def join_clauses(clauses: Iterable[str]) -> str:
    """Return clauses as one text: with semicolons, in Chinese with Chinese ones."""
    return ("；" if language() == "zh" else "; ").join(clauses)


def sentence(text: str) -> str:
    """Return a text with the full stop of the language."""
    return f"{text}{'。' if language() == 'zh' else '.'}"


def mark(text: str) -> str:
    """Return the text unchanged; it marks texts in tables that are translated later."""
    return text
