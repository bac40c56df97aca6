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
# The same for ASCII, in a third of the time: a table of bytes replaces all signs of a text at once.
_ASCII = [chr(code) for code in range(128)]
_LOWER_WORDS = bytes(ord(sign.lower() if sign.isalnum() else " ") for sign in _ASCII) + bytes(range(128, 256))
_WORDS_WITH_ZEROS = _LOWER_WORDS.translate(bytes.maketrans(b"123456789", b"000000000"))
_ZEROS = re.compile(rb"00+")
# Bytes have fewer blanks than characters.
_BLANKS = bytes(ord(" " if sign.isspace() else sign) for sign in _ASCII) + bytes(range(128, 256))
_SIGNS = bytes(ord(sign) for sign in _ASCII if not (sign.isalnum() or sign.isspace() or sign == "_"))


def searchable(text: str) -> str:
    """Return text in which each Chinese or Japanese character stands as a word of its own.

    Word search cuts at blanks; Chinese has none, so that only whole sentences would be found.
    """
    # Tested first: most texts have no such character, and a search through each costs more.
    return text if text.isascii() else _IDEOGRAPH.sub(r" \1 ", text)


def words_of(text: str) -> list[str]:
    """Return the words and numbers of a text, in NFKC and without case and punctuation."""
    if text.isascii():
        return text.encode().translate(_LOWER_WORDS).decode().split()
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
    if not text.isascii():
        return digest_of_words(words_of(text))
    skeleton = b" ".join(text.encode().translate(_WORDS_WITH_ZEROS).split())
    # Most texts have no such number, and the test is a tenth of the search.
    return _digest(_ZEROS.sub(b"0", skeleton) if b"00" in skeleton else skeleton)


def digest_of_words(words: list[str]) -> int:
    """Return ``text_digest`` of the text whose words are known."""
    return _digest(_DIGITS.sub("0", " ".join(words)).encode(errors="replace"))


def _digest(skeleton: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(skeleton, digest_size=8).digest(), signed=True)
