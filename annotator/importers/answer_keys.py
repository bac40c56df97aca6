"""Right answers as other people wrote them, in their canonical form where they can be read."""

from __future__ import annotations

import re

import msgspec

from annotator.domain import answers
from annotator.domain.item import Option
from annotator.importers.imported_record import ImportedFlag
from annotator.importers.record_fields import RecordFields

# Possessive: a key that goes on in blanks must not be parted in every other way before it is refused.
_SEVERAL_LETTERS = re.compile(r"\s*+[A-I](?:\s*+(?:[,，、;；/&+]\s*+)?(?:and\s++)?[A-I])++\s*+(?:\.\s*+)?")


class ParsedKey(msgspec.Struct, frozen=True, gc=False):
    """A key as it is kept, and what is wrong with it."""

    text: str
    flags: tuple[ImportedFlag, ...] = ()


def parse_key(
    text: str | None, *, answer_format: str, options: tuple[Option, ...] = (), fields: RecordFields
) -> ParsedKey:
    """Return a key in canonical form, or as it came with a flag that says why it cannot be read.

    A key that names a part of its answer twice stays as it came: published scripts count it twice.

    Args:
        text: The original text, None if missing.
        answer_format: Id of the item's format.
        options: The item's options.
        fields: Receives the correction.
    """
    if text is None or not text.strip():
        return ParsedKey("", (_flag("key_missing", "The right answer is missing."),))
    # Nearly all keys of choices: a letter of theirs, which is canonical.
    if answer_format == "option_letter" and len(text) == 1 and _is_letter_of(options, text):
        return ParsedKey(text)
    form = answers.get(answer_format)
    parsed = form.parse(text, context=answers.AnswerContext(options=options))
    if parsed.value is None:
        return ParsedKey(text, (_unread(text, answer_format, options=options, reason=parsed.reason),))
    canonical = text if form.has_repeats(text) else form.render(parsed.value)
    if canonical != text:
        fields.note(
            "answer_key", original=text, value=canonical, reason="the same answer in its canonical form"
        )
    return ParsedKey(canonical)


def _is_letter_of(options: tuple[Option, ...], text: str) -> bool:
    return text in [option.letter for option in options]


def options_missing() -> ImportedFlag:
    """Return the flag of a choice without choices."""
    return ImportedFlag(
        kind="options_missing", field="options", message="It has no options.", severity="error"
    )


def _unread(text: str, answer_format: str, *, options: tuple[Option, ...], reason: str) -> ImportedFlag:
    if answer_format != "option_letter":
        return _flag("key_unreadable", f"The right answer '{text}' cannot be read: {reason}")
    if _SEVERAL_LETTERS.fullmatch(text):
        return _flag("key_not_single", f"The right answer '{text}' names more than one option.")
    # Read without the options it is a letter, read with them it is none of theirs.
    if options and answers.get(answer_format).canonical(text) is not None:
        letters = ", ".join(option.letter for option in options)
        return _flag("key_not_among_options", f"The right answer '{text}' is none of the options {letters}.")
    return _flag("key_unreadable", f"The right answer '{text}' cannot be read: {reason}")


def _flag(kind: str, message: str) -> ImportedFlag:
    return ImportedFlag(kind=kind, field="answer_key", message=message, severity="error")
