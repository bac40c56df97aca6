"""A folder in the shape of IndoorUAV's dataset."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec

from tests.bench.samples import words
from tests.bench.samples.indooruav_posture import poses

_SEGMENTS = 7
_POSES = 190


def write(path: Path, *, records: int, seed: int) -> None:
    """Write flights of 190 poses with two instructions and seven segments; a record is a segment."""
    rng = random.Random(seed)
    for number in range(max(records // _SEGMENTS, 1)):
        flight = path / "gibson_1" / f"scene{number // 3:05d}" / f"traj_{number % 3 + 1}"
        flight.mkdir(parents=True)
        _put(flight / "posture.json", poses(_POSES, rng=rng))
        for kind in ("instruction", "instruction_pro"):
            _put(flight / f"{kind}.json", {"instruction": words.sentence(rng)})
        for segment in range(_SEGMENTS):
            first = rng.randrange(1, _POSES - 20)
            said = {"instruction": words.sentence(rng), "source": [first, first + 15]}
            _put(flight / f"vla_ins_{segment + 1}.json", said)


def _put(path: Path, value: object) -> None:
    path.write_bytes(msgspec.json.encode(value))
