"""The same events give the same bytes, also on workstations that merged them in different orders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotator.commands.release_gates import RequireGates
from annotator.domain.query import ItemQuery
from annotator.release.manifest import verify_release
from annotator.release.splits import Split, SplitSettings
from tests.unit.release.exporters.test_coco import REGIONS
from tests.unit.release.samples import (
    AddRecords,
    aircop_item,
    fill,
    label,
    release,
    spatialuav_item,
    urbanvideo_item,
)
from tests.unit.store.bundles.workstations import Workstation, joined

FORMS = (
    "aircop", "aircop-labels", "coco", "cvat", "huggingface", "label-values", "native", "sharegpt",
    "spatialuav", "urbanvideo", "urbanvideo-parquet", "vlmevalkit",
)  # fmt: skip


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> list[Workstation]:
    """Give three workstations with the same records, which arrived in another order on each."""
    ann, bob, eve = joined(tmp_path_factory.mktemp("merged"), "ann", "bob", "eve")
    with ann.open() as session:
        fill(session, aircop_item(), *REGIONS[:2], label())
    # Everybody has the scenes; what is made of them arrives in different orders.
    start = ann.bundle()
    bob.merge(start)
    eve.merge(start)
    accepted: dict[str, Any] = {"state": "accepted"}
    made = {
        eve: (urbanvideo_item(name="1002", **accepted), aircop_item(name="e", **accepted), REGIONS[3]),
        ann: (aircop_item(name="a", **accepted), spatialuav_item(**accepted), REGIONS[2]),
        bob: (aircop_item(name="b", **accepted), urbanvideo_item(**accepted), REGIONS[4], label(quality=2)),
    }
    for one, records in made.items():
        with one.open() as session:
            session.execute(AddRecords(records)).result()
    handed = {one.actor.name: one.bundle() for one in (ann, bob, eve)}
    for one, order in ((ann, ("bob", "eve")), (bob, ("eve", "ann")), (eve, ("ann", "bob"))):
        one.merge(*(handed[name] for name in order))
    return [ann, bob, eve]


@pytest.mark.parametrize("form", FORMS)
def test_release_when_workstations_merged_in_other_orders_then_the_bytes_are_equal(
    merged: list[Workstation], tmp_path: Path, form: str
) -> None:
    outs = []
    for one in merged:
        with one.open() as session:
            release(session, out := tmp_path / one.actor.name, form, include_flagged=True)
        outs.append({file.relative_to(out): file.read_bytes() for file in out.rglob("*") if file.is_file()})
    assert outs[0] == outs[1] == outs[2]
    assert not any(verify_release(tmp_path / one.actor.name) for one in merged)


def test_release_when_gates_and_splits_are_stated_after_merges_then_the_bytes_are_equal(
    merged: list[Workstation], tmp_path: Path
) -> None:
    outs = []
    for one in merged:
        with one.open() as session:
            session.execute(RequireGates(gates=("flags", "forks", "letters"))).result()
            splits = SplitSettings(
                splits=(Split(name="train", share=0.5), Split(name="test", share=0.5)), seed=7
            )
            accepted = ItemQuery(states=("accepted",))
            out = tmp_path / one.actor.name
            release(session, out, "huggingface", selection=accepted, splits=splits)
            session.undo().result()
            session.undo().result()
        outs.append({file.relative_to(out): file.read_bytes() for file in out.rglob("*") if file.is_file()})
    assert outs[0] == outs[1] == outs[2]
