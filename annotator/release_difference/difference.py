"""What differs between two releases: items that are new, gone and changed, field by field."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.record import ValueObject
from annotator.progress import Progress
from annotator.release_difference.compared_release import ComparedItem, ComparedRelease, read_release

FIELDS = (
    "answer_key", "answer_format", "split", "subset", "images", "files", "media", "question", "options",
    "view", "task", "name", "scene", "state", "extras", "issue_classes", "provenance",
)  # fmt: skip
"""Compared fields, those first that change a score."""
ONLY_NATIVE = frozenset({"state", "issue_classes", "provenance"})
"""Fields that only the native format has."""
ONLY_SAME_FORMAT = frozenset({"scene", "extras", "task"})
"""Fields that formats have in part; between two formats a difference would say nothing about an item."""
NATIVE = "native"
STEP = 1_000
DIGEST_SHOWN = 12


class FieldChange(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """A field with another value.

    Attributes:
        field: Name of the field.
        old: The old value as text.
        new: The new value as text.
    """

    field: str
    old: str
    new: str


class ChangedItem(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """An item that is in both releases and is not the same.

    Attributes:
        name: Its public id in the new release.
        task: Its task there, ``set/task``.
        changes: What differs, in the order of ``FIELDS``.
    """

    name: str
    task: str
    changes: tuple[FieldChange, ...]


class SingleItem(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """An item of one of the releases.

    Attributes:
        name: Its public id.
        task: Its task, ``set/task``.
        why: Why the other release does not have it, "" if that is not known.
    """

    name: str
    task: str
    why: str = ""


class ReleaseSide(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """One of the releases.

    Attributes:
        path: Its folder or file.
        export_format: Id of its export format, "" for a published file.
        sha256: The release number, "" for a published file.
        items: Number of its items.
    """

    path: str
    export_format: str
    sha256: str
    items: int


class ReleaseDifference(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """The difference between two releases.

    Attributes:
        old: The one release.
        new: The other one.
        settings: Settings of the releases that differ.
        added: Items that only the new one has, in its order.
        removed: Items that only the old one has, in its order.
        changed: Items that differ, first those with another answer key.
        fields: Number of changed items by field.
        unchanged: Number of items that are equal.
        not_compared: Number of items whose answer key is hidden in one of the releases.
        unreadable: Number of records of both that cannot be read, which are not compared.
    """

    old: ReleaseSide
    new: ReleaseSide
    settings: tuple[FieldChange, ...]
    added: tuple[SingleItem, ...]
    removed: tuple[SingleItem, ...]
    changed: tuple[ChangedItem, ...]
    fields: Mapping[str, int]
    unchanged: int
    not_compared: int
    unreadable: int = 0

    @property
    def is_equal(self) -> bool:
        """Whether both have the same items with the same values."""
        return not (self.added or self.removed or self.changed)

    @property
    def has_equal_files(self) -> bool:
        """Whether the files with the records are the same, byte by byte."""
        return bool(self.old.sha256) and self.old.sha256 == self.new.sha256


def compare_folders(old: Path, new: Path, *, progress: Progress) -> ReleaseDifference:
    """Return the difference between two release folders, or published files of questions.

    Raises:
        UserError: One of them is neither, holds no items, or was changed since it was released.
        EnvironmentFailure: The disk refused.
        Cancelled: The user stopped it.
    """
    sides = [read_release(path, progress=progress) for path in (old, new)]
    return compare_releases(*sides, progress=progress)


def compare_releases(old: ComparedRelease, new: ComparedRelease, *, progress: Progress) -> ReleaseDifference:
    """Return the difference between two releases that were read.

    Raises:
        Cancelled: The user stopped it.
    """
    pairs, removed, added = _matched(old.items, new.items)
    fields = _compared_fields(old, new)
    changed = _changed_items(pairs, fields, progress=progress)
    counts = Counter(change.field for item in changed for change in item.changes)
    return ReleaseDifference(
        old=_side(old),
        new=_side(new),
        settings=tuple(_setting_changes(old, new)),
        added=tuple(_single(item, old.withheld) for item in added),
        removed=tuple(_single(item, new.withheld) for item in removed),
        # Stable: beside the first changed field, the order of the release is kept.
        changed=tuple(sorted(changed, key=lambda item: FIELDS.index(item.changes[0].field))),
        fields={field: counts[field] for field in FIELDS if counts[field]},
        unchanged=len(pairs) - len(changed),
        not_compared=sum(before.is_hidden or after.is_hidden for before, after in pairs),
        unreadable=old.unreadable + new.unreadable,
    )


def _changed_items(
    pairs: Sequence[tuple[ComparedItem, ComparedItem]], fields: Iterable[str], *, progress: Progress
) -> list[ChangedItem]:
    changed = []
    progress.begin("Comparing items", total=len(pairs))
    for number, (before, after) in enumerate(pairs, start=1):
        if changes := tuple(_changes(before, after, fields)):
            changed.append(ChangedItem(name=after.name, task=after.task, changes=changes))
        if number % STEP == 0:
            progress.step(STEP)
    progress.step(len(pairs) % STEP)
    progress.end()
    return changed


def _add_partners(
    partner: dict[int, int],
    old: Sequence[ComparedItem],
    new: Sequence[ComparedItem],
    *,
    identity: Callable[[ComparedItem], object],
) -> None:
    """Add the places of old items by those of new ones with the same identity, if both have no partner."""
    taken = {*partner.values()}
    known: dict[object, list[int]] = {}
    for at, item in enumerate(old):
        if at not in taken and identity(item):
            known.setdefault(identity(item), []).append(at)
    for at, item in enumerate(new):
        if at not in partner and (found := known.get(identity(item))):
            partner[at] = found.pop(0)


def _matched(
    old: Sequence[ComparedItem], new: Sequence[ComparedItem]
) -> tuple[list[tuple[ComparedItem, ComparedItem]], list[ComparedItem], list[ComparedItem]]:
    """Return the pairs of the same item, in the new order, and the items that are in one release alone."""
    partner: dict[int, int] = {}
    identities: tuple[Callable[[ComparedItem], object], ...] = (
        # Ids first: a public id can be given to another item.
        lambda item: item.id,
        lambda item: (item.task, item.name),
        lambda item: item.name,
    )
    for identity in identities:
        _add_partners(partner, old, new, identity=identity)
    taken = {*partner.values()}
    pairs = [(old[partner[at]], item) for at, item in enumerate(new) if at in partner]
    removed = [item for at, item in enumerate(old) if at not in taken]
    added = [item for at, item in enumerate(new) if at not in partner]
    return pairs, removed, added


def _compared_fields(old: ComparedRelease, new: ComparedRelease) -> tuple[str, ...]:
    formats = {old.export_format, new.export_format}
    left_out = frozenset[str]() if formats == {NATIVE} else ONLY_NATIVE
    if len(formats) > 1:
        left_out |= ONLY_SAME_FORMAT
    return tuple(field for field in FIELDS if field not in left_out)


def _changes(old: ComparedItem, new: ComparedItem, fields: Iterable[str]) -> Iterator[FieldChange]:
    for field in fields:
        if field not in old.values or field not in new.values:
            continue
        before, after = old.values[field], new.values[field]
        if before != after and not _is_same_media(field, before, after, fields):
            yield FieldChange(field=field, old=_text(field, before), new=_text(field, after))


def _is_same_media(field: str, old: Any, new: Any, fields: Iterable[str]) -> bool:  # noqa: ANN401 - values of any field
    """Return whether names of media differ only in the folders that one of two formats states."""
    if field != "media" or "extras" in fields:
        return False
    return [name.rpartition("/")[2] for name in old] == [name.rpartition("/")[2] for name in new]


def _text(field: str, value: Any) -> str:  # noqa: ANN401 - values of any field
    if isinstance(value, str):
        return value
    if field in {"images", "files"}:
        return "\n".join(_short_digest(line) for line in value)
    if isinstance(value, list):
        return "\n".join(map(str, value))
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _short_digest(line: str) -> str:
    name, _, digest = line.rpartition(" ")
    return f"{name} {digest[:DIGEST_SHOWN]}"


def _single(item: ComparedItem, withheld: Mapping[tuple[str, str], str]) -> SingleItem:
    return SingleItem(name=item.name, task=item.task, why=withheld.get((item.task, item.name), ""))


def _side(release: ComparedRelease) -> ReleaseSide:
    return ReleaseSide(
        path=str(release.path),
        export_format=release.export_format,
        sha256=release.manifest.sha256 if release.manifest is not None else "",
        items=len(release.items),
    )


def _setting_changes(old: ComparedRelease, new: ComparedRelease) -> Iterator[FieldChange]:
    before, after = _settings(old), _settings(new)
    for name in before:
        if before[name] != after[name]:
            yield FieldChange(field=name, old=before[name], new=after[name])


def _settings(release: ComparedRelease) -> dict[str, str]:
    """Return the settings of a release as texts."""
    manifest = release.manifest
    if manifest is None:
        names = ("selection", "include_flagged", "pictures", "shares", "seed", "hidden", "waived")
        return {"export_format": release.export_format} | dict.fromkeys(names, "")
    pictures, splits = manifest.pictures, manifest.splits
    hidden = splits.hidden.splits if splits and splits.hidden else ()
    waived = [gate.gate for gate in manifest.gates or () if gate.state == "waived"]
    return {
        "export_format": release.export_format,
        "selection": _json(manifest.selection),
        "include_flagged": str(manifest.include_flagged).lower(),
        "pictures": pictures.rendering if pictures else "",
        "shares": _json(splits.shares) if splits else "",
        "seed": str(splits.seed) if splits else "",
        "hidden": ", ".join(hidden),
        "waived": ", ".join(waived),
    }


def _json(value: Any) -> str:  # noqa: ANN401 - a struct or a dictionary
    return msgspec.json.encode(value, order="sorted").decode()
