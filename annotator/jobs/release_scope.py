"""The items of a release folder as settings of an evaluation run."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import msgspec

from annotator.domain.eval_settings import EvaluationInput
from annotator.domain.item import Item
from annotator.domain.study import ReleaseScope
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.past_records import ReleasedRecords
from annotator.queries.reader import Reader
from annotator.release.manifest import MANIFEST, PICTURE_LIST, read_manifest
from annotator.scoring.released_items import ReleasedItems


def read_release_scope(reader: Reader, folder: Path, *, progress: Progress) -> ReleaseScope:
    """Return the items of a release folder that the project knows.

    Args:
        reader: The project that it was released from.
        folder: The release folder.
        progress: Counts files and records; may cancel.

    Raises:
        UserError: It is no release, has changed, is not in the log, or no item can be found.
        EnvironmentFailure: The disk refused.
        Cancelled: The user stopped it.
    """
    if not (folder / MANIFEST).is_file():
        raise UserError(f"{folder} is not a release folder.", hint="Choose the folder with manifest.json.")
    released = ReleasedItems.read(folder, progress=progress)
    manifest = read_manifest(folder)
    found = _found_items(reader, released, records=ReleasedRecords(reader, manifest.sha256))
    if not found:
        raise UserError(
            "The project has none of the items of this release.",
            hint="Open the project that it was released from.",
        )
    images = 0 if manifest.pictures is msgspec.UNSET else manifest.pictures.pictures
    lists = [file.sha256 for file in manifest.all_files if file.name == PICTURE_LIST] if images else []
    return ReleaseScope(
        given=EvaluationInput(release=manifest.sha256, release_images=lists[0] if lists else ""),
        items=tuple(found),
        images=images,
        unknown=len(released.items) - len(found),
    )


def _found_items(reader: Reader, released: ReleasedItems, *, records: ReleasedRecords) -> list[str]:
    """Return the ids of the items that were in the project when it was released."""
    by_name: dict[str, list[str]] = defaultdict(list)
    # Only the native format names items by their own ids.
    if not all(one.item.id for one in released.items):
        for item in reader.find(Item):
            by_name[item.name].append(item.id)
    found = []
    for one in released.items:
        ids = [one.item.id] if one.item.id else by_name.get(one.item.name, [])
        if len(ids) > 1:
            raise UserError(
                f"Several items of the project have the public id {one.item.name!r}.",
                hint="Evaluate a release in the native format, which names items by their own ids.",
            )
        found += ids
    return [item.id for item in records.records(Item, found)]
