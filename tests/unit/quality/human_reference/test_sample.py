"""The sample of the human reference: which items, and who may answer them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.assignments import AssignRecords
from annotator.commands.comments import WriteComment
from annotator.commands.imports import ImportFiles
from annotator.commands.item_edits import SetQuestion
from annotator.commands.records import DecideFlags
from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.domain.actor import Actor
from annotator.domain.item import Item
from annotator.domain.stratified_sample import draw_items
from annotator.errors import UserError
from annotator.quality.human_reference.sample import plan_reference
from annotator.session import Session
from tests.unit.store.making import ANNA, BEN, a_flag, an_item, created, spatialuav_file, write

CLEO, DORA = Actor(id="c" * 32, name="Cleo"), Actor(id="d" * 32, name="Dora")
TEAM = tuple(actor.id for actor in (ANNA, BEN, CLEO, DORA))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Three tasks with 10, 5 and 1 items, all of them written by Anna; one item is rejected."""
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as opened:
        items = [
            an_item(id=f"{task}{n}", name=f"{task}_{n}", task=task, state="refined")
            for task, count in (("a", 10), ("b", 5), ("c", 1))
            for n in range(count)
        ]
        rejected = an_item(id="x", name="x", task="x", state="rejected")
        write(opened, *(created("item", item) for item in (*items, rejected)))
        write(opened, *(created("actor", actor) for actor in (BEN, CLEO, DORA)))
        yield opened


def people_of(session: Session, item: str, *persons: str) -> set[str]:
    plan = plan_reference(session.reader, persons or TEAM, share=1.0)
    return {person for target, person in plan.pairs if target == item}


def test_sample_when_drawn_then_each_task_gives_its_share_and_at_least_one_item(session: Session) -> None:
    plan = plan_reference(session.reader, TEAM)
    assert plan.tasks == {"aircop/a": 2, "aircop/b": 1, "aircop/c": 1}
    assert len(plan.pairs) == 4
    assert plan.shortages == ()


def test_sample_when_drawn_again_with_the_seed_then_is_the_same_and_adds_nothing(session: Session) -> None:
    plan = plan_reference(session.reader, TEAM, seed=7)
    assert plan_reference(session.reader, TEAM[::-1], seed=7) == plan
    command = AssignRecords(entity="item", role="reference", pairs=plan.pairs)
    session.execute(command).result()
    again = plan_reference(session.reader, TEAM, seed=7)
    assert (again.tasks, again.pairs) == (plan.tasks, ())
    chosen = {frozenset(plan_reference(session.reader, TEAM, seed=seed).tasks) for seed in range(3)}
    assert len(chosen) == 1


def test_draw_when_items_are_added_or_the_share_grows_then_the_earlier_items_stay() -> None:
    items = [f"i{n}" for n in range(50)]
    first = set(draw_items(items[:40], share=0.25, seed=1))
    assert (len(first), first) == (10, first & set(draw_items(items[:40], share=0.5, seed=1)))
    # Of 10 more items, each replaces at most one.
    assert len(first & set(draw_items(items, share=0.2, seed=1))) >= 7
    assert first != set(draw_items(items[:40], share=0.25, seed=2))


def test_persons_when_nobody_is_barred_then_items_are_spread_evenly(session: Session) -> None:
    plan = plan_reference(session.reader, [BEN.id, CLEO.id, DORA.id], share=1.0, per_item=2)
    loads = Counter(person for _, person in plan.pairs)
    assert sum(loads.values()) == 32
    assert max(loads.values()) - min(loads.values()) <= 1


def test_author_when_the_sample_is_drawn_then_does_not_get_the_own_items(session: Session) -> None:
    plan = plan_reference(session.reader, TEAM, share=1.0)
    assert ANNA.id not in {person for _, person in plan.pairs}


def _edit(session: Session) -> None:
    session.execute(SetQuestion(item="c0", text="How many red cars?")).result()


def _comment(session: Session) -> None:
    session.execute(WriteComment(entity="item", target="c0", text="Hm.")).result()


def _review(session: Session) -> None:
    flag = a_flag("c0")
    session.use_actor(ANNA)
    write(session, created("flag", flag))
    session.use_actor(BEN)
    session.execute(DecideFlags(flags=(flag.id,), state="dismissed", resolution="It is right.")).result()


def _answer(session: Session) -> None:
    session.use_actor(CLEO)
    given = GivenAnswer(item="c0", person=BEN.id, answer="B")
    session.execute(AddResponses(answers=(given,))).result()


def _assign(session: Session) -> None:
    session.use_actor(CLEO)
    session.execute(AssignRecords(entity="item", role="refine", pairs=(("c0", BEN.id),))).result()


@pytest.mark.parametrize("work", [_edit, _comment, _review, _answer, _assign])
def test_person_when_having_worked_on_an_item_then_does_not_get_it(session: Session, work: object) -> None:
    assert people_of(session, "c0", BEN.id) == {BEN.id}
    session.use_actor(BEN)
    work(session)  # type: ignore[operator]
    assert people_of(session, "c0", BEN.id) == set()
    # Whoever typed the answers of others, or assigned them, has not worked on the item.
    assert people_of(session, "c0", CLEO.id) == {CLEO.id}
    assert people_of(session, "a0", BEN.id) == {BEN.id}


def test_item_when_too_few_persons_may_answer_it_then_is_listed_and_no_other_takes_its_place(
    session: Session,
) -> None:
    session.use_actor(BEN)
    session.execute(SetQuestion(item="c0", text="How many red cars?")).result()
    plan = plan_reference(session.reader, [BEN.id, CLEO.id], per_item=2)
    (shortage,) = plan.shortages
    assert (shortage.name, shortage.task, shortage.missing) == ("c_0", "aircop/c", 1)
    assert plan.tasks["aircop/c"] == 1
    assert "c0" not in {item for item, _ in plan.pairs}


def test_importer_when_the_sample_is_drawn_then_may_answer_imported_items(tmp_path: Path) -> None:
    path = spatialuav_file(tmp_path, name="Real2.json", rows=5)
    with Session.create(tmp_path / "i.vantage", actor=ANNA) as session:
        session.execute(ImportFiles(paths=(path,))).result()
        items = [item.id for item in session.reader.find(Item)]
        assert items
        plan = plan_reference(session.reader, [ANNA.id], share=1.0)
        assert len(plan.pairs) == len(items)
        session.undo().result()
        session.redo().result()
        assert len(plan_reference(session.reader, [ANNA.id], share=1.0).pairs) == len(items)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"share": 0.0}, "share 0 is not"),
        ({"share": 1.5}, "share 1.5 is not"),
        ({"per_item": 0}, "0 persons cannot"),
        ({"per_item": 5}, "5 persons are required for each item, but 4 are chosen"),
        ({"tasks": ("aircop/x",)}, "no item for the human reference"),
    ],
)
def test_sample_when_a_number_is_out_of_range_then_says_so(
    session: Session, fields: dict[str, object], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        plan_reference(session.reader, TEAM, **fields)  # type: ignore[arg-type]
