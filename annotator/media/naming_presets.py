"""Presets: how the published benchmarks and common cameras name their files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import msgspec

import resources
from annotator.errors import UserError
from annotator.media.naming_schemes import NamingScheme

FOLDER = "patterns"
_FIELDS = re.compile(r"\[.*?\]|\{.*?\}|\*+/?")
SAMPLE = 400
"""Names by which a preset is found out that matches nothing, before all names are counted."""


@dataclass(frozen=True, kw_only=True)
class PresetMatch:
    """A preset, and how many of the names it matches."""

    scheme: NamingScheme
    matched: int


@cache
def presets() -> dict[str, NamingScheme]:
    """Return all presets by id, those of a benchmark before general ones."""
    found = [
        msgspec.toml.decode(file.read_bytes(), type=NamingScheme)
        for file in sorted(resources.path(FOLDER).glob("*.toml"))
    ]
    return {scheme.id: scheme for scheme in sorted(found, key=lambda scheme: scheme.is_general)}


def preset(preset_id: str) -> NamingScheme:
    """Return one preset.

    Raises:
        UserError: There is none of that id.
    """
    try:
        return presets()[preset_id]
    except KeyError:
        raise UserError(f"Unknown preset {preset_id}.", hint=f"Use one of: {', '.join(presets())}.") from None


def recognise(names: Sequence[str]) -> list[PresetMatch]:
    """Return the presets that match names, those with most matches first; no file is opened.

    Args:
        names: File names with "/" between folders.
    """
    # Every n-th and not the first ones: folders come one after the other, and each has a scheme of its own.
    some = names[:: max(1, len(names) // SAMPLE)]
    found = [
        PresetMatch(scheme=scheme, matched=sum(map(scheme.matches, names)))
        for scheme in presets().values()
        if any(map(scheme.matches, some))
    ]
    return sorted(found, key=_rank)


def _rank(known: PresetMatch) -> tuple[bool, int, int]:
    """Return what orders presets: benchmarks first, then matches, then how much one demands of a name."""
    # The letters that a pattern demands: of two that match all names the stricter says more.
    demanded = min(len(_FIELDS.sub("", shape.pattern)) for shape in known.scheme.shapes)
    return known.scheme.is_general, -known.matched, -demanded
