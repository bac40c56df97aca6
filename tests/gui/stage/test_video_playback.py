from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest

from annotator.commands.regions import AddRegion
from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.domain.scene import SceneView
from annotator.errors import Cancelled
from annotator.media.render import Overlay, render
from annotator.media.video.frames import DecodedFrame
from annotator.media.video.video import Video
from annotator.progress import Progress
from tests.bench.numbered_videos import picture_of
from tests.guards import Messages
from tests.gui.stage.hands import LEFT, write_picture
from tests.gui.stage.reels import SIZE, Reels, number_on, video_scene
from tests.gui.stage.test_painting import pixels_of
from widgets.bridge import Bridge
from widgets.medium_view import MediumView
from widgets.stage import video_playback
from widgets.stage.frame_image import FrameImage
from widgets.stage.frame_preparer import FramePreparer
from widgets.stage.pyramid import make_pyramid
from widgets.stage.view_transform import fit_transform


def region(number: int, *, frame: int, x: float = 200.0) -> Region:
    box = Box(x1=x, y1=100, x2=x + 60, y2=160)
    return Region(id=f"r{frame}-{number}", medium="m1", number=number, box=box, frame=frame)


def test_video_when_it_cannot_be_shown_then_its_view_says_why_and_others_play(
    reels: Reels, tmp_path: Path
) -> None:
    picture = write_picture(tmp_path / "still.png", seed=1).rename(tmp_path / "still.mp4")
    empty = tmp_path / "empty.mp4"
    empty.touch()
    scene = video_scene([tmp_path / "absent.mp4", picture, empty, reels.files["pal"]])
    outside = MediumView(view="UAV5", medium=Medium(id="m5", name="o.mp4", media_type="video"), file=None)
    views = (*scene.scene.views, SceneView(name="UAV5", medium="m5"))
    whole = msgspec.structs.replace(scene.scene, views=views)
    reels.show_scene(replace(scene, scene=whole, media=(*scene.media, outside)))
    problems = [video.problem for video in reels.player.videos]
    assert (
        problems[0] == "Medium missing The file may have been moved. Use Locate media in a folder to find it."
    )
    assert "still.mp4" in problems[1]
    assert "empty.mp4 is empty" in problems[2]
    assert problems[3] == ""
    assert problems[4] == "File is outside the media folder"
    reels.player.step("1")
    reels.wait(lambda: reels.canvases[3].frame == 1)


def test_video_when_damaged_in_the_middle_then_keeps_the_right_number(reels: Reels, tmp_path: Path) -> None:
    content = bytearray(reels.files["pal"].read_bytes())
    middle = len(content) // 2
    content[middle : middle + 3000] = bytes(3000)
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(content)
    reels.show_scene(video_scene([broken]))
    for number in range(0, 100, 7):
        reels.player.seek(reels.video().time_of(number))
        reels.rest()
        read = number_on(reels.canvases[0])
        # A damaged picture may read as nothing, or as that of a frame before; never under a wrong number.
        assert reels.video().problem or reels.canvases[0].frame == number
        assert read in {number, None} or read < number


def test_frame_when_shown_then_its_marks_are_shown_with_it(reels: Reels) -> None:
    marks = Overlay(regions=(region(1, frame=0), region(2, frame=3), region(3, frame=3, x=300.0)))
    reels.show("pal", marks=marks)
    canvas = reels.canvases[0]
    assert list(canvas.marks.ids) == ["r0-1"]
    for number, expected in ((3, ["r3-2", "r3-3"]), (4, [])):
        reels.player.seek(reels.video().time_of(number))
        # Until the frame is painted everything is as it was.
        assert canvas.frame != number
        assert list(canvas.marks.ids) != expected
        reels.rest()
        assert canvas.frame == number
        assert list(canvas.marks.ids) == expected


def test_tool_when_pressed_while_it_plays_then_marks_the_frame_that_is_seen(reels: Reels) -> None:
    reels.show("pal", "ntsc")
    commands: list[AddRegion] = []
    reels.stage.commanded.connect(commands.append)
    reels.stage.choose_tool("box")
    reels.player.play_or_pause()
    reels.wait(lambda: reels.video().painted >= 5)
    canvas, seen = reels.canvases[0], reels.video().painted
    # The clock is ahead of what is painted, as it is between two paintings.
    reels.player.seek(reels.video().time_of(seen + 4))
    QTest.mousePress(canvas, LEFT, pos=canvas.rect().center())
    assert not reels.player.is_playing
    reels.rest()
    QTest.mouseRelease(canvas, LEFT, pos=canvas.rect().bottomRight() / 1.2)
    assert [command.frame for command in commands] == [seen]
    assert reels.numbers() == [seen, reels.video(1).number_at(reels.player.time_s)]


def test_scene_when_shown_again_after_a_command_then_videos_stay_where_they_are(reels: Reels) -> None:
    scene = video_scene([reels.files["pal"], reels.files["ntsc"]], offsets=(0.0, 0.4))
    reels.show_scene(scene)
    reels.player.seek(2.0)
    reels.rest()
    before, videos = reels.numbers(), reels.player.videos
    assert before == [50, 47]
    reels.show_scene(replace(scene, marks=Overlay(regions=(region(1, frame=50),))))
    assert reels.player.videos == videos
    assert reels.numbers() == before
    assert list(reels.canvases[0].marks.ids) == ["r50-1"]
    # Another offset came with a command, or one was taken back.
    other = video_scene([reels.files["pal"], reels.files["ntsc"]], offsets=(0.0, 1.0))
    reels.show_scene(replace(other, media=scene.media))
    assert reels.player.videos == videos
    assert reels.numbers() == [50, 29]


def test_offset_of_a_person_when_the_scene_is_read_without_it_then_stays(reels: Reels) -> None:
    scene = video_scene([reels.files["pal"], reels.files["ntsc"]])
    reels.show_scene(scene)
    reels.player.shift(reels.video(1), 0.4)
    reels.show_scene(replace(scene, marks=Overlay(regions=(region(1, frame=0),))))
    assert reels.video(1).offset_s == 0.4


def test_video_when_the_clock_is_outside_of_it_then_shows_its_end_and_says_so(reels: Reels) -> None:
    reels.show("short", "short", offsets=(0.0, 2.0))
    said = []
    for time_s in (0.5, 1.5, 2.5):
        reels.player.seek(time_s)
        reels.rest()
        said.append((reels.numbers(), [video.phase for video in reels.player.videos]))
    assert said == [
        ([12, 0], ["during", "before"]),
        ([24, 0], ["after", "before"]),
        ([24, 12], ["after", "during"]),
    ]


def test_step_when_only_another_video_runs_then_steps_that_one(reels: Reels) -> None:
    reels.show("short", "short", offsets=(0.0, 2.0))
    reels.player.seek(2.4)
    reels.rest()
    reels.player.step("-1")
    reels.rest()
    assert reels.numbers() == [24, 9]


def test_video_when_its_container_turns_it_then_is_upright_and_boxes_stay_on_it(reels: Reels) -> None:
    reels.show("turned")
    assert reels.canvases[0].image_size.toTuple() == (256, 384)
    reels.player.step("10")
    reels.rest()
    assert reels.numbers() == [10]


@pytest.mark.parametrize("rendering", ["clean", "detected", "annotated"])
def test_model_view_when_a_video_is_shown_then_is_what_the_renderer_makes_of_each_frame(
    reels: Reels, rendering: str
) -> None:
    marks = Overlay(regions=(region(1, frame=0), region(2, frame=3)))
    reels.show("pal", marks=marks)
    reels.stage.choose_rendering(rendering)  # type: ignore[arg-type]
    reels.stage.toggle_model()
    reels.stage.viewports.show_pixels()
    video = Video.open(reels.files["pal"])
    for number in (0, 3, 4):
        reels.player.seek(reels.video().time_of(number))
        reels.rest()
        reels.wait(reels.stage.is_settled)
        canvas = reels.canvases[0]
        assert canvas.frame == number
        expected = render(
            video.frame(number).rgb(),
            marks=marks.of("m1", frame=number),
            rendering=rendering,  # type: ignore[arg-type]
        )
        shown, transform = pixels_of(canvas.ground()), canvas.transform
        assert np.array_equal(
            shown[transform.top : transform.top + SIZE[1], transform.left : transform.left + SIZE[0]],
            expected,
        )
    video.close()
    reels.stage.toggle_model()
    assert reels.canvases[0].model is None
    assert reels.numbers() == [4]


def test_model_view_when_the_video_plays_then_the_number_is_that_of_the_picture(reels: Reels) -> None:
    reels.show("pal")
    reels.stage.toggle_model()
    reels.wait(lambda: reels.canvases[0].model is not None)
    reels.player.play_or_pause()
    seen = set()
    while len(seen) < 12:
        reels.wait(lambda: reels.video().painted not in seen)
        seen.add(reels.numbers()[0])
    reels.player.pause()
    reels.wait(reels.stage.is_settled)


def test_loupe_when_held_over_a_video_then_shows_its_pixels(reels: Reels) -> None:
    reels.show("pal")
    canvas = reels.canvases[0]
    canvas.pointer = (200.5, 150.5)
    reels.stage.viewports.show_loupe()
    loupe = reels.stage.viewports.loupes.loupes[canvas]
    image, zoom = loupe.grab().toImage(), loupe.zoom()
    at = round(image.width() / 2 + 3 * zoom)
    assert canvas.picture is not None
    shown = image.pixelColor(at, at)
    assert [shown.red(), shown.green(), shown.blue()] == canvas.picture.pixels[153, 203].tolist()


def test_folder_of_pictures_when_shown_then_plays_as_a_video(reels: Reels, tmp_path: Path) -> None:
    from PIL import Image

    for number in range(12):
        Image.fromarray(picture_of(number, size_px=SIZE)).save(tmp_path / f"{number:03}.png")
    reels.show_scene(video_scene([tmp_path], kind="frames"))
    assert reels.numbers() == [0]
    reels.player.play_or_pause()
    reels.wait(lambda: not reels.player.is_playing)
    reels.rest()
    assert reels.numbers() == [11]


@pytest.mark.parametrize("zoom", [0.2, 0.3, 0.55, 0.8, 1.0, 1.4, 3.0])
def test_frame_when_painted_at_any_zoom_then_looks_as_a_still_does(reels: Reels, zoom: float) -> None:
    video = Video.open(reels.files["pal"])
    frame = video.frame(40)
    painted = []
    shown = FrameImage(frame, size_px=SIZE)
    for picture in (shown, make_pyramid(shown.pixels)):
        transform = fit_transform(300, 200, image_width=SIZE[0], image_height=SIZE[1])
        transform = replace(transform, zoom=zoom)
        image = QImage(300, 200, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.black)
        painter = QPainter(image)
        picture.paint(painter, transform)
        painter.end()
        painted.append(pixels_of(image).astype(int))
    video.close()
    # A still this small is never halved, a frame is; both show the same thing.
    assert np.abs(painted[0] - painted[1]).mean() < (1 if zoom > 0.5 else 12)


def test_video_when_its_opening_takes_long_then_says_how_far_it_is_and_can_be_left(
    reels: Reels, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_enough = threading.Event()
    left = threading.Event()

    def opened(file: Path, *, sha256: str, progress: Progress) -> Video:
        progress.begin("Reading")
        try:
            while not is_enough.wait(0.001):
                progress.step()
        except Cancelled:
            left.set()
            raise
        return Video.open(file, sha256=sha256, progress=progress)

    monkeypatch.setattr(video_playback, "opened_video", opened)
    reels.stage.show_scene(video_scene([reels.files["pal"]]))
    reels.wait(lambda: reels.video().waiting != "")
    assert reels.video().waiting.startswith("Reading the video: ")
    assert reels.canvases[0].picture is None
    reels.stage.show_scene(video_scene([reels.files["ntsc"]]))
    reels.wait(left.is_set)
    is_enough.set()
    reels.wait(reels.stage.is_settled)
    reels.rest()
    assert reels.video().waiting == ""
    assert reels.numbers() == [0]


def test_video_when_it_may_be_wanted_next_then_its_index_is_made_ahead(
    reels: Reels, tmp_path: Path, private_home: Path
) -> None:
    reels.show("short")
    before = {file for file in private_home.rglob("*") if file.is_file()}
    other = tmp_path / "other.mp4"
    other.write_bytes(reels.files["pal"].read_bytes())
    reels.prefetch(video_scene([other, tmp_path / "absent.mp4"]).media)
    reels.wait(lambda: {file for file in private_home.rglob("*") if file.is_file()} > before)


def test_video_when_the_stage_leaves_then_no_thread_stays(reels: Reels) -> None:
    reels.show("pal", "ntsc")
    named = [one for one in threading.enumerate() if one.name.startswith("vantage-view-")]
    assert len(named) == 2
    reels.player.play_or_pause()
    reels.stage.show_scene(None)
    assert reels.player.videos == ()
    assert not reels.player.is_playing
    reels.wait(lambda: not any(one.is_alive() for one in named))


def test_pictures_made_ahead_when_the_video_plays_then_are_those_of_their_frames(reels: Reels) -> None:
    reels.show("pal")
    reels.player.play_or_pause()
    reels.wait(lambda: reels.video().painted >= 10)
    canvas, video = reels.canvases[0], reels.video().video
    assert video is not None
    taken: list[tuple[int | None, np.ndarray]] = []
    canvas.frame_painted.connect(lambda: taken.append((canvas.frame, canvas.picture.pixels)))  # type: ignore[union-attr]
    reels.wait(lambda: len(taken) >= 10)
    reels.player.pause()
    reels.rest()
    for number, pixels in taken:
        assert number is not None
        assert np.array_equal(pixels, video.frame(number).rgb())


def test_picture_made_ahead_when_its_frame_comes_then_is_used_and_its_colours_are_made_once(
    reels: Reels, bridge: Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    reels.show("pal")
    reels.wait(lambda: not reels.video().is_busy())
    made: list[tuple[int, str]] = []
    plain = DecodedFrame.bgra

    def bgra(frame: DecodedFrame) -> np.ndarray:
        made.append((frame.number, threading.current_thread().name))
        return plain(frame)

    monkeypatch.setattr(DecodedFrame, "bgra", bgra)
    view, ahead = reels.video(), FramePreparer(bridge)
    for number in (3, 4):
        view.wanted = number
        ahead.prepare(view, zoom=1.0)
    # Frame 5 follows 3 and 4, and is decoded already.
    ahead.close()
    assert [number for number, _ in made] == [5]
    assert made[0][1].startswith("vantage-frame-preparer")
    frame = view.peek(5)
    assert frame is not None
    picture = ahead.picture(view, frame)
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        picture.paint(painter, fit_transform(*SIZE, image_width=SIZE[0], image_height=SIZE[1]))
    assert len(made) == 1
    # Another frame than the one that was expected gets a picture of its own.
    other = view.peek(7)
    assert other is not None
    assert ahead.picture(view, other).frame is other


def test_picture_made_ahead_when_it_fails_then_the_window_hears_of_it(
    reels: Reels, bridge: Bridge, monkeypatch: pytest.MonkeyPatch, guard_messages: Messages
) -> None:
    guard_messages.allow("A request of the window ended in a bug")
    reels.show("pal")
    reels.wait(lambda: not reels.video().is_busy())

    def fail(_picture: FrameImage, _level: int) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(FrameImage, "prepare", fail)
    heard: list[BaseException] = []
    bridge.failed.connect(heard.append)
    view, ahead = reels.video(), FramePreparer(bridge)
    for number in (3, 4):
        view.wanted = number
        ahead.prepare(view, zoom=1.0)
    ahead.close()
    reels.wait(lambda: bool(heard))
    assert isinstance(heard[0], ZeroDivisionError)


def test_picture_made_ahead_when_nothing_is_decoded_there_then_is_none(reels: Reels, bridge: Bridge) -> None:
    reels.show("pal")
    reels.wait(lambda: not reels.video().is_busy())
    view, ahead = reels.video(), FramePreparer(bridge)
    for number in (10, 80):
        view.wanted = number
        ahead.prepare(view, zoom=1.0)
    ahead.close()
    assert view.peek(150) is None
    frame = view.peek(10)
    assert frame is not None
    assert ahead.picture(view, frame).frame is frame
