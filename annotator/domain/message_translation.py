"""Messages of the code without a user interface in another language, by templates of their English text.

``{1}``, ``{2}`` … in a template are the values, which can be messages themselves. A text that fits no
template stays English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

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


class MessageTranslator:
    """Translates messages to one language.

    Args:
        texts: Translations by their English template.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        # Templates with the longest fixed text come first: of several matches it is the most specific one.
        sources = sorted(filter(_PLACE.search, texts), key=lambda source: -len(_PLACE.sub("", source)))
        self._templates = tuple(_template(source, texts[source]) for source in sources)
        self._cached = lru_cache(CACHED_TEXTS)(self._translated)

    def translate(self, text: str) -> str:
        """Return a message of one or several sentences, in English where it has no translation."""
        return text if len(text) > MAX_LENGTH else self._cached(text, 0)

    def exact(self, text: str) -> str:
        """Return the translation of a text that is a template without values, otherwise the text."""
        return self._texts.get(text, text)

    def _translated(self, text: str, depth: int) -> str:
        sentences = _SENTENCE_END.split(text)
        if len(sentences) > 1:
            return self._translate_sentences(text, sentences, depth)
        if matched := self._match(text, depth):
            return matched
        # A message embedded in another one has no full stop.
        if depth and (matched := self._match(f"{text}.", depth)):
            return matched.removesuffix("。")
        return self._translate_parts(text, depth)

    def _translate_sentences(self, text: str, sentences: list[str], depth: int) -> str:
        """Translate several sentences, such as a reason and a hint."""
        translated = [self._cached(sentence, depth) for sentence in sentences]
        is_whole = all(one != other for one, other in zip(sentences, translated, strict=True))
        # Some messages consist of two sentences.
        is_message = not is_whole or text in self._texts
        return (self._match(text, depth) if is_message else "") or _join(translated)

    def _translate_parts(self, text: str, depth: int) -> str:
        """Translate the text after a name, or a list of reasons; inside a message also its values."""
        head, colon, tail = text.partition(": ")
        if colon:
            return f"{head}: {self._match(tail, depth) or tail}"
        separator = "; " if "; " in text or not depth else ", "
        return separator.join(self._match(part, MAX_DEPTH) or part for part in text.split(separator))

    def _match(self, text: str, depth: int) -> str:
        """Return the translation of a text that matches a template, "" if none matches."""
        if text in self._texts:
            return self._texts[text]
        if depth < MAX_DEPTH:
            for template in self._templates:
                if (values := template.values(text)) is not None:
                    filled = {name: self._cached(value, depth + 1) for name, value in values.items()}
                    return _PLACE.sub(partial(_value_at, filled), template.translation)
        return ""


def _template(source: str, translation: str) -> _Template:
    parts = _PLACE.split(source)
    texts = [f"(?P<v{part}>.+?)" if at % 2 else re.escape(part) for at, part in enumerate(parts)]
    if len(parts) > 1 and parts[-3].endswith(".") and not parts[-1]:
        # The reply of a server after the message, if any.
        texts[-2] = f"(?P<v{parts[-2]}>.*)"
    pattern = "".join(texts)
    return _Template(tuple(filter(None, parts[::2])), re.compile(pattern, re.DOTALL), translation)


def _value_at(values: Mapping[str, str], match: re.Match[str]) -> str:
    return values.get(match[1], "")


def _join(sentences: list[str]) -> str:
    """Join sentences; there is no space after a Chinese full stop."""
    joined = sentences[0]
    for sentence in sentences[1:]:
        joined += sentence if joined.endswith(("。", "：")) else f" {sentence}"
    return joined
