from __future__ import annotations

import pytest

from annotator.domain.item import Item
from annotator.domain.review import ForkedField
from annotator.quality.finding import Finding
from annotator.release.release_filter import ReleaseFilter, WithheldRecord, WithholdReason, count_reasons
from tests.unit.release.samples import aircop_item, flag

ITEM = aircop_item()


def _finding(item: Item = ITEM, **fields: str) -> Finding:
    sound = {"check": "duplicate_options", "severity": "error", "entity": "item", "target": item.id}
    return Finding(**({"field": "", "message": "Two are equal.", "advice": ""} | sound | fields))  # type: ignore[arg-type]


def _kinds(release_filter: ReleaseFilter) -> list[str]:
    return [reason.kind for reason in release_filter.reasons(ITEM)]


def test_gate_when_an_error_is_open_then_the_item_stays_out_with_its_words() -> None:
    release_filter = ReleaseFilter()
    release_filter.add_flags([flag(ITEM)])
    assert release_filter.reasons(ITEM) == (
        WithholdReason(kind="flag:key_wrong", message="The key is not what the picture shows."),
    )
    assert list(release_filter.withheld_ids) == [ITEM.id]


@pytest.mark.parametrize("fields", [{"severity": "warning"}, {"state": "resolved"}, {"state": "dismissed"}])
def test_gate_when_a_flag_is_no_open_error_then_the_item_passes(fields: dict[str, str]) -> None:
    release_filter = ReleaseFilter()
    release_filter.add_flags([flag(ITEM, **fields)])
    assert _kinds(release_filter) == []
    assert not release_filter.withheld_ids


def test_gate_when_the_flag_is_on_another_kind_of_record_then_nothing_stays_out() -> None:
    release_filter = ReleaseFilter()
    release_filter.add_flags([flag(ITEM, entity="event_label")])
    assert _kinds(release_filter) == []


def test_gate_when_a_check_finds_an_error_then_the_item_stays_out() -> None:
    release_filter = ReleaseFilter()
    release_filter.add_findings([_finding()])
    assert _kinds(release_filter) == ["check:duplicate_options"]


@pytest.mark.parametrize("fields", [{"severity": "warning"}, {"entity": "task"}])
def test_gate_when_a_finding_is_a_warning_or_on_a_task_then_the_item_passes(fields: dict[str, str]) -> None:
    release_filter = ReleaseFilter()
    release_filter.add_findings([_finding(**fields)])
    assert _kinds(release_filter) == []


def test_gate_when_a_person_dismissed_what_the_check_finds_then_the_item_passes() -> None:
    release_filter = ReleaseFilter()
    release_filter.add_flags([flag(ITEM, kind="duplicate_options", state="dismissed")])
    release_filter.add_findings([_finding()])
    assert _kinds(release_filter) == []


def test_gate_when_another_check_was_dismissed_then_the_item_stays_out() -> None:
    release_filter = ReleaseFilter()
    release_filter.add_flags([flag(ITEM, kind="other", state="dismissed")])
    release_filter.add_findings([_finding()])
    assert _kinds(release_filter) == ["check:duplicate_options"]


def test_gate_when_flag_and_finding_say_the_same_then_one_reason_is_told() -> None:
    release_filter = ReleaseFilter()
    release_filter.add_flags([flag(ITEM, kind="duplicate_options")])
    release_filter.add_findings([_finding(), _finding(check="key_in_options")])
    assert _kinds(release_filter) == ["flag:duplicate_options", "check:key_in_options"]


def test_gate_when_a_field_of_the_item_or_of_a_flag_on_it_is_forked_then_the_item_stays_out() -> None:
    forks = [
        ForkedField("item", ITEM.id, "answer_key"),
        ForkedField("flag", "f1", "state"),
        ForkedField("medium", "m1", "path"),
    ]
    release_filter = ReleaseFilter()
    release_filter.add_forks(forks, items={ITEM.id: ITEM.id, "f1": ITEM.id})
    assert release_filter.reasons(ITEM) == (
        WithholdReason(
            kind="fork:answer_key", message="Workstations have changed the item independently: answer_key."
        ),
        WithholdReason(kind="fork:flag", message="Workstations have changed the flag independently: state."),
    )
    permitting = ReleaseFilter(include_flagged=True)
    permitting.add_forks(forks, items={ITEM.id: ITEM.id, "f1": ITEM.id})
    assert not permitting.withheld_ids


def test_gate_when_flagged_items_are_let_through_then_only_states_keep_out() -> None:
    release_filter = ReleaseFilter(include_flagged=True)
    release_filter.add_flags([flag(ITEM)])
    release_filter.add_findings([_finding()])
    assert _kinds(release_filter) == []
    release_filter.add_states([aircop_item(id=ITEM.id, state="rejected")])
    assert _kinds(release_filter) == ["state:rejected"]


def test_gate_when_an_item_is_rejected_and_flagged_then_the_state_is_told_first() -> None:
    release_filter, other = ReleaseFilter(), aircop_item(state="filtered")
    release_filter.add_flags([flag(ITEM)])
    release_filter.add_states([aircop_item(id=ITEM.id, state="rejected"), other])
    assert _kinds(release_filter) == ["state:rejected", "flag:key_wrong"]
    assert release_filter.reasons(other) == (
        WithholdReason(kind="state:filtered", message="The item is filtered."),
    )


def test_count_reasons_when_a_record_has_several_of_a_kind_then_it_counts_once() -> None:
    twice = (WithholdReason(kind="flag:a", message="1"), WithholdReason(kind="flag:a", message="2"))
    withheld = [
        WithheldRecord(entity="item", name="x", reasons=twice),
        WithheldRecord(entity="item", name="y", reasons=(*twice, WithholdReason(kind="check:b", message=""))),
    ]
    assert count_reasons(withheld) == {"check:b": 1, "flag:a": 2}
