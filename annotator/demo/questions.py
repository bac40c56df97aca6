"""Questions about the demo's pictures in the form of SpatialUAV.

All keys but those named in ``SLIPS`` are computed from where things are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from annotator.demo.camera import Camera
from annotator.demo.marks import Marked
from annotator.demo.paint import colour_name
from annotator.demo.pictures import Picture, Sight

FILE = "town_questions.jsonl"
SLIPS = {
    "Direction_Recognition_00003": "the key ends in a dot, though the question forbids other characters",
    "Region_Recognition_00004": "the key names a region that the picture does not have",
}
_NEAR = ({"crossroads", "market"}, {"park", "school"})
"""Places that can be seen from one another: no use as wrong options."""
_AS_SET = "Answer formatted exactly like `Region 1, 2`."
_AS_REGION = "Answer formatted exactly like `Region 1`."
_AS_CLOCK = "Answer formatted exactly like `3 o'clock`."
_AS_DEGREES = "Answer formatted exactly like `88.0 degrees`."
_AS_BOX = "Answer formatted exactly like `[x1, y1, x2, y2]`."
_AS_PAIRS = "Answer formatted exactly like `3-15, 4-5`."


@dataclass(frozen=True, kw_only=True)
class Row:
    """One question before it has its public id.

    Attributes:
        task: Beginning of the public id.
        images: Names of the pictures.
        question: The prompt.
        key: The answer.
    """

    task: str
    images: tuple[str, ...]
    question: str
    key: str


def question_file(pictures: Sequence[Picture], marked: Sequence[Marked]) -> bytes:
    """Return the questions as JSON lines, as SpatialUAV's annotations are written."""
    rows = [*_single_view(marked), *_pairs(marked), *_clean_pairs(pictures)]
    numbers: dict[str, int] = defaultdict(int)
    lines = []
    for row in rows:
        numbers[row.task] += 1
        name = f"{row.task}_{numbers[row.task]:05d}"
        line = {
            "id": name,
            "image": [f"./{image}" for image in row.images],
            "conversations": [{"from": "human", "value": row.question}],
            "source": "SpatialUAV",
            "GT": _with_slip(name, row.key),
        }
        lines.append(msgspec.json.encode(line))
    return b"\n".join(lines) + b"\n"


def _with_slip(name: str, key: str) -> str:
    if name == "Direction_Recognition_00003":
        return f"{key}."
    return "Region 27" if name == "Region_Recognition_00004" else key


def _single_view(marked: Sequence[Marked]) -> Iterator[Row]:
    for view in marked:
        images, camera = (view.name,), view.picture.shot.camera
        named = [f"{colour_name(s.mover.colour)} {s.mover.kind}" for s in view.sights]
        for what in sorted(set(named))[:2]:
            key = _regions([n for n, other in enumerate(named) if other == what])
            question = f"Which regions contain a {what}? {_AS_SET}"
            yield Row(task="Region_Recognition", images=images, question=question, key=key)
        far_m = [_distance_m(camera, s) for s in view.sights]
        for word, place in (("closest to", np.argmin(far_m)), ("farthest from", np.argmax(far_m))):
            question = f"Which region contains the vehicle {word} the drone? {_AS_REGION}"
            yield Row(
                task="Distance_Comparison", images=images, question=question, key=_regions([int(place)])
            )
        for number in (0, len(view.sights) // 2):
            question = (
                f"In which o'clock direction is the vehicle in Region {number}, "
                f"with 12 straight ahead? {_AS_CLOCK}"
            )
            key = _clock(camera, view.sights[number])
            yield Row(task="Direction_Recognition", images=images, question=question, key=key)


def _pairs(marked: Sequence[Marked]) -> Iterator[Row]:
    for one, two in _neighbours(marked):
        images = (one.name, two.name)
        there = {s.mover.number: n for n, s in enumerate(two.sights)}
        pairs = [(n, there[s.mover.number]) for n, s in enumerate(one.sights) if s.mover.number in there]
        if not pairs:
            continue
        yield Row(
            task="A2A_Shared_Association",
            images=images,
            question=f"List all pairs of regions that show the same vehicle in both views. {_AS_PAIRS}",
            key=", ".join(f"{a}-{b}" for a, b in pairs),
        )
        for number, other in pairs[:2]:
            question = (
                f"Which region in image 2 shows the vehicle of Region {number} in image 1? {_AS_REGION}"
            )
            yield Row(task="A2A_Object_Matching", images=images, question=question, key=_regions([other]))
        number, other = pairs[-1]
        question = f"Which box in image 2 corresponds to Region {number} in image 1? {_AS_BOX}"
        yield Row(task="A2A_Object_Matching", images=images, question=question, key=_box(two.sights[other]))


def _clean_pairs(pictures: Sequence[Picture]) -> Iterator[Row]:
    firsts = [p for p in pictures if p.shot.view == "UAV1"]
    for number, one in enumerate(firsts):
        two = next(p for p in pictures if p.moment is one.moment and p.shot.view == "UAV2")
        turn = (two.shot.camera.heading_deg - one.shot.camera.heading_deg) % 360
        yield Row(
            task="A2A_Camera_Transformation",
            images=(one.name, two.name),
            question=f"What clockwise turn leads from the heading of image 1 to image 2's? {_AS_DEGREES}",
            key=f"{turn:.1f} degrees",
        )
        others, place = [p.name for p in _elsewhere(one, pictures)][:3], number % 4
        yield Row(
            task="A2A_Collaboration_Recognition",
            images=(one.name, *others[:place], two.name, *others[place:]),
            question="Which option shows the same place as the given UAV view? Answer with one letter.",
            key="ABCD"[place],
        )
    yield Row(
        task="Motion_Understanding",
        images=tuple(p.name for p in firsts if p.moment.place == "crossroads"),
        question="Describe, in temporal order, how the drone moves.",
        key="The drone holds its place and altitude over the crossroads and turns slightly to the right.",
    )


def _elsewhere(picture: Picture, pictures: Sequence[Picture]) -> list[Picture]:
    """Return one picture of each place from which nothing of this picture's place can be seen."""
    place = picture.moment.place
    near = next((group for group in _NEAR if place in group), {place})
    return [
        p for p in pictures if p.moment.place not in near and p.moment.number == 1 and p.shot.view == "UAV2"
    ]


def _neighbours(marked: Sequence[Marked]) -> Iterator[tuple[Marked, Marked]]:
    for one in marked:
        for two in marked:
            if one.picture.moment is two.picture.moment and one.picture.shot.view < two.picture.shot.view:
                yield one, two


def _regions(numbers: Sequence[int]) -> str:
    return f"Region {', '.join(map(str, numbers))}"


def _box(sight: Sight) -> str:
    return f"[{sight.x1}, {sight.y1}, {sight.x2}, {sight.y2}]"


def _distance_m(camera: Camera, sight: Sight) -> float:
    mover = sight.mover
    return float(np.hypot(np.hypot(mover.x_m - camera.x_m, mover.y_m - camera.y_m), camera.altitude_m))


def _clock(camera: Camera, sight: Sight) -> str:
    mover = sight.mover
    bearing = np.degrees(np.arctan2(mover.x_m - camera.x_m, camera.y_m - mover.y_m)) - camera.heading_deg
    return f"{round(bearing % 360 / 30) % 12 or 12} o'clock"
