"""A made-up CVAT file: tracks of a video with their attributes."""

from __future__ import annotations

import random
from pathlib import Path

_PER_TRACK = 100
_HEAD = (
    '<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n <version>1.1</version>\n <meta><task><id>7</id>'
    "<name>flight 7</name><size>{frames}</size><mode>interpolation</mode><original_size><width>1920</width>"
    "<height>1080</height></original_size><source>flight_7.mp4</source></task></meta>\n"
)
_BOX = (
    '  <box frame="{frame}" keyframe="{key}" outside="{outside}" occluded="{occluded}" xtl="{x1:.2f}"'
    ' ytl="{y1:.2f}" xbr="{x2:.2f}" ybr="{y2:.2f}" z_order="0">\n'
    '   <attribute name="colour">{colour}</attribute>\n'
    '   <attribute name="moving">{moving}</attribute>\n  </box>\n'
)


def write(path: Path, *, records: int, seed: int) -> None:
    """Write a file.

    Args:
        path: Where; overwritten.
        records: Number of boxes, the last of each track marked as outside of the picture.
        seed: Of everything that chance decides.
    """
    rng = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        file.write(_HEAD.format(frames=_PER_TRACK))
        for track, start in enumerate(range(0, records, _PER_TRACK)):
            label = rng.choice(["car", "van", "person"])
            file.write(f' <track id="{track}" label="{label}" source="manual">\n')
            count = min(_PER_TRACK, records - start)
            file.writelines(_box(frame, is_last=frame == count - 1, rng=rng) for frame in range(count))
            file.write(" </track>\n")
        file.write("</annotations>\n")


def _box(frame: int, *, is_last: bool, rng: random.Random) -> str:
    x, y = rng.uniform(0, 1700), rng.uniform(0, 900)
    return _BOX.format(
        frame=frame,
        key=int(frame % 10 == 0),
        outside=int(is_last),
        occluded=int(rng.random() < 0.2),
        x1=x,
        y1=y,
        x2=x + rng.uniform(8, 200),
        y2=y + rng.uniform(8, 150),
        colour=rng.choice(["red", "white", "black"]),
        moving=rng.choice(["true", "false"]),
    )
