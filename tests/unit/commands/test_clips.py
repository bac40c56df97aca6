"""Clips of a project: which frames they show, what they keep of their video, and what is left on failure."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
import pytest

from annotator.commands.clips import ClipRequest, MakeClips
from annotator.commands.media import RegisterMedia
from annotator.domain.medium import ClipRange, Medium
from annotator.domain.polyline import Polyline
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.domain.trajectory import KeyFrameLabel, Pose, Trajectory
from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.media.video import export
from annotator.media.video.video import Video
from annotator.progress import Progress
from annotator.queries.media_survey import survey_media
from annotator.session import Session
from tests.bench.numbered_videos import KINDS, make_video, read_number
from tests.unit.store.making import created, write

FRAMES, FPS = 90, 25
BOX = Box(x1=10.0, y1=10.0, x2=60.0, y2=50.0)
SHOWN_KINDS = ("variable_rate", "turned", "open_gop", "edit_list")


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("videos")
    return {kind: Path(make_video(folder, name=kind, recipe=KINDS[kind]).path) for kind in SHOWN_KINDS}


@pytest.fixture
def session(tmp_path: Path, videos: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """Open a project with a scene for each kind of video, marked on frames 0, 24 and 47 of the first."""
    monkeypatch.setenv("VANTAGE_CACHE", str(tmp_path / "cache"))
    with Session.create(tmp_path / "town.vantage") as made:
        made.media_root.mkdir()
        for kind, file in videos.items():
            shutil.copy(file, made.media_root / file.name)
            video = Video.open(file)
            medium = Medium(
                id=f"m-{kind}",
                name=file.name,
                dataset="town",
                media_type="video",
                path=file.name,
                width_px=video.size_px[0],
                height_px=video.size_px[1],
                frames=video.frame_count,
                duration_s=video.duration_s,
                licence="CC BY 4.0",
            )
            view = SceneView(name="UAV1", medium=medium.id)
            scene = Scene(id=f"s-{kind}", name=kind, dataset="town", views=(view,))
            write(made, created("medium", medium), created("scene", scene))
        medium_id = f"m-{SHOWN_KINDS[0]}"
        for number, frame in enumerate((0, 24, 47)):
            region = Region(id=new_id(), medium=medium_id, number=number, box=BOX, frame=frame, track="car")
            path = Polyline(id=new_id(), medium=medium_id, points=((1.0, 1.0), (9.0, 9.0)), frame=frame)
            write(made, created("region", region), created("path", path))
        poses = tuple(Pose(x_m=float(n), y_m=0.0, z_m=5.0, yaw_deg=0.0) for n in range(FRAMES))
        times = tuple(Video.open(videos[SHOWN_KINDS[0]]).times_s.tolist())
        flight = Trajectory(
            id="t",
            scene=f"s-{SHOWN_KINDS[0]}",
            view="UAV1",
            poses=poses,
            times_s=times,
            key_frames=(0, 30, 40, 80),
            key_frame_labels=(
                KeyFrameLabel(frame=0, caption="the start"),
                KeyFrameLabel(frame=30, actions=("forward",), caption="a door"),
                KeyFrameLabel(frame=40, actions=("turn",)),
                KeyFrameLabel(frame=80, caption="the end"),
            ),
            instruction_goal="Reach the end.",
            instruction_detailed="Fly to the door, then to the end.",
            difficulty="hard",
        )
        write(made, created("trajectory", flight))
        yield made


def request(kind: str, first: int, last: int, *, name: str = "clip", **more: object) -> ClipRequest:
    return ClipRequest(medium=f"m-{kind}", scene=f"s-{kind}", first=first, last=last, name=name, **more)  # type: ignore[arg-type]


def cut(session: Session, *clips: ClipRequest) -> MakeClips:
    command = MakeClips(clips=clips, roots=session.roots)
    session.execute(command).result()
    return command


def clip_of(session: Session, name: str = "clip") -> tuple[Medium, Scene]:
    (medium,) = (one for one in session.reader.records(Medium) if one.name.rpartition(".")[0] == name)
    (scene,) = session.reader.find(Scene, name=name)
    return medium, scene


def files(session: Session) -> list[str]:
    return sorted(path.name for path in (session.media_root / "clips").glob("*"))


@pytest.mark.parametrize(
    ("kind", "first", "last", "is_widened", "shown", "is_copied"),
    [
        ("variable_rate", 24, 47, False, (24, 47), True),
        ("variable_rate", 30, 40, True, (24, 47), True),
        ("variable_rate", 30, 40, False, (30, 40), False),
        ("turned", 24, 47, False, (24, 47), True),
        ("turned", 5, 9, False, (5, 9), False),
        ("open_gop", 24, 47, False, (24, 47), False),
        ("edit_list", 14, 37, False, (14, 37), True),
        ("edit_list", 3, 9, True, (0, 13), True),
    ],
)
def test_clip_when_cut_then_its_frames_and_their_times_are_those_of_the_video(
    kind: str,
    first: int,
    last: int,
    is_widened: bool,
    shown: tuple[int, int],
    is_copied: bool,
    session: Session,
    videos: dict[str, Path],
) -> None:
    (made,) = cut(session, request(kind, first, last, is_widened=is_widened)).made
    medium, scene = clip_of(session)
    assert (made.first, made.last, made.is_copied) == (*shown, is_copied)
    assert medium.clip == ClipRange(first=shown[0], last=shown[1], is_copied=is_copied)
    assert (medium.derived_from, medium.licence, medium.dataset) == (f"m-{kind}", "CC BY 4.0", "town")
    assert scene.views == (SceneView(name="UAV1", medium=medium.id),)
    video, clip = Video.open(videos[kind]), Video.open(session.media_root / medium.path)
    assert (clip.frame_count, clip.size_px) == (medium.frames, video.size_px)
    wanted = range(shown[0], shown[1] + 1)
    for mine, theirs in zip(clip.frames(range(clip.frame_count)), video.frames(wanted), strict=True):
        assert read_number(mine.rgb()) == read_number(theirs.rgb()) is not None
        if is_copied:
            assert np.array_equal(mine.rgb(), theirs.rgb())
    assert np.allclose(clip.times_s, video.times_s[wanted] - video.times_s[shown[0]], atol=1e-4)


def test_clip_when_cut_then_keeps_the_annotations_and_poses_of_its_frames(session: Session) -> None:
    cut(session, request("variable_rate", 20, 47, text="the red house", footage="simulated"))
    medium, scene = clip_of(session)
    assert (scene.metadata, medium.footage) == ({"destination": "the red house"}, "simulated")
    regions = list(session.reader.find(Region, medium=medium.id))
    assert [(one.frame, one.number, one.box, one.track) for one in regions] == [
        (4, 1, BOX, "car"),
        (27, 2, BOX, "car"),
    ]
    assert [path.frame for path in session.reader.find(Polyline, medium=medium.id)] == [4, 27]
    (flight,) = session.reader.find(Trajectory, scene=scene.id)
    assert [pose.x_m for pose in flight.poses] == [float(n) for n in range(20, 48)]
    assert (flight.key_frames, flight.times_s[0], len(flight.times_s)) == ((10, 20), 0.0, 28)
    assert np.allclose(flight.times_s, Video.open(session.media_root / medium.path).times_s, atol=1e-4)


def test_clip_when_cut_then_labels_are_on_its_own_poses_and_texts_of_the_whole_flight_are_left_out(
    session: Session,
) -> None:
    cut(session, request("variable_rate", 20, 47))
    _, scene = clip_of(session)
    (flight,) = session.reader.find(Trajectory, scene=scene.id)
    # The segment that ends at pose 30 begins before the clip: its caption holds, its actions do not.
    assert flight.key_frame_labels == (
        KeyFrameLabel(frame=10, caption="a door"),
        KeyFrameLabel(frame=20, actions=("turn",)),
    )
    assert (flight.instruction_goal, flight.instruction_detailed, flight.difficulty) == ("", "", "")


def test_clip_when_undone_then_is_gone_from_the_project_and_its_file_stays(session: Session) -> None:
    cut(session, request("turned", 24, 47))
    session.undo().result()
    assert not list(session.reader.find(Scene, name="clip"))
    assert files(session) == ["clip.mp4"]
    # A later clip of that name must not take the file, which a redo would need.
    cut(session, request("turned", 24, 30))
    medium, _ = clip_of(session)
    assert (medium.path, medium.name) == ("clips/clip (2).mp4", "clip.mp4")
    assert files(session) == ["clip (2).mp4", "clip.mp4"]


def test_clip_when_its_file_is_surveyed_then_its_hidden_frames_are_not_counted(session: Session) -> None:
    cut(session, request("edit_list", 3, 9, is_widened=True))
    survey = survey_media(session.reader, root=session.roots, progress=Progress())
    session.execute(RegisterMedia(survey=survey)).result()
    medium, _ = clip_of(session)
    assert (medium.frames, medium.duration_s) == (14, pytest.approx(14 / FPS))


def test_clips_when_one_cannot_be_cut_then_none_is_left(session: Session) -> None:
    with pytest.raises(UserError, match="has no frames 80 to 90"):
        cut(session, request("turned", 24, 47), request("turned", 80, 90, name="late"))
    assert files(session) == []
    assert not list(session.reader.find(Scene, name="clip"))


@pytest.mark.parametrize("message", ["Copying", "Encoding"])
def test_clip_when_cancelled_then_nothing_is_left(message: str, session: Session) -> None:
    progress = Progress(lambda step: progress.cancel() if str(step.what).startswith(message) else None)
    first = 24 if message == "Copying" else 25
    command = MakeClips(clips=(request("turned", first, 47),), roots=session.roots)
    with pytest.raises(Cancelled):
        session.execute(command, progress=progress).result()
    assert files(session) == []


def test_clip_when_the_disk_is_full_then_says_so_and_leaves_nothing(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode = export._encode

    def until_full(*arguments: object, **more: object) -> None:
        encode(*arguments, **more)  # type: ignore[arg-type]
        raise av.error.OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(export, "_encode", until_full)
    with pytest.raises(EnvironmentFailure, match="cannot be written: No space left on device"):
        cut(session, request("turned", 3, 9))
    assert files(session) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (" ", "needs a name"),
        ("turned", "already in use"),
        ("a/b", "characters that file names cannot have"),
        ("n" * 81, "more than 80 characters"),
    ],
)
def test_clip_when_its_name_cannot_be_used_then_says_why_before_anything_is_cut(
    name: str, message: str, session: Session
) -> None:
    with pytest.raises(UserError, match=message):
        cut(session, request("turned", 24, 47, name=name))
    assert not (session.media_root / "clips").exists()


def test_clips_when_two_have_one_name_then_says_so(session: Session) -> None:
    with pytest.raises(UserError, match="Two clips are named clip"):
        cut(session, request("turned", 24, 47), request("turned", 0, 9))


def test_clip_when_the_folder_is_a_link_out_of_the_project_then_nothing_is_written_there(
    session: Session, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (session.media_root / "clips").symlink_to(outside, target_is_directory=True)
    with pytest.raises(UserError, match="is a link that leads to"):
        cut(session, request("variable_rate", 24, 47))
    assert not list(outside.iterdir())
    assert not list(session.reader.find(Scene, name="clip"))
