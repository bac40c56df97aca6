"""Finds a larger image that shows the same as another one: in the project, or in a folder of originals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import numpy as np
import numpy.typing as npt

from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.draft.variants.variant_rule import VariantInput
from annotator.errors import UserError
from annotator.media.image_decoder import decode_image
from annotator.media.probe import probe_media

LEAST_ENLARGEMENT = 1.2
"""Smallest ratio of the widths from which an image counts as larger."""
MOST_DISTORTION = 0.01
"""Largest difference of the two ratios of sides, as a share; sizes are rounded to whole pixels."""
THUMBNAIL_PX = 64
"""Longer side at which two files are compared."""
MOST_DIFFERENCE, LEAST_CORRELATION = 24.0, 0.9
"""Largest mean difference of grey levels of 255, and least correlation, of two images that show the same.

Measured: aerial photographs and their JPEG copies at 1/8 of the size have 2.0 and 0.998 at most and at least;
different photographs of one flight 33 and 0.57 at least and at most.
"""
_REDUCED = re.compile(
    r"(?:[-_ @.](?:small|low|lowres|reduced|resized|thumb|preview|[0-9]{2,5}x[0-9]{2,5}|[0-9]{3,4}p"
    r"|[0-9]{2,5}px|0\.[0-9]+x))+$",
    re.IGNORECASE,
)
_FULL = ("", "_original", "-original", "_full", "_large", "_highres", "-highres", "_hires", "_4k")
_ENDINGS = (".jpg", ".JPG", ".jpeg", ".png", ".PNG", ".tif", ".tiff", ".webp")


class LargerImages:
    """Finds larger versions of images; each image is looked up once.

    A larger version is the image that a smaller one was made from, an image of the same name (without words
    such as ``_small`` or ``_1280x720``) in another folder or dataset, or such a file in the folder of
    originals. It has the same proportions and shows the same at a small size. A degraded image has none, as
    its original shows more.
    """

    def __init__(self, material: VariantInput) -> None:
        self._material = material
        self._known: dict[str, Medium | None] = {}
        self._created: dict[str, Medium] = {}

    def of(self, medium: Medium) -> Medium | None:
        """Return the largest version of an image, None if none is known.

        Raises:
            EnvironmentFailure: A file cannot be read.
            Cancelled: The user cancelled.
        """
        if medium.id not in self._known:
            found = [large for large in self._candidates(medium) if is_larger(large, medium)]
            self._known[medium.id] = max(found, key=lambda large: large.width_px, default=None)
        return self._known[medium.id]

    def take_created(self, medium: Medium) -> Medium | None:
        """Return a medium if it is new to the project, the first time only."""
        return self._created.pop(medium.id, None)

    def _candidates(self, medium: Medium) -> Iterator[Medium]:
        if not _is_original(medium) or not medium.width_px:
            return
        reader = self._material.reader
        if medium.derived_from and (made_from := reader.get(Medium, medium.derived_from)) is not None:
            yield made_from
        yield from self._named_alike(medium)
        yield from self._on_disk(medium)

    def _named_alike(self, medium: Medium) -> Iterator[Medium]:
        for name in _names(medium.name):
            for found in self._material.reader.find(Medium, name=name):
                is_other = found.id != medium.id and _is_original(found)
                if is_other and is_larger(found, medium) and self._shows_same(medium, found):
                    yield found

    def _shows_same(self, small: Medium, large: Medium) -> bool:
        """Return whether two images of like names show the same: names such as ``0001.jpg`` are common.

        Where a file is missing, only a word for the size in one of the names tells them to be versions.
        """
        one, other = self._file_of(small), self._file_of(large)
        if one is None or other is None:
            return _stem(small.name) != _stem(large.name)
        return look_alike(one, other)

    def _file_of(self, medium: Medium) -> Path | None:
        roots = self._material.roots
        file = roots.file_of(medium.path or medium.name) if roots else None
        return file if file is not None and file.is_file() else None

    def _on_disk(self, medium: Medium) -> Iterator[Medium]:
        """Yield the first readable file of the folder of originals as a medium."""
        folder, roots = self._material.settings.originals.strip("/"), self._material.roots
        if not folder or roots is None:
            return
        for name in _names(PurePosixPath(medium.name).name):
            path = f"{folder}/{name}"
            file = roots.file_of(path)
            if file is None or not file.is_file() or path == medium.path:
                continue
            own = self._file_of(medium)
            if own is None or look_alike(own, file):
                yield from self._medium_at(path, file, small=medium)
                return

    def _medium_at(self, path: str, file: Path, *, small: Medium) -> Iterator[Medium]:
        known = next(iter(self._material.reader.find(Medium, path=path)), None)
        if known is not None:
            yield known
            return
        probe = probe_media(file, progress=self._material.progress)
        if probe.media_type != "image" or probe.damage:
            return
        made = Medium(
            id=new_id(),
            name=path,
            dataset=small.dataset,
            path=path,
            licence=small.licence,
            footage=small.footage,
            **probe.medium_values(),
        )
        self._created[made.id] = made
        yield made


def _is_original(medium: Medium) -> bool:
    return medium.media_type == "image" and medium.recipe is None


def is_larger(large: Medium, small: Medium) -> bool:
    """Return whether an image is a larger one of the same proportions."""
    if not (small.width_px and small.height_px and large.width_px and large.height_px):
        return False
    x, y = large.width_px / small.width_px, large.height_px / small.height_px
    return x >= LEAST_ENLARGEMENT and abs(x - y) <= MOST_DISTORTION * max(x, y)


def look_alike(one: Path, other: Path) -> bool:
    """Return whether two image files show the same at a small size; False for a file that is damaged."""
    try:
        first, second = (_thumbnail(path) for path in (one, other))
    except UserError:
        return False
    # Sizes are rounded to whole pixels: the thumbnails of one view can differ by a row or column.
    height, width = (min(sides) for sides in zip(first.shape, second.shape, strict=True))
    first, second = first[:height, :width], second[:height, :width]
    if np.abs(first - second).mean() > MOST_DIFFERENCE:
        return False
    # Images without any structure have no correlation; their equal greys say it all.
    is_flat = min(first.std(), second.std()) < 1
    return is_flat or float(np.corrcoef(first.ravel(), second.ravel())[0, 1]) >= LEAST_CORRELATION


def _thumbnail(path: Path) -> npt.NDArray[np.float64]:
    """Return an image as grey levels, float64 (height, width), 0 to 255."""
    picture: npt.NDArray[np.float64] = decode_image(path, max_side_px=THUMBNAIL_PX).mean(axis=2)
    return picture


def _stem(name: str) -> str:
    return PurePosixPath(name).stem.casefold()


def _names(name: str) -> Iterator[str]:
    """Yield the names that a larger version of an image can have."""
    path = PurePosixPath(name)
    stem = _REDUCED.sub("", path.stem)
    for full in _FULL:
        for ending in dict.fromkeys((path.suffix, *_ENDINGS)):
            yield path.with_name(f"{stem}{full}{ending}").as_posix()
