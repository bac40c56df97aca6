"""Workstations that exchange bundles in any order, with loss, repeats and a clone, agree in the end."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from annotator.commands.forks import ResolveFork
from annotator.domain.item import Item
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.verification import verify_project
from tests.unit.store.bundles.workstations import Workstation, item, joined
from tests.unit.store.making import changed, write

UNDO_REFUSED = re.compile("nothing to undo|in the meantime|Two workstations have changed")
ACCEPTANCE_REFUSED = re.compile("cannot be accepted|Two workstations have changed")
PEOPLE = ("ann", "bob", "cid", "clone")
WHO = st.integers(0, len(PEOPLE) - 1)


class Exchange:
    """Four copies and the bundles on their way."""

    def __init__(self, folder: Path) -> None:
        self.stations = joined(folder, *PEOPLE)
        self.clone_ann()
        self.bundles: list[Path] = []

    def clone_ann(self) -> None:
        """Make the last workstation a copy of the first one's files, with the same person."""
        ann, clone = self.stations[0], self.stations[-1]
        shutil.copy(ann.path, clone.path)
        clone.actor = ann.actor

    def add(self, who: int) -> None:
        """Add an item."""
        self.stations[who].add(item(f"item of {PEOPLE[who]}"))

    def ask(self, who: int, which: int, text: str) -> None:
        """Give an item another question; a forked one keeps its values."""
        station = self.stations[who]
        items = sorted(there for there, (removed, _) in station.content()["item"].items() if not removed)
        if items:
            try:
                station.ask(items[which % len(items)], text)
            except UserError as error:
                assert "Two workstations have changed" in error.message  # noqa: PT017 - only this one

    def accept(self, who: int, which: int) -> None:
        """Accept an item; one that is forked, or written by the same person, is not."""
        station = self.stations[who]
        items = sorted(there for there, (removed, _) in station.content()["item"].items() if not removed)
        if items:
            with station.open() as session:
                try:
                    write(session, *changed("item", items[which % len(items)], state="accepted"))
                except UserError as error:
                    assert ACCEPTANCE_REFUSED.search(error.message)  # noqa: PT017 - only these

    def send(self, who: int, *, is_part: bool) -> None:
        """Write a bundle, of all events or of those since an earlier bundle."""
        since = self.bundles[-1] if is_part and self.bundles else None
        self.bundles.append(self.stations[who].bundle(since=since))

    def receive(self, who: int, which: int) -> None:
        """Merge any bundle, once more or for the first time."""
        if self.bundles:
            self.stations[who].merge(self.bundles[which % len(self.bundles)])

    def choose(self, who: int, which: int) -> None:
        """Resolve a fork."""
        with self.stations[who].open() as session:
            forks = session.reader.forks.all()
            if forks:
                fork = forks[which % len(forks)]
                event = fork.values[which % len(fork.values)].event
                choice = ResolveFork(entity_id=fork.entity_id, field=fork.field, event=event)
                session.execute(choice).result()

    def undo(self, who: int) -> None:
        """Undo a person's newest command, a choice of a fork included; what others changed since is kept."""
        with self.stations[who].open() as session:
            try:
                session.undo().result()
            except UserError as error:
                assert UNDO_REFUSED.search(error.message)  # noqa: PT017 - only these

    def exchange_all(self) -> None:
        """Send everything to everybody."""
        for _ in range(2):
            bundles = [station.bundle() for station in self.stations]
            for station in self.stations:
                station.merge(*bundles)

    def require_agreement(self) -> None:
        """Compare all copies, and verify them."""
        contents = [station.content() for station in self.stations]
        assert all(content == contents[0] for content in contents[1:])
        forks = [self._forks(station) for station in self.stations]
        assert all(found == forks[0] for found in forks[1:])
        for station in self.stations:
            assert list(verify_project(station.path, progress=Progress())) == []

    @staticmethod
    def _forks(station: Workstation) -> list[object]:
        with Session.open(station.path) as session:
            return list(session.reader.forks.all())


@contextmanager
def _exchange() -> Iterator[Exchange]:
    with TemporaryDirectory() as folder:
        yield Exchange(Path(folder))


@pytest.mark.parametrize("seed", range(2))
def test_workstations_when_they_exchange_in_any_order_then_agree_in_the_end(seed: int) -> None:
    chance = random.Random(seed)
    with _exchange() as exchange:
        exchange.add(0)
        for _ in range(14):
            who, which = chance.randrange(4), chance.randrange(100)
            step = chance.choice(("add", "ask", "accept", "send", "receive", "receive", "choose", "undo"))
            if step == "add":
                exchange.add(who)
            elif step == "ask":
                exchange.ask(who, which, f"question {which}")
            elif step == "accept":
                exchange.accept(who, which)
            elif step == "send":
                exchange.send(who, is_part=chance.random() < 0.5)
            elif step == "receive":
                exchange.receive(who, which)
            elif step == "undo":
                exchange.undo(who)
            else:
                exchange.choose(who, which)
        exchange.exchange_all()
        exchange.require_agreement()


class Workstations(RuleBasedStateMachine):
    """Random work on four copies; after the last step all have everything, and agree."""

    @initialize()
    def begin(self) -> None:
        """Make the copies."""
        self._folder = TemporaryDirectory()
        self._exchange = Exchange(Path(self._folder.name))
        self._exchange.add(0)

    @rule(who=WHO)
    def add(self, who: int) -> None:
        """One adds an item."""
        self._exchange.add(who)

    @rule(who=WHO, which=st.integers(0, 9), text=st.sampled_from(("cars", "vans", "buses")))
    def ask(self, who: int, which: int, text: str) -> None:
        """One changes a question."""
        self._exchange.ask(who, which, text)

    @rule(who=WHO, which=st.integers(0, 9))
    def accept(self, who: int, which: int) -> None:
        """One accepts an item."""
        self._exchange.accept(who, which)

    @rule(who=WHO, is_part=st.booleans())
    def send(self, who: int, *, is_part: bool) -> None:
        """One writes a bundle, which may never arrive."""
        self._exchange.send(who, is_part=is_part)

    @rule(who=WHO, which=st.integers(0, 9))
    def receive(self, who: int, which: int) -> None:
        """One merges some bundle, perhaps again."""
        self._exchange.receive(who, which)

    @rule(who=WHO, which=st.integers(0, 9))
    def choose(self, who: int, which: int) -> None:
        """One resolves a fork."""
        self._exchange.choose(who, which)

    @rule(who=WHO)
    def undo(self, who: int) -> None:
        """One takes back the newest command."""
        self._exchange.undo(who)

    @invariant()
    def has_each_item_once(self) -> None:
        """No copy has lost an item that it had."""
        if hasattr(self, "_exchange"):
            for station in self._exchange.stations:
                there = [removed for removed, _ in station.content()["item"].values() if not removed]
                with station.open() as session:
                    assert len(list(session.reader.records(Item))) == len(there)

    def teardown(self) -> None:
        """Exchange everything and compare."""
        if hasattr(self, "_exchange"):
            self._exchange.exchange_all()
            self._exchange.require_agreement()
            self._folder.cleanup()


@pytest.mark.slow
def test_workstations_when_searched_at_random_then_always_agree_in_the_end() -> None:
    checked = settings(
        max_examples=60, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(Workstations, settings=checked)
