"""Ids of images and categories that COCO files of one import, or of the project, give a meaning to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from annotator.domain.region import Region

Id = int | str
MADE_BY = "coco"


class _Ids(msgspec.Struct):
    """The ids in an annotation as it came; anything else may stand there as well."""

    image_id: Any = None
    category_id: Any = None


class CocoIds:
    """What result lists refer to by ids alone: names of images, and categories.

    The COCO files of the import that is under way count first, then the annotations that the project has.
    """

    def __init__(self, known: Callable[[], Iterable[tuple[Region, str]]] = tuple) -> None:
        """Take what reads the regions of a project with the names of their media; asked once, when needed."""
        self._known = known
        self._is_read = False
        self._images: dict[Id, str] = {}
        self._categories: dict[Id, str] = {}

    def add(self, *, images: Mapping[Id, str], categories: Mapping[Id, str]) -> None:
        """Take the tables of a COCO file."""
        self._images |= images
        self._categories |= categories

    def image(self, key: Id) -> str | None:
        """Return the name of an image, None where no file tells."""
        return self._found(self._images, key)

    def category(self, key: Id) -> str | None:
        """Return a category, None where no file tells."""
        return self._found(self._categories, key)

    def _found(self, names: dict[Id, str], key: Id) -> str | None:
        if key not in names and not self._is_read:
            self._is_read = True
            self._read_known()
        return names.get(key)

    def _read_known(self) -> None:
        decode = msgspec.json.Decoder(_Ids).decode
        for region, medium in self._known():
            if region.made_by != MADE_BY:
                continue
            ids = decode(region.original)
            if isinstance(ids.image_id, int | str):
                self._images.setdefault(ids.image_id, medium)
            if isinstance(ids.category_id, int | str) and region.category:
                self._categories.setdefault(ids.category_id, region.category)
