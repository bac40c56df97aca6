"""Mentions: persons whom a text addresses as ``@name``, kept by id."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping

from annotator.domain.actor import Actor
from annotator.domain.record import ValueObject

SIGN = "@"
# Begins the CJK Radicals Supplement, the first of the blocks of ideographs.
FIRST_IDEOGRAPH = "\u2e80"


class Mention(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """A person whom a text addresses.

    Attributes:
        person: Id of the actor.
        name: The name as it is written in the text, after ``@``.
    """

    person: str
    name: str


def find_mentions(text: str, people: Iterable[Actor]) -> tuple[Mention, ...]:
    """Return the persons whom a text addresses, in the order of the text.

    Of several names that fit, such as ``Ann`` and ``Ann Lee``, the longest is meant. Several persons with the
    same name are all addressed.
    """
    names: dict[str, list[Actor]] = {}
    for actor in people:
        if actor.role == "person" and actor.name.strip():
            names.setdefault(_normalised(actor.name).casefold(), []).append(actor)
    found: dict[str, Mention] = {}
    for _, name in _named(_normalised(text), names):
        for actor in names[name.casefold()]:
            found.setdefault(actor.id, Mention(person=actor.id, name=name))
    return tuple(found.values())


def with_present_names(text: str, mentions: Collection[Mention], names: Mapping[str, str]) -> str:
    """Return a text with the present names of the persons whom it addresses.

    Args:
        text: The text.
        mentions: Its mentions.
        names: Present names of persons by their ids; a person without one keeps the name as written.
    """
    present = {one.name.casefold(): names.get(one.person, one.name) for one in mentions}
    if all(name == now.casefold() for name, now in present.items()):
        return text
    text, parts, end = _normalised(text), [], 0
    for at, name in _named(text, present):
        parts += [text[end:at], present[name.casefold()]]
        end = at + len(name)
    return "".join((*parts, text[end:]))


def _named(text: str, names: Collection[str]) -> Iterator[tuple[int, str]]:
    """Yield place and spelling of each name after a sign.

    Args:
        text: The text.
        names: Names in lower case, none of them empty.
    """
    longest_first = sorted(names, key=len, reverse=True)
    end = 0
    for at in (at for at, letter in enumerate(text, start=1) if letter == SIGN):
        # Between two letters the sign belongs to an address, such as a@b.c.
        if at < end or _is_letter(text[at - 2 : at - 1]):
            continue
        if name := _name_at(text, longest_first, at=at):
            end = at + len(name)
            yield at, name


def _name_at(text: str, names: Iterable[str], *, at: int) -> str:
    """Return the first name that stands at a place of a text, as it is written there; "" for none."""
    written = (_written(text, name, at=at) for name in names)
    return next((one for one in written if one and not _goes_on(one, text[at + len(one) :])), "")


def _written(text: str, name: str, *, at: int) -> str:
    """Return how a name in lower case is written at a place of a text, "" where it is not there.

    In lower case some letters become two, such as the German sharp s: places in the text are those of its own
    letters.
    """
    folded = ""
    for end in range(at, len(text)):
        folded += text[end].casefold()
        if folded == name:
            return text[at : end + 1]
        if not name.startswith(folded):
            break
    return ""


def _goes_on(name: str, rest: str) -> bool:
    """Return whether a name is only the beginning of a longer word; Chinese has no spaces between words."""
    return _is_letter(name[-1:]) and _is_letter(rest[:1])


def _is_letter(letter: str) -> bool:
    return letter.isalnum() and letter < FIRST_IDEOGRAPH


def _normalised(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip())
