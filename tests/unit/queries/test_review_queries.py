"""The review queue against a naive reading of the same flags."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.forks import ResolveFork
from annotator.domain.assignment import Assignment
from annotator.domain.flag import Flag
from annotator.domain.item import Item, Provenance
from annotator.domain.query import ItemQuery
from annotator.domain.record import new_id
from annotator.domain.response import Response
from annotator.domain.review import ReviewCase, ReviewQuery
from annotator.progress import Progress
from annotator.queries import review_queries
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.unit.store.making import (
    ANNA,
    BEN,
    a_flag,
    a_label,
    a_medium,
    a_scene,
    an_item,
    changed,
    created,
    removed,
    write,
)

EVERYTHING = ReviewQuery(states=("*",))
KINDS = (
    ("people_disagree", "response"),
    ("person_against_key", "response"),
    ("consensus_against_key", "consensus"),
    ("options_duplicate", "check"),
    ("media_missing", "import"),
)


def names(reader: Reader, query: ReviewQuery = EVERYTHING) -> list[str]:
    return [case.name for case in rows(reader, query)]


def rows(reader: Reader, query: ReviewQuery = EVERYTHING) -> list[ReviewCase]:
    return reader.reviews.rows(reader.reviews.numbers(query))


def counted(reader: Reader, facet: str, query: ReviewQuery = EVERYTHING) -> dict[str, int]:
    return {one.value: one.count for one in reader.reviews.facets(query)[facet]}


@pytest.fixture
def queue(session: Session) -> Session:
    """Give a project with cases of every kind."""
    medium = a_medium(id="m1")
    scene = a_scene("m1", id="s1", name="yard")
    items = [
        an_item(id=f"i{n}", name=f"item_{n}", task="count", scene="s1", state="refined") for n in range(4)
    ]
    other = an_item(
        id="i9", name="item_9", task="who", state="in_refinement", provenance=Provenance(source="k1")
    )
    people = {"responses": ["r1", "r2", "r3"]}
    flags = [
        a_flag("i0", id="f0", kind="people_disagree", raised_by="response", evidence=people),
        a_flag("i0", id="f1", kind="options_duplicate", raised_by="check", severity="note"),
        a_flag("i1", id="f2", kind="consensus_against_key", raised_by="consensus", evidence={"about": ["m"]}),
        a_flag("i2", id="f3", kind="options_duplicate", raised_by="check", severity="note"),
        a_flag("i3", id="f4", kind="options_duplicate", raised_by="check", state="dismissed"),
        a_flag("i9", id="f5", kind="options_duplicate", raised_by="check", severity="error"),
        a_flag("l1", id="f6", entity="event_label", kind="view_unknown", raised_by="import"),
    ]
    label = a_label(id="l1", scene="s1", medium="m1")
    write(
        session,
        created("medium", medium),
        created("scene", scene),
        created("event_label", label),
        *(created("item", item) for item in (*items, other)),
        *(created("flag", flag) for flag in flags),
        created("response", Response(id="r1", item="i0", answer="A", person=BEN.id)),
        created("assignment", Assignment(id="g1", entity="item", target="i1", person="p", role="review")),
    )
    return session


def test_queue_when_records_have_open_flags_then_each_is_one_case_by_its_worth(queue: Session) -> None:
    found = rows(queue.reader)
    # The label's decision touches the 4 items of its scene; three people are surer than one model.
    assert [(case.name, case.flags, case.touched) for case in found] == [
        ("yard", 1, 4),
        ("item_9", 1, 1),
        ("item_0", 2, 1),
        ("item_1", 1, 1),
        ("item_2", 1, 1),
    ]
    assert [round(case.worth, 4) for case in found] == [2.0, 0.9, 0.8875, 0.5, 0.1]
    assert found[2].reasons == ("people_disagree", "failed_check")
    assert (found[2].severity, found[2].scene, found[0].entity) == ("warning", "s1", "event_label")


def test_queue_when_an_item_is_in_refinement_or_rejected_then_it_waits_for_its_author(queue: Session) -> None:
    assert "item_9" not in names(queue.reader, ReviewQuery())
    write(queue, *changed("item", "i0", state="rejected"))
    assert names(queue.reader, ReviewQuery()) == ["yard", "item_1", "item_2"]
    assert names(queue.reader, ReviewQuery(states=("rejected",))) == ["item_0"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (ReviewQuery(reasons=("people_disagree",)), ["item_0"]),
        (ReviewQuery(reasons=("failed_check",)), ["item_0", "item_2"]),
        (ReviewQuery(reasons=("models_against_key", "import_problem")), ["yard", "item_1"]),
        (ReviewQuery(kinds=("options_duplicate",), severities=("note",)), ["item_2"]),
        (ReviewQuery(entities=("event_label",)), ["yard"]),
        (ReviewQuery(tasks=("aircop/count",)), ["item_0", "item_1", "item_2"]),
        (ReviewQuery(task_sets=("spatialuav",)), []),
        (ReviewQuery(sources=("k1",), states=("*",)), ["item_9"]),
        (ReviewQuery(persons=(BEN.id,)), ["item_0"]),
        (ReviewQuery(assignees=("review:p",)), ["item_1"]),
        (ReviewQuery(assignees=("*",)), ["item_1"]),
    ],
)
def test_filter_when_set_then_only_its_cases_are_listed_and_counted(
    queue: Session, query: ReviewQuery, expected: list[str]
) -> None:
    assert names(queue.reader, query) == expected
    assert queue.reader.reviews.count(query) == len(expected)


def test_facets_when_counted_then_they_equal_the_library_and_sql(queue: Session) -> None:
    reader = queue.reader
    items = reader.items.facets(ItemQuery())
    own = reader.reviews.facets(ReviewQuery(states=("*",), entities=("item",)))
    assert sum(one.count for one in own["entity"] if one.value == "item") == items["flag*"][0].count
    assert own["kind"] == items["flag"]
    flagged = reader.items.facets(ItemQuery(flags=("*",)))
    assert own["task"] == flagged["task"]
    assert own["state"] == flagged["state"]
    assert own["source"] == flagged["source"]
    open_flags = sum(case.flags for case in rows(reader))
    assert open_flags == sum(reader.open_flag_counts().values())
    assert counted(reader, "person") == {BEN.id: 1}
    assert counted(reader, "reason") == {
        "failed_check": 3,
        "import_problem": 1,
        "models_against_key": 1,
        "people_disagree": 1,
    }


def test_next_when_the_case_was_decided_then_the_following_one_is_given(queue: Session) -> None:
    reader, query = queue.reader, ReviewQuery()
    first = reader.reviews.next_case(query)
    assert first is not None
    second = reader.reviews.next_case(query, after=first)
    assert second is not None
    assert (first.name, second.name) == ("yard", "item_0")
    write(queue, *changed("flag", "f0", state="dismissed"), *changed("flag", "f1", state="resolved"))
    assert reader.reviews.case(Item, "i0") is None
    third = reader.reviews.next_case(query, after=second)
    assert third is not None
    assert third.name == "item_1"
    last = reader.reviews.next_case(query, after=third)
    assert last is not None
    assert reader.reviews.next_case(query, after=last) is None


def test_cases_when_the_project_changes_at_random_then_they_equal_those_of_a_new_reader(
    queue: Session, path: Path
) -> None:
    """Drive every way in which a case comes, goes or changes; the reader that goes on must see each."""
    draw = random.Random(14)
    for step in range(60):
        _change(queue, draw, step)
        assert_is_true(queue.reader, path)


def test_cases_when_more_records_change_than_are_read_one_by_one_then_all_are_read(
    queue: Session, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert names(queue.reader)
    monkeypatch.setattr(review_queries, "MOST_CHANGES", 3)
    write(queue, *(created("flag", a_flag(f"i{n}", id=f"x{n}")) for n in range(4)))
    assert_is_true(queue.reader, path)
    assert "item_3" in names(queue.reader)


def _change(session: Session, draw: random.Random, step: int) -> None:
    item = f"i{draw.randrange(4)}"
    kind, origin = draw.choice(KINDS)
    flag = a_flag(item, id=f"g{step}", kind=kind, raised_by=origin, severity=draw.choice(("error", "note")))
    known = [one.id for one in session.reader.find(Flag)]
    changes = (
        lambda: (created("flag", flag),),
        lambda: changed("flag", draw.choice(known), state=draw.choice(("open", "resolved"))),
        lambda: changed("item", item, state=draw.choice(("refined", "flagged", "rejected"))),
        lambda: changed("item", item, task=draw.choice(("count", "who")), scene=draw.choice(("s1", ""))),
        lambda: (removed("item", item, value=draw.random() < 0.5),),
        lambda: (created("item", an_item(id=f"n{step}", scene="s1")),),
        lambda: changed("scene", "s1", name=f"yard {step}"),
        lambda: (removed("event_label", "l1", value=draw.random() < 0.5),),
        lambda: (
            created("assignment", Assignment(id=f"a{step}", entity="item", target=item, person="q")),
            created("response", Response(id=f"q{step}", item=item, answer="B", person=ANNA.id)),
        ),
    )
    write(session, *draw.choice(changes)())


def assert_is_true(reader: Reader, path: Path) -> None:
    """Compare the cases that a reader has with those of a new one, and with the flags themselves."""
    fresh = Reader.open(path)
    try:
        found = rows(reader)
        assert found == rows(fresh)
        assert reader.reviews.facets(EVERYTHING) == fresh.reviews.facets(EVERYTHING)
        live = {one.id for one in fresh.find(Item)} | {"l1"} & {
            label for (label,) in fresh._connection.execute("SELECT id FROM event_label WHERE removed=0")
        }
        flags = Counter((f.entity, f.target) for f in fresh.find(Flag, state="open") if f.target in live)
        assert {(case.entity, case.target): case.flags for case in found} == dict(flags)
    finally:
        fresh.close()


@pytest.fixture
def workstations(path: Path) -> Iterator[tuple[Session, Session]]:
    """Give one project on two workstations that changed the same item independently."""
    with Session.create(path, actor=ANNA) as session:
        write(session, created("item", an_item(id="i1", name="item_1", state="refined")))
        write(session, created("flag", a_flag("i1", id="f1", severity="note")))
    other_path = path.parent / "other.vantage"
    shutil.copy(path, other_path)
    with Session.open(path, actor=ANNA) as one, Session.open(other_path, actor=BEN) as other:
        yield one, other


def merge(one: Session, other: Session, folder: Path) -> None:
    bundle = folder / f"{new_id()}.vantage-bundle"
    other.export_bundle(bundle, progress=Progress())
    one.merge(bundle, progress=Progress()).result()


def test_fork_when_two_workstations_changed_a_field_then_the_record_is_a_case(
    workstations: tuple[Session, Session], path: Path
) -> None:
    one, other = workstations
    assert [case.reasons for case in rows(one.reader)] == [("import_problem",)]
    write(one, *changed("item", "i1", question="Which car?"), *changed("flag", "f1", message="a"))
    write(other, *changed("item", "i1", question="Which van?"), *changed("flag", "f1", message="b"))
    merge(one, other, path.parent)
    (case,) = rows(one.reader)
    assert (case.name, case.reasons, case.severity) == ("item_1", ("fork", "import_problem"), "error")
    # A flag that two people decided differently is decided with its record.
    assert {(field.entity, field.field) for field in case.forks} == {
        ("item", "question"),
        ("flag", "message"),
    }
    assert case.worth == 1.0
    assert [one.value for one in one.reader.reviews.facets(ReviewQuery())["reason"]] == [
        "fork",
        "import_problem",
    ]
    for fork in one.reader.forks.all():
        command = ResolveFork(entity_id=fork.entity_id, field=fork.field, event=fork.values[0].event)
        one.execute(command).result()
    assert [case.reasons for case in rows(one.reader)] == [("import_problem",)]


def test_fork_when_its_choice_is_undone_by_a_reader_that_never_saw_it_then_the_record_is_a_case_again(
    workstations: tuple[Session, Session], path: Path
) -> None:
    one, other = workstations
    write(one, *changed("item", "i1", question="Which car?"))
    write(other, *changed("item", "i1", question="Which van?"))
    merge(one, other, path.parent)
    (fork,) = one.reader.forks.all()
    one.execute(ResolveFork(entity_id="i1", field="question", event=fork.values[0].event)).result()
    one.close()
    with Session.open(path, actor=ANNA) as opened:
        assert [case.reasons for case in rows(opened.reader)] == [("import_problem",)]
        opened.undo().result()
        assert [case.reasons for case in rows(opened.reader)] == [("fork", "import_problem")]
        opened.redo().result()
        assert [case.reasons for case in rows(opened.reader)] == [("import_problem",)]
