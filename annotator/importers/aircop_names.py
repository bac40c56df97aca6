"""What AirCopBench's image names tell: dataset, scene and view.

Source: the names in the four annotation files and the directory layouts in the generation scripts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote

import msgspec

from annotator.importers.media_paths import read_path

DATASETS = ("Real_2_UAVs", "Sim_3_UAVs", "Sim_5_UAVs", "Sim_6_UAVs")

_SHAPES = (
    (re.compile(r"\d+-\d{8}-UAV[0-9]+(?:[- ]\w+)*\.\w+", re.IGNORECASE), "Real_2_UAVs"),
    (re.compile(r"scene_\d+-UAV\d+_frame_\d+.*\.\w+"), "Sim_3_UAVs"),
    (re.compile(r"\d{15,20}(?!\d).*\.\w+"), "Sim_5_UAVs"),
    (re.compile(r"c\d+(?:-\d+)+_UAV_\d+_.*\.\w+"), "Sim_6_UAVs"),
)
# Label Studio puts eight hex digits and a dash before the name of every uploaded file, and names those of
# its own disk /data/local-files/?d=path.
_LOCAL_FILE = "?d="
_UPLOAD_MARK = re.compile(r"[0-9a-f]{8}-(?=.)")
_VIEW = re.compile(r"[-_ ]?UAV[-_ ]?([0-9]+)", re.IGNORECASE)
_SIM3_SCENE = re.compile(r"(scene_\d+)_(frame_\d+.*)")
_SIM3_FRAME = re.compile(r"UAV\d+_frame_\d+.*\.\w+")
_SIM3_FOLDER = re.compile(r"(?:^|/)(scene_\d+)/")
_VIEW_FOLDER = re.compile(r"(?:^|/)UAV[-_ ]?([0-9]+)/", re.IGNORECASE)


class AircopImageName(msgspec.Struct, frozen=True, gc=False):
    """The parsed name of an image in a file.

    Attributes:
        name: Name of the medium.
        path: Possible path relative to the media root, or "".
        dataset: One of ``DATASETS``, "" if the name has an unknown form.
        scene: Name of the scene: the file name without view and suffix.
        view: ``UAV1`` and so on, "" if the name contains none.
        changes: Description of the changes made to the text.
        is_percent_encoded: Whether the text contained encoded bytes such as ``%E5``.
    """

    name: str
    path: str
    dataset: str
    scene: str
    view: str
    changes: tuple[str, ...] = ()
    is_percent_encoded: bool = False


# The questions of a group, and the groups of a scene, name the same pictures over and over.
@lru_cache(maxsize=4096)
def read_image_name(text: str) -> AircopImageName:
    """Return what the name or path of an image tells."""
    hint = read_path(text)
    base, changes = _without_upload_mark(hint.name, has_folder="/" in text or "\\" in text)
    if hint.refused:
        changes.insert(0, hint.refused)
    decoded = _percent_decoded(base)
    if decoded != base:
        changes.append("percent-encoded bytes are decoded")
    name = _with_scene_folder(decoded, text)
    if name != decoded:
        changes.append("the folder's scene is part of the name")
    seen, name = name, _with_view_folder(name, text)
    if name != seen:
        changes.append("the folder's view is part of the name")
    return AircopImageName(
        name=name,
        path=hint.path if "/" in hint.path else read_path(decoded).path,
        dataset=dataset_of(name),
        scene=_scene_of(name),
        view=_view_of(name),
        changes=tuple(changes),
        is_percent_encoded=decoded != base,
    )


def dataset_of(name: str) -> str:
    """Return the dataset that names of this shape belong to, or ""."""
    return next((dataset for shape, dataset in _SHAPES if shape.fullmatch(name)), "")


def with_copy_number(name: str, number: int) -> str:
    """Return the name of the n-th picture of the same name: ``a.jpg`` is ``a copy 2.jpg``."""
    stem, dot, ending = name.rpartition(".")
    return f"{stem} copy {number}.{ending}" if dot else f"{name} copy {number}"


def view_name(digits: str) -> str:
    """Return a view's name from its number as somebody wrote it."""
    # Beyond nine digits it is no number of anything; Python would refuse to read thousands of them.
    return f"UAV{int(digits) if len(digits) <= 9 else digits}"


def _without_upload_mark(name: str, *, has_folder: bool) -> tuple[str, list[str]]:
    if _LOCAL_FILE in name:
        return name.rpartition(_LOCAL_FILE)[2], ["the path of the local file is removed from the name"]
    mark = _UPLOAD_MARK.match(name)
    # Without a folder before it, "00000001-UAV1.jpg" may be a real name.
    if mark is None or not (has_folder or dataset_of(name[mark.end() :])):
        return name, []
    return name[mark.end() :], ["the upload prefix is removed from the name"]


def _percent_decoded(name: str) -> str:
    if "%" not in name:
        return name
    try:
        decoded = unquote(name, errors="strict")
    # A percent sign of its own, or another encoding: nothing is certain.
    except UnicodeDecodeError:
        return name
    # A decoded slash or NUL would make another path of it.
    return name if any(ch in "/\\" or not ch.isprintable() for ch in decoded) else decoded


def _with_scene_folder(name: str, text: str) -> str:
    """Return Sim3's ``scene_001/UAV1/UAV1_frame_005.jpg`` under the name that its annotations use."""
    folder = _SIM3_FOLDER.search(text) if _SIM3_FRAME.fullmatch(name) else None
    return f"{folder[1]}-{name}" if folder else name


def _with_view_folder(name: str, text: str) -> str:
    """Return Sim5's ``UAV1/1623936157944367872.png`` with its view; all views share the file's name."""
    folder = _VIEW_FOLDER.search(text)
    if folder is None or _VIEW.search(name):
        return name
    stem, dot, ending = name.rpartition(".")
    view = view_name(folder[1])
    return f"{stem}-{view}.{ending}" if dot else f"{name}-{view}"


def _scene_of(name: str) -> str:
    stem = name.rpartition(".")[0] or name
    # Real2 and Sim6 name a moment by what is left without the view; Sim3 says scene and frame.
    key = _VIEW.sub("", stem, count=1).strip("-_ ") or stem
    sim3 = _SIM3_SCENE.fullmatch(key)
    return f"{sim3[1]} {sim3[2]}" if sim3 else key


def _view_of(name: str) -> str:
    found = _VIEW.search(name)
    return view_name(found[1]) if found else ""
