"""Variants of items: what they take from their source, and when they are out of date."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from annotator.domain.item import Item, ItemVariant, VariantKind

DIGEST_LETTERS = 16
SUFFIXES: Mapping[VariantKind, str] = MappingProxyType(
    {"choice": "choice", "resolution": "highres", "map": "map"}
)
"""What the public id of a variant ends in, after a hyphen: ``Region_Recognition_00001-choice``."""
_SENTENCE = re.compile(r"(?<=[.?!])\s+|\s*\n\s*")
_ANSWER_FORM = re.compile(
    r"(?:please |your |the )*(?:answer|reply|respond|response|output|return|format)\b"
    r".*\b(?:exactly|formatted?|in the form|only|nothing else)\b",
    re.IGNORECASE,
)


def source_digest(source: Item) -> str:
    """Return a digest of what variants take from an item: all that is asked, answered and shown."""
    options = [(option.letter, option.text) for option in source.options]
    parts = (source.question, options, source.answer_format, source.answer_key, source.media, source.view)
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:DIGEST_LETTERS]


def link_to(source: Item, kind: VariantKind) -> ItemVariant:
    """Return the link of a variant that is made from an item as it is now."""
    return ItemVariant(kind=kind, source=source.id, source_digest=source_digest(source))


def stale_reason(variant: ItemVariant, source: Item | None) -> str:
    """Return why a variant is out of date, "" if it is not."""
    if source is None:
        return "The source item of the variant was removed."
    if source.state == "rejected":
        return f"The source item {source.name} was rejected."
    # A release with hidden answer keys holds no digests.
    if variant.source_digest and source_digest(source) != variant.source_digest:
        return f"The source item {source.name} has changed since the variant was made."
    return ""


def without_answer_form(question: str) -> str:
    """Return a question without the sentences at its end that prescribe the form of the answer.

    ``Which regions contain a car? Answer formatted exactly like `Region 1, 2`.`` asks for numbers of regions,
    which contradicts options with letters.
    """
    for found in _SENTENCE.finditer(question):
        if _ANSWER_FORM.match(question, found.end()):
            return question[: found.start()].rstrip()
    return question
