"""Decodes many values of a JSON list at once, if none of them needs strict checks.

The strict reader of ``json_text`` calls Python for each object and number. Here msgspec decodes in C, with a
type that limits numbers and depth, and a search of the text covers the other rules. Everything uncertain is
left to ``json_text``, so that both ways accept and reject the same values with the same messages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

import msgspec

LARGEST_INTEGER = 2**63 - 1
"""What other programs and SQLite hold without loss."""
LARGEST_BATCH_BYTES = 1 << 20
"""Records longer than this gain nothing by being read together."""
_KEY_ENDS = b'":'
_ODD_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_NESTING = frozenset({dict, list})
_LEVELS = 8
"""Levels of lists and objects that are read here: as many as Label Studio has; types double with each."""


@cache
def _value_type() -> Any:  # noqa: ANN401 - a type made at run time
    """Return the type of values whose whole numbers fit; made late, since it takes some 5 ms."""
    bounds = msgspec.Meta(ge=-LARGEST_INTEGER, le=LARGEST_INTEGER)
    plain = str | Annotated[int, bounds] | float | bool | None
    value: Any = plain
    for _ in range(_LEVELS):
        value = dict[str, value] | list[value] | plain
    return value


@cache
def _value_decoder() -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(_value_type())


@cache
def _values_decoder() -> msgspec.json.Decoder[list[Any]]:
    return msgspec.json.Decoder(list[_value_type()])  # type: ignore[misc]  # made at run time


_decode_lines = msgspec.json.Decoder(msgspec.Raw).decode_lines
_decode_list = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode = msgspec.json.Encoder().encode
_NOT_QUICK = (msgspec.DecodeError, RecursionError, UnicodeEncodeError)


class DecodedBatch(msgspec.Struct, frozen=True):
    """The values of a batch.

    Attributes:
        values: The values, as far as there is an original.
        originals: The values as they stood, without blanks between their parts; b"" for a value that needs
            a closer look.
    """

    values: list[Any]
    originals: list[bytes]


def parts_of_list(text: str | bytes) -> Sequence[msgspec.Raw]:
    """Return the elements of a text that is one list, as they stand; none where it is anything else."""
    try:
        return _decode_list(text if isinstance(text, bytes) or text.isascii() else text.encode())
    except _NOT_QUICK:
        return ()


def parts_of_object(text: str) -> dict[str, msgspec.Raw]:
    """Return the undecoded members of an object; none for any other text.

    None also for an object with a repeated key, or with escapes in a key, which the strict reader handles.
    """
    try:
        data = text.encode()
        whole = msgspec.json.format(data, indent=-1)
        # Of equal keys the decoder keeps the last; written again, the object is shorter then.
        is_plain = b"\\u0000" not in whole and _encode(_decode_members(whole)) == whole
        return _decode_members(data) if is_plain else {}
    except _NOT_QUICK:
        return {}


def parts_of_lines(text: str) -> Sequence[msgspec.Raw]:
    """Return the values of a text that has one a line, as they stand; none where it is anything else."""
    try:
        return _decode_lines(text if text.isascii() else text.encode())
    except _NOT_QUICK:
        return ()


def batches(parts: Sequence[msgspec.Raw]) -> Sequence[Sequence[msgspec.Raw]]:
    """Return the parts in groups that are worth being read together."""
    # All at once would hold every value of a file beside its text, of which some have half a gigabyte.
    size = sum(map(len, parts)) // len(parts) if parts else 0
    # By the mean: many short records make the work of a batch small beside that of its records.
    step = max(1, min(256, LARGEST_BATCH_BYTES // max(size, 1)))
    return [parts[first : first + step] for first in range(0, len(parts), step)]


def decode_value(text: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value that a text spells; of equal keys it has the last.

    Raises:
        msgspec.DecodeError: It is no JSON, or a number or the depth of it is beyond what is read here.
    """
    return _value_decoder().decode(text)


def decoded(parts: Sequence[msgspec.Raw]) -> DecodedBatch:
    """Return the values of parts.

    Args:
        parts: As ``parts_of_list`` and the like give them: whole values, of which none runs into the next.
    """
    try:
        whole = msgspec.json.format(b"[%b]" % b",".join(parts), indent=-1)
        values, originals = _values_decoder().decode(whole), [bytes(part) for part in _decode_list(whole)]
    except _NOT_QUICK:
        # One of them spoils the batch: halves are tried until it stands alone.
        return _halved(parts) if len(parts) > 1 else DecodedBatch([None], [b""])
    if b"\\u" in whole:
        originals = [b"" if _ODD_ESCAPE.search(original) else original for original in originals]
    pairs = zip(values, originals, strict=True)
    return DecodedBatch(
        values, [original if has_all_keys(value, original) else b"" for value, original in pairs]
    )


def _halved(parts: Sequence[msgspec.Raw]) -> DecodedBatch:
    middle = len(parts) // 2
    first, second = decoded(parts[:middle]), decoded(parts[middle:])
    return DecodedBatch(first.values + second.values, first.originals + second.originals)


def has_all_keys(value: Any, original: bytes) -> bool:  # noqa: ANN401 - any JSON value
    """Tell whether no key of an object was lost to an equal one: the decoder keeps the last in silence."""
    # A mark of a key inside a text makes one more than there are keys, and asks for a closer look in vain.
    keys = original.count(_KEY_ENDS)
    return keys == (len(value) if type(value) is dict else 0) or keys == _keys(value)


def _keys(value: Any) -> int:  # noqa: ANN401 - any JSON value
    """Return the number of keys in a value; lists of lists are not looked into."""
    count, waiting = 0, [value]
    # Grows while it is walked through.
    for part in waiting:
        if type(part) is dict:
            count += len(part)
            waiting += [below for below in part.values() if type(below) in _NESTING]
        # Lists of numbers are long; their first part tells.
        elif type(part) is list and part and type(part[0]) is dict:
            waiting += [below for below in part if type(below) in _NESTING]
    return count
