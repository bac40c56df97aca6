"""What the recipes read out of replies, and which subjects they find."""

from __future__ import annotations

import json

import pytest

from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.medium import Medium
from annotator.domain.scene import Scene, SceneView
from annotator.draft.llm.drafted_question import question_problems
from annotator.draft.llm.flight_replies import caption_text, read_caption, read_parts
from annotator.draft.llm.pipeline import DraftSubject
from annotator.draft.llm.pipelines import PIPELINES
from annotator.draft.llm.question_parser import ParsedQuestion, RejectedReply
from annotator.draft.llm.text_parser import parse_text
from annotator.draft.llm.urbanvideo import read_elements
from annotator.draft.rule_result import SkippedItem
from annotator.draft.scene_facts import SceneFacts

VIDEO = Medium(id="f", name="f.mp4", media_type="video")


def _material(*media: Medium, labels: tuple[EventLabel, ...] = (), **fields: object) -> SceneFacts:
    views = tuple(
        SceneView(name=f"UAV{index}", medium=medium.id) for index, medium in enumerate(media, start=1)
    )
    scene = Scene(id="s", name="m", views=views, **fields)  # type: ignore[arg-type]
    flags = (Flag(entity="event_label", target="l", kind="x", field="why[0]"),)
    return SceneFacts(
        scene=scene,
        labels=labels,
        open_flags={"l": flags} if "flagged" in scene.tags else {},
        media={medium.id: medium for medium in media},
    )


def _tasks(task_set: str, material: SceneFacts) -> dict[str, set[str]]:
    found = PIPELINES[task_set].subjects(material, seed=0)
    return {one.view: set(one.tasks) for one in found if isinstance(one, DraftSubject)}


@pytest.mark.parametrize(
    ("facts", "some", "others"),
    [
        ({}, {"causal", "duration"}, {"goal_detection", "progress_evaluation", "landmark_position"}),
        ({"destination": "the mill"}, {"goal_detection", "landmark_position"}, {"progress_evaluation"}),
        ({"movement_instructions": ["Rise.", "Turn."]}, {"progress_evaluation"}, {"goal_detection"}),
        ({"destination": 7}, {"causal"}, {"goal_detection"}),
    ],
    ids=["video", "goal", "route", "no text"],
)
def test_urbanvideo_when_a_clip_comes_with_facts_then_they_decide_its_tasks(
    facts: dict[str, object], some: set[str], others: set[str]
) -> None:
    tasks = _tasks("urbanvideo", _material(VIDEO, metadata=facts))[""]

    assert some <= tasks
    assert not others & tasks


def test_urbanvideo_when_a_route_is_a_list_then_its_steps_are_numbered() -> None:
    material = _material(VIDEO, metadata={"movement_instructions": ["Rise.", "Turn left."]})
    subject = next(iter(PIPELINES["urbanvideo"].subjects(material, seed=0)))

    assert isinstance(subject, DraftSubject)
    assert subject.slots["route"] == "1. Rise; 2. Turn left"


def _label(**fields: object) -> EventLabel:
    told = {"id": "l", "view": "UAV1", "quality": 2, "when": True, "why": ("noise",)}
    told |= {"degradations": ("noise",)}
    return EventLabel(**(told | fields))  # type: ignore[arg-type]


CONDITIONED = {"causal_assessment", "what_to_collaborate", "why_to_collaborate"}


@pytest.mark.parametrize(
    ("labels", "tags", "expected"),
    [
        ((), (), set()),
        ((_label(),), (), CONDITIONED),
        ((_label(quality=4),), (), CONDITIONED - {"causal_assessment"}),
        ((_label(when=False),), (), {"causal_assessment"}),
        ((_label(why=("something else",)),), (), CONDITIONED - {"why_to_collaborate"}),
        ((_label(),), ("flagged",), CONDITIONED - {"why_to_collaborate"}),
        ((_label(), _label(id="m")), (), set()),
        ((_label(degradations=None),), (), CONDITIONED - {"why_to_collaborate"}),
        (
            (_label(degradations=("occlusion", "shadow", "small_target", "noise")),),
            (),
            CONDITIONED - {"why_to_collaborate"},
        ),
        ((_label(state="open"),), (), set()),
    ],
    ids=[
        "no label",
        "all",
        "good",
        "alone",
        "unknown reason",
        "contradiction",
        "two labels",
        "no degradations",
        "too few excluded reasons",
        "not finished",
    ],
)
def test_aircop_when_labels_differ_then_conditions_decide_the_tasks(
    labels: tuple[EventLabel, ...], tags: tuple[str, ...], expected: set[str]
) -> None:
    pictures = (Medium(id="a", name="a.jpg"), Medium(id="b", name="b.jpg"))

    tasks = _tasks("aircop", _material(*pictures, labels=labels, tags=tags))

    assert tasks["UAV1"] & CONDITIONED == expected
    assert tasks[""] == {"scene_comparison", "observing_posture"}


def test_aircop_when_there_is_one_view_then_nothing_is_compared() -> None:
    tasks = _tasks("aircop", _material(Medium(id="a", name="a.jpg"), labels=(_label(),)))

    assert tasks == {
        "UAV1": {"scene_description", "object_recognition", "object_grounding", "causal_assessment"}
    }


@pytest.mark.parametrize(
    ("task_set", "material", "text"),
    [
        ("aircop", _material(VIDEO), "not images"),
        ("urbanvideo", _material(Medium(id="a", name="a.jpg")), "no video"),
        ("indooruav", _material(VIDEO), "no flight"),
    ],
)
def test_subjects_when_a_scene_has_nothing_for_them_then_say_why(
    task_set: str, material: SceneFacts, text: str
) -> None:
    (found,) = PIPELINES[task_set].subjects(material, seed=0)

    assert isinstance(found, SkippedItem)
    assert text in found.reason


@pytest.mark.parametrize(
    "reply",
    [
        '{"movements": ["fly forward, the road"], "objects": ["mill, left"]}',
        """```json
        {"movements": [{"movement": "fly forward", "landmark": "the road"},],
         "objects": [{"where": "left", "name": "mill"}]}
        ```""",
        '{"movements": {"1": "fly forward, the road"}, "objects": {"a": {"is": "mill", "position": "left"}}}',
    ],
)
def test_read_elements_when_the_shape_is_another_then_gives_the_same_lines(reply: str) -> None:
    assert read_elements(reply) == {"movements": ["fly forward, the road"], "objects": ["mill, left"]}


@pytest.mark.parametrize(
    "reply", ["", "none", '{"movements": []}', '{"movements": ["a"], "objects": [{}, 3]}']
)
def test_read_elements_when_lists_are_missing_then_says_which(reply: str) -> None:
    found = read_elements(reply)

    assert isinstance(found, RejectedReply)
    assert "list" in found.problems[0]


def test_read_caption_when_words_differ_then_are_those_of_the_lists() -> None:
    told = {"place": "hall", "objects": [{"name": "sofa", "distance": "Close/near", "side": "Center"}]}

    caption = read_caption(json.dumps(told))

    assert caption_text(caption) == "hall: sofa (near, centre)"
    assert caption_text(None) == ""


@pytest.mark.parametrize(
    "told",
    [{}, {"place": "hall"}, {"place": "", "objects": []}, {"place": "hall", "objects": [{"name": "sofa"}]}],
)
def test_read_caption_when_something_is_missing_then_refuses(told: dict[str, object]) -> None:
    assert isinstance(read_caption(json.dumps(told)), RejectedReply)


@pytest.mark.parametrize(
    ("reply", "actions"),
    [
        ([{"text": "Turn left, fly on", "actions": ["turn", "forward"]}], [["turn", "forward"]]),
        ([{"instruction": "Turn left, fly on", "action": "Turn left"}], [["turn"]]),
        ([{"text": "Turn left, fly on", "actions": ["Move sideways", "ascend", "go ahead"]}],
         [["right_left", "up_down", "forward"]]),
    ],
)  # fmt: skip
def test_read_parts_when_actions_are_in_words_then_are_kinds(reply: object, actions: list[list[str]]) -> None:
    for told in (reply, {"parts": reply}):
        found = read_parts(json.dumps(told), whole="Turn left, fly on.")
        assert not isinstance(found, RejectedReply)
        assert [part["actions"] for part in found] == actions


@pytest.mark.parametrize(
    "reply", ["", "[]", '[{"text": ""}]', '["Turn left, fly on"]', '[{"text": "Turn left, fly on"}]']
)
def test_read_parts_when_there_are_none_or_without_actions_then_refuses(reply: str) -> None:
    assert isinstance(read_parts(reply, whole="Turn left, fly on."), RejectedReply)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("I fly over the wide road.", "I fly over the wide road."),
        ('{"narration": "I fly over the wide road."}', "I fly over the wide road."),
        ("<think>hm</think>\n```\nI fly over\tthe wide road.\n```", "I fly over the wide road."),
        ("我飞过宽阔的马路。", "我飞过宽阔的马路。"),
        ("I cannot see the road any more now.", "I cannot see the road any more now."),
    ],
)
def test_read_prose_when_it_says_something_then_is_its_text(reply: str, expected: str) -> None:
    assert parse_text(reply, members=("narration",), fewest_words=6, most_letters=50) == expected


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "too short",
        "I'm sorry, but I can not do that for you.",
        "I cannot view the video, sorry.",
        "a b " * 50,
    ],
)
def test_read_prose_when_it_says_nothing_then_refuses(reply: str) -> None:
    assert isinstance(parse_text(reply, members=(), fewest_words=6, most_letters=50), RejectedReply)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (ParsedQuestion(right="a", wrong=("b", "c")), "question"),
        (ParsedQuestion(question="q", right="a", wrong=("b",)), "exactly 3"),
        (ParsedQuestion(question="q", right="a", wrong=("", "c")), "empty"),
        (ParsedQuestion(question="q", right="a", wrong=("b", "All of the above")), "other options"),
        (ParsedQuestion(question="q", right="a", wrong=("b", "Both A and B")), "other options"),
    ],
)
def test_question_problems_when_a_question_is_unfit_then_says_why(written: ParsedQuestion, text: str) -> None:
    assert text in " ".join(question_problems(written, options=3))


def test_question_problems_when_it_is_fit_then_are_none() -> None:
    written = ParsedQuestion(question="q", right="Answer a call", wrong=("Plan B is taken", "Option"))

    assert question_problems(written, options=3) == ()
