"""Options as other people write them: lists of texts, or objects of texts by letter."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from annotator.domain.item import LETTERS, Option
from annotator.importers.answer_keys import ParsedKey, parse_key
from annotator.importers.imported_record import ImportedFlag
from annotator.importers.listed_texts import strings_of_list
from annotator.importers.record_fields import RecordFields, wrong_type

_TEXTS = frozenset({str})
_LETTERED = re.compile(r"[ \t]*[(（]?([A-I])[)）]?[ \t]*[.．、:：)）][ \t]*(.*)")


def options_in(value: object, *, field: str, fields: RecordFields) -> tuple[Option, ...]:
    """Return options with letters; those of a list are lettered in order, empty ones at the end are dropped.

    Args:
        value: A list, an object, or None.
        field: Name of the field, for messages.
        fields: Receives the corrections.

    Raises:
        RecordError: The value is neither, has too many options, or one that is not a text or number.
    """
    if value is None:
        return ()
    if isinstance(value, list) and len(value) <= len(LETTERS):
        texts = value
        if not _TEXTS.issuperset(map(type, value)):
            texts = [
                _text(part, field=f"{field}[{index}]", fields=fields) for index, part in enumerate(value)
            ]
        return tuple([Option(letter=letter, text=text) for letter, text in zip(LETTERS, texts)])  # noqa: B905 - fewer texts than letters
    if not isinstance(value, dict) or len(value) > len(LETTERS):
        raise wrong_type(field, value, expected=f"a list or an object of up to {len(LETTERS)} texts")
    return lettered_options(value, field=field, fields=fields)


def lettered_options(pairs: dict[str, Any], *, field: str, fields: RecordFields) -> tuple[Option, ...]:
    """Return options by their letters, in the order of an object.

    Args:
        pairs: Texts by letter.
        field: Name of the field, for messages.
        fields: Receives the corrections.

    Raises:
        RecordError: One is not a text or number.
    """
    if _TEXTS.issuperset(map(type, pairs.values())):
        return tuple([Option(letter=letter, text=text) for letter, text in pairs.items()])
    members = RecordFields(pairs, where=field)
    options = tuple(Option(letter=letter, text=members.text_or_number(letter) or "") for letter in pairs)
    fields.corrections += [
        msgspec.structs.replace(note, field=f"options.{note.field}") for note in members.corrections
    ]
    return options


def without_unused(options: tuple[Option, ...]) -> tuple[Option, ...]:
    """Return options without the empty ones at their end: tables have a column for each letter."""
    last = len(options)
    while last and not options[last - 1].text.strip():
        last -= 1
    return options[:last]


def empty_options(options: tuple[Option, ...]) -> list[ImportedFlag]:
    """Return the flag of options without a text."""
    empty = [option.letter for option in options if not option.text or option.text.isspace()]
    if not empty:
        return []
    message = f"The options {', '.join(empty)} have no text."
    return [ImportedFlag(kind="option_empty", field="options", message=message, severity="error")]


def read_letter(text: str | None, *, options: tuple[Option, ...], fields: RecordFields) -> ParsedKey:
    """Return the key of a choice, as ``parse_key`` does; most are a letter alone and need no reading."""
    # In a list and not by text in letters: the key 'AB' must not pass for an option.
    if text in [option.letter for option in options]:
        return ParsedKey(text or "")
    return parse_key(text, answer_format="option_letter", options=options, fields=fields)


def _text(part: object, *, field: str, fields: RecordFields) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, list) and part and all(isinstance(word, str) for word in part):
        text = ", ".join(part)
        fields.note(field, original=part, value=text, reason="an option that is a list of words")
        return text
    if isinstance(part, bool) or not isinstance(part, int | float):
        raise wrong_type(field, part, expected="text")
    fields.note(field, original=part, value=str(part), reason="a number instead of text")
    return str(part)


def split_options(text: str, *, fields: RecordFields) -> tuple[Option, ...]:
    """Return the options that one text lists, and how they may stand in it.

    JSON, a list as Python prints it, lettered lines, or texts between lines, bars or semicolons.

    Raises:
        RecordError: It is JSON that holds no options.
    """
    plain = text.strip()
    listed = _listed(plain)
    if listed is not None:
        return options_in(listed, field="options", fields=fields)
    first = _LETTERED.match(plain.partition("\n")[0])
    if first is not None and first[1] == "A":
        return _lettered(plain)
    for mark in ("\n", "|", ";", "；"):
        parts = [part.strip() for part in plain.split(mark)]
        if len(parts) > 1:
            return options_in([part for part in parts if part], field="options", fields=fields)
    return options_in([plain], field="options", fields=fields) if plain else ()


def _listed(text: str) -> object | None:
    """Return the list or object that a text spells in JSON or as Python does, None where it spells none."""
    if text[:1] not in {"[", "{"}:
        return None
    try:
        value: object = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return strings_of_list(text)
    return value


def _lettered(text: str) -> tuple[Option, ...]:
    """Return options of which each begins on a line of its own with its letter."""
    options: list[Option] = []
    for line in text.split("\n"):
        found = _LETTERED.match(line)
        if found is not None:
            options.append(Option(letter=found[1], text=found[2].strip()))
        elif line.strip():
            last = options.pop()
            options.append(Option(letter=last.letter, text=f"{last.text}\n{line.strip()}".strip()))
    return tuple(options)
