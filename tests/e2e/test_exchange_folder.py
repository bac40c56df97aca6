"""The exchange folder in the window, beside other programs that exchange with the same folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from annotator.commands.projects import ChooseTaskSet
from annotator.exchange import exchange_scheduler
from annotator.exchange.exchange_folder import choose_exchange_folder, exchange_folder_of
from annotator.session import Session
from tests.e2e.conftest import Open, Person
from tests.patience import PATIENCE_S
from tests.unit.store.bundles.workstations import Workstation, item, joined
from widgets.bundles.exchange_dialog import ExchangeDialog
from widgets.bundles.forks_dialog import ForksDialog

REPO = Path(__file__).resolve().parents[2]
Team = tuple[Workstation, Workstation]


@pytest.fixture
def team(tmp_path: Path) -> Team:
    ann, bob = joined(tmp_path, "ann", "bob")
    return ann, bob


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder, and a scheduler that looks at once in place of every few seconds."""
    monkeypatch.setattr(exchange_scheduler, "LOOK_EVERY_S", 0.05)
    monkeypatch.setattr(exchange_scheduler, "SETTLED_AFTER_S", 0.05)
    made = tmp_path / "sync"
    made.mkdir()
    return made


def sync(project: Path, *arguments: str | Path, config: Path) -> subprocess.CompletedProcess[str]:
    """Run the verb ``sync`` in a process of its own, as the person whose settings are in a folder."""
    return subprocess.run(
        [sys.executable, "main.py", "sync", str(project), *map(str, arguments)],
        cwd=REPO,
        env={**os.environ, "VANTAGE_CONFIG": str(config)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def choose(person: Person, folder: Path) -> None:
    person.window.registry.run("project.exchange")
    dialog = dialog_of(person)
    assert not dialog.main.isEnabled()
    dialog.folder.setText("~nobody/x")
    assert "does not exist" in dialog.problem_label.text()
    dialog.folder.setText(str(folder))
    dialog.main.click()
    person.settle()


def dialog_of(person: Person) -> Any:
    person.qtbot.waitUntil(lambda: person.window.findChild(ExchangeDialog) is not None)
    return person.window.findChild(ExchangeDialog)


def state(person: Person) -> str:
    return str(person.window.status_bar.exchange.text())


def bundles(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.bundle"))


def test_window_when_a_folder_is_chosen_then_edits_go_out_and_those_of_another_process_come_in(
    team: Team, folder: Path, tmp_path: Path, open_window: Open
) -> None:
    ann, bob = team
    bob.add(item("b1"))
    person = open_window(ann.path)
    assert not person.window.status_bar.exchange.isVisible()
    choose(person, folder)
    person.qtbot.waitUntil(lambda: "up to date" in state(person))
    person.qtbot.waitUntil(lambda: len(bundles(folder)) == 1)
    done = sync(bob.path, folder, config=tmp_path / "bob-config")
    assert done.returncode == 0, done.stderr
    person.qtbot.waitUntil(lambda: "new from bob" in state(person))
    person.qtbot.waitUntil(lambda: person.names() == ["b1"])
    person.window.registry.run("project.exchange")
    dialog = dialog_of(person)
    assert "new from bob" in dialog.log.item(0).text()
    dialog.reject()


def test_window_when_it_is_closed_then_the_last_edits_are_in_the_folder(
    team: Team, folder: Path, open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob = team
    with ann.open() as session:
        choose_exchange_folder(session, folder)
    person = open_window(ann.path)
    exchange = person.window.project.exchange

    def is_calm() -> bool:
        # The next looks at the folder find the first bundle, and would write what was edited until then.
        made = exchange._scheduler and exchange._scheduler._exchange
        return bool(made and bundles(folder)) and not made.needs_publishing and made._is_calm

    person.qtbot.waitUntil(is_calm)
    # From now on, nothing settles.
    monkeypatch.setattr(exchange_scheduler, "SETTLED_AFTER_S", 3600.0)
    before = bundles(folder)[0].read_bytes()
    person.window.controller.execute(ChooseTaskSet(task_set="aircop"), title="Task set")
    person.settle()
    assert bundles(folder)[0].read_bytes() == before
    person.window.controller.close_project()
    person.settle()
    person.qtbot.waitUntil(lambda: not person.window.controller.works)
    assert bundles(folder)[0].read_bytes() != before
    assert not person.window.status_bar.exchange.isVisible()
    assert bob.merge(*bundles(folder))[0].added > 0


def test_window_when_the_folder_vanishes_then_it_says_so_once_and_goes_on_when_it_is_back(
    team: Team, folder: Path, open_window: Open
) -> None:
    ann, _bob = team
    with ann.open() as session:
        choose_exchange_folder(session, folder)
    person = open_window(ann.path)
    person.qtbot.waitUntil(lambda: "up to date" in state(person))
    away = folder.rename(folder.parent / "unplugged")
    person.qtbot.waitUntil(lambda: "interrupted" in state(person))
    banner = person.window.banner
    assert "cannot be read" in banner.headline.text()
    assert "start its sync program" in banner.advice.text()
    banner.dismiss()
    looks: list[object] = []
    person.window.bridge.exchanged.connect(lambda _session, status: looks.append(status))
    person.qtbot.waitUntil(lambda: len(looks) > 3)
    assert not banner.isVisible()
    away.rename(folder)
    person.qtbot.waitUntil(lambda: "up to date" in state(person))


def test_window_when_a_fork_comes_in_then_says_so_once_and_leads_to_the_choice(
    team: Team, folder: Path, open_window: Open
) -> None:
    ann, bob = team
    ann.add(one := item("a1"))
    bob.merge(ann.bundle())
    ann.ask(one.id, "cars")
    bob.ask(one.id, "vans")
    with ann.open() as session:
        choose_exchange_folder(session, folder)
    with bob.open() as session:
        session.export_bundle(folder / "p bob.bundle")
    person = open_window(ann.path)
    banner = person.window.banner
    person.qtbot.waitUntil(lambda: banner.headline.text() == "The project has 1 fork.")
    banner.dismiss()
    bob.add(item("b1"))
    with bob.open() as session:
        session.export_bundle(folder / "p bob.bundle")
    person.qtbot.waitUntil(lambda: "new from bob" in state(person) and len(person.names()) == 2)
    assert not banner.isVisible()
    person.window.project.exchange.forks_requested.emit()
    person.qtbot.waitUntil(lambda: person.window.findChild(ForksDialog) is not None)
    person.window.findChild(ForksDialog).reject()


def test_window_when_the_language_changes_then_one_exchange_goes_on_in_it(
    team: Team, folder: Path, open_window: Open
) -> None:
    ann, bob = team
    with ann.open() as session:
        choose_exchange_folder(session, folder)
    person = open_window(ann.path)
    person.qtbot.waitUntil(lambda: "up to date" in state(person))
    person.window.set_language("zh")
    person.qtbot.waitUntil(lambda: "交换" in state(person))
    bob.add(item("b1"))
    with bob.open() as session:
        session.export_bundle(folder / "p bob.bundle")
    person.qtbot.waitUntil(lambda: "bob" in state(person))


def test_dialog_when_the_exchange_is_stopped_then_the_folder_is_left_alone(
    team: Team, folder: Path, open_window: Open
) -> None:
    ann, _bob = team
    with ann.open() as session:
        choose_exchange_folder(session, folder)
    person = open_window(ann.path)
    person.qtbot.waitUntil(lambda: "up to date" in state(person))
    person.window.registry.run("project.exchange")
    dialog_of(person).end.click()
    person.settle()
    person.qtbot.waitUntil(lambda: not person.window.status_bar.exchange.isVisible())
    with Session.open_for_reading(ann.path) as session:
        assert exchange_folder_of(session) is None


@pytest.mark.slow
def test_two_processes_when_both_sync_again_and_again_then_their_copies_agree(
    team: Team, folder: Path, tmp_path: Path
) -> None:
    for turn in range(2):
        for person in team:
            person.add(item(f"{person.actor.name} {turn}"))
            assert sync(person.path, folder, config=tmp_path / person.actor.name).returncode == 0
    assert sync(team[0].path, config=tmp_path / "ann").returncode == 0
    assert len(team[0].content()["item"]) == 4
    assert team[0].content()["item"] == team[1].content()["item"]
    stopped = sync(team[0].path, "--stop", config=tmp_path / "ann")
    assert (stopped.returncode, stopped.stdout) == (0, "The exchange has ended.\n")
    assert sync(team[0].path, config=tmp_path / "ann").returncode == 2
