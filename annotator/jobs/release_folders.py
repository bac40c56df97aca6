"""Where the release folders of evaluation runs are on this machine; a project contains no such paths."""

from __future__ import annotations

from pathlib import Path

import msgspec

from annotator.domain.record import new_id
from annotator.errors import EnvironmentFailure, UserError

FILE = "release_folders.json"


def remember_folder(settings: Path, *, release: str, folder: Path) -> None:
    """Keep the place of a release folder.

    Args:
        settings: Folder of the person's settings.
        release: Digest of the release.
        folder: Its folder.

    Raises:
        EnvironmentFailure: The file cannot be written.
    """
    known = _folders(settings)
    if known.get(release) == str(folder):
        return
    path = settings / FILE
    # A name of its own: another process may write the same file.
    beside = path.with_name(f"{path.name}.{new_id()}")
    try:
        settings.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(msgspec.json.encode(known | {release: str(folder)}))
        beside.replace(path)
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        beside.unlink(missing_ok=True)


def folder_of(settings: Path, *, release: str) -> Path:
    """Return the folder of a release.

    Raises:
        UserError: It is unknown on this machine, or no longer there.
    """
    known = _folders(settings).get(release, "")
    if not known or not Path(known).is_dir():
        raise UserError(
            f"The folder of the release {release[:12]} is not known on this machine.",
            hint="Start a new evaluation run and choose the release folder; answers are not requested again.",
        )
    return Path(known)


def _folders(settings: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode((settings / FILE).read_bytes(), type=dict[str, str])
    except (OSError, msgspec.MsgspecError):
        # A list of places that people choose again; without it no image is sent.
        return {}
