from __future__ import annotations

import hashlib
import sys

from annotator.importers.digest_set import FIRST_SLOTS, DigestSet


def digests(count: int) -> list[bytes]:
    return [hashlib.blake2b(str(n).encode(), digest_size=16).digest() for n in range(count)]


def test_add_when_digests_come_again_then_only_the_first_is_new() -> None:
    known, many = DigestSet(), digests(5 * FIRST_SLOTS)
    assert all(known.add(digest) for digest in many)
    assert not any(known.add(digest) for digest in many)
    assert len(known) == len(many)


def test_add_when_halves_are_equal_or_zero_then_they_are_told_apart() -> None:
    known, half = DigestSet(), b"\7" * 8
    several = [half + bytes([n]) * 8 for n in range(200)] + [bytes(8) + bytes([n]) * 8 for n in range(200)]
    assert [known.add(digest) for digest in several] == [True] * 400
    assert [known.add(digest) for digest in several] == [False] * 400


def test_set_when_it_is_large_then_takes_less_than_a_third_of_a_set_of_texts() -> None:
    many = digests(20 * FIRST_SLOTS)
    known, texts = DigestSet(), {digest.hex() for digest in many}
    for digest in many:
        known.add(digest)
    size = sys.getsizeof(texts) + sum(map(sys.getsizeof, texts))
    assert 3 * sys.getsizeof(known._halves) < size
