"""How text is cut into words for search and comparison, in languages with and without blanks."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_BETWEEN_BLANKS = re.compile(r"[^\w\s]*\w\S*")
_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
# Kana, and Chinese characters with those of extension A and of compatibility. Not hangul: Korean has blanks.
_IDEOGRAPH = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")
# The same for ASCII, in a third of the time: ``translate`` and ``split`` of a text read it without a search.
_ASCII = [chr(code) for code in range(128)]
_NO_WORD_TO_BLANK = str.maketrans({sign: " " for sign in _ASCII if not sign.isalnum()})
# Bytes, of which ``translate`` deletes some in a tenth of the time that it takes for characters. They have fewer
# blanks than characters have.
_BLANKS = bytes(ord(" ") if sign.isspace() else ord(sign) for sign in _ASCII) + bytes(range(128, 256))
_SIGNS = bytes(ord(s) for s in _ASCII if not (s.isalnum() or s.isspace() or s == "_"))


def searchable(text: str) -> str:
    """Return text in which each Chinese or Japanese character stands as a word of its own.

    Word search cuts at blanks; Chinese has none, so that only whole sentences would be found.
    """
    # Tested first: most texts have no such character, and a search through each costs more.
    return text if text.isascii() else _IDEOGRAPH.sub(r" \1 ", text)


def words_of(text: str) -> list[str]:
    """Return the words and numbers of a text, in NFKC and without case and punctuation."""
    if text.isascii():
        return text.lower().translate(_NO_WORD_TO_BLANK).split()
    return _WORD.findall(searchable(_folded(text)))


def count_words(text: str) -> int:
    """Return the number of words between blanks; a Chinese character is a word, a sign alone is none."""
    if text.isascii():
        return len(text.encode().translate(_BLANKS, _SIGNS).split())
    return len(_BETWEEN_BLANKS.findall(searchable(text)))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def text_digest(text: str) -> int:
    """Return a number that texts share which differ in nothing but case, punctuation, blanks and numbers.

    Eight bytes with a sign, as SQLite keeps integers. Numbers are left out so that a template whose slots
    are numbers, such as regions, has one digest.
    """
    return digest_of_words(words_of(text))


def digest_of_words(words: list[str]) -> int:
    """Return ``text_digest`` of the text whose words are known."""
    skeleton = _DIGITS.sub("0", " ".join(words))
    digest = hashlib.blake2b(skeleton.encode(errors="replace"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
