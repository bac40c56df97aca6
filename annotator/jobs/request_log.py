"""What is kept of a request: its words whole, its pictures by their digests."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from annotator.model_api import ChatRequest


def request_body(material: object) -> bytes:
    """Return a request as JSON; pictures, arrays and other large things stand in it as SHA-256.

    Bytes of pictures would make a project of ten thousand sighted questions gigabytes large; that the very
    same ones were shown can be proven by their digests.
    """
    if isinstance(material, ChatRequest):
        plain = msgspec.to_builtins(msgspec.structs.replace(material, pictures=()))
        plain["pictures"] = [
            {
                "sha256": hashlib.sha256(picture.data).hexdigest(),
                "type": picture.media_type,
                "label": picture.label,
            }
            for picture in material.pictures
        ]
        return msgspec.json.encode(plain)
    return msgspec.json.encode(material, enc_hook=_digest)


def _digest(value: Any) -> str:  # noqa: ANN401 - whatever has a buffer
    return f"sha256:{hashlib.sha256(memoryview(value)).hexdigest()}"
