"""Where a map leaves the answer in doubt, there is no item, and the report tells why."""

from __future__ import annotations

import dataclasses
import math
import tomllib

import msgspec
import pytest

import resources
from annotator.domain.region import Region
from annotator.domain.scene import SceneView
from annotator.draft.map_options import are_apart, candidates_in_order, choose_lists, choose_wrong
from annotator.draft.map_words import heading_text, listed, ordinal, plural
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.rules import RULES
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.seeded_random import SeededRandom
from tests.unit.draft.map_facts import TOPVIEWRS, draft, items_of, marked_map, reasons_of, room, thing

CHINESE = tomllib.loads(resources.path("translations/zh.messages.toml").read_text(encoding="utf-8"))["part"]
LEFT, RIGHT = (0, 0, 450, 600), (450, 0, 900, 600)
FAR_RIGHT = (500, 0, 900, 600)
TWO_ROOMS = (room(0, "kitchen", LEFT), room(1, "bedroom", RIGHT))
SOME = (
    thing(2, "stove", (60, 40, 120, 100)),
    thing(3, "bed", (700, 400, 880, 560)),
    thing(4, "wardrobe", (460, 20, 560, 90)),
    thing(5, "plant", (820, 20, 870, 70)),
)
FLAT = (*TWO_ROOMS, *SOME)
STRAIGHT = ((100.0, 300.0), (800.0, 300.0))


def _path(*points: tuple[float, float], regions: tuple[Region, ...] = FLAT) -> SceneFacts:
    return marked_map(*regions, path=points)


@pytest.mark.parametrize(
    ("rule", "facts", "reason"),
    [
        ("object_recognition", marked_map(*FLAT), "the map does not show exactly one room"),
        ("object_recognition", marked_map(*SOME), "the map does not show exactly one room"),
        (
            "object_recognition",
            marked_map(room(0, "kitchen", LEFT), thing(1, "", (60, 40, 120, 100))),
            "an object on the map has no category",
        ),
        (
            "object_recognition",
            marked_map(room(0, "kitchen", LEFT), thing(1, "stove", (60, 40, 120, 100))),
            "too few wrong answers are certain",
        ),
        ("scene_recognition", marked_map(*SOME), "no room is marked on the map"),
        ("scene_recognition", marked_map(room(0, "", LEFT)), "a room on the map has no kind"),
        ("scene_counting", marked_map(room(0, "kitchen", LEFT)), "the map does not show several rooms"),
        (
            "scene_counting",
            marked_map(room(0, "kitchen", LEFT), room(1, "", RIGHT)),
            "a room on the map has no kind",
        ),
        (
            "scene_counting",
            marked_map(*(room(n, "office", (n * 10, 0, n * 10 + 10, 600)) for n in range(11))),
            "there are more than ten",
        ),
        (
            "object_localization",
            marked_map(*FLAT, thing(6, "stove", (60, 300, 120, 360))),
            "the map has several of the category",
        ),
        (
            "object_localization",
            marked_map(*FLAT, thing(6, "sofa", (270, 250, 330, 350))),
            "the middle is near the border of two parts of the map",
        ),
        (
            "object_localization",
            marked_map(*FLAT, thing(6, "rug", (20, 20, 880, 580))),
            "it reaches into too many parts of the map",
        ),
        (
            "scene_localization",
            marked_map(room(0, "bath", LEFT), room(1, "bath", RIGHT)),
            "the map has several of the category",
        ),
        ("scene_localization", marked_map(*TWO_ROOMS), "no object lies in the room"),
        ("scene_localization", marked_map(*FLAT), "too few wrong answers are certain"),
        (
            "relations",
            marked_map(thing(0, "bed", (0, 0, 80, 80)), thing(1, "rug", (20, 20, 60, 60))),
            "nothing else lies in a clear direction",
        ),
        (
            "relations",
            marked_map(thing(0, "bed", (0, 0, 80, 80)), thing(1, "rug", (300, 120, 380, 200))),
            "nothing else lies in a clear direction",
        ),
        ("action_counting", _path((10.0, 10.0), (10.0, 10.0)), "the path has only one point"),
        (
            "action_counting",
            _path((100, 300), (400, 300), (400 + 300 * math.cos(0.55), 300 + 300 * math.sin(0.55))),
            "a bend of the path is close to the limit of a turn",
        ),
        (
            "action_counting",
            _path((100, 300), (600, 300), (110, 320)),
            "the path turns back; left and right are in doubt",
        ),
        (
            "action_counting",
            _path((100, 300), (400, 300), (400, 315), (700, 315)),
            "two corners of the path are close together",
        ),
        (
            "action_counting",
            _path((100, 300), (300, 300), (490, 362), (660, 470)),
            "the path bends gradually; its turns cannot be counted",
        ),
        (
            "heading",
            _path((100, 300), (400, 300), (400, 500), (120, 330)),
            "the path ends close to its start",
        ),
        (
            "heading",
            _path((100, 300), (100 + 300 * math.cos(0.26), 300 + 300 * math.sin(0.26))),
            "the heading of the path is between two directions",
        ),
        ("path_places", _path(*STRAIGHT, regions=SOME), "the path lies in no room"),
        (
            "path_places",
            _path(*STRAIGHT, regions=(room(0, "kitchen", (0, 0, 300, 600)), room(1, "bath", FAR_RIGHT))),
            "a part of the path lies in no room",
        ),
        ("path_places", _path((100, 300), (460, 300)), "the path only touches a room"),
        (
            "path_places",
            _path((100, 300), (445, 300), (445, 500)),
            "the turn is near the edge of a room",
        ),
        ("path_places", _path((100, 300), (300, 300), (300, 500)), "the turn is not clearly at one object"),
        (
            "path_places",
            _path(*STRAIGHT, regions=(room(0, "", LEFT), room(1, "bath", RIGHT))),
            "a room on the map has no kind",
        ),
    ],
)  # fmt: skip
def test_draft_when_the_answer_is_in_doubt_then_the_reason_is_told(
    rule: str, facts: SceneFacts, reason: str
) -> None:
    assert reason in reasons_of(draft(rule, facts))
    assert reason in CHINESE


@pytest.mark.parametrize("rule", [task.drafted_by.partition(".")[2] for task in TOPVIEWRS.tasks])
def test_draft_when_a_map_has_no_size_regions_or_colours_then_the_reason_is_told(rule: str) -> None:
    facts = marked_map(*FLAT, path=STRAIGHT)
    without_size = msgspec.structs.replace(facts.media["m"], width_px=0)
    assert reasons_of(draft(rule, _with(facts, media={"m": without_size}))) == [
        "the size of the map is unknown; its file was not read yet"
    ]
    assert reasons_of(draft(rule, marked_map(path=STRAIGHT))) == ["no rooms or objects are marked on the map"]
    semantic = marked_map(*FLAT, view="semantic 2")
    assert reasons_of(draft(rule, semantic)) == ["the colours of the semantic map are unknown"]


@pytest.mark.parametrize("rule", [task.drafted_by.partition(".")[2] for task in TOPVIEWRS.tasks])
def test_draft_when_the_scene_has_no_map_then_nothing_is_told(rule: str) -> None:
    facts = marked_map(*SOME)
    photograph = msgspec.structs.replace(facts.media["m"], media_type="image")
    assert draft(rule, _with(facts, media={"m": photograph})) == []


def test_draft_when_an_image_has_rooms_marked_then_it_counts_as_a_map() -> None:
    facts = marked_map(*FLAT)
    image = msgspec.structs.replace(facts.media["m"], media_type="image")
    assert items_of(draft("scene_counting", _with(facts, media={"m": image})))


def test_draft_when_a_map_has_two_paths_then_neither_is_asked_about() -> None:
    facts = marked_map(*FLAT, path=STRAIGHT)
    (path,) = facts.polylines["m"]
    two = _with(facts, polylines={"m": (path, msgspec.structs.replace(path, id="q"))})
    assert reasons_of(draft("heading", two)) == ["the map has several paths; make a map for each of them"]


def test_draft_when_a_path_is_drawn_into_the_image_then_static_questions_are_not_asked() -> None:
    facts = marked_map(*FLAT, path=STRAIGHT)
    (path,) = facts.polylines["m"]
    drawn = _with(facts, polylines={"m": (msgspec.structs.replace(path, is_in_image=True),)})
    assert draft("scene_counting", drawn) == []
    assert items_of(draft("heading", drawn))
    assert items_of(draft("scene_counting", facts))


def test_draft_when_one_of_two_maps_of_a_size_is_marked_then_both_are_asked_about() -> None:
    facts = marked_map(*FLAT, metadata={"colours": {"bed": "d62728"}})
    scene = msgspec.structs.replace(
        facts.scene, views=(SceneView(name="realistic", medium="m"), SceneView(name="semantic", medium="n"))
    )
    other = msgspec.structs.replace(facts.media["m"], id="n")
    both = _with(facts, scene=scene, media={**facts.media, "n": other})
    items = [drafted.item for drafted in items_of(draft("scene_counting", both))]
    assert [(item.view, item.media) for item in items] == [("realistic", ("m",)), ("semantic", ("n",))]
    assert "bed #d62728" in items[1].question
    larger = _with(both, media={**facts.media, "n": msgspec.structs.replace(other, width_px=901)})
    assert reasons_of(draft("scene_counting", larger)) == ["no rooms or objects are marked on the map"]


def test_draft_when_a_small_object_is_left_out_then_it_is_neither_asked_about_nor_offered_as_absent() -> None:
    # A desk of 9 x 9 pixels is too small to be drawn; it is in the room all the same.
    small = thing(9, "desk", (600, 300, 609, 309))
    facts = marked_map(room(0, "bedroom", (0, 0, 900, 600)), *SOME, small)
    for seed in range(60):
        for drafted in items_of(draft("object_recognition", facts, seed=seed)):
            # Tables are similar to a desk.
            assert not {"desk", "table", "dining table"} & {option.text for option in drafted.item.options}
    asked = [drafted.item.question for drafted in items_of(draft("object_localization", facts))]
    assert not any("desk" in question for question in asked)


def test_draft_when_an_object_stands_between_two_rooms_then_it_is_no_wrong_answer_for_either() -> None:
    more = [
        thing(n, name, (20 + 60 * n, 500, 60 + 60 * n, 540))
        for n, name in enumerate(("toilet", "stove", "piano", "mirror"), 2)
    ]
    between = thing(20, "rug", (430, 280, 560, 360))
    facts = marked_map(*TWO_ROOMS, thing(12, "bed", (700, 400, 880, 560)), *more, between)
    options = [
        {option.text for option in drafted.item.options}
        for seed in range(30)
        for drafted in items_of(draft("scene_localization", facts, seed=seed))
        if "What objects" in drafted.item.question
    ]
    assert options
    assert not any("rug" in texts for texts in options)


def test_draft_when_the_task_has_no_such_template_then_the_reason_is_told() -> None:
    task = msgspec.structs.replace(TOPVIEWRS.task("scene_counting"), templates=())
    order = RuleSettings(project="p", task_set=TOPVIEWRS, task=task)
    assert reasons_of(list(RULES[task.drafted_by].draft(marked_map(*FLAT), order=order))) == [
        "the task has no template for the question"
    ]


def test_choose_lists_when_kinds_are_few_then_there_is_none() -> None:
    draw = SeededRandom("x")
    assert choose_lists(["bedroom", "kitchen"], ["study"], draw=draw) is None
    lists = choose_lists(["bedroom", "kitchen"], ["study", "gym", "garage"], draw=draw)
    assert lists is not None
    assert {frozenset(one) for one in lists} <= {
        frozenset(pair)
        for pair in (
            ("gym", "kitchen"),
            ("study", "kitchen"),
            ("bedroom", "gym"),
            ("bedroom", "study"),
            ("gym", "study"),
        )
    }


def test_choose_wrong_when_categories_are_similar_then_they_are_not_offered_together() -> None:
    draw = SeededRandom("x")
    assert choose_wrong(["chair", "stool", "bed", "rug", "plant"], true=["armchair"], draw=draw) is not None
    assert choose_wrong(["chair", "stool", "bed", "rug"], true=["armchair"], draw=draw) is None
    assert choose_wrong(["office chair", "bed", "rug"], true=["desk chair"], draw=draw) is None


def test_candidates_when_groups_repeat_a_category_then_it_comes_once_and_first_groups_first() -> None:
    found = candidates_in_order(["b", "a", ""], ["c", "a"], draw=SeededRandom("x"))
    assert sorted(found) == ["a", "b", "c"]
    assert found[2] == "c"


def test_words_when_made_then_they_read_as_english() -> None:
    assert [heading_text(hour) for hour in (0, 1, 2, 11)] == [
        "up", "up, a little right", "right, a little up", "up, a little left",
    ]  # fmt: skip
    assert len({heading_text(hour) for hour in range(12)}) == 12
    assert [plural(word) for word in ("study", "balcony", "hallway", "porch", "gym")] == [
        "studies", "balconies", "hallways", "porches", "gyms",
    ]  # fmt: skip
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert [ordinal(1, of=1), ordinal(1, of=2), ordinal(2, of=2)] == ["only", "first", "second"]
    assert not are_apart(["gym, kitchen and living room", "bedroom, kitchen and living room"])


def _with(facts: SceneFacts, **fields: object) -> SceneFacts:
    return dataclasses.replace(facts, **fields)  # type: ignore[arg-type]
