"""How items are put to models: which ones, in which orders of their options, under which settings."""

from __future__ import annotations

import hashlib
import math
import random
from enum import StrEnum
from typing import Any, Literal

import msgspec

from annotator.domain import answers
from annotator.domain.input_variants import Variants
from annotator.domain.item import Item, Option
from annotator.domain.profile import VisualSettings
from annotator.domain.query import selects_task
from annotator.domain.record import ValueObject
from annotator.domain.task_set import Task

VisualInput = Literal["blind", "sighted"]
DrawnOverlay = Literal["", "clean", "detected", "annotated"]
EVERY_ROTATION = 0
DIGEST_LETTERS = 16
"""Hex letters of the digest of an item's words: 64 bits tell any two states of one item apart."""
CANDIDATES = "query_candidates"
"""Visual input of tasks whose options are pictures."""
EXCLUSION_TEXTS = frozenset({"rejected", "filtered"})
"""States of items about which nobody has to be asked any more."""


class ExclusionReason(StrEnum):
    """Why a record that was chosen is not asked about; words that end the sentence '3 are left out: …'."""

    WORDS = "free text answers, which cannot be compared reliably by a program"
    FORMAT = "an unknown answer format"
    NO_KEY = "no answer key"
    BAD_KEY = "an answer key that does not match the answer format"
    NO_OPTIONS = "no options as text, which these models require"
    NO_IMAGE = "no image in the release of one of their media"
    NO_VIEW = "no such view, or no other views beside it"
    NO_VIDEO = "no video"
    NO_OVERLAY = "no regions drawn into their images"
    NO_REGION = "no region named in the question"
    NO_OTHER_SCENE = "no other scene with as many images of the same kinds"
    GONE = "no longer in the project"


class CustomPrompt(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The words around an item, as ``resources/prompts/ask.toml`` or a team's own file has them.

    Attributes:
        id: Name of the prompt.
        version: Another one with any change of words.
        system: What the model is told to be, by visual input.
        lead: What it is told after the question, by visual input.
        answers: What an answer looks like, by answer format; ``{letters}`` is filled. Where it
            has none, the format's own words are taken.
    """

    id: str
    version: str
    system: dict[str, str]
    lead: dict[str, str]
    answers: dict[str, str] = {}


class EvaluationInput(ValueObject, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """In which version items and images are sent.

    Attributes:
        release: Digest of a release, whose items are asked as they were released; "" for the present items.
        release_images: Digest of the list of its images, which are sent; "" for images of the media files.
        variants: How the images differ from those of the model profile.
    """

    release: str = ""
    release_images: str = ""
    variants: Variants = ()

    def visuals_of(self, visuals: VisualSettings) -> VisualSettings:
        """Return the images' settings of a model profile with the variants."""
        for variant in self.variants:
            visuals = variant.applied_to(visuals)
        return visuals


PRESENT_INPUT = EvaluationInput()
"""Items and images as the project has them now."""


class EvalSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a blind or a consensus run.

    Attributes:
        visual_input: Without, or with pictures.
        items: Ids of items; empty for all that the next three fields choose.
        task_sets: Ids of task sets, empty for all.
        tasks: Tasks as ``set/task``, or as their ids for those of every set; empty for all.
        states: States of items, empty for all but rejected and filtered ones.
        formats: Answer formats, empty for all but prose (``AnswerFormat.is_prose``).
        rotations: Each item is asked in so many rotations of its options; 0 for every one.
        samples: And that so often, from the second time on with the options shuffled.
        seed: Of the shuffles.
        rendering: What is drawn into pictures; "" for what the task is about.
        prompt: The words around an item, None for those that come with the product.
        policy: What the answers are decided by, in words of ``quality.policy``; nothing is asked by it.
        outcome: What becomes of an item that was guessed, kept for whoever looks at the run.
    """

    visual_input: VisualInput = msgspec.field(default="blind", name="sight")
    items: tuple[str, ...] = ()
    task_sets: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    rotations: int = 1
    samples: int = 1
    seed: int = 0
    rendering: DrawnOverlay = ""
    prompt: CustomPrompt | None = None
    policy: str = ""
    outcome: str = ""

    @property
    def input(self) -> EvaluationInput:
        """In which version items and images are sent."""
        return PRESENT_INPUT

    def selects(self, item: Item) -> bool:
        """Tell whether an item lies in the part of the project that was chosen, but for a list of ids."""
        return (
            (not self.task_sets or item.task_set in self.task_sets)
            and (not self.tasks or selects_task(self.tasks, task_set=item.task_set, task=item.task))
            and (item.state in self.states if self.states else item.state not in EXCLUSION_TEXTS)
            and (not self.formats or item.answer_format in self.formats)
        )

    def exclusion_reason(self, item: Item) -> ExclusionReason | None:
        """Say why an item of the chosen part is not asked, None where it is.

        Texts are asked only where somebody asks for them, by their format or by the items' ids: no program
        compares them for sure. Without a key that can be read no answer would be right or wrong.
        """
        if not answers.is_known(item.answer_format):
            return ExclusionReason.FORMAT
        is_asked = self.formats or self.items or self.input.release
        if answers.get(item.answer_format).is_prose and not is_asked:
            return ExclusionReason.WORDS
        if not item.answer_key.strip():
            return ExclusionReason.NO_KEY
        context = answers.AnswerContext(options=item.options)
        key = answers.get(item.answer_format).parse(item.answer_key, context=context)
        return None if key.is_parsed else ExclusionReason.BAD_KEY

    def to_json(self) -> dict[str, Any]:
        """Return the settings as a ``RunOrder`` takes them."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain


# Not fields of ``EvalSettings``: bundles with other runs stay readable for versions without evaluation runs.
class EvaluationSettings(EvalSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of an evaluation run: models answer with images, and their answers are scored.

    Attributes:
        given: In which version items and images are sent.
        study: Shared by the runs that were started together, "" for a single run.
    """

    visual_input: VisualInput = msgspec.field(default="sighted", name="sight")
    given: EvaluationInput = PRESENT_INPUT
    study: str = ""

    @property
    def input(self) -> EvaluationInput:
        """In which version items and images are sent."""
        return self.given


class PromptVariant(ValueObject, frozen=True, kw_only=True):
    """One way to put an item.

    Attributes:
        order: The item's own letters in the order in which the options are shown; "" without options.
        rotation: Options are moved forward by so many places.
        sample: Number of the shuffle, 0 for the item's own order.
    """

    order: str = ""
    rotation: int = 0
    sample: int = 0


def item_for_model(item: Item, task: Task | None) -> Item:
    """Return an item as models get it: options that are pictures have no texts, since files' names tell.

    Args:
        item: The item.
        task: Its task, None where that is not known.
    """
    if task is None or task.visual_input != CANDIDATES or not any(option.text for option in item.options):
        return item
    silent = tuple(Option(letter=option.letter, text="") for option in item.options)
    return msgspec.structs.replace(item, options=silent)


def prompt_variants(item: Item, settings: EvalSettings, *, is_steady: bool) -> list[PromptVariant]:
    """Return the ways in which an item is put, each order once where the model always answers the same.

    Items whose options have no texts (they are pictures), and those without options, are put in one way.

    Args:
        item: The item.
        settings: Of the run.
        is_steady: Whether the same question always gets the same answer (``ModelProfile.is_steady``).
    """
    letters = "".join([option.letter for option in item.options])
    can_turn = len(letters) > 1 and any(option.text for option in item.options)
    if not can_turn:
        return [PromptVariant(order=letters, sample=n) for n in range(1 if is_steady else settings.samples)]
    found = _rotated_variants(letters, settings, item=item.id)
    # Turned round twice, so that of several ways with one order the first is kept.
    return (
        list({variant.order: variant for variant in reversed(found)}.values())[::-1] if is_steady else found
    )


def _rotated_variants(letters: str, settings: EvalSettings, *, item: str) -> list[PromptVariant]:
    """Return each order of options in each of its rotations."""
    orders = _option_orders(letters, settings, item=item)
    turns = len(letters) if settings.rotations == EVERY_ROTATION else min(settings.rotations, len(letters))
    return [
        PromptVariant(order=order[turn:] + order[:turn], rotation=turn, sample=sample)
        for sample, order in enumerate(orders)
        for turn in range(turns)
    ]


def prompt_digest(item: Item) -> str:
    """Return a digest of what an item asks: its words, options and format, and which media it is about."""
    # Without the key: where it is mended, stored answers are judged anew. With it they would all be outdated.
    parts = (
        item.question,
        [(option.letter, option.text) for option in item.options],
        item.answer_format,
        item.media,
        item.view,
    )
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:DIGEST_LETTERS]


def _option_orders(letters: str, settings: EvalSettings, *, item: str) -> list[str]:
    """Return the item's own order and further ones, none twice as long as there are others."""
    orders = [letters]
    if settings.samples <= 1:
        return orders
    # Not hash(), which differs from process to process.
    chance = random.Random(f"{settings.seed}:{item}")
    possible = math.factorial(len(letters))
    while len(orders) < settings.samples:
        order = "".join(chance.sample(letters, len(letters)))
        if order not in orders or len(orders) >= possible:
            orders.append(order)
    return orders
