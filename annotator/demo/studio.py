"""One world made ready for many images, one after the other."""

from __future__ import annotations

import functools

from annotator.demo.camera import PICTURE_SIZE_PX, Camera, Size
from annotator.demo.movers import Mover
from annotator.demo.plan import Size as WorldSize
from annotator.demo.stage import stage_of
from annotator.demo.view import RenderedImage, render
from annotator.demo.world import World


class Studio:
    """A world on a stage; not for several threads at once.

    Attributes:
        world: The world.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._stage = stage_of(world)

    def movers(self, time_s: float) -> tuple[Mover, ...]:
        """Return everybody at a world time."""
        return self.world.movers(time_s)

    def see(self, camera: Camera, *, time_s: float, size_px: Size = PICTURE_SIZE_PX) -> RenderedImage:
        """Take an image at a world time."""
        return render(self.world, camera=camera, time_s=time_s, size_px=size_px, stage=self._stage)


@functools.lru_cache(maxsize=1)
def studio_of(seed: int, size: WorldSize) -> Studio:
    """Return the studio of a world, kept for the next image of the same one."""
    return Studio(World.build(seed, size))
