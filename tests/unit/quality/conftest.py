from __future__ import annotations

from collections.abc import Callable

import pytest

from annotator.domain.item import LETTERS, Item, Option
from annotator.domain.medium import Medium
from annotator.quality.context import CheckContext


@pytest.fixture
def make_item() -> Callable[..., Item]:
    """Give a maker of sound items: option texts by position, other fields by name."""

    def make(*texts: str, **fields: object) -> Item:
        shown = texts or ("a red car", "two white vans", "nobody at all", "the long bridge")
        sound: dict[str, object] = {
            "id": "item",
            "name": "Real2_OR_1_UAV1",
            "task_set": "aircop",
            "task": "object_recognition",
            "question": "Which of these objects can be seen in the picture of UAV1?",
            "options": tuple(Option(letter=LETTERS[n], text=text) for n, text in enumerate(shown)),
            "answer_key": "A",
            "media": ("seen",),
        }
        return Item(**(sound | fields))  # type: ignore[arg-type]

    return make


@pytest.fixture
def make_context() -> Callable[..., CheckContext]:
    """Give a maker of surroundings: media 'seen' and 'unseen' exist; regions by medium."""
    media = {
        "seen": Medium(id="seen", name="seen.jpg", sha256="ab" * 32),
        "unseen": Medium(id="unseen", name="unseen.jpg"),
    }

    def make(**regions: set[int]) -> CheckContext:
        return CheckContext(
            find_medium=media.get, find_regions=lambda medium: frozenset(regions.get(medium, ()))
        )

    return make


@pytest.fixture
def context(make_context: Callable[..., CheckContext]) -> CheckContext:
    """Give surroundings without any regions."""
    return make_context()
