from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.errors import Cancelled
from annotator.progress import Progress, ProgressUpdate
from annotator.quality.checks import CHECKS
from annotator.quality.context import CheckContext
from annotator.quality.report import CheckReport
from annotator.quality.run import run_checks, run_item_checks
from annotator.queries.reader import Reader
from annotator.session import Session

MakeItem = Callable[..., Item]


class Put(Command):
    """Put records into a project as they are."""

    summary = CommandSummary.of_text("Put")

    def __init__(self, *items: Item) -> None:
        self._items = items

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        seen = Medium(id="seen", name="seen.jpg", sha256="ab" * 32)
        yield Edit(entity="medium", entity_id="seen", field=CREATED, value=seen)
        for item in self._items:
            yield Edit(entity="item", entity_id=item.id, field=CREATED, value=item)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as opened:
        yield opened


def test_run_item_checks_when_an_item_is_sound_then_nothing_is_found(
    make_item: MakeItem, context: CheckContext
) -> None:
    assert run_item_checks(make_item(), context) == []


def test_run_item_checks_when_several_things_are_wrong_then_each_check_speaks_once(
    make_item: MakeItem, context: CheckContext
) -> None:
    bad = make_item("UAV1", "uav1", "the [object]", "nothing of that", answer_key="E", media=())
    found = run_item_checks(bad, context)
    assert Counter(f.check for f in found) == Counter(
        ["key_in_options", "duplicate_options", "unfilled_slot", "missing_media"]
    )
    slot = next(f for f in found if f.check == "unfilled_slot")
    assert (slot.entity, slot.target, slot.field, slot.severity) == ("item", "item", "options", "error")
    assert slot.advice == CHECKS["unfilled_slot"].advice


def test_run_item_checks_when_a_check_is_about_a_set_then_it_is_left_to_the_whole_run(
    make_item: MakeItem, context: CheckContext
) -> None:
    ran = {
        f.check
        for f in run_item_checks(make_item("a", "a", "{b}", "Sure! c", answer_key="", media=()), context)
    }
    assert ran
    assert all(CHECKS[check].scope == "item" for check in ran)


def test_run_item_checks_when_used_live_then_an_item_takes_few_calls(
    make_item: MakeItem, context: CheckContext
) -> None:
    texts = [
        f"I fly {n} blocks along the highway, then turn to see the tower from its side." for n in range(9)
    ]
    item = make_item(*texts, question="Where is the agent now? " * 8, task_set="urbanvideo", task="odd")
    run_item_checks(item, context)
    calls = Counter[str]()
    sys.setprofile(lambda _frame, event, _what: calls.update((event,)))
    try:
        run_item_checks(item, context)
    finally:
        sys.setprofile(None)
    # An item that is being written is checked at each key, in 2 ms: 3,500 calls of half a microsecond.
    assert 100 < calls["call"] + calls["c_call"] < 10_000


def test_run_checks_when_a_project_is_read_then_item_findings_come_before_set_findings(
    session: Session, make_item: MakeItem
) -> None:
    items = [make_item(id=f"{n:032x}", name=f"n{n // 2}", answer_key="A") for n in range(40)]
    session.execute(Put(*items, make_item(id="f" * 32, name="last", answer_key="Z"))).result()
    report = CheckReport()
    found = list(run_checks(session.reader, report=report))
    assert [f.check for f in found] == [
        "key_in_options",
        "letter_balance",
        *["duplicate_id"] * 40,
        *["near_duplicate"] * 41,
    ]
    assert (report.items, report.findings) == (41, 83)
    assert report.checks["missing_media"] == 0
    assert set(report.checks) == set(CHECKS)


def test_run_checks_when_items_are_rejected_then_they_are_left_out(
    session: Session, make_item: MakeItem
) -> None:
    session.execute(
        Put(make_item(id="1" * 32, answer_key="Z", state="rejected"), make_item(id="2" * 32))
    ).result()
    report = CheckReport()
    assert list(run_checks(session.reader, report=report)) == []
    assert report.items == 1


def test_run_checks_when_sets_or_checks_are_chosen_then_only_they_are_looked_at(
    session: Session, make_item: MakeItem
) -> None:
    aircop = make_item(id="1" * 32, answer_key="Z", question="")
    urban = make_item(id="2" * 32, answer_key="Z", question="", task_set="urbanvideo", task="causal")
    session.execute(Put(aircop, urban)).result()
    only_urban = run_checks(session.reader, task_sets=["urbanvideo"])
    assert {f.target for f in only_urban} == {urban.id}
    only_keys = list(run_checks(session.reader, checks=["key_in_options"]))
    assert [(f.check, f.target) for f in only_keys] == [
        ("key_in_options", aircop.id),
        ("key_in_options", urban.id),
    ]


def test_run_checks_when_cancelled_then_it_stops(session: Session, make_item: MakeItem) -> None:
    session.execute(Put(make_item(id="1" * 32), make_item(id="2" * 32))).result()
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        list(run_checks(session.reader, progress=progress))


def test_run_checks_when_told_then_progress_knows_the_total(session: Session, make_item: MakeItem) -> None:
    steps: list[ProgressUpdate] = []
    session.execute(Put(make_item(id="1" * 32), make_item(id="2" * 32))).result()
    list(run_checks(session.reader, progress=Progress(steps.append)))
    assert (steps[-1].what, steps[-1].done, steps[-1].total) == ("Comparing names", 2, 2)


def test_run_checks_when_items_change_then_findings_change_with_them(
    session: Session, make_item: MakeItem
) -> None:
    item = make_item(id="1" * 32, answer_key="Z")
    session.execute(Put(item)).result()
    assert [f.check for f in run_checks(session.reader)] == ["key_in_options"]
    context = CheckContext.of(session.reader)
    assert run_item_checks(msgspec.structs.replace(item, answer_key="B"), context) == []
