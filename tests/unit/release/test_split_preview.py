"""The preview of splits and subset: what it counts is what a release contains."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.release.exporters import EXPORTERS
from annotator.release.manifest import read_manifest
from annotator.release.split_preview import preview_division
from annotator.release.splits import Split, SplitSettings
from annotator.release.subset import SubsetSettings
from annotator.session import Session
from tests.unit.release.samples import aircop_item, fill, flag, release
from tests.unit.store.bundles.workstations import joined

SPLITS = SplitSettings(splits=(Split(name="train", share=0.75), Split(name="test", share=0.25)), seed=4)
SUBSET = SubsetSettings(share=0.2, seed=4)


def test_preview_when_items_are_withheld_then_counts_what_the_release_contains(tmp_path: Path) -> None:
    items = [
        aircop_item(
            name=f"q{n}", question=f"How many cars are in picture {n}?", scene="", media=(f"{n:032x}",),
            task="object_counting" if n % 3 else "object_recognition", state="accepted",
        )
        for n in range(24)
    ]  # fmt: skip
    others = [aircop_item(name="no", state="rejected"), aircop_item(name="flagged", state="accepted")]
    selection = ItemQuery(states=("accepted",))
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *items, *others, flag(others[1]))
        with session.reader.snapshot():
            preview = preview_division(
                session.reader, selection, exporter=EXPORTERS["native"], include_flagged=False, splits=SPLITS,
                subset=SUBSET,
            )  # fmt: skip
            none = preview_division(
                session.reader, selection, exporter=EXPORTERS["native"], include_flagged=False, splits=None,
                subset=None,
            )  # fmt: skip
        release(session, tmp_path / "out", "native", splits=SPLITS, subset=SUBSET, selection=selection)
    assert (none.splits, none.subset, none.tasks) == (None, None, preview.tasks)
    stated = read_manifest(tmp_path / "out")
    assert stated.splits
    assert stated.subset
    assert dict(preview.tasks) == stated.counts["task"]
    assert preview.splits is not None
    assert {name: sum(tasks.values()) for name, tasks in preview.splits.items()} == stated.splits.items
    lines = (tmp_path / "out" / "splits.jsonl").read_text(encoding="utf-8").splitlines()
    counted = Counter((entry["split"], entry["task"]) for entry in map(json.loads, lines))
    assert counted == {(name, task): n for name, tasks in preview.splits.items() for task, n in tasks.items()}
    assert (preview.groups, preview.subset) == (stated.splits.groups, stated.subset.tasks)


def test_preview_when_bundles_were_merged_in_another_order_then_counts_the_same(tmp_path: Path) -> None:
    ann, bob, one, other = joined(tmp_path, "ann", "bob", "one", "other")
    for station, names in ((ann, range(9)), (bob, range(9, 20))):
        station.add(*(aircop_item(name=f"q{n}", scene="", media=(f"{n // 2:032x}",)) for n in names))
    handed = [ann.bundle(), bob.bundle()]
    one.merge(*handed)
    for bundle in reversed(handed):
        other.merge(bundle)
    found = []
    for station in (one, other):
        with station.open() as session, session.reader.snapshot():
            preview = preview_division(
                session.reader, ItemQuery(), exporter=EXPORTERS["native"], include_flagged=True,
                splits=SPLITS, subset=SUBSET,
            )  # fmt: skip
            found.append((preview, [item.name for item in session.reader.records(Item)]))
    assert found[0][0] == found[1][0]
    assert found[0][1] != found[1][1]
