from __future__ import annotations

import re
from pathlib import Path

import pytest

from annotator.domain import contradictions, task_set_files
from annotator.domain.event_form import ANSWERS, copy_answers, find_form_problems, is_asked
from annotator.domain.event_label import EventLabel, ObjectCount, PercentBox

VIEWS = ("UAV1", "UAV2", "UAV3")
BOX = PercentBox(x=1, y=1, width=5, height=5, labels=("occluded",))
FULL = EventLabel(
    id="a" * 32,
    view="UAV1",
    quality=3,
    usable=True,
    object_types=("vehicles",),
    count=ObjectCount(value=7),
    degradations=("occlusion",),
    issue_boxes=(BOX,),
    when=True,
    what_boxes=(PercentBox(x=1, y=1, width=5, height=5, labels=("more_information",)),),
    who=("UAV2",),
    why=("occlusion",),
)


def _changed(**fields: object) -> EventLabel:
    return EventLabel(**({name: getattr(FULL, name) for name in FULL.__struct_fields__} | fields))


def test_form_fields_when_compared_with_the_label_then_each_answer_has_a_field_with_a_key_of_its_own() -> (
    None
):
    fields = task_set_files.builtin("aircop").form_fields
    assert tuple(field.id for field in fields) == ANSWERS
    assert len({field.key for field in fields}) == len(fields)


def test_problems_when_a_label_is_complete_then_there_are_none() -> None:
    assert find_form_problems(FULL, views=VIEWS) == {}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"quality": None}, "quality"),
        ({"usable": False, "quality": 5}, "usable"),
        ({"count": None}, "count"),
        ({"count": ObjectCount(value=None)}, "count"),
        ({"degradations": ("occlusion", "shadow")}, "degradations"),
        ({"degradations": ("occlusion", "others")}, "other_degradation"),
        ({"issue_boxes": (BOX, PercentBox(x=1, y=1, width=5, height=5))}, "issue_boxes"),
        ({"when": None, "what_boxes": (), "who": (), "why": ()}, "when"),
        ({"what_boxes": ()}, "what_boxes"),
        ({"who": ()}, "who"),
        ({"who": ("UAV1",)}, "who"),
        ({"who": ("UAV9",)}, "who"),
        ({"why": ()}, "why"),
        ({"copied": ("quality",)}, "quality"),
    ],
)
def test_problems_when_an_answer_is_missing_or_contradicts_then_they_stand_at_its_field(
    fields: dict[str, object], field: str
) -> None:
    assert set(find_form_problems(_changed(**fields), views=VIEWS)) == {field}


def test_problems_when_the_count_is_approximate_then_it_is_an_answer() -> None:
    label = _changed(count=ObjectCount(value=60, approximate=True))
    assert find_form_problems(label, views=VIEWS) == {}


@pytest.mark.parametrize("field", ["what_boxes", "who", "why"])
def test_is_asked_when_no_other_view_is_needed_then_only_given_answers_are_shown(field: str) -> None:
    assert is_asked(EventLabel(when=True), field)
    assert not is_asked(EventLabel(when=None), field)
    assert not is_asked(EventLabel(when=False), field)
    assert is_asked(_changed(when=False), field)


def test_is_asked_when_other_is_selected_then_its_text_is_asked_for() -> None:
    assert not is_asked(FULL, "other_degradation")
    assert is_asked(_changed(degradations=("others",)), "other_degradation")
    assert is_asked(FULL, "quality")


def test_copy_answers_when_fields_are_answered_then_only_the_others_are_copied_and_marked() -> None:
    target = EventLabel(view="UAV1", quality=5, when=True)
    copied = copy_answers(FULL, target, views=("UAV2", "UAV3"))
    assert (copied.quality, copied.count, copied.who) == (5, FULL.count, ("UAV2",))
    assert copied.copied == tuple(
        name for name in ANSWERS if name not in ("quality", "when", "other_degradation")
    )


def test_copy_answers_when_another_view_is_the_source_then_the_two_help_each_other() -> None:
    source = _changed(view="UAV2", who=("UAV1", "UAV3", "UAV9"))
    copied = copy_answers(source, EventLabel(view="UAV1"), views=("UAV2", "UAV3"))
    assert copied.who == ("UAV2", "UAV3")


def test_kinds_when_compared_with_the_code_then_every_kind_is_listed() -> None:
    code = Path(contradictions.__file__).read_text(encoding="utf-8")
    assert set(re.findall(r'kind="(\w+)"', code)) <= contradictions.KINDS


@pytest.mark.parametrize(("when", "is_copied"), [(False, False), (None, True), (True, True)])
def test_copy_when_the_target_needs_no_other_view_then_what_depends_on_it_is_left(
    when: bool | None, is_copied: bool
) -> None:
    target = EventLabel(id="b" * 32, view="UAV3", when=when)
    made = copy_answers(FULL, target, views=("UAV1", "UAV2"))
    assert (made.quality, made.count) == (FULL.quality, FULL.count)
    assert (made.why is not None, made.who is not None, made.what_boxes is not None) == (is_copied,) * 3
