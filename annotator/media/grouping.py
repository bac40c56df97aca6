"""Files to scenes and views by their names: nothing is opened."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from annotator.media.listing import kind_by_name
from annotator.media.naming_schemes import NamingScheme
from annotator.media.scene_grouping import Grouping, MediaMatch, build_scenes, file_name
from annotator.media.time_grouping import Shot, named_moments

TOLERANCE_S = 0.5


def group(names: Iterable[str], scheme: NamingScheme | str, *, tolerance_s: float = TOLERANCE_S) -> Grouping:
    """Return the scenes and views that result from file names.

    Args:
        names: File names with "/" between folders, as ``list_media`` gives them.
        scheme: A preset, or the text of a pattern.
        tolerance_s: For a pattern with ``{time}`` and without ``{scene}``: maximum difference in seconds
            between images of different views of one scene.

    Raises:
        UserError: The text is not a valid pattern.
    """
    known = NamingScheme.of_pattern(scheme) if isinstance(scheme, str) else scheme
    claims: dict[str, MediaMatch] = {}
    unmatched = []
    for name in names:
        claim = known.match_media(name)
        if claim is None:
            unmatched.append(name)
        else:
            # All files of a frame folder are one medium.
            claims.setdefault(claim.name, claim)
    return build_scenes(_with_moments(list(claims.values()), tolerance_s=tolerance_s), unmatched=unmatched)


def group_individually(names: Iterable[str]) -> Grouping:
    """Return a grouping in which each file is a scene of its own, called like the file."""
    claims = [
        MediaMatch(name=name, scene=name.rpartition(".")[0] or name, kind=kind_by_name(name) or "image")
        for name in names
    ]
    short = {claim.scene: file_name(claim.scene) for claim in claims}
    is_told_apart = len(set(short.values())) == len(claims)
    if is_told_apart:
        claims = [msgspec.structs.replace(claim, scene=short[claim.scene]) for claim in claims]
    elif len(short) < len(claims):
        # a.jpg and a.png of one folder: only the endings tell them apart.
        claims = [msgspec.structs.replace(claim, scene=claim.name) for claim in claims]
    return build_scenes(claims)


def _with_moments(claims: list[MediaMatch], *, tolerance_s: float) -> list[MediaMatch]:
    """Return claims with the scenes of those that a time places."""
    timed = {claim.name: claim for claim in claims if claim.time_s is not None}
    if not timed:
        return claims
    shots = [
        # Views of two datasets are never of one moment's camera.
        Shot(name=claim.name, camera=f"{claim.dataset}/{claim.view}", time_s=claim.time_s or 0.0)
        for claim in timed.values()
    ]
    placed = [
        msgspec.structs.replace(timed[shot.name], scene=name)
        for name, moment in named_moments(shots, tolerance_s=tolerance_s)
        for shot in moment
    ]
    return [claim for claim in claims if claim.time_s is None] + placed
