from __future__ import annotations

from typing import Any

import pytest

from annotator.domain.contradictions import Contradiction, find_contradictions
from annotator.domain.event_label import EventLabel, ObjectCount, PercentBox

VIEWS = ("UAV1", "UAV2", "UAV3")


def box(*labels: str, **fields: Any) -> PercentBox:
    return PercentBox(**{"x": 10, "y": 10, "width": 20, "height": 20, "labels": labels, **fields})


def label(**fields: Any) -> EventLabel:
    """Make a label that contradicts itself nowhere, with some fields changed."""
    sound = {
        "view": "UAV1",
        "quality": 3,
        "usable": True,
        "count": ObjectCount(value=7),
        "when": True,
        "what_boxes": (box("more_information"),),
        "who": ("UAV2",),
        "why": ("occlusion",),
    }
    return EventLabel(**{**sound, **fields})


def found(label: EventLabel) -> list[tuple[str, str, str]]:
    return [(c.kind, c.field, c.severity) for c in find_contradictions(label, views=VIEWS)]


def test_contradictions_when_label_is_sound_then_none() -> None:
    assert found(label()) == []
    assert found(label(when=False, what_boxes=None, who=(), why=())) == []
    assert found(label(usable=False, quality=3)) == []


@pytest.mark.parametrize(
    ("fields", "kind", "field", "severity"),
    [
        ({"quality": None}, "answer_missing", "quality", "warning"),
        ({"usable": None}, "answer_missing", "usable", "warning"),
        ({"count": None}, "answer_missing", "count", "warning"),
        ({"usable": False, "quality": 4}, "unavailable_though_good", "usable", "warning"),
        ({"count": ObjectCount(value=60, approximate=True)}, "count_not_integer", "count", "warning"),
        ({"count": ObjectCount()}, "count_not_integer", "count", "warning"),
        ({"degradations": ("occlusion",)}, "occlusion_without_rect", "degradations", "warning"),
        ({"degradations": ("small_target",)}, "small_without_rect", "degradations", "warning"),
        ({"degradations": ("out_of_fov",)}, "fov_without_rect", "degradations", "warning"),
        ({"degradations": ("shadow",)}, "shadow_without_rect", "degradations", "warning"),
        ({"issue_boxes": (box("occluded"),)}, "rect_without_tick", "issue_boxes", "warning"),
        ({"degradations": ("others",)}, "others_without_text", "other_degradation", "warning"),
        ({"other_degradation": "haze"}, "text_without_others", "degradations", "warning"),
        ({"when": None}, "when_missing", "when", "error"),
        ({"what_boxes": None}, "what_missing", "what_boxes", "warning"),
        ({"what_boxes": ()}, "what_missing", "what_boxes", "warning"),
        ({"who": ()}, "partner_missing", "who", "error"),
        ({"who": None}, "partner_missing", "who", "error"),
        ({"why": None}, "why_missing", "why", "warning"),
        ({"who": ("UAV1",)}, "partner_is_self", "who", "error"),
        ({"who": ("UAV2", "UAV11")}, "partner_unknown", "who", "error"),
        ({"what_boxes": (box(),)}, "rect_unlabelled", "what_boxes[0]", "warning"),
        ({"what_boxes": (box("x", width=0),)}, "rect_empty", "what_boxes[0]", "warning"),
        ({"what_boxes": (box("x"), box("x", x=90))}, "rect_outside", "what_boxes[1]", "warning"),
        ({"what_boxes": (box("x", y=-1),)}, "rect_outside", "what_boxes[0]", "warning"),
        (
            {"what_boxes": tuple(box("x", image_width_px=w, image_height_px=9) for w in (1600, 3840))},
            "image_size_differs",
            "what_boxes",
            "note",
        ),
    ],
)
def test_contradiction_when_one_thing_is_wrong_then_found_alone(
    fields: dict[str, Any], kind: str, field: str, severity: str
) -> None:
    assert found(label(**fields)) == [(kind, field, severity)]


def test_given_without_need_when_no_partner_is_needed_then_each_answer_is_named() -> None:
    assert found(label(when=False)) == [
        ("given_without_need", "what_boxes", "warning"),
        ("given_without_need", "who", "warning"),
        ("given_without_need", "why", "warning"),
    ]


def test_partners_when_own_view_is_not_known_then_not_compared() -> None:
    assert found(label(view="", who=("UAV1", "UAV9"))) == []


def test_rects_when_rotated_or_off_by_rounding_then_not_outside() -> None:
    assert found(label(what_boxes=(box("x", x=95, rotation=30.0), box("x", x=-5.5e-17)))) == []


def test_rects_when_each_label_is_ticked_then_no_contradiction_and_none_counts_twice() -> None:
    boxes = (box("occluded"), box("occluded"), box("too_small"))
    assert found(label(issue_boxes=boxes, degradations=("occlusion",))) == [
        ("rect_without_tick", "issue_boxes", "warning")
    ]


def test_messages_when_read_then_they_name_the_values() -> None:
    (unknown,) = find_contradictions(label(who=("UAV2", "UAV11")), views=VIEWS)
    assert unknown == Contradiction(
        kind="partner_unknown",
        field="who",
        severity="error",
        message="UAV11 is not in the scene, which has UAV1, UAV2, UAV3.",
    )
    (count,) = find_contradictions(label(count=ObjectCount(value=60, approximate=True)), views=VIEWS)
    assert "60" in count.message
