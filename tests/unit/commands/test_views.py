from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath

import msgspec
import numpy as np
import pytest

from annotator.commands.command import Command
from annotator.commands.views import AlignViews, ShiftView
from annotator.demo.camera import Camera
from annotator.domain.link import Link
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.domain.trajectory import Pose, Trajectory
from annotator.errors import UserError
from annotator.media.ground_plane import IDENTITY, plane_transform
from annotator.queries.view_alignment import ground_point
from annotator.session import Session
from tests.unit.store.making import ANNA, a_medium, changed, created, problems, removed, visible_state, write

SIZE = (1280, 720)
NAMES = ("UAV1", "UAV2", "UAV3")
CAMERAS = tuple(
    Camera.over(at=(100.0, 50.0), distance_m=60.0 + 10 * n, heading_deg=40.0 * n, tilt_deg=35.0)
    for n in range(3)
)
PLACES = tuple((85.0 + 6 * (n % 6), 40.0 + 5 * (n // 6)) for n in range(24))


@dataclass
class ViewedScene:
    """A project with a scene of three drones over one ground."""

    session: Session
    scene: str
    media: tuple[str, ...]

    def do(self, command: Command) -> None:
        self.session.execute(command).result()

    def views(self) -> dict[str, SceneView]:
        scene = self.session.reader.get(Scene, self.scene)
        assert scene is not None
        return {view.name: view for view in scene.views}

    def link(self, *numbers: int, of: tuple[int, ...] = (0, 1, 2), off_px: float = 0.0) -> None:
        """Mark things that stand at known places of the ground, in some views, and link them."""
        for number in numbers:
            regions = [self._region(view, number=number, off_px=off_px) for view in of]
            link = Link(id=new_id(), scene=self.scene, regions=tuple(region.id for region in regions))
            write(self.session, *(created("region", region) for region in regions), created("link", link))

    def stand(self, *views: int, height_m: float = 0.0, at_m: tuple[float, ...] = (0.0,)) -> None:
        """Say where the cameras of some views are, at one time or several."""
        for view in views:
            camera, count = CAMERAS[view], len(at_m)
            height = camera.altitude_m + height_m
            way = Trajectory(
                id=new_id(),
                scene=self.scene,
                view=NAMES[view],
                axes="east-north-up",
                poses=tuple(Pose(x_m=camera.x_m + m, y_m=-camera.y_m, z_m=height, yaw_deg=0.0) for m in at_m),
                orientations=(camera.orientation,) * count,
                intrinsics=camera.intrinsics(SIZE),
            )
            write(self.session, created("trajectory", way))

    def link_people(self, *numbers: int) -> None:
        """Mark people of different heights, with their feet at known places, and link them with a drone's."""
        for number in numbers:
            seen = self._region(0, number=number, off_px=0.0)
            x, y = self._at(2, number=number)
            box = Box(x1=x - 6, y1=y - 40 - 12 * (number % 4), x2=x + 6, y2=y)
            foot = Region(id=new_id(), medium=self.media[2], number=number, box=box)
            link = Link(id=new_id(), scene=self.scene, regions=(seen.id, foot.id))
            write(self.session, created("region", seen), created("region", foot), created("link", link))

    def link_moving(self, *numbers: int, frames: Mapping[int, tuple[int, ...]]) -> None:
        """Mark things that move, on some frames of each view, and link them.

        On the second given frame they are at their places, 20 px from them for each frame before or after.
        """
        for number in numbers:
            regions = [
                msgspec.structs.replace(
                    self._region(view, number=number, off_px=0.0, moved_px=20.0 * (frame - marked[1])),
                    frame=frame,
                )
                for view, marked in frames.items()
                for frame in marked
            ]
            link = Link(id=new_id(), scene=self.scene, regions=tuple(region.id for region in regions))
            write(self.session, *(created("region", region) for region in regions), created("link", link))

    def _region(self, view: int, *, number: int, off_px: float, moved_px: float = 0.0) -> Region:
        x, y = self._at(view, number=number)
        x += moved_px * (-1) ** number
        x, y = x + off_px * (number % 3 - 1), y + off_px * (view % 2)
        box = Box(x1=x - 6, y1=y - 4, x2=x + 6, y2=y + 4)
        return Region(id=new_id(), medium=self.media[view], number=number, box=box)

    def _at(self, view: int, *, number: int) -> tuple[float, float]:
        ((x, y),) = CAMERAS[view].project(np.array([(*PLACES[number], 0.0)]), size_px=SIZE)
        return float(x), float(y)

    def error_px(self, here: int, there: int) -> float:
        """Return how far off the farthest place of the ground is that one view says of another."""
        views = self.views()
        way = plane_transform(views[NAMES[here]].to_ground, views[NAMES[there]].to_ground)
        assert way is not None
        positions = np.array([(*position, 0.0) for position in PLACES])
        first, second = (CAMERAS[view].project(positions, size_px=SIZE) for view in (here, there))
        return float(np.linalg.norm(way.points(first) - second, axis=1).max())

    def goes_there_and_back(self, command: Command) -> None:
        """Do, undo, redo, and compare all that lists and searches rest on."""
        before = visible_state(self.session.path)
        self.do(command)
        after = visible_state(self.session.path)
        assert after != before
        self.session.undo().result()
        assert visible_state(self.session.path) == before
        self.session.redo().result()
        assert visible_state(self.session.path) == after


def made_location(session: Session, *kinds: str) -> ViewedScene:
    sizes = {"width_px": SIZE[0], "height_px": SIZE[1]}
    media = [
        a_medium(name=f"{name}.x", media_type=kind, **sizes) for name, kind in zip(NAMES, kinds, strict=True)
    ]
    views = tuple(SceneView(name=name, medium=medium.id) for name, medium in zip(NAMES, media, strict=True))
    scene = Scene(id=new_id(), name="01", views=views)
    write(session, *(created("medium", medium) for medium in media), created("scene", scene))
    return ViewedScene(session, scene.id, tuple(medium.id for medium in media))


@pytest.fixture
def session(tmp_path: FilePath) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        yield session


@pytest.fixture
def videos(session: Session) -> ViewedScene:
    return made_location(session, "video", "frames", "image")


@pytest.fixture
def viewed(session: Session) -> ViewedScene:
    return made_location(session, "image", "image", "image")


def test_view_when_shifted_then_keeps_its_offset_and_goes_back(videos: ViewedScene) -> None:
    videos.goes_there_and_back(ShiftView(scene=videos.scene, view="UAV2", offset_s=-0.48))
    assert videos.views()["UAV2"].offset_s == -0.48
    assert problems(videos.session.path) == []


def test_views_when_shifted_one_after_the_other_then_keep_each_other_s_change(videos: ViewedScene) -> None:
    second = ShiftView(scene=videos.scene, view="UAV2", offset_s=2.0)
    videos.do(ShiftView(scene=videos.scene, view="UAV1", offset_s=1.25))
    videos.do(second)
    assert [view.offset_s for view in videos.views().values()] == [1.25, 2.0, 0.0]


def test_view_when_shifted_to_where_it_is_then_nothing_is_written(videos: ViewedScene) -> None:
    before = visible_state(videos.session.path)
    videos.do(ShiftView(scene=videos.scene, view="UAV1", offset_s=-0.0))
    assert visible_state(videos.session.path) == before


@pytest.mark.parametrize(
    ("view", "offset_s", "text"),
    [
        ("UAV9", 1.0, "has no view UAV9"),
        ("UAV3", 1.0, "has no video"),
        ("UAV1", float("nan"), "within one day"),
        ("UAV1", 90_000.0, "within one day"),
    ],
)
def test_view_when_it_cannot_be_shifted_then_is_refused(
    videos: ViewedScene, view: str, offset_s: float, text: str
) -> None:
    with pytest.raises(UserError, match=text):
        videos.do(ShiftView(scene=videos.scene, view=view, offset_s=offset_s))


def test_ground_when_views_share_links_then_pixels_of_the_first_are_the_plane(
    viewed: ViewedScene,
) -> None:
    viewed.link(*range(12))
    command = AlignViews(scene=viewed.scene)
    viewed.goes_there_and_back(command)
    assert viewed.views()["UAV1"].to_ground == IDENTITY
    assert max(viewed.error_px(0, 1), viewed.error_px(1, 2), viewed.error_px(2, 0)) < 0.1
    report = command.report
    assert (report.is_metric, report.left, report.views["UAV1"].by) == (False, {}, "reference")
    assert (report.views["UAV2"].by, report.views["UAV2"].points, report.views["UAV2"].fitting) == (
        "links", 12, 12,
    )  # fmt: skip
    assert report.views["UAV2"].error_px < 0.01
    assert problems(viewed.session.path) == []


def test_ground_when_links_are_inexact_and_some_wrong_then_is_found_all_the_same(
    viewed: ViewedScene,
) -> None:
    viewed.link(*range(20), off_px=2.0)
    viewed.link(20, 21, 22, off_px=150.0)
    command = AlignViews(scene=viewed.scene)
    viewed.do(command)
    assert command.report.views["UAV2"].fitting == 20
    assert viewed.error_px(0, 1) < 8.0


def test_ground_when_things_move_in_videos_then_boxes_of_one_moment_are_matched(videos: ViewedScene) -> None:
    videos.link_moving(*range(12), frames={0: (1, 2, 7), 1: (0, 2, 4)})
    videos.do(AlignViews(scene=videos.scene))
    assert videos.error_px(0, 1) < 1e-3


def test_ground_when_a_video_begins_later_then_its_offset_tells_which_frames_are_of_one_moment(
    videos: ViewedScene,
) -> None:
    # The lengths are unknown: a frame has 1/30 s.
    videos.do(ShiftView(scene=videos.scene, view=NAMES[1], offset_s=2 / 30))
    videos.link_moving(*range(12), frames={0: (0, 5, 8), 1: (0, 3, 4)})
    videos.do(AlignViews(scene=videos.scene))
    assert videos.error_px(0, 1) < 1e-3


def test_ground_when_a_view_is_linked_with_another_than_the_first_then_is_matched_by_it(
    viewed: ViewedScene,
) -> None:
    viewed.link(*range(8), of=(0, 1))
    viewed.link(*range(8, 16), of=(1, 2))
    viewed.do(AlignViews(scene=viewed.scene))
    assert viewed.error_px(0, 2) < 0.1


def test_ground_when_a_view_shares_too_little_then_is_left_and_said(viewed: ViewedScene) -> None:
    viewed.link(*range(3, 9), of=(0, 1))
    viewed.link(10, 11, of=(0, 2))
    command = AlignViews(scene=viewed.scene)
    viewed.do(command)
    assert command.report.left == {"UAV3": "2 points are known in both views; 4 are required."}
    assert viewed.views()["UAV3"].to_ground == ()


def test_ground_when_nothing_shares_enough_then_is_refused_with_what_is_missing(
    viewed: ViewedScene,
) -> None:
    viewed.link(0, 7, of=(1, 2))
    with pytest.raises(UserError, match="UAV2 and UAV3 share 2 linked regions; 4 are needed"):
        viewed.do(AlignViews(scene=viewed.scene))
    viewed.link(0, 1, 2, 3, 4, of=(0, 1))
    with pytest.raises(UserError, match="UAV2: The 5 points known in both views lie nearly on one line"):
        viewed.do(AlignViews(scene=viewed.scene))


def test_ground_when_poses_are_known_then_is_in_metres_and_links_match_the_rest(
    viewed: ViewedScene,
) -> None:
    viewed.stand(0, 1)
    viewed.link(*range(12), of=(0, 2))
    command = AlignViews(scene=viewed.scene)
    viewed.do(command)
    assert {name: view.by for name, view in command.report.views.items()} == {
        "UAV1": "pose", "UAV2": "pose", "UAV3": "links",
    }  # fmt: skip
    assert command.report.is_metric
    assert max(viewed.error_px(0, 1), viewed.error_px(1, 2)) < 0.1


def test_ground_when_links_speak_against_the_poses_then_they_are_not_believed(
    viewed: ViewedScene,
) -> None:
    viewed.stand(0, 1, height_m=140.0)
    viewed.link(*range(12), of=(0, 1))
    command = AlignViews(scene=viewed.scene)
    viewed.do(command)
    assert not command.report.is_metric
    assert viewed.error_px(0, 1) < 0.1


def test_ground_when_a_view_shows_things_standing_then_is_matched_by_their_feet(
    viewed: ViewedScene,
) -> None:
    viewed.link_people(*range(14))
    viewed.do(AlignViews(scene=viewed.scene))
    assert viewed.error_px(0, 2) < 0.1


@pytest.mark.parametrize("change", [{"axes": "source"}, {"orientations": ()}, {"intrinsics": None}])
def test_ground_when_a_pose_is_not_sure_then_it_is_not_used(
    viewed: ViewedScene, change: dict[str, object]
) -> None:
    viewed.stand(0, 1)
    for way in viewed.session.reader.records(Trajectory):
        write(viewed.session, *changed("trajectory", way.id, **change))
    with pytest.raises(UserError, match="UAV1 and UAV2 share 0 linked regions"):
        viewed.do(AlignViews(scene=viewed.scene))


def test_ground_when_a_still_was_taken_on_a_flight_then_its_pose_is_not_sure(
    viewed: ViewedScene,
) -> None:
    viewed.stand(0, 1, at_m=(0.0, 5.0))
    with pytest.raises(UserError, match="4 are needed"):
        viewed.do(AlignViews(scene=viewed.scene))


def test_ground_when_there_is_one_view_then_is_refused(session: Session) -> None:
    scene = Scene(id=new_id(), name="01", views=(SceneView(name="UAV1", medium="m"),))
    write(session, created("scene", scene))
    with pytest.raises(UserError, match="only one view"):
        session.execute(AlignViews(scene=scene.id)).result()


def test_ground_when_a_video_s_camera_moves_then_that_view_is_left(session: Session) -> None:
    videos = made_location(session, "video", "image", "video")
    videos.stand(0, at_m=(0.0, 3.0))
    videos.stand(1)
    videos.stand(2, at_m=(0.0, 0.001))
    videos.link(*range(12), of=(0, 1))
    command = AlignViews(scene=videos.scene)
    videos.do(command)
    assert list(command.report.left) == ["UAV1"]
    assert "moves" in command.report.left["UAV1"]
    assert videos.views()["UAV1"].to_ground == ()
    assert videos.error_px(1, 2) < 0.01


def test_ground_when_the_scene_is_gone_then_is_refused(viewed: ViewedScene) -> None:
    write(viewed.session, removed("scene", viewed.scene))
    with pytest.raises(UserError, match="no scene"):
        viewed.do(AlignViews(scene=viewed.scene))


def test_spot_when_the_camera_looks_along_the_ground_then_is_the_foot_else_the_middle() -> None:
    box = Box(x1=10, y1=10, x2=20, y2=40)
    assert ground_point(box, is_level=True) == (15.0, 40.0)
    assert ground_point(box, is_level=False) == (15.0, 25.0)
