"""What of an item a person accepts: its question, its options and its answer key."""

from __future__ import annotations

import hashlib

import msgspec

from annotator.domain.item import Item

FIELDS = frozenset({"question", "options", "answer_key"})
"""Fields of an item that are accepted."""
LETTERS = 16


def content_digest(item: Item) -> str:
    """Return a digest of what is accepted; the order of the options, and so their letters, does not count."""
    texts = {option.letter: option.text for option in item.options}
    parts = (item.question, sorted(texts.values()), texts.get(item.answer_key, item.answer_key))
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:LETTERS]
