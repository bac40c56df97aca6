"""The exchange folder: any sync program carries it, and each copy of a project has its own bundles in it.

A copy writes the file ``TITLE PERSON KEY.bundle`` and nobody else does; it is replaced as a whole when the
person has edited. Beyond ``PART_EVENTS`` events it stays as ``… KEY.1.bundle``, and the next one begins after
it. A copy writes what its person did, and what no other bundle has: whoever joins gets the whole log.
"""

from __future__ import annotations

import hashlib
import re
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from annotator.domain.record import new_id
from annotator.domain.signature import TrustedKey
from annotator.errors import EnvironmentFailure, UserError, VantageError
from annotator.exchange.merge_report import MergeOutcome, merge_bundles
from annotator.media.confirmed_folders import ConfirmedFolders
from annotator.media.file_names import file_name
from annotator.progress import Progress
from annotator.session import Session
from annotator.signing_keys import private_key_of, trusted_keys
from annotator.store.bundles.bundle_file import Manifest, read_manifest
from annotator.store.bundles.exchange import SUFFIX
from annotator.user_profile import config_folder

PART_EVENTS = 20_000
"""Events after which a bundle is not written again: it takes about a second."""
UNSOUND_AFTER_S = 120.0
"""A bundle that cannot be read and has not changed for so long is reported: no sync program is writing it."""
BACKUP_EVERY_S = 600.0
MOST_FILES = 10_000
_BUNDLE = re.compile(r"[^.~].*\.bundle( ?\(\d+\)|[.-]sync-conflict-[\w-]+)?", re.IGNORECASE)
"""Names of bundles, also those that sync programs and browsers make for a second file of the same name."""
Spans = dict[str, tuple[int, int]]
Stamp = tuple[int, int]
Listing = frozenset[tuple[Path, Stamp | None]]


@dataclass(frozen=True, kw_only=True)
class ExchangeReport:
    """What an exchange did.

    Attributes:
        outcome: What was merged.
        problems: Name, message and hint of bundles that cannot be merged; each is reported once.
        written: Events that were written for others.
        pending: Names of bundles that are not complete yet.
    """

    outcome: MergeOutcome = field(default_factory=MergeOutcome)
    problems: tuple[tuple[str, str, str], ...] = ()
    written: int = 0
    pending: tuple[str, ...] = ()


def exchange_folder_of(session: Session) -> Path | None:
    """Return the folder that the person has chosen for this copy of the project, None for none.

    Raises:
        UserError: The person's settings of this project are damaged.
    """
    folder = _choices(session).read().exchange
    return Path(folder) if folder else None


def choose_exchange_folder(session: Session, folder: Path | None) -> None:
    """Store the folder in the person's settings, None to end the exchange.

    Raises:
        UserError: There is no such folder.
        EnvironmentFailure: The settings cannot be written.
    """
    if folder is not None and not folder.is_dir():
        raise UserError(f"The folder {folder} does not exist.", hint="Choose another folder.")
    kept = _choices(session)
    before = kept.read()
    kept.write(
        msgspec.structs.replace(
            before,
            exchange=str(folder.resolve()) if folder is not None else "",
            exchange_copy=before.exchange_copy or new_id(),
        )
    )


def _choices(session: Session) -> ConfirmedFolders:
    project = session.reader.project.id
    return ConfirmedFolders.of_project(project, project=session.path, settings=config_folder())


@dataclass
class _FileState:
    """What is known of a file of the folder.

    Attributes:
        stamp: Size and time of writing at the last look.
        since: When it had that stamp first.
        is_done: Whether it needs no further look as long as it has that stamp.
        is_refused: Whether its merge was refused, perhaps because of its key.
        is_reported: Whether its problem was reported.
    """

    stamp: Stamp
    since: float
    is_done: bool = False
    is_refused: bool = False
    is_reported: bool = False


@dataclass
class _Look:
    """The bundles that are looked at in one exchange."""

    new: list[Path] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    problems: list[tuple[str, str, str]] = field(default_factory=list)


class ExchangeFolder:
    """Merges the bundles of others in a folder, and writes those of this copy."""

    def __init__(self, session: Session, folder: Path, *, is_patient: bool) -> None:
        """Create the object; nothing is read yet.

        Args:
            session: The project.
            folder: The folder.
            is_patient: Whether a bundle is merged only after it has not changed between two exchanges, and
                one that cannot be read is reported only after a while.
        """
        self.folder = folder
        self._session, self._is_patient = session, is_patient
        self._project = session.reader.project
        self._states: dict[Path, _FileState] = {}
        self._manifests: dict[Path, tuple[Stamp, Manifest]] = {}
        # The clock is monotonic and may begin at 0: the first merge makes a backup all the same.
        self._backed_up_at = -BACKUP_EVERY_S
        self._listing: Listing = frozenset()
        self._published: Listing = frozenset()
        self._is_calm = False
        self._trusted: tuple[TrustedKey, ...] = ()

    @property
    def needs_publishing(self) -> bool:
        """Whether the folder has changed since the last ``publish``, and nobody is writing in it now."""
        return self._is_calm and self._published != self._listing

    def exchange(self, *, progress: Progress) -> ExchangeReport:
        """Merge what is new in the folder, and write what is new here.

        Raises:
            UserError: The trusted keys cannot be read.
            EnvironmentFailure: The folder cannot be read or written.
            Cancelled: The user stopped it; what was merged before stays.
        """
        return replace(self.receive(progress=progress), written=self.publish(progress=progress))

    def receive(self, *, progress: Progress) -> ExchangeReport:
        """Merge what is new in the folder.

        Raises:
            UserError: The trusted keys cannot be read.
            EnvironmentFailure: The folder cannot be read.
            Cancelled: The user stopped it; what was merged before stays.
        """
        look, before = self._look(), self._listing
        self._listing = self._list()
        # A bundle that a sync program is replacing may be absent for a moment.
        self._is_calm = not self._is_patient or (self._listing == before and not look.pending)
        progress.raise_if_cancelled()
        outcome = self._merge(look.new, progress=progress) if look.new else MergeOutcome()
        return ExchangeReport(
            outcome=outcome,
            problems=(*look.problems, *self._first_time(outcome.problems)),
            pending=tuple(look.pending),
        )

    def publish(self, *, progress: Progress) -> int:
        """Write what this copy has and nobody else's bundle; returns the number of new events.

        Raises:
            EnvironmentFailure: The folder cannot be written.
            Cancelled: The user stopped it; the bundle before stays.
        """
        try:
            return self._publish(progress=progress)
        except OSError as error:
            raise EnvironmentFailure(
                f"The exchange folder {self.folder} cannot be written: {error.strerror or error}.",
                hint="Check its permissions and the free space, or choose another exchange folder.",
            ) from error

    def _publish(self, *, progress: Progress) -> int:
        manifests = self._readable()
        own = self._own(manifests)
        others = [found for path, found in manifests.items() if path not in own.values()]
        before = dict(manifests[own[0]].ranges) if 0 in own else {}
        parts = [manifests[path] for number, path in own.items() if number]
        next_part = max(own, default=0) + 1
        if 0 in own and self._is_ahead(before):
            # Of a copy that was restored from a backup, and nobody brought the events between yet.
            own[0].rename(self.folder / self._name(next_part))
            before, parts, next_part = {}, [*parts, manifests[own[0]]], next_part + 1
        spans = self._spans(before, parts=parts, others=others)
        self._published = self._listing
        is_new = spans != before
        return self._write(spans, before=before, number=next_part, progress=progress) if is_new else 0

    def _write(self, spans: Spans, *, before: Spans, number: int, progress: Progress) -> int:
        count, known = _events_of(spans), _events_of(before)
        target = self.folder / self._name(number if count > PART_EVENTS else 0)
        # Who has a key signs without being asked: nobody is there to ask.
        is_signed = private_key_of(self._session.actor.id) is not None
        self._session.export_bundle(target, spans=spans, is_signed=is_signed, progress=progress)
        if count > PART_EVENTS:
            # After the part is there: between the two, others find the events twice, which is harmless.
            (self.folder / self._name(0)).unlink(missing_ok=True)
        return max(0, count - known)

    def _is_ahead(self, spans: Spans) -> bool:
        heads = self._session.reader.log.heads()
        return any(last > heads.get(chain, 0) for chain, (_, last) in spans.items())

    def _spans(self, before: Spans, *, parts: list[Manifest], others: list[Manifest]) -> Spans:
        """Return what the own growing bundle has to have: what it has, and what is in no other one."""
        spans, reader, has_news = Spans(), self._session.reader, False
        for chain, last in reader.log.heads().items():
            known = self._known_by_others(chain, last, others=others)
            begin = _covered(chain, parts, known=known) + 1
            first, had = before.get(chain, (begin, 0))
            if self._is_calm:
                # What has left the folder since: a part that was deleted, or the bundle of another person.
                has_news, first = has_news or begin < first, min(first, begin)
            told = max(had, known)
            has_news = has_news or (last > told and reader.log.has_edits(chain, after=told))
            end = last if last > told else had
            if end >= first:
                spans[chain] = (first, end)
        # Merges alone are no news: copies would tell each other for ever. Later events name them, so: all.
        return spans if has_news else before

    def _known_by_others(self, chain: str, last: int, *, others: list[Manifest]) -> int:
        """Return the number up to which others' bundles have a chain; 0 for the person's own ones."""
        if chain.partition("/")[0] == self._session.actor.id:
            return 0
        if not self._is_calm:
            return last
        return _covered(chain, [one for one in others if self._is_true(one, chain, last=last)])

    def _is_true(self, manifest: Manifest, chain: str, *, last: int) -> bool:
        """Return whether what a bundle says of a chain agrees with the log, as far as that goes."""
        if chain not in manifest.ranges or chain not in manifest.ends:
            return False
        end = manifest.ranges[chain][1]
        return end > last or self._session.reader.log.holds_event(chain, end, manifest.ends[chain])

    def _merge(self, bundles: list[Path], *, progress: Progress) -> MergeOutcome:
        stamps = {path: _stamp(path) for path in bundles}
        is_backed_up = time.monotonic() - self._backed_up_at < BACKUP_EVERY_S
        outcome = merge_bundles(
            self._session, bundles, is_backed_up=is_backed_up, takes_media=False, progress=progress
        )
        if not is_backed_up and outcome.added:
            self._backed_up_at = time.monotonic()
        refused = {name for name, _, _ in outcome.problems}
        if not outcome.is_cancelled:
            for path, stamp in stamps.items():
                # One that was replaced meanwhile is looked at again.
                if stamp is not None and _stamp(path) == stamp and path in self._states:
                    state = self._states[path]
                    state.is_done, state.is_refused = True, path.name in refused
        progress.raise_if_cancelled()
        return outcome

    def _first_time(self, problems: tuple[tuple[str, str, str], ...]) -> Iterator[tuple[str, str, str]]:
        for name, message, hint in problems:
            state = self._states.get(self.folder / name)
            if state is None or not state.is_reported:
                if state is not None:
                    state.is_reported = True
                yield name, message, hint

    def _look(self) -> _Look:
        look, files, keys = _Look(), self._files(), trusted_keys()
        for gone in self._states.keys() - set(files):
            del self._states[gone]
        for state in self._states.values():
            state.is_done &= keys == self._trusted or not state.is_refused
        self._trusted = keys
        for path in files:
            # One that vanishes while it is looked at is found again at the next exchange, or not.
            with suppress(OSError):
                self._look_at(path, look)
        return look

    def _look_at(self, path: Path, look: _Look) -> None:
        stamp, now = _stamp(path), time.monotonic()
        state = self._state(path, stamp)
        if stamp is None or (state is not None and state.is_done):
            return
        if state is None:
            state = self._states[path] = _FileState(stamp=stamp, since=now)
            if self._is_patient:
                look.pending.append(path.name)
                return
        try:
            manifest = read_manifest(path)
        except VantageError as error:
            self._note_problem(path, state, look, error=error)
            return
        if manifest.project != self._project.id or self._holds(manifest):
            state.is_done = True
        else:
            look.new.append(path)

    def _state(self, path: Path, stamp: Stamp | None) -> _FileState | None:
        """Return what is known of a file with its present stamp, None for a new or changed one."""
        state = self._states.get(path)
        return state if state is not None and state.stamp == stamp else None

    def _note_problem(self, path: Path, state: _FileState, look: _Look, *, error: VantageError) -> None:
        is_late = time.monotonic() - state.since >= UNSOUND_AFTER_S
        if self._is_patient and not is_late:
            look.pending.append(path.name)
        elif not state.is_reported:
            state.is_reported = True
            look.problems.append((path.name, error.message, error.hint))

    def _holds(self, manifest: Manifest) -> bool:
        reader = self._session.reader
        return manifest.ranges.keys() == manifest.ends.keys() and all(
            reader.log.holds_event(chain, last, manifest.ends[chain])
            for chain, (_, last) in manifest.ranges.items()
        )

    def _manifest(self, path: Path) -> Manifest | None:
        """Return what a bundle of this project says of itself, None where it cannot be read."""
        stamp = _stamp(path)
        if stamp is None:
            return None
        if path not in self._manifests or self._manifests[path][0] != stamp:
            self._manifests.pop(path, None)
            with suppress(VantageError):
                self._manifests[path] = (stamp, read_manifest(path))
        found = self._manifests.get(path)
        return found[1] if found is not None and found[1].project == self._project.id else None

    def _readable(self) -> dict[Path, Manifest]:
        return {path: found for path in self._files() if (found := self._manifest(path)) is not None}

    def _files(self) -> list[Path]:
        try:
            found = [path for path in self.folder.iterdir() if _BUNDLE.fullmatch(path.name)]
        except OSError as error:
            raise EnvironmentFailure(
                f"The exchange folder {self.folder} cannot be read: {error.strerror}.",
                hint="Connect its disk or start its sync program, or choose another exchange folder.",
            ) from error
        return sorted(found)[:MOST_FILES]

    def _list(self) -> Listing:
        return frozenset((path, _stamp(path)) for path in self._files())

    def _key(self) -> str:
        copy = _choices(self._session).read().exchange_copy
        return hashlib.sha256(f"{copy}\n{self._session.actor.id}".encode()).hexdigest()[:10]

    def _part_of(self, path: Path) -> int | None:
        """Return the number of an own bundle, 0 for the one that grows, None for a bundle of others."""
        found = re.fullmatch(rf".*{self._key()}(?:\.(\d{{1,6}}))?{re.escape(SUFFIX)}", path.name)
        return int(found[1] or 0) if found else None

    def _own(self, paths: Iterable[Path]) -> dict[int, Path]:
        """Return the own bundles among some, by their numbers."""
        return {number: path for path in paths if (number := self._part_of(path)) is not None}

    def _name(self, number: int) -> str:
        for path in self._files():
            if self._part_of(path) == number:
                return path.name
        person = file_name(self._session.actor.name)[:40] or "person"
        title = file_name(self._project.title)[:40] or "project"
        part = f".{number}" if number else ""
        return f"{title} {person} {self._key()}{part}{SUFFIX}"


def _covered(chain: str, manifests: list[Manifest], *, known: int = 0) -> int:
    """Return the number up to which bundles have a chain, whose events up to ``known`` are elsewhere."""
    for first, last in sorted(one.ranges[chain] for one in manifests if chain in one.ranges):
        if first <= known + 1:
            known = max(known, last)
    return known


def _events_of(spans: Mapping[str, tuple[int, int]]) -> int:
    return sum(last - first + 1 for first, last in spans.values())


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    # A folder or a pipe of such a name is no bundle.
    return (found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None
