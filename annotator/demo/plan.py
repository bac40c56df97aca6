"""The town's plan: its size, its streets, and where they meet."""

from __future__ import annotations

import numpy as np

from annotator.demo.streets import Street

WIDTH_M, DEPTH_M = 320.0, 240.0
# Streets run a little over the town's edge, so that no end of one is seen.
_EASTINGS = np.arange(-10.0, 331.0, 5.0).tolist()

AVENUE = Street(
    axis=tuple((x, 118 + 7 * float(np.sin(x / 75))) for x in _EASTINGS), width_m=13.6, pavement_m=3.0, lanes=4
)
WEST_STREET = Street(axis=((98.0, -10.0), (99.0, 70.0), (101.0, 120.0), (104.0, 250.0)), width_m=8.0)
EAST_STREET = Street(axis=((214.0, -10.0), (216.0, 118.0), (213.0, 250.0)), width_m=8.0)
NORTH_LANE = Street(
    axis=tuple((x, 46 + 2.5 * float(np.sin(x / 40))) for x in _EASTINGS), width_m=6.2, pavement_m=1.6
)
SOUTH_LANE = Street(
    axis=tuple((x, 190 - 3 * float(np.sin(x / 60))) for x in _EASTINGS), width_m=6.2, pavement_m=1.6
)
STREETS = (NORTH_LANE, SOUTH_LANE, WEST_STREET, EAST_STREET, AVENUE)

CROSSINGS = (
    (AVENUE, ((112.4, 8.0), (229.5, 8.0))),
    (WEST_STREET, ((57.5, 5.0), (135.0, 11.0), (203.0, 5.0))),
    (EAST_STREET, ((56.0, 5.0), (133.0, 11.0), (199.5, 5.0))),
    (NORTH_LANE, ((109.5, 7.0), (226.0, 7.0))),
    (SOUTH_LANE, ((113.0, 7.0), (225.5, 7.0))),
)
"""Per street: distance along it at which it meets another one, and half the width of that one."""
WITH_LIGHTS = (AVENUE, WEST_STREET, EAST_STREET)
"""Streets with pedestrian crossings where they meet the avenue, or it them."""
