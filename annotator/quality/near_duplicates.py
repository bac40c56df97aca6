"""Questions that ask nearly the same: how two items are compared, and which items are compared with one."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial

from rapidfuzz import fuzz

import resources
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.record import ValueObject
from annotator.domain.task_set import Task
from annotator.domain.text_search import text_digest, words_of
from annotator.queries.reader import Reader

SAME_INPUT_FROM, OTHER_INPUT_FROM = 0.85, 0.9
"""Similarity of questions, 0 to 1, from which they may be duplicates: about the same images, and others."""
SHARED_WORDS = 0.7
"""Share of the words of two questions together that both must have to be compared in a whole project."""
TEMPLATE_SCENES = 3
"""Scenes from which on a question is a template: equal questions about other images are no duplicates."""
SHORTEST_WORDS = 6
"""Words that a question needs to be compared with those about other images; shorter ones coincide."""
MOST_WORDS = 40
"""Words of a long question that are looked up, the longest ones."""
_COMPARED_SCENE, _COMPARED_DIGEST, _COMPARED_WORDS = 300, 60, 60
"""Items that one item is compared with, at most: of its scene, of the same question, with the same words."""
_ENDING = re.compile(r"(?:ing|es|ed|s|d)$")
_FREE_DRAFTS = frozenset({"", "llm", "hybrid", "manual"})
"""How tasks whose questions people or models word are drafted; all others are drafted by a rule."""
_WORDS = "words/comparison.toml"


class NearDuplicate(ValueObject, frozen=True, kw_only=True):
    """An item whose question is nearly that of another.

    Attributes:
        item: The other item's id.
        name: Its public id.
        question: Its question.
        similarity: Of the questions, 0 to 1.
        is_same_input: Whether both are about the same images.
    """

    item: str
    name: str
    question: str
    similarity: float
    is_same_input: bool


@dataclass(frozen=True)
class ComparedItem:
    """What is compared of an item, worked out once.

    Attributes:
        item: The item.
        originals: Its media, with the clean image in place of each degraded one; empty where it is not known.
    """

    item: Item
    originals: tuple[str, ...] = ()

    @classmethod
    def of(cls, item: Item, *, find_medium: Callable[[str], Medium | None]) -> ComparedItem:
        """Return what is compared of an item.

        Args:
            item: The item.
            find_medium: Finds a medium by its id.
        """
        return cls(item, tuple(_original(medium, find_medium(medium)) for medium in item.media))

    @cached_property
    def words(self) -> list[str]:
        """Words and numbers of the question."""
        return words_of(self.item.question)

    @cached_property
    def text(self) -> str:
        """The question without case and punctuation."""
        return " ".join(self.words)

    @cached_property
    def counted(self) -> Counter[str]:
        """The words of the question with their number, without numbers."""
        return Counter(word for word in self.words if not _is_number(word))

    @cached_property
    def numbers(self) -> list[str]:
        """Numbers of the question, and names with a number such as uav1."""
        return sorted(word for word in self.words if _is_number(word))

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """The options without order, with the right one first; the answer key where there are no options."""
        options = {option.letter: " ".join(words_of(option.text)) for option in self.item.options}
        key = options.get(self.item.answer_key, self.item.answer_key.casefold())
        return (key, *sorted(options.values()))

    @cached_property
    def shown(self) -> tuple[tuple[str, ...], str]:
        """The images that the question is about, and the view."""
        return self.item.media, self.item.view


def compare_items(one: ComparedItem, other: ComparedItem) -> float:
    """Return the similarity of two questions where one is nearly the other, else 0.0.

    Other numbers, a negation, or a content word that is replaced by another make another question.
    """
    # A variant asks on purpose what its source asks.
    if one.item.family == other.item.family:
        return 0.0
    is_same_input = one.shown == other.shown
    least = SAME_INPUT_FROM if is_same_input else OTHER_INPUT_FROM
    if _compares_versions(one, other):
        return 0.0
    if not one.words or one.numbers != other.numbers:
        return 0.0
    similarity = fuzz.ratio(one.text, other.text, score_cutoff=100 * least) / 100
    if not similarity or (not is_same_input and one.answers != other.answers):
        return 0.0
    return similarity if _asks_the_same(one, other, is_same_input=is_same_input) else 0.0


def _compares_versions(one: ComparedItem, other: ComparedItem) -> bool:
    """Return whether one asks about a clean image and the other about the degraded one: to compare them."""
    return bool(one.originals) and one.originals == other.originals and one.item.media != other.item.media


def _original(medium_id: str, medium: Medium | None) -> str:
    return medium.clean_image if medium is not None else medium_id


def has_fixed_question(task: Task | None) -> bool:
    """Return whether all items of a task ask the same: equal ones about other images are no duplicates."""
    return task is not None and (bool(task.choices) or task.drafted_by not in _FREE_DRAFTS)


def find_near_duplicates(reader: Reader, item: Item, *, task: Task | None = None) -> list[NearDuplicate]:
    """Return the items in use that ask nearly the same as one, the most similar first.

    Compared are the items of its scene, those with the same question, and those that share its rare words.

    Args:
        reader: The project.
        item: The item, saved or not.
        task: Its task, None where it is not known.
    """
    find_medium = partial(reader.get, Medium)
    one = ComparedItem.of(item, find_medium=find_medium)
    found = {}
    for candidate in _candidates(reader, one, has_fixed_question=has_fixed_question(task)):
        other = ComparedItem.of(candidate, find_medium=find_medium)
        if candidate.id != item.id and (similarity := compare_items(one, other)):
            found[candidate.id] = NearDuplicate(
                item=candidate.id,
                name=candidate.name,
                question=candidate.question,
                similarity=similarity,
                is_same_input=one.shown == other.shown,
            )
    return sorted(found.values(), key=lambda each: (-each.similarity, each.name))


def rare_words_needed(count: int) -> int:
    """Return how many of its rarest words a question of so many different words is found by.

    Two questions that share the wanted part of their words share one of these. Source: prefix filtering of
    set similarity joins (Chaudhuri, Ganti and Kaushik, ICDE 2006).
    """
    return count - math.ceil(SHARED_WORDS * count) + 1


def duplicate_message(name: str, *, similarity: float) -> str:
    """Return what is said of an item that repeats another."""
    if similarity >= 1.0:
        return f"The same question as {name}."
    return f"Nearly the same question as {name} ({similarity:.0%} equal)."


def _candidates(reader: Reader, one: ComparedItem, *, has_fixed_question: bool) -> list[Item]:
    item = one.item
    found = reader.similar.items_of_scene(item.scene, limit=_COMPARED_SCENE) if item.scene else []
    same_input = [candidate for candidate in found if ComparedItem(candidate).shown == one.shown]
    if not item.scene:
        digest = text_digest(item.question)
        same_input = [
            candidate
            for candidate in reader.similar.items_with_digest(digest, limit=_COMPARED_DIGEST)
            if ComparedItem(candidate).shown == one.shown
        ]
    return same_input if has_fixed_question else [*same_input, *_other_inputs(reader, one)]


def _other_inputs(reader: Reader, compared: ComparedItem) -> list[Item]:
    """Return items about other images that may ask the same; none for a template's question."""
    digest = text_digest(compared.item.question)
    is_template = reader.similar.scenes_with_digest(digest, limit=TEMPLATE_SCENES) >= TEMPLATE_SCENES
    if is_template or len(compared.words) < SHORTEST_WORDS:
        return []
    equal = reader.similar.items_with_digest(digest, limit=_COMPARED_DIGEST)
    return [*equal, *reader.similar.items_by_number(_numbers_sharing_words(reader, compared))]


def _numbers_sharing_words(reader: Reader, compared: ComparedItem) -> list[int]:
    words = sorted(set(compared.words), key=len)[-MOST_WORDS:]
    numbers = reader.similar.numbers_by_word(words)
    rarest = sorted(numbers, key=lambda word: len(numbers[word]))[: rare_words_needed(len(words))]
    weights: Counter[int] = Counter()
    for word in rarest:
        # A rare word says more than a common one.
        weights.update(dict.fromkeys(numbers[word], 1_000 // max(1, len(numbers[word]))))
    return [number for number, _ in weights.most_common(_COMPARED_WORDS)]


def _asks_the_same(one: ComparedItem, other: ComparedItem, *, is_same_input: bool) -> bool:
    added, removed = other.counted - one.counted, one.counted - other.counted
    if not _word_list("negations").isdisjoint({*added, *removed}):
        return False
    new, old = _unlike(added, removed), _unlike(removed, added)
    if not new or not old:
        return True
    # One word for another with the same answers to the same images is a synonym more often than not.
    is_synonym = len(new) == len(old) == 1 and _word_list("opposites").isdisjoint({*new, *old})
    return is_same_input and is_synonym and one.answers == other.answers


def _unlike(words: Counter[str], others: Counter[str]) -> list[str]:
    """Return the content words that none of some others is a form of: 'car' is one of 'cars'."""
    # Spelling is no measure: 'Talnimore' and 'Taldimore' are two places.
    stems, plain = {_stem(word) for word in others}, _word_list("plain")
    return [word for word in words if word not in plain and _stem(word) not in stems]


@cache
def _word_list(name: str) -> frozenset[str]:
    lists = tomllib.loads(resources.path(_WORDS).read_text(encoding="utf-8"))
    return frozenset(lists[name])


def _stem(word: str) -> str:
    return _ENDING.sub("", word) if len(word) > 3 else word


def _is_number(word: str) -> bool:
    return any(sign.isdigit() for sign in word)
