"""Directions of the compass in texts, said from where the drone looks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from annotator.domain.item import Item
from annotator.domain.trajectory import Trajectory
from annotator.quality.checks.directions import find_direction_spans
from annotator.queries.reader import Reader

STEADY_DEG = 30.0
"""Largest turn of the camera within an item; over a larger one a direction has no single wording."""
SECTORS = 8
_COMPASS = {
    "north": 0,
    "northeast": 45,
    "east": 90,
    "southeast": 135,
    "south": 180,
    "southwest": 225,
    "west": 270,
}
_COMPASS |= {"northwest": 315}
_COMPASS_ZH = {"北": 0, "东北": 45, "东": 90, "东南": 135, "南": 180, "西南": 225, "西": 270, "西北": 315}
_AHEAD = (
    "ahead", "ahead to the right", "to the right", "back to the right",
    "back", "back to the left", "to the left", "ahead to the left",
)  # fmt: skip
_OF_A_THING = (
    "beyond", "beyond and to the right of", "to the right of", "before and to the right of",
    "in front of", "before and to the left of", "to the left of", "beyond and to the left of",
)  # fmt: skip
_PART = ("far", "far right", "right", "near right", "near", "near left", "left", "far left")
_AHEAD_ZH = ("前方", "右前方", "右侧", "右后方", "后方", "左后方", "左侧", "左前方")
_LEAD = re.compile(r"(?:\b(?:to|towards?|in|from) the |\btowards? )$", re.IGNORECASE)
_OF = re.compile(r" of\b", re.IGNORECASE)
_PART_NEXT = re.compile(
    r" (?:side|corner|end|edge|part|wing|half|entrance|exit|bank|wall|facade|lane)\b", re.IGNORECASE
)
_ENDING = re.compile(r"(?:wards?|bound|ern(?:most)?|erly)$")


class DirectionWording(NamedTuple):
    """A direction of the compass and what to write in its place.

    Attributes:
        start: Place of its first character, with the words that go with it.
        end: Place after its last character.
        before: The text as it is.
        after: The text relative to the drone.
    """

    start: int
    end: int
    before: str
    after: str


def relative_wordings(text: str, *, heading_deg: float) -> list[DirectionWording]:
    """Return the directions of the compass of a text with their wording relative to the drone.

    Args:
        text: A text of an item.
        heading_deg: Where the camera looks, clockwise from north.
    """
    return list(_wordings(text, heading_deg))


def with_relative_directions(text: str, *, heading_deg: float) -> str:
    """Return a text with its directions of the compass said relative to the drone."""
    # From the end, so that the places before stay as they were found.
    for wording in reversed(relative_wordings(text, heading_deg=heading_deg)):
        text = f"{text[: wording.start]}{wording.after}{text[wording.end :]}"
    return text


def _only_trajectory(reader: Reader, item: Item) -> Trajectory | None:
    """Return the trajectory of the view of an item, None without one or with several."""
    found = list(reader.find(Trajectory, scene=item.scene)) if item.scene else []
    own = [each for each in found if not item.view or each.view in {"", item.view}]
    return own[0] if len(own) == 1 else None


def heading_of_item(reader: Reader, item: Item) -> float | None:
    """Return where the camera of an item looks, degrees clockwise from north.

    Returns:
        None where no trajectory with known axes belongs to the item, or the camera turns.
    """
    trajectory = _only_trajectory(reader, item)
    if trajectory is None or not trajectory.poses:
        return None
    headings = [compass_heading(pose.yaw_deg, axes=trajectory.axes) for pose in trajectory.poses]
    last = headings[-1]
    if last is None or any(heading is None or _turn(heading, last) > STEADY_DEG for heading in headings):
        return None
    return last


def compass_heading(yaw_deg: float, *, axes: str) -> float | None:
    """Return a yaw as degrees clockwise from north, None where the axes are not known.

    With x to the east, yaw turns counter-clockwise from the east; with x to the north and z down, clockwise
    from the north.
    """
    if axes == "east-north-up":
        return (90.0 - yaw_deg) % 360
    return yaw_deg % 360 if axes == "north-east-down" else None


def _wordings(text: str, heading_deg: float) -> Iterator[DirectionWording]:
    for start, end in find_direction_spans(text):
        named = text[start:end]
        azimuth = _azimuth(named)
        if azimuth is None:
            continue
        sector = round(((azimuth - heading_deg) % 360) / (360 / SECTORS)) % SECTORS
        yield _worded(text, start, end, sector)


def _worded(text: str, start: int, end: int, sector: int) -> DirectionWording:
    if not text[start:end].isascii():
        towards = text[start] if text[start] in "向往朝" else ""
        return DirectionWording(start, end, text[start:end], f"{towards}{_AHEAD_ZH[sector]}")
    if _PART_NEXT.match(text, end):
        return DirectionWording(start, end, text[start:end], _PART[sector])
    lead = _LEAD.search(text, 0, start)
    first = lead.start() if lead else start
    if following := _OF.match(text, end):
        return DirectionWording(first, following.end(), text[first : following.end()], _OF_A_THING[sector])
    return DirectionWording(first, end, text[first:end], _AHEAD[sector])


def _azimuth(named: str) -> int | None:
    if named.isascii():
        return _COMPASS.get(_ENDING.sub("", re.sub(r"[ -]", "", named.casefold())))
    # The two signs of 西北 and 北西 are one direction; the other characters say 'towards' or 'side'.
    signs = "".join(sign for sign in named if sign in "东西南北")
    return _COMPASS_ZH.get(signs, _COMPASS_ZH.get(signs[::-1]))


def _turn(one: float, other: float) -> float:
    # By the shorter way round: 350 and 10 are 20 degrees apart.
    return abs((one - other + 180) % 360 - 180)
