"""Reads the input of rules from a project, scene after scene, and only what the rules need."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TypeVar

import msgspec

from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.record import Record
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Trajectory
from annotator.draft.scene_facts import FactKind, SceneFacts
from annotator.queries.reader import Reader

R = TypeVar("R", bound=Record)

MOST_OTHERS = 500
"""Other scenes of each dataset that are offered for distractors: this many fit into memory in any project."""
ENTITIES: Mapping[FactKind, tuple[str, ...]] = {
    "labels": ("event_label", "flag", "assignment"),
    "media": ("medium",),
    "regions": ("region",),
    "links": ("link",),
    "polylines": ("path",),
    "trajectories": ("trajectory",),
    "other_scenes": ("medium", "trajectory"),
}
"""Types of the records of each kind of facts; scenes are read for all of them."""


def read_scenes(reader: Reader, *, kinds: Set[FactKind], seed: int | str = 0) -> Iterator[SceneFacts]:
    """Yield the facts of each scene of a project, in order of arrival.

    Args:
        reader: The project.
        kinds: The facts to load.
        seed: Selects the scenes for distractors where a dataset has very many.
    """
    others = tuple(_other_scenes(reader, seed=seed)) if "other_scenes" in kinds else ()
    for scene in reader.records(Scene):
        yield read_scene(reader, scene, kinds=kinds, others=others)


def read_scene(
    reader: Reader, scene: Scene, *, kinds: Set[FactKind], others: tuple[SceneFacts, ...] = ()
) -> SceneFacts:
    """Return the facts of one scene.

    Args:
        reader: The project.
        scene: The scene.
        kinds: The facts to load.
        others: Scenes for distractors.
    """
    media = dict.fromkeys(view.medium for view in scene.views)
    labels = tuple(_labels(reader, scene)) if "labels" in kinds else ()
    return SceneFacts(
        scene=scene,
        labels=labels,
        open_flags=_open_flags(reader, scene, labels),
        media={m.id: m for m in reader.records(Medium, ids=list(media))} if "media" in kinds else {},
        regions=_by_medium(reader, Region, media) if "regions" in kinds else {},
        links=tuple(reader.find(Link, scene=scene.id)) if "links" in kinds else (),
        polylines=_by_medium(reader, Polyline, media) if "polylines" in kinds else {},
        trajectories=(tuple(reader.find(Trajectory, scene=scene.id)) if "trajectories" in kinds else ()),
        other_scenes=others,
    )


def _labels(reader: Reader, scene: Scene) -> Iterator[EventLabel]:
    """Yield the labels of a scene; independent ones are open until all persons have finished it."""
    waits = scene.state != "finished" and bool(reader.workload.independent_persons(scene.id))
    for label in reader.labels_of(scene.id):
        is_ready = bool(label.decided_from) or not waits
        yield label if is_ready else msgspec.structs.replace(label, state="open")


def _open_flags(reader: Reader, scene: Scene, labels: Sequence[EventLabel]) -> dict[str, tuple[Flag, ...]]:
    """Return the open flags of a scene with labels, of these and of their media, by id."""
    if not labels:
        return {}
    targets = {scene.id, *(label.id for label in labels), *(label.medium for label in labels)} - {""}
    return {target: tuple(f for f in reader.flags_of(target) if f.state == "open") for target in targets}


def _by_medium(reader: Reader, kind: type[R], media: Iterable[str]) -> dict[str, tuple[R, ...]]:
    found = {medium: tuple(reader.find(kind, medium=medium)) for medium in media}
    # Records arrive in the order of drawing; numbers are what people and questions see.
    return {medium: tuple(sorted(records, key=_number)) for medium, records in found.items() if records}


def _number(record: Record) -> int:
    return record.number if isinstance(record, Region) else 0


def _other_scenes(reader: Reader, *, seed: int | str) -> Iterator[SceneFacts]:
    """Yield the scenes that can provide distractors: of each dataset all, or a random selection."""
    by_dataset: dict[str, list[tuple[bytes, str, Scene]]] = {}
    for scene in reader.records(Scene):
        # A degraded image among clean candidates would give the answer away.
        if scene.is_derived:
            continue
        # By a hash of names instead of ids: the same scenes are selected in every copy of the data.
        digest = hashlib.sha256(f"{seed}\n{scene.dataset}\n{scene.name}".encode()).digest()
        kept = by_dataset.setdefault(scene.dataset, [])
        push = heapq.heappush if len(kept) < MOST_OTHERS else heapq.heappushpop
        push(kept, (digest, scene.id, scene))
    for dataset in sorted(by_dataset):
        for _, _, scene in sorted(by_dataset[dataset], key=lambda entry: entry[:2]):
            facts = read_scene(reader, scene, kinds={"media"})
            # The trajectories of videos have thousands of poses, and videos are no distractors.
            if any(medium.media_type == "image" for medium in facts.media.values()):
                yield read_scene(reader, scene, kinds={"media", "trajectories"})
