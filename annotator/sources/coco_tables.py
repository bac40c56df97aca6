"""The tables of a COCO file that its annotations refer to: pictures, videos, categories."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace

from annotator.domain.record import Normalised
from annotator.errors import UserError
from annotator.sources.box_geometry import Size, pixel
from annotator.sources.fields import Fields, RecordFault
from annotator.sources.found import FoundMedium
from annotator.sources.item_parts import medium_of
from annotator.sources.json_tables import Row, decoded
from annotator.sources.region_parts import id_of

MOST_ROWS = 5_000_000
"""Rows of the three tables that are kept, about 0.5 KB each; the largest published have two million."""

Id = int | str


@dataclass(frozen=True, slots=True)
class Picture:
    """What an annotation is drawn on.

    Attributes:
        medium: The picture, or the video or frame folder that it is a frame of.
        size: Width and height in pixels, None where the file does not say.
        frame: Frame number, None for a still.
        notes: What was changed in naming it.
    """

    medium: FoundMedium
    size: Size | None = None
    frame: int | None = None
    notes: tuple[Normalised, ...] = ()


@dataclass(slots=True)
class _Frames:
    """A video of which single frames, or all by name, are in the file."""

    name: str = ""
    size: Size | None = None
    file_names: list[str] = field(default_factory=list)
    pictures: list[tuple[str, Id]] = field(default_factory=list)


class CocoTables:
    """Pictures, videos and categories by id.

    A picture with a ``video_id`` is a frame of a frame folder, the folder of its file: its frame number is
    its place among the video's pictures by name. The first row of an id counts.
    """

    NAMES = frozenset({"images", "videos", "categories"})

    def __init__(self) -> None:
        self.categories: dict[Id, str] = {}
        self._pictures: dict[Id, Picture] = {}
        self._videos: defaultdict[Id, _Frames] = defaultdict(_Frames)
        self._rows = 0

    def add(self, row: Row) -> None:
        """Take a row of one of the tables.

        Raises:
            RecordFault: It cannot be taken.
            UserError: There are too many.
        """
        self._rows += 1
        if self._rows > MOST_ROWS:
            message = f"It lists more than {MOST_ROWS:,} pictures, videos and categories."
            raise UserError(message, hint="Split it into several files.")
        fields = Fields(decoded(row).value)
        key = id_of(fields, "id")
        if key is None:
            raise RecordFault("id", "It is missing.")
        if row.table == "categories":
            # The first counts: categories are listed twice where files were joined.
            self.categories.setdefault(key, fields.required_text("name"))
        elif row.table == "videos":
            self._add_video(key, fields)
        elif key in self._pictures:
            raise RecordFault("id", f"Another picture has the id {key}.")
        else:
            self._pictures[key] = self._picture(key, fields)

    def close(self) -> None:
        """Number the frames of videos; to be called once all rows are in."""
        for key, video in self._videos.items():
            whole = self.video(key).medium
            # By name: lists of pictures stand in any order, names of frames count.
            for place, (_, picture) in enumerate(sorted(video.pictures, key=lambda entry: entry[0])):
                found = self._pictures[picture]
                notes = *found.notes, _as_frame(found, place)
                self._pictures[picture] = replace(found, medium=whole, frame=place, notes=notes)

    def picture(self, key: Id) -> Picture | None:
        """Return a picture by its id."""
        return self._pictures.get(key)

    def video(self, key: Id) -> Picture:
        """Return a video by its id; its frames are told by annotations.

        Raises:
            RecordFault: There is none.
        """
        if key not in self._videos:
            raise RecordFault("video_id", f"No video has the id {key}.")
        video, fields = self._videos[key], Fields({})
        names = video.file_names or [name for name, _ in video.pictures[:1]]
        folder = _folder_of(names)
        name = video.name or folder or f"video {key}"
        medium = medium_of(name, field="name", kind="frames" if names else "video", fields=fields)
        path = medium_of(folder, field="file_names", fields=fields).path if folder else medium.path
        medium = FoundMedium(name=medium.name, path=path, kind=medium.kind)
        return Picture(medium, size=video.size, notes=tuple(fields.normalised))

    def _add_video(self, key: Id, fields: Fields) -> None:
        video = self._videos[key]
        video.name, video.size = fields.text("name") or video.name, _size(fields) or video.size
        names = fields.listing("file_names") or []
        if not all(isinstance(name, str) for name in names):
            raise RecordFault("file_names", "It should be a list of names.")
        # Only the folder of the first is asked for; videos list thousands of names.
        video.file_names = names[:1]

    def _picture(self, key: Id, fields: Fields) -> Picture:
        name, video = fields.required_text("file_name"), id_of(fields, "video_id")
        medium = medium_of(name, field="file_name", fields=fields)
        if video is not None:
            self._videos[video].pictures.append((name, key))
        return Picture(medium, size=_size(fields), notes=tuple(fields.normalised))


def _as_frame(picture: Picture, place: int) -> Normalised:
    reason = "a video's pictures are frames of its folder, numbered from 0 by name"
    return Normalised(field="frame", original=picture.medium.name, value=place, reason=reason)


def _size(fields: Fields) -> Size | None:
    width, height = fields.get("width"), fields.get("height")
    if width is None or height is None:
        return None
    size = round(pixel(width, field="width")), round(pixel(height, field="height"))
    return size if size[0] > 0 and size[1] > 0 else None


def _folder_of(names: list[str]) -> str:
    return names[0].replace("\\", "/").rpartition("/")[0] if names else ""
