"""The tables of a COCO file that its annotations refer to: pictures, videos, categories."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace

from msgspec.structs import replace as replace_fields

from annotator.domain.record import FieldCorrection
from annotator.domain.region_attributes import MEMBER, ImageAttributes
from annotator.errors import UserError
from annotator.importers.box_geometry import Size, pixel
from annotator.importers.coco_ids import Id
from annotator.importers.imported_record import ImportedMedium, ImportedScene
from annotator.importers.item_parts import medium_of
from annotator.importers.json_tables import JsonRow, decoded
from annotator.importers.record_fields import RecordError, RecordFields
from annotator.importers.region_parts import id_of, own_attributes

MOST_ROWS = 5_000_000
"""Rows of the three tables that are kept, about 0.5 KB each; the largest published have two million."""


@dataclass(frozen=True, slots=True)
class CocoImage:
    """What an annotation is drawn on.

    Attributes:
        medium: The picture, or the video or frame folder that it is a frame of.
        size: Width and height in pixels, None where the file does not say.
        frame: Frame number, None for a still.
        notes: What was changed in naming it.
        scene: Its scene, None where the file does not say.
    """

    medium: ImportedMedium
    size: Size | None = None
    frame: int | None = None
    notes: tuple[FieldCorrection, ...] = ()
    scene: ImportedScene | None = None


@dataclass(slots=True)
class _Frames:
    """A video of which single frames, or all by name, are in the file."""

    name: str = ""
    size: Size | None = None
    file_names: list[str] = field(default_factory=list)
    pictures: list[tuple[str, Id]] = field(default_factory=list)


class CocoTables:
    """Images, videos and categories by id.

    An image with a ``video_id`` is a frame of the frame folder that contains its file; its frame number is
    its index among the video's images sorted by name. Of several rows with one id the first is used.
    """

    NAMES = frozenset({"images", "videos", "categories"})

    def __init__(self) -> None:
        self.categories: dict[Id, str] = {}
        self._pictures: dict[Id, CocoImage] = {}
        self._videos: defaultdict[Id, _Frames] = defaultdict(_Frames)
        self._rows = 0

    def add(self, row: JsonRow) -> None:
        """Take a row of one of the tables.

        Raises:
            RecordError: It cannot be taken.
            UserError: There are too many.
        """
        self._rows += 1
        if self._rows > MOST_ROWS:
            message = f"It lists more than {MOST_ROWS:,} images, videos and categories."
            raise UserError(message, hint="Split it into several files.")
        fields = RecordFields(decoded(row).value)
        key = id_of(fields, "id")
        if key is None:
            raise RecordError("id", "It is missing.")
        if row.table == "categories":
            # The first counts: categories are listed twice where files were joined.
            self.categories.setdefault(key, fields.required_text("name"))
        elif row.table == "videos":
            self._add_video(key, fields)
        elif key in self._pictures:
            raise RecordError("id", f"Another image has the id {key}.")
        else:
            self._pictures[key] = self._picture(key, fields)

    def close(self) -> None:
        """Number the frames of videos; to be called once all rows are in."""
        for key, video in self._videos.items():
            whole = self.video(key).medium
            # By name: lists of pictures stand in any order, names of frames count.
            for index, (_, picture) in enumerate(sorted(video.pictures, key=lambda entry: entry[0])):
                found = self._pictures[picture]
                notes = *found.notes, _as_frame(found, index)
                self._pictures[picture] = replace(found, medium=whole, frame=index, notes=notes)

    @property
    def image_names(self) -> dict[Id, str]:
        """The paths, or names, of the images by their ids."""
        return {
            key: found.medium.path or found.medium.name
            for key, found in self._pictures.items()
            if found.frame is None
        }

    def image(self, key: Id) -> CocoImage | None:
        """Return an image by its id."""
        return self._pictures.get(key)

    def category(self, key: Id) -> str | None:
        """Return a category by its id."""
        return self.categories.get(key)

    def video(self, key: Id) -> CocoImage:
        """Return a video by its id; its frames are told by annotations.

        Raises:
            RecordError: There is none.
        """
        if key not in self._videos:
            raise RecordError("video_id", f"No video has the id {key}.")
        video, fields = self._videos[key], RecordFields({})
        names = video.file_names or [name for name, _ in video.pictures[:1]]
        folder = _folder_of(names)
        name = video.name or folder or f"video {key}"
        medium = medium_of(name, field="name", kind="frames" if names else "video", fields=fields)
        path = medium_of(folder, field="file_names", fields=fields).path if folder else medium.path
        medium = ImportedMedium(name=medium.name, path=path, kind=medium.kind)
        return CocoImage(medium, size=video.size, notes=tuple(fields.corrections))

    def _add_video(self, key: Id, fields: RecordFields) -> None:
        video = self._videos[key]
        video.name, video.size = fields.text("name") or video.name, _size(fields) or video.size
        names = fields.listing("file_names") or []
        if not all(isinstance(name, str) for name in names):
            raise RecordError("file_names", "It should be a list of names.")
        # Only the folder of the first is asked for; videos list thousands of names.
        video.file_names = names[:1]

    def _picture(self, key: Id, fields: RecordFields) -> CocoImage:
        name, video = fields.required_text("file_name"), id_of(fields, "video_id")
        if own := own_attributes(fields.get(MEMBER), ImageAttributes):
            return _own_image(name, own, fields=fields)
        medium = medium_of(name, field="file_name", fields=fields)
        if video is not None:
            self._videos[video].pictures.append((name, key))
        return CocoImage(medium, size=_size(fields), notes=tuple(fields.corrections))


def _own_image(location: str, own: ImageAttributes, *, fields: RecordFields) -> CocoImage:
    """Return an image of a release, with what the release adds to its row."""
    path = location if own.frame is None else location.rpartition("/")[0]
    medium = medium_of(path, field="file_name", view=own.view, kind=own.media_type, fields=fields)
    if own.name:
        named = medium_of(own.name, field=MEMBER, fields=fields)
        medium = replace_fields(medium, name=named.name)
    scene = ImportedScene(name=own.scene, views=(medium,)) if own.scene else None
    return CocoImage(
        medium, size=_size(fields), frame=own.frame, notes=tuple(fields.corrections), scene=scene
    )


def _as_frame(picture: CocoImage, index: int) -> FieldCorrection:
    reason = "the images of a video are frames of its folder, numbered from 0 by name"
    return FieldCorrection(field="frame", original=picture.medium.name, value=index, reason=reason)


def _size(fields: RecordFields) -> Size | None:
    width, height = fields.get("width"), fields.get("height")
    if width is None or height is None:
        return None
    size = round(pixel(width, field="width")), round(pixel(height, field="height"))
    return size if size[0] > 0 and size[1] > 0 else None


def _folder_of(names: list[str]) -> str:
    return names[0].replace("\\", "/").rpartition("/")[0] if names else ""
