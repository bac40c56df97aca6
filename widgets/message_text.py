"""Messages of the code without a user interface, translated to the language of the window.

Errors, flags, findings and reasons are English sentences, also in projects of older versions.
``resources/translations/<code>.messages.toml`` has their templates.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache

import resources
from annotator.domain.message_translation import MessageTranslator
from annotator.errors import VantageError
from widgets.translation import language


def message_text(text: str) -> str:
    """Return a message in the current language; the English message if it has no translation.

    Args:
        text: One or several sentences.
    """
    return text if language() == "en" else _translator(language()).translate(text)


def error_text(error: VantageError) -> str:
    """Return the message and the hint of an error in the current language."""
    return f"{message_text(error.message)} {message_text(error.hint)}".strip()


@cache
def message_catalogue(code: str) -> Mapping[str, Mapping[str, str]]:
    """Read the messages of a language by their English template.

    Returns:
        ``text`` with the messages, ``part`` with their values, ``older`` with messages of older
        versions that projects hold, and ``system`` with reasons of the operating system.
    """
    path = resources.path(f"translations/{code}.messages.toml")
    tables: dict[str, dict[str, str]] = tomllib.loads(path.read_text(encoding="utf-8"))
    return tables


@cache
def _translator(code: str) -> MessageTranslator:
    tables = message_catalogue(code)
    return MessageTranslator({source: text for table in tables.values() for source, text in table.items()})
