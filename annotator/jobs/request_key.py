"""Computes the request key of a job: a digest of everything that determines its answer."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

KEY_VERSION = 1
"""Another number where the same request would be made in another way."""
# Sorted: people write the same options down in another order.
_encoder = msgspec.json.Encoder(order="deterministic")


def compute_request_key(**parts: object) -> bytes:
    """Return SHA-256 over named parts, 32 bytes; the order of names and members is of no meaning.

    Args:
        parts: Plain values, mappings and sequences of them, structs and bytes.
    """
    return hashlib.sha256(_encoder.encode({"version": KEY_VERSION, **parts})).digest()


def digest(value: Mapping[str, Any] | msgspec.Struct) -> str:
    """Return the hex SHA-256 of a value, for use as a part of a key."""
    return hashlib.sha256(_encoder.encode(value)).hexdigest()
