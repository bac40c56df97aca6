"""The command that makes degraded images, and scenes in which they take the place of the clean ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import PreparedCommand
from annotator.domain.event import CREATED, Edit
from annotator.domain.event_label import EventLabel
from annotator.domain.image_recipe import ImageRecipe
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.scene import DERIVED_FROM, Scene, SceneView
from annotator.edits.derived_labels import copy_labels, copy_links, copy_regions
from annotator.errors import UserError
from annotator.media.content_hash import content_digest
from annotator.media.degraded_images import degrade
from annotator.media.image_decoder import decode_image
from annotator.media.media_roots import MediaRoots
from annotator.media.staged_files import StagedFiles
from annotator.media.video.export import save_picture
from annotator.progress import Progress
from annotator.queries.derived_targets import DerivedScene
from annotator.queries.reader import Reader

FOLDER = "derived"
"""Folder of derived images below the project's media folder."""


@dataclass(kw_only=True)
class DerivedImageReport:
    """The result of a command.

    Attributes:
        images: Names of the images that were made.
        known: Number of images that the project has already, by the same recipe from the same image.
        scenes: Names of the scenes that were made.
    """

    images: list[str] = field(default_factory=list)
    known: int = 0
    scenes: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class _WrittenImage:
    """An image on the disk under a temporary name."""

    file: Path
    size_px: tuple[int, int]
    sha256: str


@dataclass(kw_only=True)
class DeriveImages(PreparedCommand):
    """Make degraded images, and a scene for each given one in which they replace the clean images.

    Event labels, regions and links are not shared between a clean and a degraded image. On request they are
    copied; copied answers are marked until somebody confirms them. An image that was made before from the
    same image by the same recipe is used again, and a scene that shows the same images is not made twice;
    they get the copies where they have no regions, paths, links or labels yet.

    Attributes:
        scenes: The scenes.
        media: Ids of images that are degraded without a scene.
        recipe: How.
        roots: The media folders of the project on this machine.
        with_labels: Whether event labels are copied.
        with_regions: Whether regions, paths and links are copied.
        report: The result, set by ``plan``.
    """

    recipe: ImageRecipe
    roots: MediaRoots
    scenes: tuple[DerivedScene, ...] = ()
    media: tuple[str, ...] = ()
    with_labels: bool = False
    with_regions: bool = False
    report: DerivedImageReport = field(default_factory=DerivedImageReport, init=False, compare=False)
    _written: dict[str, _WrittenImage] = field(default_factory=dict, init=False, repr=False, compare=False)
    _files: StagedFiles = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Nothing is written before ``prepare`` has checked where the folder leads.
        self._files = StagedFiles(self.roots.own / FOLDER)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("derive_images", count=len(self._sources), name=self.recipe.label)

    @property
    def details(self) -> dict[str, Any]:
        """The recipe."""
        return {"recipe": msgspec.to_builtins(self.recipe)}

    def prepare(self, reader: Reader, *, progress: Progress) -> None:
        """Write the images under temporary names.

        Raises:
            UserError: The recipe is invalid, a medium is no image, its file is missing or damaged, or the
                folder is a link that leads out of the project.
            EnvironmentFailure: The disk failed; nothing is left of the images.
            Cancelled: The user cancelled; nothing is left of the images.
        """
        self.discard()
        self._files = StagedFiles(self.roots.folder_to_write(FOLDER))
        self.recipe.require_valid()
        if not self._sources:
            raise UserError("No images are selected.", hint="Select images, or scenes with images.")
        progress.begin(self.summary, total=len(self._sources))
        for source in self._sources:
            medium = reader.require(Medium, source)
            if medium.media_type != "image":
                raise UserError(f"{medium.name} is not an image.", hint="Videos and maps are not degraded.")
            if self._known(reader, source) is None:
                self._written[source] = self._write(medium, progress=progress)
            progress.step()

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield images, scenes and copies, and give the files their names at last.

        Raises:
            UserError: A scene or an image was removed meanwhile.
            EnvironmentFailure: The disk failed.
        """
        progress.raise_if_cancelled()
        self.report = DerivedImageReport()
        made: dict[str, Medium] = {}
        copies: dict[str, str] = {}
        for source in self._sources:
            known = self._known(reader, source)
            if known is not None:
                self.report.known += 1
            medium = known or self._medium(reader.require(Medium, source), reader, taken=made)
            made[source] = medium
            if known is None:
                self.report.images.append(medium.name)
                yield Edit(entity="medium", entity_id=medium.id, field=CREATED, value=medium)
            if self.with_regions:
                yield from copy_regions(reader, source=source, target=medium.id, copies=copies)
        for wanted in self.scenes:
            scene = reader.require(Scene, wanted.scene)
            replaced = {source: made[source].id for source in wanted.media}
            derived = _scene_showing(scene, replaced, reader)
            if derived is None:
                derived = self._scene(scene, wanted, replaced, reader)
                yield Edit(entity="scene", entity_id=derived.id, field=CREATED, value=derived)
            yield from self._copies(scene, derived, replaced, copies, reader)
        # Last: if anything above fails, no file has got its final name.
        self._files.publish()

    def discard(self) -> None:
        """Delete the files that have not got their final names."""
        self._written.clear()
        self._files.discard()

    @property
    def _sources(self) -> tuple[str, ...]:
        of_scenes = (medium for wanted in self.scenes for medium in wanted.media)
        return tuple(dict.fromkeys((*of_scenes, *self.media)))

    def _known(self, reader: Reader, source: str) -> Medium | None:
        derived = reader.find(Medium, derived_from=source)
        return next((medium for medium in derived if medium.recipe == self.recipe), None)

    def _write(self, medium: Medium, *, progress: Progress) -> _WrittenImage:
        picture = decode_image(self.roots.require_file(medium.path or medium.name, name=medium.name))
        made = degrade(picture, self.recipe, content=source_content(medium), progress=progress)
        file = self._files.new(".png")
        save_picture(made, path=file)
        return _WrittenImage(
            file=file, size_px=(made.shape[1], made.shape[0]), sha256=content_digest(file, progress=progress)
        )

    def _medium(self, source: Medium, reader: Reader, *, taken: Mapping[str, Medium]) -> Medium:
        written = self._written.get(source.id)
        if written is None:
            raise UserError(
                f"The derived image of {source.name} was removed meanwhile.", hint="Make the images again."
            )
        name = _free_medium_name(source, self.recipe, reader, taken=taken)
        file = self._files.name(written.file, stem=Path(name).stem)
        return Medium(
            id=new_id(),
            name=name,
            dataset=source.dataset,
            path=f"{FOLDER}/{file.name}",
            sha256=written.sha256,
            size_bytes=written.file.stat().st_size,
            width_px=written.size_px[0],
            height_px=written.size_px[1],
            licence=source.licence,
            encoding="PNG",
            captured_at=source.captured_at,
            latitude_deg=source.latitude_deg,
            longitude_deg=source.longitude_deg,
            altitude_m=source.altitude_m,
            footage=source.footage,
            derived_from=source.id,
            recipe=self.recipe,
        )

    def _scene(
        self, scene: Scene, wanted: DerivedScene, replaced: Mapping[str, str], reader: Reader
    ) -> Scene:
        views = tuple(_replaced(view, replaced) for view in scene.views)
        name = _free_scene_name(scene, wanted, self.recipe, reader, taken=self.report.scenes)
        self.report.scenes.append(name)
        facts = {**scene.metadata, DERIVED_FROM: scene.original_name}
        return Scene(id=new_id(), name=name, dataset=scene.dataset, views=views, metadata=facts)

    def _copies(
        self,
        scene: Scene,
        derived: Scene,
        replaced: Mapping[str, str],
        copies: Mapping[str, str],
        reader: Reader,
    ) -> Iterator[Edit]:
        # A scene of an earlier command keeps the links and labels that it has.
        if self.with_regions and not any(reader.find(Link, scene=derived.id)):
            yield from copy_links(reader, source=scene, target=derived, media=replaced, copies=copies)
        if self.with_labels and not any(reader.find(EventLabel, scene=derived.id)):
            yield from copy_labels(reader, source=scene, target=derived, media=replaced)


def source_content(medium: Medium) -> str:
    """Return what identifies the content of a source for the draws of a recipe."""
    # A file that was added without reading it has no digest.
    return medium.sha256 or medium.name


def _replaced(view: SceneView, media: Mapping[str, str]) -> SceneView:
    return msgspec.structs.replace(view, medium=media.get(view.medium, view.medium))


def _scene_showing(scene: Scene, replaced: Mapping[str, str], reader: Reader) -> Scene | None:
    """Return the scene that shows the derived images already, None if there is none."""
    views = tuple(_replaced(view, replaced) for view in scene.views)
    return next((other for other in _scenes_showing(reader, replaced) if _shows(other, views)), None)


def _scenes_showing(reader: Reader, replaced: Mapping[str, str]) -> Iterator[Scene]:
    for medium in replaced.values():
        yield from (reader.require(Scene, scene) for scene in reader.scenes.showing(medium))


def _shows(scene: Scene, views: tuple[SceneView, ...]) -> bool:
    return {(view.name, view.medium) for view in scene.views} == {(view.name, view.medium) for view in views}


def _free_medium_name(
    source: Medium, recipe: ImageRecipe, reader: Reader, *, taken: Mapping[str, Medium]
) -> str:
    """Return a name as the published ones: ``23-00000001-UAV1-noise.png``."""
    used = {(medium.dataset, medium.name) for medium in taken.values()}
    base = Path(source.name).with_suffix("").as_posix()
    number = 1
    while True:
        name = f"{base}-{recipe.label}{f'-{number}' if number > 1 else ''}.png"
        is_known = any(one.dataset == source.dataset for one in reader.find(Medium, name=name))
        if not is_known and (source.dataset, name) not in used:
            return name
        number += 1


def _free_scene_name(
    scene: Scene, wanted: DerivedScene, recipe: ImageRecipe, reader: Reader, *, taken: list[str]
) -> str:
    """Return the scene's name with recipe and replaced views: ``0001 (noise UAV1)``."""
    names = [view.name for view in scene.views if view.medium in wanted.media]
    which = "" if len(names) == len(scene.views) else f" {', '.join(filter(None, names))}".rstrip()
    number = 1
    while True:
        name = f"{scene.name} ({recipe.label}{which}{f' {number}' if number > 1 else ''})"
        is_known = any(one.dataset == scene.dataset for one in reader.find(Scene, name=name))
        if not is_known and name not in taken:
            return name
        number += 1
