"""Takes everything that a demo shows, on two processes; the same seed and size give the same bytes."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import cv2

from annotator.demo.anomalies import Anomaly
from annotator.demo.camera_effects import Image
from annotator.demo.captures import Captures, Clip, Interior, MomentImages
from annotator.demo.clips import record_clip
from annotator.demo.flights import Flight, all_flights
from annotator.demo.interiors.drawing import Scale, draw_realistic, draw_semantic
from annotator.demo.interiors.floor_plan import FloorPlan, make_plan
from annotator.demo.interiors.routes import Route, draw_route, find_route
from annotator.demo.landmarks import Landmark
from annotator.demo.moments import moments_of
from annotator.demo.pictures import take_moment, write_file
from annotator.demo.plan import Size
from annotator.demo.studio import studio_of
from annotator.progress import Progress

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

WORKERS = 2
_POLL_S = 0.1
_ROOMS: dict[Size, tuple[int, ...]] = {
    "small": (),
    "standard": (3, 5, 6, 7),
    "large": (3, 4, 5, 6, 7, 7, 6, 5),
}
_LEAST_ROOMS_OF_A_ROUTE = 2
_ROUTES_PER_PLAN = 2

Told = Callable[[int], None]
"""Told how many images, frames or maps are done; raises Cancelled to stop the work."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """What to take.

    Attributes:
        folder: The media root.
        size: How much.
        seed: Seed of everything that chance decides.
    """

    folder: Path
    size: Size
    seed: int


@dataclass(frozen=True, kw_only=True)
class _Known:
    """The ground truth of the world that does not depend on views."""

    landmarks: tuple[Landmark, ...]
    anomalies: tuple[Anomaly, ...]


Made = MomentImages | Clip | Interior | _Known
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class _Part:
    """One piece of the work, done by one process.

    Attributes:
        kind: Which of the lists of an order it is of.
        number: Its place there.
        cost: Number of images, frames or maps.
    """

    kind: Literal["moment", "flight", "interior", "world"]
    number: int
    cost: int


def shoot(order: Order, *, progress: Progress, workers: int = WORKERS) -> Captures:
    """Take everything and write it below the order's folder.

    Args:
        order: What to take.
        progress: Counts images, frames and maps.
        workers: Number of processes; 0 to work in this one.

    Raises:
        OSError: The disk refused.
        Cancelled: The user cancelled the operation; no process is left, files may be.
    """
    parts = _parts(order)
    progress.begin("Rendering images", total=sum(part.cost for part in parts))
    results = _elsewhere(order, parts, progress, workers) if workers else _here(order, parts, progress)
    progress.end()
    taken, known = _of(results, MomentImages), _of(results, _Known)[0]
    return Captures(
        pictures=tuple(picture for one in taken for picture in one.pictures),
        marked=tuple(marked for one in taken for marked in one.marked),
        clips=tuple(_of(results, Clip)),
        interiors=tuple(_of(results, Interior)),
        landmarks=known.landmarks,
        anomalies=known.anomalies,
    )


def _of(results: Sequence[Made], kind: type[T]) -> list[T]:
    return [made for made in results if isinstance(made, kind)]


def _flights(size: Size) -> tuple[Flight, ...]:
    return () if size == "small" else all_flights()


def _parts(order: Order) -> list[_Part]:
    """Return the pieces of an order, the longest first, so that no process waits long at the end."""
    flights = [
        _Part(kind="flight", number=n, cost=flight.frames) for n, flight in enumerate(_flights(order.size))
    ]
    moments = [
        _Part(kind="moment", number=n, cost=len(moment.shots))
        for n, moment in enumerate(moments_of(order.size))
    ]
    interiors = [_Part(kind="interior", number=n, cost=1) for n in range(len(_ROOMS[order.size]))]
    return [*flights, *moments, *interiors, _Part(kind="world", number=0, cost=0)]


def _do(order: Order, part: _Part, told: Told) -> Made:
    """Do one piece of the work and return what it made."""
    if part.kind == "interior":
        made = _draw_interior(order, part.number)
        told(1)
        return made
    studio = studio_of(order.seed, order.size)
    if part.kind == "world":
        return _Known(landmarks=studio.world.landmarks, anomalies=studio.world.anomalies)
    if part.kind == "flight":
        flight = _flights(order.size)[part.number]
        return record_clip(studio, flight, folder=order.folder, seed=order.seed, told=lambda: told(1))
    moment = moments_of(order.size)[part.number]
    taken = take_moment(studio, moment, folder=order.folder, seed=order.seed)
    told(len(moment.shots))
    return taken


def _here(order: Order, parts: Sequence[_Part], progress: Progress) -> list[Made]:
    return [_do(order, part, progress.step) for part in parts]


def _elsewhere(order: Order, parts: Sequence[_Part], progress: Progress, workers: int) -> list[Made]:
    """Let processes do the work; when one fails or the user stops it, all are ended at once."""
    context = _KillableContext()
    # A plain number, since a queue would need a thread of its own.
    done = context.Value("q", 0)
    pool = ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(done,))
    try:
        futures = [pool.submit(_work, order, part) for part in parts]
        _follow(futures, done, progress)
        return [future.result() for future in futures]
    except BaseException:
        # One image takes seconds, which is too long to wait for a cancellation.
        context.kill_processes()
        raise
    finally:
        # Wait for their end: no files may appear in the folder after a cancellation.
        pool.shutdown(wait=True, cancel_futures=True)


class _KillableContext(SpawnContext):
    """Starts processes and can kill them; an executor before Python 3.14 only waits for its own.

    Not fork: the window that starts this has threads, and a copied lock of theirs would never open.
    """

    def __init__(self) -> None:
        super().__init__()
        self._started: list[SpawnProcess] = []

    def Process(  # type: ignore[override]  # noqa: N802 - the name that multiprocessing calls
        self, *, target: Callable[..., object], args: tuple[object, ...]
    ) -> SpawnProcess:
        """Make a process, as ``SpawnContext`` does."""
        process = SpawnProcess(target=target, args=args)
        self._started.append(process)
        return process

    def kill_processes(self) -> None:
        """Kill all processes; their files stay as they are."""
        for process in self._started:
            if process.is_alive():
                process.kill()


def _follow(futures: Sequence[Future[Made]], done: Synchronized[int], progress: Progress) -> None:
    """Report the progress of the processes until all have finished or one has failed.

    Raises:
        Cancelled: The user asked to stop.
    """
    told, waiting = 0, set(futures)
    while waiting:
        finished, waiting = wait(waiting, timeout=_POLL_S, return_when=FIRST_EXCEPTION)
        now = int(done.value)
        progress.step(now - told)
        told = now
        for future in finished:
            # Raises what the process raised.
            future.result()


_shared: dict[str, Synchronized[int]] = {}
"""The number that a process shares with the one that started it."""


def _begin(done: Synchronized[int]) -> None:
    """Make a process ready: one thread each, since there are as many processes as cores."""
    _shared.update(done=done)
    threading.Thread(target=_end_with_parent, name="vantage-parent", daemon=True).start()
    cv2.setNumThreads(1)


def _end_with_parent() -> None:
    """End this process with its parent, which may have been killed: nothing else would end it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(order: Order, part: _Part) -> Made:
    return _do(order, part, _tell)


def _tell(count: int) -> None:
    with _shared["done"].get_lock():
        _shared["done"].value += count


def _draw_interior(order: Order, number: int) -> Interior:
    rooms = _ROOMS[order.size][number]
    plan = make_plan(f"flat-{number + 1}", rooms=rooms, seed=order.seed)
    routes = dict(_routes(plan, seed=order.seed))
    interior = Interior(plan=plan, routes=routes, rooms_alone=(number % rooms,))
    for kind, image in (
        ("realistic", draw_realistic(plan, seed=order.seed)),
        ("semantic", draw_semantic(plan)),
    ):
        scale = Scale(plan)
        _write_map(order, interior.map_name(kind), image)
        for part, route in routes.items():
            _write_map(order, interior.map_name(kind, part), draw_route(image, route, scale=scale))
        for room in interior.rooms_alone:
            x1, y1, x2, y2 = scale.box(plan.rooms[room].area)
            _write_map(order, interior.map_name(kind, f"room-{room}"), image[y1:y2, x1:x2])
    return interior


def _routes(plan: FloorPlan, *, seed: int) -> Iterator[tuple[str, Route]]:
    """Yield ways through a plan that pass more than one room."""
    last = len(plan.rooms) - 1
    ends = [(0, last), (last // 2, 0), (last, max(1, last // 2))]
    found = (find_route(plan, start=a, end=b, seed=seed) for a, b in ends if a != b)
    kept = [route for route in found if route and len(route.rooms) >= _LEAST_ROOMS_OF_A_ROUTE]
    yield from ((f"route-{n}", route) for n, route in enumerate(kept[:_ROUTES_PER_PLAN], 1))


def _write_map(order: Order, name: str, image: Image) -> None:
    write_file(order.folder / name, cv2.imencode(".png", image)[1].tobytes())
