"""Thrift's compact protocol, read into plain values: what the headers of Parquet are written in.

Source: Apache Thrift, compact protocol specification.
"""

from __future__ import annotations

from typing import Any

MOST_LEVELS = 16
_TRUE, _FALSE, _BYTE, _INTEGERS, _DOUBLE, _BINARY, _LISTS, _MAP, _STRUCT, _UUID = (
    1, 2, 3, {4, 5, 6}, 7, 8, {9, 10}, 11, 12, 13,
)  # fmt: skip


class ThriftFault(Exception):  # noqa: N818 - readers of Parquet turn it into words
    """Say why bytes are no Thrift."""


class CompactReader:
    """Reads values from a part of some bytes.

    Attributes:
        at: Offset of the next byte.
    """

    def __init__(self, data: bytes, *, at: int, end: int) -> None:
        self._data = data
        self._end = end
        self.at = at

    def struct(self, *, level: int = 0) -> dict[int, Any]:
        """Return the fields of a struct by their numbers.

        Raises:
            ThriftFault: The bytes end early or are none.
        """
        fields: dict[int, Any] = {}
        number = 0
        # A zero byte ends a struct; else the high half is the step from the field before, 0 for 'told in
        # full'.
        while head := self._byte():
            step, kind = head >> 4, head & 15
            number = number + step if step else _unzigzagged(self.varint())
            # True and false of a field are told by its kind, and take no byte.
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, level)
        return fields

    def varint(self) -> int:
        """Return an unsigned number of up to 64 bits.

        Raises:
            ThriftFault: The bytes end early, or it is longer.
        """
        result = 0
        # Ten groups of seven bits hold 64.
        for shift in range(0, 70, 7):
            byte = self._byte()
            result |= (byte & 127) << shift
            if byte < 128:
                return result
        raise ThriftFault("a number in a header has too many bytes.")

    def _value(self, kind: int, level: int) -> object:
        if level > MOST_LEVELS:
            raise ThriftFault("a header is nested too deeply.")
        if kind in _INTEGERS:
            return _unzigzagged(self.varint())
        if kind == _BINARY:
            return self._bytes(self.varint())
        if kind in _LISTS:
            return self._list(level)
        if kind == _STRUCT:
            return self.struct(level=level + 1)
        if kind == _MAP:
            return self._map(level)
        return self._fixed(kind)

    def _fixed(self, kind: int) -> object:
        if kind in (_TRUE, _FALSE, _BYTE):
            return self._byte()
        if kind in (_DOUBLE, _UUID):
            return self._bytes(8 if kind == _DOUBLE else 16)
        raise ThriftFault("a header has a value of an unknown kind.")

    def _list(self, level: int) -> list[object]:
        head = self._byte()
        # Sizes up to 14 stand in the same byte as the kind.
        size = head >> 4 if head >> 4 != 15 else self.varint()
        self._require(size)
        return [self._value(head & 15, level + 1) for _ in range(size)]

    def _map(self, level: int) -> list[object]:
        size = self.varint()
        if size == 0:
            return []
        self._require(size)
        kinds = self._byte()
        return [(self._value(kinds >> 4, level + 1), self._value(kinds & 15, level + 1)) for _ in range(size)]

    def _byte(self) -> int:
        self._require(1)
        self.at += 1
        return self._data[self.at - 1]

    def _bytes(self, size: int) -> bytes:
        self._require(size)
        self.at += size
        return self._data[self.at - size : self.at]

    def _require(self, size: int) -> None:
        """Refuse what claims more bytes than are left; every element of a list has at least one."""
        if self.at + size > self._end:
            raise ThriftFault("a header ends early.")


def _unzigzagged(number: int) -> int:
    return (number >> 1) ^ -(number & 1)
