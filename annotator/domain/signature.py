"""Ed25519 signatures of what a person hands over: who wrote it, proved by a key that only that person has."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Annotated

from msgspec import Meta

from annotator.domain.record import ValueObject

FINGERPRINT_DIGITS, GROUP = 32, 4
_KEY = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class Signature(ValueObject, frozen=True, kw_only=True):
    """A signature, valid or not.

    Attributes:
        actor: Id of the person who signs.
        key: The public key in hex.
        value: The signature of the content in hex.
    """

    actor: str
    key: _KEY
    value: Annotated[str, Meta(pattern="^[0-9a-f]{128}$")]


Sign = Callable[[bytes], Signature]
"""Signs a content in the name of one person."""


class TrustedKey(ValueObject, frozen=True, kw_only=True):
    """A key of which a person has confirmed whose it is.

    Attributes:
        actor: Id of the owner.
        name: Name of the owner.
        key: The public key in hex.
    """

    actor: str
    name: str
    key: _KEY


def make_private_key() -> bytes:
    """Return a new private key, 32 bytes."""
    # Imported here and below: the library is loaded where somebody signs, not when the window starts.
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.generate().private_bytes_raw()


def public_key(private_key: bytes) -> str:
    """Return the public key of a private one, in hex."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(private_key).public_key().public_bytes_raw().hex()


def sign(content: bytes, *, actor: str, private_key: bytes) -> Signature:
    """Return the signature of a content, whose first bytes say what kind of content it is."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.from_private_bytes(private_key)
    value = key.sign(_covered(content, actor=actor)).hex()
    return Signature(actor=actor, key=key.public_key().public_bytes_raw().hex(), value=value)


def is_signed(content: bytes, signature: Signature) -> bool:
    """Return whether a signature is that of a content by the key that it names."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signature.key))
        key.verify(bytes.fromhex(signature.value), _covered(content, actor=signature.actor))
    except (InvalidSignature, ValueError):
        return False
    return True


def _covered(content: bytes, *, actor: str) -> bytes:
    """Return what is signed: the person too, so that nobody claims the content of another."""
    return actor.encode() + b"\n" + content


def fingerprint(key: str) -> str:
    """Return what two people compare of a public key, by telephone for instance: eight groups of four."""
    digits = hashlib.sha256(bytes.fromhex(key)).hexdigest()[:FINGERPRINT_DIGITS]
    return " ".join(digits[start : start + GROUP] for start in range(0, FINGERPRINT_DIGITS, GROUP))
