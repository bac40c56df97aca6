"""Restores a backup: as a copy of its own beside the project."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from annotator.domain.backup import Backup
from annotator.errors import EnvironmentFailure
from annotator.store.backups import flush, partial_path


def restore_backup(backup: Backup, *, project: Path) -> Path:
    """Copy a backup into the project's folder under a new name and return the copy.

    The project itself is not changed. Paths of media files are relative to the folder, so they hold in the
    copy.

    Args:
        backup: One of ``list_backups``.
        project: The project file, which may be damaged.

    Raises:
        EnvironmentFailure: The copy cannot be written; it is deleted.
    """
    name = f"{project.stem}-restored-{backup.made_at.strftime('%Y%m%d-%H%M%S')}"
    partial = None
    try:
        target = next(path for path in _names(project.with_name(name)) if not path.exists())
        partial = partial_path(target)
        # No log is beside a backup (journal_mode=DELETE), so its bytes are all of it.
        shutil.copyfile(backup.path, partial)
        flush(partial)
        partial.replace(target)
    except OSError as error:
        if partial is not None:
            # The cause is reported. What stays is found again by ``delete_broken_off``.
            with suppress(OSError):
                partial.unlink(missing_ok=True)
        raise EnvironmentFailure(
            f"The backup could not be copied to {project.parent}: {error.strerror}.",
            hint="Copy the backup to a writable folder, together with the media files, and open it there.",
        ) from error
    return target


def _names(path: Path) -> Iterator[Path]:
    yield path.with_name(f"{path.name}.vantage")
    yield from (path.with_name(f"{path.name}-{number}.vantage") for number in itertools.count(2))
