"""Recomputes the answer keys of drafted items from the demo's truth files, independently of the rules."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.scene import Scene
from annotator.queries.reader import Reader

Truth = dict[str, Any]
View = dict[str, Any]


class TruthCheck:
    """Compares items with what is true about the scenes.

    Attributes:
        checked: Number of items compared, by task.
    """

    def __init__(self, reader: Reader, *, folder: Path) -> None:
        self.checked: dict[str, int] = {}
        self._scenes = {scene.id: scene for scene in reader.records(Scene)}
        self._pictures = {medium.id: medium.name for medium in reader.records(Medium)}
        self._truth: dict[str, Truth] = {
            path.stem: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")
        }
        self._views: dict[str, View] = {
            view["picture"]: {**view, "scene": truth}
            for truth in self._truth.values()
            for view in truth.get("views", ())
        }

    def problems(self, items: Iterator[Item]) -> Iterator[str]:
        """Yield a line for each item whose answer key is not what the truth says."""
        for item in items:
            self.checked[item.task] = self.checked.get(item.task, 0) + 1
            wanted = CHECKS[item.task](self, item)
            if wanted != item.answer_key:
                yield f"{item.task}: {item.question} | key {item.answer_key} | truth {wanted}"

    def view(self, item: Item, index: int = 0) -> View:
        """Return the truth about one of the images that an item shows."""
        return self._views[self._pictures[item.media[index]]]

    def flight(self, item: Item) -> Truth:
        """Return the truth about the clip that an item shows."""
        name = self._pictures[item.media[0]]
        return next(truth for truth in self._truth.values() if truth.get("clip") == name)


def _things(view: View) -> dict[int, dict[str, Any]]:
    return {thing["id"]: thing for thing in view["things"]}


def _regions(view: View) -> dict[int, dict[str, Any]]:
    things = _things(view)
    return {number: things[identity] for number, identity in enumerate(view["regions"])}


def _asked_region(item: Item) -> int:
    found = re.search(r"Region (\d+)", item.question)
    assert found is not None
    return int(found[1])


def _labels(numbers: list[int]) -> str:
    return f"Region {', '.join(map(str, sorted(numbers)))}"


def _region_recognition(check: TruthCheck, item: Item) -> str:
    asked = re.fullmatch(r"Which regions contain an? (.+)\?", item.question)
    assert asked is not None
    found = [n for n, thing in _regions(check.view(item)).items() if thing["category"] == asked[1]]
    return _labels(found)


def _anomaly_detection(check: TruthCheck, item: Item) -> str:
    view = check.view(item)
    odd = {body for anomaly in view["scene"]["anomalies"] for body in anomaly["bodies"]}
    return _labels([n for n, thing in _regions(view).items() if thing["id"] in odd])


def _bearing(view: View, thing: dict[str, Any]) -> float:
    east, north = thing["place_m"][0] - view["pose"][0], thing["place_m"][1] - view["pose"][1]
    return (math.degrees(math.atan2(east, north)) - view["heading_deg"]) % 360


def _direction(check: TruthCheck, item: Item) -> str:
    view = check.view(item)
    bearing = _bearing(view, _regions(view)[_asked_region(item)])
    return f"{round(bearing / 30) % 12 or 12} o'clock"


def _distance(check: TruthCheck, item: Item) -> str:
    view = check.view(item)
    asked = re.fullmatch(
        r"Which region contains the (.+) that is (closest to|farthest from) the drone\?", item.question
    )
    assert asked is not None
    regions = {n: thing for n, thing in _regions(view).items() if asked[1] in ("object", thing["category"])}
    far = {n: math.dist(view["pose"][:3], thing["place_m"]) for n, thing in regions.items()}
    choose = min if asked[2] == "closest to" else max
    return _labels([choose(far, key=lambda n: far[n])])


def _collaboration(check: TruthCheck, item: Item) -> str:
    """Return the letters whose image shows a thing where the query shows it, or is of its scene."""
    query = check.view(item)
    right = []
    for index, option in enumerate(item.options, start=1):
        shown = check.view(item, index)
        assert shown["picture"] == option.text
        here, there = _things(query), _things(shown)
        # A car that has driven on is at another place.
        shares = any(
            math.dist(here[n]["place_m"], there[n]["place_m"]) < 5 for n in here.keys() & there.keys()
        )
        if shown["scene"] is query["scene"] or shares:
            right.append(option.letter)
    return ", ".join(right)


def _pairs(check: TruthCheck, item: Item) -> str:
    one, two = check.view(item, 0), check.view(item, 1)
    there = {identity: n for n, identity in enumerate(two["regions"])}
    found = [f"{n}-{there[identity]}" for n, identity in enumerate(one["regions"]) if identity in there]
    return ", ".join(found)


def _matching(check: TruthCheck, item: Item) -> str:
    one, two = check.view(item, 0), check.view(item, 1)
    if item.answer_format == "region_label":
        identity = one["regions"][_asked_region(item)]
        return _labels([two["regions"].index(identity)])
    asked = re.search(r"\[[^]]*\]", item.question)
    assert asked is not None
    identity = next(t["id"] for t in _regions(one).values() if t["box"] == json.loads(asked[0]))
    return str(_things(two)[identity]["box"])


def _transformation(check: TruthCheck, item: Item) -> str:
    one, two = check.view(item, 0), check.view(item, 1)
    turn = round(two["heading_deg"] - one["heading_deg"], 1) % 360
    if item.answer_format == "angle":
        return f"{turn:.1f} degrees"
    return f"{turn:.1f} degrees, {math.dist(one['pose'][:3], two['pose'][:3]):.1f} meters"


def _occlusion(check: TruthCheck, item: Item) -> str:
    one, two = check.view(item, 0), check.view(item, 1)
    hidden = _things(two)[one["regions"][_asked_region(item)]]
    return _labels([two["regions"].index(n) for n in hidden["hidden_by"] if n in two["regions"]][:1])


def _ground_distance(view: View, thing: dict[str, Any]) -> float:
    return math.dist(view["pose"][:2], thing["place_m"][:2])


def _view_translation(check: TruthCheck, item: Item) -> str:
    aerial, ground = check.view(item, 0), check.view(item, 1)
    regions = _regions(aerial)
    return _labels([min(regions, key=lambda n: _ground_distance(ground, regions[n]))])


def _path(check: TruthCheck, item: Item) -> str:
    aerial, ground = check.view(item, 0), check.view(item, 1)
    angle = (90 - _bearing(ground, _regions(aerial)[_asked_region(item)]) + 180) % 360 - 180
    return f"Direction {math.floor(angle / 30) + 1}"


def _motion(check: TruthCheck, item: Item) -> str:
    """Return the key if each leg of the flight is in it, in order, with its amount."""
    at = 0
    legs = [leg for leg in check.flight(item)["legs"] if leg["do"] in MOTION_PHRASES]
    for leg in legs:
        text = f"{MOTION_PHRASES[leg['do']]} by {leg['amount']:.0f} "
        found = item.answer_key.find(text, at)
        if found < 0:
            return f"{text} is missing after place {at}"
        at = found + len(text)
    # An orbit is a turn and a move, and nothing else is described.
    orbits = sum(leg["do"].startswith("orbit") for leg in legs)
    is_all = len(re.findall(r" by \d", item.answer_key)) == len(legs) + orbits
    return item.answer_key if is_all else f"{len(legs)} legs"


# What tilts only the camera moves no drone.
MOTION_PHRASES = {
    "forward": "flies forward",
    "backward": "flies backward",
    "rise": "rises",
    "descend": "descends",
    "turn_left": "turns left",
    "turn_right": "turns right",
    "move_left": "flies to the left",
    "move_right": "flies to the right",
    "orbit_left": "turns right",
    "orbit_right": "turns left",
}
CHECKS: dict[str, Callable[[TruthCheck, Item], str]] = {
    "region_recognition": _region_recognition,
    "anomaly_detection": _anomaly_detection,
    "direction_recognition": _direction,
    "distance_comparison": _distance,
    "a2a_collaboration_recognition": _collaboration,
    "a2g_collaboration_recognition": _collaboration,
    "a2a_shared_association": _pairs,
    "a2g_shared_association": _pairs,
    "object_matching": _matching,
    "camera_transformation": _transformation,
    "occlusion_removal": _occlusion,
    "view_translation": _view_translation,
    "path_planning": _path,
    "global_motion": _motion,
}
