"""Compresses long values of the log: the original records of an import consist mostly of punctuation."""

from __future__ import annotations

import zlib

PACKED_FROM = 300
"""Characters from which on a value is packed; shorter ones hardly shrink."""
MOST_BYTES = 256 << 20
"""Size up to which a value is packed and unpacked: kilobytes of a foreign file can stand for gigabytes."""
_FORM = b"\x01"
# Never change these bytes: values of existing files decompress only with them. A new dictionary needs a new
# leading byte.
_DICTIONARY = (
    b'"extras":{"options":[{"label":"A","text":"","question":"","answer":{"conversations":[{"from":"human","value":"'
    b'"evidence":{"normalised":[{"field":"box","original":"value":"reason":"clipped to the picture"'
    b'"iscrowd":0,"ignore":0,"area":"score":"attributes":{"occluded":false,"track_id":"segmentation":{"counts":['
    b'"size":[1080,1920]},"id":"image_id":"category_id":"bbox":[],"segmentation":[[]],"frame":"visible":'
    b'"provenance":{"kind":"imported","source":"'
    b'{"id":"0192","medium":"0192","number":1,"box":{"x1":0.0,"y1":0.0,"x2":0.0,"y2":0.0},"polygon":[[.0,.0],['
    b'.5,.5]],"category":"car","score":1.0,"made_by":"coco","source":"0192","locator":"annotations 1",'
    b'"original":{"id":1,"image_id":1,"category_id":1,"bbox":[0.0],"segmentation":[[0.0,0.0]]},"import_key":"'
)


def pack(text: str) -> bytes | None:
    """Return a packed text, None where that is not worth it."""
    if len(text) < PACKED_FROM:
        return None
    content = text.encode()
    if len(content) > MOST_BYTES:
        return None
    # Negative wbits: no header and no checksum, since the event's hash covers the text.
    packer = zlib.compressobj(level=6, wbits=-15, zdict=_DICTIONARY)
    return _FORM + packer.compress(content) + packer.flush()


def unpack_or_nothing(packed: bytes) -> str:
    """Return the text that was packed, "" for a damaged one, which verify finds: no hash is of that."""
    try:
        return unpack(packed)
    except ValueError:
        return ""


def unpack(packed: bytes) -> str:
    """Return the text that was packed.

    Raises:
        ValueError: It is damaged, of a form that a later Vantage writes, or larger than any that is packed.
    """
    if packed[:1] != _FORM:
        raise ValueError("packed in a form that is not known here")
    unpacker = zlib.decompressobj(wbits=-15, zdict=_DICTIONARY)
    try:
        # One byte more than allowed, or the end of a value of just that size would not be seen.
        data = unpacker.decompress(packed[1:], MOST_BYTES + 1)
    except zlib.error as error:
        raise ValueError("packed text is damaged") from error
    if len(data) > MOST_BYTES:
        raise ValueError(f"packed text has more than {MOST_BYTES:,} bytes")
    if not unpacker.eof:
        raise ValueError("packed text is cut off")
    return data.decode()
