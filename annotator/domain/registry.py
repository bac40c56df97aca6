"""Registries: tuples of classes, one object made of each, found by id.

The tuples are written out, so that a packaged program holds every class that they name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Protocol, TypeVar


class Registered(Protocol):
    """What a registry asks of its objects."""

    @property
    def id(self) -> str:
        """The name that task sets, options and records use."""


R = TypeVar("R", bound=Registered)


def by_id(classes: tuple[Callable[[], R], ...]) -> Mapping[str, R]:
    """Make one object of each class, in the order given.

    Raises:
        ValueError: Two of them have the same id.
    """
    made: dict[str, R] = {}
    for make in classes:
        entry = make()
        if entry.id in made:
            raise ValueError(f"{type(entry).__name__} and {type(made[entry.id]).__name__} are {entry.id!r}")
        made[entry.id] = entry
    return MappingProxyType(made)
