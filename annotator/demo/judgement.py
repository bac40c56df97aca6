"""Annotations of a view, computed from what it and the other views of the moment show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotator.demo.captures import Picture
from annotator.demo.degradations import DEGRADATIONS
from annotator.demo.marks import is_vehicle
from annotator.demo.truth import VisibleObject

HIDDEN, PLAIN = 0.45, 0.75
"""Shares of a thing: below the first it counts as hidden, above the second as well seen."""
_SMALL_SHARE = 30 / 1280
"""Side of what counts as small, of the image's width."""
_LEAST_HELPED = 2
_WORTH_PX = 150
_UNUSABLE_LOSS = 0.5


@dataclass(frozen=True, kw_only=True)
class Help:
    """A thing that another view shows better.

    Attributes:
        visible_object: The thing as this view shows it.
        view: Name of the other view.
    """

    visible_object: VisibleObject
    view: str


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The answers of AirCopBench's form for one view.

    Attributes:
        quality: Id of the level.
        is_usable: Whether it can be used at all.
        vehicles: The vehicles in it.
        degradations: Ids of what is wrong with it.
        other: Words beside ``others``, "" where that is not ticked.
        hidden: Vehicles that something hides.
        small: Vehicles that are small.
        cut: Vehicles that reach out of the image.
        helped: What other views show better; empty where no help is needed.
        why: Ids of the reasons for help.
    """

    quality: str
    is_usable: bool
    vehicles: tuple[VisibleObject, ...]
    degradations: tuple[str, ...]
    other: str
    hidden: tuple[VisibleObject, ...]
    small: tuple[VisibleObject, ...]
    cut: tuple[VisibleObject, ...]
    helped: tuple[Help, ...]
    why: tuple[str, ...]

    @property
    def who(self) -> tuple[str, ...]:
        """Names of the views that help."""
        return tuple(sorted({help_.view for help_ in self.helped}))


def judge(picture: Picture, *, partners: Sequence[Picture]) -> Judgement:
    """Return what is to be said about an image.

    Args:
        picture: The image.
        partners: The other images of its moment.
    """
    vehicles = tuple(filter(is_vehicle, picture.visible_objects))
    hidden = tuple(s for s in vehicles if s.shown < HIDDEN)
    cut = tuple(s for s in vehicles if s.is_cut)
    small = tuple(_small(picture, vehicles))
    faults = [DEGRADATIONS[fault.name] for fault in picture.shot.faults]
    labels = [fault.label for fault in faults]
    helped = _helped(picture, vehicles, partners)
    seen = {"occlusion": hidden, "small_target": small, "out_of_fov": cut}
    return Judgement(
        quality=_quality(picture),
        is_usable=_is_usable(picture),
        vehicles=vehicles,
        degradations=tuple(dict.fromkeys([*filter(seen.get, seen), *labels])),
        other=", ".join(fault.text for fault in faults if fault.text),
        hidden=hidden,
        small=small,
        cut=cut,
        helped=helped,
        why=_reasons(helped, labels),
    )


def _is_usable(picture: Picture) -> bool:
    return not any(f.name == "loss" and f.strength >= _UNUSABLE_LOSS for f in picture.shot.faults)


def _reasons(helped: Sequence[Help], labels: Sequence[str]) -> tuple[str, ...]:
    """Return why others should help: things that are hidden, and what spoils the image."""
    if not helped:
        return ()
    hidden = ["occlusion"] if any(help_.visible_object.shown < HIDDEN for help_ in helped) else []
    return tuple(dict.fromkeys([*hidden, *labels]))


def _small(picture: Picture, vehicles: Sequence[VisibleObject]) -> Iterator[VisibleObject]:
    small_px = _SMALL_SHARE * picture.shot.size_px[0]
    for visible_object in vehicles:
        # What is cut off is small by its rim, not by its distance.
        if (
            not visible_object.is_cut
            and max(visible_object.x2 - visible_object.x1, visible_object.y2 - visible_object.y1) < small_px
        ):
            yield visible_object


def _quality(picture: Picture) -> str:
    """Return the level: by the worst fault, else by the grain and the slant of the view."""
    worst = max((fault.strength for fault in picture.shot.faults), default=0.0)
    # Whatever its strength: annotators call an image with grey blocks the worst.
    if any(fault.name == "loss" for fault in picture.shot.faults):
        return "very_poor"
    if worst:
        return "poor" if worst < 0.75 else "very_poor"
    # A slanted view shows far things small, which annotators mark down.
    is_plain = picture.shot.look.grain <= 2.5 and picture.shot.camera.tilt_deg <= 31
    return "excellent" if is_plain else "good"


def _helped(
    picture: Picture, vehicles: Sequence[VisibleObject], partners: Sequence[Picture]
) -> tuple[Help, ...]:
    """Return the vehicles that another view shows better, none where they are too few to ask for help."""
    is_spoilt = bool(picture.shot.faults)
    found = []
    for visible_object in vehicles:
        # A well visible object needs no help, unless the image is degraded as a whole.
        if visible_object.shown >= HIDDEN and not (is_spoilt and visible_object.shown > PLAIN):
            continue
        view = next((p.shot.view for p in partners if _shows(p, visible_object)), None)
        if view is not None:
            found.append(Help(visible_object=visible_object, view=view))
    # One car alone is no reason for a second drone.
    return tuple(found) if len(found) >= _LEAST_HELPED else ()


def _shows(partner: Picture, visible_object: VisibleObject) -> bool:
    """Return whether a partner, itself without fault, shows a thing well."""
    # By the number of the mover: both views know the same world.
    return not partner.shot.faults and any(
        s.mover.number == visible_object.mover.number and s.shown > PLAIN and s.pixels >= _WORTH_PX
        for s in partner.visible_objects
    )
