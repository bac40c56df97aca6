"""Answers that follow from regions, and from each other."""

from __future__ import annotations

import msgspec
import pytest

from annotator.domain import task_set_files
from annotator.domain.event_label import EventLabel, ObjectCount
from annotator.domain.event_proposals import MOST_BOXES, ViewFacts, follow_answers, propose_answers
from annotator.domain.region import Box, Region, RegionState
from annotator.domain.task_set import TaskSet

SIZE = (1000, 500)
EMPTY = EventLabel(id="l", view="UAV1")


@pytest.fixture(scope="module")
def task_set() -> TaskSet:
    return task_set_files.builtin("aircop")


def _region(
    x: float, y: float, side: float, *, category: str = "car", visible: float | None = None
) -> Region:
    box = Box(x1=x, y1=y, x2=x + side, y2=y + side)
    return Region(id=f"{x} {y}", medium="m", number=0, box=box, category=category, visible=visible)


def _facts(*regions: Region, others: tuple[str, ...] = ("UAV2",)) -> ViewFacts:
    return ViewFacts(size_px=SIZE, others=others, regions=regions)


@pytest.mark.parametrize(
    ("region", "issue"),
    [
        (_region(100, 100, 12), "too_small"),
        (_region(100, 100, 13), ""),
        (_region(9, 100, 60), "out_of_fov"),
        (_region(10, 100, 60), ""),
        (_region(100, 440, 56), "out_of_fov"),
        (_region(100, 100, 60, visible=0.4), "occluded"),
        (_region(100, 100, 60, visible=1.0), ""),
    ],
)
def test_issue_when_a_region_is_small_at_the_edge_or_hidden_in_part_then_it_is_proposed(
    task_set: TaskSet, region: Region, issue: str
) -> None:
    label = propose_answers(EMPTY, _facts(region), task_set=task_set)
    assert [box.labels for box in label.issue_boxes or ()] == ([(issue,)] if issue else [])
    assert label.when is (True if issue else None)


@pytest.mark.parametrize(("state", "issue"), [("occluded", "occluded"), ("out_of_view", "out_of_fov")])
def test_issue_when_the_image_does_not_show_the_object_then_its_place_has_one_and_it_is_not_counted(
    task_set: TaskSet, state: RegionState, issue: str
) -> None:
    region = msgspec.structs.replace(_region(300, 100, 60, category="bus"), state=state)
    label = propose_answers(EMPTY, _facts(_region(100, 100, 60), region), task_set=task_set)
    assert [box.labels for box in label.issue_boxes or ()] == [(issue,)]
    assert label.count == ObjectCount(value=1)


def test_proposals_when_fields_are_answered_then_these_stay_and_are_not_marked(task_set: TaskSet) -> None:
    answered = msgspec.structs.replace(EMPTY, count=ObjectCount(value=4), when=False, degradations=())
    label = propose_answers(answered, _facts(_region(100, 100, 5)), task_set=task_set)
    assert (label.count, label.when, label.degradations) == (ObjectCount(value=4), False, ())
    assert (label.who, label.why, label.what_boxes) == (None, None, None)
    assert label.copied == ("object_types", "issue_boxes")


def test_helping_views_when_there_are_several_others_and_no_links_then_none_is_proposed(
    task_set: TaskSet,
) -> None:
    facts = _facts(_region(100, 100, 5), others=("UAV2", "UAV3"))
    assert propose_answers(EMPTY, facts, task_set=task_set).who is None
    assert propose_answers(EMPTY, _facts(_region(100, 100, 5)), task_set=task_set).who == ("UAV2",)


def test_object_types_when_categories_are_those_of_detectors_then_they_are_in_the_order_of_the_list(
    task_set: TaskSet,
) -> None:
    regions = [
        _region(100 * n, 100, 60, category=name) for n, name in enumerate(("person", " Truck", "lamp"), 1)
    ]
    assert propose_answers(EMPTY, _facts(*regions), task_set=task_set).object_types == (
        "vehicles",
        "pedestrians",
    )


def test_boxes_when_too_many_regions_have_an_issue_then_none_is_proposed(task_set: TaskSet) -> None:
    regions = [_region(100 + 5 * n, 100, 4) for n in range(MOST_BOXES + 1)]
    label = propose_answers(EMPTY, _facts(*regions), task_set=task_set)
    assert label.issue_boxes is None
    assert label.count == ObjectCount(value=MOST_BOXES + 1)


def test_following_answers_when_the_degradations_change_then_only_unconfirmed_reasons_do(
    task_set: TaskSet,
) -> None:
    before = msgspec.structs.replace(
        EMPTY, when=True, degradations=("noise",), why=("noise",), copied=("degradations", "why")
    )
    after = msgspec.structs.replace(before, degradations=("noise", "loss"), copied=("why",))
    assert follow_answers(before, after, task_set=task_set).why == ("noise", "loss")
    confirmed = msgspec.structs.replace(after, copied=())
    assert follow_answers(before, confirmed, task_set=task_set).why == ("noise",)
