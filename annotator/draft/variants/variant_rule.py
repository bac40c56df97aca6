"""What the rules of variants share: settings, input, results and the base class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from annotator.domain.answers import AnswerContext
from annotator.domain.item import Item, Provenance, VariantKind
from annotator.domain.item_variants import link_to
from annotator.domain.predictable_letters import has_predictable_letter
from annotator.domain.record import Record
from annotator.draft.rule_result import SkippedItem
from annotator.draft.seeded_random import SeededRandom, keyed_seed
from annotator.media.media_roots import MediaRoots
from annotator.progress import Progress
from annotator.queries.reader import Reader

USUAL_OPTIONS = 4
VERSION = 2
"""Version of the rules, part of the provenance of what they make."""
SOURCE_IDS = frozenset({"index", "Question_id", "question_id", "id", "conversations"})
"""Additional fields that name one record of an imported file, which a variant is not."""


@dataclass(frozen=True, kw_only=True)
class VariantSettings:
    """How variants are made.

    Attributes:
        kind: Kind of the variants.
        seed: Seed of all draws.
        options: Number of options of a multiple-choice variant.
        originals: Folder with larger images below the media folder, "" for none.
    """

    kind: VariantKind
    seed: int = 0
    options: int = USUAL_OPTIONS
    originals: str = ""


class LetterDeck:
    """Deals the places of right options: for the items of a scene, each place once before any comes again.

    The items of a scene are in the same split of a release. With a deck for several scenes, the letters that
    are published would tell which ones are left for the hidden answer keys.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._decks: dict[tuple[str, str, str, int], tuple[SeededRandom, list[int]]] = {}

    def next_index(self, item: Item, *, count: int) -> int:
        """Return the place of the right option of the next item of a task."""
        group = (item.task_set, item.task, item.scene or item.name, count)
        if group not in self._decks:
            # With its name: of items made one at a time, each would be the first and have the same letter.
            self._decks[group] = (SeededRandom(self._seed, "variant letters", *group, item.name), [])
        draw, left = self._decks[group]
        if not left:
            left += draw.shuffled(range(count))
        return left.pop()


@dataclass(frozen=True, kw_only=True)
class VariantInput:
    """What rules read.

    Attributes:
        reader: The project.
        settings: How variants are made.
        answer_context: Returns what the answers of an item can refer to.
        roots: Media folders of the project, None where no files are looked for.
        progress: Checked for cancel while files are read.
        letters: Deals the letters of answer keys.
        draw_seed: Seed of all draws, which cannot be computed without the project.
    """

    reader: Reader
    settings: VariantSettings
    answer_context: Callable[[Item], AnswerContext]
    roots: MediaRoots | None = None
    progress: Progress = field(default_factory=Progress)
    letters: LetterDeck = field(init=False)
    draw_seed: str = field(init=False)

    def __post_init__(self) -> None:
        seed = keyed_seed(self.settings.seed, project=self.reader.project.id)
        object.__setattr__(self, "draw_seed", seed)
        object.__setattr__(self, "letters", LetterDeck(seed))


@dataclass(frozen=True, kw_only=True)
class MadeVariant:
    """A new variant.

    Attributes:
        item: The variant, without id and public id.
        name: Public id if it is free, "" for that of the source with the suffix of the kind.
        records: New media, regions and paths that it refers to.
        is_short: Whether it has fewer options than wanted.
    """

    item: Item
    name: str = ""
    records: tuple[Record, ...] = ()
    is_short: bool = False


@dataclass(frozen=True, kw_only=True)
class KnownVariant:
    """Two items of the project that are variants of each other.

    Attributes:
        source: The one that counts as source.
        variant: The other one.
    """

    source: Item
    variant: Item


VariantResult = MadeVariant | KnownVariant | SkippedItem


class VariantRule(ABC):
    """A rule that makes one kind of variants.

    Attributes:
        kind: The kind.
        title: What it makes, in words.
    """

    kind: ClassVar[VariantKind]
    title: ClassVar[str]

    def __init__(self, material: VariantInput) -> None:
        self.material = material

    @abstractmethod
    def variant(self, source: Item, /) -> VariantResult:
        """Return the variant of an item, or why there is none.

        Raises:
            EnvironmentFailure: A media file cannot be read.
            Cancelled: The user cancelled.
        """

    def _source(self, item_id: str) -> Item | None:
        return self.material.reader.get(Item, item_id)

    def copy_of(self, source: Item) -> Item:
        """Return a draft that asks what its source asks, linked to it, without id and public id."""
        origin = source.provenance
        return Item(
            id="",
            name="",
            task_set=source.task_set,
            task=source.task,
            question=source.question,
            options=source.options,
            answer_format=source.answer_format,
            answer_key=source.answer_key,
            scene=source.scene,
            view=source.view,
            media=source.media,
            provenance=Provenance(
                made_by="rule",
                maker=f"variant.{self.kind}@{VERSION}",
                # The licence of the source's file holds for its variants too.
                source=origin.source,
                labels=origin.labels,
                subject=origin.subject,
                seed=self.material.settings.seed,
                wording=origin.wording,
                is_keyed=not has_predictable_letter(source, source=self._source),
            ),
            variant=link_to(source, self.kind),
            extras={name: value for name, value in source.extras.items() if name not in SOURCE_IDS},
        )
