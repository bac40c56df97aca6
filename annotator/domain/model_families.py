"""What the families of vision-language models have in common: sizes of images, frames, and forms of boxes.

Read from ``resources/model_families.toml``, which names the sources.
"""

from __future__ import annotations

import functools
import re
from fnmatch import fnmatchcase
from pathlib import PurePath

import msgspec

import resources
from annotator.domain.profile import BoxUnit, ModelProfile, VisualSettings

FILE = "model_families.toml"
DATE = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class ModelFamily(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A family of models.

    Attributes:
        models: Patterns of names.
        longest_px: Longer side of its images, 0 for as they are.
        frames: Frames of a video.
        boxes: How it says where a box is.
        source: Where this is from.
        grid_px: It scales sides to multiples of this; 0 for none.
    """

    models: tuple[str, ...]
    longest_px: int
    frames: int
    boxes: BoxUnit
    source: str
    grid_px: int = 0


class _Families(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    version: int
    families: tuple[ModelFamily, ...]


def family_of(profile: ModelProfile) -> ModelFamily | None:
    """Return the family of a profile's model, by its name or that of its folder; None for an unknown one."""
    return _named(profile.model or PurePath(profile.path).name)


def visuals_of(profile: ModelProfile) -> VisualSettings:
    """Return the images' settings of a profile; where it states none, those of its model's family."""
    family = family_of(profile)
    if profile.visuals is not None or family is None:
        return profile.stated_visuals
    return VisualSettings(longest_px=family.longest_px, frames=family.frames)


def resolved_profile(profile: ModelProfile) -> ModelProfile:
    """Return a profile that states what it leaves to its model's family, for a run that is ordered now.

    A run keeps it: another version of the table must not change what a stored run is said to have sent.
    """
    family = family_of(profile)
    grid_px = family.grid_px if family else 0
    return msgspec.structs.replace(
        profile,
        visuals=visuals_of(profile),
        boxes=profile.boxes or (family.boxes if family else "pixels"),
        grid_px=grid_px if profile.grid_px is None else profile.grid_px,
    )


@functools.lru_cache(maxsize=256)
def _named(model: str) -> ModelFamily | None:
    name = DATE.sub("", model.lower().rpartition("/")[2])
    fitting = (one for one in families() if any(fnmatchcase(name, pattern) for pattern in one.models))
    return next(fitting, None)


@functools.cache
def families() -> tuple[ModelFamily, ...]:
    """Return all families, in the order in which they are tried."""
    return msgspec.toml.decode(resources.path(FILE).read_bytes(), type=_Families).families
