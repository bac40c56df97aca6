"""Pictures for models: the same as everywhere, of the file that was entered, from videos that stay open."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PIL import Image

from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.errors import Cancelled, UserError
from annotator.jobs import open_media as subject
from annotator.jobs.open_media import OpenMedia, enter_media, leave_media, open_media
from annotator.media import content_hash
from annotator.media.model_images import FrameSelection, model_images
from annotator.media.probe import probe_media
from annotator.media.render import Overlay
from annotator.progress import Progress
from tests.bench.numbered_videos import Recipe, make_video
from tests.bench.numbered_videos import picture_of as numbered

SIZE = (96, 64)
WANTED = FrameSelection(numbers=(5, 1, 17, 17, 3))
SECONDS = 10_000_000_000


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "CONTENTS", content_hash.DigestCache())


@pytest.fixture
def opened() -> Iterator[OpenMedia]:
    media = OpenMedia()
    yield media
    media.close()


def video(folder: Path, name: str) -> tuple[Medium, Path]:
    path = Path(make_video(folder, name=name, recipe=Recipe(frames=20, size_px=SIZE, gop=6)).path)
    return Medium(id=name, name=path.name, media_type="video", sha256=probe_media(path).sha256), path


def still(folder: Path) -> tuple[Medium, Path]:
    path = folder / "a.png"
    Image.fromarray(numbered(7, size_px=SIZE)).save(path)
    return Medium(id="a", name="a.png", sha256=probe_media(path).sha256), path


def frames(folder: Path) -> tuple[Medium, Path]:
    path = folder / "frames"
    path.mkdir()
    for number in range(20):
        Image.fromarray(numbered(number, size_px=SIZE)).save(path / f"{number}.png")
    medium = Medium(id="f", name="frames", media_type="frames", frames=20, duration_s=4.0)
    return msgspec.structs.replace(medium, sha256=probe_media(path, kind="frames").sha256), path


def open_files(*paths: Path) -> list[str]:
    """Return the names of those of some files that this process has open."""
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux tells which files are open")
    held = set()
    for entry in os.scandir("/proc/self/fd"):
        try:
            held.add(Path(entry.path).readlink())
        except OSError:
            continue
    return [path.name for path in paths if path.resolve() in held]


@pytest.mark.parametrize("make", [still, frames, lambda folder: video(folder, "clip")])
@pytest.mark.parametrize("rendering", ["clean", "annotated"])
def test_pictures_when_taken_then_are_those_of_a_release_to_the_bit(tmp_path, opened, make, rendering):
    medium, path = make(tmp_path)
    region = Region(id="r", medium=medium.id, number=3, box=Box(x1=10, y1=10, x2=40, y2=40))
    marks = Overlay(regions=(region, msgspec.structs.replace(region, id="s", frame=17)))
    plain = list(model_images(medium, file=path, marks=marks, rendering=rendering, frames=WANTED))
    # A second time from videos that are open.
    for _ in range(2):
        taken = opened.pictures(medium, file=path, marks=marks, rendering=rendering, frames=WANTED)
        for one, other in zip(taken, plain, strict=True):
            assert (one.number, one.time_s) == (other.number, other.time_s)
            assert np.array_equal(one.picture, other.picture)


def test_pictures_when_a_video_is_asked_again_then_is_not_opened_again(tmp_path, opened, monkeypatch):
    medium, path = video(tmp_path, "clip")
    opens = []
    real = subject.open_medium_video
    monkeypatch.setattr(subject, "open_medium_video", lambda m, f: opens.append(f) or real(m, f))
    for number in (0, 1, 2, 9):
        list(opened.pictures(medium, file=path, frames=FrameSelection(numbers=(number,))))
    assert opens == [path]


def test_pictures_when_a_third_video_comes_then_the_one_not_asked_for_longest_is_closed(tmp_path, opened):
    made = [video(tmp_path, name) for name in ("one", "two", "three")]
    paths = [path for _, path in made]
    for location in (0, 1, 0, 2):
        list(opened.pictures(made[location][0], file=paths[location], frames=WANTED))
    assert open_files(*paths) == ["one.mp4", "three.mp4"]
    opened.close()
    assert open_files(*paths) == []


@pytest.mark.parametrize("make", [still, frames, lambda folder: video(folder, "clip")])
def test_pictures_when_the_file_was_changed_then_none_is_given_until_it_is_back(
    tmp_path, opened, monkeypatch, make
):
    monkeypatch.setattr(content_hash, "FOLDER_LOOK_S", -1.0)
    medium, path = make(tmp_path)
    list(opened.pictures(medium, file=path, frames=WANTED))
    changed = path / "3.png" if path.is_dir() else path
    before = changed.read_bytes()
    # A comment behind the end: it can be decoded as before, and is not what was entered.
    changed.write_bytes(before + b"\0")
    with pytest.raises(UserError, match="has changed since the file was added") as refused:
        next(opened.pictures(medium, file=path, frames=WANTED))
    assert medium.name in refused.value.message
    assert "media PROJECT health" in refused.value.hint
    changed.write_bytes(before)
    assert list(opened.pictures(medium, file=path, frames=WANTED))


def test_pictures_when_no_content_was_entered_then_the_file_is_taken_as_it_is(tmp_path, opened):
    medium, path = still(tmp_path)
    unseen = msgspec.structs.replace(medium, sha256="")
    Image.fromarray(numbered(8, size_px=SIZE)).save(path)
    (taken,) = opened.pictures(unseen, file=path)
    assert np.array_equal(taken.picture, numbered(8, size_px=SIZE))


def test_pictures_when_an_unseen_video_is_replaced_then_the_new_one_is_shown(tmp_path, opened):
    medium, path = video(tmp_path, "clip")
    unseen = msgspec.structs.replace(medium, sha256="")
    assert len(list(opened.pictures(unseen, file=path, frames=FrameSelection(most=50)))) == 20
    make_video(tmp_path, name="clip", recipe=Recipe(frames=9, size_px=SIZE))
    assert len(list(opened.pictures(unseen, file=path, frames=FrameSelection(most=50)))) == 9


def test_pictures_when_the_file_is_changed_while_they_are_taken_then_the_last_one_is_not_the_end(
    tmp_path, opened
):
    medium, path = video(tmp_path, "clip")
    taken = opened.pictures(medium, file=path, frames=WANTED)
    next(taken)
    os.utime(path, ns=(SECONDS, SECONDS))
    with pytest.raises(UserError, match="was changed while it was read"):
        list(taken)


def test_pictures_when_there_is_nothing_to_take_then_words_are_the_usual_ones(tmp_path, opened):
    for medium, text in (
        (Medium(id="a", name="a.png"), "is missing"),
        (Medium(id="t", name="t.json", media_type="trajectory"), "is a trajectory"),
    ):
        for file in (None, tmp_path / "gone"):
            with pytest.raises(UserError, match=text):
                next(opened.pictures(medium, file=file))


def test_pictures_when_a_video_is_damaged_then_it_does_not_stay_open(tmp_path, opened):
    medium, path = video(tmp_path, "clip")
    with pytest.raises(UserError, match="has no frame 99"):
        list(opened.pictures(medium, file=path, frames=FrameSelection(numbers=(3, 99))))
    assert open_files(path) == []


def test_pictures_when_work_is_being_stopped_then_reading_ends(tmp_path, monkeypatch):
    medium, path = video(tmp_path, "clip")
    progress = Progress()
    opened = OpenMedia(progress=progress)
    taken = opened.pictures(medium, file=path, frames=WANTED)
    next(taken)
    progress.cancel()
    with pytest.raises(Cancelled):
        next(taken)
    monkeypatch.setattr(subject, "CONTENTS", content_hash.DigestCache())
    with pytest.raises(Cancelled):
        next(opened.pictures(medium, file=path, frames=WANTED))
    opened.close()


def test_open_media_when_threads_end_then_nothing_of_them_stays_open(tmp_path):
    medium, path = video(tmp_path, "clip")
    held: list[OpenMedia] = []
    states = []

    def work(leaves: bool) -> None:
        enter_media(Progress())
        list(open_media().pictures(medium, file=path, frames=WANTED))
        states.append(open_files(path))
        held.append(open_media())
        if leaves:
            leave_media()
            assert open_media() is not held[-1]

    for leaves in (True, False):
        thread = threading.Thread(target=work, args=(leaves,))
        thread.start()
        thread.join()
        if not leaves:
            held.clear()
        assert open_files(path) == []
    assert states == [["clip.mp4"]] * 2


def test_enter_media_when_another_progress_comes_then_what_was_open_is_closed(tmp_path):
    medium, path = video(tmp_path, "clip")
    enter_media(Progress())
    list(open_media().pictures(medium, file=path, frames=WANTED))
    stopping = Progress()
    enter_media(stopping)
    assert open_files(path) == []
    stopping.cancel()
    with pytest.raises(Cancelled):
        list(open_media().pictures(medium, file=path, frames=WANTED))
    leave_media()
