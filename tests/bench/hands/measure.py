"""Figures of the hands: what pieces of work take, done by a program in a window of its own."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tests.bench.canvas import probe
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.hands.effort import Effort
from tests.bench.screen import OFFSCREEN

FIGURES = (
    "hands.record_actions",
    "hands.record_by_hand_actions",
    "hands.links_actions",
    "hands.occlusion_actions",
    "hands.path_actions",
    "hands.interpolated_actions",
    "hands.tracked_actions",
    "hands.tracked_at_once_actions",
    "hands.boxes_actions",
    "hands.proposals_actions",
    "hands.polygon_actions",
    "hands.segmented_actions",
    "hands.flight_actions",
    "hands.refine_actions",
    "hands.keep_actions",
    "hands.region_answer_actions",
)
RECORDS = FIGURES[:2]
LABEL_STUDIO, LABEL_STUDIO_ACTIONS = "a form of Label Studio for such a record", 24
"""17 keys, 2 clicks and 5 drags."""


def measure_hands(ground: Ground) -> Iterator[Figure]:
    """Do each piece of work once: it takes the same actions every time."""
    ground.begin("work by hand", rounds=1)
    found = probe(("-m", "tests.bench.probes.hands"), environment=OFFSCREEN)
    ground.progress.step()
    for name, counts in found.items():
        effort = msgspec.convert(counts, Effort)
        yield Figure(
            name=name,
            value=effort.actions,
            n=1,
            note=effort.text,
            baseline=LABEL_STUDIO if name in RECORDS else "",
            baseline_value=LABEL_STUDIO_ACTIONS if name in RECORDS else None,
            ratio=effort.actions / LABEL_STUDIO_ACTIONS if name in RECORDS else None,
        )
