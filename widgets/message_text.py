"""Messages of the code without a user interface, translated to the language of the window.

Errors, flags, findings and reasons are English sentences, also in projects of older versions.
``resources/translations/<code>.messages.toml`` has their templates: ``{1}``, ``{2}`` … are the values, which
can be messages themselves. A text that fits no template is shown in English.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial

import resources
from annotator.errors import VantageError
from widgets.translation import language

CACHED_TEXTS = 5000
"""Size of the cache: lists paint the same texts again and again."""
MAX_DEPTH = 4
"""Maximum nesting of messages: the backup failed because the disk failed because …"""
MAX_LENGTH = 2000
"""A longer text is data: comparing it with every template would take too long."""
_PLACE = re.compile(r"\{(\d+)\}")
_SENTENCE_END = re.compile(r"(?<=[.…])\s+")


@dataclass(frozen=True)
class _Template:
    """An English message template with its translation.

    Attributes:
        literals: Fixed parts of the message between its values.
        pattern: Matches the whole message, with a group for each value.
        translation: The message in the other language.
    """

    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    translation: str

    def values(self, text: str) -> dict[str, str] | None:
        """Return the values in a text by number, None if the text does not match."""
        # Checking the fixed parts rejects most templates, and is much faster than the pattern.
        if not all(literal in text for literal in self.literals):
            return None
        found = self.pattern.fullmatch(text)
        return {name[1:]: value for name, value in found.groupdict().items()} if found else None


@dataclass(frozen=True)
class _Catalogue:
    texts: Mapping[str, str]
    templates: tuple[_Template, ...]


def message_text(text: str) -> str:
    """Return a message in the current language; the English message if it has no translation.

    Args:
        text: One or several sentences.
    """
    return text if language() == "en" or len(text) > MAX_LENGTH else _translate(text, language(), 0)


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
def _catalogue(code: str) -> _Catalogue:
    texts = {source: text for table in message_catalogue(code).values() for source, text in table.items()}
    # Templates with the longest fixed text come first: of several matches it is the most specific one.
    sources = sorted(filter(_PLACE.search, texts), key=lambda source: -len(_PLACE.sub("", source)))
    return _Catalogue(texts, tuple(_template(source, texts[source]) for source in sources))


def _template(source: str, translation: str) -> _Template:
    parts = _PLACE.split(source)
    texts = [f"(?P<v{part}>.+?)" if at % 2 else re.escape(part) for at, part in enumerate(parts)]
    if len(parts) > 1 and parts[-3].endswith(".") and not parts[-1]:
        # The reply of a server after the message, if any.
        texts[-2] = f"(?P<v{parts[-2]}>.*)"
    pattern = "".join(texts)
    return _Template(tuple(filter(None, parts[::2])), re.compile(pattern, re.DOTALL), translation)


@lru_cache(CACHED_TEXTS)
def _translate(text: str, code: str, depth: int) -> str:
    """Return a text translated as far as possible."""
    sentences = _SENTENCE_END.split(text)
    if len(sentences) > 1:
        return _translate_sentences(text, sentences, code, depth)
    if matched := _match(text, code, depth):
        return matched
    # A message embedded in another one has no full stop.
    if depth and (matched := _match(f"{text}.", code, depth)):
        return matched.removesuffix("。")
    return _translate_parts(text, code, depth)


def _translate_sentences(text: str, sentences: list[str], code: str, depth: int) -> str:
    """Translate several sentences, such as a reason and a hint."""
    translated = [_translate(sentence, code, depth) for sentence in sentences]
    is_whole = all(one != other for one, other in zip(sentences, translated, strict=True))
    # Some messages consist of two sentences.
    is_message = not is_whole or text in _catalogue(code).texts
    return (_match(text, code, depth) if is_message else "") or _join(translated)


def _translate_parts(text: str, code: str, depth: int) -> str:
    """Translate the text after a name, or a list of reasons; inside a message also its values."""
    head, colon, tail = text.partition(": ")
    if colon:
        return f"{head}: {_match(tail, code, depth) or tail}"
    separator = "; " if "; " in text or not depth else ", "
    return separator.join(_match(part, code, MAX_DEPTH) or part for part in text.split(separator))


def _match(text: str, code: str, depth: int) -> str:
    """Return the translation of a text that matches a template, "" if none matches."""
    known = _catalogue(code)
    if text in known.texts:
        return known.texts[text]
    if depth < MAX_DEPTH:
        for template in known.templates:
            if (values := template.values(text)) is not None:
                filled = {name: _translate(value, code, depth + 1) for name, value in values.items()}
                return _PLACE.sub(partial(_value_at, filled), template.translation)
    return ""


def _value_at(values: Mapping[str, str], place: re.Match[str]) -> str:
    return values.get(place[1], "")


def _join(sentences: list[str]) -> str:
    """Join sentences; there is no space after a Chinese full stop."""
    joined = sentences[0]
    for sentence in sentences[1:]:
        joined += sentence if joined.endswith(("。", "：")) else f" {sentence}"
    return joined
