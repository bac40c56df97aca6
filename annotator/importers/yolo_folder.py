"""What belongs together in a YOLO folder: label files, their pictures, the names of the classes."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from annotator.importers.box_geometry import LARGEST_PX, Size
from annotator.importers.imported_record import ImportedMedium
from annotator.importers.input_file import InputFile, printable
from annotator.importers.input_folder import Archive, InputFolder
from annotator.media.image_file import UNKNOWN, read_size

LARGEST_LIST_BYTES = 1 << 20
MOST_CLASSES = 100_000
HEADER_BYTES = 1 << 18
"""A picture's size stands behind its EXIF data, which hold up to 64 KiB, and a preview of about as much."""

_PICTURES = frozenset({"jpg", "jpeg", "png", "bmp", "webp", "gif", "tif", "tiff", "mpo"})
_LISTS = ("data.yaml", "data.yml", "dataset.yaml", "classes.txt", "obj.names", "names.txt", "labels.txt")
_NO_LABELS = frozenset(
    {*_LISTS, "train.txt", "val.txt", "valid.txt", "test.txt", "trainval.txt", "requirements.txt"}
)
_LABEL_FOLDER = re.compile(r"(?:^|/)labels(?=/)")
_NAMES_KEY = re.compile(r"^names[ \t]*:[ \t]*", re.MULTILINE)
_ENTRY = re.compile(r"[ \t]*(?:-|(\d{1,6})[ \t]*:)[ \t]*(.*)")
# An entry begins where the text does or behind a comma, and nothing in it can end in two ways: tried anywhere
# and in every length, a list with five hundred blanks in it took a minute.
_INLINE = re.compile(
    r"""(?:^|(?<=,))\s*+(?:(\d{1,6})\s*+:\s*+)?"""
    r"""("(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+'|[^,\[\]{}"'\s][^,\[\]{}"']*+)\s*+(?:,|$)"""
)


@dataclass(frozen=True, slots=True)
class YoloImage:
    """The picture of a label file.

    Attributes:
        medium: Itself, by its name in the folder, or by the label's where it is not there.
        size: Width and height in pixels, None where nobody knows.
    """

    medium: ImportedMedium
    size: Size | None


class YoloFolder:
    """One folder, or archive."""

    def __init__(self, folder: InputFolder) -> None:
        self._folder = folder

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Names of the label files: texts below ``labels``, or, without such a folder, beside pictures."""
        texts = [name for name in self._folder.names if name.lower().endswith(".txt")]
        texts = [name for name in texts if name.rpartition("/")[2].lower() not in _NO_LABELS]
        below = tuple(name for name in texts if _LABEL_FOLDER.search(name))
        # Without a folder 'labels' any text could be meant; only those beside a picture of their name are.
        return below or tuple(name for name in texts if name.rpartition(".")[0] in self._pictures)

    def picture(self, label: str, *, size_of: Callable[[str], Size | None]) -> YoloImage:
        """Return the picture that a label file is about.

        Args:
            label: Name of the label file.
            size_of: Size of a picture that the project knows by a name or the end of a path.
        """
        stem = label.rpartition(".")[0]
        # Ultralytics finds a label's picture in the same way: the folder is called images instead of labels.
        twin = _LABEL_FOLDER.sub(lambda found: found[0].replace("labels", "images"), stem)
        name = self._pictures.get(twin) or self._pictures.get(stem)
        if name is None:
            tail = printable(stem.rpartition("/")[2])
            return YoloImage(ImportedMedium(name=tail), size_of(tail))
        shown = printable(name)
        size = self._size(name) or size_of(shown)
        return YoloImage(ImportedMedium(name=shown, path=shown if shown == name else ""), size)

    def categories(self) -> dict[int, str]:
        """Return the names of the classes by number, as far as a list in the folder tells them."""
        for wanted in _LISTS:
            for name in self._folder.names:
                is_small = self._folder.sizes[name] <= LARGEST_LIST_BYTES
                if is_small and name.rpartition("/")[2].lower() == wanted:
                    read = _yaml_names if wanted.endswith(("yaml", "yml")) else _listed_names
                    if names := read(printable(self._folder.file(name).text)):
                        return names
        return {}

    @cached_property
    def _pictures(self) -> dict[str, str]:
        """Names of the pictures by their name without the ending."""
        split = ((name.rpartition("."), name) for name in self._folder.names)
        return {stem: name for (stem, _, ending), name in split if ending.lower() in _PICTURES}

    def _size(self, name: str) -> Size | None:
        folder = self._folder
        # A look at the header, not at the whole picture as ``folder.file`` would take for its digest.
        if isinstance(folder, Archive):
            head = folder.content(name, limit=HEADER_BYTES)
        else:
            head = InputFile(folder.path / name).read_bytes(HEADER_BYTES)
        size = read_size(io.BytesIO(head))
        is_known = size != UNKNOWN and 0 < size.width_px <= LARGEST_PX and 0 < size.height_px <= LARGEST_PX
        return (size.width_px, size.height_px) if is_known else None


def _listed_names(text: str) -> dict[int, str]:
    lines = [line.strip() for line in text.splitlines()]
    return {number: line for number, line in enumerate(lines[:MOST_CLASSES]) if line}


def _yaml_names(text: str) -> dict[int, str]:
    """Return the entry ``names`` of a YAML text: a list or mapping, in brackets or a line each.

    Only that much of YAML is read, plain and quoted words; no anchors, tags or texts over several lines.
    """
    key = _NAMES_KEY.search(text)
    if key is None:
        return {}
    rest = text[key.end() :]
    if rest.startswith(("[", "{")):
        inside = rest[1:].partition("]" if rest[0] == "[" else "}")[0]
        pairs = ((number, word) for number, word in _INLINE.findall(inside) if word.strip())
        return _numbered(pairs)
    return _numbered(_block(rest))


def _block(text: str) -> Iterator[tuple[str, str]]:
    """Yield number and word of the entries up to the next key at the margin."""
    for line in text.split("\n")[1:]:
        plain = line.rstrip()
        if not plain or plain.lstrip().startswith("#"):
            continue
        entry = _ENTRY.fullmatch(plain)
        if entry is None or plain[0] not in " \t-":
            return
        yield entry[1] or "", entry[2]


def _numbered(pairs: Iterator[tuple[str, str]]) -> dict[int, str]:
    names: dict[int, str] = {}
    for index, (number, word) in enumerate(pairs):
        if index >= MOST_CLASSES:
            break
        names[int(number) if number else index] = _plain(word)
    return names


def _plain(word: str) -> str:
    word = word.strip()
    if word[:1] == word[-1:] == "'" and len(word) > 1:
        return word[1:-1].replace("''", "'")
    if word[:1] == '"':
        return word[1:].partition('"')[0]
    return word.partition(" #")[0].strip()
