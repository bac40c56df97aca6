"""How text is cut into words for search, in languages with and without blanks."""

from __future__ import annotations

import re

# Kana, and Chinese characters with those of extension A and of compatibility. Not hangul: Korean has blanks.
_IDEOGRAPH = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")


def searchable(text: str) -> str:
    """Return text in which each Chinese or Japanese character stands as a word of its own.

    Word search cuts at blanks; Chinese has none, so that only whole sentences would be found.
    """
    return _IDEOGRAPH.sub(r" \1 ", text)
