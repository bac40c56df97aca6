"""Writes bundles of a project, and merges bundles into it."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

import msgspec

from annotator.domain.record import ValueObject
from annotator.domain.signature import Sign, TrustedKey
from annotator.errors import EnvironmentFailure, UserError
from annotator.media.confirmed_folders import is_within
from annotator.progress import Progress
from annotator.store.bundles.bundle_file import (
    BundledEvent,
    BundleReader,
    Manifest,
    WriteMedia,
    WritePredictions,
    damaged,
    write_bundle,
)
from annotator.store.bundles.bundle_predictions import BundledPredictions
from annotator.store.bundles.merge import MergeCounts
from annotator.store.bundles.signers import SignatureState, signer_of, unsigned_people
from annotator.store.connection import Connection, IntegrityError, connect
from annotator.store.staged_rows import HORIZON
from annotator.store.verification import sealed_event_columns

CHUNK = 20_000
"""Events of one transaction: edits of the user wait for at most one."""
EVENTS = "SELECT {columns}, lower(hex(prev_hash)), lower(hex(hash)) FROM main.event WHERE n<{horizon} {order}"
CHAINS = f"SELECT actor, incarnation, max(seq) FROM main.event WHERE n<{HORIZON} GROUP BY 1, 2"
SPANS = f"""
WITH span AS (
    SELECT value ->> 0 AS of_actor, value ->> 1 AS opening, value ->> 2 AS first, value ->> 3 AS last
    FROM json_each(?)
)
SELECT {{columns}}, lower(hex(prev_hash)), lower(hex(hash))
FROM span CROSS JOIN main.event ON actor=of_actor AND incarnation=opening AND seq BETWEEN first AND last
WHERE n<{HORIZON} ORDER BY lamport, id
"""
"""Events of parts of chains, found without a look at all others."""
PEOPLE = "SELECT id, record ->> 'name' FROM actor"
SUFFIX = ".bundle"
T = TypeVar("T")
Merge = Callable[[list[BundledEvent], str], MergeCounts]
LastOf = Callable[[str], int]


class MergeReport(ValueObject, frozen=True, kw_only=True):
    """What came in with a bundle.

    Attributes:
        bundle: Name of the file.
        author: Who wrote it.
        added: Events that are new here.
        known: Events that were here already.
        waiting: Events that wait for others which no bundle has brought yet.
        missing: The first missing event of each chain, as ``actor/session_id`` and sequence number.
        newer: Events of a newer version of Vantage; they are kept and passed on.
        records: Number of records that the new events are about, by type.
        problem: Why the bundle was refused, "" if it was not.
        signature: Whether the author is proved, as in ``Signer``.
        set_back: Ids of accepted items whose content nobody has accepted, and which are refined again.
        unsigned: People of whom a key is trusted here, and whose new events came without their signature.
    """

    bundle: str
    author: str
    added: int = 0
    known: int = 0
    waiting: int = 0
    missing: tuple[tuple[str, int], ...] = ()
    newer: int = 0
    records: Mapping[str, int] = {}
    problem: str = ""
    signature: SignatureState = ""
    unsigned: tuple[str, ...] = ()
    set_back: tuple[str, ...] = ()


MergeOne = Callable[[Path], MergeReport]
"""Merges one bundle, with all that is the same for each."""


def export_bundle(
    project: Path,
    target: Path,
    *,
    manifest: Manifest,
    since: Path | None,
    write_media: WriteMedia | None = None,
    write_predictions: WritePredictions | None = None,
    progress: Progress,
    sign: Sign | None = None,
) -> Manifest:
    """Write the events of a project as a bundle.

    Args:
        project: The project file.
        target: The bundle.
        manifest: Project and author.
        since: An earlier bundle, whose events are left out; None for all events.
        write_media: As in ``write_bundle``.
        write_predictions: The same.
        progress: One step per event.
        sign: Returns the author's signature of a content, None for an unsigned bundle.

    Raises:
        UserError: The earlier bundle is of another project, or not sound.
        EnvironmentFailure: A file cannot be read or written.
        Cancelled: The user stopped it; no bundle is written.
    """
    known: dict[str, tuple[int, int]] = {}
    if since is not None:
        with BundleReader.open(since) as earlier:
            require_project(earlier, project=manifest.project)
            known = dict(earlier.manifest.ranges)
    connection = connect(project, read_only=True)
    try:
        # One state for events, people and the ends of chains; closing ends it.
        connection.execute("BEGIN")
        events = _events(connection, known=known, progress=progress)
        return write_bundle(
            target,
            events,
            manifest=_with_people(manifest, connection),
            write_media=write_media,
            write_predictions=write_predictions,
            sign=sign,
        )
    finally:
        connection.close()


def export_spans(
    project: Path,
    target: Path,
    *,
    manifest: Manifest,
    spans: Mapping[str, tuple[int, int]],
    progress: Progress,
    sign: Sign | None = None,
) -> Manifest:
    """Write parts of the log as a bundle.

    Args:
        project: The project file.
        target: The bundle.
        manifest: Project and author.
        spans: First and last sequence number of each ``actor/session_id``.
        progress: One step per event.
        sign: Returns the author's signature of a content, None for an unsigned bundle.

    Raises:
        EnvironmentFailure: A file cannot be read or written.
        Cancelled: The user stopped it; no bundle is written.
    """
    parts = [(*chain.split("/", 1), first, last) for chain, (first, last) in spans.items()]
    connection = connect(project, read_only=True)
    try:
        # One state for events, people and the ends of chains; closing ends it.
        connection.execute("BEGIN")
        select = SPANS.format(columns=sealed_event_columns(connection))
        rows = connection.execute(select, (msgspec.json.encode(parts).decode(),))
        progress.begin("Writing the bundle")
        events = (BundledEvent(*row) for row in _stepped(rows, progress=progress))
        return write_bundle(target, events, manifest=_with_people(manifest, connection), sign=sign)
    finally:
        connection.close()


def _stepped(rows: Iterable[T], *, progress: Progress) -> Iterator[T]:
    for row in rows:
        progress.step()
        yield row


def _with_people(manifest: Manifest, connection: Connection) -> Manifest:
    """Return a manifest that also says how far the log of this copy goes, and by whom."""
    seen = {f"{actor}/{session_id}": last for actor, session_id, last in connection.execute(CHAINS)}
    return msgspec.structs.replace(manifest, seen=seen, people=dict(connection.execute(PEOPLE)))


def _events(
    connection: Connection, *, known: dict[str, tuple[int, int]], progress: Progress
) -> Iterator[BundledEvent]:
    count = connection.execute(f"SELECT count(*) FROM main.event WHERE n<{HORIZON}").fetchone()[0]
    progress.begin("Writing the bundle", total=count)
    # By lamport number: an event comes after all that it has seen.
    columns = sealed_event_columns(connection)
    select = EVENTS.format(columns=columns, horizon=HORIZON, order="ORDER BY lamport, id")
    for row in connection.execute(select):
        progress.step()
        event = BundledEvent(*row)
        # Whoever merges an earlier bundle needs what comes before it anyway.
        _, last = known.get(f"{event.actor}/{event.session_id}", (1, 0))
        if event.seq > last:
            yield event
    progress.end()


def require_project(bundle: BundleReader, *, project: str) -> None:
    """Refuse a bundle of another project.

    Raises:
        UserError: It is one.
    """
    if bundle.manifest.project != project:
        raise UserError(
            f"{bundle.path.name} is a bundle of another project: {bundle.manifest.title}.",
            hint="Nothing was changed. Merge it into the project that it comes from, or into a copy of it.",
        )


def require_own(events: Sequence[BundledEvent], *, path: Path, project: str) -> None:
    """Refuse events about the record of another project, whatever the manifest says.

    Neither may a bundle set where the project has its media files.

    Raises:
        UserError: There is one.
    """
    if any(
        event.entity == "project" and (event.entity_id != project or event.field == "media_root")
        for event in events
    ):
        raise UserError(
            f"{path.name} has events of another project.",
            hint="The bundle was not written by Vantage. Do not merge it.",
        )


def is_merged(
    path: Path,
    *,
    project: str,
    holds: Callable[[str, int, str], bool],
    trusted: Sequence[TrustedKey] = (),
) -> MergeReport | None:
    """Return the report of a bundle whose events a project has already, None if it does not have all of them.

    Args:
        path: The bundle.
        project: Id of the project.
        holds: Whether the log has an event of a chain (``actor/session_id``), number and hash. The hash
            covers all events before it.
        trusted: Keys that prove who wrote a bundle.

    Raises:
        UserError: The bundle is not sound, is of another project, or its signature is not that of its author.
        EnvironmentFailure: The file cannot be read.
    """
    with BundleReader.open(path) as bundle:
        require_project(bundle, project=project)
        manifest = bundle.manifest
        signer = signer_of(manifest, path=path, trusted=trusted)
    count = sum(last - first + 1 for first, last in manifest.ranges.values())
    is_held = (
        manifest.events == count
        and manifest.ranges.keys() == manifest.ends.keys()
        and all(holds(chain, last, manifest.ends[chain]) for chain, (_, last) in manifest.ranges.items())
    )
    if not is_held:
        return None
    BundledPredictions(path, manifest).require_sound()
    return MergeReport(bundle=path.name, author=signer.name, known=manifest.events, signature=signer.state)


def merge_bundle(
    path: Path,
    *,
    project: str,
    merge: Merge,
    progress: Progress,
    trusted: Sequence[TrustedKey] = (),
    last_of: LastOf | None = None,
) -> MergeReport:
    """Merge one bundle.

    Args:
        path: The bundle.
        project: Id of the project.
        merge: Enters a chunk of events in one transaction; gets the name of the author too.
        progress: One step per event; a cancelled merge keeps what it has entered, and can be repeated.
        trusted: Keys that prove who wrote a bundle.
        last_of: Returns the last sequence number that the log has of a chain, 0 for none; None where the
            report need not name what events wait for.

    Raises:
        UserError: The bundle is not sound, is of another project, contradicts the log, or its signature is
            not that of its author.
        EnvironmentFailure: A file cannot be read or written.
        Cancelled: The user stopped it.
    """
    try:
        report, waiting, seen = _merge(path, project=project, merge=merge, progress=progress, trusted=trusted)
    # OverflowError: a number that no column of SQLite can hold.
    except (msgspec.MsgspecError, IntegrityError, OverflowError) as error:
        raise damaged(path, str(error)) from error
    missing = _missing(waiting, seen=seen, last_of=last_of) if waiting and last_of is not None else ()
    return msgspec.structs.replace(report, missing=missing)


def _merge(
    path: Path, *, project: str, merge: Merge, progress: Progress, trusted: Sequence[TrustedKey]
) -> tuple[MergeReport, list[BundledEvent], Mapping[str, int]]:
    """Return the report without what is missing, the events that wait, and what the author had seen."""
    total, counts = MergeCounts(), MergeCounts()
    with BundleReader.open(path) as bundle:
        require_project(bundle, project=project)
        signer = signer_of(bundle.manifest, path=path, trusted=trusted)
        BundledPredictions(path, bundle.manifest).require_sound()
        author = signer.name
        progress.begin("Merging the bundle", total=bundle.manifest.events)
        events = bundle.events()
        waiting: list[BundledEvent] = []
        # Read lazily: a bundle of a whole project does not fit in memory.
        while chunk := list(islice(events, CHUNK)):
            require_own(chunk, path=path, project=project)
            counts = merge([*waiting, *chunk], author)
            total.add(counts)
            waiting = counts.waiting
            progress.step(len(chunk))
        # An event may come before one that it needs where lamport numbers of an earlier version are equal.
        while waiting and counts.added:
            counts = merge(waiting, author)
            total.add(counts)
            waiting = counts.waiting
        progress.end()
    report = MergeReport(
        bundle=path.name,
        author=author,
        added=total.added,
        known=total.known,
        waiting=len(waiting),
        newer=total.newer,
        records={entity: len(ids) for entity, ids in sorted(total.ids.items())},
        signature=signer.state,
        set_back=tuple(sorted(total.set_back)),
        unsigned=unsigned_people((actor for actor, _ in total.ends), signer=signer, trusted=trusted),
    )
    return report, waiting, bundle.manifest.seen


def _missing(
    waiting: Sequence[BundledEvent], *, seen: Mapping[str, int], last_of: LastOf
) -> tuple[tuple[str, int], ...]:
    """Return the first event of each chain that waiting events need and the log lacks.

    Args:
        waiting: The events; one or more.
        seen: Last sequence number of each chain that the author of the bundle had.
        last_of: As in ``merge_bundle``.
    """
    first: dict[str, int] = {}
    for event in waiting:
        chain = f"{event.actor}/{event.session_id}"
        first[chain] = min(first.get(chain, event.seq), event.seq)
    last = {chain: last_of(chain) for chain in first}
    gaps = {chain: last[chain] + 1 for chain, seq in first.items() if seq > last[chain] + 1}
    if len(gaps) < len(first):
        # The next of its chain waits as well: for an event of another chain, which its author had.
        lacking = {chain: last_of(chain) + 1 for chain in seen.keys() - first.keys()}
        gaps |= {chain: seq for chain, seq in sorted(lacking.items()) if seq <= seen[chain]}
    return tuple(gaps.items())


def waiting_folder(project: Path) -> Path:
    """Return the folder of bundles whose events wait for others; it need not exist."""
    return project.with_name(project.stem + ".bundles")


def keep_waiting(project: Path, bundle: Path) -> None:
    """Keep a copy of a bundle until what it waits for has arrived.

    Raises:
        EnvironmentFailure: The folder is a link that leads out of the project's folder, or the disk refused.
    """
    folder = waiting_folder(project)
    if not is_within(folder, project.parent):
        raise EnvironmentFailure(
            f"The bundle could not be kept: {folder} is a link that leads to {folder.resolve()}.",
            hint="Replace the link by a folder, and merge the bundle again.",
        )
    try:
        _copy_into(folder, bundle)
    except OSError as error:
        raise EnvironmentFailure(
            f"The bundle could not be kept until what it waits for has arrived: {error.strerror or error}.",
            hint="Check free space and permissions of the project folder, and merge the bundle again.",
        ) from error


def _copy_into(folder: Path, bundle: Path) -> None:
    folder.mkdir(exist_ok=True)
    with bundle.open("rb") as source:
        # By content: a bundle that comes again, or under another name, is kept once.
        name = hashlib.file_digest(source, "sha256").hexdigest()[:32] + SUFFIX
    if (folder / name).exists():
        return
    partial = folder / f"{name}.partial"
    try:
        shutil.copyfile(bundle, partial)
        # For writing: Windows flushes no file that is open for reading.
        with partial.open("r+b") as written:
            os.fsync(written.fileno())
        partial.replace(folder / name)
    finally:
        partial.unlink(missing_ok=True)


def waiting_bundles(project: Path) -> list[Path]:
    """Return the bundles that wait, in order of their names; none behind a link that leads out."""
    folder = waiting_folder(project)
    return sorted(folder.glob(f"*{SUFFIX}")) if is_within(folder, project.parent) else []


def merge_bundles(
    project: Path,
    bundles: Sequence[Path],
    *,
    merge: MergeOne,
    is_known: Callable[[Path], MergeReport | None],
    back_up: Callable[[], None] | None,
) -> list[MergeReport]:
    """Merge bundles, then those that waited for their events.

    Args:
        project: The project file.
        bundles: The files. One that is not sound ends the merge if it is the only one.
        merge: Merges one of them.
        is_known: Returns the report of a bundle whose events are all there already.
        back_up: Called before the first new bundle; None for no backup.

    Raises:
        UserError: The only bundle is not sound, or is of another project.
    """
    reports: list[MergeReport] = []
    new: list[Path] = []
    for bundle in bundles:
        try:
            known = is_known(bundle)
        except UserError as error:
            if len(bundles) == 1:
                raise
            known = MergeReport(bundle=bundle.name, author="", problem=str(error))
        if known is None:
            new.append(bundle)
        else:
            reports.append(known)
    if not new:
        return reports
    if back_up is not None:
        back_up()
    for bundle in new:
        report = merge(bundle) if len(bundles) == 1 else merge_or_refuse(bundle, merge)
        reports.append(report)
        if report.waiting:
            keep_waiting(project, bundle)
    return reports + merge_waiting(project, merge)


def merge_or_refuse(bundle: Path, merge: MergeOne) -> MergeReport:
    """Merge one of several bundles; one that is refused is a report, so that the others are merged."""
    try:
        return merge(bundle)
    except UserError as error:
        return MergeReport(bundle=bundle.name, author="", problem=str(error))


def merge_waiting(project: Path, merge: MergeOne) -> list[MergeReport]:
    """Merge the bundles that waited, until none brings anything new."""
    reports: list[MergeReport] = []
    has_new = True
    # From the start again: one bundle can have what another one waits for.
    while has_new:
        has_new = False
        for waiting in waiting_bundles(project):
            report = merge_or_refuse(waiting, merge)
            if report.problem:
                # Under another name, so that it is not tried again with each merge.
                waiting.replace(waiting.with_suffix(".refused"))
            elif not report.waiting:
                waiting.unlink()
            if report.added or report.problem:
                has_new = True
                reports.append(report)
    return reports
