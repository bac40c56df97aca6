"""Does, undoes and redoes commands, each in one transaction."""

from __future__ import annotations

import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from annotator.command_summary import CommandSummary
from annotator.domain.accepted_content import FIELDS
from annotator.domain.actor import Actor
from annotator.domain.changes import MAX_IDS, Changes
from annotator.domain.command import CommandRecord
from annotator.domain.event import CREATED, Edit, ForkResolution, StateRestoration
from annotator.domain.record import new_id, to_json
from annotator.errors import UserError
from annotator.queries.reader import Reader
from annotator.store.acceptance import AcceptanceGate
from annotator.store.accepted_content import AcceptedContent, refined_again
from annotator.store.bundles.bundle_file import BundledEvent
from annotator.store.bundles.merge import MergeCounts, Merger, merge_record
from annotator.store.connection import convert_disk_errors, file_identity, require_same_file, transaction
from annotator.store.file_identity import FileIdentity
from annotator.store.foreign_changes import ForeignChanges
from annotator.store.hidden_guard import refusing_hidden
from annotator.store.log import EventLog, LogCursor
from annotator.store.session_id import new_session_id
from annotator.store.staging import Stage
from annotator.writing.undo import redoing_edits, undoing_edits

if TYPE_CHECKING:
    from pathlib import Path

    from annotator.progress import Progress
    from annotator.store.connection import Connection

ACCEPTED = to_json("accepted")


class Plan(Protocol):
    """What the writer needs of a command; ``annotator.commands.command.Command`` is one."""

    @property
    def summary(self) -> CommandSummary:
        """What it does."""

    @property
    def details(self) -> dict[str, Any]:
        """Further values for the log (JSON)."""

    @property
    def merge_key(self) -> str:
        """Key of the gesture that the command continues, "" for a separate undo step."""

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the edits."""


@dataclass
class _Touched:
    """Ids and fields that a command's edits name, per kind of record."""

    ids: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    fields: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def note(self, edit: Edit) -> None:
        """Count an edit that is written."""
        self.ids[edit.entity].add(edit.entity_id)
        self.fields[edit.entity].add(edit.field)


@dataclass
class _States:
    """Ids of the items that a command's edits accept or change, and of those that get a value of before."""

    accepted: set[str] = field(default_factory=set)
    edited: set[str] = field(default_factory=set)
    restored: set[str] = field(default_factory=set)

    def note(self, edit: Edit) -> None:
        """Count an edit that is written."""
        if edit.entity != "item":
            return
        if isinstance(edit, ForkResolution | StateRestoration):
            self.restored.add(edit.entity_id)
        elif edit.field in FIELDS:
            self.edited.add(edit.entity_id)
        if edit.field == "state":
            # Redo and the choice of a fork's value give the JSON text.
            is_accepted = to_json(edit.value) == ACCEPTED and not isinstance(edit, StateRestoration)
            (self.accepted.add if is_accepted else self.accepted.discard)(edit.entity_id)


@dataclass(frozen=True)
class _Gesture:
    """The gesture that the last command was a part of, and the command that it belongs to."""

    key: str = ""
    command: str = ""


@dataclass(frozen=True)
class Origin:
    """Who asked for a command, fixed when it is asked for.

    Attributes:
        actor: Who it is recorded as.
        initiator: Passed on in the changes, None for nobody.
    """

    actor: Actor
    initiator: object = None


class Writer:
    """The only writer of an open project; used on the writing thread alone, but for ``introduce``."""

    def __init__(self, connection: Connection, *, path: Path, actor: Actor, machine: str = "") -> None:
        self._connection = connection
        self._actor = actor
        """Who the open transaction is by."""
        self._introduced = {actor.id: actor}
        self._machine = machine
        self._session_id = new_session_id(machine)
        self._log = EventLog(connection)
        self._gesture = _Gesture()
        self._others = ForeignChanges(connection)
        self._changed_elsewhere: Changes | None = None
        # Commands plan over a second connection, which does not see the edits of the open transaction.
        self._reader = Reader.open(path)

    def close(self) -> None:
        """Close the planning connection; the caller closes the writing one."""
        self._reader.close()

    def introduce(self, actor: Actor) -> None:
        """Record a person by this name from now on, also with commands that were asked for before."""
        self._introduced[actor.id] = actor

    def take_foreign_changes(self) -> Changes | None:
        """Return what others have changed since the last call, as far as it is known; None for nothing."""
        changes, self._changed_elsewhere = self._changed_elsewhere, None
        return changes

    @property
    def file(self) -> FileIdentity:
        """The file that it writes."""
        return file_identity(self._connection)

    def look_for_foreign_changes(self) -> None:
        """Ask the file whether others have changed something; a few microseconds if they have not.

        Raises:
            ReplacedFileError: The path does not lead to the open file any more.
            EnvironmentFailure: The file cannot be read.
        """
        with convert_disk_errors():
            require_same_file(self._connection)
            if self._others.has_news():
                self._note_foreign_changes()

    def execute(self, command: Plan, *, origin: Origin, progress: Progress) -> Changes:
        """Run a command's plan and commit it.

        Raises:
            UserError: The command refuses, or an edit does not fit; nothing was written.
            Cancelled: The user stopped it; nothing was written.
            EnvironmentFailure: The disk refused; nothing was written.
        """
        with self._transaction(origin.actor):
            continued = self._continued(command)
            record = continued or record_of(command)
            edits = command.plan(self._reader, progress=progress)
            touched = self._append(record, edits, is_continued=continued is not None)
        # Only now: a command that was refused is continued by nothing.
        self._gesture = _Gesture(key=command.merge_key, command=record.id)
        return _changes(record, touched, initiator=origin.initiator)

    def publish(
        self,
        stage: Stage,
        record: CommandRecord,
        *,
        require_current: Callable[[Reader], None],
        origin: Origin,
    ) -> Changes:
        """Make a staged entry visible as one command, in one transaction.

        Args:
            stage: The completely written entry.
            record: The command's record; its id is that of the staged events.
            require_current: Raises if the project has changed in a way that invalidates the entry.
            origin: Who asked for it.

        Raises:
            StagingError: Another process deleted the entry; nothing was written.
            UserError: An edit does not fit, or what ``require_current`` raises; nothing was written.
            EnvironmentFailure: The disk is full or not accessible; nothing was written.
        """
        with self._transaction(origin.actor, is_publishing=True):
            # Checked before anything is written. Settled last: its figures count the edits in between.
            require_current(self._reader)
            before = LogCursor.read(self._connection, actor=self._actor.id, session_id=self._session_id)
            stage.publish(self._connection)
            touched = self._append(
                record, iter(stage.others), is_staged=bool(stage.counts), lamport=before.lamport
            )
            stage.settle(self._connection)
        changes = _changes(record, touched, initiator=origin.initiator)
        return _with_staged(changes, stage) if changes.command else changes

    def merge(
        self, events: Sequence[BundledEvent], *, author: str, actor: Actor
    ) -> tuple[MergeCounts, Changes]:
        """Enter events of a bundle in one transaction, with a record of the merge at their end.

        Args:
            events: In the order of their lamport numbers.
            author: Who wrote the bundle, for the history.
            actor: Who merges it.

        Raises:
            UserError: An event contradicts one of the log; nothing was written.
            EnvironmentFailure: The disk refused; nothing was written.
        """
        with self._transaction(actor):
            before = LogCursor.read(self._connection, actor=self._actor.id, session_id=self._session_id)
            counts = Merger(self._connection).merge(events)
            if not counts.added:
                return counts, Changes(label="", initiator=None)
            record = merge_record(counts, author=author)
            touched = _Touched()
            touched.ids.update({entity: set(ids) for entity, ids in counts.ids.items()})
            touched.fields.update({entity: set(names) for entity, names in counts.fields.items()})
            chain = LogCursor.read(self._connection, actor=self._actor.id, session_id=self._session_id)
            # The last event in the file has the largest lamport number; merged ones may have smaller ones.
            chain.lamport = max(before.lamport, *(event.lamport for event in events))
            if self._actor.id not in counts.ids.get("actor", ()):
                self._record_actor(chain)
            made = Edit(entity="command", entity_id=record.id, field=CREATED, value=record)
            # What is done from now on has seen the merged events, and waits for them on other workstations.
            ends = tuple(counts.ends.values())
            for edit in self._log.append([made], chain=chain, command=record.id, seen=ends):
                touched.note(edit)
            content = AcceptedContent(self._connection, command=record.id)
            changed = content.changed_by_merge(counts.ids.get("item", ()), counts.ids.get("command", ()))
            for edit in self._log.append(refined_again(changed), chain=chain, command=record.id):
                touched.note(edit)
            counts.set_back.update(changed)
        # The record of the merge stands between two edits: one command cannot span it.
        self._gesture = _Gesture()
        return counts, _changes(record, touched, initiator=None)

    def next_reversal(self, direction: Literal["undo", "redo"], *, actor: Actor) -> CommandRecord | None:
        """Return the command of a person on this machine that undo or redo would reverse, or None."""
        if direction == "undo":
            return self._reader.log.next_undo(actor.id, machine=self._machine)
        return self._reader.log.next_redo(actor.id, machine=self._machine)

    def event_count(self, command: CommandRecord) -> int:
        """Return the number of events of a command."""
        return self._reader.log.event_count(command.id)

    def reverse(
        self, direction: Literal["undo", "redo"], *, origin: Origin, progress: Progress, only: str = ""
    ) -> Changes:
        """Undo or redo a command in one transaction.

        Args:
            direction: Undo the newest command that is not undone yet, or redo the one undone last.
            origin: Who asks for it; only commands of this person are reversed.
            progress: One step per event.
            only: Id of the only command that may be reversed, "" for any.

        Raises:
            UserError: There is no such command, or another actor changed the same field since.
        """
        with self._transaction(origin.actor):
            # Looked up under the lock: what the caller has seen may have been reversed by another process.
            target = self.next_reversal(direction, actor=origin.actor)
            if target is None:
                raise UserError(f"There is nothing to {direction}.")
            require_target(target, only=only, direction=direction)
            record = inverse_of(target, kind=direction)
            edits = undoing_edits if direction == "undo" else redoing_edits
            plan = edits(self._reader, target.id, machine=self._machine, progress=progress)
            touched = self._append(record, plan)
        return _changes(record, touched, initiator=origin.initiator)

    @contextmanager
    def _transaction(self, actor: Actor, *, is_publishing: bool = False) -> Iterator[None]:
        """Open a transaction, with a snapshot for the plan; what others did before it is noted.

        Args:
            actor: Who it is by.
            is_publishing: Whether it publishes the entry that hides rows, and so may change them.
        """
        self._actor = self._introduced.get(actor.id, actor)
        # Lock first, then snapshot: another process could write between a snapshot and the lock.
        with transaction(self._connection), self._reader.snapshot():
            self._note_foreign_changes()
            with nullcontext() if is_publishing else refusing_hidden(self._connection):
                yield
            self._others.skip()

    def _note_foreign_changes(self) -> None:
        found, before = self._others.collect(), self._changed_elsewhere
        if found is not None:
            self._changed_elsewhere = found if before is None else before.merged(found)

    def _continued(self, command: Plan) -> CommandRecord | None:
        """Return the record of the command that this one continues, or None."""
        if not command.merge_key or command.merge_key != self._gesture.key:
            return None
        newest = self.next_reversal("undo", actor=self._actor)
        # After an undo, or another command of this person in another program, a new step begins.
        return newest if newest is not None and newest.id == self._gesture.command else None

    def _append(
        self,
        record: CommandRecord,
        edits: Iterator[Edit],
        *,
        is_staged: bool = False,
        is_continued: bool = False,
        lamport: int = 0,
    ) -> _Touched:
        """Write the command's own record and its edits; nothing at all where it has none, staged or here.

        Args:
            record: The command.
            edits: Its edits.
            is_staged: Whether it has staged events.
            is_continued: Whether its record is in the log.
            lamport: Largest lamport number so far, where the last event in the file may have a smaller one.
        """
        touched = _Touched()
        # A plan can raise when its first edit is requested, and a command without edits must not be recorded.
        first = next(edits, None)
        if first is None and not is_staged:
            return touched
        chain = LogCursor.read(self._connection, actor=self._actor.id, session_id=self._session_id)
        # Events that were merged while others were staged may have larger numbers than the staged ones.
        chain.lamport = max(chain.lamport, lamport)
        is_actor_new = self._record_actor(chain)
        made = Edit(entity="command", entity_id=record.id, field=CREATED, value=record)
        head = [] if is_continued else [made]
        all_edits: Iterator[Edit] = itertools.chain(head, [] if first is None else [first], edits)
        if is_actor_new:
            # The plan does not see the open transaction, and can add the person who executes it as well.
            all_edits = itertools.filterfalse(self._adds_actor, all_edits)
        states = _States()
        for edit in self._log.append(all_edits, chain=chain, command=record.id):
            touched.note(edit)
            states.note(edit)
        for edit in self._log.append(self._settled(record, states), chain=chain, command=record.id):
            touched.note(edit)
        return touched

    def _settled(self, record: CommandRecord, states: _States) -> list[Edit]:
        """Return what a command's edits entail: items that have to be accepted again, and what was accepted.

        Raises:
            UserError: An item cannot be accepted.
        """
        gate = AcceptanceGate(self._connection, actor=self._actor.id, command=record.id)
        restored = states.restored
        if record.kind in {"undo", "redo"}:
            restored = gate.reversed_items()
        if record.kind == "undo":
            restored |= states.accepted
        elif states.accepted:
            gate.require(states.accepted)
        if record.kind == "redo":
            gate.require_same(states.accepted)
        lapsed = gate.lapsed(restored) if restored else []
        settled = list(refined_again(lapsed))
        valid = states.accepted - {*lapsed}
        if record.kind == "do" and states.edited:
            valid |= {*gate.content.accepted(states.edited)} - {*lapsed}
        if valid:
            digests = gate.content.digests(valid)
            settled.append(Edit(entity="command", entity_id=record.id, field="accepted", value=digests))
        return settled

    def _record_actor(self, chain: LogCursor) -> bool:
        """Record the person, or the new name; return whether the project lacked the person."""
        known = self._reader.get(Actor, self._actor.id)
        if known == self._actor:
            return False
        if known is None:
            edit = Edit(entity="actor", entity_id=self._actor.id, field=CREATED, value=self._actor)
        else:
            # A person's own statement: it also ends a fork of names that two machines gave.
            edit = ForkResolution(
                entity="actor", entity_id=self._actor.id, field="name", value=self._actor.name
            )
        for _ in self._log.append([edit], chain=chain, command=""):
            pass
        return known is None

    def _adds_actor(self, edit: Edit) -> bool:
        return (edit.entity, edit.entity_id, edit.field) == ("actor", self._actor.id, CREATED)


def require_target(target: CommandRecord, *, only: str, direction: Literal["undo", "redo"]) -> None:
    """Refuse to reverse another command than the one that was shown.

    Args:
        target: The command that would be reversed now.
        only: Id of the command that was shown, "" for any.
        direction: Undo or redo.

    Raises:
        UserError: It is another one: this person has worked in another window, or on the command line.
    """
    if only not in ("", target.id):
        raise UserError(
            f"The next {direction} is now a different one: {target.summary}.",
            hint=f"The project was changed elsewhere under your name. Repeat the {direction} to do this.",
        )


def inverse_of(target: CommandRecord, *, kind: Literal["undo", "redo"]) -> CommandRecord:
    """Return the log's record of the undo or redo of a command."""
    return CommandRecord(
        id=new_id(), code=target.code, parameters=target.parameters, kind=kind, target=target.id
    )


def record_of(command: Plan) -> CommandRecord:
    """Return the log's record of a command that is done now."""
    summary = command.summary
    return CommandRecord(
        id=new_id(),
        code=summary.code,
        parameters=dict(summary.parameters),
        name=type(command).__name__,
        details=command.details,
    )


def _with_staged(changes: Changes, stage: Stage) -> Changes:
    """Return what a command changed together with what was staged for it."""
    ids, fields, counts = dict(changes.ids), dict(changes.fields), dict(changes.counts)
    for entity, staged in stage.ids.items():
        known = ids.get(entity, frozenset())
        both = None if staged is None or known is None else known | staged
        ids[entity] = None if both is None or len(both) > MAX_IDS else both
        counts[entity] = counts.get(entity, 0) + stage.counts[entity]
        fields[entity] = fields.get(entity, frozenset()) | {CREATED}
    return replace(changes, ids=ids, fields=fields, counts=counts)


def _changes(record: CommandRecord, touched: _Touched, *, initiator: object) -> Changes:
    if not touched.ids:
        return Changes(label=str(record.summary), initiator=initiator)
    return Changes(
        command=record.id,
        label=str(record.summary),
        kind=record.kind,
        initiator=initiator,
        ids={entity: frozenset(ids) if len(ids) <= MAX_IDS else None for entity, ids in touched.ids.items()},
        fields={entity: frozenset(fields) for entity, fields in touched.fields.items()},
        counts={entity: len(ids) for entity, ids in touched.ids.items()},
        saved_at=time.time(),
    )
