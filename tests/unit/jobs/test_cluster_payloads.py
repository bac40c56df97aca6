"""Large values of calls on a cluster: sent once, and checked where they arrive."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from annotator.jobs.cluster_payloads import (
    LARGE_BYTES,
    HeldPayloads,
    checked_payload,
    pack,
    payload_digest,
    unpack,
)
from annotator.model_api import ChatRequest, ModelImage

IMAGE = bytes(range(256)) * 1024
FRAME = np.arange(48 * 640 * 3, dtype=np.uint8).reshape(48, 640, 3)


class _Future:
    def __init__(self) -> None:
        self.status = "finished"
        self.is_released = False

    def release(self) -> None:
        self.is_released = True


class _Client:
    def __init__(self) -> None:
        self.sent: list[str] = []

    def submit(self, _function: object, digest: str, _value: object, *, key: str, **_more: object) -> _Future:
        assert key.endswith(digest)
        self.sent.append(digest)
        return _Future()


def test_pack_when_inputs_hold_images_then_each_is_taken_out_once_and_put_back() -> None:
    small = ModelImage(data=b"small", label="UAV2")
    request = ChatRequest(text="What?", pictures=(ModelImage(data=IMAGE, label="UAV1"), small))
    packed, payloads = pack([request, request, FRAME])
    assert len(payloads) == 2
    assert len(packed.content) < 2_000
    first, second, frame = unpack(packed, [payloads[digest] for digest in packed.digests])
    assert first == second == request
    assert np.array_equal(cast("Any", frame), FRAME)
    assert pack(["text"])[1] == {}


def test_pack_when_a_value_is_large_enough_then_it_is_a_reference() -> None:
    assert len(pack([bytes(LARGE_BYTES)])[1]) == 1
    assert pack([bytes(LARGE_BYTES - 1)])[1] == {}


def test_digest_when_arrays_differ_in_shape_or_type_alone_then_they_differ() -> None:
    flat = FRAME.reshape(-1)
    assert len({payload_digest(one) for one in (FRAME, flat, flat.view(np.int8), FRAME.tobytes())}) == 4
    assert payload_digest(np.asfortranarray(FRAME)) == payload_digest(FRAME)


def test_payload_when_it_was_changed_on_its_way_then_the_call_fails_with_words() -> None:
    assert checked_payload(payload_digest(IMAGE), IMAGE) == IMAGE
    with pytest.raises(ValueError, match="changed on its way"):
        checked_payload(payload_digest(IMAGE), IMAGE[:-1] + b"x")


def test_references_when_a_value_was_sent_then_it_is_sent_again_only_if_it_is_lost_or_dropped() -> None:
    client = _Client()
    held = HeldPayloads(cast("Any", client), held_bytes=2 * len(IMAGE))
    images = dict.fromkeys("abc", IMAGE)
    (first,) = held.references({"a": IMAGE})
    held.references({"a": IMAGE, "b": IMAGE})
    assert client.sent == ["a", "b"]
    cast("Any", first).status = "lost"
    held.references({"a": IMAGE})
    assert client.sent == ["a", "b", "a"]
    # More than it may hold: the one that was used longest ago is dropped, and sent again when it is needed.
    held.references({"c": IMAGE})
    held.references({"a": IMAGE})
    assert client.sent == ["a", "b", "a", "c"]
    held.references({"b": IMAGE})
    assert client.sent[-1] == "b"
    assert len(held.references(images)) == 3
