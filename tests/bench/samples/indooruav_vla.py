"""A file in the shape of IndoorUAV's list of test episodes."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec

_ACTIONS = ("turn", "forward", "up_down", "right_left")
_LEVELS = {1: "easy", 2: "medium", 3: "hard"}


def write(path: Path, *, records: int, seed: int) -> None:
    """Write episodes, seven of each flight."""
    rng = random.Random(seed)
    episodes = {}
    for number in range(records):
        actions = rng.sample(_ACTIONS, k=rng.randrange(1, 4))
        key = (
            f"/hm3d_{number // 400}/scene{number // 35:05d}/traj_-{number // 7 % 5}/vla_ins_{number % 7}.json"
        )
        episodes[key] = {"difficulty": _LEVELS[len(actions)], "action_type": actions}
    path.write_bytes(msgspec.json.format(msgspec.json.encode(episodes), indent=2))
