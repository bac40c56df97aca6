from __future__ import annotations

import difflib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.item import Item
from annotator.quality.checks import choices
from annotator.quality.checks.choices import (
    SIMILARITY_LIMIT,
    DuplicateOptions,
    SimilarOptions,
    normalize_option,
    similarity,
)
from annotator.quality.context import CheckContext

TEXTS = st.text(alphabet="abc dé好", max_size=24)


@given(TEXTS, TEXTS, st.sampled_from([0.5, SIMILARITY_LIMIT, 0.95]))
def test_likeness_when_the_filter_drops_a_pair_then_difflib_agrees(one: str, two: str, above: float) -> None:
    ratio = difflib.SequenceMatcher(None, one, two).ratio()
    found = similarity(one, two, above=above)
    assert (found > above) == (ratio > above)
    assert found in {0.0, ratio}


def test_option_similarity_when_two_options_are_over_085_then_pair_and_ratio_are_named(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    texts = ("turn left at the red bridge", "turn left at the red fridge", "hover", "land on the roof")
    ratio = difflib.SequenceMatcher(None, texts[0], texts[1]).ratio()
    hit = SimilarOptions().check_item(make_item(*texts), context)
    assert ratio > 0.85
    assert hit is not None
    assert hit.message == f"Options that are too similar: A and B ({ratio:.2f})."


def test_option_similarity_when_the_ratio_is_085_exactly_then_nothing_is_said(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    one, two = "abcdefghijklmnopqXYZ", "abcdefghijklmnopq123"
    assert difflib.SequenceMatcher(None, one, two).ratio() == 0.85
    assert SimilarOptions().check_item(make_item(one, two), context) is None


def test_option_similarity_when_words_are_swapped_then_the_threshold_decides(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    """The published near-duplicate differs enough for difflib: a person has to see it."""
    one, two = "I turn right and go up", "I go up and turn right"
    assert difflib.SequenceMatcher(None, one, two).ratio() < 0.85
    assert SimilarOptions().check_item(make_item(one, two), context) is None


def test_option_similarity_when_options_are_empty_then_they_are_not_compared(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    assert SimilarOptions().check_item(make_item("", "", " ", "  "), context) is None


def test_option_similarity_when_all_are_alike_then_three_pairs_are_named_and_few_compared(
    make_item: Callable[..., Item], context: CheckContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [
        f"I fly over the long highway and then see the building number {n} from its side" for n in range(9)
    ]
    compared = []

    def count(one: str, two: str, *, above: float) -> float:
        compared.append((one, two))
        return similarity(one, two, above=above)

    monkeypatch.setattr(choices, "similarity", count)
    hit = SimilarOptions().check_item(make_item(*texts), context)
    assert hit is not None
    assert hit.message.count(" and ") == 4
    assert hit.message.endswith("and more.")
    # Of 36 pairs, since typing must stay smooth: three to name, and one that says that there are more.
    assert len(compared) == 4


@pytest.mark.parametrize(
    ("one", "two"),
    [("UAV1", "UAV1"), ("Turn left", "turn  LEFT."), ("Ａ１", "A1"), ("左转。", "左 转")],
)
def test_duplicate_options_when_texts_say_the_same_then_letters_and_text_are_named(
    make_item: Callable[..., Item], context: CheckContext, one: str, two: str
) -> None:
    hit = DuplicateOptions().check_item(make_item("None", one, "A ground-based sensor", two), context)
    assert hit is not None
    assert f"B and D ({one!r})" in hit.message


def test_duplicate_options_when_texts_differ_or_are_empty_then_nothing_is_said(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    assert DuplicateOptions().check_item(make_item("10", "1", "", ""), context) is None


def test_fold_when_full_stop_is_inside_then_it_stays() -> None:
    assert normalize_option("1.5 m") != normalize_option("15 m")
