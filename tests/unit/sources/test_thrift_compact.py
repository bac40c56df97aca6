from __future__ import annotations

import pytest

from annotator.sources.thrift_compact import CompactReader, ThriftFault


def read(data: bytes) -> dict[int, object]:
    return CompactReader(data, at=0, end=len(data)).struct()


def test_struct_when_it_has_every_kind_then_values_by_number() -> None:
    data = b"".join(
        [
            b"\x11\x12",  # 1 true, 2 false
            b"\x13\x07",  # 3 byte
            b"\x15\x03\x16\x80\x02",  # 4 and 5: -2 and 128
            b"\x17" + bytes(8),  # 6 double
            b"\x18\x02ab",  # 7 bytes
            b"\x19\x25\x02\x04",  # 8 list of 1, 2
            b"\x1b\x01\x58\x02\x01x",  # 9 map of 1 to x
            b"\x1c\x15\x06\x00",  # 10 struct with 1 = 3
            b"\x05\x50\x08",  # 40, told by its number
            b"\x00",
        ]
    )
    assert read(data) == {
        1: True, 2: False, 3: 7, 4: -2, 5: 128, 6: bytes(8), 7: b"ab",
        8: [1, 2], 9: [(1, b"x")], 10: {1: 3}, 40: 4,
    }  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x15", b"\x18\xff\xff\xff\xff\x0fab", b"\x19\xf5\xff\xff\xff\xff\x0f",
        b"\x1b\xff\xff\xff\x7f\x55",
        b"\x1c" * 40, b"\x15" + b"\xff" * 11, b"\x1e\x00", b"\x19" * 5000,
        b"\x1b\x01\xbb" + b"\x01\xbb" * 5000,
    ],
)  # fmt: skip
def test_bytes_when_they_are_no_struct_then_a_fault_and_no_large_list(data: bytes) -> None:
    with pytest.raises(ThriftFault):
        read(data)
