"""The subset of a release: a share of each task, the same wherever it is drawn."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.releases import CreateRelease
from annotator.domain.stratified_sample import draw_items
from annotator.errors import UserError
from annotator.release.manifest import read_manifest, verify_release
from annotator.release.released_splits import SUBSET_LIST
from annotator.release.subset import SubsetSettings
from annotator.session import Session
from tests.unit.release.samples import aircop_item, fill, release, released_again

COUNTS = {"object_counting": 23, "object_recognition": 10, "scene_comparison": 1}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "p.vantage"
    items = [
        aircop_item(name=f"{task}{n}", task=task, question=f"How many cars are in picture {task} {n}?")
        for task, count in COUNTS.items()
        for n in range(count)
    ]
    with Session.create(path) as session:
        fill(session, *items)
    return path


@pytest.fixture
def own(project: Path) -> Iterator[Session]:
    with Session.open(project) as opened:
        yield opened


def listed(folder: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (folder / SUBSET_LIST).read_text().splitlines()]


def test_subset_when_written_then_has_its_share_of_each_task(own: Session, tmp_path: Path) -> None:
    settings = SubsetSettings(share=0.2, seed=3)
    report = release(own, tmp_path / "out", "native", subset=settings, include_flagged=True)
    entries = listed(tmp_path / "out")
    counts = Counter(entry["task"] for entry in entries)
    assert counts == {f"aircop/{task}": max(1, math.ceil(count * 0.2)) for task, count in COUNTS.items()}
    names = [f"aircop/object_counting/object_counting{n}" for n in range(COUNTS["object_counting"])]
    drawn = {f"{entry['task']}/{entry['name']}" for entry in entries if entry["task"].endswith("counting")}
    assert drawn == set(draw_items(names, share=0.2, seed=3))
    stated = read_manifest(tmp_path / "out").subset
    assert stated
    assert (stated.share, stated.seed, stated.items, stated.tasks) == (0.2, 3, len(entries), counts)
    assert report.to_json()["subset"]["items"] == len(entries)
    assert verify_release(tmp_path / "out") == []
    assert (
        "20% of each task, seed 3. subset.jsonl lists the items."
        in (tmp_path / "out" / "README.md").read_text()
    )


def test_subset_when_the_release_is_imported_and_released_again_then_is_the_same(
    own: Session, tmp_path: Path
) -> None:
    settings = SubsetSettings(share=0.2)
    release(own, tmp_path / "out", "aircop", subset=settings, include_flagged=True)
    (tmp_path / "file").mkdir()
    for path in (tmp_path / "out").glob("VQA_*.json"):
        (tmp_path / "file" / path.name).write_bytes(path.read_bytes())
    again = released_again(
        tmp_path / "file", path=tmp_path / "again", form="aircop", subset=settings, include_flagged=True
    )
    assert listed(tmp_path / "out") == listed(again)


def test_subset_when_the_seed_differs_then_so_do_the_items(own: Session, tmp_path: Path) -> None:
    for seed in (1, 2):
        release(
            own, tmp_path / str(seed), "native", subset=SubsetSettings(share=0.2, seed=seed),
            include_flagged=True,
        )  # fmt: skip
    assert listed(tmp_path / "1") != listed(tmp_path / "2")


@pytest.mark.parametrize("share", [0.0, 1.0, -0.2, 20.0, float("nan")])
def test_subset_when_the_share_makes_no_sense_then_is_refused(
    own: Session, tmp_path: Path, share: float
) -> None:
    command = CreateRelease(out=tmp_path / "out", export_format="native", subset=SubsetSettings(share=share))
    with pytest.raises(UserError, match="is not above 0 and below 100 percent"):
        own.execute(command).result()


def test_subset_when_the_format_has_no_items_then_is_refused(own: Session, tmp_path: Path) -> None:
    command = CreateRelease(out=tmp_path / "out", export_format="coco", subset=SubsetSettings(share=0.2))
    with pytest.raises(UserError, match="contains no items of which a subset"):
        own.execute(command).result()
