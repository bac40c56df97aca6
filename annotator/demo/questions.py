"""Questions about the demo's images in the form of SpatialUAV.

All keys but those named in ``cases`` are computed from where things are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from annotator.demo.actions import amount_text
from annotator.demo.camera import Camera
from annotator.demo.captures import Captures, Clip, Marked, Picture
from annotator.demo.cases import QUESTION_SLIPS, slip_of
from annotator.demo.marks import is_vehicle
from annotator.demo.moments import Moment
from annotator.demo.quiz import ask
from annotator.demo.truth import VisibleObject
from annotator.draft.seeded_random import SeededRandom

FILE = "town_questions.jsonl"
TASK_SET = "spatialuav"
_CLOCK_CLEAR_DEG = 10.0
_DISTANCE_SHARE = 1.03
"""Two distances count as different when one is this many times the other."""
_PATH_DEG = (15.0, 45.0, 75.0, 105.0, 135.0, 165.0)
"""Angles of the arrows of Direction 1 to 6. Source: SpatialUAV, path-planning overlay."""
_AS_SET = "Answer formatted exactly like `Region 1, 2`."
_AS_REGION = "Answer formatted exactly like `Region 1`."
_AS_CLOCK = "Answer formatted exactly like `3 o'clock`."
_AS_DEGREES = "Answer formatted exactly like `88.0 degrees`."
_AS_MOVE = "Answer formatted exactly like `88.0 degrees, 12.0 meters`."
_AS_BOX = "Answer formatted exactly like `[x1, y1, x2, y2]`."
_AS_PAIRS = "Answer formatted exactly like `3-15, 4-5`."
_AS_LETTER = "Answer with one letter."
_AS_DIRECTION = "Answer formatted exactly like `Direction 3`."


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One question before it has its public id.

    Attributes:
        task: Beginning of the public id.
        images: Names of the images.
        question: The prompt.
        key: The answer.
    """

    task: str
    images: tuple[str, ...]
    question: str
    key: str


def question_file(captures: Captures) -> bytes:
    """Return the questions as JSON lines, as SpatialUAV's annotations are written.

    Pairs come first: whoever reads the file learns from them which images belong together.
    """
    numbers: dict[str, int] = defaultdict(int)
    lines = []
    for row in question_rows(captures):
        numbers[row.task] += 1
        line = {
            "id": f"{row.task}_{numbers[row.task]:05d}",
            "image": [f"./{image}" for image in row.images],
            "conversations": [{"from": "human", "value": row.question}],
            "source": "SpatialUAV",
            "GT": _with_slip(row, number=numbers[row.task]),
        }
        lines.append(msgspec.json.encode(line))
    return b"\n".join(lines) + b"\n"


def question_rows(captures: Captures) -> Iterator[Row]:
    """Yield all questions with their right keys."""
    for moment in captures.moments():
        yield from _pairs(captures.marked_in(moment.name))
    for moment in captures.moments():
        yield from _clean_pairs(moment, captures)
    for marked in captures.marked:
        yield from _single_view(marked, captures)
    for clip in captures.clips:
        yield _motion(clip)
    if not captures.clips:
        yield from _still_motion(captures)


def _with_slip(row: Row, *, number: int) -> str:
    if slip_of(QUESTION_SLIPS, task=row.task, number=number) is None:
        return row.key
    return f"{row.key}." if row.task == "Direction_Recognition" else "Region 27"


def _single_view(view: Marked, captures: Captures) -> Iterator[Row]:
    if view.picture.shot.view == "ground":
        return
    images, camera = (view.name,), view.picture.shot.camera
    named = [s.mover.category for s in view.visible_objects]
    for what in sorted(set(named))[:1]:
        key = _regions([n for n, other in enumerate(named) if other == what])
        yield _row("Region_Recognition", "region_recognition", images, key, _AS_SET, label=_article(what))
    yield from _distances(view)
    clear = [n for n, s in enumerate(view.visible_objects) if _is_clear_clock(camera, s)]
    for number in clear[:1]:
        key = _clock(camera, view.visible_objects[number])
        region = f"Region {number}"
        yield _row("Direction_Recognition", "direction_recognition", images, key, _AS_CLOCK, region=region)
    yield from _anomalies(view, captures)


def _anomalies(view: Marked, captures: Captures) -> Iterator[Row]:
    """Yield which regions show what belongs to an event out of the ordinary."""
    on = [a for a in captures.anomalies if a.is_on(view.picture.moment.time_s)]
    odd = {number for anomaly in on for number in anomaly.bodies}
    abnormal = [n for n, s in enumerate(view.visible_objects) if s.mover.number in odd]
    if abnormal:
        yield _row("Anomaly_Detection", "anomaly_detection", (view.name,), _regions(abnormal), _AS_SET)


def _distances(view: Marked) -> Iterator[Row]:
    """Yield which vehicle is the nearest and the farthest, by its depth, where that is beyond doubt."""
    ranked = sorted(
        range(len(view.visible_objects)),
        key=lambda n: _distance_m(view.picture.shot.camera, view.visible_objects[n]),
    )
    far_m = [_distance_m(view.picture.shot.camera, view.visible_objects[n]) for n in ranked]
    # By the first and the second: the winner has to be beyond doubt, the others may be close.
    for template, ends in (("closest", (0, 1)), ("farthest", (-1, -2))):
        # Of two things one would be right by tossing a coin.
        if len(ranked) > 2 and _differ(far_m[ends[0]], far_m[ends[1]]):
            yield _row(
                "Distance_Comparison", "distance_comparison", (view.name,), _regions([ranked[ends[0]]]),
                _AS_REGION, template=template, label="vehicle",
            )  # fmt: skip


def _pairs(marked: Sequence[Marked]) -> Iterator[Row]:
    for one, two in _neighbours(marked):
        is_ground = two.picture.shot.view == "ground"
        images = (one.name, two.name)
        there = {s.mover.number: n for n, s in enumerate(two.visible_objects)}
        pairs = [
            (n, there[s.mover.number]) for n, s in enumerate(one.visible_objects) if s.mover.number in there
        ]
        if pairs:
            kind = "a2g" if is_ground else "a2a"
            key = ", ".join(f"{a}-{b}" for a, b in pairs)
            yield _row(
                f"{kind.upper()}_Shared_Association", f"{kind}_shared_association", images, key, _AS_PAIRS
            )
        if is_ground:
            yield from _capture_position(one, two)
        else:
            yield from _matches(one, two, pairs)
            yield from _occlusions(one, two)


def _matches(one: Marked, two: Marked, pairs: Sequence[tuple[int, int]]) -> Iterator[Row]:
    images = (one.name, two.name)
    for number, other in pairs[:2]:
        yield _row(
            "A2A_Object_Matching", "object_matching", images, _regions([other]), _AS_REGION,
            template="region", region=f"Region {number}",
        )  # fmt: skip
    for number, other in pairs[-1:]:
        yield _row(
            "A2A_Object_Matching", "object_matching", images, box_text(two.visible_objects[other]), _AS_BOX,
            template="box", box=box_text(one.visible_objects[number]),
        )  # fmt: skip


def _occlusions(one: Marked, two: Marked) -> Iterator[Row]:
    """Yield what hides a vehicle of the first view, where the second view has that in a region."""
    regions = {s.mover.number: n for n, s in enumerate(two.visible_objects)}
    hidden = [s for s in one.picture.visible_objects if is_vehicle(s) and s.shown < 0.9 and s.hidden_by]
    for visible_object in hidden:
        # Exactly one object may hide it, or several regions would be right.
        if visible_object.hidden_by[0] in regions and len(visible_object.hidden_by) == 1:
            question = (
                f"In image 1 part is hidden of the {visible_object.mover.category} "
                f"in the box {box_text(visible_object)}. "
                f"{ask(TASK_SET, 'occlusion_removal')} {_AS_REGION}"
            )
            key = _regions([regions[visible_object.hidden_by[0]]])
            yield Row(task="A2A_Occlusion_Removal", images=(one.name, two.name), question=question, key=key)
            return


def _capture_position(one: Marked, two: Marked) -> Iterator[Row]:
    """Yield near which region the ground image was taken, and which way leads to a region."""
    ground = two.picture.shot.camera
    reach = [float(np.hypot(s.mover.x_m - ground.x_m, s.mover.y_m - ground.y_m)) for s in one.visible_objects]
    ranked = np.argsort(reach)
    images = (one.name, two.name)
    # At least a third farther: distances cannot be measured in the image.
    if len(ranked) > 2 and reach[ranked[1]] > reach[ranked[0]] * 1.3:
        key = _regions([int(ranked[0])])
        yield _row("A2G_View_Translation", "view_translation", images, key, _AS_REGION)
    for number in ranked.tolist():
        direction = path_direction(ground, one.visible_objects[number])
        # The nearest region whose direction is clear; one that lies between two arrows is skipped.
        if direction:
            question = (
                f"{ask(TASK_SET, 'path_planning')} Image 1 is the aerial picture; the region is "
                f"Region {number}. {_AS_DIRECTION}"
            )
            key = f"Direction {direction}"
            yield Row(task="A2G_Path_Planning", images=images, question=question, key=key)
            return


def path_direction(ground: Camera, visible_object: VisibleObject) -> int:
    """Return which of the six directions leads from a ground camera to a thing, 0 where none clearly does.

    Source: SpatialUAV: arrows at 15, 45 ... 165 degrees from the right, numbered 1 to 6.
    """
    angle = 90.0 - _bearing_deg(ground, visible_object)
    # To -180 to 180 first: what lies behind the camera is near none of the six arrows.
    angle = (angle + 180) % 360 - 180
    best = min(_PATH_DEG, key=lambda arrow: abs(arrow - angle))
    return _PATH_DEG.index(best) + 1 if abs(best - angle) < 9 else 0


def _clean_pairs(moment: Moment, captures: Captures) -> Iterator[Row]:
    views = {p.shot.view: p for p in captures.of_moment(moment.name)}
    if {"UAV1", "UAV2"} <= views.keys():
        one, two = views["UAV1"], views["UAV2"]
        yield from _transformations(one, two)
        yield from _recognition("A2A", "a2a", one, two, captures)
    if {"UAV1", "ground"} <= views.keys():
        yield from _recognition("A2G", "a2g", views["ground"], views["UAV1"], captures)


def _transformations(one: Picture, two: Picture) -> Iterator[Row]:
    turn, move_m = transformation(one.shot.camera, two.shot.camera)
    images = (one.name, two.name)
    # By turns, so that both templates of the task occur in the smallest demo.
    template = "heading" if one.moment.number % 2 else "heading_and_shift"
    key = f"{turn:.1f} degrees" if template == "heading" else f"{turn:.1f} degrees, {move_m:.1f} meters"
    form = _AS_DEGREES if template == "heading" else _AS_MOVE
    yield _row("A2A_Camera_Transformation", "camera_transformation", images, key, form, template=template)
    if template == "heading" and one.shot.size_px == two.shot.size_px:
        key = f"{turn:.1f} degrees, {move_m:.1f} meters"
        yield _row(
            "A2A_Camera_Transformation", "camera_transformation", images, key, _AS_MOVE,
            template="heading_and_shift",
        )  # fmt: skip


def transformation(one: Camera, two: Camera) -> tuple[float, float]:
    """Return the clockwise turn from one heading to another, 0 to 360, and the distance of the cameras."""
    turn = (two.heading_deg - one.heading_deg) % 360
    return turn, float(np.linalg.norm(two.position_m - one.position_m))


def _recognition(prefix: str, kind: str, query: Picture, right: Picture, captures: Captures) -> Iterator[Row]:
    others = _elsewhere(query, right, captures)
    if len(others) < 3:
        return
    task = f"{kind}_collaboration_recognition"
    draw = SeededRandom(task, query.moment.name)
    # The place of the right image goes round instead of being drawn: letters come out even in few items.
    wrong, index = draw.sample(others, 3), captures.moments().index(query.moment) % 4
    question = f"{ask(TASK_SET, task)} {_AS_LETTER}"
    images = (query.name, *wrong[:index], right.name, *wrong[index:])
    yield Row(task=f"{prefix}_Collaboration_Recognition", images=images, question=question, key="ABCD"[index])


def _elsewhere(query: Picture, right: Picture, captures: Captures) -> list[str]:
    """Return one image of each place from which nothing of this image's place can be seen."""
    # An image of another place may still show the same street; one common vehicle makes it a second right
    # answer.
    seen = {s.mover.number for s in query.visible_objects}
    found: dict[str, str] = {}
    for other in captures.pictures:
        is_alike = other.shot.view == right.shot.view and other.moment.place != query.moment.place
        if is_alike and not seen & {s.mover.number for s in other.visible_objects}:
            found.setdefault(other.moment.place, other.name)
    return list(found.values())


def _motion(clip: Clip) -> Row:
    text = ", then ".join(_third_person(amount_text(leg)) for leg in clip.flight.legs)
    return _row(
        "Motion_Understanding",
        "global_motion",
        tuple(clip.flight.frame_name(n) for n in clip.flight.key_frames),
        f"The drone {text}.",
        "",
    )


def _third_person(step: str) -> str:
    verb, _, rest = step.partition(" ")
    return f"{'flies' if verb == 'fly' else f'{verb}s'} {rest}".strip()


def _still_motion(captures: Captures) -> Iterator[Row]:
    firsts = [p for p in captures.pictures if p.moment.place == "crossroads" and p.shot.view == "UAV1"]
    if len(firsts) > 1:
        yield _row(
            "Motion_Understanding", "global_motion", tuple(p.name for p in firsts),
            "The drone holds its place and altitude over the crossroads and turns slightly to the right.", "",
        )  # fmt: skip


def _row(
    prefix: str, task: str, images: tuple[str, ...], key: str, form: str, *, template: str = "", **slots: str
) -> Row:
    question = f"{ask(TASK_SET, task, template=template, **slots)} {form}".strip()
    return Row(task=prefix, images=images, question=question, key=key)


def _neighbours(marked: Sequence[Marked]) -> Iterator[tuple[Marked, Marked]]:
    """Yield two drones' views, and one drone's with the ground's, each pair once."""
    drones = [m for m in marked if m.picture.shot.view != "ground"]
    for n, one in enumerate(drones):
        yield from ((one, two) for two in drones[n + 1 :])
    yield from ((drones[0], m) for m in marked if m.picture.shot.view == "ground" and drones)


def _article(category: str) -> str:
    return f"{'an' if category[0] in 'aeiou' else 'a'} {category}"


def _regions(numbers: Sequence[int]) -> str:
    return f"Region {', '.join(map(str, numbers))}"


def box_text(visible_object: VisibleObject) -> str:
    """Return a box as SpatialUAV writes it."""
    return f"[{visible_object.x1}, {visible_object.y1}, {visible_object.x2}, {visible_object.y2}]"


def _distance_m(camera: Camera, visible_object: VisibleObject) -> float:
    """Return the distance of a thing's middle from the camera."""
    m = visible_object.mover
    middle = np.array((m.x_m, m.y_m, m.ground_m + m.height_m / 2))
    return float(np.linalg.norm(middle - camera.position_m))


def _differ(one: float, two: float) -> bool:
    return max(one, two) > _DISTANCE_SHARE * min(one, two)


def _bearing_deg(camera: Camera, visible_object: VisibleObject) -> float:
    """Return the direction to a thing, clockwise from the camera's heading, 0 to 360."""
    mover = visible_object.mover
    bearing = np.degrees(np.arctan2(mover.x_m - camera.x_m, camera.y_m - mover.y_m)) - camera.heading_deg
    return float(bearing % 360)


def _clock(camera: Camera, visible_object: VisibleObject) -> str:
    # The hour 0 is called 12.
    return f"{round(_bearing_deg(camera, visible_object) / 30) % 12 or 12} o'clock"


def _is_clear_clock(camera: Camera, visible_object: VisibleObject) -> bool:
    bearing = _bearing_deg(camera, visible_object)
    return abs(bearing - 30 * round(bearing / 30)) < _CLOCK_CLEAR_DEG
