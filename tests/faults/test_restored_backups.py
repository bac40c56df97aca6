"""A backup is made while somebody edits; the project is damaged, and the backup restored."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

from annotator.domain.item import Item
from annotator.errors import VantageError
from annotator.project_recovery import explain_failure
from annotator.session import Session
from tests.faults.fault_rows import FaultRow, Trials, fault_row, trials
from tests.faults.test_flips import flip_byte
from tests.patience import wait_until
from tests.unit.store.making import ANNA, BEN, an_item, created, problems, write

Damage = Callable[[Path, random.Random], object]
DAMAGES: tuple[Damage, ...] = (
    lambda path, _chance: path.unlink(),
    lambda path, _chance: path.write_bytes(b"no project at all"),
    lambda path, _chance: os.truncate(path, path.stat().st_size // 2),
    lambda path, chance: [flip_byte(path, chance) for _ in range(500)],
)


class Editor:
    """Adds one item after another in a session of its own."""

    def __init__(self, path: Path) -> None:
        self.saved = 0
        self._path, self._is_over = path, Event()
        self._thread = Thread(target=self._edit)

    def _edit(self) -> None:
        with Session.open(self._path, actor=BEN) as session:
            while not self._is_over.is_set():
                write(session, created("item", an_item(name=f"{self.saved}")))
                self.saved += 1

    def __enter__(self) -> Editor:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._is_over.set()
        self._thread.join()


def back_up_and_restore(path: Path, damage: Damage, row: FaultRow, *, chance: random.Random) -> None:
    """Make a backup during edits, damage the project, and note what is not in the restored copy."""
    Session.create(path, actor=ANNA).close()
    with Session.open(path, actor=ANNA) as session, Editor(path) as editor:
        at = chance.randint(1, 9)
        wait_until(lambda: editor.saved >= at, poll_s=0.001)
        least = editor.saved
        session.backup(reason="timer")
        # One more may be in it that its thread has not been told of.
        most = editor.saved + 1
    damage(path, chance)
    failure = explain_failure(path, VantageError("It is damaged."))
    (backup,) = failure.backups
    restored = failure.restore(backup)
    with Session.open(restored) as session:
        names = sorted(int(item.name) for item in session.reader.records(Item))
        write(session, created("item", an_item(name="goes on")))
    row.expect(names == list(range(len(names))), f"items {names}")
    row.expect(least <= len(names) <= most, f"{len(names)} items, saved were {least} to {most}")
    row.faults.extend(problems(restored))
    row.add("items in restored projects", len(names))


@trials(quick=1, short=20, full=200, limit_s=15)
def test_backup_when_made_during_edits_and_restored_after_damage_then_has_each_edit_before_it(
    tmp_path: Path, trials: Trials
) -> None:
    chance = random.Random(trials.count)
    fault = "A project is damaged or deleted, and its backup, made during edits, is restored"
    with fault_row(fault, test=__file__, trials=trials) as row:
        for number in trials:
            path = tmp_path / f"{number}" / "p.vantage"
            path.parent.mkdir()
            back_up_and_restore(path, DAMAGES[number % len(DAMAGES)], row, chance=chance)
            row.tried += 1
