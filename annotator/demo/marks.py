"""Regions under neutral ids, as a detector would have marked them, and pictures with them drawn in."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import cv2

from annotator.commands.command import Command
from annotator.demo.film import Image
from annotator.demo.paint import colour_name
from annotator.demo.pictures import Picture, Sight, to_jpeg
from annotator.demo.terrain import Colour, colour_of
from annotator.domain.event import CREATED, Edit
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.progress import Progress
from annotator.store.reader import Reader

FOLDER = "detected"
MADE_BY = "demo detector 1"
_MOST = 10
_COLOURS = tuple(
    colour_of(c)
    for c in (
        "ffb000",
        "648fff",
        "dc267f",
        "4fd1a5",
        "fe6100",
        "b7a0ff",
        "f5e663",
        "00bcd4",
        "ff8fa3",
        "a5d651",
    )
)


@dataclass(frozen=True, kw_only=True)
class Marked:
    """A picture with its regions drawn in.

    Attributes:
        name: Name of the file below the media root.
        picture: The clean picture.
        jpeg: Bytes of the marked one.
        sights: What each region shows; its place is the region's number.
    """

    name: str
    picture: Picture
    jpeg: bytes
    sights: tuple[Sight, ...]


def mark_places(
    pictures: Sequence[Picture], *, places: Collection[str], views: Collection[str]
) -> list[Marked]:
    """Mark the vehicles in some of the pictures, as many as possible in all views of a moment.

    Args:
        pictures: All pictures.
        places: Names of the moments to mark.
        views: Names of the views to mark.
    """
    chosen = [p for p in pictures if p.moment.name in places and p.shot.view in views]
    return [_mark(p, [o for o in chosen if o.moment is p.moment and o is not p]) for p in chosen]


def _mark(picture: Picture, partners: Sequence[Picture]) -> Marked:
    shared = {s.mover.number for partner in partners for s in _plain(partner)}
    # The largest are the nearest: they make questions that people can answer too.
    best = sorted(
        _plain(picture), key=lambda s: (s.mover.number not in shared, (s.x1 - s.x2) * (s.y2 - s.y1))
    )
    sights = tuple(sorted(best[:_MOST], key=lambda s: s.x1))
    image = picture.image.copy()
    for number, sight in enumerate(sights):
        _draw(image, sight, number=number, colour=_COLOURS[number])
    name = f"{FOLDER}/{picture.name}"
    return Marked(name=name, picture=picture, jpeg=to_jpeg(image), sights=sights)


def _plain(picture: Picture) -> list[Sight]:
    """Return the vehicles of a picture that are seen well."""
    return [s for s in picture.sights if s.mover.kind != "person" and s.shown > 0.7 and s.x2 - s.x1 > 24]


@dataclass(frozen=True, kw_only=True)
class MarkRegions(Command):
    """Enter the regions of marked pictures.

    Attributes:
        marked: The pictures.
    """

    marked: tuple[Marked, ...]

    @property
    def label(self) -> str:
        """Words for the undo menu."""
        return f"Detect regions in {len(self.marked)} pictures"

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield one region per box, on the media that the project knows."""
        progress.begin(self.label, total=len(self.marked))
        for marked in self.marked:
            for medium in reader.find("medium", name=marked.name):
                yield from _regions(medium.id, marked.sights)
            progress.step()


def _regions(medium: str, sights: Sequence[Sight]) -> Iterator[Edit]:
    for number, sight in enumerate(sights):
        region = Region(
            id=new_id(),
            medium=medium,
            number=number,
            box=Box(x1=sight.x1, y1=sight.y1, x2=sight.x2, y2=sight.y2),
            category=f"{colour_name(sight.mover.colour)} {sight.mover.kind}",
            score=round(0.5 + 0.5 * sight.shown, 3),
            made_by=MADE_BY,
        )
        yield Edit(entity="region", entity_id=region.id, field=CREATED, value=region)


def _draw(image: Image, sight: Sight, *, number: int, colour: Colour) -> None:
    """Draw a box with a dark rim, so that it reads on any ground, and its number outside of it."""
    corners = (sight.x1 - 3, sight.y1 - 3), (sight.x2 + 3, sight.y2 + 3)
    cv2.rectangle(image, *corners, (20, 20, 20), 4, cv2.LINE_AA)
    cv2.rectangle(image, *corners, colour, 2, cv2.LINE_AA)
    text, font = str(number), cv2.FONT_HERSHEY_SIMPLEX
    (width, height), _ = cv2.getTextSize(text, font, 0.55, 1)
    top = sight.y1 - 5 if sight.y1 > 24 else sight.y2 + height + 9
    cv2.rectangle(
        image, (sight.x1 - 4, top - height - 5), (sight.x1 + width + 2, top + 3), colour, cv2.FILLED
    )
    cv2.putText(image, text, (sight.x1 - 1, top - 1), font, 0.55, (20, 20, 20), 1, cv2.LINE_AA)
