from __future__ import annotations

import pytest

from annotator.domain.medium import Medium
from annotator.release.media_names import is_safe_path, release_path, release_paths
from tests.unit.release.samples import UAV1, UAV2, aircop_item, lookup_of


@pytest.mark.parametrize("location", ["a.jpg", "a/b.jpg", "..a/b", "汉字/图 1.png", "a b.jpg"])
def test_is_plain_when_a_path_stays_below_its_folder_then_it_is(location: str) -> None:
    assert is_safe_path(location)


@pytest.mark.parametrize(
    "location",
    ["", "/a", "a/../b", "..", "./a", "a//b", "a/", "C:/a", "http://a/b", "a\\b", " a", "x" * 2000],
)
def test_is_plain_when_a_path_could_lead_elsewhere_then_it_is_not(location: str) -> None:
    assert not is_safe_path(location)


def test_place_of_when_a_folder_is_known_then_the_path_counts_before_the_name() -> None:
    assert release_path(Medium(name="a.jpg", path="x/b.jpg")) == "x/b.jpg"
    assert release_path(Medium(name="a.jpg", path="8f2a9605-a.jpg")) == "a.jpg"
    assert release_path(Medium(name="/a.jpg")) == ""


def test_places_of_when_one_medium_has_none_then_there_are_none() -> None:
    item = aircop_item()
    assert release_paths(item, lookup=lookup_of(item)) == (UAV1.name, UAV2.name)
    assert release_paths(item, lookup=lookup_of(item, positions=[UAV1])) is None
    broken = Medium(id=UAV2.id, name="../x.jpg")
    assert release_paths(item, lookup=lookup_of(item, positions=[UAV1, broken])) is None
