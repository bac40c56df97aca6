"""Work on a flight in the Annotate workspace."""

from __future__ import annotations

from pathlib import Path

import msgspec

from annotator.domain.medium import Medium
from annotator.domain.scene import Scene, SceneView
from annotator.domain.trajectory import Pose, Trajectory
from tests.bench.hands.counting_hands import CountingHands, expect
from tests.bench.hands.project import write_project
from tests.bench.numbered_videos import KINDS, make_video

FRAMES, FPS, SIZE_PX = 100, 25, (192, 128)
CAPTIONS = (
    "A hall with a door on the right, near.",
    "The door, near, in the centre.",
    "A corridor with lamps, far.",
    "A stair on the left, mid.",
    "A window, near, in the centre.",
)
GOAL = "Fly to the window above the stair."
DETAILED = (
    "Fly ahead to the door. Turn left into the corridor. Climb along the stair. Fly ahead to the window."
)


def make_flight_project(folder: Path) -> Path:
    """Make a project of one video with the poses of its camera, without key frames."""
    recipe = msgspec.structs.replace(KINDS["fragmented"], muxing={}, frames=FRAMES, size_px=SIZE_PX)
    file = Path(make_video(folder / "flight.media", name="0001", recipe=recipe).path)
    medium = Medium(
        id="m", name=file.name, path=file.name, media_type="video", width_px=SIZE_PX[0], height_px=SIZE_PX[1],
        frames=FRAMES, duration_s=FRAMES / FPS,
    )  # fmt: skip
    scene = Scene(id="s", name="0001", views=(SceneView(name="UAV1", medium="m"),))
    flight = Trajectory(
        id="t", scene="s", name="/a/b/traj_1", view="UAV1", axes="east-north-up", poses=_poses(),
        times_s=tuple(number / FPS for number in range(FRAMES)),
    )  # fmt: skip
    return write_project(folder / "flight.vantage", [medium, scene, flight])


def caption_a_flight(hands: CountingHands) -> None:
    """Propose key frames, correct one and the action of one segment, write captions and both instructions."""
    hands.begin()
    hands.press("Shift+J")
    hands.press("Alt+G")
    hands.press("Return")
    for caption in CAPTIONS[:-1]:
        hands.think()
        hands.type(caption)
        hands.press("Ctrl+Return")
    hands.think()
    hands.type(CAPTIONS[-1])
    hands.press("Return")
    hands.think()
    hands.press("Up")
    for _ in range(2):
        hands.press("Ctrl+Left")
    hands.think()
    hands.press("1")
    for letter, text in (("G", GOAL), ("D", DETAILED)):
        hands.press(letter)
        hands.think()
        hands.type(text)
        hands.press("Return")
    (flight,) = hands.reader.records(Trajectory)
    captions = tuple(label.caption for label in flight.key_frame_labels)
    expect(captions == CAPTIONS, what="five captions")
    expect(flight.key_frame_labels[3].actions == ("up_down", "forward"), what="two actions of the climb")
    expect((flight.instruction_goal, flight.instruction_detailed) == (GOAL, DETAILED), what="instructions")


def _poses() -> tuple[Pose, ...]:
    """Return a flight ahead, a turn to the left, a climb, and ahead again, 25 poses each."""
    ahead = [Pose(x_m=number / 4, y_m=0, z_m=1, yaw_deg=0) for number in range(25)]
    turn = [Pose(x_m=6, y_m=0, z_m=1, yaw_deg=3.6 * number) for number in range(1, 26)]
    climb = [Pose(x_m=6, y_m=0, z_m=1 + number / 8, yaw_deg=90) for number in range(1, 26)]
    on = [Pose(x_m=6, y_m=number / 4, z_m=1 + 25 / 8, yaw_deg=90) for number in range(1, 26)]
    return (*ahead, *turn, *climb, *on)
