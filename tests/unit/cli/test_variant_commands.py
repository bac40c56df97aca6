"""The verb variants: what it makes, what it only shows, and what it says of items without a variant."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.domain.scene import Scene
from annotator.session import Session
from tests.unit.cli.conftest import Verb
from tests.unit.store.making import an_item, created, write

FORMATS = {
    "region_recognition": ("region_set", "Region 3, 4"),
    "distance_comparison": ("region_label", "Region 2"),
    "direction_recognition": ("clock", "2 o'clock"),
    "shared_association": ("pair_list", "6-11, 2-9, 4-12, 0-7"),
    "object_matching": ("bbox", "[823, 189, 932, 249]"),
    "camera_transformation": ("angle_distance", "-160.0 degrees, -70.0 meters"),
    "path_planning": ("direction_label", "Direction 3"),
    "motion_understanding": ("free_text", "The drone rises."),
}


@pytest.fixture
def asked(project: Path) -> Path:
    """Give a project with four items of one scene of each of eight tasks."""
    scene = Scene(id=new_id(), name="S1")
    items = [
        an_item(
            name=f"{task}_{n:05}",
            task_set="spatialuav",
            task=task,
            question="Which?",
            answer_format=form,
            answer_key=key,
            scene=scene.id,
        )
        for task, (form, key) in FORMATS.items()
        for n in range(4)
    ]
    with Session.open(project) as session:
        write(session, created("scene", scene), *(created("item", item) for item in items))
    return project


def variants(project: Path) -> list[Item]:
    with Session.open(project) as session:
        return [item for item in session.reader.records(Item) if item.variant is not None]


def test_variants_when_made_dry_then_are_shown_and_not_made(asked: Path, verb: Verb) -> None:
    said = verb("variants", asked, "--kind", "choice", "--seed", 3, "--dry-run", "--json")
    assert said.status == 0
    assert (said.json["made"], said.json["dry_run"], said.json["kind"]) == (28, True, "choice")
    assert said.json["letters"] == dict.fromkeys("ABCD", 7)
    assert said.json["skipped"] == {
        "the answer is free text, and no changed form of it is certainly wrong": 4
    }
    assert not variants(asked)
    made = verb("variants", asked, "--kind", "choice", "--seed", 3, "--json")
    assert made.json == said.json | {"dry_run": False}
    assert [item.name for item in variants(asked)] == [cells["name"] for cells in made.json["items"]]


def test_variants_when_a_task_is_chosen_then_only_its_items_have_some(asked: Path, verb: Verb) -> None:
    said = verb("variants", asked, "--kind", "choice", "--task", "spatialuav/object_matching", "--options", 6)
    assert said.status == 0
    assert said.out.startswith("object_matching_00000-choice of object_matching_00000: Which?\n")
    assert said.out.count("\n  * ") == 3
    assert said.out.endswith("4 variants made, 0 again, 0 items linked, 0 up to date.\n")
    assert Counter((item.task, len(item.options)) for item in variants(asked)) == {("object_matching", 6): 4}
    again = verb("variants", asked, "--kind", "choice", "--task", "spatialuav/object_matching", "--json")
    assert (again.json["made"], again.json["known"]) == (0, 4)


def test_variants_when_the_number_of_options_is_wrong_then_says_so(asked: Path, verb: Verb) -> None:
    said = verb("variants", asked, "--kind", "choice", "--options", 12)
    assert said.status == 2
    assert "cannot have 12 options" in said.err
    assert not variants(asked)


def test_variants_when_no_larger_image_is_known_then_says_so(asked: Path, verb: Verb) -> None:
    said = verb("variants", asked, "--kind", "resolution")
    assert said.out.startswith("32 without a variant: no larger image is known\n")
