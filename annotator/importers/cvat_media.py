"""What the shapes of a CVAT file are drawn on: pictures, frames of a video, MDMT's numbered pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from annotator.domain.record import FieldCorrection
from annotator.domain.scene import Scene
from annotator.importers.aircop_names import read_image_name
from annotator.importers.box_geometry import Size
from annotator.importers.cvat_shapes import CvatShape
from annotator.importers.imported_record import ImportedMedium, ImportedRecord, ImportedScene
from annotator.importers.item_parts import medium_of
from annotator.importers.record_fields import RecordError, RecordFields
from annotator.importers.region_parts import frame_number

MOST_HIDDEN = 100_000
"""Frames that are noted as hidden in one file; MDMT's longest has some thousand."""
MOST_POSITIONS = 20_000
_MDMT = re.compile(r"(\d{1,6})-(\d)")


@dataclass(frozen=True, slots=True)
class CvatImage:
    """The image or video that shapes are drawn on.

    Attributes:
        medium: The image or video.
        size: Width and height in pixels, None if the file does not contain them.
        dataset: Its dataset.
        scene: Its scene, None if only the image is known.
        notes: Corrections of the medium's name.
    """

    medium: ImportedMedium
    size: Size | None = None
    dataset: str = ""
    scene: ImportedScene | None = None
    notes: tuple[FieldCorrection, ...] = ()


@dataclass(slots=True)
class _HiddenTracks:
    """Tracks that are not to be seen at one place, and in which of its frames; stills have frame 0."""

    image: CvatImage
    line: int
    frames: dict[str, list[int]] = field(default_factory=dict)


class CvatMedia:
    """Finds the places of one file's shapes.

    Args:
        stem: Name of the file without its ending.
        meta: What its head says; it fills while the file is read.
        dataset: The collection that the user gave, "" for none.
    """

    def __init__(self, stem: str, meta: Mapping[str, str], *, dataset: str) -> None:
        self._stem = stem
        self._meta = meta
        self._dataset = dataset
        self._mdmt = _MDMT.fullmatch(stem)
        self._known: dict[str, CvatImage] = {}
        self._hidden: dict[str, _HiddenTracks] = {}
        self._hidden_count = 0

    @property
    def is_mdmt(self) -> bool:
        """Whether frames are pictures of MDMT: by the file's name, where no head says otherwise."""
        # A head with meta is CVAT's own export, whatever the file is called.
        return self._mdmt is not None and not self._meta

    def of(self, drawn: CvatShape) -> CvatImage:
        """Return the place of a shape.

        Raises:
            RecordError: The file does not tell it.
        """
        if not drawn.in_track:
            key = drawn.holder.get("name", "")
        else:
            key = f"{self.frame(drawn):08d}" if self.is_mdmt else drawn.holder.get("task_id", "")
        location = self._known.get(key)
        if location is None:
            location = self._image_of(drawn)
            # Tracks refer to the same images repeatedly; the cache is limited because of malicious files.
            if len(self._known) >= MOST_POSITIONS:
                self._known.clear()
            self._known[key] = location
        return location

    def frame(self, drawn: CvatShape) -> int | None:
        """Return the frame number of a track's shape, None for one of a picture.

        Raises:
            RecordError: It is no frame number.
        """
        return frame_number(drawn.attributes.get("frame"), field="frame") if drawn.in_track else None

    def hide(self, drawn: CvatShape) -> None:
        """Note that a track is not to be seen.

        Raises:
            RecordError: The file does not tell where.
        """
        location, frame = self.of(drawn), self.frame(drawn)
        self._hidden_count += 1
        if self._hidden_count > MOST_HIDDEN:
            raise RecordError("outside", f"More than {MOST_HIDDEN:,} frames are marked as outside.")
        # Grouped by image: all tracks that are outside of the same image form one metadata entry.
        hidden = self._hidden.setdefault(location.medium.name, _HiddenTracks(location, drawn.line))
        hidden.frames.setdefault(drawn.track, []).append(frame or 0)

    def hidden(self) -> Iterator[ImportedRecord]:
        """Yield for each scene what is not to be seen in it, as facts: tracks, or runs of frames by track."""
        for hidden in self._hidden.values():
            scene = hidden.image.scene
            if scene is None:
                continue
            if self.is_mdmt:
                facts: dict[str, object] = {f"outside_{hidden.image.medium.view}": sorted(hidden.frames)}
            else:
                facts = {"outside": {track: _runs(frames) for track, frames in hidden.frames.items()}}
            yield ImportedRecord(
                record=Scene(name=scene.name, metadata=facts),
                line=hidden.line,
                dataset=hidden.image.dataset,
                scene=scene,
            )

    def _image_of(self, drawn: CvatShape) -> CvatImage:
        if not drawn.in_track:
            return self._picture(drawn)
        return self._numbered(drawn) if self.is_mdmt else self._video(drawn)

    def _picture(self, drawn: CvatShape) -> CvatImage:
        fields = RecordFields(drawn.holder)
        medium = medium_of(fields.required_text("name"), field="name", fields=fields)
        size = _size(drawn.holder.get("width"), drawn.holder.get("height"))
        return CvatImage(medium, size=size, dataset=self._dataset, notes=tuple(fields.corrections))

    def _video(self, drawn: CvatShape) -> CvatImage:
        fields, task = RecordFields({}), drawn.holder.get("task_id")
        source = self._meta.get("task/source") or self._meta.get("source") or ""
        name = source or self._meta.get("task/name") or self._stem
        name = f"{name} task {task}" if task and not source else name
        medium = medium_of(name, field="source", kind="video" if source else "frames", fields=fields)
        size = _size(self._meta.get("task/original_size/width"), self._meta.get("task/original_size/height"))
        scene = ImportedScene(name=medium.name.rpartition(".")[0] or medium.name, views=(medium,))
        return CvatImage(medium, size, self._dataset, scene, tuple(fields.corrections))

    def _numbered(self, drawn: CvatShape) -> CvatImage:
        sequence, view = self._mdmt.groups() if self._mdmt else ("", "")
        image = read_image_name(f"{sequence}-{self.frame(drawn):08d}-UAV{view}.jpg")
        medium = ImportedMedium(name=image.name, view=image.view)
        scene = ImportedScene(name=image.scene, views=(medium,))
        return CvatImage(medium, dataset=self._dataset or image.dataset, scene=scene)


def _size(width: str | None, height: str | None) -> Size | None:
    digits = [text for text in (width, height) if text and text.isascii() and text.isdecimal()]
    sides = [int(text) for text in digits if len(text) <= 6]
    return (sides[0], sides[1]) if len(sides) == 2 and all(sides) else None


def _runs(frames: list[int]) -> list[list[int]]:
    """Return first and last frame of each run of neighbouring frames."""
    runs: list[list[int]] = []
    for frame in sorted(set(frames)):
        if runs and frame == runs[-1][1] + 1:
            runs[-1][1] = frame
        else:
            runs.append([frame, frame])
    return runs
