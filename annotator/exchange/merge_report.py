"""Merges bundles, and reports what came in, what is missing and what forked."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from annotator.domain.actor import Actor
from annotator.domain.item import Item
from annotator.domain.record import Record
from annotator.domain.record_types import record_type
from annotator.domain.rows import Fork
from annotator.errors import Cancelled, UserError, VantageError
from annotator.exchange.media_exchange import ReceivedMedia, receive_media
from annotator.exchange.prediction_exchange import ReceivedPredictions, receive_predictions
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from annotator.store.backups import backup_folder
from annotator.store.bundles.bundle_file import Manifest, read_manifest
from annotator.store.bundles.exchange import SUFFIX, MergeReport, waiting_bundles

__all__ = [
    "SUFFIX",
    "MergeOutcome",
    "MissingEvents",
    "NamedFork",
    "merge_bundles",
    "named_forks",
    "names_set_back",
    "sound_bundles",
]

Received = TypeVar("Received")
Problem = tuple[str, str, str]
"""Name, message and hint of a bundle that was refused."""


@dataclass(frozen=True, kw_only=True)
class ReceivedRecords:
    """Records that somebody's new events are about.

    Attributes:
        person: Name of the person.
        entity: Record type.
        records: Number of records.
    """

    person: str
    entity: str
    records: int


@dataclass(frozen=True, kw_only=True)
class MissingEvents:
    """Events that the author of a bundle had, and that no bundle has brought yet.

    Attributes:
        person: Name of the person whose events they are.
        events: Their number.
    """

    person: str
    events: int


@dataclass(frozen=True, kw_only=True)
class NamedFork:
    """A fork, and the name of its record; its id where it has none."""

    name: str
    fork: Fork


@dataclass(frozen=True, kw_only=True)
class MergeOutcome:
    """What a merge of bundles did.

    Attributes:
        reports: One per bundle that was read; also of bundles that waited for these.
        received: The records that came in, per person and record type.
        missing: Events that are still missing, per person; none where nothing waits.
        forks: All forks of the project, also earlier ones.
        set_back: Names of accepted items that are refined again, because nobody has accepted their content.
        problems: Name, message and hint of bundles that were refused.
        is_cancelled: Whether the user stopped it; what was entered before stays.
        backup_folder: Name of the folder with the backup that was made before.
        media: What was taken of the media files, None where they were not looked at.
        predictions: What was taken of the predictions, None where they were not looked at.
    """

    reports: tuple[MergeReport, ...] = ()
    received: tuple[ReceivedRecords, ...] = ()
    missing: tuple[MissingEvents, ...] = ()
    forks: tuple[NamedFork, ...] = ()
    set_back: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_cancelled: bool = False
    backup_folder: str = ""
    media: ReceivedMedia | None = None
    predictions: ReceivedPredictions | None = None

    @property
    def added(self) -> int:
        """Number of events that are new here."""
        return sum(report.added for report in self.reports)

    @property
    def known(self) -> int:
        """Number of events that were here already."""
        return sum(report.known for report in self.reports)

    @property
    def waiting(self) -> int:
        """Number of events that wait for others."""
        return sum(report.waiting for report in self.reports)


def merge_bundles(
    session: Session,
    bundles: Sequence[Path],
    *,
    is_backed_up: bool = False,
    takes_media: bool = True,
    progress: Progress,
) -> MergeOutcome:
    """Merge bundles on the calling thread, and return what happened.

    A bundle that is refused is part of the outcome, like a cancelled merge.

    Args:
        session: The project.
        bundles: The files.
        is_backed_up: Whether there is a recent backup already; otherwise one is made before.
        takes_media: Whether media files that the bundles carry are taken too.
        progress: Counts events, then bytes.

    Raises:
        EnvironmentFailure: A file cannot be read or written; what was entered before stays.
    """
    manifests = list(_manifests([*bundles, *waiting_bundles(session.path)]))
    before = session.reader.log.heads()
    reports, problems, is_cancelled = _merge(session, bundles, is_backed_up=is_backed_up, progress=progress)
    sound = sound_bundles(bundles, reports)
    predictions, media = None, None
    if not is_cancelled:
        predictions, more, is_cancelled = _attempt(receive_predictions, session, sound, progress=progress)
        problems += more
    if takes_media and not is_cancelled:
        media, more, is_cancelled = _attempt(receive_media, session, sound, progress=progress)
        problems += more
    reader = session.reader
    return MergeOutcome(
        reports=tuple(report for report in reports if not report.problem),
        received=_received(reader, manifests, before=before),
        missing=_missing(reader, manifests) if waiting_bundles(session.path) else (),
        forks=named_forks(reader),
        set_back=names_set_back(reader, reports),
        problems=(*problems, *((one.bundle, one.problem, "") for one in reports if one.problem)),
        is_cancelled=is_cancelled,
        backup_folder=backup_folder(session.path).name,
        media=media,
        predictions=predictions,
    )


def sound_bundles(bundles: Iterable[Path], reports: Iterable[MergeReport]) -> list[Path]:
    """Return the bundles that a merge has not refused."""
    merged = {report.bundle for report in reports if not report.problem}
    return [bundle for bundle in bundles if bundle.name in merged]


def named_forks(reader: Reader) -> tuple[NamedFork, ...]:
    """Return all forks of a project with the names of their records."""
    return tuple(NamedFork(name=_name_of(reader, fork), fork=fork) for fork in reader.forks.all())


def names_set_back(reader: Reader, reports: Iterable[MergeReport]) -> tuple[str, ...]:
    """Return the names of accepted items that a merge has set to refined."""
    ids = sorted({item for report in reports for item in report.set_back})
    # A later bundle may have brought what somebody accepted.
    return tuple(item.name for item in reader.records(Item, ids=ids) if item.state == "refined")


def _merge(
    session: Session, bundles: Sequence[Path], *, is_backed_up: bool, progress: Progress
) -> tuple[list[MergeReport], list[Problem], bool]:
    try:
        merging = session.merge(*bundles, is_backed_up=is_backed_up, progress=progress)
        return merging.result(), [], False
    except Cancelled:
        return [], [], True
    except UserError as error:
        # Of the only bundle: with several, one that is refused has a report.
        return [], [(bundle.name, error.message, error.hint) for bundle in bundles], False


def _attempt(
    receive: Callable[..., Received], session: Session, bundles: Sequence[Path], *, progress: Progress
) -> tuple[Received | None, list[Problem], bool]:
    try:
        return receive(session, bundles, progress=progress), [], False
    except Cancelled:
        return None, [], True
    except VantageError as error:
        # The events are merged all the same.
        return None, [(", ".join(bundle.name for bundle in bundles), error.message, error.hint)], False


def _manifests(bundles: Iterable[Path]) -> Iterable[Manifest]:
    for bundle in bundles:
        # The merge says what is wrong with it.
        with suppress(VantageError):
            yield read_manifest(bundle)


def _received(
    reader: Reader, manifests: list[Manifest], *, before: Mapping[str, int]
) -> tuple[ReceivedRecords, ...]:
    # By sequence numbers of the bundles: what was edited here meanwhile is not counted.
    lasts: Counter[str] = Counter()
    for manifest in manifests:
        lasts |= Counter({chain: last for chain, (_, last) in manifest.ranges.items()})
    spans = [(chain, before.get(chain, 0) + 1, last) for chain, last in lasts.items()]
    counts = reader.log.records_in([span for span in spans if span[1] <= span[2]])
    people = _people(reader, manifests)
    rows = [
        ReceivedRecords(person=people.get(actor, actor), entity=entity, records=count)
        for actor, entity, count in counts
        # Each command enters a record about itself.
        if entity != "command"
    ]
    return tuple(sorted(rows, key=lambda row: (row.person, row.entity)))


def _missing(reader: Reader, manifests: list[Manifest]) -> tuple[MissingEvents, ...]:
    here, people = reader.log.heads(), _people(reader, manifests)
    counts: dict[str, int] = defaultdict(int)
    for chain in {chain for manifest in manifests for chain in manifest.seen}:
        last = max(manifest.seen.get(chain, 0) for manifest in manifests)
        # What the bundles bring themselves waits, and is not missing.
        spans = [manifest.ranges[chain] for manifest in manifests if chain in manifest.ranges]
        actor = chain.partition("/")[0]
        counts[people.get(actor, actor)] += _uncovered(here.get(chain, 0) + 1, last, spans=spans)
    return tuple(MissingEvents(person=name, events=count) for name, count in sorted(counts.items()) if count)


def _uncovered(first: int, last: int, *, spans: list[tuple[int, int]]) -> int:
    """Return how many numbers of a range no span has."""
    count = 0
    for start, end in [*sorted(spans), (last + 1, last)]:
        count += max(0, min(start, last + 1) - first)
        first = max(first, end + 1)
    return count


def _people(reader: Reader, manifests: list[Manifest]) -> dict[str, str]:
    named = {actor: name for manifest in manifests for actor, name in manifest.people.items()}
    return named | {actor.id: actor.name for actor in reader.records(Actor)}


def _name_of(reader: Reader, fork: Fork) -> str:
    try:
        record: Record | None = reader.get(record_type(fork.entity), fork.entity_id)
    except KeyError:
        # A record type of a newer version.
        record = None
    return str(getattr(record, "name", "") or fork.entity_id)
