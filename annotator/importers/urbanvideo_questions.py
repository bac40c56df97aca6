"""The text of one UrbanVideo-Bench question, in which stem and options stand together."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from annotator.domain.item import LETTERS, Option
from annotator.importers.answer_keys import options_missing
from annotator.importers.imported_record import ImportedFlag

_PREFIX = re.compile(r"Question\s*+[:：]\s*+", re.IGNORECASE)
# The published files write Choices, Choice, choose, Options, Option and Choose.
_SEPARATOR = re.compile(r"[ \t]*(?:choices?|choose|options?)[ \t]*[:：]", re.IGNORECASE)
_COLONS = (":", "：")
_UNMARKED_OPTIONS = re.compile(r"^[ \t]*A[.)．、:：].*\n(?=[ \t]*B[.)．、:：])", re.MULTILINE)
_OPTION = re.compile(r"[ \t]*([A-I])[ \t]*[.)．、:：][ \t]*(.*)")
# The clean form, which ``as_published`` writes: nearly all published cells are in it, and need not be taken
# apart line by line. A stem of several lines is: one of them may be a separator.
_CLEAN_TEXT = r"\S(?:[^\n]*\S)?"
_CLEAN_OPTION = re.compile(rf"([A-I])\. ({_CLEAN_TEXT})  (?:\n|\Z)")
_CLEAN = re.compile(rf"Question: ({_CLEAN_TEXT})  \nchoose:  \n((?:[A-I]\. {_CLEAN_TEXT}  (?:\n|\Z))+)\n*")


class SplitQuestion(msgspec.Struct, frozen=True, gc=False):
    """The text of one cell, taken apart.

    Attributes:
        stem: The question alone.
        options: Its choices.
        flags: What is wrong with it.
        is_clean: Whether the cell is known to be in its clean form.
    """

    stem: str
    options: tuple[Option, ...]
    flags: tuple[ImportedFlag, ...] = ()
    is_clean: bool = False

    def as_published(self) -> str:
        """Return the cell in its clean form."""
        choices = "".join([f"{option.letter}. {option.text}  \n" for option in self.options])
        return f"Question: {self.stem}  \nchoose:  \n{choices}"


def split_question(text: str) -> SplitQuestion:
    """Return stem and options of a question that holds both, blanks at the ends of lines left out."""
    clean = _CLEAN.fullmatch(text)
    if clean is not None:
        pairs = _CLEAN_OPTION.findall(clean[2])
        choices = tuple([Option(letter=letter, text=choice) for letter, choice in pairs])
        return SplitQuestion(clean[1], choices, tuple(_option_flags(choices)), is_clean=True)
    lines = [line.rstrip() for line in text.split("\n")]
    # A question can contain such a word on a separate line; the options follow the last one.
    separators = [n for n, line in enumerate(lines) if line.endswith(_COLONS) and _SEPARATOR.fullmatch(line)]
    if separators:
        at = separators[-1]
        stem, tail = "\n".join(lines[:at]), lines[at + 1 :]
    else:
        plain = "\n".join(lines)
        start = _UNMARKED_OPTIONS.search(plain)
        if start is None:
            return SplitQuestion(_without_prefix(plain), (), (options_missing(),))
        stem, tail = plain[: start.start()], plain[start.start() :].split("\n")
    options = _options(tail)
    return SplitQuestion(_without_prefix(stem), options, tuple(_option_flags(options)))


def _without_prefix(text: str) -> str:
    # At the beginning alone: a stem may speak of a question in its middle.
    plain = text.strip()
    found = _PREFIX.match(plain)
    return plain[found.end() :] if found else plain


def _options(lines: list[str]) -> tuple[Option, ...]:
    options: list[Option] = []
    for line in lines:
        found = _OPTION.fullmatch(line)
        if found is not None:
            options.append(Option(letter=found[1], text=found[2].strip()))
        elif options and line.strip():
            # A line without a letter goes on with the option above.
            last = options.pop()
            options.append(Option(letter=last.letter, text=f"{last.text}\n{line.strip()}".strip()))
    return tuple(options)


def _option_flags(options: tuple[Option, ...]) -> Iterator[ImportedFlag]:
    letters = "".join([option.letter for option in options])
    if not options:
        yield options_missing()
    elif letters != LETTERS[: len(letters)]:
        message = f"The options have the letters {', '.join(letters)}."
        yield ImportedFlag(kind="option_letters_odd", field="options", message=message)
    if empty := [option.letter for option in options if not option.text]:
        message = f"The options {', '.join(empty)} have no text."
        yield ImportedFlag(kind="option_empty", field="options", message=message, severity="error")
