"""Media of a project under the names by which other people's files may call them."""

from __future__ import annotations

from functools import cached_property

from annotator.domain.medium import Medium
from annotator.queries.reader import Reader

_SHARED = Medium(name="")
"""Stands for a name that several media answer to."""


class NamedMedia:
    """Finds the media that came in as files by the ends of their paths.

    A label file says ``a.jpg`` or ``images/a.jpg``, or only ``a``, of a file that was added as
    ``flight 7/images/a.jpg``. Only an end that one medium alone has names it. The other way round, the label
    file's ``flight 7/a.jpg`` means the ``a.jpg`` that was added without its folder, where no other medium
    has this name.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._meant: dict[str, str] = {}

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
        return self._without_folder(tail, dataset=dataset)

    def _without_folder(self, name: str, *, dataset: str) -> Medium | None:
        """Return the only medium of a file's name, where its path is an end of the path that is asked for."""
        file = name.rpartition("/")[2]
        for key in ((dataset, file), (None, file)):
            found = self._by_tail.get(key)
            if found is not None and found is not _SHARED and f"/{name}".endswith(f"/{_path_of(found)}"):
                # Two names of one file cannot both be meant.
                return found if self._meant.setdefault(found.id, name) == name else None
        return None

    @cached_property
    def _by_tail(self) -> dict[tuple[str | None, str], Medium]:
        tails: dict[tuple[str | None, str], Medium] = {}
        for medium in self._reader.records(Medium):
            # Media that were only named by another file say nothing about where they lie.
            if medium.source:
                for tail in _tails(_path_of(medium)):
                    for key in ((medium.dataset, tail), (None, tail)):
                        same = tails.setdefault(key, medium)
                        if same is not medium:
                            tails[key] = _SHARED
        return tails


def _path_of(medium: Medium) -> str:
    return medium.path or medium.name


def _tails(path: str) -> list[str]:
    """Return the ends of a path, longest first, each with and without the file's ending."""
    parts = path.split("/")
    ends = ["/".join(parts[at:]) for at in range(len(parts))]
    stems = [end.rpartition(".")[0] for end in ends if "." in end.rpartition("/")[2].lstrip(".")]
    return [*ends, *stems]
