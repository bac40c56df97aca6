"""Splits of a release: near their shares, the same on any machine, and no scene or video in two of them."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.releases import CreateRelease
from annotator.domain.medium import Medium
from annotator.domain.scene import Scene, SceneView
from annotator.errors import UserError
from annotator.release.manifest import verify_release
from annotator.release.released_splits import SPLIT_LIST
from annotator.release.splits import Split, SplitSettings, divide
from annotator.session import Session
from tests.unit.release.samples import aircop_item, contents, fill, release, urbanvideo_item

THREE = SplitSettings(
    splits=(Split(name="train", share=0.6), Split(name="dev", share=0.2), Split(name="test", share=0.2))
)
SCENES, ITEMS = 30, 4


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty scenes with four items each; the second scene's image was made from that of the first."""
    path = tmp_path_factory.mktemp("made") / "p.vantage"
    media = [
        Medium(id=f"m{n}", name=f"{n}-UAV1.jpg", dataset="Real", derived_from="m0" if n == 1 else "")
        for n in range(SCENES)
    ]
    scenes = [
        Scene(id=f"s{n}", name=f"{n}", dataset="Real", views=(SceneView(name="UAV1", medium=f"m{n}"),))
        for n in range(SCENES)
    ]
    items = [
        aircop_item(
            id=f"i{n}-{k}", name=f"q{n}-{k}",
            question=f"How many cars with sign {n * 7 + k} are in picture {n}?",
            scene=f"s{n}", media=(f"m{n}",),
        )
        for n in range(SCENES) for k in range(ITEMS)
    ]  # fmt: skip
    with Session.create(path) as session:
        fill(session, *items, positions=(*media, *scenes))
    return path


@pytest.fixture
def own(project: Path, tmp_path: Path) -> Iterator[Session]:
    copy = tmp_path / "own.vantage"
    copy.write_bytes(project.read_bytes())
    with Session.open(copy) as opened:
        yield opened


def listed(folder: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (folder / SPLIT_LIST).read_text().splitlines()]


def test_splits_when_written_then_no_scene_is_divided_and_the_shares_are_met(
    own: Session, tmp_path: Path
) -> None:
    manifest = release(own, tmp_path / "out", "aircop", splits=THREE, include_flagged=True).manifest
    entries = listed(tmp_path / "out")
    assert len(entries) == manifest.records == SCENES * ITEMS
    splits_of = defaultdict(set)
    for entry in entries:
        scene = entry["name"][1:].split("-")[0]
        # The image of scene 1 shows what that of scene 0 shows.
        splits_of["0" if scene == "1" else scene].add(entry["split"])
    assert {len(found) for found in splits_of.values()} == {1}
    counts = Counter(entry["split"] for entry in entries)
    for split in THREE.splits:
        assert abs(counts[split.name] - split.share * len(entries)) <= 2 * ITEMS
    assert manifest.splits
    assert (manifest.splits.items, manifest.splits.groups) == (dict(counts), SCENES - 1)
    assert SPLIT_LIST in {file.name for file in manifest.files}
    assert verify_release(tmp_path / "out") == []
    (tmp_path / "out" / SPLIT_LIST).write_text(
        (tmp_path / "out" / SPLIT_LIST).read_text().replace("dev", "test")
    )
    assert [problem.file for problem in verify_release(tmp_path / "out")] == [SPLIT_LIST]


def test_splits_when_the_seed_is_the_same_then_the_bytes_are_the_same_and_else_not(
    own: Session, tmp_path: Path
) -> None:
    for name, seed in (("one", 1), ("again", 1), ("two", 2)):
        settings = SplitSettings(splits=THREE.splits, seed=seed)
        release(own, tmp_path / name, "aircop", splits=settings, include_flagged=True)
    assert contents(tmp_path / "one") == contents(tmp_path / "again")
    assert listed(tmp_path / "one") != listed(tmp_path / "two")


def test_splits_when_items_are_withheld_then_they_are_in_no_split(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        kept = [aircop_item(name=f"q{n}", question=f"How many cars are in picture {n}?") for n in range(2)]
        fill(session, *kept, aircop_item(name="no", state="rejected"), urbanvideo_item(name="1001"))
        report = release(session, tmp_path / "out", "aircop", splits=THREE)
    assert report.manifest.withheld.records == 2
    assert sorted(entry["name"] for entry in listed(tmp_path / "out")) == ["q0", "q1"]


def test_divide_when_a_group_is_larger_than_a_share_then_the_others_are_as_near_as_they_can() -> None:
    settings = SplitSettings(splits=(Split(name="a", share=0.5), Split(name="b", share=0.5)))
    found = divide([10, 1, 1, 1, 1], keys=list("klmno"), by=settings)
    sizes = Counter()
    for split, size in zip(found, [10, 1, 1, 1, 1], strict=True):
        sizes[split] += size
    assert max(sizes.values()) <= 12
    assert min(sizes.values()) >= 2


@pytest.mark.parametrize(
    ("splits", "told"),
    [
        ((("a", 1.0),), "two or more different names"),
        ((("a", 0.5), ("a", 0.5)), "two or more different names"),
        ((("", 0.5), ("a", 0.5)), "two or more different names"),
        ((("a", 0.5), ("b", 0.4)), "do not add up"),
        ((("a", 1.5), ("b", -0.5)), "do not add up"),
        ((("a", float("nan")), ("b", 0.5)), "do not add up"),
    ],
)
def test_splits_when_the_settings_make_no_sense_then_are_refused_in_words(
    own: Session, tmp_path: Path, splits: tuple[tuple[str, float], ...], told: str
) -> None:
    settings = SplitSettings(splits=tuple(Split(name=name, share=share) for name, share in splits))
    command = CreateRelease(out=tmp_path / "out", export_format="aircop", splits=settings)
    with pytest.raises(UserError) as caught:
        own.execute(command).result()
    assert told in caught.value.message
    assert not (tmp_path / "out").exists()


def test_splits_when_the_format_has_no_items_then_are_refused(own: Session, tmp_path: Path) -> None:
    command = CreateRelease(out=tmp_path / "out", export_format="aircop-labels", splits=THREE)
    with pytest.raises(UserError, match="contains no items"):
        own.execute(command).result()
