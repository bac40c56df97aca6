from __future__ import annotations

from contextlib import closing
from pathlib import Path

from annotator.domain.item import Item
from annotator.domain.run import Run
from annotator.progress import Progress
from annotator.queries.ordered_reader import in_log_order, state_at
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from tests.unit.store.bundles.workstations import Workstation, item, joined


def _names(one: Workstation) -> tuple[list[str], list[str]]:
    """Return the names of items in the order of arrival, and in that of the log."""
    with one.open() as session, session.reader.snapshot():
        arrived = [found.name for found in session.reader.records(Item)]
        with in_log_order(session.reader, progress=Progress()) as ordered:
            return arrived, [found.name for found in ordered.records(Item)]


def test_order_when_nothing_was_merged_then_the_project_itself_is_read(tmp_path: Path) -> None:
    (ann,) = joined(tmp_path, "ann")
    for name in "abc":
        ann.add(item(name))
    with ann.open() as session, session.reader.snapshot():
        with in_log_order(session.reader, progress=Progress()) as ordered:
            assert ordered is session.reader
        assert session.reader.log.is_in_log_order()
    assert _names(ann) == (["a", "b", "c"], ["a", "b", "c"])


def test_order_when_bundles_were_merged_in_another_order_then_it_is_the_same(tmp_path: Path) -> None:
    ann, bob, eve = joined(tmp_path, "ann", "bob", "eve")
    ann.add(item("a1"), item("a2"))
    bob.add(item("b1"))
    eve.add(item("e1"), item("e2"), item("e3"))
    bob.add(item("b2"))
    handed = {one.actor.name: one.bundle() for one in (ann, bob, eve)}
    for one, order in ((ann, ("bob", "eve")), (bob, ("eve", "ann")), (eve, ("ann", "bob"))):
        one.merge(*(handed[name] for name in order))
    (by_ann, first), (by_bob, second), (by_eve, third) = map(_names, (ann, bob, eve))
    assert len({tuple(by_ann), tuple(by_bob), tuple(by_eve)}) == 3
    assert first == second == third
    assert sorted(first) == ["a1", "a2", "b1", "b2", "e1", "e2", "e3"]


def test_state_when_a_project_has_gone_on_then_it_is_that_of_the_heads(tmp_path: Path) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(kept := item("a", question="Which?"))
    bob.add(item("b"))
    with ann.open() as session:
        heads = session.reader.log.heads()
    ann.ask(kept.id, "What?")
    ann.add(item("later"))
    ann.merge(bob.bundle())
    with ann.open() as session:
        with session.reader.snapshot(), state_at(session.reader, heads=heads, progress=Progress()) as then:
            assert [(one.name, one.question) for one in then.records(Item)] == [("a", "Which?")]
            assert then.log.heads() == heads
        assert {one.name for one in session.reader.records(Item)} == {"a", "b", "later"}


def test_state_when_model_work_was_made_later_then_it_is_not_shown(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        run = Run(id="a" * 32, kind="blind", created_at="2026-05-01T10:00:00+00:00")
        with closing(WorkQueue.open(session.path)) as queue:
            queue.runs.plan(run, [], progress=Progress())
        reader = session.reader
        for until, runs in (("", [run.id]), ("2026-05-01T10:00:00.500+00:00", [run.id]), ("2026-04", [])):
            with reader.snapshot(), state_at(reader, heads=None, until=until, progress=Progress()) as then:
                assert [found.id for found in then.runs.all()] == runs
