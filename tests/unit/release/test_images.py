"""The pictures of a release: those that its records show, drawn as models get them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from PIL import Image

from annotator.commands.imports import ImportFiles
from annotator.commands.releases import CreateRelease, ReleaseReport
from annotator.domain.event import Edit
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.domain.release import Release
from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.media.model_images import RENDERER
from annotator.media.probe import probe_media
from annotator.media.render import Overlay, Rendering, render
from annotator.progress import Progress, ProgressUpdate
from annotator.release.images import ImageSettings
from annotator.release.manifest import ReleasedImages, read_manifest, verify_release
from annotator.release.splits import Split, SplitSettings
from annotator.session import Session
from tests.bench.numbered_videos import Recipe, make_video, picture_of, read_number
from tests.item_fields import SetItemField
from tests.unit.release.samples import (
    CLIP,
    PICTURE,
    SCENE,
    UAV1,
    UAV2,
    aircop_item,
    data_files,
    fill,
    label,
    spatialuav_item,
    urbanvideo_item,
)
from tests.unit.store.making import write

SIZE = (192, 128)
VIDEO = Recipe(frames=20, gop=10, options={"preset": "veryfast"})
REGIONS = (
    Region(
        id="a" * 32, medium=UAV1.id, number=3, box=Box(x1=20.0, y1=80.0, x2=60.0, y2=110.0), category="van"
    ),
    Region(id="b" * 32, medium=CLIP.id, number=1, box=Box(x1=20.0, y1=80.0, x2=60.0, y2=110.0), frame=10),
)
LINK = Link(id="c" * 32, scene=SCENE.id, regions=(REGIONS[0].id, "d" * 32))
ITEMS = (aircop_item(), urbanvideo_item(), spatialuav_item(), aircop_item(name="q2", media=(UAV2.id,)))


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """Give a project whose media lie there: two pictures of a pair, one more, and a video of 20 frames."""
    monkeypatch.setenv("VANTAGE_CACHE", str(tmp_path / "cache"))
    with Session.create(tmp_path / "p.vantage") as session:
        root = session.media_root
        for number, medium in enumerate((UAV1, UAV2, PICTURE)):
            file = root / (medium.path or medium.name)
            file.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(picture_of(number, size_px=SIZE)).save(file, "PNG")
        make_video(root, name=Path(CLIP.name).stem, recipe=VIDEO)
        fill(session, *REGIONS, LINK, *ITEMS, label())
        yield session


@pytest.fixture
def taken(session: Session, tmp_path: Path) -> Callable[..., ReleaseReport]:
    """Give a function that releases with pictures."""

    def do(
        form: str = "native", *, out: str = "out", rendering: Rendering = "annotated", **order: Any
    ) -> ReleaseReport:
        command = command_of(session, tmp_path / out, form, rendering=rendering, **order)
        session.execute(command).result()
        assert command.report is not None
        return command.report

    return do


def command_of(
    session: Session, out: Path, form: str, *, rendering: Rendering = "annotated", **order: Any
) -> CreateRelease:
    pictures = ImageSettings(rendering=rendering, roots=session.roots, **order)
    return CreateRelease(out=out, export_format=form, include_flagged=True, pictures=pictures)


def listed(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "pictures.jsonl").read_bytes().splitlines()]


def taken_of(report: ReleaseReport) -> ReleasedImages:
    assert report.manifest.pictures is not msgspec.UNSET
    return report.manifest.pictures


def pixels(file: Path) -> np.ndarray:
    return np.asarray(Image.open(file))


@pytest.mark.parametrize("rendering", ["clean", "detected", "annotated"])
def test_pictures_when_released_then_each_medium_is_there_once_as_the_renderer_draws_it(
    taken: Callable[..., ReleaseReport], rendering: Rendering
) -> None:
    folder = taken("aircop", rendering=rendering).folder
    entries = listed(folder)
    assert [(entry["file"], entry["medium"], entry["frame"]) for entry in entries] == [
        ("pictures/000001.png", UAV1.name, None),
        ("pictures/000002.png", UAV2.name, None),
    ]
    marks = Overlay(regions=REGIONS[:1], links=(LINK,))
    wanted = render(picture_of(0, size_px=SIZE), marks=marks, rendering=rendering)
    assert np.array_equal(pixels(folder / "pictures" / "000001.png"), wanted)
    assert np.array_equal(pixels(folder / "pictures" / "000002.png"), picture_of(1, size_px=SIZE))
    assert (entries[0]["width_px"], entries[0]["height_px"]) == SIZE
    assert entries[0]["path"] == UAV1.name
    content = (folder / "pictures" / "000001.png").read_bytes()
    assert (entries[0]["bytes"], entries[0]["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())


def test_pictures_when_answer_keys_are_hidden_then_links_and_paths_are_not_drawn(
    session: Session, taken: Callable[..., ReleaseReport], tmp_path: Path
) -> None:
    pictures = ImageSettings(rendering="annotated", roots=session.roots)
    splits = SplitSettings(splits=(Split(name="a", share=0.5), Split(name="b", share=0.5)), hidden=("a", "b"))
    command = CreateRelease(
        out=tmp_path / "hidden",
        export_format="native",
        include_flagged=True,
        pictures=pictures,
        splits=splits,
    )
    session.execute(command).result()
    open_folder = taken("native", out="open", rendering="annotated").folder
    drawn = {entry["medium"]: entry["file"] for entry in listed(tmp_path / "hidden")}
    shown = {entry["medium"]: entry["file"] for entry in listed(open_folder)}
    marks = Overlay(regions=REGIONS[:1], links=(LINK,))
    neutral = render(picture_of(0, size_px=SIZE), marks=marks, rendering="detected")
    assert np.array_equal(pixels(tmp_path / "hidden" / drawn[UAV1.name]), neutral)
    assert not np.array_equal(pixels(open_folder / shown[UAV1.name]), neutral)


def test_pictures_when_a_video_is_shown_then_its_evenly_spaced_frames_are_there_with_their_marks(
    taken: Callable[..., ReleaseReport],
) -> None:
    report = taken("urbanvideo", rendering="detected", most_frames=4)
    entries = listed(report.folder)
    assert [entry["frame"] for entry in entries] == [0, 5, 10, 15]
    assert entries[2]["file"] == "pictures/000001_000010.png"
    assert [read_number(pixels(report.folder / entry["file"])) for entry in entries] == [0, 5, 10, 15]
    marked, plain = (pixels(report.folder / entries[at]["file"]) for at in (2, 1))
    # The plate of the region's number is dark, on both sides of its letters.
    assert marked[72:78, 22:70].min() < 40 < plain[72:78, 22:70].min()
    told = taken_of(report)
    assert (told.rendering, told.renderer, told.most_frames) == ("detected", RENDERER, 4)
    assert (told.media, told.pictures, told.missing) == (1, 4, ())


@pytest.mark.parametrize(
    ("form", "media"),
    [
        ("native", [UAV1, UAV2, CLIP, PICTURE]),
        ("aircop", [UAV1, UAV2]),
        ("urbanvideo", [CLIP]),
        ("spatialuav", [PICTURE]),
        ("aircop-labels", [UAV1]),
    ],
)
def test_pictures_when_asked_for_then_every_form_has_those_of_its_members(
    taken: Callable[..., ReleaseReport], form: str, media: list[Medium]
) -> None:
    report = taken(form, most_frames=1)
    assert [entry["medium"] for entry in listed(report.folder)] == [medium.name for medium in media]
    assert verify_release(report.folder) == []
    (list_file,) = (file for file in report.manifest.files if file.name == "pictures.jsonl")
    assert list_file.records == len(media)


def test_pictures_when_an_item_is_kept_out_then_so_is_what_only_it_shows(
    session: Session, taken: Callable[..., ReleaseReport]
) -> None:
    session.execute(SetItemField(item=ITEMS[1].id, field="state", value="rejected")).result()
    assert CLIP.name not in {entry["medium"] for entry in listed(taken().folder)}


def test_pictures_when_released_twice_then_the_bytes_are_the_same_and_the_log_has_one_entry(
    session: Session, taken: Callable[..., ReleaseReport]
) -> None:
    first, second = taken(), taken(out="again")
    for file in ("pictures.jsonl", "manifest.json", "records.jsonl"):
        assert (first.folder / file).read_bytes() == (second.folder / file).read_bytes()
    names = sorted(path.name for path in (first.folder / "pictures").iterdir())
    assert all(
        (first.folder / "pictures" / name).read_bytes() == (second.folder / "pictures" / name).read_bytes()
        for name in names
    )
    assert (first.is_new, second.is_new) == (True, False)
    assert taken(out="again").is_unchanged
    assert taken(out="other", most_frames=3).is_new
    releases = list(session.reader.records(Release))
    assert [(one.rendering, one.most_frames) for one in releases] == [("annotated", 32), ("annotated", 3)]


def test_release_when_it_has_pictures_then_its_records_are_those_of_one_without(
    session: Session, taken: Callable[..., ReleaseReport], tmp_path: Path
) -> None:
    with_pictures = taken("aircop").folder
    plain = tmp_path / "plain"
    session.execute(CreateRelease(out=plain, export_format="aircop", include_flagged=True)).result()
    assert all((with_pictures / file.name).read_bytes() == file.read_bytes() for file in data_files(plain))
    assert b"pictures" not in (plain / "manifest.json").read_bytes()
    assert read_manifest(plain).pictures is msgspec.UNSET


def test_release_when_its_folder_comes_in_again_then_pictures_are_passed_over_and_records_go_out_the_same(
    taken: Callable[..., ReleaseReport], tmp_path: Path
) -> None:
    folder = taken("native").folder
    command = ImportFiles(paths=(folder,))
    with Session.create(tmp_path / "again.vantage") as again:
        again.execute(command).result()
        again.execute(
            CreateRelease(out=tmp_path / "more", export_format="native", include_flagged=True)
        ).result()
    assert (command.report.rejected, command.report.added) == (0, command.report.records)
    assert (tmp_path / "more" / "records.jsonl").read_bytes() == (folder / "records.jsonl").read_bytes()


def test_pictures_when_media_are_missing_or_changed_then_the_manifest_says_why_and_has_the_others(
    session: Session, taken: Callable[..., ReleaseReport]
) -> None:
    (session.media_root / PICTURE.path).unlink()
    (session.media_root / CLIP.name).write_bytes(b"no video any more")
    write(session, Edit(entity="medium", entity_id=UAV2.id, field="sha256", value="0" * 64))
    told = taken_of(taken())
    assert [(one.medium, one.why) for one in told.missing] == [
        (UAV2.name, "The content of the file has changed since it was imported."),
        (CLIP.name, f"{CLIP.name} cannot be read as an image: cannot identify image file."),
        (PICTURE.name, f"The file of {PICTURE.name} is missing."),
    ]
    assert (told.media, told.pictures) == (4, 1)


def test_pictures_when_a_frame_of_a_folder_was_changed_then_none_of_its_frames_are_released(
    session: Session, taken: Callable[..., ReleaseReport]
) -> None:
    folder = session.media_root / "walk"
    folder.mkdir()
    for number in range(2):
        Image.fromarray(picture_of(number, size_px=SIZE)).save(folder / f"{number}.png")
    walk = Medium(id="e" * 32, name="walk", media_type="frames", sha256=probe_media(folder).sha256)
    fill(session, spatialuav_item(name="walked", media=(walk.id,)), positions=(walk,))
    (folder / ".DS_Store").write_bytes(b"Bud1")
    assert taken_of(taken(out="first")).missing == ()
    Image.fromarray(picture_of(7, size_px=SIZE)).save(folder / "1.png")
    told = taken_of(taken())
    assert [(one.medium, one.why) for one in told.missing] == [
        ("walk", "The content of the file has changed since it was imported.")
    ]


def test_pictures_when_no_medium_is_here_then_nothing_is_released(
    session: Session, taken: Callable[..., ReleaseReport], tmp_path: Path
) -> None:
    (session.media_root / PICTURE.path).unlink()
    with pytest.raises(UserError, match="None of the 1 media files can be rendered") as refused:
        taken("spatialuav")
    assert "without images" in refused.value.hint
    assert not (tmp_path / "out").exists()
    with pytest.raises(UserError, match="0 is not a valid number of frames per video"):
        taken("urbanvideo", most_frames=0)


def test_pictures_when_cancelled_between_frames_then_nothing_is_left(
    session: Session, tmp_path: Path
) -> None:
    def stop(step: ProgressUpdate) -> None:
        if step.what.startswith("Rendering"):
            progress.cancel()

    progress = Progress(stop)
    before = session.reader.log.event_total()
    with pytest.raises(Cancelled):
        session.execute(command_of(session, tmp_path / "out", "native"), progress=progress).result()
    assert session.reader.log.event_total() == before
    assert not [path for path in tmp_path.iterdir() if "out" in path.name]


def test_pictures_when_the_disk_refuses_then_the_host_is_blamed_and_nothing_is_left(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("annotator.release.release_folder._write_whole", full)
    with pytest.raises(EnvironmentFailure, match="The disk is full"):
        session.execute(command_of(session, tmp_path / "out", "native")).result()
    assert not [path for path in tmp_path.iterdir() if "out" in path.name]


def test_verify_release_when_a_picture_differs_then_it_is_named(taken: Callable[..., ReleaseReport]) -> None:
    folder = taken("aircop").folder
    (folder / "pictures" / "000001.png").write_bytes(b"other")
    (folder / "pictures" / "000002.png").unlink()
    (folder / "pictures" / "000003.png").write_bytes(b"more")
    assert [(one.file, one.kind) for one in verify_release(folder)] == [
        ("pictures/000001.png", "changed"),
        ("pictures/000002.png", "missing"),
        ("pictures/000003.png", "unexpected"),
    ]
    assert verify_release(folder, with_pictures=False) == []


@pytest.mark.parametrize("name", ["../outside.png", "/etc/passwd", "pictures/../../a.png", "pictures/x"])
def test_verify_release_when_the_list_names_a_file_elsewhere_then_it_is_not_opened(
    taken: Callable[..., ReleaseReport], name: str
) -> None:
    folder = taken("aircop").folder
    lines = (folder / "pictures.jsonl").read_text()
    (folder / "pictures.jsonl").write_text(lines.replace("pictures/000001.png", name))
    problems = verify_release(folder)
    assert [(one.file, one.kind) for one in problems] == [
        ("pictures.jsonl", "changed"),
        ("pictures.jsonl", "unreadable"),
    ]
    assert repr(name) in problems[1].message


def test_verify_release_when_the_list_is_damaged_then_that_is_told_once(
    taken: Callable[..., ReleaseReport],
) -> None:
    folder = taken("aircop").folder
    (folder / "pictures.jsonl").write_bytes(b"{")
    assert [(one.file, one.kind) for one in verify_release(folder)] == [("pictures.jsonl", "changed")]
