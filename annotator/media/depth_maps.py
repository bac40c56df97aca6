"""Stored depth maps of images and videos: their file names and the meaning of their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from annotator.errors import EnvironmentFailure, UserError
from annotator.media.depth_file import read_depth
from annotator.media.image_file import open_image

PATTERNS = (
    "{stem}_depth.npy",
    "{stem}_depth.png",
    "{stem}.depth.npy",
    "{stem}.depth.png",
    "depth/{stem}.npy",
    "depth/{stem}.png",
    "{stem}.npy",
    "{stem}.png",
)
FRAME_PATTERNS = tuple(
    f"{folder}{{stem}}{joint}{{frame}}.{ending}"
    for folder in ("", "depth/")
    for joint in ("_", "/")
    for ending in ("npy", "png")
)
# Pillow's modes of one channel; I;16 and its kin are 16 bits, I and F are 32.
_GREY = frozenset({"L", "I;16", "I;16B", "I;16L", "I", "F"})


class DepthMapFiles(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """File names and units of depth maps; the options of the adapter ``depth-files``.

    Attributes:
        pattern: Path of a map below the folder: ``{stem}`` is the image's name without suffix, ``{frame}``
            the frame number of a video in six digits; "" to try the usual patterns.
        folder: Folder of the maps; "" for the image's own folder.
        png_unit_m: Metres per unit of a PNG: 0.001 for millimetres.
        npy_unit_m: Metres per unit of a NumPy file.
        metric: Whether values are metric; if not, the units are ignored.
        inverse: Whether larger values are nearer, as in disparity maps.
    """

    pattern: str = ""
    folder: str = ""
    png_unit_m: float = 0.001
    npy_unit_m: float = 1.0
    metric: bool = True
    inverse: bool = False

    @classmethod
    def of(cls, options: Mapping[str, Any], *, folder: str) -> DepthMapFiles:
        """Return what a profile says.

        Args:
            options: Its options.
            folder: Its path.

        Raises:
            UserError: An option is not known or has a value that it cannot have.
        """
        try:
            locations = msgspec.convert({**options, "folder": folder}, cls)
        except msgspec.ValidationError as error:
            raise UserError(
                f"Invalid depth map options: {error}.",
                hint=f"Available options: {', '.join(cls.__struct_fields__)}.",
            ) from error
        if not (locations.png_unit_m > 0 and locations.npy_unit_m > 0):
            raise UserError("The depth step must be greater than 0 metres.")
        return locations

    def candidates(self, file: Path, *, frame: int | None) -> Iterator[Path]:
        """Yield where the map of a picture or frame may lie, the likeliest first."""
        folder = Path(self.folder) if self.folder else file.parent
        usual = PATTERNS if frame is None else FRAME_PATTERNS
        for pattern in (self.pattern,) if self.pattern else usual:
            # Names of files are data: replaced, never formatted.
            name = pattern.replace("{frame}", "" if frame is None else f"{frame:06d}")
            path = folder / name.replace("{stem}", file.stem)
            if path != file:
                yield path

    def find(self, file: Path, *, frame: int | None) -> Path:
        """Return where the map of a picture or frame lies.

        Raises:
            UserError: There is none.
        """
        tried = list(self.candidates(file, frame=frame))
        found = next((path for path in tried if path.is_file()), None)
        if found is None:
            names = ", ".join(path.name for path in tried[:4])
            raise UserError(f"No depth map was found for {file.name}.", hint=f"Searched for: {names} …")
        return found

    def read(self, path: Path) -> NDArray[np.float32]:
        """Return a map: float32 (height, width), larger is farther, NaN where there is no depth.

        Raises:
            UserError: It is damaged or no depth map.
            EnvironmentFailure: It cannot be read.
        """
        is_array = path.suffix.lower() == ".npy"
        values = read_depth(path) if is_array else _grey(path)
        is_known = np.isfinite(values) & (values > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            depth = 1.0 / values if self.inverse else values
        factor = self.npy_unit_m if is_array else self.png_unit_m
        # A disparity's unit is none of length, so it is not scaled.
        scaled = depth if self.inverse else depth * factor
        return np.where(is_known, scaled, np.nan).astype(np.float32)


def stamp_of(locations: DepthMapFiles, *, file: Path, frame: int | None) -> str:
    """Return what tells one state of the map of a picture or frame from another; "" where there is none.

    Raises:
        EnvironmentFailure: The disk refused.
    """
    try:
        facts = [
            (path.name, path.stat()) for path in locations.candidates(file, frame=frame) if path.is_file()
        ]
    except OSError as error:
        raise EnvironmentFailure(
            f"The depth maps of {file.name} cannot be read: {error.strerror}."
        ) from error
    # Only the first that is there: it is the one that ``find`` takes.
    return " ".join(f"{name} {fact.st_size} {fact.st_mtime_ns}" for name, fact in facts[:1])


def _grey(path: Path) -> NDArray[np.float32]:
    with open_image(path) as image:
        if image.mode not in _GREY:
            raise UserError(
                f"{path.name} is a colour image ({image.mode}), not a depth map.",
                hint="A depth map is a 16-bit greyscale image.",
            )
        return np.asarray(image, np.float32)
