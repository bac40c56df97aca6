"""The most tokens that a server bills for texts and images, so that no limit of cost is passed.

The rules for images are those of the providers, read from ``resources/image_tokens.toml``.
"""

from __future__ import annotations

import functools
import math
import re
from fnmatch import fnmatchcase

import msgspec

import resources

TOKENS_AROUND = 64
"""Tokens that a server adds to a request: roles, separators, its own system prompt."""
LABEL_TOKENS = 64
"""Of the words before an image: its name and time."""
UNKNOWN_SIDE_PX = 8_192
"""Both sides of an image of unknown size. Source: servers refuse larger ones (Anthropic: 8,000)."""
DATE = re.compile(r"-\d{4}-\d{2}-\d{2}$")
# Source: Gemini API, tokens of images; the rules `crops` of image_tokens.toml name the page.
LEAST_CROP_PX, MOST_CROP_PX = 256, 768
CROPS_PER_SHORTER_SIDE = 1.5


class _Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    models: tuple[str, ...]
    source: str
    entered: str

    def tokens(self, width_px: int, height_px: int, *, detail: str) -> int:
        """Return the most tokens of an image."""
        raise NotImplementedError


class _Tiles(_Rule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    base: int
    each: int
    within_px: int
    shorter_px: int
    tile_px: int

    def tokens(self, width_px: int, height_px: int, *, detail: str) -> int:
        if detail == "low":
            return self.base
        longer, shorter = max(width_px, height_px), min(width_px, height_px)
        # The documentation enlarges small images, the servers mostly do not: the larger one counts.
        share = min(self.within_px / longer, self.shorter_px / shorter)
        tiles = _parts(longer * share, self.tile_px) * _parts(shorter * share, self.tile_px)
        return self.base + self.each * tiles


class _Patches(_Rule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    patch_px: int
    most: int
    factor: float
    least: int = 0
    around: int = 0

    def tokens(self, width_px: int, height_px: int, *, detail: str) -> int:  # noqa: ARG002 - as every rule
        patches = max(self.least, _parts(width_px, self.patch_px) * _parts(height_px, self.patch_px))
        return math.ceil((min(patches, self.most) if self.most else patches) * self.factor) + self.around


class _Crops(_Rule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    each: int

    def tokens(self, width_px: int, height_px: int, *, detail: str) -> int:  # noqa: ARG002 - as every rule
        wanted = int(min(width_px, height_px) / CROPS_PER_SHORTER_SIDE)
        side = max(LEAST_CROP_PX, min(MOST_CROP_PX, wanted))
        return self.each * _parts(width_px, side) * _parts(height_px, side)


class _Fixed(_Rule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    number: int = msgspec.field(name="tokens")

    def tokens(self, width_px: int, height_px: int, *, detail: str) -> int:  # noqa: ARG002 - as every rule
        return self.number


class _Rules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    version: int
    tiles: tuple[_Tiles, ...]
    patches: tuple[_Patches, ...]
    crops: tuple[_Crops, ...]
    fixed: tuple[_Fixed, ...]

    @property
    def all(self) -> tuple[_Rule, ...]:
        """All rules."""
        return (*self.tiles, *self.patches, *self.crops, *self.fixed)


def text_tokens(text: str) -> int:
    """Return the most tokens of a text: one a byte, which no tokenizer of bytes exceeds.

    Numbers and rare scripts come near to it, English prose to a quarter.
    """
    return len(text.encode())


def image_tokens(model: str, width_px: int, height_px: int, *, detail: str = "") -> int:
    """Return the most tokens of an image, the largest of all rules for a model without one.

    Args:
        model: Name of the model, as in requests.
        width_px: Of the image as it is sent; 0 for unknown.
        height_px: The same.
        detail: ``low``, ``high`` or ``auto`` as in the request; "" for none.
    """
    width_px, height_px = width_px or UNKNOWN_SIDE_PX, height_px or UNKNOWN_SIDE_PX
    return max(rule.tokens(width_px, height_px, detail=detail) for rule in _rules_of(model))


@functools.lru_cache(maxsize=256)
def _rules_of(model: str) -> tuple[_Rule, ...]:
    name = DATE.sub("", model.lower().rpartition("/")[2])
    rules = _rules().all
    return tuple(rule for rule in rules if any(fnmatchcase(name, one) for one in rule.models)) or rules


@functools.cache
def _rules() -> _Rules:
    return msgspec.toml.decode(resources.path("image_tokens.toml").read_bytes(), type=_Rules)


def _parts(length_px: float, side_px: int) -> int:
    return max(1, math.ceil(length_px / side_px))
