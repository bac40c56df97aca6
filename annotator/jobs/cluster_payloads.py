"""Large values of calls on a cluster: sent once, and referred to by their SHA-256 from then on.

An image is part of many calls: of each question about it, in each order of the options, of each detector.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from distributed import Client, Future

    Payload = bytes | NDArray[Any]

LARGE_BYTES = 32 * 2**10
"""Smaller values are sent with each call: a reference is a task of its own, about 1 ms of the scheduler."""
HELD_BYTES = 256 * 2**20
"""The cluster keeps values of at most this size in total for one client; the oldest are dropped first."""
KEY = "vantage-payload-"
PRIORITY = 10
"""Values arrive before the calls that wait for them."""
GONE = frozenset({"cancelled", "lost", "error"})


@dataclass(frozen=True, kw_only=True)
class PackedMaterials:
    """Inputs of a call without their large values.

    Attributes:
        content: The pickled inputs, with a digest in place of each large value.
        digests: SHA-256 of the large values, hexadecimal, each once.
    """

    content: bytes
    digests: tuple[str, ...]


def pack(materials: Sequence[object]) -> tuple[PackedMaterials, dict[str, Payload]]:
    """Return the inputs of a call without their large values, and these by their digests."""
    content = io.BytesIO()
    pickler = _Pickler(content)
    pickler.dump(tuple(materials))
    packed = PackedMaterials(content=content.getvalue(), digests=tuple(pickler.payloads))
    return packed, pickler.payloads


def unpack(packed: PackedMaterials, payloads: Sequence[Payload]) -> tuple[object, ...]:
    """Return the inputs of a call.

    Args:
        packed: The inputs without their large values.
        payloads: The large values in the order of the digests.
    """
    by_digest = dict(zip(packed.digests, payloads, strict=True))
    materials: tuple[object, ...] = _Unpickler(io.BytesIO(packed.content), payloads=by_digest).load()
    return materials


def payload_digest(value: Payload) -> str:
    """Return the SHA-256 of a large value, of an array with its type and shape."""
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    found = hashlib.sha256(f"{value.dtype.str} {value.shape} ".encode())
    found.update(np.ascontiguousarray(value).data)
    return found.hexdigest()


def checked_payload(digest: str, value: Payload) -> Payload:
    """Return a large value that arrived on a worker of the cluster.

    Raises:
        ValueError: It was changed on its way; the call that needs it fails with this message.
    """
    if payload_digest(value) != digest:
        raise ValueError("an image was changed on its way to the cluster")
    return value


class HeldPayloads:
    """Large values that the cluster holds for one client; for one thread.

    Args:
        client: The connection.
        held_bytes: Maximum total size.
    """

    def __init__(self, client: Client, *, held_bytes: int = HELD_BYTES) -> None:
        self._client, self._most = client, held_bytes
        self._held: OrderedDict[str, tuple[Future, int]] = OrderedDict()
        self._bytes = 0

    def references(self, payloads: Mapping[str, Payload]) -> list[Future]:
        """Return a reference to each value, and send those that the cluster does not hold.

        A value whose worker died is computed again by the scheduler, which keeps it until it is dropped here.
        """
        found = [self._reference(digest, value) for digest, value in payloads.items()]
        # Those of this call are the newest and stay, even if they alone are over the limit.
        while self._bytes > self._most and len(self._held) > len(payloads):
            self._drop(next(iter(self._held)))
        return found

    def _reference(self, digest: str, value: Payload) -> Future:
        if digest in self._held and self._held[digest][0].status in GONE:
            self._drop(digest)
        if digest not in self._held:
            future = self._client.submit(
                checked_payload, digest, value, key=KEY + digest, pure=False, priority=PRIORITY
            )
            size = len(value) if isinstance(value, bytes) else value.nbytes
            self._held[digest] = future, size
            self._bytes += size
        self._held.move_to_end(digest)
        return self._held[digest][0]

    def _drop(self, digest: str) -> None:
        future, size = self._held.pop(digest)
        self._bytes -= size
        # Calls that wait for it keep it alive on the scheduler.
        future.release()


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self.payloads: dict[str, Payload] = {}

    def persistent_id(self, value: object) -> str | None:
        """Return the digest of a large value, which is not written."""
        if not _is_large(value):
            return None
        digest = payload_digest(value)
        self.payloads[digest] = value
        return digest


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, *, payloads: Mapping[str, Payload]) -> None:
        super().__init__(file)
        self._payloads = payloads

    def persistent_load(self, digest: str) -> Payload:
        """Return a large value by its digest."""
        return self._payloads[digest]


def _is_large(value: object) -> TypeGuard[Payload]:
    if type(value) is bytes:
        return len(value) >= LARGE_BYTES
    # An array of objects holds addresses: its bytes are no content that a digest could be of.
    return type(value) is np.ndarray and value.nbytes >= LARGE_BYTES and not value.dtype.hasobject
