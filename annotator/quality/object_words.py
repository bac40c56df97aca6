"""Words of a question for objects that nobody has marked in its scene."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache

import msgspec

import resources
from annotator.domain.item import Item
from annotator.domain.record import ValueObject
from annotator.queries.reader import Reader

_OBJECTS = "words/objects.toml"
PATTERNS_KEPT = 8
"""Vocabularies whose patterns are kept: a project has one, until a category is added."""


class ObjectClass(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of object.

    Attributes:
        words: What texts call it.
        is_a: The wider class, "" for none.
    """

    words: tuple[str, ...]
    is_a: str = ""


class UnmarkedObject(ValueObject, frozen=True, kw_only=True):
    """A word for an object that no region of the scene stands for.

    Attributes:
        field_path: Where it is: ``question``, ``options[1]``, ``answer_key``.
        start: Place of its first character in that text.
        end: Place after its last character.
        word: The word as it is written.
    """

    field_path: str
    start: int
    end: int
    word: str


class ObjectVocabulary:
    """Words for objects: those of the product, and the categories of a project under their own names.

    Args:
        categories: Categories of the project's regions.
    """

    def __init__(self, categories: Iterable[str] = ()) -> None:
        classes = object_classes()
        self._class_of = {word: name for name, each in classes.items() for word in (*each.words, name)}
        self._parents = {name: each.is_a for name, each in classes.items()}
        self.marked = frozenset(map(self.class_of, filter(None, categories)))
        for category in self.marked - set(classes):
            self._class_of.setdefault(category, category)
            self._class_of.setdefault(f"{category}s", category)
        self._pattern = _pattern_of(self._class_of)

    def class_of(self, category: str) -> str:
        """Return the class that a category of regions stands for."""
        name = " ".join(category.replace("_", " ").casefold().split())
        return self._class_of.get(name, name)

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield start, end and class of each word for an object in a text."""
        for found in self._pattern.finditer(text):
            yield found.start(), found.end(), self._class_of[found.group().casefold()]

    def is_unmarked(self, name: str, present: frozenset[str]) -> bool:
        """Return whether a class would be marked in a scene if it were there, and is not.

        Args:
            name: The class.
            present: Classes of the scene's regions.
        """
        parent = self._parents.get(name, "")
        is_there = name in present or parent in present or any(self._is_a(each, name) for each in present)
        if is_there or not present:
            return False
        siblings = {each for each in present if parent and self._parents.get(each) == parent}
        return bool(siblings) or name in self.marked

    def _is_a(self, name: str, wider: str) -> bool:
        return self._parents.get(name, "") == wider


@cache
def object_classes() -> Mapping[str, ObjectClass]:
    """Return the product's own kinds of objects."""
    tables = tomllib.loads(resources.path(_OBJECTS).read_text(encoding="utf-8"))
    return msgspec.convert(tables["objects"], dict[str, ObjectClass])


def find_unmarked_objects(reader: Reader, item: Item) -> list[UnmarkedObject]:
    """Return the words of an item for objects that no region of its media stands for.

    Looked at are the question and the right answer: a wrong option may name what is not there. Nothing is
    found where the media have no region with a category.
    """
    present = _categories_of(reader, item.media)
    if not present:
        return []
    vocabulary = ObjectVocabulary(reader.regions.categories())
    classes = frozenset(map(vocabulary.class_of, present))
    return [
        UnmarkedObject(field_path=path, start=start, end=end, word=text[start:end])
        for path, text in _asserted_texts(item)
        for start, end, name in vocabulary.find(text)
        if vocabulary.is_unmarked(name, classes)
    ]


def _asserted_texts(item: Item) -> Iterator[tuple[str, str]]:
    yield "question", item.question
    for index, option in enumerate(item.options):
        if option.letter == item.answer_key:
            yield f"options[{index}]", option.text
    if not item.options:
        yield "answer_key", item.answer_key


def _categories_of(reader: Reader, media: Iterable[str]) -> set[str]:
    return {category for medium in dict.fromkeys(media) for category in reader.regions.categories_of(medium)}


@lru_cache(PATTERNS_KEPT)
def _pattern_of_words(words: tuple[str, ...]) -> re.Pattern[str]:
    # The longest first: 'traffic light' before 'light'. Chinese has no blanks between words.
    ordered = sorted(words, key=lambda word: (-len(word), word))
    spaced = "|".join(re.escape(word) for word in ordered if word.isascii())
    joined = "|".join(re.escape(word) for word in ordered if not word.isascii())
    return re.compile(rf"(?<![\w-])(?:{spaced})(?![\w-])" + (f"|{joined}" if joined else ""), re.IGNORECASE)


def _pattern_of(class_of: Mapping[str, str]) -> re.Pattern[str]:
    return _pattern_of_words(tuple(sorted(class_of)))
