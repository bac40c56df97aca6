"""Base class of the rules that ask about top-view maps."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from annotator.domain.item import LETTERS, Item, Option, Provenance
from annotator.domain.map_categories import FLOOR, WALL, map_categories
from annotator.domain.task_set import QuestionTemplate
from annotator.domain.topview_map import MapLimits, MapPart
from annotator.draft.item_names import item_name
from annotator.draft.map_view import MapView, map_views
from annotator.draft.rule import DraftRule
from annotator.draft.rule_result import DraftedItem, RuleResult, SkippedItem
from annotator.draft.rule_settings import RuleSettings, read_limits
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.seeded_random import SeededRandom

TOO_FEW = SkippedItem("too few wrong answers are certain")
SOME_UNKNOWN = SkippedItem("an object on the map has no category")
ROOM_UNKNOWN = SkippedItem("a room on the map has no kind")


@dataclass(frozen=True, kw_only=True)
class MapQuestion:
    """A question about a map, before its options have letters.

    Attributes:
        template: Id of the template.
        subject: What it asks about, unique among the questions of the template on the map.
        right: The right answer.
        wrong: Three wrong answers.
        slots: Values of the template's slots.
        evidence: Ids of the regions and of the path that the answer was computed from.
        named: Categories of objects that the question or its options name.
    """

    template: str
    subject: str
    right: str
    wrong: tuple[str, ...]
    slots: dict[str, str]
    evidence: tuple[str, ...]
    named: tuple[str, ...] = ()


MapResult = MapQuestion | SkippedItem


class MapRule(DraftRule):
    """A rule that asks about each map of a scene.

    Attributes:
        asks_about_paths: Whether it asks about the path drawn on a map; other rules pass over maps into
            whose image a path is drawn.
    """

    loads = frozenset({"media", "regions", "polylines"})
    asks_about_paths: ClassVar[bool] = False

    @abstractmethod
    def questions(self, view: MapView, *, draw: Callable[[str], SeededRandom]) -> Iterator[MapResult]:
        """Yield the questions about a map, and why there is none of some.

        Args:
            view: The map.
            draw: Returns the random numbers of the question about a subject.
        """

    def draft(self, facts: SceneFacts, *, order: RuleSettings) -> Iterator[RuleResult]:
        """Yield a result for each question about the maps of a scene."""
        letters = LetterDeck(facts, order=order)
        for view in map_views(facts, limits=read_limits(MapLimits, order.task_set)):
            if isinstance(view, SkippedItem):
                yield view
            elif self.asks_about_paths or not view.shows_path:
                yield from self._of_map(view, order=order, letters=letters)

    def _of_map(self, view: MapView, *, order: RuleSettings, letters: LetterDeck) -> Iterator[RuleResult]:
        templates = {template.id: template for template in order.task.templates}

        def draw(subject: str) -> SeededRandom:
            scene = view.scene
            parts = (scene.dataset, scene.name, view.view.name, subject)
            return SeededRandom(order.draw_seed, order.task_set.id, order.task.id, *parts)

        for result in self.questions(view, draw=draw):
            if isinstance(result, SkippedItem):
                yield result
            elif result.template not in templates:
                yield SkippedItem("the task has no template for the question")
            else:
                item = self._item(result, view, templates[result.template], order=order, letters=letters)
                yield DraftedItem(item=item, answer=result.right)

    def _item(
        self,
        asked: MapQuestion,
        view: MapView,
        template: QuestionTemplate,
        *,
        order: RuleSettings,
        letters: LetterDeck,
    ) -> Item:
        draw = SeededRandom(
            order.draw_seed, view.scene.dataset, view.scene.name, view.view.name, asked.subject, "options"
        )
        texts = draw.shuffled(asked.wrong)
        texts.insert(letters.next_index(len(texts) + 1), asked.right)
        about = "_".join(filter(None, (view.view.name, asked.template, asked.subject)))
        return Item(
            name=item_name(view.scene, task=order.task, view=about),
            task_set=order.task_set.id,
            task=order.task.id,
            question=f"{template.fill(asked.slots)}{colour_legend(view, named=asked.named)}",
            options=tuple(Option(letter=LETTERS[n], text=text) for n, text in enumerate(texts)),
            answer_format="option_letter",
            answer_key=LETTERS[texts.index(asked.right)],
            scene=view.scene.id,
            view=view.view.name,
            media=(view.medium.id,),
            provenance=Provenance(
                made_by="rule",
                maker=f"{self.id}@{self.version} {asked.template}",
                labels=asked.evidence,
                seed=order.seed,
                is_keyed=True,
            ),
        )


class LetterDeck:
    """Deals the places of right answers like cards: each place once before any comes again.

    Independent draws would balance the letters of a small set only on average.
    """

    def __init__(self, facts: SceneFacts, *, order: RuleSettings) -> None:
        scene = facts.scene
        parts = (order.task_set.id, order.task.id, scene.dataset, scene.name, "letters")
        self._draw = SeededRandom(order.draw_seed, *parts)
        self._left: list[int] = []

    def next_index(self, count: int) -> int:
        """Return the place of the next right answer among so many options."""
        self._left = [index for index in self._left if index < count] or self._draw.shuffled(range(count))
        return self._left.pop()


def colour_legend(view: MapView, *, named: Iterable[str]) -> str:
    """Return the colours of a semantic map as a sentence, "" for a realistic map.

    Source: TopViewRS gives the prompt the colours of the categories on the map. Those of the options are
    added: otherwise an object that has no colour in the sentence is known not to be there.

    Args:
        view: The map.
        named: Categories of objects that the question or its options name.
    """
    if view.colours is None:
        return ""
    present = {part.category for part in view.content.objects}
    ground = {FLOOR, WALL} & {*view.colours}
    colours = map_categories().colours({*present, *ground, *named}, known=view.colours)
    return f" Colours: {', '.join(f'{category} #{colour}' for category, colour in colours.items())}."


def unique_parts(parts: Iterable[MapPart], *, also: Iterable[str] = ()) -> list[MapPart]:
    """Return the parts whose category no other one has: only they can be asked for by it.

    Args:
        parts: Rooms or objects.
        also: Categories of further parts, which are not asked about.
    """
    known = list(parts)
    counts = Counter([part.category for part in known] + list(also))
    return [part for part in known if counts[part.category] == 1]
