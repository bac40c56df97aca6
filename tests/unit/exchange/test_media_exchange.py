"""Media files in bundles: carried by content, compared, put in their place, and never outside of it."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.event import Edit
from annotator.domain.medium import Medium
from annotator.errors import EnvironmentFailure, UserError
from annotator.exchange import media_exchange
from annotator.exchange.media_exchange import (
    create_from_bundle,
    export_with_media,
    media_to_carry,
    missing_media,
    receive_media,
)
from annotator.exchange.merge_report import merge_bundles
from annotator.media.file_import import Keep
from annotator.media.probe import probe_media
from annotator.progress import Progress
from tests.unit.store.bundles.workstations import Workstation, joined
from tests.unit.store.making import created, write


@pytest.fixture
def team(tmp_path: Path) -> tuple[Workstation, Workstation]:
    ann, bob = joined(tmp_path, "ann", "bob")
    return ann, bob


def export(person: Workstation, *, since: Path | None = None) -> Path:
    target = person.path.parent / f"media-{since is None}.bundle"
    with person.open() as session:
        export_with_media(session, target, since=since, progress=Progress())
    return target


def change(bundle: Path, spoil: Callable[[zipfile.ZipInfo, bytes], tuple[zipfile.ZipInfo, bytes]]) -> None:
    """Write a bundle anew with each entry changed."""
    with zipfile.ZipFile(bundle) as archive:
        entries = [spoil(entry, archive.read(entry)) for entry in archive.infolist()]
    with zipfile.ZipFile(bundle, "w") as archive:
        for entry, content in entries:
            archive.writestr(entry, content)


@pytest.mark.parametrize("keep", ["link", "stay"])
def test_merge_when_the_bundle_carries_media_then_they_are_there_and_the_log_has_no_new_place(
    keep: Keep, team: tuple[Workstation, Workstation], tmp_path: Path
) -> None:
    ann, bob = team
    ann.add_images(tmp_path / "drive", "a.png", "b.png", keep=keep)
    bundle = export(ann)
    with bob.open() as session:
        outcome = merge_bundles(session, [bundle], progress=Progress())
        assert outcome.media is not None
        assert (outcome.media.taken, outcome.media.refused, outcome.media.missing) == (2, (), ())
        files = [session.roots.file_of(one.path) for one in session.reader.records(Medium)]
        assert all(file is not None and file.is_relative_to(bob.path.parent) for file in files)
        assert session.reader.forks.all() == []
    # Both have the same path: two workstations that disagree about places would be forks.
    assert ann.content()["medium"] == bob.content()["medium"]


def test_merge_when_the_bundle_only_names_media_then_they_are_listed_as_missing(
    team: tuple[Workstation, Workstation], tmp_path: Path
) -> None:
    ann, bob = team
    ann.add_images(tmp_path / "drive", "a.png", "b.png")
    with bob.open() as session:
        outcome = merge_bundles(session, [ann.bundle()], progress=Progress())
        assert outcome.media is not None
        assert sorted(outcome.media.missing) == ["a.png", "b.png"]


def test_export_when_an_earlier_bundle_has_media_then_only_the_others_are_carried(
    team: tuple[Workstation, Workstation], tmp_path: Path
) -> None:
    ann, bob = team
    ann.add_images(tmp_path / "drive", "a.png")
    first = export(ann)
    ann.add_images(tmp_path / "more", "z.png", "y.png")
    second = export(ann, since=first)
    with zipfile.ZipFile(second) as archive:
        assert sorted(name.rpartition("/")[2] for name in archive.namelist() if "media/" in name) == ["y.png"]
    with bob.open() as session:
        assert merge_bundles(session, [second, first], progress=Progress()).media.missing == ()  # type: ignore[union-attr]


def test_count_when_a_file_is_gone_then_it_is_named_only(
    team: tuple[Workstation, Workstation], tmp_path: Path
) -> None:
    ann, _bob = team
    ann.add_images(tmp_path / "drive", "a.png", "b.png", keep="stay")
    (tmp_path / "drive" / "b.png").unlink()
    with ann.open() as session:
        found = media_to_carry(session, progress=Progress())
        assert (len(found.files), found.absent) == (1, 1)
        assert found.size_bytes == (tmp_path / "drive" / "a.png").stat().st_size


def test_export_when_a_file_was_changed_since_then_the_bundle_does_not_claim_it(
    team: tuple[Workstation, Workstation], tmp_path: Path
) -> None:
    ann, bob = team
    ann.add_images(tmp_path / "drive", "a.png", keep="stay")
    (tmp_path / "drive" / "a.png").write_bytes(b"other")
    bundle = export(ann)
    with bob.open() as session:
        outcome = merge_bundles(session, [bundle], progress=Progress())
        assert outcome.media is not None
        assert outcome.media.missing == ("a.png",)
        assert list(bob.path.parent.rglob("*.png")) == []


def test_merge_when_the_carried_content_is_another_then_it_is_refused_and_nothing_is_left_of_it(
    team: tuple[Workstation, Workstation], tmp_path: Path
) -> None:
    ann, bob = team
    ann.add_images(tmp_path / "drive", "a.png")
    bundle = export(ann)

    def swap(entry: zipfile.ZipInfo, content: bytes) -> tuple[zipfile.ZipInfo, bytes]:
        is_media = entry.filename.startswith("media/")
        return entry, bytes(len(content)) if is_media else content

    change(bundle, swap)
    with bob.open() as session:
        outcome = merge_bundles(session, [bundle], progress=Progress())
        assert outcome.media is not None
        assert (outcome.media.taken, outcome.media.refused) == (0, ("a.png",))
        assert list(bob.path.parent.rglob("*.png")) == []


def _outside(entry: zipfile.ZipInfo, content: bytes) -> tuple[zipfile.ZipInfo, bytes]:
    if entry.filename.startswith("media/"):
        entry.filename = entry.filename.replace("a.png", "..")
    return entry, content


def _climbing(entry: zipfile.ZipInfo, content: bytes) -> tuple[zipfile.ZipInfo, bytes]:
    if entry.filename.startswith("media/"):
        entry.filename = entry.filename.replace("a.png", "../../../evil.png")
    return entry, content


def _bomb(entry: zipfile.ZipInfo, content: bytes) -> tuple[zipfile.ZipInfo, bytes]:
    if entry.filename.startswith("media/"):
        entry.compress_type = zipfile.ZIP_DEFLATED
        content = bytes(1 << 20)
    return entry, content


def _larger(entry: zipfile.ZipInfo, content: bytes) -> tuple[zipfile.ZipInfo, bytes]:
    return entry, content + b"x" if entry.filename.startswith("media/") else content


@pytest.mark.parametrize("spoil", [_outside, _climbing, _bomb, _larger])
def test_media_when_the_entries_are_not_those_of_the_manifest_then_nothing_is_unpacked(
    spoil: Callable[[zipfile.ZipInfo, bytes], tuple[zipfile.ZipInfo, bytes]],
    team: tuple[Workstation, Workstation],
    tmp_path: Path,
) -> None:
    ann, bob = team
    ann.add_images(tmp_path / "drive", "a.png")
    bundle = export(ann)
    change(bundle, spoil)
    before = set(tmp_path.rglob("*.png"))
    with bob.open() as session:
        outcome = merge_bundles(session, [bundle], progress=Progress())
        assert outcome.added > 0
        assert "its media files are not those of its manifest" in outcome.problems[0][1]
    assert set(tmp_path.rglob("*.png")) == before


def test_media_when_a_medium_names_a_place_outside_then_its_file_goes_into_the_media_folder(
    team: tuple[Workstation, Workstation], tmp_path: Path
) -> None:
    ann, bob = team
    ann.add_images(tmp_path / "drive", "a.png")
    bundle = export(ann)
    with bob.open() as session:
        session.merge(bundle).result()
        (medium,) = session.reader.records(Medium)
        write(session, Edit(entity="medium", entity_id=medium.id, field="path", value="../../evil.png"))
        assert receive_media(session, [bundle], progress=Progress()).taken == 1
        (medium,) = session.reader.records(Medium)
        assert medium.path == f"from bundles/{medium.sha256}.png"
        assert missing_media(session) == []
    assert not list(tmp_path.rglob("evil.png"))


def test_media_when_the_disk_is_too_small_then_says_so_before_anything_is_written(
    team: tuple[Workstation, Workstation], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob = team
    ann.add_images(tmp_path / "drive", "a.png")
    bundle = export(ann)
    monkeypatch.setattr(media_exchange, "FREE_BYTES", 1 << 60)
    with bob.open() as session:
        session.merge(bundle).result()
        with pytest.raises(EnvironmentFailure, match=r"The media files need .* GB free"):
            receive_media(session, [bundle], progress=Progress())
    assert list(bob.path.parent.rglob("*.png")) == []


def test_copy_when_made_from_a_bundle_with_media_under_another_name_then_has_them_without_a_question(
    team: tuple[Workstation, Workstation], tmp_path: Path
) -> None:
    ann, _bob = team
    ann.add_images(tmp_path / "drive", "a.png")
    (tmp_path / "new").mkdir()
    with create_from_bundle(tmp_path / "new" / "mine.vantage", export(ann), progress=Progress()) as made:
        assert missing_media(made) == []
        assert made.roots.offers() == {}


def test_copy_when_the_media_folder_is_somebody_elses_then_it_is_not_written(
    team: tuple[Workstation, Workstation], tmp_path: Path
) -> None:
    ann, _bob = team
    ann.add_images(tmp_path / "drive", "a.png")
    (tmp_path / "new" / "p.media").mkdir(parents=True)
    with create_from_bundle(tmp_path / "new" / "mine.vantage", export(ann), progress=Progress()) as made:
        assert len(missing_media(made)) == 1
    assert list((tmp_path / "new" / "p.media").iterdir()) == []


def test_media_when_a_frame_folder_is_carried_then_its_frames_are_there(
    team: tuple[Workstation, Workstation], tmp_path: Path
) -> None:
    ann, bob = team
    ann.add_images(tmp_path / "drive", "f1.png", "f2.png", "f10.png", keep="stay")
    with ann.open() as session:
        facts = probe_media(tmp_path / "drive", kind="frames")
        root = session.roots.add(tmp_path)
        values = facts.medium_values() | {"path": f"@{root}/drive"}
        medium = Medium(id="f" * 32, name="drive", media_type="frames", **values)
        write(session, created("medium", medium))
    bundle = export(ann)
    with bob.open() as session:
        outcome = merge_bundles(session, [bundle], progress=Progress())
        assert outcome.media is not None
        assert (outcome.media.refused, outcome.media.missing) == ((), ())
        folder = session.roots.file_of(values["path"])
        assert folder is not None
        assert sorted(path.name for path in folder.iterdir()) == ["f1.png", "f10.png", "f2.png"]


def test_manifest_when_a_size_is_negative_then_the_bundle_is_refused(
    team: tuple[Workstation, Workstation], tmp_path: Path
) -> None:
    ann, bob = team
    bundle = ann.bundle()

    def shrink(entry: zipfile.ZipInfo, content: bytes) -> tuple[zipfile.ZipInfo, bytes]:
        if entry.filename == "manifest.json":
            content = json.dumps(json.loads(content) | {"media": {"0" * 64: -5}}).encode()
        return entry, content

    change(bundle, shrink)
    with bob.open() as session, pytest.raises(UserError, match="the manifest"):
        session.merge(bundle).result()
