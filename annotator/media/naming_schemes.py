"""Schemes: patterns that together tell a collection's scenes and views, and how these are named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

import msgspec

from annotator.domain.medium import MediaType
from annotator.media.filename_patterns import FilenamePattern
from annotator.media.listing import kind_by_name
from annotator.media.scene_grouping import MediaMatch, file_name

_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")
_NOT_OF_THE_MOMENT = frozenset({"view", "dataset", "ext", "frames", "scene", "frame"})
_ENDS = "-_ ."


class SchemePattern(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """A pattern with templates for the names of scene, medium and view.

    A template is a text with fields, for instance ``{scene} frame_{frame}``; a part in [] is omitted if one
    of its fields is empty. Besides the pattern's fields there are ``{path}``, the listed name, and
    ``{file}``, the file name.

    Attributes:
        pattern: The pattern.
        scene: Template of the scene's name, "" to join all fields that separate scenes.
        medium: Template of the medium's name, "" for the file name.
        view: Template of the view's name, "" for the field ``view``; a number N becomes ``UAVN``.
        kind: Media type, None to derive it from file names.
    """

    pattern: str
    scene: str = ""
    medium: str = ""
    view: str = ""
    kind: MediaType | None = None

    @cached_property
    def parsed(self) -> FilenamePattern:
        """The pattern, ready to be matched; UserError where it is none."""
        return FilenamePattern.parse(self.pattern)


class NamingScheme(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The naming of the files of a dataset.

    Attributes:
        id: Id of a preset, "" for a user's own pattern.
        title: Displayed name.
        shapes: Patterns tried in order; the first match is used.
        dataset: Dataset of the media, "" if the user gives it.
        views: Names of views by words in file names: ``drone = "aerial"``.
        is_general: Whether it matches files of many origins, so that specific schemes precede it.
    """

    id: str = ""
    title: str = ""
    shapes: tuple[SchemePattern, ...] = ()
    dataset: str = ""
    views: dict[str, str] = msgspec.field(default_factory=dict)
    is_general: bool = False

    @classmethod
    def of_pattern(cls, text: str) -> NamingScheme:
        """Return the scheme of one typed pattern.

        Raises:
            UserError: The text is no pattern.
        """
        shape = SchemePattern(pattern=text)
        return cls(title=shape.parsed.text, shapes=(shape,))

    def matches(self, name: str) -> bool:
        """Tell whether a file's name is one of this collection."""
        return any(shape.parsed.match(name) is not None for shape in self.shapes)

    def match_media(self, name: str) -> MediaMatch | None:
        """Return what a file's name claims, None where no shape matches it."""
        for shape in self.shapes:
            values = shape.parsed.match(name)
            if values is not None:
                return self._match(name, shape, values)
        return None

    def _match(self, name: str, shape: SchemePattern, values: Mapping[str, str]) -> MediaMatch:
        pattern = shape.parsed
        if pattern.is_frames:
            # The name of a medium that is a folder of frames is the folder's.
            name = name.rpartition("/")[0] or name
        known = {**values, "path": name, "file": file_name(name)}
        times_make_scenes = pattern.time_format and not shape.scene and "scene" not in values
        return MediaMatch(
            name=name,
            scene=fill_template(shape.scene, known) if shape.scene else _moment(values, name),
            view=self._view(fill_template(shape.view, known) if shape.view else values.get("view", "")),
            dataset=values.get("dataset") or self.dataset,
            medium=fill_template(shape.medium, known) if shape.medium else "",
            kind=shape.kind or self._kind(name, pattern),
            time_s=pattern.time_of(values) if times_make_scenes else None,
        )

    def _kind(self, name: str, pattern: FilenamePattern) -> MediaType:
        return "frames" if pattern.is_frames else kind_by_name(name) or "image"

    def _view(self, word: str) -> str:
        known = self.views.get(word.lower(), word)
        # Nine digits: a view of a hundred digits is a name, not a number.
        return f"UAV{int(known)}" if known.isascii() and known.isdigit() and len(known) <= 9 else known


def fill_template(template: str, values: Mapping[str, str]) -> str:
    """Return a name made of fields; parts in [] with an empty field are left out."""

    def part(found: re.Match[str]) -> str:
        names = _SLOT.findall(found[1])
        return found[1] if all(values.get(name) for name in names) else ""

    text = _OPTIONAL.sub(part, template)
    return _SLOT.sub(lambda found: values.get(found[1], ""), text).strip(_ENDS)


def _moment(values: Mapping[str, str], name: str) -> str:
    """Return the name of a moment: the scene, what else tells moments apart, the frame."""
    rest = [value for field, value in values.items() if field not in _NOT_OF_THE_MOMENT]
    parts = [values.get("scene", ""), *rest, values.get("frame", "")]
    made = " ".join(part.strip(_ENDS) for part in parts if part.strip(_ENDS))
    return made or file_name(name).rpartition(".")[0] or file_name(name)
