"""A key is found in every encoding, and in parts, whatever stands around it."""

from __future__ import annotations

import base64
import html
import json
import urllib.parse
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.api_keys import ApiKey
from models.key_search import PART, KeySearch

KEY = "sk-canary-A1b2C3d4E5f6G7h8/+=J9k0-LmNoPq"


def _units(text: str, form: str) -> str:
    return "".join(form.format(ord(letter)) for letter in text)


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "json": json.dumps,
    "json slashes": lambda key: key.replace("/", "\\/"),
    "unicode escapes": lambda key: _units(key, "\\u{:04x}"),
    "doubled backslashes": lambda key: _units(key, "\\\\u{:04X}"),
    "percent, all": lambda key: _units(key, "%{:02X}"),
    "percent, small": lambda key: _units(key, "%{:02x}"),
    "percent, some": lambda key: urllib.parse.quote(key, safe=""),
    "percent twice": lambda key: urllib.parse.quote(urllib.parse.quote(key, safe=""), safe=""),
    "entities": lambda key: _units(key, "&#{};"),
    "named entities": lambda key: html.escape(key.replace("-", "&shy;")).replace("&amp;shy;", "-"),
    "bytes as Python shows them": lambda key: _units(key, "\\x{:02x}"),
    "octal": lambda key: _units(key, "\\{:03o}"),
    "hexadecimal": lambda key: key.encode().hex(),
    "base64": _base64,
    "base64, one later": lambda key: _base64(f"x{key}"),
    "base64, two later": lambda key: _base64(f"xx{key}"),
    "base64 of the header": lambda key: _base64(f"Bearer {key}"),
    "base64 of URLs": lambda key: base64.urlsafe_b64encode(key.encode()).decode(),
    "base64 behind a word": lambda key: f"token{_base64(key)}",
    "base64 twice": lambda key: _base64(_base64(key)),
    "percent in JSON in base64": lambda key: _base64(json.dumps({"key": _units(key, "%{:02X}")})),
    "UTF-16": "\0".join,
}


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
@pytest.mark.parametrize("part", [KEY, KEY[:PART], KEY[9:17], KEY[-PART:], KEY[5:30]])
def test_scrub_when_the_key_or_a_part_is_encoded_then_nothing_of_it_is_left(
    encode: Callable[[str], str], part: str
) -> None:
    text = f'{{"error": "The key {encode(part)} is not known.", "id": 7}}'
    scrubbed = ApiKey(KEY).scrub_text(text)
    assert "***" in scrubbed
    assert encode(part) not in scrubbed
    assert KeySearch(KEY.encode()).find(scrubbed.encode()) == []
    assert scrubbed.startswith('{"error": "The key ')
    assert scrubbed.endswith(' is not known.", "id": 7}')


def test_scrub_when_nothing_of_the_key_is_there_then_the_text_stays() -> None:
    text = 'The answer is B, 100 % sure. {"usage": {"completion_tokens": 12}} C:\\users \\u00e9 cfcd208495'
    assert ApiKey(KEY).scrub_text(text) == text
    assert ApiKey(KEY).scrub_text(KEY[: PART - 1]) == KEY[: PART - 1]


def test_scrub_when_a_key_is_short_then_only_the_whole_is_replaced() -> None:
    assert ApiKey("abc").scrub(b"abc abd %61%62%63") == b"*** abd ***"


@given(st.binary(max_size=400), st.binary(max_size=400), st.sampled_from(sorted(ENCODINGS)))
def test_scrub_when_any_bytes_stand_around_then_the_key_is_replaced(
    before: bytes, after: bytes, name: str
) -> None:
    encoded = ENCODINGS[name](KEY).encode()
    assert encoded not in ApiKey(KEY).scrub(before + b' "' + encoded + b'" ' + after)


@given(st.text(alphabet=st.characters(exclude_characters=KEY), max_size=600))
def test_scrub_when_a_text_shares_no_letter_with_the_key_then_its_plain_form_stays(text: str) -> None:
    assert KeySearch(KEY.encode()).find(text.encode(), depth=0) == []
