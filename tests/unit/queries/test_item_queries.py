"""Lists of items against a naive reading of the same items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotator.domain.assignment import Assignment
from annotator.domain.item import Item, Option, Provenance
from annotator.domain.query import ItemQuery
from annotator.domain.record import new_id
from annotator.domain.rows import FacetCount
from annotator.queries import item_queries
from annotator.session import Session
from tests.unit.store.making import ANNA, a_flag, an_item, changed, created, removed, write

SETS, TASKS, SOURCES, SCENES = (
    ("aircop", "spatialuav"),
    ("when", "who", "oc", ""),
    ("s1", "s2", ""),
    ("k1", "k2"),
)
STATES = ("drafted", "accepted", "rejected")
KINDS = ("doubt", "duplicate_id", "key_missing")
QUESTIONS = (
    "How many red cars stand in the 停车场?",
    "Which car is red, and which is blue?",
    'She said "never" AND left - NEAR(the bridge)',
    "哪架无人机看到红色汽车",
    "Café résumé naïve",
    "Cafe\N{COMBINING ACUTE ACCENT} in parts",
    "A2A_Object_Matching of UAV1*",
    "",
)
TEXTS = (
    "red", "re", "red car", "car red", "停车场", "车", "无人机", "机无", "never", '"never"', "AND",
    "near(the", "-", "cafe", "Café", "a2a_obj", "A2A Object", "uav1*", "uav1", "red  zebra", "?!", "*",
    "NEAR(", "blue?", "i1", "i",
)  # fmt: skip
ASSIGNEES = ("refine:anna", "validate:ben")
WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Known:
    """An item as the test knows it: its row number, the record its open flags and its assignees."""

    n: int
    item: Item
    flags: frozenset[str]
    assignees: frozenset[str]


def _words(text: str) -> list[str]:
    """Cut a text into words, each Chinese character one; accents and case do not count."""
    plain = text.casefold().translate(str.maketrans("éèï", "eei", "\N{COMBINING ACUTE ACCENT}"))
    return WORD.findall(re.sub("([\u4e00-\u9fff])", r" \1 ", plain))


def _has_words(known: Known, text: str) -> bool:
    item = known.item
    held = _words(" ".join((item.name, item.question, *(option.text for option in item.options))))
    phrases = [_words(part) for part in text.split()]
    return any(phrases) and all(
        _has_phrase(held, phrase, is_last=index == len(phrases) - 1)
        for index, phrase in enumerate(phrases)
        if phrase
    )


def _has_phrase(held: list[str], phrase: list[str], *, is_last: bool) -> bool:
    *whole, end = phrase
    for at in range(len(held) - len(whole)):
        last = held[at + len(whole)]
        if held[at : at + len(whole)] == whole and (last.startswith(end) if is_last else last == end):
            return True
    return False


def _selects(query: ItemQuery, known: Known, *, skip: str = "") -> bool:
    item = known.item
    tests = {
        "task_set": not query.task_sets or item.task_set in query.task_sets,
        "task": not query.tasks or not {item.task, f"{item.task_set}/{item.task}"}.isdisjoint(query.tasks),
        "state": not query.states or item.state in query.states,
        "flag": not query.flags or bool(known.flags if "*" in query.flags else known.flags & {*query.flags}),
        "assignee": not query.assignees
        or bool(known.assignees if "*" in query.assignees else known.assignees & {*query.assignees}),
        "source": not query.sources or item.provenance.source in query.sources,
        "scene": not query.scene or item.scene == query.scene,
        "text": not query.text or _has_words(known, query.text),
        "ids": not query.ids or item.id in query.ids,
    }
    return all(held for name, held in tests.items() if name != skip)


VALUES = {
    "task_set": lambda known: [known.item.task_set],
    "task": lambda known: [f"{known.item.task_set}/{known.item.task}"],
    "state": lambda known: [known.item.state],
    "flag": lambda known: known.flags,
    "source": lambda known: [known.item.provenance.source],
    "assignee": lambda known: known.assignees,
}


def _facets(query: ItemQuery, items: list[Known]) -> dict[str, list[FacetCount]]:
    counts = {
        name: Counter(
            value for known in items if _selects(query, known, skip=name) for value in values(known)
        )
        for name, values in VALUES.items()
    }
    found = {name: [FacetCount(value=v, count=c) for v, c in sorted(n.items())] for name, n in counts.items()}
    flagged = sum(bool(known.flags) for known in items if _selects(query, known, skip="flag"))
    return found | {"flag*": [FacetCount(value="*", count=flagged)]}


ITEMS = st.builds(
    lambda **fields: fields,
    task_set=st.sampled_from(SETS),
    task=st.sampled_from(TASKS),
    state=st.sampled_from(STATES),
    question=st.sampled_from(QUESTIONS),
    options=st.lists(st.sampled_from(QUESTIONS), max_size=2).map(
        lambda texts: tuple(
            Option(letter=letter, text=text) for letter, text in zip("AB", texts, strict=False)
        )
    ),
    provenance=st.sampled_from(SOURCES).map(lambda source: Provenance(source=source)),
    scene=st.sampled_from(("", *SCENES)),
)
FLAGS = st.lists(
    st.tuples(st.sampled_from(KINDS), st.sampled_from(["open", "resolved", "removed"])), max_size=3
)
LIFE = st.sampled_from(["made", "edited", "removed", "brought back"])


def _some(values: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.one_of(st.just(()), st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple))


QUERIES = st.builds(
    ItemQuery,
    task_sets=_some(SETS),
    tasks=_some((*TASKS, *(f"{task_set}/{task}" for task_set in SETS for task in TASKS))),
    states=_some(STATES),
    flags=_some((*KINDS, "*")),
    sources=_some(SOURCES),
    assignees=_some((*ASSIGNEES, "*")),
    scene=st.sampled_from(("", "", "", *SCENES, "nowhere")),
    text=st.one_of(st.just(""), st.sampled_from(TEXTS)),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """Give a project that all random examples share: each hides the items of the one before."""
    path = tmp_path_factory.mktemp("lists") / "p.vantage"
    session = Session.create(path, actor=ANNA)
    yield session
    session.close()


@pytest.fixture(scope="module", autouse=True)
def no_threads_of_the_project(home: Session) -> None:
    """Open the shared project before the guard of the first test counts threads."""


def _fill(session: Session, records: list[tuple[dict, list[tuple[str, str]], str]]) -> list[Known]:
    write(session, *(removed("item", item.id) for item in session.reader.records(Item)))
    made = []
    for number, (fields, flags, life) in enumerate(records):
        item = an_item(name=f"Item_i{number}", **fields)
        held = [
            # Notes: other flags would keep an item from being accepted.
            (
                a_flag(item.id, kind=kind, severity="note", state="open" if fate == "removed" else fate),
                fate,
            )
            for kind, fate in flags
        ]
        write(session, created("item", item), *(created("flag", flag) for flag, _ in held))
        write(session, *(removed("flag", flag.id) for flag, fate in held if fate == "removed"))
        if life == "edited":
            write(session, *changed("item", item.id, state="accepted", question="red again"))
        if life in ("removed", "brought back"):
            write(session, removed("item", item.id))
        if life == "brought back":
            session.undo().result()
        made.append((item.id, frozenset(flag.kind for flag, fate in held if fate == "open")))
    assigned = {item: _assign(session, item) for item, _ in made[::3]}
    return _known(session, dict(made), assigned)


def _assign(session: Session, item: str) -> frozenset[str]:
    """Assign an item to two people, and take it from the second one again."""
    assigned = []
    for assignee in ASSIGNEES:
        role, _, person = assignee.partition(":")
        assigned.append(Assignment(id=new_id(), entity="item", target=item, person=person, role=role))
    write(session, *(created("assignment", one) for one in assigned))
    write(session, removed("assignment", assigned[1].id))
    return frozenset(ASSIGNEES[:1])


def _known(
    session: Session, flags: dict[str, frozenset[str]], assigned: dict[str, frozenset[str]]
) -> list[Known]:
    numbers = dict(session.reader._connection.execute("SELECT id, n FROM item").fetchall())
    items = list(session.reader.records(Item))
    return [
        Known(numbers[item.id], item, flags[item.id], assigned.get(item.id, frozenset())) for item in items
    ]


@pytest.mark.parametrize("path", ["as it decides", "walked", "merged"])
@settings(max_examples=20)
@given(
    records=st.lists(st.tuples(ITEMS, FLAGS, LIFE), max_size=12),
    queries=st.lists(QUERIES, min_size=1, max_size=12),
    limit=st.integers(min_value=1, max_value=5),
)
@example(records=[], queries=[ItemQuery(), ItemQuery(text="red"), ItemQuery(flags=("*",))], limit=1)
def test_lists_when_asked_anything_then_agree_with_a_naive_reading(
    home: Session, path: str, records, queries: list[ItemQuery], limit: int
) -> None:
    items = _fill(home, records)
    with pytest.MonkeyPatch.context() as patch:
        if path != "as it decides":
            patch.setattr(item_queries, "MERGED_AT_MOST", -1 if path == "walked" else 10**6)
            patch.setattr(item_queries, "DENSE_SHARE", 2.0)
        some = tuple(known.item.id for known in items[::2])
        for query in queries:
            _compare(home, query, items, limit=limit)
            _compare(home, msgspec.structs.replace(query, ids=(*some, "nowhere")), items, limit=limit)


def _compare(session: Session, query: ItemQuery, items: list[Known], *, limit: int) -> None:
    reader = session.reader
    wanted = [known for known in items if _selects(query, known)]
    numbers = [known.n for known in wanted]
    found = reader.items.numbers(query)
    assert found.dtype == np.int64
    assert found.tolist() == numbers
    assert reader.items.count(query) == len(wanted)
    assert reader.items.facets(query) == _facets(query, items)
    pages = []
    while page := reader.items.page(query, after=pages[-1].n if pages else 0, limit=limit):
        assert len(page) <= limit
        pages += page
        assert len(pages) <= len(numbers)
    assert [row.n for row in pages] == numbers
    assert [(row.id, row.name, row.state, row.question, frozenset(row.flags)) for row in pages] == [
        (known.item.id, known.item.name, known.item.state, known.item.question, known.flags)
        for known in wanted
    ]
    assert reader.items.rows(reversed(numbers)) == pages[::-1]


@settings(max_examples=60)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
@example(text='"')
@example(text="a\0b")
@example(text="\0")
@example(text="* AND NEAR( - ^x col:y {z} (((")
def test_lists_when_any_text_is_typed_then_are_no_error(home: Session, text: str) -> None:
    query = ItemQuery(text=text)
    assert home.reader.items.count(query) == len(home.reader.items.numbers(query))
    assert len(home.reader.items.page(query, limit=100)) <= 100


@settings(max_examples=30)
@given(word=st.text(st.characters(exclude_categories=["Cs", "Cn", "Z", "C"]), min_size=1, max_size=6))
@example(word="हिन्दी")
@example(word="e\N{COMBINING ACUTE ACCENT}clair")
@example(word="₽100")
@example(word="🏽")
def test_search_when_a_word_is_typed_as_it_stands_then_finds_it_where_it_has_letters(
    home: Session, word: str
) -> None:
    item = an_item(name="x", question=f"so {word}, yes")
    write(home, created("item", item))
    with_letters = ItemQuery(text=f"xa{word}by")
    write(home, *changed("item", item.id, question=f"so xa{word}by, yes"))
    found = [row.id for row in home.reader.items.page(with_letters, limit=1000)]
    assert found == [item.id]
    write(home, removed("item", item.id))


@pytest.fixture
def many(session: Session) -> list[Item]:
    """Give 300 items of which every hundredth is rejected, so that their page is merged."""
    items = [an_item(name=f"{n}", state="rejected" if n % 100 == 0 else "drafted") for n in range(300)]
    write(session, *(created("item", item) for item in items))
    return items


@pytest.mark.parametrize(
    ("query", "way"),
    [(ItemQuery(states=("rejected",)), "_merged"), (ItemQuery(states=("drafted",)), "_walked")],
)
def test_item_page_when_few_or_most_are_selected_then_takes_the_quicker_way(
    session: Session, many: list[Item], monkeypatch: pytest.MonkeyPatch, query: ItemQuery, way: str
) -> None:
    taken = []
    for name in ("_merged", "_walked"):
        original = getattr(item_queries.ItemQueries, name)

        def noted(self, *args, _name=name, _original=original, **values):
            taken.append(_name)
            return _original(self, *args, **values)

        monkeypatch.setattr(item_queries.ItemQueries, name, noted)
    rows = session.reader.items.page(query, limit=2)
    assert taken == [way]
    assert [row.name for row in rows] == [item.name for item in many if item.state == query.states[0]][:2]


def test_item_numbers_when_others_commit_in_between_then_are_no_error(
    session: Session, many: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    original = item_queries.ItemQueries._chosen

    def chosen(self, query, **values):
        facets = original(self, query, **values)
        write(session, *(removed("item", item.id) for item in many[:10]))
        return facets

    monkeypatch.setattr(item_queries.ItemQueries, "_chosen", chosen)
    assert len(session.reader.items.numbers(ItemQuery())) == 290


def test_item_rows_when_asked_for_more_than_can_be_bound_then_gives_all(
    session: Session, many: list[Item]
) -> None:
    rows = session.reader.items.rows(range(400_000))
    assert [row.name for row in rows] == [item.name for item in many]


def test_match_expression_when_punctuation_stands_alone_then_selects_nothing(session: Session) -> None:
    write(session, created("item", an_item(question="???", name="...")))
    assert session.reader.items.count(ItemQuery(text="???")) == 0
    assert session.reader.items.count(ItemQuery()) == 1
