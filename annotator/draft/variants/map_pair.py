"""Semantic and realistic map pairs: the same question about the other kind of map of the same place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from annotator.domain.item import Item
from annotator.domain.map_categories import map_categories, read_colours
from annotator.domain.medium import Medium
from annotator.domain.scene import Scene, SceneView
from annotator.domain.task_set import plain_name
from annotator.draft.map_rule import colour_legend
from annotator.draft.map_view import COLOURS, map_views, project_limits
from annotator.draft.rule_result import SkippedItem
from annotator.draft.scene_reader import read_scene
from annotator.draft.variants.variant_rule import KnownVariant, MadeVariant, VariantResult, VariantRule

REALISTIC, SEMANTIC = "realistic", "semantic"
COMPARED_ITEMS = 2000
"""Items of a scene among which the other half of a pair is looked for."""
_KIND = re.compile(rf"{REALISTIC}|{SEMANTIC}", re.IGNORECASE)
_LEGEND = re.compile(r"\s*Colours: [^\n]*#[0-9a-fA-F]{6}\.\s*$")
NO_MAP = SkippedItem("the item does not show one realistic or semantic map of a scene")
NO_OTHER = SkippedItem("the scene has no map of the other kind of the same size")
NO_COLOURS = SkippedItem("the colours of the semantic map are unknown")


class MapPairRule(VariantRule):
    """Pairs items over realistic and semantic maps, of which the realistic one is the source.

    Source: TopViewRS asks the same questions about both kinds of maps; for a semantic map, the prompt gives
    the colours of the categories.
    """

    kind = "map"
    title = "version over the other kind of map"

    def variant(self, source: Item, /) -> VariantResult:
        """Return the item over the other map, or the item of the project that asks the same there."""
        shown = self._shown_map(source)
        if shown is None:
            return NO_MAP
        scene, own = shown
        view = self._other_view(scene, source, own)
        if view is None:
            return NO_OTHER
        is_realistic = kind_of(source.view, own) == REALISTIC
        partner = self._partner(source, view.medium)
        if partner is not None:
            pair = (source, partner) if is_realistic else (partner, source)
            return KnownVariant(source=pair[0], variant=pair[1])
        legend = self._legend(scene, view, source) if is_realistic else ""
        if legend is None:
            return NO_COLOURS
        item = msgspec.structs.replace(
            self.copy_of(source),
            question=f"{without_legend(source.question)}{legend}",
            view=view.name,
            media=(view.medium,),
        )
        swapped = _swap(source.name)
        return MadeVariant(item=item, name=swapped if swapped != source.name else "")

    def _shown_map(self, source: Item) -> tuple[Scene, Medium] | None:
        """Return the only map that an item shows, with its scene; None where it shows none or several."""
        reader = self.material.reader
        scene = reader.get(Scene, source.scene) if source.scene else None
        own = reader.get(Medium, source.media[0]) if len(source.media) == 1 else None
        return None if scene is None or own is None or not kind_of(source.view, own) else (scene, own)

    def _other_view(self, scene: Scene, source: Item, own: Medium) -> SceneView | None:
        """Return the view of the other map: by its name, by that of its file, or the only one of the size."""
        others = list(self._other_maps(scene, own, kind=kind_of(source.view, own)))
        by_file = [view for view, medium in others if medium.name == _swap(own.name)]
        by_name = [view for view, _ in others if source.view and view.name == _swap(source.view)]
        found = by_file or by_name or [view for view, _ in others]
        return found[0] if len(found) == 1 else None

    def _other_maps(self, scene: Scene, own: Medium, *, kind: str) -> Iterator[tuple[SceneView, Medium]]:
        """Yield the views of maps of the same size that are not of a kind."""
        for view in scene.views:
            medium = self.material.reader.get(Medium, view.medium)
            if medium is None or kind_of(view.name, medium) in ("", kind):
                continue
            if (medium.width_px, medium.height_px) == (own.width_px, own.height_px):
                yield view, medium

    def _partner(self, source: Item, medium: str) -> Item | None:
        """Return the item that asks the same about the other map with the same right answer."""
        asked = _asked(source)
        for other in self._items_of(source):
            is_free = other.variant is None or other.variant.source == source.id
            if other.media == (medium,) and is_free and _asked(other) == asked:
                return other
        return None

    def _items_of(self, source: Item) -> Iterator[Item]:
        yield from self.material.reader.similar.items_of_scene(source.scene, limit=COMPARED_ITEMS)

    def _legend(self, scene: Scene, view: SceneView, source: Item) -> str | None:
        """Return the colours that the prompt of a semantic map gives, None where they are unknown.

        Items without them are found over published semantic maps; such a map has no legend here either.
        """
        facts = read_scene(self.material.reader, scene, kinds={"media", "regions", "polylines"})
        for found in map_views(facts, limits=project_limits(self.material.reader)):
            if not isinstance(found, SkippedItem) and found.view.name == view.name:
                known = read_colours(scene.metadata.get(COLOURS))
                return colour_legend(found, named=_named(source, known=known))
        has_legends = any(
            other.media == (view.medium,) and _LEGEND.search(other.question)
            for other in self._items_of(source)
        )
        return None if has_legends else ""


def kind_of(view: str, medium: Medium) -> str:
    """Return ``realistic`` or ``semantic`` by the name of the view or of the map, "" for neither."""
    found = _KIND.match(view) or _KIND.search(medium.name.rpartition("/")[2]) or _KIND.search(medium.path)
    return found.group().lower() if found else ""


def without_legend(question: str) -> str:
    """Return a question about a semantic map without the sentence that gives its colours."""
    return _LEGEND.sub("", question)


def _asked(item: Item) -> tuple[str, str, str]:
    texts = {option.letter: option.text for option in item.options}
    return item.task, without_legend(item.question), texts.get(item.answer_key, item.answer_key)


def _named(item: Item, *, known: Iterable[str]) -> tuple[str, ...]:
    """Return the categories that the options name: one without a colour is known not to be on the map."""
    categories = {plain_name(name) for name in (*known, *map_categories().objects)}
    return tuple(option.text for option in item.options if plain_name(option.text) in categories)


def _swap(name: str) -> str:
    """Return a name with the other kind of map in it."""

    def other(found: re.Match[str]) -> str:
        return SEMANTIC if found.group().lower() == REALISTIC else REALISTIC

    return _KIND.sub(other, name)
