"""The pictures that releases, exports and model runs take."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.errors import Cancelled, UserError
from annotator.media.image_decoder import decode_image
from annotator.media.model_images import (
    RENDERER,
    FrameSelection,
    image_name,
    model_images,
    open_medium_video,
    save_model_images,
)
from annotator.media.render import Overlay, Rendering, render
from annotator.media.video.sampling import evenly_spaced
from annotator.media.video.video import Video
from annotator.progress import Progress, ProgressUpdate
from tests.bench.numbered_videos import KINDS, MadeVideo, Recipe, make_video, picture_of, read_number

STILL = Medium(id="m", name="set/still.jpg")
CLIP = Medium(id="m", name="clips/clip.mp4", media_type="video")
RATE = 25


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MadeVideo]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VANTAGE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield make_video(tmp_path_factory.mktemp("videos"), name="clip", recipe=Recipe(options={"bf": "2"}))


@pytest.fixture
def video(made: MadeVideo) -> Iterator[Video]:
    found = Video.open(Path(made.path))
    yield found
    found.close()


def region(number: int, *, frame: int | None = None, medium: str = "m") -> Region:
    box = Box(x1=20, y1=90, x2=60, y2=120)
    return Region(id=f"r{number}", medium=medium, number=number, box=box, frame=frame)


def numbers(made: MadeVideo, frames: FrameSelection | None = None) -> list[int | None]:
    return [visual.number for visual in model_images(CLIP, file=Path(made.path), frames=frames)]


def test_frames_when_nothing_is_said_then_those_of_a_model_run_are_taken(made: MadeVideo) -> None:
    visuals = list(model_images(CLIP, file=Path(made.path)))
    assert [visual.number for visual in visuals] == list(evenly_spaced(90)) == list(range(0, 90, 3))
    assert [read_number(visual.picture) for visual in visuals] == list(range(0, 90, 3))
    assert [visual.time_s for visual in visuals] == [pytest.approx(n / RATE) for n in range(0, 90, 3)]


def test_frames_when_told_how_many_then_at_most_so_many_are_taken(made: MadeVideo) -> None:
    assert numbers(made, FrameSelection(most=4)) == [0, 23, 46, 69]
    with pytest.raises(UserError, match="0 is not a valid number of frames"):
        numbers(made, FrameSelection(most=0))


def test_frames_when_told_by_number_then_each_is_taken_once_in_that_order(made: MadeVideo) -> None:
    assert numbers(made, FrameSelection(numbers=(40, 3, 40, 89))) == [40, 3, 89]
    with pytest.raises(UserError, match=r"clip\.mp4 has no frame 90: it has 90"):
        numbers(made, FrameSelection(numbers=(3, 90)))


@pytest.mark.parametrize(
    ("every_s", "taken"),
    [
        (1.0, [0, 25, 50, 75]),
        (0.1, [0, 2, 5, 7, 10, 12, 15]),
        (1 / 50, [0, 1, 2, 3, 4, 5, 6]),
        (1e-9, [0, 1, 2, 3, 4, 5, 6]),
        (1000.0, [0]),
    ],
)
def test_frames_when_told_by_seconds_then_the_frame_shown_at_each_time_is_taken(
    every_s: float, taken: list[int], made: MadeVideo
) -> None:
    assert numbers(made, FrameSelection(every_s=every_s))[:7] == taken


@pytest.mark.parametrize("every_s", [-1.0, float("inf"), float("nan")])
def test_frames_when_the_distance_is_none_then_words_say_so(every_s: float, made: MadeVideo) -> None:
    with pytest.raises(UserError, match="is not a valid interval"):
        numbers(made, FrameSelection(every_s=every_s))


def test_frames_when_their_rate_varies_then_times_decide(tmp_path: Path) -> None:
    uneven = make_video(tmp_path, name="uneven", recipe=KINDS["variable_rate"])
    found = numbers(uneven, FrameSelection(every_s=0.5))
    latest = [max(n for n, time in enumerate(uneven.times_s) if time <= step / 2 + 1e-6) for step in range(9)]
    assert found[:9] == latest


@pytest.mark.parametrize("rendering", ["clean", "detected", "annotated"])
def test_still_when_taken_then_it_is_the_renderers_output_and_frames_mean_nothing(
    rendering: Rendering, tmp_path: Path
) -> None:
    Image.fromarray(picture_of(7, size_px=(192, 128))).save(tmp_path / "still.png")
    marks = Overlay(regions=(region(3), region(4, medium="other")), links=(_link("r3"),))
    (visual,) = model_images(
        STILL,
        file=tmp_path / "still.png",
        marks=marks,
        rendering=rendering,
        frames=FrameSelection(numbers=(400,)),
    )
    wanted = render(
        decode_image(tmp_path / "still.png"),
        marks=Overlay(regions=(region(3),), links=marks.links),
        rendering=rendering,
    )
    assert (visual.number, visual.time_s) == (None, None)
    assert np.array_equal(visual.picture, wanted)


def test_frame_when_marked_then_only_its_own_marks_are_drawn(made: MadeVideo, video: Video) -> None:
    marks = Overlay(regions=(region(1, frame=10), region(2, frame=11), region(3)))
    found = model_images(
        CLIP,
        file=Path(made.path),
        marks=marks,
        rendering="detected",
        frames=FrameSelection(numbers=(10, 12)),
    )
    marked, plain = found
    wanted = render(video.frame(10).rgb(), marks=Overlay(regions=(region(1),)), rendering="detected")
    assert np.array_equal(marked.picture, wanted)
    assert np.array_equal(plain.picture, video.frame(12).rgb())


def test_folder_when_taken_then_its_rate_is_what_the_medium_tells(tmp_path: Path) -> None:
    for number in range(10):
        Image.fromarray(picture_of(number, size_px=(192, 128))).save(tmp_path / f"{number}.png")
    folder = Medium(id="m", name="frames", media_type="frames", frames=10, duration_s=5.0)
    found = list(model_images(folder, file=tmp_path, frames=FrameSelection(every_s=1.0)))
    assert [read_number(visual.picture) for visual in found] == [0, 2, 4, 6, 8]
    assert open_medium_video(folder, tmp_path).fps == 2.0


def test_medium_when_it_cannot_be_taken_then_words_say_why(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"still\.jpg is missing"):
        next(model_images(STILL, file=None))
    with pytest.raises(UserError, match=r"still\.jpg is missing"):
        next(model_images(STILL, file=tmp_path / "gone.jpg"))
    way = Medium(id="w", name="way.json", media_type="trajectory")
    with pytest.raises(UserError, match=r"way\.json is a trajectory"):
        next(model_images(way, file=tmp_path))


def test_pictures_when_saved_then_files_are_named_after_medium_and_number_and_counted(
    made: MadeVideo, tmp_path: Path
) -> None:
    steps: list[ProgressUpdate] = []
    paths = save_model_images(
        CLIP,
        file=Path(made.path),
        folder=tmp_path / "out",
        frames=FrameSelection(numbers=(0, 88)),
        progress=Progress(steps.append),
    )
    assert [path.name for path in paths] == ["clips_clip_000000.png", "clips_clip_000088.png"]
    assert [read_number(np.asarray(Image.open(path))) for path in paths] == [0, 88]
    assert (steps[-1].what, steps[-1].done, steps[-1].total) == ("Reading images of clips/clip.mp4", 2, 2)


def test_pictures_when_cancelled_then_what_is_written_stays(made: MadeVideo, tmp_path: Path) -> None:
    progress = Progress()
    found = model_images(CLIP, file=Path(made.path), progress=progress)
    next(found)
    progress.cancel()
    with pytest.raises(Cancelled):
        next(found)


def test_picture_name_when_made_then_it_is_one_plain_name() -> None:
    assert image_name(STILL, number=None) == "set_still.png"
    assert image_name(Medium(id="m", name="a\\..\\b"), number=3) == "a_._000003.png"
    assert image_name(Medium(id="m", name=".hidden"), number=None) == ".hidden.png"


def test_renderer_when_its_output_changes_then_its_number_does() -> None:
    ground = np.full((360, 640, 3), 120, np.uint8)
    marks = Overlay(regions=(region(3), region(12)), links=(_link("r3"),))
    drawn = render(ground, marks=marks, rendering="annotated")
    assert (RENDERER, hashlib.sha256(drawn.tobytes()).hexdigest()[:12]) == ("vantage 2", "66d6234c71a0")


def _link(*regions: str) -> Link:
    return Link(id="l", scene="s", regions=(*regions, "elsewhere"))


def test_pictures_when_the_video_is_open_already_then_they_are_the_same_and_it_stays_open(
    made: MadeVideo, video: Video, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = FrameSelection(numbers=(7, 30))
    once = list(model_images(CLIP, file=Path(made.path), frames=wanted))
    first = next(video.frames((7,)))
    monkeypatch.setattr(Video, "open", lambda *_args, **_named: pytest.fail("the video was opened again"))
    closed: list[Video] = []
    monkeypatch.setattr(Video, "close", closed.append)
    again = list(model_images(CLIP, file=Path(made.path), frames=wanted, video=video))
    assert closed == []
    monkeypatch.undo()
    assert [(one.number, one.time_s) for one in again] == [(one.number, one.time_s) for one in once]
    assert all(np.array_equal(a.picture, b.picture) for a, b in zip(again, once, strict=True))
    assert np.array_equal(first.rgb(), again[0].picture)
