"""The logged form of a request: the complete text, and images by their digests."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from annotator.model_api import ChatRequest


def request_body(material: object) -> bytes:
    """Return a request as JSON, with the SHA-256 of images, arrays and other large values in their place.

    The bytes of images would add gigabytes to a project with ten thousand requests. Digests suffice to prove
    which images were sent.
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
