"""Where found records belong in a project: their media and scenes, found again or made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

import msgspec

from annotator.domain.event import CREATED, Edit
from annotator.domain.flag import Flag
from annotator.domain.medium import Medium
from annotator.domain.record import ANY, new_id
from annotator.domain.region import Region
from annotator.domain.scene import Scene, SceneView
from annotator.importers.imported_record import ImportedFlag, ImportedMedium, ImportedScene
from annotator.importers.named_media import NamedMedia
from annotator.queries.reader import Reader


class MediaResolver:
    """Media and scenes by dataset and name, in the project and in what an import adds to it.

    Edits that make or mend them collect in ``take_edits``; they come before what refers to them.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._media: dict[tuple[str, str], Medium] = {}
        self._scenes: dict[tuple[str, str], Scene] = {}
        self._last_found: dict[tuple[str, str], ImportedScene] = {}
        self._shown: dict[str, list[Scene]] = {}
        self._edits: list[Edit] = []
        self._reported: set[tuple[str, str, str]] = set()
        self._facts: dict[str, dict[str, Any]] = {}
        # An empty project needs no look-up per record.
        self._has_media = next(reader.find(Medium), None) is not None
        self._has_scenes = next(reader.find(Scene), None) is not None
        self._named = NamedMedia(reader)
        self.new_media: set[str] = set()

    def take_edits(self) -> Iterator[Edit]:
        """Yield the edits collected so far, each once."""
        edits, self._edits = self._edits, []
        yield from edits

    def medium(self, found: ImportedMedium, *, dataset: str) -> str:
        """Return the id of a medium; one that is not there is made, a better path is kept."""
        key = dataset, found.name
        medium = self._media.get(key) or self._stored_medium(found, dataset=dataset)
        if medium is None:
            medium = Medium(
                id=new_id(), name=found.name, dataset=dataset, media_type=found.kind, path=found.path
            )
            self.new_media.add(medium.id)
            self._edits.append(Edit(entity="medium", entity_id=medium.id, field=CREATED, value=medium))
        # Label files know bare names; question files tell the folders.
        elif not medium.source and _is_more_specific(found.path, than=medium.path):
            medium = msgspec.structs.replace(medium, path=found.path)
            self._edits.append(Edit(entity="medium", entity_id=medium.id, field="path", value=found.path))
        self._media[key] = medium
        return medium.id

    def scene(self, found: ImportedScene, *, dataset: str) -> str:
        """Return the id of a scene, or of one that shows all of its media; views that it lacks are added."""
        key = dataset, found.name
        # Readers give all records of a scene the same object: nothing new can be in it.
        # Identity, since comparing the views of each record would cost more than it saves.
        if self._last_found.get(key) is found:
            return self._scenes[key].id
        self._last_found[key] = found
        views = tuple(
            SceneView(name=medium.view, medium=self.medium(medium, dataset=dataset)) for medium in found.views
        )
        # By name first: two scenes of a dataset may show the same medium.
        scene = self._scenes.get(key) or self._stored_scene(*key) or self._scene_showing(views)
        if scene is None:
            scene = Scene(id=new_id(), name=found.name, dataset=dataset, views=views)
            self._edits.append(Edit(entity="scene", entity_id=scene.id, field=CREATED, value=scene))
        elif scene.name == found.name and scene.views != views:
            scene = self._with_views(scene, views)
        self._remember(key, scene)
        return scene.id

    def size_of(self, dataset: str, name: str) -> tuple[int, int] | None:
        """Return width and height in pixels of a medium, None where the project does not know them."""
        found = ImportedMedium(name=name)
        medium = self._media.get((dataset, name)) or self._stored_medium(found, dataset=dataset)
        return (medium.width_px, medium.height_px) if medium and medium.width_px else None

    def regions(self) -> Iterator[tuple[Region, str]]:
        """Yield the regions that the project has, each with the path, or name, of its medium."""
        names = {medium.id: medium.path or medium.name for medium in self._reader.records(Medium)}
        for region in self._reader.find(Region, is_proposed=ANY):
            if region.medium in names:
                yield region, names[region.medium]

    def scene_showing(self, medium: str) -> str:
        """Return the id of the scene that shows a medium, "" where none does or several do."""
        scenes = {scene.id for scene in self._showing(medium)}
        return scenes.pop() if len(scenes) == 1 else ""

    def add_facts(self, scene: str, *, facts: Mapping[str, Any]) -> tuple[bool, list[ImportedFlag]]:
        """Add a source's metadata to a scene; values that the scene already has are kept.

        Returns:
            Whether a value was added, and flags for values that differ.
        """
        known = self._facts.get(scene)
        if known is None:
            stored = self._reader.get(Scene, scene)
            known = stored.metadata if stored is not None else {}
        # What stood first wins; the other value is told in a flag.
        merged = {**facts, **known}
        self._facts[scene] = merged
        is_new = merged.keys() != known.keys()
        if is_new:
            self._write_facts(scene, merged)
        differing = [name for name, value in facts.items() if merged[name] != value]
        return is_new, [_fact_differs(name, kept=merged[name], other=facts[name]) for name in differing]

    def _write_facts(self, scene: str, facts: dict[str, Any]) -> None:
        # A scene that waits to be made is made with its facts. The store writes what is made in batches and
        # ends one at each change: a list of videos, made and changed in turn, took three times as long.
        for number, edit in enumerate(self._edits):
            if edit.entity_id == scene and edit.field == CREATED:
                made = msgspec.structs.replace(edit.value, metadata=facts)
                self._edits[number] = msgspec.structs.replace(edit, value=made)
                return
        self._edits.append(Edit(entity="scene", entity_id=scene, field="metadata", value=facts))

    def views_of(self, dataset: str, scene: str) -> Set[str]:
        """Return the names of the views that the project has for a scene."""
        stored = self._scenes.get((dataset, scene)) or self._stored_scene(dataset, scene)
        return frozenset() if stored is None else frozenset(view.name for view in stored.views)

    def _scene_showing(self, views: tuple[SceneView, ...]) -> Scene | None:
        """Return a scene that shows all of these media: who asks about one view of it asks about it."""
        wanted = {view.medium for view in views}
        for scene in self._showing(views[0].medium) if views else ():
            if wanted <= {view.medium for view in scene.views}:
                return scene
        return None

    def _showing(self, medium: str) -> Iterator[Scene]:
        yield from self._shown.get(medium, ())
        if self._has_scenes and medium not in self.new_media:
            stored = self._reader.records(Scene, ids=self._reader.scenes.showing(medium))
            yield from (scene for scene in stored)

    def _remember(self, key: tuple[str, str], scene: Scene) -> None:
        self._scenes[key] = scene
        for view in scene.views:
            shown = self._shown.setdefault(view.medium, [])
            # Replaced and not added: a scene that got more views is the same scene.
            shown[:] = [other for other in shown if other.id != scene.id] + [scene]

    def _with_views(self, scene: Scene, views: tuple[SceneView, ...]) -> Scene:
        known = {view.name: view for view in scene.views}
        for view in views:
            # What people may have worked with stays; the newcomer is for a reviewer.
            if known.setdefault(view.name, view).medium != view.medium:
                self._flag_conflict(scene, view)
        merged = tuple(known[name] for name in sorted(known))
        if len(merged) == len(scene.views):
            return scene
        self._edits.append(Edit(entity="scene", entity_id=scene.id, field="views", value=merged))
        return msgspec.structs.replace(scene, views=merged)

    def _flag_conflict(self, scene: Scene, view: SceneView) -> None:
        if (scene.id, view.name, view.medium) in self._reported:
            return
        self._reported.add((scene.id, view.name, view.medium))
        flag = view_conflict(scene, view)
        self._edits.append(Edit(entity="flag", entity_id=flag.id, field=CREATED, value=flag))

    def _stored_medium(self, found: ImportedMedium, *, dataset: str) -> Medium | None:
        if not self._has_media:
            return None
        stored = next(self._reader.find(Medium, name=found.name, dataset=dataset), None)
        if stored is not None:
            return stored
        return self._named.find(found.path or found.name, dataset=dataset)

    def _stored_scene(self, dataset: str, name: str) -> Scene | None:
        if not self._has_scenes:
            return None
        return next(self._reader.find(Scene, name=name, dataset=dataset), None)


def view_conflict(scene: Scene, view: SceneView) -> Flag:
    """Return the flag of a scene whose view another medium claims to be."""
    return Flag(
        id=new_id(),
        entity="scene",
        target=scene.id,
        kind="view_medium_differs",
        field="views",
        message=f"Another image is already {view.name or 'the view'} of '{scene.name}'.",
        evidence={"view": view.name, "kept": scene.medium_of(view.name), "other": view.medium},
    )


def _is_more_specific(path: str, *, than: str) -> bool:
    return bool(path) and (not than or path.count("/") > than.count("/"))


def _fact_differs(name: str, *, kept: object, other: object) -> ImportedFlag:
    message = f"Two sources have different values for {name}."
    evidence = {"fact": name, "kept": kept, "other": other}
    return ImportedFlag(kind="fact_differs", field="metadata", message=message, evidence=evidence)
