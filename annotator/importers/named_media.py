"""Media of a project under the names by which other people's files may call them."""

from __future__ import annotations

from functools import cached_property

from annotator.domain.medium import Medium
from annotator.store.reader import Reader

_SHARED = Medium(name="")
"""Stands for a name that several media answer to."""


class NamedMedia:
    """Finds the media that came in as files by the ends of their paths.

    A label file says ``a.jpg`` or ``images/a.jpg``, or only ``a``, of a file that was added as
    ``flight 7/images/a.jpg``. Only an end that one medium alone has names it.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def find(self, name: str, *, dataset: str) -> Medium | None:
        """Return the medium that a name must mean, None where there is none or more than one.

        Args:
            name: A file's name, or the end of its path, with or without its ending.
            dataset: Its collection; media of others are taken only where it has no such medium.
        """
        tail = name.strip("/")
        for key in ((dataset, tail), (None, tail)):
            found = self._by_tail.get(key)
            if found is not None:
                return None if found is _SHARED else found
        return None

    @cached_property
    def _by_tail(self) -> dict[tuple[str | None, str], Medium]:
        tails: dict[tuple[str | None, str], Medium] = {}
        for medium in self._reader.records("medium"):
            # Media that were only named by another file say nothing about where they lie.
            if isinstance(medium, Medium) and medium.source:
                for tail in _tails(medium.path or medium.name):
                    for key in ((medium.dataset, tail), (None, tail)):
                        same = tails.setdefault(key, medium)
                        if same is not medium:
                            tails[key] = _SHARED
        return tails


def _tails(path: str) -> list[str]:
    """Return the ends of a path, longest first, each with and without the file's ending."""
    parts = path.split("/")
    ends = ["/".join(parts[at:]) for at in range(len(parts))]
    stems = [end.rpartition(".")[0] for end in ends if "." in end.rpartition("/")[2].lstrip(".")]
    return [*ends, *stems]
