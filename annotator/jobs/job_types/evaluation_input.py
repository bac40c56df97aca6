"""The input of a question under its input variants: which media are sent, and which regions are blanked."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain

import msgspec

from annotator.domain.eval_settings import CANDIDATES, EvalSettings, ExclusionReason
from annotator.domain.input_variants import OneFrame, Regions, Variants, View, WrongImages
from annotator.domain.item import Item
from annotator.domain.medium import VIDEO_TYPES, Medium
from annotator.domain.record import ValueObject
from annotator.domain.region import Region
from annotator.domain.region_names import find_region_names
from annotator.domain.scene import Scene
from annotator.domain.task_set import Task
from annotator.errors import UserError
from annotator.media.render import RENDERINGS, Rendering
from annotator.queries.past_records import ReleasedRecords
from annotator.queries.reader import Reader

TRIES = 32
"""Scenes that are drawn for the images of another scene before all are tried in order."""


class ItemInput(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """What is sent of an item.

    Attributes:
        media: Ids of the media, in order.
        indices: Their places among the media of the item, whose labels they get.
        blanked: Ids of the regions that are filled with grey.
        variants: The variants by which frames are chosen and ordered; those of the run.
    """

    media: tuple[str, ...]
    indices: tuple[int, ...] = msgspec.field(name="places")
    blanked: tuple[str, ...] = ()
    variants: Variants = ()


def whole_input(item: Item) -> ItemInput:
    """Return the input that leaves nothing out."""
    return ItemInput(media=item.media, indices=tuple(range(len(item.media))))


def drawn_for(task: Task | None, settings: EvalSettings) -> Rendering:
    """Return what is drawn into the images of a task's items without input variants."""
    if settings.rendering:
        return settings.rendering
    return RENDERINGS.get(task.visual_input, "clean") if task else "clean"


def items_of(
    reader: Reader, settings: EvalSettings, *, records: ReleasedRecords | None = None
) -> Iterator[Item]:
    """Yield the items that lie in what was chosen, each once, in order of arrival or of the list.

    Args:
        reader: The project.
        settings: The choice.
        records: Items as they were released, None for the present ones.
    """
    if records is not None:
        yield from records.records(Item, list(dict.fromkeys(settings.items)))
        return
    if settings.items:
        yield from reader.records(Item, ids=list(dict.fromkeys(settings.items)))
        return
    yield from filter(settings.selects, reader.find(Item))


def _view_names(item: Item, scene: Scene | None) -> list[str]:
    """Return the names of the views that the media of an item are, "" for none."""
    names = {view.medium: view.name for view in scene.views} if scene else {}
    return [names.get(medium, "") for medium in item.media]


class InputSelector:
    """Chooses what is sent of each item of a run; what many items share is read once.

    Args:
        reader: The project.
        settings: Settings of the run.
        medium: Returns a medium by its id, None if it does not exist.
        items: Returns the items whose media can take the place of others.

    Raises:
        UserError: The images of a release cannot be sent in this way.
    """

    def __init__(
        self,
        reader: Reader,
        settings: EvalSettings,
        *,
        medium: Callable[[str], Medium | None],
        items: Callable[[], Iterable[Item]],
    ) -> None:
        self._reader, self._settings, self._medium, self._items = reader, settings, medium, items
        self._variants: Variants = settings.input.variants
        if settings.input.release_images and any(isinstance(one, Regions) for one in self._variants):
            raise UserError(
                "The regions are already drawn into the images of a release.",
                hint="Evaluate the present items for input without regions.",
            )

    def select(self, item: Item, task: Task | None) -> ItemInput | ExclusionReason:
        """Return what is sent of an item, or why the variants do not concern it.

        Args:
            item: The item as it is stored.
            task: Its task, None if unknown.
        """
        found: ItemInput | ExclusionReason = whole_input(item)
        for variant in self._variants:
            if isinstance(found, ExclusionReason):
                return found
            if isinstance(variant, View):
                found = self._view(found, variant, task)
            elif isinstance(variant, OneFrame):
                has_video = any(kind in VIDEO_TYPES for kind in self._kinds(found.media))
                found = found if has_video else ExclusionReason.NO_VIDEO
            elif isinstance(variant, Regions):
                found = self._regions(found, variant, item, task)
            elif isinstance(variant, WrongImages):
                found = self._wrong_images(found, item, draw=variant.draw)
        return found

    def _view(self, given: ItemInput, variant: View, task: Task | None) -> ItemInput | ExclusionReason:
        indices = variant.indices(len(given.media))
        # The images of these tasks are a query and its options, not views.
        if not indices or (task is not None and task.visual_input == CANDIDATES):
            return ExclusionReason.NO_VIEW
        return msgspec.structs.replace(
            given,
            media=tuple(given.media[index] for index in indices),
            indices=tuple(given.indices[index] for index in indices),
        )

    def _regions(
        self, given: ItemInput, variant: Regions, item: Item, task: Task | None
    ) -> ItemInput | ExclusionReason:
        if variant.hides_overlay:
            is_drawn = drawn_for(task, self._settings) != "clean"
            return given if is_drawn else ExclusionReason.NO_OVERLAY
        named = tuple(sorted(self._named_regions(item)))
        if not named:
            return ExclusionReason.NO_REGION
        return msgspec.structs.replace(given, blanked=named)

    def _named_regions(self, item: Item) -> set[str]:
        scene = self._reader.get(Scene, item.scene) if item.scene else None
        by_view: dict[int | None, Sequence[str]] = {view: [medium] for view, medium in enumerate(item.media)}
        own = scene.medium_of(item.view) if scene and item.view else None
        # Of a name without a view.
        otherwise = [own] if own else item.media
        found = set()
        for name in find_region_names(item.question, views=_view_names(item, scene), has_examples=True):
            for medium in by_view.get(name.view, otherwise):
                boxes = self._reader.find(Region, medium=medium, number=name.number)
                found |= {region.id for region in boxes}
        return found

    def _wrong_images(self, given: ItemInput, item: Item, *, draw: int) -> ItemInput | ExclusionReason:
        pool = self._pools.get(self._kinds(given.media), [])
        location, own = self._scene_name(item), {*item.media}
        # Not hash(), which differs from process to process.
        chance = random.Random(f"{self._settings.seed}:{item.id}")
        # Drawn: neighbours in the list may be frames of one flight. Then all, in case none of them fits.
        drawn = chance.sample(range(len(pool)), min(len(pool), TRIES))
        passed: set[str] = {location}
        for other, media in map(pool.__getitem__, chain(drawn, range(len(pool)))):
            if other not in passed and own.isdisjoint(media):
                if len(passed) == draw:
                    return msgspec.structs.replace(given, media=media)
                passed.add(other)
        return ExclusionReason.NO_OTHER_SCENE

    @cached_property
    def _pools(self) -> dict[tuple[str, ...], list[tuple[str, tuple[str, ...]]]]:
        """Scenes and media of all items by the kinds of the media, each once."""
        known = {(self._scene_name(item), item.media) for item in self._items() if item.media}
        pools: dict[tuple[str, ...], list[tuple[str, tuple[str, ...]]]] = {}
        for scene, media in sorted(known):
            pools.setdefault(self._kinds(media), []).append((scene, media))
        return pools

    def _kinds(self, media: Sequence[str]) -> tuple[str, ...]:
        known = (self._medium(medium) for medium in media)
        return tuple(medium.media_type if medium is not None else "" for medium in known)

    def _scene_name(self, item: Item) -> str:
        # Degraded images of a scene show the same place.
        scene = self._scenes.get(item.scene)
        return f"{scene[0]}/{scene[1]}" if scene else item.scene or " ".join(item.media)

    @cached_property
    def _scenes(self) -> dict[str, tuple[str, str]]:
        return {scene.id: (scene.dataset, scene.original_name) for scene in self._reader.find(Scene)}
