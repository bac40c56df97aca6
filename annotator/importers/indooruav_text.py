"""IndoorUAV's episodes and instructions: names taken apart, texts put right with a note of each change.

Source: the keys of ``test_vla.json`` and ``test_vln_*.json``, and the folders that the evaluation
scripts read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from annotator.importers import mojibake
from annotator.importers.imported_record import ImportedFlag, ImportedMedium, ImportedScene
from annotator.importers.media_paths import read_path
from annotator.importers.record_fields import RecordError, RecordFields, wrong_type

DATASET = "IndoorUAV"
TASK_SET = "indooruav"
VIEW = "UAV1"
LONGEST_KEY = 512

_SEGMENT = re.compile(r"vla_ins_[0-9]+")
_EPISODE = re.compile(r"(?:.*/)?([^/]+/[^/]+/traj_-?[0-9]+)/([^/]+)\.json", re.DOTALL)
# The benchmark's texts were cut out of "living \room": JSON takes \r and \t for control characters.
_STRAY_ESCAPE = re.compile(r"(?<= )[\r\t\f\x08](?=[a-z])")
_LETTERS = {"\r": "r", "\t": "t", "\f": "f", "\x08": "b"}
_STRAY_REASON = "a backslash and the letter after it were read as a control character"


@dataclass(frozen=True, slots=True)
class Episode:
    """One test case of the benchmark: a flight, or a part of one, with its instruction.

    Attributes:
        trajectory: Name of the flight, ``/hm3d_14/1Rg1SS1dRpG/traj_-3``; its scene is called the same.
        file: Name of the file that holds its instruction, without ``.json``: ``vla_ins_1``.
    """

    trajectory: str
    file: str

    @property
    def key(self) -> str:
        """The key under which test and result files list it."""
        return f"{self.trajectory}/{self.file}.json"

    @property
    def scene(self) -> ImportedScene:
        """The flight as a scene of one view."""
        return ImportedScene(name=self.trajectory, views=(self.medium,))

    @property
    def medium(self) -> ImportedMedium:
        """The folder of frames that the evaluation scripts show for it: ``…/screenshots/1.png`` and so on."""
        path = f"{self.trajectory.strip('/')}/screenshots"
        return ImportedMedium(name=path, path=path, kind="frames", view=VIEW)


# Test lists and folders name the same flights over and over.
@lru_cache(maxsize=4096)
def read_episode(text: str) -> Episode | None:
    """Return the episode that a key or the path of a file names, or None where it names none."""
    found = _EPISODE.fullmatch(text) if len(text) <= LONGEST_KEY else None
    # Its frames lie in a folder of this name: one that is no place below the media root names no flight.
    if found is None or not found[1].isprintable() or read_path(found[1]).path != found[1]:
        return None
    return Episode(trajectory=f"/{found[1]}", file=found[2])


def required_episode(text: str, *, field: str) -> Episode:
    """Return the episode that a key names.

    Raises:
        RecordError: It names none.
    """
    episode = read_episode(text)
    if episode is None:
        raise RecordError(
            field, f"'{text[:80]}' is not the path of a trajectory: group/scene/traj_1/file.json is expected."
        )
    return episode


def is_segment(name: str) -> bool:
    """Tell whether a file's name without ending is that of a part of a flight: ``vla_ins_7``."""
    return _SEGMENT.fullmatch(name) is not None


def read_steps(value: object, *, field: str, target: str, fields: RecordFields) -> tuple[str, ...]:
    """Return the steps of an instruction, with encoding errors repaired.

    Args:
        value: One text, or a list of texts.
        field: Name of the field in the file.
        target: Field of the record that receives the text.
        fields: Receives the corrections.

    Raises:
        RecordError: The value is neither, or is empty.
    """
    texts = value if isinstance(value, list) else [value]
    if _are_plain(texts):
        return tuple(texts)
    steps: list[str] = []
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise wrong_type(f"{field}[{number}]" if texts is value else field, text, expected="text")
        steps.append(_put_right(text, target=target, fields=fields))
    if not any(step.strip() for step in steps):
        raise RecordError(field, "The record contains no instruction.")
    return tuple(steps)


def _are_plain(texts: list[Any]) -> bool:
    """Tell at once of most lists that nothing in them can be wrong."""
    try:
        joined = "".join(texts)
    except TypeError:
        return False
    return joined.isascii() and joined.isprintable() and bool(joined.strip())


def _put_right(text: str, *, target: str, fields: RecordFields) -> str:
    if text.isascii() and text.isprintable():
        return text
    read = mojibake.mended(text)
    if read is not None:
        fields.note(target, original=text, value=read, reason=mojibake.REASON)
        text = read
    plain = _STRAY_ESCAPE.sub(lambda stray: _LETTERS[stray[0]], text)
    if plain != text:
        fields.note(target, original=text, value=plain, reason=_STRAY_REASON)
    return plain


def damage_flags(steps: tuple[str, ...], *, field: str) -> list[ImportedFlag]:
    """Return the flag of texts whose damage cannot be mended."""
    hurt = [step for step in steps if not step.isascii() and mojibake.looks_damaged(step)]
    if not hurt:
        return []
    message = f"Characters of '{hurt[0][:80]}' are lost. Enter them again."
    return [ImportedFlag(kind="text_damaged", field=field, message=message, evidence={"texts": hurt})]
