from __future__ import annotations

from collections.abc import Iterable

import pytest

from annotator.domain.item import Item
from annotator.errors import Cancelled
from annotator.progress import Progress
from annotator.release import release_items
from annotator.release.release_filter import ReleaseFilter, WithholdReason
from annotator.release.release_items import RecordLookup, ReleaseCounts, ReleaseItems, has_nul
from tests.unit.release.samples import SCENE, UAV1, KnownRecords, aircop_item, flag, label, lookup_of

ITEMS = [aircop_item(name=f"item {n}") for n in range(5)]


class _Form:
    """Holds every item but the last."""

    def refusal(self, record: Item, *, lookup: RecordLookup) -> WithholdReason | None:
        assert lookup.scene(record.scene) is SCENE
        return WithholdReason(kind="format:last", message="It is the last.") if record is ITEMS[-1] else None

    def member_name(self, record: Item, *, lookup: RecordLookup) -> str:
        return record.name


def _members(
    items: Iterable[Item], *, release_filter: ReleaseFilter | None = None, progress: Progress | None = None
) -> ReleaseItems[Item]:
    return ReleaseItems(
        lambda: iter(list(items)),
        exporter=_Form(),
        release_filter=release_filter or ReleaseFilter(),
        lookup=RecordLookup(KnownRecords()),
        progress=progress or Progress(),
        public=lambda record: record,
    )


def test_members_when_gate_and_form_object_then_the_rest_passes_in_order() -> None:
    release_filter = ReleaseFilter()
    release_filter.add_flags([flag(ITEMS[1])])
    found = _members(ITEMS, release_filter=release_filter)
    assert list(found) == [ITEMS[0], ITEMS[2], ITEMS[3]]
    told = [(record.name, record.reasons[0].kind) for record in found.withheld]
    assert told == [("item 1", "flag:key_wrong"), ("item 4", "format:last")]
    assert found.totals.records == 3
    assert found.totals.sorted_counts() == {
        "dataset": {"Real_2_UAVs": 3},
        "state": {"drafted": 3},
        "task": {"aircop/object_counting": 3},
    }


def test_members_when_they_pass_twice_then_they_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_items, "BATCH", 2)
    found = _members(ITEMS)
    assert list(found) == list(found)
    assert (found.totals.records, len(found.withheld)) == (4, 1)


def test_members_when_a_text_holds_nul_then_the_record_is_withheld() -> None:
    found = _members([aircop_item(question="a\0b"), ITEMS[0]])
    assert list(found) == [ITEMS[0]]
    assert found.withheld[0].reasons[0].kind == "format:text"


def test_has_nul_when_the_text_only_spells_the_escape_then_there_is_none() -> None:
    assert not has_nul(aircop_item(question="\\u0000"))
    assert has_nul(aircop_item(question="\\\0"))


def test_members_when_cancelled_then_the_pass_ends() -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        list(_members(ITEMS, progress=progress))


def test_lookup_when_a_batch_follows_then_the_one_before_is_forgotten() -> None:
    lookup = lookup_of(aircop_item())
    assert lookup.medium(UAV1.id) is UAV1
    lookup.prepare([aircop_item(scene="", media=())])
    assert lookup.medium(UAV1.id) is None
    assert lookup.scene(SCENE.id) is None


def test_dataset_of_when_there_is_no_scene_then_the_first_medium_tells() -> None:
    alone = aircop_item(scene="")
    assert lookup_of(alone).dataset_of(alone) == "Real_2_UAVs"
    answered = label(scene="")
    assert lookup_of(answered).dataset_of(answered) == "Real_2_UAVs"
    lost = aircop_item(scene="", media=())
    assert lookup_of(lost).dataset_of(lost) == ""


def test_members_sha256_when_datasets_are_interleaved_then_only_the_order_within_each_counts() -> None:
    def digest(*names: tuple[str, str]) -> str:
        totals = ReleaseCounts()
        for dataset, name in names:
            totals.add(ITEMS[0], name=name, dataset=dataset)
        return totals.members_sha256

    one = digest(("x", "1"), ("y", "2"), ("x", "3"))
    assert one == digest(("x", "1"), ("x", "3"), ("y", "2"))
    assert one != digest(("x", "3"), ("x", "1"), ("y", "2"))
    assert one != digest(("x", "13"), ("y", "2"))
