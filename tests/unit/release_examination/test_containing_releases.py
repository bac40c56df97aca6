"""Which releases hold an item: as the log was when they were made, whatever was edited since."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.commands.item_states import ChangeState
from annotator.commands.records import DecideFlags
from annotator.domain.assignment import Assignment
from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.domain.record import new_id
from annotator.release_examination.containing_releases import ContainingReleases, release_text
from annotator.session import Session
from tests.item_fields import SetItemField
from tests.unit.release.samples import AddRecords, aircop_item, fill, flag, label, options, release
from tests.unit.store.making import removed, write

KEPT = aircop_item(name="kept", question="How many cars can be seen in the picture?")
OTHER = aircop_item(name="other", state="accepted", scene="", question="How many trucks are there?")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as opened:
        fill(opened, KEPT)
        yield opened


def holding(session: Session, item: Item) -> tuple[str, ...]:
    found = session.reader.get(Item, item.id)
    assert found is not None
    return ContainingReleases(session.reader).holding(found)


def test_holding_when_there_is_no_release_then_is_none(session: Session) -> None:
    assert holding(session, KEPT) == ()


def test_holding_when_a_release_has_it_then_is_its_name(session: Session, tmp_path: Path) -> None:
    digest = release(session, tmp_path / "out", "aircop").manifest.sha256
    assert holding(session, KEPT) == (f"aircop {digest[:12]}",)


def test_holding_when_two_releases_have_it_then_are_both_oldest_first(
    session: Session, tmp_path: Path
) -> None:
    release(session, tmp_path / "one", "native")
    release(session, tmp_path / "two", "aircop")
    assert [name.split()[0] for name in holding(session, KEPT)] == ["native", "aircop"]


def test_holding_when_the_release_is_undone_then_is_none(session: Session, tmp_path: Path) -> None:
    release(session, tmp_path / "out", "aircop")
    session.undo().result()
    assert holding(session, KEPT) == ()


def test_holding_when_the_item_came_later_then_is_none(session: Session, tmp_path: Path) -> None:
    release(session, tmp_path / "out", "aircop")
    late = aircop_item(name="late")
    session.execute(AddRecords((late,))).result()
    assert holding(session, late) == ()


def test_holding_when_state_and_key_were_changed_since_then_is_the_release(
    session: Session, tmp_path: Path
) -> None:
    release(session, tmp_path / "out", "aircop")
    session.execute(ChangeState(items=(KEPT.id,), state="rejected", reason="Guessed.")).result()
    session.execute(SetItemField(item=KEPT.id, field="answer_key", value="A")).result()
    assert len(holding(session, KEPT)) == 1


def test_holding_when_the_words_were_changed_since_then_is_none_until_they_are_back(
    session: Session, tmp_path: Path
) -> None:
    release(session, tmp_path / "out", "aircop")
    session.execute(SetItemField(item=KEPT.id, field="question", value="How many?")).result()
    assert holding(session, KEPT) == ()
    session.undo().result()
    assert len(holding(session, KEPT)) == 1


@pytest.mark.parametrize(
    ("item", "form"),
    [
        (aircop_item(name="out", state="filtered"), "aircop"),
        (aircop_item(name="out", options=options("1", "1", "2", "3")), "aircop"),
        (aircop_item(name="out", options=options("1", "2", "3")), "aircop"),
        (aircop_item(name="out", question="How \0 many?"), "aircop"),
        (aircop_item(name="out", state="rejected"), "native"),
    ],
    ids=["state", "check", "form", "nul", "native"],
)
def test_holding_when_it_was_withheld_then_is_none_whatever_became_of_it(
    session: Session, tmp_path: Path, item: Item, form: str
) -> None:
    session.execute(AddRecords((item,))).result()
    assert release(session, tmp_path / "out", form).manifest.withheld.records == 1
    session.execute(SetItemField(item=item.id, field="state", value="accepted")).result()
    assert holding(session, item) == ()


def test_holding_when_an_open_error_kept_it_out_then_is_none_after_it_is_decided(
    session: Session, tmp_path: Path
) -> None:
    wrong = aircop_item(name="wrong")
    doubt = flag(wrong)
    session.execute(AddRecords((wrong, doubt))).result()
    release(session, tmp_path / "out", "aircop")
    decide = DecideFlags(flags=(doubt.id,), state="dismissed", resolution="The key is right.")
    session.execute(decide).result()
    assert (holding(session, wrong), len(holding(session, KEPT))) == ((), 1)
    release(session, tmp_path / "after", "aircop")
    assert len(holding(session, wrong)) == 1


def test_holding_when_flagged_ones_were_let_through_then_is_the_release(
    session: Session, tmp_path: Path
) -> None:
    wrong = aircop_item(name="wrong")
    session.execute(AddRecords((wrong, flag(wrong)))).result()
    release(session, tmp_path / "out", "aircop", include_flagged=True)
    assert len(holding(session, wrong)) == 1


def test_holding_when_it_was_hidden_then_is_none_after_it_is_back(session: Session, tmp_path: Path) -> None:
    hidden = aircop_item(name="hidden")
    session.execute(AddRecords((hidden,))).result()
    write(session, removed("item", hidden.id))
    release(session, tmp_path / "out", "aircop")
    write(session, removed("item", hidden.id, value=False))
    assert holding(session, hidden) == ()


@pytest.mark.parametrize(
    ("selection", "is_in"),
    [
        (ItemQuery(task_sets=("aircop",)), True),
        (ItemQuery(tasks=("object_counting",), states=("drafted",)), True),
        (ItemQuery(text="cars"), True),
        (ItemQuery(text="trucks"), False),
        (ItemQuery(states=("accepted",)), False),
        (ItemQuery(scene="0" * 32), False),
        (ItemQuery(flags=("*",)), False),
        (ItemQuery(flags=("other",)), False),
        (ItemQuery(ids=(KEPT.id,)), True),
        (ItemQuery(ids=(OTHER.id,)), False),
        (ItemQuery(assignees=("*",)), False),
    ],
)
def test_holding_when_a_filter_chose_the_items_then_goes_by_it(
    session: Session, tmp_path: Path, selection: ItemQuery, *, is_in: bool
) -> None:
    told = flag(OTHER, kind="other", severity="note")
    elsewhere = aircop_item(name="elsewhere", question="How many trucks?", scene="0" * 32, media=())
    given = Assignment(id=new_id(), entity="item", target=OTHER.id, person="0" * 32, role="refine")
    session.execute(AddRecords((OTHER, told, elsewhere, given))).result()
    release(session, tmp_path / "out", "native", selection=selection)
    session.execute(SetItemField(item=KEPT.id, field="state", value="accepted")).result()
    assert bool(holding(session, KEPT)) is is_in


def test_holding_when_the_filter_asked_for_flags_then_goes_by_those_open_then(
    session: Session, tmp_path: Path
) -> None:
    told = flag(KEPT, severity="note")
    session.execute(AddRecords((told,))).result()
    release(session, tmp_path / "out", "aircop", selection=ItemQuery(flags=(told.kind,)))
    session.execute(DecideFlags(flags=(told.id,), state="resolved", resolution="Mended.")).result()
    assert len(holding(session, KEPT)) == 1


def test_holding_when_only_labels_were_released_then_is_none(session: Session, tmp_path: Path) -> None:
    session.execute(AddRecords((label(),))).result()
    release(session, tmp_path / "out", "aircop-labels")
    assert holding(session, KEPT) == ()


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), ""),
        (("one",), " Release one contains it and does not change: decide before the next release."),
        (("one", "two"), " Releases one, two contain it and do not change: decide before the next release."),
    ],
)
def test_release_words_when_there_are_so_many_then_name_them(names: Any, message: str) -> None:
    assert release_text(names) == message
