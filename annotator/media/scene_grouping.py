"""Scenes and views as a grouping tells them, before anything of them is in a project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from annotator.domain.medium import MediaType
from annotator.domain.record import ValueObject


class MediaMatch(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """The assignment of one file to a view of a scene.

    Attributes:
        name: Listed name of the file or frame folder, "/" between folders.
        scene: Name of the scene.
        view: Name of the view, "" if unknown.
        dataset: Dataset, "" for that of the import.
        medium: Name of the medium, "" for the file name.
        kind: Media type according to the name.
        time_s: Capture time if scenes are formed by time, seconds since 1970.
        licence: Licence of this file, "" for that of the import.
        source: Origin of this file, "" for that of the import.
    """

    name: str
    scene: str
    view: str = ""
    dataset: str = ""
    medium: str = ""
    kind: MediaType = "image"
    time_s: float | None = None
    licence: str = ""
    source: str = ""


class SceneMember(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """One view of a grouped scene; the fields are those of the claim, ``medium`` is unique in the dataset."""

    view: str
    name: str
    medium: str
    kind: MediaType = "image"
    licence: str = ""
    source: str = ""


class GroupedScene(ValueObject, frozen=True, kw_only=True):
    """A scene to be: its name, its collection ("" for that of the import), one member per view."""

    name: str
    dataset: str
    members: tuple[SceneMember, ...]


class Conflict(ValueObject, frozen=True, kw_only=True):
    """Several files that claim the same view of the same scene; the first of them is taken."""

    scene: str
    view: str
    names: tuple[str, ...]


class Grouping(ValueObject, frozen=True, kw_only=True):
    """The grouping of a list of names.

    Attributes:
        scenes: Scenes in order of their first file.
        unmatched: Names without a scene.
        clashes: Names that are assigned to the same view of a scene.
        remarks: Notes for the user before the import.
    """

    scenes: tuple[GroupedScene, ...] = ()
    unmatched: tuple[str, ...] = ()
    clashes: tuple[Conflict, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def scenes_by_views(self) -> dict[int, int]:
        """Number of scenes per number of views, most views first: {2: 195, 1: 7}."""
        return dict(sorted(Counter(len(scene.members) for scene in self.scenes).items(), reverse=True))

    @property
    def files(self) -> int:
        """Number of files, or frame folders, that belong to a scene."""
        return sum(len(scene.members) for scene in self.scenes)


def build_scenes(
    claims: Iterable[MediaMatch], *, unmatched: Iterable[str] = (), remarks: Iterable[str] = ()
) -> Grouping:
    """Return the scenes that claims make: one member per view, what clashes told apart from it."""
    scenes: dict[tuple[str, str], dict[str, list[MediaMatch]]] = {}
    for claim in claims:
        scenes.setdefault((claim.dataset, claim.scene), {}).setdefault(claim.view, []).append(claim)
    clashes = tuple(
        Conflict(scene=scene, view=view, names=tuple(claim.name for claim in several))
        for (_, scene), views in scenes.items()
        for view, several in views.items()
        if len(several) > 1
    )
    # By name of the view, not by order of arrival: scenes of one import list their views alike.
    taken = {key: [views[view][0] for view in sorted(views)] for key, views in scenes.items()}
    names = _medium_names(taken.values())
    return Grouping(
        scenes=tuple(
            GroupedScene(
                name=scene, dataset=dataset, members=tuple(_member(c, names[c.name]) for c in chosen)
            )
            for (dataset, scene), chosen in taken.items()
        ),
        unmatched=tuple(unmatched),
        clashes=clashes,
        remarks=tuple(remarks),
    )


def file_name(name: str) -> str:
    """Return the last part of a listed name."""
    return name.rpartition("/")[2]


def _medium_names(scenes: Iterable[list[MediaMatch]]) -> dict[str, str]:
    """Return a name per file that no other of its dataset has: its whole path where short ones are shared."""
    claims = [claim for chosen in scenes for claim in chosen]
    short = {claim.name: claim.medium or file_name(claim.name) for claim in claims}
    shared = Counter((claim.dataset, short[claim.name]) for claim in claims)
    return {
        claim.name: claim.name if shared[claim.dataset, short[claim.name]] > 1 else short[claim.name]
        for claim in claims
    }


def _member(claim: MediaMatch, medium: str) -> SceneMember:
    return SceneMember(
        view=claim.view,
        name=claim.name,
        medium=medium,
        kind=claim.kind,
        licence=claim.licence,
        source=claim.source,
    )
